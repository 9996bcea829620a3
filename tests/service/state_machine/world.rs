//! A timer, what must come of it, and those who use it

mod turn;

use std::{
    collections::BTreeMap,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use proptest::sample::Index;
use tickwheel::{Lane, Timer};
use tickwheel_tests::{callbacks::pass, durations::YEAR, queue_history::Story};
use tokio::time::{self, Instant};

use super::{
    calls::{self, Act, Asked, Called, Handles, Standing},
    future::{Answer, AnyFuture},
    log::{Event, Log, NamedWaker},
    model::{Model, Name},
    operation::{Form, Operation, Repeat, Settings, Waking, When, Where, Within},
    time::{Timeline, next_tick},
};

/// A story while it goes on
#[derive(Debug)]
pub(crate) struct World {
    timer: Timer,
    settings: Settings,
    timeline: Timeline,
    model: Model,
    log: Log,
    futures: BTreeMap<Name, Waiting>,
    calls: BTreeMap<Name, Called>,
    handles: Handles,
    queue: Option<Story>,
    names: Name,
}

/// A future, and what the model knows of it
#[derive(Debug)]
struct Waiting {
    future: AnyFuture,
    lane: Lane,
    slack: u64,
    deadline: Instant,
    waker: Arc<NamedWaker>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its deadline lay ahead when it was made, and nobody has asked since
    Ahead,
    Waiting,
    Disarmed,
    Elapsed,
}

impl World {
    pub(crate) async fn begin(settings: Settings) -> Self {
        let runtime = Instant::now();
        time::advance(settings.phase).await;
        let mut builder = Timer::builder()
            .shards(1)
            .tick(settings.tick)
            .slack(settings.slack)
            .turn_timers(settings.turn_timers);
        if let Some(most) = settings.max_pending {
            builder = builder.max_pending(most);
        }
        let timer = builder.build().unwrap();
        Self {
            timeline: Timeline { runtime, origin: timer.now(), tick: settings.tick },
            timer,
            settings,
            model: Model::default(),
            log: Log::default(),
            futures: BTreeMap::new(),
            calls: BTreeMap::new(),
            handles: Handles::default(),
            queue: None,
            names: 0,
        }
    }

    pub(crate) async fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Make(form, place, when) => self.make(form, place, when),
            Operation::Poll(index, waking) => self.with_future(index, |world, name| {
                world.poll(name, waking);
            }),
            Operation::Finish(index) => self.with_future(index, |world, name| {
                world.futures[&name].future.finish();
            }),
            Operation::Reset(index, when) => {
                let deadline = self.deadline(when);
                self.with_future(index, |world, name| world.reset(name, deadline));
            }
            Operation::Disarm(index) => self.with_future(index, Self::disarm),
            Operation::Drop(index) => self.with_future(index, Self::drop_future),
            Operation::Call(repeat, place, when, within) => self.call(repeat, place, when, within),
            Operation::Start(index) => self.with_call(index, Self::start),
            Operation::Stop(index) => self.with_call(index, Self::stop),
            Operation::Cancel(index) => self.with_call(index, Self::cancel),
            Operation::Queue(operation) => {
                let Self { timer, timeline, queue, .. } = self;
                let queue = queue.get_or_insert_with(|| Story::begin(timer, timeline.origin));
                queue.perform(operation).await;
            }
            Operation::Pass(duration) => pass(self.not_too_far(duration)),
            Operation::PassTo(index, beside) => self.with_future(index, |world, name| {
                world.pass_to_about(world.futures[&name].deadline, beside);
            }),
            Operation::Turn => self.turn().await,
            Operation::Idle(duration) => self.idle(self.not_too_far(duration)).await,
        }
    }

    fn make(&mut self, form: Form, place: Where, when: When) {
        let timer = self.in_lane(place.lane);
        let (mut future, stage) = match when {
            When::After(delay) => {
                let is_timeout = matches!(form, Form::Timeout | Form::TryTimeout);
                let stage = match delay {
                    Duration::ZERO => Stage::Waiting,
                    // No deadline at all.
                    Duration::MAX if is_timeout => Stage::Disarmed,
                    _ => Stage::Ahead,
                };
                (AnyFuture::after(&timer, form, delay), stage)
            }
            other => {
                let deadline = self.deadline(other);
                let is_counted = matches!(form, Form::TryTimeout) && deadline > Instant::now();
                let stage = if is_counted { Stage::Ahead } else { Stage::Waiting };
                (AnyFuture::at(&timer, form, deadline), stage)
            }
        };
        let mut slack = self.slack_in(place.lane);
        if let Some(ticks) = place.slack.filter(|_| future.has_slack()) {
            future = future.with_slack(self.settings.tick * ticks);
            slack = ticks.into();
        }
        let name = self.name();
        let deadline = future.deadline().unwrap_or_else(|| self.deadline(when));
        let waker = NamedWaker::new(&self.log, name);
        let waiting = Waiting { future, lane: place.lane, slack, deadline, waker, stage };
        self.futures.insert(name, waiting);
        if !place.is_lazy {
            self.poll(name, Waking::TheSame);
        }
    }

    fn poll(&mut self, name: Name, waking: Waking) {
        let now = Instant::now();
        let is_full = self.settings.max_pending.is_some_and(|most| self.timer.pending() >= most);
        let is_armed = self.model.is_armed(name);
        let waiting = self.futures.get_mut(&name).unwrap();
        if waking == Waking::Another {
            waiting.waker = waiting.waker.another();
        }
        let waker = waiting.waker.waker();
        let answer = waiting.future.poll(&mut Context::from_waker(&waker));
        drop(waker);
        if waiting.future.is_finished() {
            assert_eq!(answer, Poll::Ready(Answer::Finished));
            return self.drop_future(name);
        }
        let tick = self.timeline.tick_for(waiting.deadline, waiting.slack);
        let (lane, tick_now) = (waiting.lane, self.timeline.tick_at(now));
        let is_due = waiting.deadline <= now && waiting.stage != Stage::Disarmed;
        match answer {
            Poll::Pending => {
                let was_not_looked_at = waiting.stage == Stage::Ahead && !is_armed;
                assert!(!is_due || was_not_looked_at, "{name} is pending and due");
                if waiting.stage != Stage::Disarmed && !is_armed {
                    assert!(!is_full || !waiting.future.is_refused_at_capacity(), "one too many");
                    waiting.stage = Stage::Waiting;
                    self.model.arm(name, lane, tick, tick_now);
                }
            }
            Poll::Ready(Answer::AtCapacity) => {
                assert!(is_full && !is_armed && waiting.future.is_refused_at_capacity());
                assert!(!is_due, "{name} is refused though it is due");
                self.model.books.refused += 1;
            }
            Poll::Ready(answer) => {
                assert!(is_due || waiting.stage == Stage::Elapsed, "{name} is ready early");
                self.model.see(name);
                let waiting = self.futures.get_mut(&name).unwrap();
                if let Some((period, missed)) = waiting.future.rhythm() {
                    assert_eq!(answer, Answer::Ticked(waiting.deadline));
                    waiting.deadline = next_tick(missed, waiting.deadline, now, period);
                    waiting.stage = Stage::Waiting;
                } else {
                    assert_eq!(answer, Answer::Elapsed);
                    waiting.stage = Stage::Elapsed;
                }
            }
        }
    }

    fn reset(&mut self, name: Name, deadline: Instant) {
        let waiting = self.futures.get_mut(&name).unwrap();
        waiting.future.reset(deadline);
        waiting.deadline = deadline;
        waiting.stage = Stage::Waiting;
        if !self.model.is_armed(name) {
            return;
        }
        self.model.books.reset += 1;
        let now = Instant::now();
        let tick = self.timeline.tick_for(deadline, waiting.slack);
        match self.log.take()[..] {
            [] => self.model.moved(name, tick, self.timeline.tick_at(now)),
            [(_, Event::Woken(woken, number))] => {
                assert_eq!((woken, number), (name, waiting.waker.number()));
                assert!(deadline <= now, "{name} was woken by a reset to later");
                self.model.see(name);
            }
            ref other => panic!("a reset of {name} led to {other:?}"),
        }
    }

    fn disarm(&mut self, name: Name) {
        let waiting = self.futures.get_mut(&name).unwrap();
        if waiting.future.disarm() {
            waiting.stage = Stage::Disarmed;
            self.model.cancel(name);
        }
    }

    fn drop_future(&mut self, name: Name) {
        let waiting = self.futures.remove(&name).unwrap();
        let waker = Arc::downgrade(&waiting.waker);
        drop(waiting);
        assert!(waker.upgrade().is_none(), "the waker of {name} outlives it");
        self.model.cancel(name);
    }

    fn call(&mut self, repeat: Repeat, place: Where, when: When, within: Within) {
        let timer = self.in_lane(place.lane);
        let (name, child) = (self.name(), self.name());
        let act = match within {
            Within::Nothing => Act::Nothing,
            Within::Cancel(index) => self.some_call(index).map_or(Act::Nothing, Act::Cancel),
            Within::Arm(delay) => Act::Arm(child, delay),
            Within::Panic => Act::Panic,
        };
        let asked = match when {
            When::After(delay) => Asked::After(delay),
            other => Asked::At(self.deadline(other)),
        };
        let is_full = self.settings.max_pending.is_some_and(|most| self.timer.pending() >= most);
        let function = calls::function(name, act, timer.clone(), &self.log, &self.handles);
        let Some(callback) = calls::call(&timer, (repeat, asked), function) else {
            assert!(is_full && matches!(repeat, Repeat::TryOnce));
            self.model.books.refused += 1;
            return;
        };
        assert!(!is_full || !matches!(repeat, Repeat::TryOnce), "one too many");
        let now = Instant::now();
        let (delay, missed) = match (repeat, asked) {
            (Repeat::Every(period, missed), _) => (period, Some(missed)),
            (_, Asked::After(delay)) => (delay, None),
            (_, Asked::At(deadline)) => (deadline.saturating_duration_since(now), None),
        };
        let deadline = callback.deadline().expect("it is armed");
        match now.checked_add(delay) {
            Some(expected) => assert_eq!(deadline.max(now), expected),
            None => assert!(deadline > now + YEAR),
        }
        self.handles.put(name, callback);
        let lane = place.lane;
        self.calls.insert(name, Called { lane, delay, missed, standing: Standing::Stopped });
        // What is past comes with the next tick, as what is due now does.
        self.armed(name, deadline.max(now), now);
        self.calls.get_mut(&name).unwrap().standing = Standing::Armed(deadline);
        if let Act::Arm(child, delay) = act {
            let standing = Standing::Stopped;
            self.calls.insert(child, Called { lane, delay, missed: None, standing });
        }
    }

    fn start(&mut self, name: Name) {
        let Some(callback) = self.handles.get(name) else { return };
        let Called { standing, delay, .. } = self.calls[&name];
        let may_start = standing != Standing::Ended;
        assert_eq!(callback.start(), may_start);
        if may_start {
            self.model.cancel(name);
            let now = Instant::now();
            let deadline = callback.deadline().expect("it is armed");
            assert!(now.checked_add(delay).is_none_or(|expected| deadline == expected));
            self.armed(name, deadline, now);
        }
    }

    fn stop(&mut self, name: Name) {
        let Some(callback) = self.handles.get(name) else { return };
        let was_armed = self.model.cancel(name);
        assert_eq!(callback.stop(), was_armed);
        if was_armed {
            self.calls.get_mut(&name).unwrap().standing = Standing::Stopped;
        }
    }

    fn cancel(&mut self, name: Name) {
        let Some(callback) = self.handles.get(name) else { return };
        let answer = callback.cancel();
        self.cancelled(name, answer);
    }

    fn cancelled(&mut self, name: Name, answer: bool) {
        self.model.cancel(name);
        let called = self.calls.get_mut(&name).unwrap();
        assert_eq!(answer, called.standing != Standing::Ended, "whether {name} was to run");
        called.standing = Standing::Ended;
    }

    /// From then on the model has it armed
    fn armed(&mut self, name: Name, deadline: Instant, now: Instant) {
        let called = self.calls.get_mut(&name).unwrap();
        called.standing = Standing::Armed(deadline);
        let lane = called.lane;
        let tick = self.timeline.tick_for(deadline, self.slack_in(lane));
        self.model.arm(name, lane, tick, self.timeline.tick_at(now));
    }

    fn in_lane(&self, lane: Lane) -> Timer {
        match lane {
            Lane::Critical => self.timer.critical(),
            Lane::Normal => self.timer.clone(),
        }
    }

    /// Of timers that ask for no other
    fn slack_in(&self, lane: Lane) -> u64 {
        match lane {
            Lane::Critical => 0,
            Lane::Normal => self.timeline.slack(self.settings.slack),
        }
    }

    fn name(&mut self) -> Name {
        self.names += 1;
        self.names
    }

    fn with_future(&mut self, index: Index, action: impl FnOnce(&mut Self, Name)) {
        let names: Vec<_> = self.futures.keys().copied().collect();
        if !names.is_empty() {
            action(self, *index.get(&names));
        }
    }

    fn with_call(&mut self, index: Index, action: impl FnOnce(&mut Self, Name)) {
        if let Some(name) = self.some_call(index) {
            action(self, name);
        }
    }

    fn some_call(&self, index: Index) -> Option<Name> {
        let names: Vec<_> = self.calls.keys().copied().collect();
        (!names.is_empty()).then(|| *index.get(&names))
    }

    fn deadline(&self, when: When) -> Instant {
        let now = Instant::now();
        match when {
            When::After(delay) => now.checked_add(delay).unwrap_or(now + 100 * YEAR),
            When::Past(ago) => now.checked_sub(ago).unwrap_or(now),
            When::Tie(index) => {
                let futures = self.futures.values().map(|other| other.deadline);
                let calls = self.calls.values().filter_map(|other| other.standing.deadline());
                let others: Vec<_> = futures.chain(calls).collect();
                if others.is_empty() { now } else { *index.get(&others) }
            }
            When::Edge { bits, offset } => {
                let ticks = (self.timeline.tick_at(now).get() >> bits) + 1;
                let nanos = (u128::from(ticks) << bits) * self.settings.tick.as_nanos();
                let until = u64::try_from(nanos).map_or(Duration::MAX, Duration::from_nanos);
                let edge = self.timeline.origin.checked_add(until).unwrap_or(now + 100 * YEAR);
                let beside = self.settings.tick * u32::try_from(offset.unsigned_abs()).unwrap();
                if offset < 0 { edge - beside } else { edge + beside }
            }
        }
    }
}
