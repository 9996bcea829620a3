mod callbacks;
mod closing;
mod report;
#[cfg(all(test, not(loom)))]
mod tests;

use std::{collections::VecDeque, mem, sync::Arc, task::Waker};

use tickwheel_core::{Step, Tick, TimerKey, Wheel};

use crate::{
    at_work::AtWork,
    bell::Bell,
    callback::Callbacks,
    clock::{Clock, Now},
    error::TimerError,
    lane::Lane,
    limit::{Admission, Limit},
    metrics::{Counts, DueAt},
    service::Service,
    slack::Slack,
    sync::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering},
    wakers::Wakers,
};

pub(crate) use closing::PIECE;

/// A wheel behind a lock: where futures and the driver meet
///
/// Each future keeps the shard of the thread that made it, so that threads
/// neither wait for each other's lock nor share a reference count. The
/// alignment keeps neighbours off each other's cache lines.
///
/// No user code runs while the lock is held: wakers are cloned before, and
/// dropped or woken after.
#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Shard {
    state: Mutex<State>,
    /// When the driver comes at the latest
    ///
    /// Never after the earliest deadline: whoever arms an earlier one moves it
    /// and calls the driver. Written only under the lock under which the wheel
    /// changed; decided later, the call could be missed (tokio#6682).
    visit_by: AtomicU64,
    /// The tick up to which all that was due has been fired
    fired_until: AtomicU64,
    /// Whether somebody is doing the driver's work for it
    has_helper: AtomicBool,
    limit: Limit,
    pub(crate) lane: Lane,
    /// Of timers that ask for no other
    pub(crate) slack: Slack,
    /// The service's, a pointer nearer: each arming asks both
    pub(crate) clock: Clock,
    pub(crate) bell: Arc<Bell>,
    pub(crate) service: Arc<Service>,
}

#[derive(Debug)]
struct State {
    wheel: Wheel<Waker>,
    closed: bool,
    counts: Counts,
    /// Callbacks that came due where only the driver may run them, and it was not there
    left: VecDeque<Waker>,
    callbacks: Callbacks,
}

/// What has become of an armed timer
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Waiting,
    Fired,
    ShutDown,
}

/// Why a timer is taken out
#[derive(Clone, Copy, Debug)]
pub(crate) enum Removal {
    /// Nobody waits for it any more
    Cancelled,
    /// Its future saw the deadline pass before the driver came
    Fired { tick: Tick, now: Now },
}

/// What came of a visit
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Visit {
    /// How much work there was; more may be left if there was any
    pub(crate) steps: usize,
    /// How many were fired, callbacks included
    pub(crate) fired: usize,
    /// The most nanoseconds that something was late
    pub(crate) latest: u64,
}

