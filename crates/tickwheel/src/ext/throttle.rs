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

pin_project! {
    /// A stream that leaves time between its items
    ///
    /// Made by [`throttle`](crate::TimerStreamExt::throttle) and
    /// [`throttle_on`](crate::TimerStreamExt::throttle_on).
    ///
    /// # Cancel safety
    ///
    /// It holds nothing back: what waits for its next item may be dropped.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct Throttle<S> {
        #[pin]
        source: Source<S>,
        wait: Wait,
        duration: Duration,
        // From an item until its time has passed
        is_resting: bool,
    }
}

impl<S> Throttle<S> {
    pub(super) fn new(stream: S, wait: Wait, duration: Duration) -> Self {
        Self { source: Source::new(stream), wait, duration, is_resting: false }
    }
}

access_to_the_source!(Throttle);

impl<S: Stream> Stream for Throttle<S> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        if *this.is_resting {
            ready!(this.wait.poll(coop::has_budget_remaining(), cx));
            *this.is_resting = false;
        }
        let item = ready!(this.source.poll_next(cx));
        if item.is_some() && !this.duration.is_zero() {
            this.wait.start(*this.duration);
            *this.is_resting = true;
        }
        Poll::Ready(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.source.size_hint()
    }
}

impl<S: Stream> FusedStream for Throttle<S> {
    fn is_terminated(&self) -> bool {
        self.source.has_ended
    }
}
