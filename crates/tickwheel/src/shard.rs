mod callbacks;

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Weak},
    task::Waker,
};

use tickwheel_core::{Step, Tick, TimerKey, Wheel};

use crate::{
    at_work::AtWork,
    bell::Bell,
    callback::Callbacks,
    clock::Clock,
    error::TimerError,
    service::Service,
    sync::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering},
    wakers::Wakers,
};

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
    /// The tick up to which all that was due has been fired
    fired_until: AtomicU64,
    /// Whether somebody is doing the driver's work for it
    has_helper: AtomicBool,
    /// The service's, a pointer nearer: each arming asks both
    pub(crate) clock: Clock,
    pub(crate) bell: Arc<Bell>,
    pub(crate) service: Arc<Service>,
}

#[derive(Debug)]
struct State {
    wheel: Wheel<Waker>,
    /// When the driver comes at the latest
    ///
    /// Never after the earliest deadline: whoever arms an earlier one moves it
    /// and calls the driver. That is decided under the lock under which the
    /// wheel changed; decided later, the call could be missed (tokio#6682).
    visit_by: Tick,
    closed: bool,
    counts: Counts,
    /// Callbacks that came due where only the driver may run them, and it was not there
    left: VecDeque<Waker>,
    callbacks: Callbacks,
}

/// What has happened in a shard
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) registered: u64,
    pub(crate) fired: u64,
    pub(crate) cancelled: u64,
    pub(crate) reset: u64,
    pub(crate) pending: usize,
    pub(crate) callback_panics: u64,
    pub(crate) slow_callbacks: u64,
}

/// What has become of an armed timer
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Waiting,
    Fired,
    ShutDown,
}

/// Why a timer is taken out
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    /// Nobody waits for it any more
    Cancelled,
    /// Its future saw the deadline pass before the driver came
    Fired,
}

/// How far a visit got
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Something was fired, or moved; there may be more to do
    Again,
    /// Nothing more is due; the next visit is wanted then
    Done(Option<Tick>),
}

