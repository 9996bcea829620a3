//! Random histories of callbacks, beside a model that knows no wheel and no driver

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;
use tickwheel::{Callback, MissedTickBehavior, Timer};
use tickwheel_tests::{
    callbacks::{Calls, Itself, jump, on_a_paused_clock},
    durations::MS,
};
use tokio::time::Instant;

/// What is done to a callback, from outside or from within its call
#[derive(Clone, Debug)]
enum Change {
    Start,
    Stop,
    Cancel,
    /// These delays, then no more
    SetNext(Vec<u64>),
    ClearNext,
}

#[derive(Clone, Debug)]
enum Operation {
    Do(Change),
    DoWithinTheNextCall(Change),
    CancelByName,
    Miss(MissedTickBehavior),
    Advance(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Can be called once only
    Spent,
    Once,
    Every,
}

const KINDS: [Kind; 3] = [Kind::Spent, Kind::Once, Kind::Every];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => Just(Change::Start),
        2 => Just(Change::Stop),
        1 => Just(Change::Cancel),
        2 => prop::collection::vec(0..20_u64, 0..4).prop_map(Change::SetNext),
        1 => Just(Change::ClearNext),
    ]
}

fn operation() -> impl Strategy<Value = (usize, Operation)> {
    let behavior = prop_oneof![
        Just(MissedTickBehavior::Burst),
        Just(MissedTickBehavior::Delay),
        Just(MissedTickBehavior::Skip),
    ];
    let operation = prop_oneof![
        10 => change().prop_map(Operation::Do),
        5 => change().prop_map(Operation::DoWithinTheNextCall),
        1 => Just(Operation::CancelByName),
        1 => behavior.prop_map(Operation::Miss),
        10 => (0..40_u64).prop_map(Operation::Advance),
    ];
    (0..KINDS.len(), operation)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Armed(u64),
    Stopped,
    Finished,
    Ended,
}

/// A callback as its documentation has it; times are milliseconds since the start
#[derive(Debug)]
struct Model {
    kind: Kind,
    delay: u64,
    next: Option<VecDeque<u64>>,
    missed: MissedTickBehavior,
    state: State,
    within_the_next_call: Option<Change>,
    calls: Vec<u128>,
}

impl Model {
    fn new(kind: Kind, delay: u64) -> Self {
        let state = if kind == Kind::Spent { State::Armed(delay) } else { State::Stopped };
        let missed = MissedTickBehavior::Burst;
        Self {
            kind,
            delay,
            next: None,
            missed,
            state,
            within_the_next_call: None,
            calls: Vec::new(),
        }
    }

    fn arm(&mut self, now: u64) {
        let delay = match &mut self.next {
            Some(delays) => delays.pop_front().unwrap_or(0),
            None => self.delay,
        };
        let is_over = delay == 0 && self.next.is_some();
        self.state = if is_over { State::Finished } else { State::Armed(now + delay) };
    }

    /// What the method answers; of `set_next` and `clear_next` it is always the same
    fn change(&mut self, change: Change, now: u64) -> bool {
        let before = self.state;
        match (change, before) {
            (_, State::Ended) => false,
            (Change::Start, _) => {
                self.arm(now);
                true
            }
            (Change::Stop, State::Armed(_)) => {
                self.state = State::Stopped;
                true
            }
            (Change::Stop, _) => false,
            (Change::Cancel, _) => {
                self.state = State::Ended;
                before != State::Finished
            }
            (change, _) => {
                self.replace_next(change);
                if self.kind == Kind::Every && matches!(before, State::Armed(_)) {
                    self.arm(now);
                }
                false
            }
        }
    }

    fn replace_next(&mut self, change: Change) {
        self.next = match change {
            Change::SetNext(delays) => Some(delays.into()),
            _ => None,
        };
    }

    fn fire_until(&mut self, now: u64) {
        while let State::Armed(due) = self.state
            && due <= now
        {
            self.calls.push(now.into());
            let within = self.within_the_next_call.take();
            if self.kind == Kind::Spent {
                self.state = State::Ended;
                continue;
            }
            match within {
                Some(Change::Start) => self.arm(now),
                Some(Change::Stop) => self.state = State::Stopped,
                Some(Change::Cancel) => self.state = State::Ended,
                within => {
                    let is_new = within.is_some();
                    if let Some(change) = within {
                        self.replace_next(change);
                    }
                    self.go_on(is_new, due, now);
                }
            }
        }
    }

