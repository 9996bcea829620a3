//! nexus-timer's wheel: seven levels of 64 slots, the next eight times as coarse
//!
//! It takes instants, in ticks of a millisecond. Its names must be given back, also
//! of timers that have expired.

use std::{
    fmt,
    time::{Duration, Instant},
};

use nexus_timer::{TimerHandle, Wheel};

use super::{Structure, Value};

/// That crate's wheel, unbounded
pub struct Nexus {
    wheel: Wheel<Value>,
    start: Instant,
    due: Vec<Value>,
}

impl Nexus {
    fn at(&self, tick: u64) -> Instant {
        self.start + Duration::from_millis(tick)
    }
}

impl Structure for Nexus {
    type Key = TimerHandle<Value>;

    const NAME: &'static str = "nexus-timer";

    fn new() -> Self {
        let start = Instant::now();
        Self { wheel: Wheel::unbounded(4096, start), start, due: Vec::new() }
    }

    fn insert(&mut self, deadline: u64, value: Value) -> TimerHandle<Value> {
        self.wheel.schedule(self.at(deadline), value)
    }

    fn cancel(&mut self, key: TimerHandle<Value>) -> Option<Value> {
        self.wheel.cancel(key)
    }

    fn expire(&mut self, now: u64, each: impl FnMut(Value)) {
        self.wheel.poll_and_rebalance(self.at(now), &mut self.due);
        self.due.drain(..).for_each(each);
    }

    fn forget(&mut self, key: TimerHandle<Value>) {
        self.wheel.free(key);
    }
}

impl fmt::Debug for Nexus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nexus").field("timers", &self.wheel.len()).finish_non_exhaustive()
    }
}
