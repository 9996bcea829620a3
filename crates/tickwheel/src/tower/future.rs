use std::{
    error::Error,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;

use crate::{deadline::Deadline, error::TimeoutError, limit::Admission, timeout};

pin_project! {
    /// The response of a [`Timeout`](super::Timeout), if it comes in time
    ///
    /// The service's own future is polled first: when it is ready it wins, however late.
    ///
    /// # Cancel safety
    ///
    /// Dropping it drops the service's future and cancels the deadline, completely and
    /// at once.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct ResponseFuture<F> {
        #[pin]
        response: F,
        deadline: Deadline,
    }
}

impl<F> ResponseFuture<F> {
    pub(super) fn new(response: F, deadline: Deadline) -> Self {
        Self { response, deadline }
    }
}

impl<F, T, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<T, E>>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    type Output = Result<T, Box<dyn Error + Send + Sync>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // Never refused for want of room: what waits for a response is not the deadline.
        Poll::Ready(
            match ready!(timeout::poll(this.response, this.deadline, Admission::Always, cx)) {
                Ok(response) => response.map_err(Into::into),
                Err(TimeoutError::Elapsed(elapsed)) => Err(elapsed.into()),
                Err(TimeoutError::Timer(error)) => Err(error.into()),
            },
        )
    }
}
