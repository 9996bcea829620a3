//! The two timers behind one face, with the book-keeping in between.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tickwheel::Timer;
use tokio::time::{self, Instant};

use super::{
    args::TimerKind,
    ledger::{Entry, Kind, Ledger},
};

/// Where every deadline of the program comes from
///
/// Deadlines are passed on as instants, not as durations: so the ledger and the timer mean the
/// very same one, and lateness is exact.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    source: Source,
    ledger: Arc<Ledger>,
}

impl Clock {
    /// Call it inside the runtime that the deadlines are for
    pub(crate) fn new(kind: TimerKind) -> Self {
        Self {
            source: match kind {
                TimerKind::Tokio => Source::Tokio,
                TimerKind::Tickwheel => Source::Tickwheel(Timer::new()),
            },
            ledger: Arc::new(Ledger::new()),
        }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The timer itself, if it is one that keeps books of its own
    pub(crate) fn tickwheel(&self) -> Option<&Timer> {
        match &self.source {
            Source::Tokio => None,
            Source::Tickwheel(timer) => Some(timer),
        }
    }

    pub(crate) async fn sleep(&self, kind: Kind, duration: Duration) {
        let due = Instant::now() + duration;
        let mut entry = self.ledger.entry(kind);
        match &self.source {
            Source::Tokio => watch(&mut entry, time::sleep_until(due)).await,
            Source::Tickwheel(timer) => watch(&mut entry, timer.sleep_until(due)).await,
        }
        entry.fired(due);
    }

    /// `None`: the time was over first
    pub(crate) async fn timeout<F: Future>(
        &self,
        kind: Kind,
        limit: Duration,
        future: F,
    ) -> Option<F::Output> {
        let due = Instant::now() + limit;
        let mut entry = self.ledger.entry(kind);
        let output = match &self.source {
            Source::Tokio => watch(&mut entry, time::timeout_at(due, future)).await.ok(),
            Source::Tickwheel(timer) => watch(&mut entry, timer.timeout_at(due, future)).await.ok(),
        };
        if output.is_none() {
            entry.fired(due);
        }
        output
    }

    /// A sleep to be kept and moved again and again
    pub(crate) fn kept_sleep(&self, kind: Kind, duration: Duration) -> KeptSleep<'_> {
        let due = Instant::now() + duration;
        KeptSleep {
            sleep: match &self.source {
                Source::Tokio => AnySleep::Tokio(Box::pin(time::sleep_until(due))),
                Source::Tickwheel(timer) => AnySleep::Tickwheel(timer.sleep_until(due)),
            },
            due,
            entry: self.ledger.entry(kind),
        }
    }

    /// Ticks every `period`, the first time after one
    pub(crate) fn interval(&self, kind: Kind, period: Duration) -> Ticks<'_> {
        let start = Instant::now() + period;
        Ticks {
            interval: match &self.source {
                Source::Tokio => {
                    let mut interval = time::interval_at(start, period);
                    interval.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
                    AnyInterval::Tokio(interval)
                }
                Source::Tickwheel(timer) => {
                    let mut interval = timer.interval_at(start, period);
                    interval.set_missed_tick_behavior(tickwheel::MissedTickBehavior::Delay);
                    AnyInterval::Tickwheel(interval)
                }
            },
            entry: self.ledger.entry(kind),
        }
    }
}

/// A sleep that is reset in place; ready at its deadline, and only once per reset
#[derive(Debug)]
#[must_use = "does nothing unless polled"]
pub(crate) struct KeptSleep<'a> {
    // The fields are dropped in this order: first the timer lets go, then the entry counts it.
    sleep: AnySleep,
    due: Instant,
    entry: Entry<'a>,
}

impl KeptSleep<'_> {
    pub(crate) fn reset(&mut self, duration: Duration) {
        self.due = Instant::now() + duration;
        self.entry.reset();
        match &mut self.sleep {
            AnySleep::Tokio(sleep) => sleep.as_mut().reset(self.due),
            AnySleep::Tickwheel(sleep) => sleep.reset(self.due),
        }
    }
}

impl Future for KeptSleep<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let poll = match &mut this.sleep {
            AnySleep::Tokio(sleep) => sleep.as_mut().poll(cx),
            AnySleep::Tickwheel(sleep) => Pin::new(sleep).poll(cx),
        };
        match poll {
            Poll::Ready(()) => this.entry.fired(this.due),
            Poll::Pending => this.entry.pending(),
        }
        poll
    }
}

/// A heartbeat; each tick is a deadline of its own
#[derive(Debug)]
pub(crate) struct Ticks<'a> {
    // The fields are dropped in this order, as those of `KeptSleep`.
    interval: AnyInterval,
    entry: Entry<'a>,
}

impl Ticks<'_> {
    /// Waits for the next tick; nothing is lost if the future is dropped before
    pub(crate) async fn tick(&mut self) {
        poll_fn(|cx| self.poll_tick(cx)).await;
    }

    fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let poll = match &mut self.interval {
            AnyInterval::Tokio(interval) => interval.poll_tick(cx),
            AnyInterval::Tickwheel(interval) => interval.poll_tick(cx),
        };
        if poll.is_pending() {
            self.entry.pending();
        }
        let due = ready!(poll);
        self.entry.fired(due);
        Poll::Ready(())
    }
}

#[derive(Debug, Clone)]
enum Source {
    Tokio,
    Tickwheel(Timer),
}

#[derive(Debug)]
enum AnySleep {
    Tokio(Pin<Box<time::Sleep>>),
    Tickwheel(tickwheel::Sleep),
}

#[derive(Debug)]
enum AnyInterval {
    Tokio(time::Interval),
    Tickwheel(tickwheel::Interval),
}

/// Awaits `future`, telling `entry` when it has to wait
///
/// A timer arms nothing for a future that is ready at once, so neither does the ledger.
async fn watch<F: Future>(entry: &mut Entry<'_>, future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|cx| {
        let poll = future.as_mut().poll(cx);
        if poll.is_pending() {
            entry.pending();
        }
        poll
    })
    .await
}