impl Shard {
    pub(crate) fn new(service: Arc<Service>, number: usize, lane: Lane, capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                wheel: Wheel::with_capacity(capacity),
                closed: false,
                counts: Counts::default(),
                left: VecDeque::new(),
                callbacks: Callbacks::new(service.number, number),
            }),
            visit_by: AtomicU64::new(NEVER),
            fired_until: AtomicU64::new(0),
            has_helper: AtomicBool::new(false),
            limit: service.limit.clone(),
            lane,
            slack: if lane == Lane::Critical { Slack::NONE } else { service.slack },
            clock: service.clock,
            bell: Arc::clone(&service.bell),
            service,
        }
    }

    /// Arms a timer that wakes `waker`; `None` when the driver has seen the deadline pass already
    ///
    /// Where it fails the caller [counts it as refused](Self::count_refused), unless it finds it due.
    pub(crate) fn arm(
        &self,
        deadline: Tick,
        waker: &Waker,
        admission: Admission,
    ) -> Result<Option<TimerKey>, TimerError> {
        let waker = waker.clone();
        let admitted = self.limit.admit(admission);
        let mut state = self.state.lock();
        let refused = if state.closed {
            Err(TimerError::ShutDown)
        } else if deadline <= state.wheel.elapsed() {
            Ok(None)
        } else if let Err(error) = admitted {
            Err(error)
        } else {
            let key = state.wheel.insert(deadline, waker);
            state.counts.registered += 1;
            self.unlock_and_call(state, deadline);
            return Ok(Some(key));
        };
        // Before the waker that was not needed is dropped.
        drop(state);
        if admitted.is_ok() {
            self.limit.release(1);
        }
        refused
    }

    /// Moves an armed timer; false when it is not armed any more
    ///
    /// To a deadline that is past already means to fire it here and now.
    /// `is_past` is asked only for one that nothing else comes before.
    #[must_use]
    pub(crate) fn reset(
        &self,
        key: TimerKey,
        deadline: Tick,
        is_past: impl FnOnce() -> bool,
    ) -> bool {
        let mut state = self.state.lock();
        if deadline <= state.wheel.elapsed() || (deadline <= self.visit_by() && is_past()) {
            let waker = state.wheel.cancel(key);
            if waker.is_some() {
                state.counts.reset += 1;
                state.counts.fire_at_once();
            }
            drop(state);
            if let Some(waker) = waker {
                self.limit.release(1);
                waker.wake();
            }
            return false;
        }
        if state.wheel.reset(key, deadline).is_err() {
            return false;
        }
        state.counts.reset += 1;
        if self.comes_for_nothing(&state) {
            drop(state);
            self.service.nothing_due_so_soon();
        } else {
            self.unlock_and_call(state, deadline);
        }
        true
    }

    /// Takes a timer out, if it is still armed
    pub(crate) fn remove(&self, key: TimerKey, why: Removal) {
        let mut state = self.state.lock();
        let Some(waker) = state.wheel.cancel(key) else { return };
        match why {
            Removal::Cancelled => state.counts.cancelled += 1,
            Removal::Fired { tick, now } => state.counts.fire(DueAt { tick, timers: 1 }, now),
        }
        self.unlock_without(state, waker);
    }

    /// Asks after an armed timer, and leaves `waker` with it
    pub(crate) fn poll(&self, key: TimerKey, deadline: Tick, waker: &Waker) -> Fate {
        if self.has_fired_until(deadline) {
            return Fate::Fired;
        }
        let mut state = self.state.lock();
        match state.wheel.get(key) {
            None => return self.fate(&state, deadline),
            Some(known) if known.will_wake(waker) => return Fate::Waiting,
            Some(_) => drop(state),
        }
        // Another task waits now. Cloning and dropping a waker is user code, so not under the lock.
        let waker = waker.clone();
        state = self.state.lock();
        let (fate, unused) = match state.wheel.get_mut(key) {
            Some(known) => (Fate::Waiting, mem::replace(known, waker)),
            None => (self.fate(&state, deadline), waker),
        };
        drop(state);
        drop(unused);
        fate
    }

    /// Whether all timers of this tick have been taken out and their wakers called, or are about to be
    pub(crate) fn has_fired_until(&self, deadline: Tick) -> bool {
        self.fired_until.load(Ordering::Acquire) >= deadline.get()
    }

    /// When the driver is to come at the latest
    pub(crate) fn visit_by(&self) -> Tick {
        Tick::new(self.visit_by.load(Ordering::Acquire))
    }

    /// The driver's visit: fires what is due, as far as `room` goes
    ///
    /// Once nothing more is due, [`visit_by`](Self::visit_by) lies ahead.
    pub(crate) fn visit(&self, now: Now, room: usize) -> Visit {
        let mut due = Wakers::new(room);
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if state.closed {
            self.come_by(NEVER);
            return Visit::default();
        }
        let left = due.take_from(&mut state.left);
        let (visit, is_all) = self.take_due(state, now, &mut due);
        if is_all && due.is_empty() {
            self.come_by(state.wheel.next_wake().map_or(NEVER, Tick::get));
            return visit;
        }
        drop(guard);
        let fired = due.len();
        self.wake(&mut due);
        // What was fired may have armed more. Until the driver is here again,
        // `visit_by` says that it is about to come, and nobody need call it.
        Visit { steps: visit.steps + left, fired, ..visit }
    }

    /// Does a piece of the driver's work for it, since it was called and has not come
    ///
    /// When all workers are busy the driver's task waits in a queue behind
    /// everybody else's, while those who set timers pass by here. Callbacks, and when
    /// to come next, are left to the driver.
    pub(crate) fn help(&self, now: Now) {
        // Only a task wakes others cheaply, into its worker's own queue. Another thread waits
        // for the queue that the workers share, and makes them wait.
        // The driver needs no help while it is at work on this very thread: a callback
        // that sets a timer must not run others within itself.
        if !is_in_task() || AtWork::is_here(&self.bell) {
            return;
        }
        // One at a time: a waker that arms a timer comes by here again.
        if self.has_helper.swap(true, Ordering::Acquire) {
            return;
        }
        let mut due = Wakers::new(usize::MAX);
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if !state.closed {
            self.take_due(state, now, &mut due);
        }
        drop(guard);
        self.wake(&mut due);
        self.has_helper.store(false, Ordering::Release);
    }

    /// Wakes what was taken out, with no lock held
    pub(crate) fn wake(&self, wakers: &mut Wakers) {
        let panics = wakers.wake_all();
        if panics > 0 {
            self.state.lock().counts.waker_panics += panics;
        }
    }

    /// Takes out what is due, as far as there is room; whether that was all
    ///
    /// With the state locked, so it ends with the first piece of a cascade, which is as much
    /// work as a room full of timers.
    fn take_due(&self, state: &mut State, now: Now, due: &mut Wakers) -> (Visit, bool) {
        let (mut visit, mut is_all) = (Visit::default(), false);
        let mut at = DueAt::default();
        let mut fired = 0;
        for _ in 0..due.room() {
            match state.wheel.step(now.tick) {
                Step::Expired(expired) => {
                    due.push(expired.value);
                    fired += 1;
                    if at.tick != expired.deadline {
                        state.counts.fire(at, now);
                        at = DueAt { tick: expired.deadline, timers: 0 };
                        visit.latest = visit.latest.max(now.nanos_since(at.tick));
                    }
                    at.timers += 1;
                }
                Step::More => {
                    visit.steps += 1;
                    break;
                }
                Step::Idle => {
                    is_all = true;
                    break;
                }
            }
            visit.steps += 1;
        }
        state.counts.fire(at, now);
        self.limit.release(fired);
        if is_all {
            self.fired_until.store(state.wheel.elapsed().get(), Ordering::Release);
        }
        (visit, is_all)
    }

    #[inline]
    fn unlock_and_call(&self, state: MutexGuard<'_, State>, deadline: Tick) {
        let is_earlier = deadline < self.visit_by();
        if is_earlier {
            self.come_by(deadline.get());
        }
        drop(state);
        if is_earlier {
            self.service.call_by(deadline);
        }
    }

    /// Drops what was taken out, where that may be done
    #[inline]
    fn unlock_without(&self, state: MutexGuard<'_, State>, taken: Waker) {
        let comes_for_nothing = self.comes_for_nothing(&state);
        drop(state);
        self.limit.release(1);
        drop(taken);
        if comes_for_nothing {
            self.service.nothing_due_so_soon();
        }
    }

    /// Whether the driver's next visit has lost its reason, where that matters
    ///
    /// Then it is planned anew, and the driver is to be told.
    fn comes_for_nothing(&self, state: &State) -> bool {
        // A driver that finds a virtual clock leaves the bell unanswered.
        if !self.bell.is_unanswered() || !self.service.may_be_virtual() {
            return false;
        }
        let next = state.wheel.next_wake().map_or(NEVER, Tick::get);
        let has_lost_its_reason = next > self.visit_by().get();
        if has_lost_its_reason {
            self.come_by(next);
        }
        has_lost_its_reason
    }

    /// With the state locked
    fn come_by(&self, tick: u64) {
        self.visit_by.store(tick, Ordering::Release);
    }

    /// What became of a timer that is not in the wheel
    fn fate(&self, state: &State, deadline: Tick) -> Fate {
        if state.closed && !self.has_fired_until(deadline) { Fate::ShutDown } else { Fate::Fired }
    }
}

/// Whether a task of some runtime calls this; in a model everybody is one
fn is_in_task() -> bool {
    cfg!(all(test, any(loom, shuttle))) || tokio::task::try_id().is_some()
}

/// For a tick at which no visit is wanted
const NEVER: u64 = u64::MAX;
