//! What a wheel must do, said slowly

use std::collections::BTreeMap;

use tickwheel_core::Tick;

/// The timers of a wheel in one ordered map, its key being the order of expiry
///
/// Nothing here knows of levels or slots. Time is an argument: `elapsed` is the
/// tick the wheel has reached.
#[derive(Debug, Default)]
pub struct Oracle {
    armed: BTreeMap<(Tick, Sequence), Armed>,
    inserted: usize,
}

/// Which timer it is: they are numbered in the order of insertion
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence(usize);

#[derive(Clone, Copy, Debug)]
struct Armed {
    deadline: Tick,
    was_reset: bool,
}

impl Oracle {
    /// Arms a timer that is due at `deadline`, or at once where that is past
    pub fn insert(&mut self, deadline: Tick, elapsed: Tick) -> Sequence {
        let sequence = Sequence(self.inserted);
        self.inserted += 1;
        let armed = Armed { deadline, was_reset: false };
        self.armed.insert((deadline.max(elapsed), sequence), armed);
        sequence
    }

    /// Takes a timer out; says its deadline as it was asked for
    pub fn remove(&mut self, sequence: Sequence) -> Option<Tick> {
        let key = self.find(sequence)?;
        self.armed.remove(&key).map(|armed| armed.deadline)
    }

    /// Moves a deadline; says whether the timer is armed
    pub fn reset(&mut self, sequence: Sequence, deadline: Tick, elapsed: Tick) -> bool {
        let known = self.remove(sequence).is_some();
        if known {
            let armed = Armed { deadline, was_reset: true };
            self.armed.insert((deadline.max(elapsed), sequence), armed);
        }
        known
    }

    /// The tick at which the next timer expires
    pub fn next_due(&self) -> Option<Tick> {
        self.armed.first_key_value().map(|(&(due, _), _)| due)
    }

    /// The timers of which one must be the next to expire
    ///
    /// The first in of those due first, and any that was reset to the same tick.
    pub fn may_expire_next(&self) -> Vec<Sequence> {
        let ties = self.armed.iter().take_while(|((due, _), _)| Some(*due) == self.next_due());
        let (reset, never_reset): (Vec<_>, Vec<_>) = ties.partition(|(_, armed)| armed.was_reset);
        let first = never_reset.into_iter().take(1);
        first.chain(reset).map(|(&(_, sequence), _)| sequence).collect()
    }

    /// The earliest deadline as it was asked for
    pub fn earliest_deadline(&self) -> Option<Tick> {
        self.armed.values().map(|armed| armed.deadline).min()
    }

    /// The armed timers in the order of insertion, with their deadlines as asked for
    pub fn by_sequence(&self) -> BTreeMap<Sequence, Tick> {
        self.armed.iter().map(|(&(_, sequence), armed)| (sequence, armed.deadline)).collect()
    }

    /// How many timers are armed
    pub fn len(&self) -> usize {
        self.armed.len()
    }

    /// Whether no timer is armed
    pub fn is_empty(&self) -> bool {
        self.armed.is_empty()
    }

    /// Takes all timers out
    pub fn clear(&mut self) {
        self.armed.clear();
    }

    fn find(&self, sequence: Sequence) -> Option<(Tick, Sequence)> {
        self.armed.keys().copied().find(|&(_, other)| other == sequence)
    }
}

impl Sequence {
    /// Its place in a list of all timers ever inserted
    pub fn place(self) -> usize {
        self.0
    }
}
