use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use tokio::task::coop;

use super::{
    source::{Source, access_to_the_source},
    wait::Wait,
};
use crate::error::Elapsed;

pin_project! {
    /// A stream whose items must come in time
    ///
    /// Made by [`timeout`](crate::TimerStreamExt::timeout) and
    /// [`timeout_on`](crate::TimerStreamExt::timeout_on).
    ///
    /// # Cancel safety
    ///
    /// It holds nothing back: what waits for its next item may be dropped.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct Timeout<S> {
        #[pin]
        source: Source<S>,
        wait: Wait,
        duration: Duration,
        // False from an error to the next item
        is_waiting: bool,
    }
}

impl<S> Timeout<S> {
    pub(super) fn new(stream: S, mut wait: Wait, duration: Duration) -> Self {
        wait.start(duration);
        Self { source: Source::new(stream), wait, duration, is_waiting: true }
    }
}

access_to_the_source!(Timeout);

impl<S: Stream> Stream for Timeout<S> {
    type Item = Result<S::Item, Elapsed>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        if let Poll::Ready(item) = this.source.poll_next(cx) {
            *this.is_waiting = item.is_some();
            if item.is_some() {
                this.wait.start(*this.duration);
            } else {
                this.wait.stop();
            }
            return Poll::Ready(item.map(Ok));
        }
        if !*this.is_waiting {
            return Poll::Pending;
        }
        ready!(this.wait.poll(had_budget, cx));
        *this.is_waiting = false;
        Poll::Ready(Some(Err(Elapsed::new())))
    }

    /// At most one error between two items, and before the first and after the last
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (lower, upper) = self.source.size_hint();
        let errors = usize::from(self.is_waiting);
        (lower, upper.and_then(|items| items.checked_mul(2)?.checked_add(errors)))
    }
}

impl<S: Stream> FusedStream for Timeout<S> {
    fn is_terminated(&self) -> bool {
        self.source.has_ended
    }
}
