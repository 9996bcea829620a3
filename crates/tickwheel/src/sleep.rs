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

use crate::{limit::Admission, registration::Registration, shard::Shard};

/// Waits until a deadline
///
/// Made by [`Timer::sleep`](crate::Timer::sleep) and
/// [`Timer::sleep_until`](crate::Timer::sleep_until). It is armed at its first
/// poll, needs no pinning, may be polled again after it is ready (and is ready
/// then), and can be [`reset`](Self::reset) at any time.
///
/// # Cancel safety
///
/// Dropping it cancels it, completely and at once. A sleep that is polled by
/// reference, in a loop around `select!` for example, keeps its deadline.
///
/// # Panics
///
/// Polling panics once the timer was [shut down](crate::Timer::shutdown) or its
/// runtime is gone, unless the deadline had passed by then. So a sleep that is pending
/// at an orderly shutdown panics in its task. [`TrySleep`](crate::TrySleep) reports an error instead.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::Timer;
/// use tokio::sync::mpsc;
///
/// let timer = Timer::new();
/// let (sender, mut receiver) = mpsc::channel(1);
/// sender.send("hello").await.unwrap();
///
/// // An idle deadline, moved by everything that arrives.
/// let idle = Duration::from_secs(30);
/// let mut deadline = timer.sleep(idle);
/// let started = timer.now();
/// loop {
///     tokio::select! {
///         Some(message) = receiver.recv() => {
///             println!("{message}");
///             deadline.reset_after(idle);
///         }
///         () = &mut deadline => break,
///     }
/// }
/// assert!(timer.now() - started >= idle);
/// # drop(sender);
/// # }
/// ```
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Sleep {
    registration: Registration,
}

impl Sleep {
    pub(crate) fn after(
        shard: &Arc<Shard>,
        duration: Duration,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { registration: Registration::after(shard, duration, made_at) }
    }

    pub(crate) fn at(
        shard: &Arc<Shard>,
        deadline: Instant,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { registration: Registration::at(shard, deadline, made_at) }
    }

    /// When it is due
    ///
    /// Exactly what was asked for. A [disarmed](Self::disarm) sleep answers with
    /// the deadline it had.
    pub fn deadline(&self) -> Instant {
        self.registration.deadline()
    }

    /// Whether the deadline has passed
    ///
    /// False for a [disarmed](Self::disarm) sleep. Reads the clock unless a poll
    /// has returned ready already.
    pub fn is_elapsed(&self) -> bool {
        self.registration.is_elapsed()
    }

    /// Moves the deadline, in either direction
    ///
    /// The task that polled it last is woken at the new one and not at the old,
    /// and at once when the new one is past. One that was ready waits again.
    pub fn reset(&mut self, deadline: Instant) {
        self.registration.reset(deadline);
    }

    /// Moves the deadline to so much later than now
    ///
    /// A duration that reaches beyond the last [`Instant`] stops there.
    pub fn reset_after(&mut self, duration: Duration) {
        self.registration.reset_after(duration);
    }

    /// Lets it come up to so much later than its deadline
    ///
    /// A deadline with slack rounds up to a multiple of it, counted from when the timer
    /// was built, so that those that are due at about one time come together, and the
    /// driver wakes up once for all of them. It is rounded down to whole ticks; at most
    /// 2^32 of them are used. Without this it is what [`Builder::slack`](crate::Builder::slack)
    /// says, and none in the [critical lane](crate::Timer::critical).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::time::Duration;
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// let start = timer.now();
    /// let slack = Duration::from_millis(100);
    /// timer.sleep(Duration::from_millis(30)).slack(slack).await;
    /// let slept = timer.now() - start;
    /// assert!(slept >= Duration::from_millis(30) && slept <= Duration::from_millis(131));
    /// # }
    /// ```
    pub fn slack(mut self, slack: Duration) -> Self {
        self.registration.set_slack(slack);
        self
    }

    /// Calls it off: pending for ever, or until it is [`reset`](Self::reset)
    ///
    /// Frees what it held in the timer, as dropping it would.
    pub fn disarm(&mut self) {
        self.registration.disarm();
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.registration
            .poll(Admission::Always, cx)
            .map(|result| result.unwrap_or_else(|error| self.registration.fail(error)))
    }
}

impl FusedFuture for Sleep {
    /// Whether it was ready or is disarmed, and has not been reset since
    fn is_terminated(&self) -> bool {
        self.registration.is_settled()
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("deadline", &self.deadline()).finish_non_exhaustive()
    }
}
