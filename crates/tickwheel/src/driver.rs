mod log;
#[cfg(feature = "metrics")]
mod publishing;
#[cfg(all(test, not(any(loom, shuttle))))]
mod tests;
mod turn;

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tickwheel_core::Tick;
use tokio::time::{Instant, Sleep as TokioSleep};

use self::turn::{Turn, Turns};
use crate::{
    alarm::AlarmHandle,
    bell::Bell,
    budget::Budget,
    clock::{Clock, Source},
    give_way::give_way,
    shard::Shard,
};

/// The task that fires timers
///
/// Called by the [`Bell`], it visits every shard, wakes what is due and arranges
/// to be called for the earliest of what is left. It ends when the last handle
/// and future of its timer are gone, and after a shutdown. Dropped before, with its
/// runtime, it wakes everything that waits and will wait in vain.
#[must_use = "timers do not fire unless the driver is spawned"]
#[derive(Debug)]
pub(crate) struct Driver {
    turns: Turns,
    clock: Clock,
    bell: Arc<Bell>,
    alarm: AlarmHandle,
    /// For a clock that may be virtual, which only tokio's own timers follow
    tokio_alarm: Pin<Box<Option<TokioSleep>>>,
    /// Whether it left its last turn with work undone
    is_coming_back: bool,
}

impl Driver {
    pub(crate) fn new(
        shards: &[Arc<Shard>],
        clock: Clock,
        budget: Budget,
        bell: Arc<Bell>,
        alarm: AlarmHandle,
        name: &str,
    ) -> Self {
        Self {
            turns: Turns::new(shards, clock, budget, Arc::clone(&bell), name),
            clock,
            bell,
            alarm,
            tokio_alarm: Box::pin(None),
            is_coming_back: false,
        }
    }

    /// Arranges to be called at `next`; pending unless that has come meanwhile
    fn wait_for(&mut self, next: Option<Tick>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(at) = next.and_then(|next| self.clock.instant(next)) else {
            self.disarm_tokio_alarm();
            return Poll::Pending;
        };
        if self.clock.is_virtual() {
            self.bell.keep_watching();
        } else {
            self.alarm.ring_by(at.into_std());
        }
        match self.clock.source() {
            Source::Machine => Poll::Pending,
            Source::Tokio => self.poll_tokio_alarm(at, cx),
        }
    }

    /// Lets other tasks run, since there is more to do
    fn come_back(&mut self, has_woken: bool, cx: &mut Context<'_>) {
        self.is_coming_back = true;
        self.bell.keep_watching();
        let mut at = self.clock.now().into_std();
        // Called from another thread, it queues up behind all the tasks it has woken. On its
        // own worker it would be back before them, and wake more than can be run.
        let is_called = has_woken && self.clock.source() == Source::Machine;
        if !is_called {
            give_way(cx);
            // A task that yields stays with its worker. Should that be blocked now, another must take over.
            at += PATIENCE;
        }
        if self.clock.source() == Source::Machine {
            self.alarm.ring_by(at);
        }
    }

    /// A paused clock must not jump to when nothing is due
    fn disarm_tokio_alarm(&mut self) {
        // One that has come is armed no more, and will be used again.
        if self.tokio_alarm.as_ref().as_pin_ref().is_some_and(|alarm| !alarm.is_elapsed()) {
            self.tokio_alarm.set(None);
        }
    }

    fn poll_tokio_alarm(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<()> {
        match self.tokio_alarm.as_mut().as_pin_mut() {
            Some(alarm) if alarm.deadline() == at => {}
            Some(alarm) => alarm.reset(at),
            None => self.tokio_alarm.set(Some(tokio::time::sleep_until(at))),
        }
        let alarm = self.tokio_alarm.as_mut().as_pin_mut().expect("it was set above");
        alarm.poll(cx)
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let driver = &mut *self;
        let is_back = std::mem::take(&mut driver.is_coming_back);
        driver.bell.answer(cx.waker(), is_back);
        match driver.turns.turn() {
            Turn::Over => return Poll::Ready(()),
            Turn::CutShort { has_woken } => {
                driver.bell.is_cut_short();
                driver.come_back(has_woken, cx);
            }
            Turn::Done(next) => {
                if driver.wait_for(next, cx).is_ready() {
                    driver.come_back(false, cx);
                }
            }
        }
        Poll::Pending
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.alarm.remove();
        self.bell.remove();
        self.turns.end();
    }
}

/// How long a driver that yielded waits for its turn before the alarm calls another worker
const PATIENCE: Duration = Duration::from_millis(1);
