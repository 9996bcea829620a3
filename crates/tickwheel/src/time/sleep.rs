use std::{
    fmt,
    panic::Location,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::FusedFuture;
use tokio::time::Instant;

use crate::{ambient::Binding, limit::Admission};

/// Waits this long
///
/// Any duration is accepted; one that reaches beyond the last [`Instant`] stops there. See
/// the [module](super) for what a poll panics at.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use tickwheel::time::{Duration, sleep};
///
/// sleep(Duration::from_millis(100)).await;
/// println!("100 ms have elapsed");
/// # }
/// ```
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    Sleep { binding: Binding::after(duration, Location::caller()) }
}

/// Waits until then; ready at once when that is past
///
/// See the [module](super) for what a poll panics at.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use tickwheel::time::{Duration, Instant, sleep_until};
///
/// let deadline = Instant::now() + Duration::from_millis(100);
/// sleep_until(deadline).await;
/// assert!(Instant::now() >= deadline);
/// # }
/// ```
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep { binding: Binding::at(deadline, Location::caller()) }
}

/// Waits until a deadline, by the timer of the runtime that polls it first
///
/// Made by [`sleep`] and [`sleep_until`]. It is `Unpin`, which tokio's is not: what is
/// written for that one, pins included, works with this one.
///
/// # Cancel safety
///
/// Dropping it cancels it, completely and at once. Polled by reference it keeps its
/// deadline.
///
/// # Panics
///
/// When it is polled, see the [module](super).
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use tickwheel::time::{self, Duration, Instant};
///
/// let sleep = time::sleep(Duration::from_millis(10));
/// tokio::pin!(sleep);
/// for _ in 0..3 {
///     tokio::select! {
///         () = &mut sleep => {
///             println!("timer elapsed");
///             sleep.as_mut().reset(Instant::now() + Duration::from_millis(50));
///         }
///     }
/// }
/// # }
/// ```
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Sleep {
    binding: Binding,
}

impl Sleep {
    /// When it is due: exactly what was asked for
    pub fn deadline(&self) -> Instant {
        self.binding.deadline()
    }

    /// Whether the deadline has passed; false before the first poll, as tokio's
    ///
    /// Reads the clock unless a poll has returned ready already.
    pub fn is_elapsed(&self) -> bool {
        self.binding.is_elapsed()
    }

    /// Moves the deadline, in either direction
    ///
    /// The task that polled it last is woken at the new one and not at the old, and at
    /// once when the new one is past. One that was ready waits again.
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        self.get_mut().binding.reset(deadline);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let registration = self.binding.bind("Sleep");
        registration
            .poll(Admission::Always, cx)
            .map(|result| result.unwrap_or_else(|error| registration.fail(error)))
    }
}

impl FusedFuture for Sleep {
    /// Whether it was ready, and has not been reset since
    fn is_terminated(&self) -> bool {
        match &self.binding {
            Binding::Unbound(_) => false,
            Binding::Bound(registration) => registration.is_settled(),
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("deadline", &self.deadline()).finish_non_exhaustive()
    }
}
