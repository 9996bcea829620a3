use tickwheel_core::Tick;

use super::Histogram;
use crate::clock::Now;

/// What has happened in a shard, counted under its lock
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) registered: u64,
    pub(crate) fired: u64,
    pub(crate) cancelled: u64,
    pub(crate) reset: u64,
    pub(crate) refused: u64,
    pub(crate) waker_panics: u64,
    pub(crate) lateness: Histogram,
    pub(crate) rush: Rush,
}

/// The tick in which most timers of a shard were due
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rush {
    pub(crate) peak: DueAt,
    latest: DueAt,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DueAt {
    pub(crate) tick: Tick,
    pub(crate) timers: u64,
}

impl Counts {
    /// Counts timers that were taken out as due
    pub(crate) fn fire(&mut self, due: DueAt, now: Now) {
        if due.timers > 0 {
            self.fired += due.timers;
            self.lateness.record(now.nanos_since(due.tick), due.timers);
            self.rush.add(due);
        }
    }

    /// Counts one that was told to be due at once
    pub(crate) fn fire_at_once(&mut self) {
        self.fired += 1;
        self.lateness.record(0, 1);
    }
}

impl Rush {
    fn add(&mut self, due: DueAt) {
        let before = if self.latest.tick == due.tick { self.latest.timers } else { 0 };
        self.latest = DueAt { tick: due.tick, timers: before + due.timers };
        if self.latest.timers > self.peak.timers {
            self.peak = self.latest;
        }
    }
}
