use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Wake,
};

use tickwheel_core::TimerKey;
use tokio::time::Instant;

use super::{
    CallbackId,
    end::IsOver,
    log,
    state::{NewNext, Phase, State, Then},
    work::{Call, Firing, Next, Verdict, Work},
};
use crate::{
    at_work::{AtWork, MayCall},
    clock::machine_now,
    guarded::{Panicked, guarded},
    metrics::SLOW,
    missed_tick::MissedTickBehavior,
    shard::Shard,
    sync::Mutex,
};

/// A callback: what it does, and how far it is
///
/// Its lock decides between firing and cancelling: the driver takes the work out
/// under it to run it, and whoever finds the work still there has kept it from
/// running. The lock is taken before the shard's, never after, and no user code
/// runs under it.
#[derive(Debug)]
pub(crate) struct Task {
    id: CallbackId,
    is_once: bool,
    is_scheduled: bool,
    is_spent_by_running: bool,
    /// Told of once for each callback: a slow one is slow each time
    was_slow: AtomicBool,
    pub(super) state: Mutex<State>,
    pub(super) shard: Arc<Shard>,
}

impl Task {
    pub(super) fn new(id: CallbackId, shard: Arc<Shard>, work: Work) -> Self {
        Self {
            id,
            is_once: work.is_once(),
            is_scheduled: work.is_scheduled(),
            is_spent_by_running: matches!(work.call, Call::Once(_)),
            was_slow: AtomicBool::new(false),
            state: Mutex::new(State::stopped(work)),
            shard,
        }
    }

    #[cfg(all(test, loom))]
    pub(crate) fn for_model(
        id: CallbackId,
        shard: Arc<Shard>,
        delay: std::time::Duration,
        call: impl FnMut() + Send + 'static,
    ) -> Self {
        let plan = super::work::Plan::Once { delay, next: None };
        Self::new(id, shard, Work { call: Call::Many(Box::new(call)), plan })
    }

    pub(super) fn id(&self) -> CallbackId {
        self.id
    }

    pub(super) fn is_once(&self) -> bool {
        self.is_once
    }

