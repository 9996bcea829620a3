use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::{FusedStream, Stream};
use tickwheel_core::{Step, Tick};
use tokio::task::coop;

use super::{Expired, queue::DelayQueue};

impl<T> DelayQueue<T> {
    /// The next item that is due; `None` when the queue is empty
    ///
    /// Pending while there are items and none is due, and when it is empty and
    /// [told to wait then](Self::set_pending_when_empty). The task that polled last
    /// is woken when an item is due, and when a change of the queue means that the
    /// answer may be another.
    ///
    /// Each item takes from the task's cooperative budget. Where very many items far
    /// ahead want to be sorted anew, that is done over several polls.
    ///
    /// # Panics
    ///
    /// When the timer was shut down or its runtime is gone, and nothing is due. Items
    /// can still be removed then.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::{future::poll_fn, time::Duration};
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// let mut queue = timer.delay_queue();
    /// queue.insert("later", Duration::from_secs(2));
    /// queue.insert("sooner", Duration::from_secs(1));
    ///
    /// let expired = poll_fn(|cx| queue.poll_expired(cx)).await.unwrap();
    /// assert_eq!(expired.into_inner(), "sooner");
    /// # }
    /// ```
    pub fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Option<Expired<T>>> {
        let budget = ready!(coop::poll_proceed(cx));
        let mut has_looked = false;
        for _ in 0..STEPS {
            match self.wheel.step(self.reached) {
                Step::Expired(expired) => {
                    budget.made_progress();
                    self.consumer.stop_waiting();
                    if self.is_empty() {
                        self.consumer.on_empty();
                    }
                    return Poll::Ready(Some(self.leave(expired.key, expired.value)));
                }
                Step::More => {}
                Step::Idle => {
                    let Some(next) = self.wheel.next_wake() else { return self.poll_empty(cx) };
                    // What was due when the clock was last read is delivered without reading it again.
                    if !has_looked {
                        has_looked = true;
                        let now = self.clock.tick_at(self.clock.now());
                        self.reached = self.reached.max(now);
                    }
                    if next > self.reached {
                        ready!(self.poll_ahead(next, cx));
                    }
                }
            }
        }
        // A long cascade: other tasks first.
        self.consumer.stop_waiting();
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Nothing is due: waits for the next visit
    fn poll_ahead(&mut self, next: Tick, cx: &mut Context<'_>) -> Poll<()> {
        match ready!(self.consumer.poll_until(next, &self.clock, cx)) {
            // The driver may know a later time than this task's context shows.
            Ok(()) => self.reached = next,
            Err(error) => self.consumer.fail(error),
        }
        Poll::Ready(())
    }

    fn poll_empty(&mut self, cx: &mut Context<'_>) -> Poll<Option<Expired<T>>> {
        self.consumer.on_empty();
        if self.pending_when_empty {
            self.consumer.wait_for_insert(cx);
            return Poll::Pending;
        }
        self.consumer.stop_waiting();
        Poll::Ready(None)
    }
}

/// The items as they come due; it ends when the queue is empty, and goes on after an insert
impl<T> Stream for DelayQueue<T> {
    type Item = Expired<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_expired(cx)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), None)
    }
}

impl<T> FusedStream for DelayQueue<T> {
    /// Whether polling leads nowhere before something is inserted
    fn is_terminated(&self) -> bool {
        self.is_empty() && !self.pending_when_empty
    }
}

/// How many steps of the wheel one poll may take
///
/// Each moves 32 items at the most, so this is about as many as a task should
/// do before it yields.
const STEPS: usize = 16;
