//! An ordered map from deadlines

use std::collections::BTreeMap;

use super::{Structure, Value};

/// std's `BTreeMap`; a number in the key keeps equal deadlines apart and in order
#[derive(Debug)]
pub struct OrderedMap {
    timers: BTreeMap<(u64, u64), Value>,
    next: u64,
}

impl Structure for OrderedMap {
    type Key = (u64, u64);

    const NAME: &'static str = "BTreeMap";

    fn new() -> Self {
        Self { timers: BTreeMap::new(), next: 0 }
    }

    fn insert(&mut self, deadline: u64, value: Value) -> (u64, u64) {
        let key = (deadline, self.next);
        self.next += 1;
        self.timers.insert(key, value);
        key
    }

    fn cancel(&mut self, key: (u64, u64)) -> Option<Value> {
        self.timers.remove(&key)
    }

    fn expire(&mut self, now: u64, mut each: impl FnMut(Value)) {
        while let Some(first) = self.timers.first_entry().filter(|first| first.key().0 <= now) {
            each(first.remove());
        }
    }
}
