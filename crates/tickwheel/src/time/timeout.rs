use std::{
    future::IntoFuture,
    panic::Location,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use pin_project_lite::pin_project;
use tokio::{task::coop, time::Instant};

use super::error::Elapsed;
use crate::ambient::Binding;

/// Gives a future so much time, counted from this call
///
/// [`Duration::MAX`] means no deadline, and arms nothing. See the [module](super) for
/// what a poll panics at.
///
/// # Errors
///
/// [`Elapsed`] when the deadline passes before the future is ready.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use tickwheel::time::{Duration, timeout};
/// use tokio::sync::oneshot;
///
/// let (sender, receiver) = oneshot::channel::<()>();
/// if timeout(Duration::from_millis(10), receiver).await.is_err() {
///     println!("did not receive a value within 10 ms");
/// }
/// # drop(sender);
/// # }
/// ```
#[track_caller]
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    let is_limited = duration != Duration::MAX;
    let location = Location::caller();
    let deadline = is_limited.then(|| Binding::after(duration, location));
    Timeout { future: future.into_future(), deadline }
}

/// Gives a future time until then
///
/// See the [module](super) for what a poll panics at.
///
/// # Errors
///
/// [`Elapsed`] when the deadline passes before the future is ready.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use tickwheel::time::{Duration, Instant, timeout_at};
///
/// let deadline = Instant::now() + Duration::from_millis(10);
/// assert_eq!(timeout_at(deadline, async { 42 }).await, Ok(42));
/// # }
/// ```
#[track_caller]
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    let deadline = Some(Binding::at(deadline, Location::caller()));
    Timeout { future: future.into_future(), deadline }
}

pin_project! {
    /// A future with a deadline, by the timer of the runtime that first finds it pending
    ///
    /// Made by [`timeout`] and [`timeout_at`]. The future is polled first: when it is
    /// ready it wins, however late. Nothing else happens unless it was found pending.
    ///
    /// # Errors
    ///
    /// [`Elapsed`] when the deadline passes before the future is ready. The future is
    /// still there then: [`into_inner`](Self::into_inner) gives it back.
    ///
    /// # Cancel safety
    ///
    /// Dropping it drops the future and cancels the deadline, completely and at once.
    ///
    /// # Panics
    ///
    /// When it is polled and the future is pending, see the [module](super).
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Timeout<F> {
        #[pin]
        future: F,
        // `None` where there is no limit
        deadline: Option<Binding>,
    }
}

impl<F> Timeout<F> {
    /// The future
    pub fn get_ref(&self) -> &F {
        &self.future
    }

    /// The future
    pub fn get_mut(&mut self) -> &mut F {
        &mut self.future
    }

    /// The future, without its deadline
    pub fn into_inner(self) -> F {
        self.future
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        if let Poll::Ready(output) = this.future.poll(cx) {
            return Poll::Ready(Ok(output));
        }
        let Some(deadline) = this.deadline else { return Poll::Pending };
        deadline.poll_behind("Timeout", had_budget, cx).map(|()| Err(Elapsed::new()))
    }
}
