use std::time::Duration;

use tower_layer::Layer;

use super::service::Timeout;
use crate::timer::Timer;

/// Gives each request of a service so much time
///
/// Time counts from the call on, or, where
/// [`lazy_timeouts`](crate::Builder::lazy_timeouts) is set, from the poll that finds no
/// response. [`Duration::MAX`] is no deadline.
#[derive(Clone, Debug)]
pub struct TimeoutLayer {
    timer: Timer,
    duration: Duration,
}

impl TimeoutLayer {
    /// A layer whose deadlines are on this timer, in the lane of the handle
    pub fn new(timer: Timer, duration: Duration) -> Self {
        Self { timer, duration }
    }
}

impl<S> Layer<S> for TimeoutLayer {
    type Service = Timeout<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Timeout::new(inner, self.timer.clone(), self.duration)
    }
}
