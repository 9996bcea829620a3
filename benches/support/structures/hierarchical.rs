//! hierarchical_hash_wheel_timer's four levels of 256 slots, the form that can cancel
//!
//! It finds timers by an id of the user's in a hash map; the slots hold weak
//! references, and what was cancelled stays in them until its time has come.
//! Cancelling gives back nothing, so the name has a copy of what the timer carries.

use std::{fmt, rc::Rc, time::Duration};

use hierarchical_hash_wheel_timer::wheels::{
    Skip,
    cancellable::{CancellableTimerEntry, QuadWheelWithOverflow},
};

use super::{Structure, Value};

/// That crate's wheel, with numbers for ids
pub struct Hierarchical {
    wheel: QuadWheelWithOverflow<Entry>,
    elapsed: u64,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    value: Value,
}

impl CancellableTimerEntry for Entry {
    type Id = u64;

    fn id(&self) -> &u64 {
        &self.id
    }
}

impl Structure for Hierarchical {
    type Key = (u64, Value);

    const NAME: &'static str = "hierarchical_hash_wheel_timer";

    fn new() -> Self {
        Self { wheel: QuadWheelWithOverflow::new(), elapsed: 0, next: 0 }
    }

    fn insert(&mut self, deadline: u64, value: Value) -> (u64, Value) {
        let id = self.next;
        self.next += 1;
        let delay = Duration::from_millis(deadline - self.elapsed);
        let entry = Rc::new(Entry { id, value });
        let inserted = self.wheel.insert_ref_with_delay(entry, delay);
        assert!(inserted.is_ok(), "the deadline is still to come");
        (id, value)
    }

    fn cancel(&mut self, (id, value): (u64, Value)) -> Option<Value> {
        self.wheel.cancel(&id).ok().map(|()| value)
    }

    fn expire(&mut self, now: u64, mut each: impl FnMut(Value)) {
        while self.elapsed < now {
            let left = u32::try_from(now - self.elapsed).unwrap_or(u32::MAX);
            let skipped = match self.wheel.can_skip() {
                Skip::None => 0,
                Skip::Millis(ticks) => left.min(ticks),
                Skip::Empty => left,
            };
            if skipped > 0 {
                self.wheel.skip(skipped);
                self.elapsed += u64::from(skipped);
                continue;
            }
            for entry in self.wheel.tick() {
                each(entry.value);
            }
            self.elapsed += 1;
        }
    }
}

impl fmt::Debug for Hierarchical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hierarchical").field("elapsed", &self.elapsed).finish_non_exhaustive()
    }
}