    fn go_on(&mut self, is_new: bool, due: u64, now: u64) {
        if self.kind == Kind::Once {
            self.state = State::Finished;
        } else if is_new || self.next.is_some() {
            self.arm(now);
        } else {
            let late = now - due;
            let is_on_time = late < self.delay.min(5);
            self.state = State::Armed(match self.missed {
                MissedTickBehavior::Delay if !is_on_time => now + self.delay,
                MissedTickBehavior::Skip if !is_on_time => now + self.delay - late % self.delay,
                _ => due + self.delay,
            });
        }
    }
}

/// The callback itself
struct Subject {
    callback: Callback,
    calls: Calls,
    within_the_next_call: Arc<Mutex<Option<Change>>>,
}

impl Subject {
    fn new(timer: &Timer, kind: Kind, delay: u64) -> Self {
        let (calls, itself) = (Calls::new(), Itself::new());
        let within_the_next_call = Arc::new(Mutex::new(None));
        let (mut note, own) = (calls.noting("call"), itself.clone());
        let script = Arc::clone(&within_the_next_call);
        let call = move || {
            note();
            let change: Option<Change> = script.lock().unwrap().take();
            if let Some(change) = change {
                let may_start = matches!(change, Change::Start) && kind != Kind::Spent;
                assert_eq!(do_to(own.get(), change), may_start, "from within the call");
            }
        };
        let delay = Duration::from_millis(delay);
        let callback = match kind {
            Kind::Spent => timer.call_later(delay, call),
            Kind::Once => timer.new_callback_once(delay, call),
            Kind::Every => timer.new_callback_every(delay, call),
        };
        itself.is(&callback);
        Self { callback, calls, within_the_next_call }
    }
}

fn do_to(callback: &Callback, change: Change) -> bool {
    match change {
        Change::Start => callback.start(),
        Change::Stop => callback.stop(),
        Change::Cancel => callback.cancel(),
        Change::SetNext(delays) => {
            let mut delays = delays.into_iter().map(Duration::from_millis);
            callback.set_next(move || delays.next()).unwrap();
            false
        }
        Change::ClearNext => {
            callback.clear_next();
            false
        }
    }
}

async fn go_through(timer: Timer, delays: [u64; 3], history: Vec<(usize, Operation)>) {
    let (start, mut now) = (Instant::now(), 0);
    let mut all: Vec<_> = KINDS
        .into_iter()
        .zip(delays)
        .map(|(kind, delay)| (Model::new(kind, delay), Subject::new(&timer, kind, delay)))
        .collect();
    for (which, operation) in history {
        let (model, subject) = &mut all[which];
        match operation.clone() {
            Operation::Do(change) => {
                let answer = do_to(&subject.callback, change.clone());
                assert_eq!(answer, model.change(change, now), "{operation:?}");
            }
            Operation::DoWithinTheNextCall(change) => {
                *subject.within_the_next_call.lock().unwrap() = Some(change.clone());
                model.within_the_next_call = Some(change);
            }
            Operation::CancelByName => {
                let answer = timer.cancel(subject.callback.id());
                assert_eq!(answer, model.change(Change::Cancel, now));
            }
            Operation::Miss(behavior) => {
                subject.callback.set_missed_tick_behavior(behavior);
                model.missed = behavior;
            }
            Operation::Advance(millis) => {
                now += millis;
                jump(MS * u32::try_from(millis).unwrap()).await;
            }
        }
        for (model, subject) in &mut all {
            model.fire_until(now);
            assert_same(model, subject, start);
        }
        let armed = all.iter().filter(|(model, _)| matches!(model.state, State::Armed(_)));
        assert_eq!(timer.pending(), armed.count());
    }
    assert_eq!(timer.metrics().callback_panics, 0);
}

fn assert_same(model: &Model, Subject { callback, calls, .. }: &Subject, start: Instant) {
    assert_eq!(calls.times(), model.calls, "{model:?}");
    let (is_running, is_finished) = match model.state {
        State::Armed(_) => (true, false),
        State::Stopped => (false, false),
        State::Finished | State::Ended => (false, true),
    };
    let seen = (callback.is_running(), callback.is_finished());
    assert_eq!(seen, (is_running, is_finished), "{model:?}");
    let deadline = callback.deadline().map(|deadline| (deadline - start).as_millis());
    let due = match model.state {
        State::Armed(due) => Some(due.into()),
        _ => None,
    };
    assert_eq!(deadline, due, "{model:?}");
    assert_eq!(callback.is_once(), model.kind != Kind::Every);
}

proptest! {
    #[test]
    fn callbacks_agree_with_the_model(
        delays in prop::array::uniform3(1..20_u64),
        history in prop::collection::vec(operation(), 1..60),
    ) {
        on_a_paused_clock(move |timer| go_through(timer, delays, history));
    }
}
