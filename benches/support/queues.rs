//! Three ways from callers to a wheel: locks in shards, and a queue to a single driver
//!
//! Small models of the designs, of arming and cancelling alone: nothing here fires.
//! All three use the same wheel and carry the same value.

mod bounded;
mod drained;
mod sharded;

pub use bounded::Bounded;
pub use drained::Drained;
pub use sharded::Sharded;

use std::sync::Mutex;

use tickwheel_core::TimerKey;

use crate::structures::Value;

/// A way in; dropping it ends its driver
pub trait WayIn: Sync {
    /// The name of a timer that was armed
    type Key: Send;

    /// What it is called in reports
    const NAME: &'static str;

    /// One that holds nothing
    fn new() -> Self;

    /// Arms a timer, on the thread of this number
    fn arm(&self, thread: usize, deadline: u64, value: Value) -> Self::Key;

    /// Calls it off
    fn cancel(&self, key: Self::Key);

    /// How many timers are kept, cancelled ones and those in a queue included
    fn kept(&self) -> usize;
}

/// What a caller and a driver know of one timer
///
/// The key is the driver's, and there once it has filed the timer.
#[derive(Debug)]
struct Entry {
    deadline: u64,
    value: Value,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Queued,
    Filed(TimerKey),
    Cancelled,
}
