use std::{mem, sync::Arc, task::Waker};

use tickwheel_core::{Step, Tick, TimerKey, Wheel};

use crate::{
    error::TimerError,
    service::Service,
    sync::{AtomicU64, Mutex, MutexGuard, Ordering},
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
}

/// What has happened in a shard
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) registered: u64,
    pub(crate) fired: u64,
    pub(crate) cancelled: u64,
    pub(crate) reset: u64,
    pub(crate) pending: usize,
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
    /// There is more to do at this tick
    CutShort,
    /// Nothing more is due; the next visit is wanted then
    Done(Option<Tick>),
}

impl Shard {
    pub(crate) fn new(service: Arc<Service>, capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                wheel: Wheel::with_capacity(capacity),
                visit_by: Tick::MAX,
                closed: false,
                counts: Counts::default(),
            }),
            fired_until: AtomicU64::new(0),
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
    /// To a deadline that the driver has seen pass already means to fire it here and now.
    #[must_use]
    pub(crate) fn reset(&self, key: TimerKey, deadline: Tick) -> bool {
        let mut state = self.state.lock();
        if deadline <= state.wheel.elapsed() {
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
        let comes_for_nothing = self.comes_for_nothing(&state);
        drop(state);
        drop(waker);
        if comes_for_nothing {
            self.service.nothing_due_so_soon();
        }
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

    /// Takes out what is due at `now`, as far as a bounded piece of work goes
    pub(crate) fn visit(&self, now: Tick, due: &mut Vec<Waker>) -> Visit {
        let mut state = self.state.lock();
        let state = &mut *state;
        for _ in 0..STEPS {
            match state.wheel.step(now) {
                Step::Expired(expired) => {
                    state.counts.fired += 1;
                    due.push(expired.value);
                }
                Step::More => {}
                Step::Idle => {
                    let next = state.wheel.next_wake();
                    state.visit_by = next.unwrap_or(Tick::MAX);
                    self.fired_until.store(state.wheel.elapsed().get(), Ordering::Release);
                    return Visit::Done(next);
                }
            }
        }
        Visit::CutShort
    }

    /// Lets nobody arm any more, and takes out all that was; call it until it says true
    #[must_use]
    pub(crate) fn close(&self, pending: &mut Vec<Waker>) -> bool {
        let mut state = self.state.lock();
        let state = &mut *state;
        state.closed = true;
        for _ in 0..STEPS {
            match state.wheel.step(Tick::MAX) {
                Step::Expired(expired) => {
                    state.counts.cancelled += 1;
                    pending.push(expired.value);
                }
                Step::More => {}
                Step::Idle => return true,
            }
        }
        false
    }

    pub(crate) fn counts(&self) -> Counts {
        let state = self.state.lock();
        Counts { pending: state.wheel.len(), ..state.counts }
    }

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

    /// Whether the driver's next visit has lost its reason, where that matters
    fn comes_for_nothing(&self, state: &State) -> bool {
        self.service.may_be_virtual()
            && state.wheel.next_wake().unwrap_or(Tick::MAX) > state.visit_by
    }

    /// What became of a timer that is not in the wheel
    fn fate(&self, state: &State, deadline: Tick) -> Fate {
        if state.closed && !self.has_fired_until(deadline) { Fate::ShutDown } else { Fate::Fired }
    }
}

/// How many steps of the wheel one hold of the lock takes at the most
///
/// As many wakers leave the wheel before the first of them is called, so as few
/// can be called though their timer was dropped meanwhile.
pub(crate) const STEPS: usize = 32;
