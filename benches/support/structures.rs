//! Structures that keep timers in order, ours and what a user might take instead
//!
//! bitwheel is not among them: it fires a timer at the grain of the gear it was filed
//! in, and how many a slot holds is fixed when it is compiled. That is other work.

mod hashed_wheel;
mod heap;
mod hierarchical;
mod nexus;
mod ordered_map;
mod ours;

use std::fmt::Debug;

pub use hashed_wheel::HashedWheel;
pub use heap::LazyHeap;
pub use hierarchical::Hierarchical;
pub use nexus::Nexus;
pub use ordered_map::OrderedMap;
pub use ours::Ours;

/// What a timer carries: a pointer and a table, as a waker is
pub type Value = [usize; 2];

/// Timers in order; time begins at tick 0 and is an argument
pub trait Structure {
    /// The name of a timer that is armed
    type Key: Debug;

    /// What it is called in reports
    const NAME: &'static str;

    /// One that holds nothing
    fn new() -> Self;

    /// Arms a timer for a tick that is still to come
    fn insert(&mut self, deadline: u64, value: Value) -> Self::Key;

    /// Takes out a timer that is armed
    fn cancel(&mut self, key: Self::Key) -> Option<Value>;

    /// Takes out what is due at `now` or before, one call for each tick
    fn expire(&mut self, now: u64, each: impl FnMut(Value));

    /// Gives up the name of a timer that has expired
    fn forget(&mut self, key: Self::Key) {
        drop(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Expires at the same ticks as an ordered map does, whatever was cancelled
    fn agrees<S: Structure>() {
        let (mut random, mut told) = (Random::new(11), OrderedMap::new());
        let (mut structure, mut keys) = (S::new(), Vec::new());
        for now in 0..20_000_u64 {
            for number in 0..random.below(4) {
                let far = 1 << random.below(14);
                let deadline = now + 1 + random.below(far);
                let value =
                    [usize::try_from(now).expect("small"), number.try_into().expect("small")];
                keys.push((
                    deadline,
                    structure.insert(deadline, value),
                    told.insert(deadline, value),
                ));
            }
            if random.below(2) == 0 && !keys.is_empty() {
                let index = usize::try_from(random.below(keys.len() as u64)).expect("an index");
                let (_, key, other) = keys.swap_remove(index);
                assert_eq!(structure.cancel(key), told.cancel(other), "{}", S::NAME);
            }
            let (mut expired, mut expected) = (Vec::new(), Vec::new());
            structure.expire(now + 1, |value| expired.push(value));
            told.expire(now + 1, |value| expected.push(value));
            expired.sort_unstable();
            expected.sort_unstable();
            assert_eq!(expired, expected, "{} at {}", S::NAME, now + 1);
            let mut index = 0;
            while index < keys.len() {
                if keys[index].0 <= now + 1 {
                    let (_, key, _) = keys.swap_remove(index);
                    structure.forget(key);
                } else {
                    index += 1;
                }
            }
        }
        for (_, key, _) in keys {
            assert!(structure.cancel(key).is_some());
        }
    }

    #[test]
    fn all_expire_the_same_timers_at_the_same_ticks() {
        agrees::<LazyHeap>();
        agrees::<HashedWheel>();
        agrees::<Ours>();
        agrees::<Hierarchical>();
        agrees::<Nexus>();
    }
}
