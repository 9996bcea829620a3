use std::{
    fmt,
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
    /// A stream of the last items before each silence
    ///
    /// Made by [`debounce`](crate::TimerStreamExt::debounce) and
    /// [`debounce_on`](crate::TimerStreamExt::debounce_on).
    ///
    /// # Cancel safety
    ///
    /// The item that is held back is held by the stream: what waits for its next item may
    /// be dropped.
    #[must_use = "streams do nothing unless polled"]
    pub struct Debounce<S: Stream> {
        #[pin]
        source: Source<S>,
        wait: Wait,
        duration: Duration,
        // The last that came, until it has been silent for long enough
        held: Option<S::Item>,
    }
}

impl<S: Stream> Debounce<S> {
    pub(super) fn new(stream: S, wait: Wait, duration: Duration) -> Self {
        Self { source: Source::new(stream), wait, duration, held: None }
    }
}

access_to_the_source!(Debounce: Stream);

impl<S: Stream> Stream for Debounce<S> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let had_budget = coop::has_budget_remaining();
        let mut has_come = false;
        while let Poll::Ready(item) = this.source.as_mut().poll_next(cx) {
            if item.is_none() {
                this.wait.stop();
                return Poll::Ready(this.held.take());
            }
            *this.held = item;
            has_come = true;
            // A source that is always ready must not keep the task for ever.
            match coop::poll_proceed(cx) {
                Poll::Ready(coop) => coop.made_progress(),
                Poll::Pending => {
                    this.wait.start(*this.duration);
                    return Poll::Pending;
                }
            }
        }
        if this.held.is_none() {
            return Poll::Pending;
        }
        if has_come {
            this.wait.start(*this.duration);
        }
        ready!(this.wait.poll(had_budget, cx));
        Poll::Ready(this.held.take())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let held = usize::from(self.held.is_some());
        let (lower, upper) = self.source.size_hint();
        // All but the last may be passed over.
        (lower.max(held).min(1), upper.and_then(|items| items.checked_add(held)))
    }
}

impl<S: Stream> FusedStream for Debounce<S> {
    fn is_terminated(&self) -> bool {
        self.source.has_ended && self.held.is_none()
    }
}

impl<S: Stream + fmt::Debug> fmt::Debug for Debounce<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Debounce")
            .field("source", &self.source.stream)
            .field("duration", &self.duration)
            .field("holds_one_back", &self.held.is_some())
            .finish_non_exhaustive()
    }
}
