use std::time::Duration;

use crate::{timeout::Timeout, timer::Timer};

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
/// let timer = Timer::new();
/// let second = Duration::from_secs(1);
/// assert_eq!(async { 42 }.timeout_on(&timer, second).await, Ok(42));
/// assert!(future::pending::<()>().timeout_on(&timer, second).await.is_err());
/// # }
/// ```
pub trait TimerFutureExt: Future {
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
