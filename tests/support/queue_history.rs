//! Random histories of a queue, beside an ordered map

use std::{
    collections::BTreeMap,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use proptest::{prelude::*, sample::Index};
use tickwheel::{
    DelayQueue, Timer,
    delay_queue::{Key, UnknownKey},
};
use tickwheel_core::Tick;
use tokio::time::{self, Instant};

use crate::{
    durations::MS,
    oracle::{Oracle, Sequence},
    waker::CountingWaker,
};

/// One thing that is done to a queue, or time that passes
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Insert(Duration),
    InsertPast(Duration),
    Remove(Index),
    Reset(Index, Duration),
    ResetPast(Index, Duration),
    /// Every question and change that takes a key, with one that may be stale
    UseOld(Index),
    Poll,
    PollUntilPending,
    Advance(Duration),
    AdvanceToTheNext,
    Clear,
    Drain(usize),
    Shrink,
    PendingWhenEmpty(bool),
}

/// Any of them
pub fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => change(),
        1 => prop_oneof![
            delay().prop_map(Operation::Advance),
            Just(Operation::AdvanceToTheNext),
        ],
    ]
}

/// Any that takes no time
pub fn change() -> impl Strategy<Value = Operation> {
    use Operation as Op;
    prop_oneof![
        30 => delay().prop_map(Op::Insert),
        5 => delay().prop_map(Op::InsertPast),
        15 => any::<Index>().prop_map(Op::Remove),
        15 => (any::<Index>(), delay()).prop_map(|(which, delay)| Op::Reset(which, delay)),
        4 => (any::<Index>(), delay()).prop_map(|(which, past)| Op::ResetPast(which, past)),
        5 => any::<Index>().prop_map(Op::UseOld),
        30 => Just(Op::Poll),
        10 => Just(Op::PollUntilPending),
        1 => Just(Op::Clear),
        1 => (0usize..4).prop_map(Op::Drain),
        2 => Just(Op::Shrink),
        3 => any::<bool>().prop_map(Op::PendingWhenEmpty),
    ]
}

/// From nothing to a year, all orders of magnitude alike, many of them whole ticks
fn delay() -> impl Strategy<Value = Duration> {
    let micros = (any::<u64>(), 0u32..45).prop_map(|(any, bits)| any & ((1 << bits) - 1));
    let millis = (any::<u64>(), 0u32..35).prop_map(|(any, bits)| any & ((1 << bits) - 1));
    prop_oneof![
        2 => millis.prop_map(Duration::from_millis),
        2 => micros.prop_map(Duration::from_micros),
        2 => (0u32..5).prop_map(|ticks| MS * ticks),
        1 => Just(Duration::ZERO),
    ]
}

/// A queue of a timer with ticks of a millisecond and no slack, what it must do, and who waits for it
#[derive(Debug)]
pub struct Story {
    /// Tick zero, for the oracle's own arithmetic
    origin: Instant,
    queue: DelayQueue<Sequence>,
    oracle: Oracle,
    live: BTreeMap<Sequence, (Key, Instant)>,
    old: Vec<Key>,
    counter: Arc<CountingWaker>,
    /// The wake-ups there had been when the queue last said that it is pending
    waiting_since: Option<usize>,
    pending_when_empty: bool,
}

impl Story {
    /// The queue of a timer whose tick zero was then
    pub fn begin(timer: &Timer, origin: Instant) -> Self {
        Self {
            origin,
            queue: timer.delay_queue(),
            oracle: Oracle::default(),
            live: BTreeMap::new(),
            old: Vec::new(),
            counter: CountingWaker::new(),
            waiting_since: None,
            pending_when_empty: false,
        }
    }

    /// The last tick that has come
    fn now(&self) -> Tick {
        let ticks = self.origin.elapsed().as_nanos() / MS.as_nanos();
        Tick::new(ticks.try_into().unwrap())
    }

    /// The tick at which what is asked for now must come
    fn tick_for(&self, deadline: Instant) -> Tick {
        if deadline <= Instant::now() {
            return self.now();
        }
        let ticks = (deadline - self.origin).as_nanos().div_ceil(MS.as_nanos());
        Tick::new(ticks.try_into().unwrap())
    }

    /// How many timers it may be in its timer's books
    pub fn most_pending(&self) -> usize {
        usize::from(!self.queue.is_empty())
    }

    /// How many wakers there are of who waits for it, counted also when it is gone
    pub fn wakers(&self) -> impl Fn() -> usize + use<> {
        let counter = Arc::clone(&self.counter);
        move || counter.wakers()
    }

    fn which(&self, index: Index) -> Option<Sequence> {
        if self.live.is_empty() {
            return None;
        }
        self.live.keys().nth(index.index(self.live.len())).copied()
    }

