use std::sync::Arc;

use tickwheel_core::Tick;

use crate::{
    bell::Bell,
    budget::Budget,
    caller::Caller,
    clock::{Clock, Source},
    closing::Closing,
    limit::Limit,
    metrics::Calls,
    number::Number,
    slack::Slack,
    sync::Mutex,
    wall_clock::WallClock,
};

/// What all shards of a timer have in common
///
/// The shards own it, and handles and futures own the shards. The driver only
/// looks in: when the last shard goes, so does this, and the driver ends.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) number: Number,
    pub(crate) clock: Clock,
    pub(crate) wall_clock: WallClock,
    pub(crate) bell: Arc<Bell>,
    pub(crate) caller: Caller,
    pub(crate) budget: Budget,
    pub(crate) limit: Limit,
    /// Of timers in the normal lane that ask for no other
    pub(crate) slack: Slack,
    /// Timeouts count from their first pending poll
    pub(crate) lazy_timeouts: bool,
    pub(crate) name: Box<str>,
    pub(crate) calls: Mutex<Calls>,
    pub(crate) closing: Closing,
    #[cfg(feature = "metrics")]
    pub(crate) publisher: crate::metrics::Publisher,
}

impl Service {
    /// Sees to it that the driver visits at `tick` or before
    #[cold]
    pub(crate) fn call_by(&self, tick: Tick) {
        self.caller.call_by(tick, &self.clock);
    }

    /// Whether somebody may move the clock without the driver knowing
    pub(crate) fn may_be_virtual(&self) -> bool {
        self.clock.source() == Source::Tokio
    }

    /// What the driver meant to come for is gone
    ///
    /// On the machine's clock a visit for nothing is cheaper than calling it
    /// off. A virtual clock would jump to it, so the driver is told.
    #[cold]
    pub(crate) fn nothing_due_so_soon(&self) {
        if self.clock.is_virtual() {
            self.bell.ring();
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Nobody is left to serve: let the driver see that and end.
        self.bell.ring();
    }
}
