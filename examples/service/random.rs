//! Random numbers that a seed repeats.

use std::time::Duration;

/// The splitmix64 generator: small, and good enough to shuffle the fates of clients
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A generator of its own, for a part whose draws must not shift those of another
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    /// A number from `low` to `high`, both included
    ///
    /// The remainder favours small numbers by less than one part in a billion here.
    pub(crate) fn between(&mut self, (low, high): (u64, u64)) -> u64 {
        low + self.next() % (high - low + 1)
    }

    pub(crate) fn millis_between(&mut self, range: (u64, u64)) -> Duration {
        Duration::from_millis(self.between(range))
    }
}
