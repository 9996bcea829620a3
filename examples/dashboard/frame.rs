//! What is in the wheels at one moment.

use serde::Serialize;
use tickwheel::{Inspection, ShardInspection};

/// One picture of the rings
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Frame {
    /// The tick that it is
    now: u64,
    /// In how many ticks a wheel wants to be visited
    wake: Option<u64>,
    pending: usize,
    /// Timers beyond the rings
    overflow: usize,
    /// Timers in each slot of each level, of all wheels together
    levels: [Vec<usize>; LEVELS],
}

impl Frame {
    pub(crate) fn of(inspection: &Inspection) -> Self {
        let now = inspection.now().get();
        Self {
            now,
            wake: inspection.next_wake().map(|tick| tick.get().saturating_sub(now)),
            pending: inspection.pending(),
            overflow: inspection.shards().iter().map(ShardInspection::overflow).sum(),
            levels: std::array::from_fn(|level| sum(inspection, level)),
        }
    }
}

/// A slot is a place in absolute time, so those of several wheels add up
fn sum(inspection: &Inspection, level: usize) -> Vec<usize> {
    let mut shards = inspection.shards().iter().map(|shard| shard.level(level));
    let mut sum = shards.next().expect("a timer has a wheel").to_vec();
    for slots in shards {
        for (all, timers) in sum.iter_mut().zip(slots) {
            *all += timers;
        }
    }
    sum
}

const LEVELS: usize = 5;
