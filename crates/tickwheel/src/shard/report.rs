use tickwheel_core::Census;

use super::Shard;
use crate::{
    inspect::ShardInspection,
    metrics::{DueAt, Metrics},
};

/// What a shard tells about itself
impl Shard {
    /// How many timers are armed in it
    pub(crate) fn pending(&self) -> usize {
        self.state.lock().wheel.len()
    }

    /// Something was not taken that nobody else counts
    pub(crate) fn count_refused(&self) {
        self.state.lock().counts.refused += 1;
    }

    /// Adds what it has counted, and says when it was busiest
    pub(crate) fn count_into(&self, metrics: &mut Metrics) -> DueAt {
        let state = self.state.lock();
        metrics.add(&state.counts);
        metrics.pending += state.wheel.len();
        metrics.cascaded += state.wheel.cascaded();
        state.counts.rush.peak
    }

    /// Looks into its slots, holding the lock for a few thousand timers at a time
    pub(crate) fn inspect(&self) -> ShardInspection {
        let mut census = Census::new();
        let mut part = Some(0);
        while let Some(number) = part {
            part = self.state.lock().wheel.count_part(number, &mut census);
        }
        let state = self.state.lock();
        let (elapsed, next_wake) = (state.wheel.elapsed(), state.wheel.next_wake());
        drop(state);
        ShardInspection { lane: self.lane, elapsed, next_wake, census }
    }
}
