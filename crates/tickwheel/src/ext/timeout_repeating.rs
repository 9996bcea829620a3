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
use crate::error::{Elapsed, ZeroPeriod};

pin_project! {
    /// A stream that says, again and again, that no item comes
    ///
    /// Made by [`timeout_repeating`](crate::TimerStreamExt::timeout_repeating) and
    /// [`timeout_repeating_on`](crate::TimerStreamExt::timeout_repeating_on).
    ///
    /// # Cancel safety
    ///
    /// It holds nothing back: what waits for its next item may be dropped.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct TimeoutRepeating<S> {
        #[pin]
        source: Source<S>,
        wait: Wait,
        period: Duration,
    }
}

impl<S> TimeoutRepeating<S> {
    #[track_caller]
    pub(super) fn new(stream: S, mut wait: Wait, period: Duration) -> Self {
        assert!(!period.is_zero(), "{ZeroPeriod}");
        wait.start(period);
        Self { source: Source::new(stream), wait, period }
    }
}

access_to_the_source!(TimeoutRepeating);

impl<S: Stream> Stream for TimeoutRepeating<S> {
    type Item = Result<S::Item, Elapsed>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let had_budget = coop::has_budget_remaining();
        if let Poll::Ready(item) = this.source.poll_next(cx) {
            if item.is_some() {
                this.wait.start(*this.period);
            } else {
                this.wait.stop();
            }
            return Poll::Ready(item.map(Ok));
        }
        ready!(this.wait.poll(had_budget, cx));
        this.wait.start_again(*this.period);
        Poll::Ready(Some(Err(Elapsed::new())))
    }

    /// There is no limit to the errors before the end
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (lower, _) = self.source.size_hint();
        (lower, self.source.has_ended.then_some(0))
    }
}

impl<S: Stream> FusedStream for TimeoutRepeating<S> {
    fn is_terminated(&self) -> bool {
        self.source.has_ended
    }
}
