//! tickwheel-core's wheel

use tickwheel_core::{Tick, TimerKey, Wheel};

use super::{Structure, Value};

/// The wheel under the service
#[derive(Debug)]
pub struct Ours(Wheel<Value>);

impl Structure for Ours {
    type Key = TimerKey;

    const NAME: &'static str = "tickwheel-core";

    fn new() -> Self {
        Self(Wheel::new())
    }

    fn insert(&mut self, deadline: u64, value: Value) -> TimerKey {
        self.0.insert(Tick::new(deadline), value)
    }

    fn cancel(&mut self, key: TimerKey) -> Option<Value> {
        self.0.cancel(key)
    }

    fn expire(&mut self, now: u64, mut each: impl FnMut(Value)) {
        while let Some(expired) = self.0.poll_expired(Tick::new(now)) {
            each(expired.value);
        }
    }
}
