mod unbound;

use std::{
    fmt, mem,
    panic::Location,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tickwheel_core::{Tick, TimerKey};
use tokio::{task::coop, time::Instant};

use crate::{
    clock::{Source, saturating_add},
    console::Shown,
    error::TimerError,
    limit::Admission,
    shard::{Fate, Removal, Shard},
    slack::Slack,
};

pub(crate) use unbound::Unbound;

/// One timer's life for a future: armed late, moved, cancelled on drop
///
/// It arms at the first poll that finds the deadline ahead and never before, so
/// that what is never polled, or ready at once, touches no lock.
pub(crate) struct Registration {
    shard: Arc<Shard>,
    deadline: Instant,
    stage: Stage,
    slack: Slack,
    made_at: &'static Location<'static>,
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not armed; the deadline may be past
    New,
    /// Not armed; the deadline lay ahead when the clock was last read
    Ahead,
    /// Not to be armed
    Disarmed,
    Armed(TimerKey),
    Elapsed,
}

impl Registration {
    pub(crate) fn at(
        shard: &Arc<Shard>,
        deadline: Instant,
        made_at: &'static Location<'static>,
    ) -> Self {
        Unbound::at(deadline, made_at).bind(Arc::clone(shard))
    }

    pub(crate) fn after(
        shard: &Arc<Shard>,
        duration: Duration,
        made_at: &'static Location<'static>,
    ) -> Self {
        Unbound::after(shard.clock.now(), duration, made_at).bind(Arc::clone(shard))
    }

    /// One that never comes, and costs no more than that
    pub(crate) fn never(shard: &Arc<Shard>, made_at: &'static Location<'static>) -> Self {
        Unbound::never(shard.clock.now(), made_at).bind(Arc::clone(shard))
    }

    /// What it is that waits, where that is shown and is no sleep
    #[inline]
    pub(crate) fn shown_as(mut self, concrete_type: &'static str) -> Self {
        self.shown.set_type(concrete_type);
        self
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(crate) fn now(&self) -> Instant {
        self.shard.clock.now()
    }

    /// Whether the deadline has passed, asking the clock when nobody has seen it yet
    pub(crate) fn is_elapsed(&self) -> bool {
        match self.stage {
            Stage::Elapsed => true,
            Stage::Disarmed => false,
            Stage::New | Stage::Ahead | Stage::Armed(_) => self.deadline <= self.now(),
        }
    }

    /// Whether polling again can lead nowhere new
    pub(crate) fn is_settled(&self) -> bool {
        matches!(self.stage, Stage::Elapsed | Stage::Disarmed)
    }

    pub(crate) fn reset(&mut self, deadline: Instant) {
        let clock = &self.shard.clock;
        self.shown.reset(|| deadline.saturating_duration_since(clock.now()));
        if let Stage::Armed(key) = self.stage {
            let tick = self.shard.clock.tick_for(deadline, self.slack);
            if self.shard.reset(key, tick, || deadline <= self.now()) {
                self.deadline = deadline;
                return;
            }
        }
        self.deadline = deadline;
        self.stage = Stage::New;
    }

    pub(crate) fn reset_after(&mut self, duration: Duration) {
        let now = self.now();
        self.reset(saturating_add(now, duration));
    }

    /// From now on it may fire so much later than its deadline
    pub(crate) fn set_slack(&mut self, slack: Duration) {
        self.slack = self.shard.clock.slack(slack);
        if let Stage::Armed(_) = self.stage {
            self.reset(self.deadline);
        }
    }

    pub(crate) fn disarm(&mut self) {
        self.remove(Removal::Cancelled);
        self.stage = Stage::Disarmed;
    }

    /// Pending until the deadline; `Ready` stays `Ready`
    ///
    /// Takes from the task's cooperative budget when it becomes ready, and
    /// nothing before or afterwards.
    pub(crate) fn poll(
        &mut self,
        admission: Admission,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        if self.stage == Stage::Elapsed {
            return Poll::Ready(Ok(()));
        }
        self.poll_shown(|registration| registration.poll_within_budget(admission, cx))
    }

    /// [`poll`](Self::poll) without a look at the budget
    pub(crate) fn poll_unconstrained(
        &mut self,
        admission: Admission,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        self.poll_shown(|registration| registration.advance(admission, cx))
    }

    /// [`poll`](Self::poll) for the deadline of a future that was just found pending
    ///
    /// `had_budget` says whether the task had cooperative budget before that
    /// future was polled. One that used it up would otherwise keep its own timeout
    /// from ever being looked at (tokio#4291).
    pub(crate) fn poll_behind(
        &mut self,
        had_budget: bool,
        admission: Admission,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        if had_budget && !coop::has_budget_remaining() {
            self.poll_unconstrained(admission, cx)
        } else {
            self.poll(admission, cx)
        }
    }

    /// Polls it, to be seen by whoever looks
    #[inline]
    fn poll_shown(
        &mut self,
        poll: impl FnOnce(&mut Self) -> Poll<Result<(), TimerError>>,
    ) -> Poll<Result<(), TimerError>> {
        let mut shown = mem::take(&mut self.shown);
        if self.stage != Stage::Disarmed {
            shown.begin(self.made_at, || self.deadline.saturating_duration_since(self.now()));
        }
        let result = shown.poll(|| poll(self));
        self.shown = shown;
        result
    }

    fn poll_within_budget(
        &mut self,
        admission: Admission,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        let result = ready!(self.advance(admission, cx));
        if let Poll::Ready(coop) = coop::poll_proceed(cx) {
            coop.made_progress();
            return Poll::Ready(result);
        }
        // The task is to yield first, and has been woken for that.
        self.stage = Stage::New;
        Poll::Pending
    }

    fn advance(
        &mut self,
        admission: Admission,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        match self.stage {
            Stage::Elapsed => Poll::Ready(Ok(())),
            Stage::Disarmed => Poll::Pending,
            Stage::New | Stage::Ahead => self.poll_unarmed(admission, cx),
            Stage::Armed(key) => self.poll_armed(key, cx),
        }
    }

    /// The panic of a future that cannot report an error
    pub(crate) fn fail(&self, error: TimerError) -> ! {
        panic!(
            "{error}: a deadline set at {} can not be kept (the `try_` forms report this as an error)",
            self.made_at
        )
    }

    fn poll_unarmed(
        &mut self,
        admission: Admission,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        let Shard { bell, clock, .. } = &*self.shard;
        let is_called = bell.is_unanswered();
        if is_called || self.stage == Stage::New {
            let now = clock.now();
            // Others' timers go by the machine's clock alone: a virtual one may be another here.
            if is_called && clock.source() == Source::Machine {
                self.shard.help(clock.read(now));
            }
            if self.deadline <= now {
                return self.elapse();
            }
        }
        self.arm(admission, cx)
    }

    fn arm(&mut self, admission: Admission, cx: &mut Context<'_>) -> Poll<Result<(), TimerError>> {
        match self.shard.arm(self.tick(), cx.waker(), admission) {
            Ok(Some(key)) => {
                self.stage = Stage::Armed(key);
                Poll::Pending
            }
            Ok(None) => self.elapse(),
            Err(_) if self.deadline <= self.now() => self.elapse(),
            Err(error) => {
                self.shard.count_refused();
                Poll::Ready(Err(error))
            }
        }
    }

    fn poll_armed(&mut self, key: TimerKey, cx: &mut Context<'_>) -> Poll<Result<(), TimerError>> {
        let Shard { bell, clock, service, .. } = &*self.shard;
        let tick = self.tick();
        match self.shard.poll(key, tick, cx.waker()) {
            Fate::Fired => self.elapse(),
            Fate::Waiting => {
                // Nobody may come to say so, when the thread never gets to the driver.
                let must_look = service.may_be_virtual() || bell.is_unanswered();
                if must_look {
                    let now = clock.now();
                    if self.deadline <= now {
                        self.remove(Removal::Fired { tick, now: clock.read(now) });
                        return self.elapse();
                    }
                }
                Poll::Pending
            }
            Fate::ShutDown => {
                self.stage = Stage::New;
                if self.deadline <= self.now() {
                    return self.elapse();
                }
                Poll::Ready(Err(TimerError::ShutDown))
            }
        }
    }

    /// When it is armed for
    #[inline]
    fn tick(&self) -> Tick {
        self.shard.clock.tick_for(self.deadline, self.slack)
    }

    fn elapse(&mut self) -> Poll<Result<(), TimerError>> {
        self.stage = Stage::Elapsed;
        Poll::Ready(Ok(()))
    }

    /// Takes the timer out if it is armed, and leaves the stage to the caller
    fn remove(&self, why: Removal) {
        if let Stage::Armed(key) = self.stage {
            self.shard.remove(key, why);
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.remove(Removal::Cancelled);
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("deadline", &self.deadline)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}
