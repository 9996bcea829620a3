use std::{
    fmt, mem,
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
    /// A stream of items in chunks, none of which is waited for too long
    ///
    /// Made by [`chunks_timeout`](crate::TimerStreamExt::chunks_timeout) and
    /// [`chunks_timeout_on`](crate::TimerStreamExt::chunks_timeout_on).
    ///
    /// # Cancel safety
    ///
    /// The items of a chunk that is not complete are held by the stream: what waits for its
    /// next chunk may be dropped. [`into_remainder`](Self::into_remainder) gives them out.
    #[must_use = "streams do nothing unless polled"]
    pub struct ChunksTimeout<S: Stream> {
        #[pin]
        source: Source<S>,
        wait: Wait,
        duration: Duration,
        // Fewer than `max_size` between two polls
        items: Vec<S::Item>,
        // Not zero
        max_size: usize,
    }
}

impl<S: Stream> ChunksTimeout<S> {
    #[track_caller]
    pub(super) fn new(stream: S, wait: Wait, max_size: usize, duration: Duration) -> Self {
        assert!(max_size > 0, "the size of a chunk must be more than zero");
        Self { source: Source::new(stream), wait, duration, items: Vec::new(), max_size }
    }

    /// The items that no chunk was made of
    pub fn into_remainder(self: Pin<&mut Self>) -> Vec<S::Item> {
        let this = self.project();
        this.wait.stop();
        mem::take(this.items)
    }
}

access_to_the_source!(ChunksTimeout: Stream);

impl<S: Stream> Stream for ChunksTimeout<S> {
    type Item = Vec<S::Item>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            let had_budget = coop::has_budget_remaining();
            let has_come = match this.source.as_mut().poll_next(cx) {
                Poll::Ready(Some(item)) => {
                    if this.items.is_empty() {
                        this.items.reserve_exact((*this.max_size).min(RESERVED));
                        this.wait.start(*this.duration);
                    }
                    this.items.push(item);
                    if this.items.len() >= *this.max_size {
                        break;
                    }
                    true
                }
                Poll::Ready(None) if this.items.is_empty() => return Poll::Ready(None),
                Poll::Ready(None) => break,
                Poll::Pending if this.items.is_empty() => return Poll::Pending,
                Poll::Pending => false,
            };
            // Looked at after each item, so that a source that is always ready can not
            // put it off.
            let time_is_up = this.wait.poll(had_budget, cx);
            match (time_is_up, has_come) {
                (Poll::Ready(()), _) => break,
                (Poll::Pending, false) => return Poll::Pending,
                // Nor can it keep the task for ever.
                (Poll::Pending, true) => ready!(coop::poll_proceed(cx)).made_progress(),
            }
        }
        this.wait.stop();
        Poll::Ready(Some(mem::take(this.items)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (lower, upper) = self.source.size_hint();
        let held = self.items.len();
        // Only time makes smaller chunks, but no more of them than there are items.
        let lower = lower.saturating_add(held).div_ceil(self.max_size);
        (lower, upper.and_then(|items| items.checked_add(held.min(1))))
    }
}

impl<S: Stream> FusedStream for ChunksTimeout<S> {
    fn is_terminated(&self) -> bool {
        self.source.has_ended && self.items.is_empty()
    }
}

impl<S: Stream + fmt::Debug> fmt::Debug for ChunksTimeout<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunksTimeout")
            .field("source", &self.source.stream)
            .field("max_size", &self.max_size)
            .field("duration", &self.duration)
            .field("held_back", &self.items.len())
            .finish_non_exhaustive()
    }
}

/// Room for no more items than this is made before they come
const RESERVED: usize = 1024;