    pub async fn perform(&mut self, operation: Operation) {
        let now = Instant::now();
        match operation {
            Operation::Insert(delay) => {
                let sequence = self.oracle.insert(self.tick_for(now + delay), self.now());
                let key = self.queue.insert(sequence, delay);
                self.live.insert(sequence, (key, now + delay));
            }
            Operation::InsertPast(past) => {
                let deadline = now.checked_sub(past).unwrap_or(now);
                let sequence = self.oracle.insert(self.tick_for(deadline), self.now());
                let key = self.queue.insert_at(sequence, deadline);
                self.live.insert(sequence, (key, deadline));
            }
            Operation::Remove(index) => self.remove(index),
            Operation::Reset(index, delay) => self.reset(index, now + delay),
            Operation::ResetPast(index, past) => {
                self.reset(index, now.checked_sub(past).unwrap_or(now));
            }
            Operation::UseOld(index) => self.use_old(index),
            Operation::Poll => drop(self.poll()),
            Operation::PollUntilPending => while self.poll() {},
            Operation::Advance(duration) => time::advance(duration).await,
            Operation::AdvanceToTheNext => {
                if let Some(due) = self.oracle.next_due() {
                    let due = self.origin + MS * u32::try_from(due.get()).unwrap_or(u32::MAX);
                    time::advance(due.saturating_duration_since(now)).await;
                }
            }
            Operation::Clear => {
                self.queue.clear();
                self.forget_all();
            }
            Operation::Drain(count) => {
                let drained: Vec<_> = self.queue.drain().take(count).collect();
                for item in drained {
                    assert_eq!(self.live[item.get_ref()], (item.key(), item.deadline()));
                }
                self.forget_all();
            }
            Operation::Shrink => self.queue.shrink_to_fit(),
            Operation::PendingWhenEmpty(pending) => {
                self.queue.set_pending_when_empty(pending);
                self.pending_when_empty = pending;
            }
        }
    }

    fn remove(&mut self, index: Index) {
        let Some(sequence) = self.which(index) else { return };
        let (key, deadline) = self.live.remove(&sequence).unwrap();
        let removed = self.queue.remove(&key);
        assert_eq!((removed.key(), removed.deadline()), (key, deadline));
        assert_eq!(removed.into_inner(), sequence);
        self.oracle.remove(sequence);
        self.old.push(key);
    }

    fn reset(&mut self, index: Index, deadline: Instant) {
        let Some(sequence) = self.which(index) else { return };
        let (tick, now) = (self.tick_for(deadline), self.now());
        let (key, known) = self.live.get_mut(&sequence).unwrap();
        self.queue.reset_at(key, deadline);
        *known = deadline;
        assert!(self.oracle.reset(sequence, tick, now));
    }

    fn use_old(&mut self, index: Index) {
        if self.old.is_empty() {
            return;
        }
        let key = self.old[index.index(self.old.len())];
        assert!(self.queue.try_remove(&key).is_none());
        assert_eq!(self.queue.try_reset(&key, MS), Err(UnknownKey));
        assert_eq!(self.queue.try_deadline(&key), None);
    }

    /// Polls once, and says whether an item came
    fn poll(&mut self) -> bool {
        let waker = self.counter.waker();
        match self.queue.poll_expired(&mut Context::from_waker(&waker)) {
            Poll::Pending => {
                assert!(!self.has_answer(), "pending though there is an answer");
                self.waiting_since = Some(self.counter.wakes());
                false
            }
            Poll::Ready(None) => {
                assert!(self.oracle.is_empty() && !self.pending_when_empty);
                self.waiting_since = None;
                false
            }
            Poll::Ready(Some(item)) => {
                assert!(self.oracle.next_due().unwrap() <= self.now(), "early");
                let sequence = *item.get_ref();
                assert!(self.oracle.may_expire_next().contains(&sequence), "out of order");
                assert_eq!(self.live.remove(&sequence), Some((item.key(), item.deadline())));
                self.oracle.remove(sequence);
                self.old.push(item.key());
                self.waiting_since = None;
                true
            }
        }
    }

    /// Whether a poll must be ready
    fn has_answer(&self) -> bool {
        match self.oracle.next_due() {
            Some(due) => due <= self.now(),
            None => !self.pending_when_empty,
        }
    }

    fn forget_all(&mut self) {
        self.oracle.clear();
        let live = std::mem::take(&mut self.live);
        self.old.extend(live.into_values().map(|(key, _)| key));
    }

    /// What is in it is what must be
    pub fn check_contents(&self) {
        assert_eq!(
            (self.queue.len(), self.queue.is_empty()),
            (self.live.len(), self.live.is_empty())
        );
        let listed: BTreeMap<_, _> =
            self.queue.iter().map(|(key, deadline, &item)| (item, (key, deadline))).collect();
        assert_eq!(listed, self.live);
        for (key, deadline) in self.live.values() {
            assert_eq!(self.queue.deadline(key), *deadline);
        }
        let next = self.queue.peek().map(|key| {
            let (sequence, _) = self.live.iter().find(|(_, (other, _))| *other == key).unwrap();
            *sequence
        });
        assert_eq!(next.is_some(), !self.oracle.is_empty());
        assert!(next.is_none_or(|next| self.oracle.may_expire_next().contains(&next)));
    }

    /// Whoever waits for an answer that is there has been woken, now that the driver had its turn
    pub fn check_wakes(&self) {
        if let Some(wakes) = self.waiting_since {
            assert!(!self.has_answer() || self.counter.wakes() > wakes, "a lost wake-up");
        }
    }
}
