use std::{
    pin::{Pin, pin},
    sync::{Arc, Weak},
    task::{Context, Poll},
    time::Duration,
};

use tickwheel_core::Tick;
use tokio::time::Sleep as TokioSleep;

use crate::{
    alarm::AlarmHandle,
    at_work::{Activity, AtWork},
    bell::Bell,
    clock::{Clock, Source},
    shard::{Shard, Visit},
};

/// The task that fires timers
///
/// Called by the [`Bell`], it visits every shard, wakes what is due and arranges
/// to be called for the earliest of what is left. It ends when the last handle
/// and future of its timer are gone. Dropped before, with its runtime, it closes
/// the shards and wakes everything that waits.
#[must_use = "timers do not fire unless the driver is spawned"]
#[derive(Debug)]
pub(crate) struct Driver {
    shards: Vec<Weak<Shard>>,
    clock: Clock,
    bell: Arc<Bell>,
    alarm: AlarmHandle,
    /// For a clock that may be virtual, which only tokio's own timers follow
    tokio_alarm: Pin<Box<Option<TokioSleep>>>,
    /// The shard with which the turn after one that was cut short begins: the next one,
    /// or a storm in one shard would keep the driver from all others
    resume_at: usize,
}

/// How a turn ended
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// The budget is used up; there is more to do
    CutShort,
    /// All is fired that is due; a turn is wanted then
    Done(Option<Tick>),
    /// No shard is left
    Abandoned,
}

impl Driver {
    pub(crate) fn new(
        shards: &[Arc<Shard>],
        clock: Clock,
        bell: Arc<Bell>,
        alarm: AlarmHandle,
    ) -> Self {
        Self {
            shards: shards.iter().map(Arc::downgrade).collect(),
            clock,
            bell,
            alarm,
            tokio_alarm: Box::pin(None),
            resume_at: 0,
        }
    }

    /// One pass over the shards, within the budget
    fn turn(&mut self) -> Turn {
        let now = self.clock.tick_at(self.clock.now());
        let count = self.shards.len();
        let mut next: Option<Tick> = None;
        let mut abandoned = true;
        let mut visits = 0;
        for number in (0..count).map(|offset| (self.resume_at + offset) % count) {
            let Some(shard) = self.shards[number].upgrade() else { continue };
            abandoned = false;
            loop {
                if let Visit::Done(next_here) = shard.visit(now) {
                    next = next.into_iter().chain(next_here).min();
                    break;
                }
                visits += 1;
                if visits == VISITS {
                    self.resume_at = number + 1;
                    return Turn::CutShort;
                }
            }
        }
        if abandoned { Turn::Abandoned } else { Turn::Done(next) }
    }

    /// Arranges to be called at `next`; pending unless that has come meanwhile
    fn wait_for(&mut self, next: Option<Tick>, cx: &mut Context<'_>) -> Poll<()> {
        let at = next.and_then(|next| self.clock.instant(next));
        if self.clock.is_virtual() {
            self.bell.keep_watching();
        } else if let Some(at) = at {
            self.alarm.ring_by(at.into_std());
        }
        match self.clock.source() {
            Source::Machine => Poll::Pending,
            Source::Tokio => self.poll_tokio_alarm(at, cx),
        }
    }

    /// Lets other tasks run, since there is more to do
    fn give_way(&mut self, cx: &mut Context<'_>) {
        self.bell.keep_watching();
        // A task that just wakes itself is run again before those that yielded, and before
        // the runtime looks at its sockets. tokio defers a yielding one until it has done both.
        let _ = pin!(tokio::task::yield_now()).poll(cx);
        if self.clock.source() == Source::Machine {
            // A deferred task stays with its worker. Should that be blocked now, another must take over.
            self.alarm.ring_by(self.clock.now().into_std() + PATIENCE);
        }
    }

    fn poll_tokio_alarm(
        &mut self,
        at: Option<tokio::time::Instant>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        let Some(at) = at else {
            self.tokio_alarm.set(None);
            return Poll::Pending;
        };
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
        driver.bell.answer(cx.waker());
        let at_work = AtWork::begin(&driver.bell, Activity::Firing);
        let turn = driver.turn();
        drop(at_work);
        match turn {
            Turn::Abandoned => return Poll::Ready(()),
            Turn::CutShort => driver.give_way(cx),
            Turn::Done(next) => {
                if driver.wait_for(next, cx).is_ready() {
                    driver.give_way(cx);
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
        let _at_work = AtWork::begin(&self.bell, Activity::Closing);
        for shard in self.shards.iter().filter_map(Weak::upgrade) {
            while !shard.close() {}
        }
    }
}

/// How many visits a turn may take beyond the first to each shard
///
/// Each fires 32 timers at the most, so this bounds how many fire before other
/// tasks of the runtime get their turn: about a thousand.
const VISITS: usize = 32;

/// How long a driver that gave way waits for its turn before the alarm calls another worker
const PATIENCE: Duration = Duration::from_millis(1);
