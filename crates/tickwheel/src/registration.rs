use std::{
    fmt,
    panic::Location,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tickwheel_core::TimerKey;
use tokio::{task::coop, time::Instant};

use crate::{
    clock::{Source, saturating_add},
    error::TimerError,
    shard::{Fate, Removal, Shard},
};

/// One timer's life for a future: armed late, moved, cancelled on drop
///
/// It arms at the first poll that finds the deadline ahead and never before, so
/// that what is never polled, or ready at once, touches no lock.
pub(crate) struct Registration {
    shard: Arc<Shard>,
    deadline: Instant,
    stage: Stage,
    made_at: &'static Location<'static>,
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
        Self { shard: Arc::clone(shard), deadline, stage: Stage::New, made_at }
    }

    pub(crate) fn after(
        shard: &Arc<Shard>,
        duration: Duration,
        made_at: &'static Location<'static>,
    ) -> Self {
        let deadline = saturating_add(shard.clock.now(), duration);
        let stage = if duration.is_zero() { Stage::New } else { Stage::Ahead };
        Self { shard: Arc::clone(shard), deadline, stage, made_at }
    }

    /// One that never comes, and costs no more than that
    pub(crate) fn never(shard: &Arc<Shard>, made_at: &'static Location<'static>) -> Self {
        let mut registration = Self::after(shard, Duration::MAX, made_at);
        registration.stage = Stage::Disarmed;
        registration
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
        if let Stage::Armed(key) = self.stage {
            let tick = self.shard.clock.deadline_tick(deadline);
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

    pub(crate) fn disarm(&mut self) {
        self.remove(Removal::Cancelled);
        self.stage = Stage::Disarmed;
    }

    /// Pending until the deadline; `Ready` stays `Ready`
    ///
    /// Takes from the task's cooperative budget when it becomes ready, and
    /// nothing before or afterwards.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TimerError>> {
        if self.stage == Stage::Elapsed {
            return Poll::Ready(Ok(()));
        }
        let result = ready!(self.poll_unconstrained(cx));
        if let Poll::Ready(coop) = coop::poll_proceed(cx) {
            coop.made_progress();
            return Poll::Ready(result);
        }
        // The task is to yield first, and has been woken for that.
        self.stage = Stage::New;
        Poll::Pending
    }

    /// [`poll`](Self::poll) without a look at the budget
    pub(crate) fn poll_unconstrained(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        match self.stage {
            Stage::Elapsed => Poll::Ready(Ok(())),
            Stage::Disarmed => Poll::Pending,
            Stage::New | Stage::Ahead => self.poll_unarmed(cx),
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

    fn poll_unarmed(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TimerError>> {
        let Shard { bell, clock, .. } = &*self.shard;
        let is_called = bell.is_unanswered();
        if is_called || self.stage == Stage::New {
            let now = clock.now();
            // Others' timers go by the machine's clock alone: a virtual one may be another here.
            if is_called && clock.source() == Source::Machine {
                self.shard.help(clock.tick_at(now));
            }
            if self.deadline <= now {
                return self.elapse();
            }
        }
        self.arm(cx)
    }

    fn arm(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TimerError>> {
        let tick = self.shard.clock.deadline_tick(self.deadline);
        match self.shard.arm(tick, cx.waker()) {
            Ok(Some(key)) => {
                self.stage = Stage::Armed(key);
                Poll::Pending
            }
            Ok(None) => self.elapse(),
            Err(_) if self.deadline <= self.now() => self.elapse(),
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    fn poll_armed(&mut self, key: TimerKey, cx: &mut Context<'_>) -> Poll<Result<(), TimerError>> {
        let Shard { bell, clock, service, .. } = &*self.shard;
        let tick = clock.deadline_tick(self.deadline);
        match self.shard.poll(key, tick, cx.waker()) {
            Fate::Fired => self.elapse(),
            Fate::Waiting => {
                // Nobody may come to say so, when the thread never gets to the driver.
                let must_look = service.may_be_virtual() || bell.is_unanswered();
                if must_look && self.deadline <= self.now() {
                    self.remove(Removal::Fired);
                    return self.elapse();
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
