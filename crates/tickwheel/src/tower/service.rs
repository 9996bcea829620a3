use std::{
    error::Error,
    panic::Location,
    task::{Context, Poll},
    time::Duration,
};

use tower_service::Service;

use super::future::ResponseFuture;
use crate::{deadline::Deadline, timer::Timer};

/// A service whose requests have so much time each
///
/// Made by [`TimeoutLayer`](super::TimeoutLayer), or around one service by
/// [`new`](Self::new). How long the service takes to be ready for a request is not
/// limited.
///
/// # Errors
///
/// That of the service; [`Elapsed`](crate::Elapsed) when time is up first;
/// [`TimerError::ShutDown`](crate::TimerError::ShutDown) when a response has to be waited
/// for and the timer was shut down or its runtime is gone.
#[derive(Clone, Debug)]
pub struct Timeout<S> {
    inner: S,
    timer: Timer,
    duration: Duration,
}

impl<S> Timeout<S> {
    /// Puts deadlines on this timer, in the lane of the handle, around a service
    pub fn new(inner: S, timer: Timer, duration: Duration) -> Self {
        Self { inner, timer, duration }
    }

    /// The service
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The service
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The service, without its deadlines
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, Request> Service<Request> for Timeout<S>
where
    S: Service<Request>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = S::Response;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let response = self.inner.call(request);
        let deadline = Deadline::after(self.timer.shard(), self.duration, Location::caller());
        ResponseFuture::new(response, deadline)
    }
}
