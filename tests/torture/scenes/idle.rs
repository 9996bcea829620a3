//! Timers that are far away wake nobody, and what is armed before them comes

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
    // What is earlier than all the others calls the driver, with nobody else to do so.
    for _ in 0..8 {
        let delay = scene.micros(1, 5_000);
        let _wait = scene.wait("a sleep with nothing near it");
        futures::executor::block_on(watched.timer.try_sleep(delay)).expect("a timer that is there");
    }
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
