//! Clocks of the works

use std::time::{Duration, Instant};

/// Nanoseconds for one of many
pub(super) fn nanos_each(operations: u32, mut operation: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..operations {
        operation();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(operations)
}

/// By how many seconds `now` is later than `due`, less than none when it is earlier
pub(super) fn lateness(due: Instant, now: Instant) -> f64 {
    match now.checked_duration_since(due) {
        Some(late) => late.as_secs_f64(),
        None => -(due - now).as_secs_f64(),
    }
}

/// Processor time as a figure
pub(super) fn millis(time: Option<Duration>) -> f64 {
    time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

/// A delay that no run waits for; pingora-timeout hands what is beyond 15 minutes to tokio
pub(super) const LONG: Duration = Duration::from_mins(13);
/// One that is armed all the time is earlier
pub(super) const EARLIER: Duration = Duration::from_mins(10);
