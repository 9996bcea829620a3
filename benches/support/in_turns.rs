//! Two ways to do one thing, in turns

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};

use tokio::task::yield_now;

/// Arms one earlier deadline with each of two timers, as a service has them
///
/// With none, tokio writes to its event descriptor at each arming.
///
/// # Panics
///
/// When one of them has come.
pub async fn keep_armed(
    mut one: Pin<&mut impl Future<Output = ()>>,
    mut other: Pin<&mut impl Future<Output = ()>>,
) {
    poll_fn(|cx| {
        let pending = one.as_mut().poll(cx).is_pending() && other.as_mut().poll(cx).is_pending();
        assert!(pending, "nobody waits that long");
        Poll::Ready(())
    })
    .await;
    yield_now().await;
}

/// What both take in so many alternating rounds, in nanoseconds for one of many
pub fn rounds(count: usize, one: &mut dyn FnMut(), other: &mut dyn FnMut()) -> Vec<(f64, f64)> {
    (0..count).map(|_| (nanos(one), nanos(other))).collect()
}

/// Nanoseconds for one of many
pub fn nanos(work: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..OPERATIONS {
        work();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(OPERATIONS)
}

/// When the deadlines come that stay armed
pub const EARLIER: Duration = Duration::from_mins(10);

/// When those come that are armed and cancelled
pub const LATER: Duration = Duration::from_mins(15);

const OPERATIONS: u32 = 10_000;
