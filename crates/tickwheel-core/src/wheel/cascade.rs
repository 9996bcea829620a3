use super::Wheel;
use crate::{Tick, geometry::Slot};

impl<T> Wheel<T> {
    /// Moves some timers of a far slot down to where they belong seen from its start
    ///
    /// Called step by step until the slot is empty; only then does the wheel
    /// reach `start`. Timers move in the order they came, and those inserted
    /// meanwhile for the slot's range have joined its end, so that ties stay
    /// first in, first out.
    pub(super) fn cascade(&mut self, slot: Slot, start: Tick) {
        self.elapsed = start.saturating_sub(1);
        if self.cascading.replace(slot).is_none() {
            self.scout = self.slots.tail(slot);
        }
        for _ in 0..MOVES {
            self.scout = self.scout.and_then(|scout| self.store.before(scout, slot));
            let Some(index) = self.slots.head(slot) else {
                self.elapsed = start;
                self.cascading = None;
                return;
            };
            let deadline = self.store.node(index).deadline;
            // Never the same slot: either a lower digit counts now, or the
            // deadline was extended beyond the slot's range.
            self.slots.move_head(&mut self.store, slot, index, Slot::of(deadline, start));
            self.cascaded += 1;
        }
    }
}

/// How many timers one step moves at the most
///
/// A node seen for the first time in a while costs a cache miss or two, so
/// this many take a few microseconds at worst.
const MOVES: usize = 32;
