//! Timers that are far away wake nobody

use std::{task::Waker, thread, time::Duration};

use tickwheel_tests::{durations::HOUR, runtimes::multi_thread, waker::poll_with};

use crate::scene::Scene;

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = multi_thread(1);
    let watched = scene.timer(runtime.handle());
    let count = scene.count(0, 2_000);
    let mut sleeps: Vec<_> = (0..count).map(|_| watched.timer.try_sleep(HOUR)).collect();
    for sleep in &mut sleeps {
        assert!(poll_with(sleep, Waker::noop()).is_pending());
    }
    // The driver begins, however late, and what was armed meanwhile is planned.
    let wait = scene.wait("a driver to begin");
    futures::executor::block_on(watched.timer.try_sleep(Duration::from_millis(1)))
        .expect("a timer that is there");
    drop(wait);
    thread::sleep(Duration::from_millis(50));
    let before = watched.timer.metrics().driver_wakeups;
    let length = scene.micros(20_000, 200_000);
    thread::sleep(length);
    let visits = watched.timer.metrics().driver_wakeups - before;
    // Each shard may come to a level's edge, all of them at once.
    scene.holds(
        visits <= MOST,
        "idle is idle",
        &format_args!("{count} an hour away"),
        &format_args!("at most {MOST} wake-ups in {length:?}"),
        &visits,
    );
    drop(sleeps);
    scene.is_empty(&watched);
}

const MOST: u64 = 4;
