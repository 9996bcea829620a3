//! A wheel behind a lock for each thread, as the service has them

use std::sync::Mutex;

use tickwheel_core::{Tick, TimerKey, Wheel};

use super::WayIn;
use crate::structures::Value;

/// Locks in shards
#[derive(Debug)]
pub struct Sharded([Padded; 4]);

/// A cache line for each, as in the service, so that shards do not slow each other
#[derive(Debug)]
#[repr(align(128))]
struct Padded(Mutex<Wheel<Value>>);

impl WayIn for Sharded {
    type Key = (usize, TimerKey);

    const NAME: &'static str = "locks in shards";

    fn new() -> Self {
        Self([(); 4].map(|()| Padded(Mutex::new(Wheel::new()))))
    }

    fn arm(&self, thread: usize, deadline: u64, value: Value) -> (usize, TimerKey) {
        let shard = thread % self.0.len();
        let mut wheel = self.0[shard].0.lock().expect("nobody panics with it");
        (shard, wheel.insert(Tick::new(deadline), value))
    }

    fn cancel(&self, (shard, key): (usize, TimerKey)) {
        self.0[shard].0.lock().expect("nobody panics with it").cancel(key);
    }

    fn kept(&self) -> usize {
        self.0.iter().map(|shard| shard.0.lock().expect("nobody panics with it").len()).sum()
    }
}