    pub(super) fn is_scheduled(&self) -> bool {
        self.is_scheduled
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.state.lock().phase, Phase::Armed { .. } | Phase::Busy { .. })
    }

    pub(super) fn is_finished(&self) -> bool {
        matches!(self.state.lock().phase, Phase::Stopped { is_finished: true } | Phase::Ended)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.state.lock().phase {
            Phase::Armed { deadline, .. } => Some(deadline),
            _ => None,
        }
    }

    pub(super) fn set_missed_tick_behavior(&self, behavior: MissedTickBehavior) {
        self.state.lock().missed = behavior;
    }

    /// Notes that the shard has armed it, before anybody else knows of it
    pub(crate) fn is_armed(&self, key: TimerKey, deadline: Instant) {
        self.state.lock().phase = Phase::Armed { key, deadline };
    }

    /// Runs it, unless somebody was faster
    fn fire(self: &Arc<Self>, now: Instant) {
        let Some((mut work, scheduled)) = self.begin() else { return };
        if self.is_scheduled {
            match guarded(|| work.judge(&self.shard.service)) {
                Ok(Verdict::Call) => {}
                Ok(Verdict::Wait(firing)) => {
                    self.settle(work, firing);
                    return;
                }
                Err(Panicked) => return self.give_up(work),
            }
            if !self.begin_call() {
                self.settle(work, None);
                return;
            }
        }
        let is_virtual = self.shard.service.may_be_virtual();
        // That clock may stand still while it is called.
        let began = if is_virtual { machine_now() } else { now.into_std() };
        let result = guarded(|| work.run());
        let ended = machine_now();
        AtWork::goes_on(if is_virtual { self.shard.clock.now() } else { ended.into() });
        let time = ended.saturating_duration_since(began);
        let is_slow = self.shard.service.calls.lock().add(time);
        if result.is_err() {
            return self.give_up(work);
        }
        if is_slow && !self.was_slow.swap(true, Ordering::Relaxed) {
            log::slow(&self.shard.service.name, SLOW);
        }
        if self.is_spent_by_running {
            let is_over = self.finish();
            drop(work);
            drop(is_over);
            return;
        }
        let Some(missed) = self.finish_call() else {
            self.settle(work, None);
            return;
        };
        // As late as it was called; what the call itself took does not count.
        match guarded(|| work.again(scheduled, now, missed, &self.shard.service)) {
            Ok(again) => {
                self.settle(work, again);
            }
            Err(Panicked) => self.give_up(work),
        }
    }

    /// Arms it anew, whatever it was doing
    pub(super) fn start(self: &Arc<Self>) -> bool {
        let mut state = self.state.lock();
        match &mut state.phase {
            Phase::Ended | Phase::Busy { then: Then::End, .. } => return false,
            Phase::Busy { is_called: true, .. } if self.is_spent_by_running => return false,
            // It is being armed already.
            Phase::Busy { is_called: false, then: Then::GoOn } => return true,
            Phase::Busy { then, .. } => {
                *then = Then::Restart;
                return true;
            }
            Phase::Armed { .. } => state.withdraw(&self.shard),
            Phase::Stopped { .. } => {}
        }
        let work = state.take_work(false);
        drop(state);
        self.plan(work)
    }

    /// Keeps it from running until it is started; whether there was a run to keep it from
    pub(super) fn stop(&self) -> bool {
        let mut state = self.state.lock();
        match &mut state.phase {
            Phase::Armed { .. } => {
                state.withdraw(&self.shard);
                state.phase = Phase::Stopped { is_finished: false };
                true
            }
            Phase::Stopped { .. } | Phase::Busy { then: Then::End, .. } | Phase::Ended => false,
            Phase::Busy { is_called, then } => {
                *then = Then::Stop;
                !*is_called
            }
        }
    }

    /// Keeps it from running ever again; whether there was a run to keep it from
    pub(super) fn cancel(&self) -> bool {
        let mut state = self.state.lock();
        let was_to_run = match &mut state.phase {
            Phase::Armed { .. } => {
                state.withdraw(&self.shard);
                true
            }
            Phase::Stopped { is_finished } => !*is_finished,
            Phase::Busy { then: Then::End, .. } | Phase::Ended => return false,
            Phase::Busy { is_called, then } => {
                *then = Then::End;
                return !*is_called;
            }
        };
        state.phase = Phase::Ended;
        let work = state.work.take();
        drop(state);
        drop(work);
        was_to_run
    }

    /// Lets `next`, or the original delay, decide from now on
    pub(super) fn set_next(self: &Arc<Self>, next: Option<Next>) {
        let mut state = self.state.lock();
        match state.phase {
            Phase::Ended => {
                drop(state);
                drop(next);
            }
            Phase::Busy { .. } => {
                let old = state.new_next.replace(NewNext(next));
                drop(state);
                drop(old);
            }
            Phase::Armed { .. } if !self.is_once => {
                state.withdraw(&self.shard);
                let mut work = state.take_work(false);
                drop(state);
                let old = work.set_next(next);
                self.plan(work);
                // Its drop may panic, so not while the work is out.
                drop(old);
            }
            Phase::Armed { .. } | Phase::Stopped { .. } => {
                let old = state.work.as_mut().and_then(|work| work.set_next(next));
                drop(state);
                drop(old);
            }
        }
    }

    /// Takes the work out to be called, unless this is an arming that was taken back
    fn begin(&self) -> Option<(Work, Instant)> {
        let mut state = self.state.lock();
        if state.is_stale_wake() {
            return None;
        }
        let Phase::Armed { deadline, .. } = state.phase else { return None };
        let work = state.take_work(!self.is_scheduled);
        Some((work, deadline))
    }

    /// A schedule has found it due; false when it is not to run after all
    fn begin_call(&self) -> bool {
        let mut state = self.state.lock();
        let goes_on = state.phase == Phase::Busy { is_called: false, then: Then::GoOn };
        if goes_on {
            state.phase = Phase::Busy { is_called: true, then: Then::GoOn };
        }
        goes_on
    }

    /// The call is over, the work still out; `None` when something else than to go on was asked
    fn finish_call(&self) -> Option<MissedTickBehavior> {
        let mut state = self.state.lock();
        let goes_on = matches!(state.phase, Phase::Busy { then: Then::GoOn, .. });
        // What is called only once has nothing to come that could still be kept from running.
        if let Phase::Busy { is_called, .. } = &mut state.phase {
            *is_called = self.is_once;
        }
        (goes_on && state.new_next.is_none()).then_some(state.missed)
    }

    /// Decides when it runs first
    fn plan(self: &Arc<Self>, mut work: Work) -> bool {
        if let Ok(first) = guarded(|| work.first(&self.shard.service)) {
            return self.settle(work, first);
        }
        self.give_up(work);
        false
    }

    /// Puts the work back, and arms it for `next` unless something else was asked meanwhile
    ///
    /// False when it can not run again.
    fn settle(self: &Arc<Self>, mut work: Work, next: Option<Firing>) -> bool {
        // Declared first, so that all else is gone before.
        let is_over;
        let mut state = self.state.lock();
        let Phase::Busy { then, .. } = state.phase else {
            unreachable!("who has the work alone ends being busy");
        };
        let new_next = state.new_next.take();
        let is_replanned =
            then == Then::Restart || (then == Then::GoOn && new_next.is_some() && !self.is_once);
        if is_replanned {
            state.phase = Phase::Busy { is_called: false, then: Then::GoOn };
            drop(state);
            let old = new_next.and_then(|NewNext(new)| work.set_next(new));
            let goes_on = self.plan(work);
            drop(old);
            return goes_on;
        }
        let old = new_next.and_then(|NewNext(new)| work.set_next(new));
        state.phase = match (then, next) {
            (Then::End, _) => Phase::Ended,
            _ if work.is_over() => Phase::Ended,
            (Then::Stop, _) => Phase::Stopped { is_finished: false },
            (_, None) => Phase::Stopped { is_finished: true },
            (_, Some(Firing { look, due })) => match self.shard.arm_callback(look, self) {
                Ok(key) => Phase::Armed { key, deadline: due },
                Err(_) => Phase::Ended,
            },
        };
        is_over = self.is_over(&mut state);
        let unused = if state.phase == Phase::Ended {
            Some(work)
        } else {
            state.work = Some(work);
            None
        };
        drop(state);
        drop(old);
        let goes_on = unused.is_none();
        drop(unused);
        drop(is_over);
        goes_on
    }

    /// The user's code panicked
    fn give_up(&self, work: Work) {
        let _is_over = self.finish();
        self.shard.service.calls.lock().panicked += 1;
        log::panicked(&self.shard.service.name);
        drop(work);
    }

    /// It was busy, and can not run again
    fn finish(&self) -> IsOver<'_> {
        let mut state = self.state.lock();
        state.phase = Phase::Ended;
        let new_next = state.new_next.take();
        let is_over = self.is_over(&mut state);
        drop(state);
        drop(new_next);
        is_over
    }
}

/// The driver fires a callback as it wakes a task
impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let Shard { bell, service, .. } = &*self.shard;
        let is_taken = match AtWork::may_call(bell) {
            _ if service.closing.has_begun() => false,
            MayCall::Now(now) => {
                self.fire(now);
                true
            }
            MayCall::Later => self.shard.leave(&self),
            MayCall::Elsewhere => {
                let is_left = self.shard.leave(&self);
                // It may have come and gone while this one was in the helper's hands.
                bell.ring();
                is_left
            }
        };
        if !is_taken {
            service.closing.take_back(&self);
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.shard.forget(self.id);
    }
}
