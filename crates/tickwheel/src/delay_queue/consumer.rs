use std::{
    panic::Location,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use tickwheel_core::Tick;
use tokio::time::Instant;

use crate::{
    clock::{Clock, saturating_add},
    error::TimerError,
    registration::Registration,
    shard::Shard,
};

/// Who waits for the next item, and the one timer that wakes it
///
/// The timer is armed and moved by the consumer's polls alone. Whoever changes the
/// queue wakes the consumer, if what it waits for is no more what comes next.
#[derive(Debug)]
pub(super) struct Consumer {
    alarm: Registration,
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    waker: Waker,
    /// The visit that the alarm was set for; `None` while any insert is waited for
    until: Option<Tick>,
}

impl Consumer {
    pub(super) fn new(shard: &Arc<Shard>, made_at: &'static Location<'static>) -> Self {
        Self { alarm: Registration::never(shard, made_at), waiting: None }
    }

    /// Waits until a tick; ready when it has come meanwhile
    pub(super) fn poll_until(
        &mut self,
        tick: Tick,
        clock: &Clock,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        // A tick beyond all instants never comes, but the timer's end does.
        let at =
            clock.instant(tick).unwrap_or_else(|| saturating_add(clock.origin(), Duration::MAX));
        if self.alarm.deadline() != at || self.alarm.is_settled() {
            self.alarm.reset(at);
        }
        let poll = self.alarm.poll_unconstrained(cx);
        if poll.is_pending() {
            self.wait(Some(tick), cx);
        }
        poll
    }

    /// Waits until something is inserted
    pub(super) fn wait_for_insert(&mut self, cx: &mut Context<'_>) {
        self.wait(None, cx);
    }

    /// It has been answered, or will ask again by itself
    #[inline]
    pub(super) fn stop_waiting(&mut self) {
        if self.waiting.is_some() {
            self.waiting = None;
        }
    }

    /// An item has come in that is due at this tick
    #[inline]
    pub(super) fn on_insert(&mut self, deadline: Tick) {
        let is_concerned = |waiting: &Waiting| waiting.until.is_none_or(|until| deadline < until);
        if self.waiting.as_ref().is_some_and(is_concerned) {
            self.wake();
        }
    }

    /// Whether it waits for a visit that such a deadline may be the reason for
    ///
    /// An item due later can be the reason for a visit that moves items only. That one
    /// is then made for nothing, once, which costs less than a look at each change.
    #[inline]
    pub(super) fn waits_until(&self, deadline: Instant) -> bool {
        self.waiting.is_some() && deadline <= self.alarm.deadline()
    }

    /// Items were moved or taken out, and the next visit is wanted then
    pub(super) fn on_change(&mut self, next: Option<Tick>) {
        if self.waiting.as_ref().is_some_and(|waiting| waiting.until != next) {
            self.wake();
        }
    }

    /// No item is left: nothing of the queue stays behind in the timer
    #[inline]
    pub(super) fn on_empty(&mut self) {
        self.alarm.disarm();
        if self.waiting.as_ref().is_some_and(|waiting| waiting.until.is_some()) {
            self.wake();
        }
    }

    /// Wakes whoever waits, since the answer may be another now
    pub(super) fn wake(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            waiting.waker.wake();
        }
    }

    /// The panic of a queue that cannot wait
    pub(super) fn fail(&self, error: TimerError) -> ! {
        self.alarm.fail(error)
    }

    fn wait(&mut self, until: Option<Tick>, cx: &mut Context<'_>) {
        match &mut self.waiting {
            Some(waiting) if waiting.waker.will_wake(cx.waker()) => waiting.until = until,
            _ => self.waiting = Some(Waiting { waker: cx.waker().clone(), until }),
        }
    }
}
