use std::{
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;
use tokio::{task::coop, time::Instant};

use crate::{
    deadline::Deadline,
    error::{Elapsed, TimeoutError},
    limit::Admission,
};

pin_project! {
    /// A future with a deadline
    ///
    /// Made by [`Timer::timeout`](crate::Timer::timeout) and
    /// [`Timer::timeout_at`](crate::Timer::timeout_at). The future is polled
    /// first: when it is ready it wins, however late. It is armed only when the
    /// future was found pending, so one that is ready at once takes no lock.
    ///
    /// # Errors
    ///
    /// [`Elapsed`] when the deadline passes before the future is ready. The
    /// future is still there then: [`into_inner`](Self::into_inner) gives it back.
    ///
    /// # Cancel safety
    ///
    /// Dropping it drops the future and cancels the deadline, completely and at once.
    ///
    /// # Panics
    ///
    /// Polling panics once the timer was shut down or its runtime is gone, unless
    /// the future is ready or the deadline had passed.
    /// [`TryTimeout`] reports an error instead.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::{future, time::Duration};
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// let second = Duration::from_secs(1);
    /// assert_eq!(timer.timeout(second, async { 42 }).await, Ok(42));
    /// assert!(timer.timeout(second, future::pending::<()>()).await.is_err());
    /// # }
    /// ```
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Timeout<F> {
        #[pin]
        future: F,
        deadline: Deadline,
    }
}

pin_project! {
    /// A future with a deadline, or the reason why there can be none
    ///
    /// A [`Timeout`] that reports an error where that one panics. Made by
    /// [`Timer::try_timeout`](crate::Timer::try_timeout).
    ///
    /// # Errors
    ///
    /// [`TimeoutError::Elapsed`] when the deadline passes before the future is
    /// ready; [`TimeoutError::Timer`] once the timer was shut down or its runtime
    /// is gone, and where as many timers are armed as
    /// [may be](crate::Builder::max_pending). The future is still there then:
    /// [`into_inner`](Self::into_inner) gives it back.
    ///
    /// # Cancel safety
    ///
    /// As [`Timeout`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct TryTimeout<F> {
        #[pin]
        future: F,
        deadline: Deadline,
    }
}

macro_rules! accessors {
    ($timeout:ident) => {
        impl<F> $timeout<F> {
            pub(crate) fn new(future: F, deadline: Deadline) -> Self {
                Self { future, deadline }
            }

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

            /// When time is up
            ///
            /// Of a [lazy](crate::Builder::lazy_timeouts) timeout that was not
            /// found pending yet: when it would be up if it were polled now.
            pub fn deadline(&self) -> Instant {
                self.deadline.instant()
            }

            /// Moves the deadline, in either direction
            pub fn reset(&mut self, deadline: Instant) {
                self.deadline.reset(deadline);
            }

            /// [`reset`](Self::reset) for one that is pinned
            pub fn reset_pinned(self: Pin<&mut Self>, deadline: Instant) {
                self.project().deadline.reset(deadline);
            }
        }
    };
}

accessors!(Timeout);
accessors!(TryTimeout);

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll(this.future, this.deadline, Admission::Always, cx).map(|result| {
            result.map_err(|error| match error {
                TimeoutError::Elapsed(elapsed) => elapsed,
                TimeoutError::Timer(error) => this.deadline.fail(error),
            })
        })
    }
}

impl<F: Future> Future for TryTimeout<F> {
    type Output = Result<F::Output, TimeoutError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll(this.future, this.deadline, Admission::IfRoom, cx)
    }
}

/// The future first: when it is ready it wins
pub(crate) fn poll<F: Future>(
    future: Pin<&mut F>,
    deadline: &mut Deadline,
    admission: Admission,
    cx: &mut Context<'_>,
) -> Poll<Result<F::Output, TimeoutError>> {
    let had_budget = coop::has_budget_remaining();
    if let Poll::Ready(output) = future.poll(cx) {
        return Poll::Ready(Ok(output));
    }
    deadline.poll(had_budget, admission, cx).map(|result| match result {
        Ok(()) => Err(Elapsed::new().into()),
        Err(error) => Err(error.into()),
    })
}