impl Shard {
    pub(crate) fn new(service: Arc<Service>, number: usize, capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                wheel: Wheel::with_capacity(capacity),
                visit_by: Tick::MAX,
                closed: false,
                counts: Counts::default(),
                left: VecDeque::new(),
                callbacks: Callbacks::new(service.number, number),
            }),
            fired_until: AtomicU64::new(0),
            has_helper: AtomicBool::new(false),
            clock: service.clock,
            bell: Arc::clone(&service.bell),
            service,
        }
    }

    /// Arms a timer that wakes `waker`; `None` when the driver has seen the deadline pass already
    pub(crate) fn arm(
        &self,
        deadline: Tick,
        waker: &Waker,
    ) -> Result<Option<TimerKey>, TimerError> {
        let waker = waker.clone();
        let mut state = self.state.lock();
        let refused = if state.closed {
            Err(TimerError::ShutDown)
        } else if deadline <= state.wheel.elapsed() {
            Ok(None)
        } else {
            let key = state.wheel.insert(deadline, waker);
            state.counts.registered += 1;
            self.unlock_and_call(state, deadline);
            return Ok(Some(key));
        };
        // Before the waker that was not needed is dropped.
        drop(state);
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
        if deadline <= state.wheel.elapsed() || (deadline <= state.visit_by && is_past()) {
            let waker = state.wheel.cancel(key);
            if waker.is_some() {
                state.counts.reset += 1;
                state.counts.fired += 1;
            }
            drop(state);
            if let Some(waker) = waker {
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
            Removal::Fired => state.counts.fired += 1,
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

    /// The driver's visit: fires what is due at `now`, as far as a bounded piece of work goes
    pub(crate) fn visit(&self, now: Tick) -> Visit {
        let mut due = Wakers::new();
        let mut state = self.state.lock();
        due.take_from(&mut state.left);
        let is_all = self.take_due(&mut state, now, &mut due);
        if is_all && due.is_empty() {
            let next = state.wheel.next_wake();
            state.visit_by = next.unwrap_or(Tick::MAX);
            return Visit::Done(next);
        }
        drop(state);
        due.wake_all();
        // What was fired may have armed more. Until the driver is here again,
        // `visit_by` says that it is about to come, and nobody need call it.
        Visit::Again
    }

    /// Does a piece of the driver's work for it, since it was called and has not come
    ///
    /// When all workers are busy the driver's task waits in a queue behind
    /// everybody else's, while those who set timers pass by here. Callbacks, and when
    /// to come next, are left to the driver.
    pub(crate) fn help(&self, now: Tick) {
        // The driver needs no help while it is at work on this very thread: a callback
        // that sets a timer must not run others within itself.
        if AtWork::of(&self.bell).is_some() {
            return;
        }
        // One at a time: a waker that arms a timer comes by here again.
        if self.has_helper.swap(true, Ordering::Acquire) {
            return;
        }
        let mut due = Wakers::new();
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if !state.closed {
            self.take_due(state, now, &mut due);
        }
        drop(guard);
        due.wake_all();
        self.has_helper.store(false, Ordering::Release);
    }

    /// Lets nobody arm any more, and ends some of what is armed; call it until it says true
    #[must_use]
    pub(crate) fn close(&self) -> bool {
        let mut pending = Wakers::new();
        let mut guard = self.state.lock();
        let state = &mut *guard;
        state.closed = true;
        // They came due and are counted so.
        pending.take_from(&mut state.left);
        let before = state.wheel.len();
        let is_all = step(&mut state.wheel, Tick::MAX, &mut pending);
        state.counts.cancelled += (before - state.wheel.len()) as u64;
        // Those that are not armed must not keep what they own either.
        let stopped = state.callbacks.remove_some(pending.room());
        drop(guard);
        let is_empty = is_all && stopped.is_empty();
        pending.wake_all();
        for task in stopped.iter().filter_map(Weak::upgrade) {
            task.shut_down();
        }
        is_empty
    }

    pub(crate) fn counts(&self) -> Counts {
        let state = self.state.lock();
        Counts { pending: state.wheel.len(), ..state.counts }
    }

    /// Takes out what is due at `now`, as far as it goes; whether that was all
    fn take_due(&self, state: &mut State, now: Tick, due: &mut Wakers) -> bool {
        let before = state.wheel.len();
        let is_all = step(&mut state.wheel, now, due);
        state.counts.fired += (before - state.wheel.len()) as u64;
        if is_all {
            self.fired_until.store(state.wheel.elapsed().get(), Ordering::Release);
        }
        is_all
    }

    #[inline]
    fn unlock_and_call(&self, mut state: MutexGuard<'_, State>, deadline: Tick) {
        let is_earlier = deadline < state.visit_by;
        if is_earlier {
            state.visit_by = deadline;
        }
        drop(state);
        if is_earlier {
            self.service.call_by(deadline);
        }
    }

    /// Drops what was taken out, where that may be done
    fn unlock_without(&self, state: MutexGuard<'_, State>, taken: Waker) {
        let comes_for_nothing = self.comes_for_nothing(&state);
        drop(state);
        drop(taken);
        if comes_for_nothing {
            self.service.nothing_due_so_soon();
        }
    }

    /// Whether the driver's next visit has lost its reason, where that matters
    fn comes_for_nothing(&self, state: &State) -> bool {
        // A driver that finds a virtual clock leaves the bell unanswered.
        self.bell.is_unanswered()
            && self.service.may_be_virtual()
            && state.wheel.next_wake().unwrap_or(Tick::MAX) > state.visit_by
    }

    /// What became of a timer that is not in the wheel
    fn fate(&self, state: &State, deadline: Tick) -> Fate {
        if state.closed && !self.has_fired_until(deadline) { Fate::ShutDown } else { Fate::Fired }
    }
}

/// A bounded number of steps towards `now`; whether they were enough
fn step(wheel: &mut Wheel<Waker>, now: Tick, due: &mut Wakers) -> bool {
    for _ in 0..due.room() {
        match wheel.step(now) {
            Step::Expired(expired) => due.push(expired.value),
            Step::More => {}
            Step::Idle => return true,
        }
    }
    false
}
