use std::{
    panic::Location,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use tickwheel_core::Tick;
use tokio::time::Instant;

use super::virtual_alarm::VirtualAlarm;
use crate::{clock::Clock, error::TimerError, registration::Registration, shard::Shard};

/// Who waits for the next item, and the one timer that wakes it
///
/// The timer is armed and moved by the consumer's polls alone. Whoever changes the
/// queue wakes the consumer, if what it waits for is no more what comes next.
#[derive(Debug)]
pub(super) struct Consumer {
    /// On a virtual clock it only tells of a shutdown
    alarm: Registration,
    virtual_alarm: VirtualAlarm,
    /// Later than any tick that comes
    never: Instant,
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    waker: Waker,
    /// The visit that is waited for; `None` while any insert is
    until: Option<Tick>,
    /// The moment of that visit
    at: Instant,
}

impl Consumer {
    pub(super) fn new(shard: &Arc<Shard>, made_at: &'static Location<'static>) -> Self {
        let alarm = Registration::never(shard, made_at);
        let never = alarm.deadline();
        Self { alarm, virtual_alarm: VirtualAlarm::new(shard), never, waiting: None }
    }

    /// Waits until a tick; ready when it has come meanwhile
    pub(super) fn poll_until(
        &mut self,
        tick: Tick,
        clock: &Clock,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        let at = clock.instant(tick).unwrap_or(self.never);
        let poll = self.poll_alarms(at, cx);
        if poll.is_pending() {
            self.wait(Some(tick), at, cx);
        }
        poll
    }

    /// Waits until something is inserted
    pub(super) fn wait_for_insert(&mut self, cx: &mut Context<'_>) {
        self.wait(None, self.never, cx);
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
        self.waiting.as_ref().is_some_and(|waiting| deadline <= waiting.at)
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
        self.virtual_alarm.disarm();
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

    fn poll_alarms(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<Result<(), TimerError>> {
        if !self.virtual_alarm.serves() {
            self.set_alarm(at);
            return self.alarm.poll_unconstrained(cx);
        }
        self.set_alarm(self.never);
        if let Poll::Ready(Err(error)) = self.alarm.poll_shutdown(cx) {
            return Poll::Ready(Err(error));
        }
        if at == self.never {
            // No tick comes, and a paused clock must not jump there.
            self.virtual_alarm.disarm();
            return Poll::Pending;
        }
        self.virtual_alarm.poll(at, cx).map(Ok)
    }

    fn set_alarm(&mut self, at: Instant) {
        if self.alarm.deadline() != at || self.alarm.is_settled() {
            self.alarm.reset(at);
        }
    }

    fn wait(&mut self, until: Option<Tick>, at: Instant, cx: &mut Context<'_>) {
        match &mut self.waiting {
            Some(waiting) if waiting.waker.will_wake(cx.waker()) => {
                waiting.until = until;
                waiting.at = at;
            }
            _ => self.waiting = Some(Waiting { waker: cx.waker().clone(), until, at }),
        }
    }
}
