use std::time::Duration;

use super::Histogram;

/// What has come of calling callbacks
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) panicked: u64,
    pub(crate) slow: u64,
    pub(crate) time: Histogram,
}

impl Calls {
    /// Counts one; whether it was slow
    pub(crate) fn add(&mut self, time: Duration) -> bool {
        let is_slow = time >= SLOW;
        self.slow += u64::from(is_slow);
        self.time.record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), 1);
        is_slow
    }
}

/// A call that takes longer than this holds up everything else that is due
pub(crate) const SLOW: Duration = Duration::from_millis(10);
