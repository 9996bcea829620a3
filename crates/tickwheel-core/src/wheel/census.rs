use alloc::{boxed::Box, vec};
use core::fmt;

use super::Wheel;
use crate::geometry::{LISTS, RING_SLOTS, Slot};

/// How many timers are in which slot
///
/// Filled in by [`Wheel::count_part`].
#[derive(Clone, PartialEq, Eq)]
pub struct Census {
    /// Of each list, overflow and what is aside included
    timers: Box<[usize]>,
}

impl Census {
    /// The slots of the ring: 256 of level 0, then 64 of each of the levels 1 to 4
    pub const SLOTS: usize = RING_SLOTS as usize;

    /// One that has counted nothing yet
    pub fn new() -> Self {
        Self { timers: vec![0; LISTS].into() }
    }

    /// The timers in each slot of the ring, level by level
    ///
    /// In level 0 a slot is one tick, in the levels above it is 2^8, 2^14, 2^20 and
    /// 2^26 ticks.
    pub fn slots(&self) -> &[usize] {
        &self.timers[..Self::SLOTS]
    }

    /// The timers that are 2^32 ticks or more away
    pub fn overflow(&self) -> usize {
        self.timers[Self::SLOTS..Slot::ASIDE.number()].iter().sum()
    }

    /// All timers that were counted
    pub fn total(&self) -> usize {
        self.timers.iter().sum()
    }
}

impl<T> Wheel<T> {
    /// Counts a part of the timers, 4096 at the most, by the slots they are in
    ///
    /// Begin with part 0 and an empty census, and go on with the part that is
    /// answered until there is none. A wheel behind a lock can so be looked at
    /// without holding it for long; what changes between two parts may then be
    /// counted twice or not at all.
    pub fn count_part(&self, part: usize, census: &mut Census) -> Option<usize> {
        for (_, node) in self.store.iter_chunk(part) {
            census.timers[node.slot.number()] += 1;
        }
        let next = part.saturating_add(1);
        (next < self.store.chunk_count()).then_some(next)
    }
}

impl Default for Census {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Census")
            .field("total", &self.total())
            .field("overflow", &self.overflow())
            .finish_non_exhaustive()
    }
}
