//! What comes again and again: intervals in tasks, and repeating callbacks.

use std::time::Duration;

use tickwheel::Timer;
use tokio::task::JoinSet;

use super::between;

pub(super) fn spawn(timer: &Timer, tasks: &mut JoinSet<()>) {
    for _ in 0..INTERVALS {
        let mut interval = timer.interval(between(PERIODS));
        tasks.spawn(async move {
            loop {
                interval.tick().await;
            }
        });
    }
}

/// They are not cancelled, but left for the shutdown to find
pub(super) fn call(timer: &Timer) {
    for _ in 0..CALLBACKS {
        timer.call_every(between(PERIODS), || ());
    }
}

const INTERVALS: usize = 50;
const CALLBACKS: usize = 50;
const PERIODS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(2)];
