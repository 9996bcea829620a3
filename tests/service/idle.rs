//! Idle is idle, on the machine's clock
//!
//! For ten seconds instead of two:
//! `cargo test -p tickwheel-tests --test service_idle -- --ignored`.

use std::{
    sync::{Mutex, PoisonError},
    task::Waker,
    thread,
    time::Duration,
};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    runtimes::{Background, current_thread, multi_thread},
    waker::armed,
};

/// The whole process is watched, so one at a time
static ALONE: Mutex<()> = Mutex::new(());

/// How often threads of this process have gone to sleep, where that can be known
fn voluntary_switches() -> Option<u64> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    // A thread may end while it is looked at.
    let switches = tasks.filter_map(|task| {
        let status = std::fs::read_to_string(task.ok()?.path().join("status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches"))?;
        line.split_whitespace().last()?.parse::<u64>().ok()
    });
    Some(switches.sum())
}

/// Nothing happens for so long
#[track_caller]
fn assert_idle(timer: &Timer, duration: Duration) {
    // What was begun comes to rest first.
    thread::sleep(200 * MS);
    let (visits, switches) = (timer.metrics().driver_wakeups, voluntary_switches());
    thread::sleep(duration);
    assert_eq!(timer.metrics().driver_wakeups, visits);
    if let (Some(before), Some(after)) = (switches, voluntary_switches()) {
        // This thread itself goes to sleep once, or twice if it is disturbed.
        assert!(after - before <= 5, "{} threads woke and slept again", after - before);
    }
}

fn nothing_happens_for(duration: Duration) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let multi = multi_thread(2);
    let current = Background::start(current_thread());
    for handle in [multi.handle(), current.handle()] {
        let timer = Timer::builder().build_on(handle).unwrap();
        let sleeps: Vec<_> = (0..100_000).map(|_| armed(&timer, HOUR, Waker::noop())).collect();
        assert_idle(&timer, duration);
        // One that was never polled, and one that was moved, change nothing.
        let _lazy = timer.sleep(300 * MS);
        let mut moved = armed(&timer, HOUR, Waker::noop());
        moved.reset_after(2 * HOUR);
        assert_idle(&timer, 500 * MS);
        drop(sleeps);
        assert_eq!(timer.pending(), 1);
    }
}

/// Contract 10: 100 000 timers an hour away, no visit and no thread that wakes (real)
#[test]
fn timers_an_hour_away_wake_nobody() {
    nothing_happens_for(2 * SECOND);
}

/// Contract 10: the same for longer
#[test]
#[ignore = "takes half a minute"]
fn timers_an_hour_away_wake_nobody_for_longer() {
    nothing_happens_for(10 * SECOND);
}

/// Contract 10: a timer that fired, and one that was dropped, leave nothing to come for (real)
#[test]
fn what_is_over_wakes_nobody() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = multi_thread(1);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    runtime.block_on(timer.sleep(5 * MS));
    drop(armed(&timer, 100 * MS, Waker::noop()));
    assert_idle(&timer, 500 * MS);
}
