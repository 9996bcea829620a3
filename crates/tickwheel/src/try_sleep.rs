use std::{
    fmt,
    panic::Location,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::FusedFuture;
use tokio::time::Instant;

use crate::{error::TimerError, limit::Admission, registration::Registration, shard::Shard};

/// Waits until a deadline, or says why that cannot be
///
/// A [`Sleep`](crate::Sleep) that reports an error where that one panics. Made by
/// [`Timer::try_sleep`](crate::Timer::try_sleep) and
/// [`Timer::try_sleep_until`](crate::Timer::try_sleep_until).
///
/// # Errors
///
/// [`TimerError::ShutDown`] once the timer was shut down or its runtime is gone
/// before the deadline; [`TimerError::AtCapacity`] when it is to be armed and as many
/// timers are as [may be](crate::Builder::max_pending). Polled again it tries again,
/// and is ready once the deadline has passed.
///
/// # Cancel safety
///
/// As [`Sleep`](crate::Sleep).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tickwheel::{Timer, TimerError};
///
/// let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
/// let timer = Timer::builder().build_on(runtime.handle())?;
/// let sleep = timer.try_sleep(Duration::from_secs(60));
/// drop(runtime);
///
/// let elsewhere = tokio::runtime::Builder::new_current_thread().build()?;
/// assert_eq!(elsewhere.block_on(sleep), Err(TimerError::ShutDown));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct TrySleep {
    registration: Registration,
}

impl TrySleep {
    pub(crate) fn after(
        shard: &Arc<Shard>,
        duration: Duration,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { registration: Registration::after(shard, duration, made_at).shown_as("TrySleep") }
    }

    pub(crate) fn at(
        shard: &Arc<Shard>,
        deadline: Instant,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { registration: Registration::at(shard, deadline, made_at).shown_as("TrySleep") }
    }

    /// As [`Sleep::deadline`](crate::Sleep::deadline)
    pub fn deadline(&self) -> Instant {
        self.registration.deadline()
    }

    /// As [`Sleep::is_elapsed`](crate::Sleep::is_elapsed)
    pub fn is_elapsed(&self) -> bool {
        self.registration.is_elapsed()
    }

    /// As [`Sleep::reset`](crate::Sleep::reset)
    pub fn reset(&mut self, deadline: Instant) {
        self.registration.reset(deadline);
    }

    /// As [`Sleep::reset_after`](crate::Sleep::reset_after)
    pub fn reset_after(&mut self, duration: Duration) {
        self.registration.reset_after(duration);
    }

    /// As [`Sleep::slack`](crate::Sleep::slack)
    pub fn slack(mut self, slack: Duration) -> Self {
        self.registration.set_slack(slack);
        self
    }

    /// As [`Sleep::disarm`](crate::Sleep::disarm)
    pub fn disarm(&mut self) {
        self.registration.disarm();
    }
}

impl Future for TrySleep {
    type Output = Result<(), TimerError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.registration.poll(Admission::IfRoom, cx)
    }
}

impl FusedFuture for TrySleep {
    /// Whether it was ready or is disarmed, and has not been reset since
    fn is_terminated(&self) -> bool {
        self.registration.is_settled()
    }
}

impl fmt::Debug for TrySleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrySleep").field("deadline", &self.deadline()).finish_non_exhaustive()
    }
}
