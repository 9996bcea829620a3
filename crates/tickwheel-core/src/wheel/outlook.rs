use super::Wheel;
use crate::{Tick, TimerKey, geometry::Slot, key::Index};

/// What comes next
impl<T> Wheel<T> {
    /// When to call [`step`](Self::step) next; `None` when no timer is armed
    ///
    /// Cheap, and a lower bound: never later than the earliest deadline, and
    /// never at or before [`elapsed`](Self::elapsed) unless something is due. It
    /// may be earlier than the earliest deadline, when a far slot wants to be
    /// cascaded: at most once for each level boundary between a timer's insertion
    /// and its deadline. Calling later than it says loses nothing but the time
    /// between the earliest deadline and the call.
    pub fn next_wake(&self) -> Option<Tick> {
        if self.is_empty() {
            None
        } else if self.slots.is_empty(self.due()) {
            self.next_visit().map(|(_, start)| start)
        } else {
            Some(self.elapsed)
        }
    }

    /// The earliest deadline, exactly as it was asked for
    ///
    /// Walks the timers of the slots it must look into; where a lower bound is
    /// enough, [`next_wake`](Self::next_wake) is cheap.
    pub fn next_deadline(&self) -> Option<Tick> {
        let due = self.due();
        if !self.slots.is_empty(due) {
            // They expire in the order they came in, whatever they asked for.
            return self.earliest_in(due).map(|(deadline, _)| deadline);
        }
        self.earliest().map(|(deadline, _)| deadline)
    }

    /// The timer that expires next, if none is inserted before it
    ///
    /// Costs what [`next_deadline`](Self::next_deadline) does.
    pub fn peek(&self) -> Option<TimerKey> {
        let due = self.slots.head(self.due());
        let index = due.or_else(|| self.earliest().map(|(_, index)| index))?;
        Some(TimerKey::new(index, self.store.node(index).generation))
    }

    /// The slot to visit next, and when
    pub(super) fn next_visit(&self) -> Option<(Slot, Tick)> {
        let slot = self.cascading.or_else(|| self.slots.occupancy().first())?;
        Some((slot, slot.start(self.base())))
    }

    /// The earliest of those that are not due, the first of several
    fn earliest(&self) -> Option<(Tick, Index)> {
        let mut earliest: Option<(Tick, Index)> = None;
        let base = self.base();
        let others = self.slots.occupancy().iter().filter(|&slot| Some(slot) != self.cascading);
        for slot in others {
            // Timers extended in place may lie beyond their slot, so a later slot can hold an earlier one.
            if earliest.is_some_and(|(deadline, _)| deadline <= slot.start(base)) {
                break;
            }
            // Those will be filed behind the ones that are there already.
            earliest = first_of(self.earliest_in(slot), earliest);
        }
        // What a cascade has not moved yet came in after what it has.
        first_of(earliest, self.cascading.and_then(|slot| self.earliest_in(slot)))
    }

    fn earliest_in(&self, slot: Slot) -> Option<(Tick, Index)> {
        let mut timers = self
            .slots
            .walk(&self.store, slot)
            .map(|index| (self.store.node(index).deadline, index));
        if slot.is_exact() && slot != self.due() {
            // All of one tick.
            return timers.next();
        }
        timers.min_by_key(|&(deadline, _)| deadline)
    }
}

/// The earlier one, the first of equals
fn first_of(one: Option<(Tick, Index)>, other: Option<(Tick, Index)>) -> Option<(Tick, Index)> {
    one.into_iter().chain(other).min_by_key(|&(deadline, _)| deadline)
}
