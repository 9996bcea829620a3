//! What a timer must be able to do to take part

use std::{pin::Pin, time::Duration};

use tokio::runtime::Handle;

/// A timer; cheap to clone, all clones are the same one
///
/// All is called inside a runtime, on any of its threads or on one that has entered it.
pub(crate) trait Peer: Clone + Send + Sync + 'static {
    /// A future that waits; it is armed when it was polled, and cancelled when dropped
    type Sleep: Future + Send + 'static;

    /// Whether an armed one can be moved
    const RESETS: bool = false;
    /// Whether it has a timeout of its own around a future
    const TIMES_OUT: bool = false;

    /// What it is called in tables
    fn name(&self) -> String;

    /// One like it for another runtime
    fn on(&self, _runtime: &Handle) -> Self {
        self.clone()
    }

    /// Waits this long
    fn sleep(&self, delay: Duration) -> Self::Sleep;

    /// Moves a sleep to so much later than now, where it [can](Self::RESETS)
    fn reset(_sleep: Pin<&mut Self::Sleep>, _delay: Duration) {
        unreachable!("this peer has no reset")
    }

    /// Puts a timeout around what is ready at once, where it [can](Self::TIMES_OUT)
    ///
    /// Says whether that was ready.
    fn ready_timeout(&self, _delay: Duration) -> bool {
        unreachable!("this peer has no timeouts")
    }
}
