use tickwheel_core::{Expired, Step, Tick, TimerKey, UnknownTimer, Wheel};

use crate::{
    history::{Choice, Jump, Operation, When, beside},
    oracle::{Oracle, Sequence},
};

/// A wheel and its oracle, which see the same history
#[derive(Debug)]
pub struct Pair {
    wheel: Wheel<Sequence>,
    oracle: Oracle,
    /// What the clock showed last
    now: Tick,
    /// The keys of all timers ever inserted, in the order of insertion
    keys: Vec<TimerKey>,
}

impl Pair {
    /// Both empty, having reached that tick
    pub fn starting_at(start: Tick) -> Self {
        let (wheel, oracle) = (Wheel::starting_at(start), Oracle::default());
        Self { wheel, oracle, now: start, keys: Vec::new() }
    }

    /// Does it to both
    pub fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Insert(burst) => {
                let first = self.deadline(burst.first);
                for number in 0..burst.count {
                    self.insert(first.saturating_add(burst.apart.saturating_mul(number)));
                }
            }
            Operation::Cancel(which) => {
                if let Some(sequence) = self.live(which) {
                    self.cancel(sequence);
                }
            }
            Operation::CancelAll => {
                for sequence in self.oracle.by_sequence().into_keys() {
                    self.cancel(sequence);
                }
            }
            Operation::Reset(which, when) => {
                if let Some(sequence) = self.live(which) {
                    let deadline = self.deadline(when);
                    let key = self.keys[sequence.place()];
                    assert_eq!(self.wheel.reset(key, deadline), Ok(()));
                    assert!(self.oracle.reset(sequence, deadline, self.wheel.elapsed()));
                }
            }
            Operation::UseStale(which, when) => {
                let stale: Vec<_> = self.stale_keys().collect();
                if !stale.is_empty() {
                    let deadline = self.deadline(when);
                    self.use_stale(*which.of(&stale), deadline);
                }
            }
            Operation::Step(jump) => {
                let now = self.jump(jump);
                self.step(now);
            }
            Operation::PollUntilIdle(jump) => {
                let now = self.jump(jump);
                self.poll_until_idle(now);
            }
            Operation::Reserve(additional) => {
                self.wheel.reserve(additional);
                assert!(self.wheel.capacity() >= self.wheel.len() + additional);
            }
            Operation::ShrinkToFit => self.wheel.shrink_to_fit(),
            Operation::Clear => {
                self.wheel.clear();
                self.oracle.clear();
            }
            Operation::Drain(count) => {
                let before = self.oracle.by_sequence();
                let mut taken: Vec<_> = self.wheel.drain().take(count).collect();
                taken.sort_unstable_by_key(|expired| expired.value);
                taken.dedup_by_key(|expired| expired.value);
                assert_eq!(taken.len(), count.min(before.len()), "each comes once");
                for Expired { key, deadline, value } in taken {
                    assert_eq!(self.keys[value.place()], key);
                    assert_eq!(before.get(&value), Some(&deadline));
                }
                self.oracle.clear();
            }
        }
    }

    fn insert(&mut self, deadline: Tick) {
        let sequence = self.oracle.insert(deadline, self.wheel.elapsed());
        assert_eq!(sequence.place(), self.keys.len());
        self.keys.push(self.wheel.insert(deadline, sequence));
    }

    fn cancel(&mut self, sequence: Sequence) {
        let key = self.keys[sequence.place()];
        assert_eq!(self.wheel.cancel(key), Some(sequence));
        assert!(self.oracle.remove(sequence).is_some());
    }

    /// One step; says whether there may be more to do
    fn step(&mut self, now: Tick) -> bool {
        let before = self.wheel.elapsed();
        let step = self.wheel.step(now);
        let (after, now) = (self.wheel.elapsed(), now.max(before));
        match step {
            Step::Expired(Expired { key, deadline, value }) => {
                let due = self.oracle.next_due().expect("nothing is armed, and yet it expired");
                let candidates = self.oracle.may_expire_next();
                assert!(candidates.contains(&value), "{value:?} expired before {candidates:?}");
                assert!(due <= now, "{value:?} expired at {now}, early");
                assert_eq!(after, due.max(before), "a wheel has reached what it expires");
                assert_eq!(key, self.keys[value.place()]);
                assert_eq!(Some(deadline), self.oracle.remove(value), "the deadline as asked");
            }
            Step::More => {
                assert!(before <= after && after <= now);
                assert!(self.oracle.next_due().is_none_or(|due| after <= due), "passed a deadline");
            }
            Step::Idle => {
                assert_eq!(after, now);
                assert!(self.oracle.next_due().is_none_or(|due| now < due), "left one behind");
                return false;
            }
        }
        true
    }

    fn poll_until_idle(&mut self, now: Tick) {
        // Four levels to fall through, and 32 lists beyond the ring; and a cascade to end.
        let enough = 2 + self.wheel.len() * (1 + 4 + 32);
        let steps = (0..=enough).take_while(|_| self.step(now)).count();
        assert!(steps < enough, "{} timers took {steps} steps", self.wheel.len());
    }

    fn use_stale(&mut self, key: TimerKey, deadline: Tick) {
        assert_eq!(self.wheel.cancel(key), None);
        assert_eq!(self.wheel.reset(key, deadline), Err(UnknownTimer));
        assert_eq!(self.wheel.get_mut(key), None);
        self.assert_unknown(key);
    }

    fn assert_unknown(&self, key: TimerKey) {
        assert!(!self.wheel.contains(key));
        assert_eq!(self.wheel.get(key), None);
        assert_eq!(self.wheel.deadline(key), None);
    }

    /// Compares all that can be asked
    pub fn agree(&self) {
        self.wheel.check_invariants();
        assert_eq!(self.wheel.len(), self.oracle.len());
        assert_eq!(self.wheel.is_empty(), self.oracle.is_empty());
        assert!(self.wheel.capacity() >= self.wheel.len());
        assert_eq!(self.wheel.next_deadline(), self.oracle.earliest_deadline());
        self.agree_on_the_next_wake();

        let mut armed: Vec<_> =
            self.wheel.iter().map(|(key, at, &value)| (value, at, key)).collect();
        armed.sort_unstable();
        let expected = self.oracle.by_sequence();
        let expected = expected.iter().map(|(&value, &at)| (value, at, self.keys[value.place()]));
        assert!(armed.iter().copied().eq(expected), "iter does not list what is armed");
        for (value, deadline, key) in armed {
            assert!(self.wheel.contains(key));
            assert_eq!(self.wheel.get(key), Some(&value));
            assert_eq!(self.wheel.deadline(key), Some(deadline));
        }
    }

    fn agree_on_the_next_wake(&self) {
        let (elapsed, wake) = (self.wheel.elapsed(), self.wheel.next_wake());
        match self.oracle.next_due() {
            None => assert_eq!(wake, None),
            Some(due) if due <= elapsed => assert_eq!(wake, Some(elapsed)),
            Some(due) => {
                let wake = wake.expect("a wheel with timers asks for a visit");
                assert!(elapsed < wake && wake <= due, "{elapsed} < {wake} <= {due}");
            }
        }
    }

    /// All that is left expires, and no key outlives its timer
    pub fn finish(&mut self) {
        self.poll_until_idle(Tick::MAX);
        self.agree();
        assert!(self.wheel.is_empty());
        for &key in &self.keys {
            self.assert_unknown(key);
        }
    }

    fn live(&self, which: Choice) -> Option<Sequence> {
        let live: Vec<_> = self.oracle.by_sequence().into_keys().collect();
        (!live.is_empty()).then(|| *which.of(&live))
    }

    fn stale_keys(&self) -> impl Iterator<Item = TimerKey> {
        let live = self.oracle.by_sequence();
        let places: Vec<_> = live.into_keys().map(Sequence::place).collect();
        let stale = (0..self.keys.len()).filter(move |place| places.binary_search(place).is_err());
        stale.map(|place| self.keys[place])
    }

    fn deadline(&self, when: When) -> Tick {
        let elapsed = self.wheel.elapsed();
        match when {
            When::Past(ago) => elapsed.saturating_sub(ago),
            When::Ahead(ticks) => elapsed.saturating_add(ticks),
            When::Edge { bits, multiple, offset } => {
                beside(next_edge(elapsed, bits).saturating_add((multiple - 1) << bits), offset)
            }
            When::BeforeTheLast(ticks) => Tick::MAX.saturating_sub(ticks),
            When::Tie(with) => {
                let other = self.live(with).map(|sequence| self.keys[sequence.place()]);
                other.and_then(|key| self.wheel.deadline(key)).unwrap_or(elapsed)
            }
        }
    }

    /// Moves the clock; says what it shows
    fn jump(&mut self, jump: Jump) -> Tick {
        let beside_or_stay =
            |tick: Option<Tick>, offset| tick.map_or(self.now, |tick| beside(tick.get(), offset));
        let shown = match jump {
            Jump::Stay => self.now,
            Jump::Back(ticks) => self.now.saturating_sub(ticks),
            Jump::Ahead(ticks) => self.now.saturating_add(ticks),
            Jump::Edge { bits, offset } => beside(next_edge(self.now, bits), offset),
            Jump::NextWake(offset) => beside_or_stay(self.wheel.next_wake(), offset),
            Jump::NextDeadline(offset) => beside_or_stay(self.wheel.next_deadline(), offset),
        };
        // A clock that went back does not stay there.
        self.now = self.now.max(shown);
        shown
    }
}

/// The first multiple of 2^`bits` after a tick
fn next_edge(tick: Tick, bits: u32) -> u64 {
    ((tick.get() >> bits) + 1).saturating_mul(1 << bits)
}
