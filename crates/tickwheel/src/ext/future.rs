use std::time::Duration;

use tokio::time::Instant;

use crate::{time, timeout::Timeout, timer::Timer};

/// What a timer can do for a future, as methods of the future
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::{future, time::Duration};
/// use tickwheel::{Timer, TimerFutureExt};
///
/// let second = Duration::from_secs(1);
/// assert_eq!(async { 42 }.timeout(second).await, Ok(42));
///
/// let timer = Timer::new();
/// assert!(future::pending::<()>().timeout_on(&timer, second).await.is_err());
/// # }
/// ```
pub trait TimerFutureExt: Future {
    /// Gives it so much time, as [`time::timeout`] does
    #[track_caller]
    fn timeout(self, duration: Duration) -> time::Timeout<Self>
    where
        Self: Sized,
    {
        time::timeout(duration, self)
    }

    /// Gives it time until then, as [`time::timeout_at`] does
    #[track_caller]
    fn timeout_at(self, deadline: Instant) -> time::Timeout<Self>
    where
        Self: Sized,
    {
        time::timeout_at(deadline, self)
    }

    /// Gives it so much time on this timer, as [`Timer::timeout`] does
    #[track_caller]
    fn timeout_on(self, timer: &Timer, duration: Duration) -> Timeout<Self>
    where
        Self: Sized,
    {
        timer.timeout(duration, self)
    }
}

impl<F: Future + ?Sized> TimerFutureExt for F {}
