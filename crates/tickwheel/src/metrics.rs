use std::fmt;

use crate::shard::Counts;

/// What a timer has done so far
///
/// Taken by [`Timer::metrics`](crate::Timer::metrics). At every moment
/// `registered` is the sum of `fired`, `cancelled` and `pending`; that is what a
/// reading shows while nobody changes anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Timers armed. A timeout whose future is ready at once never is.
    pub registered: u64,
    /// Timers that came due
    pub fired: u64,
    /// Timers that were dropped or disarmed before, or were left at a shutdown
    pub cancelled: u64,
    /// How often an armed timer was moved
    pub reset: u64,
    /// Timers armed now
    pub pending: usize,
    /// Callbacks that panicked, and were ended
    pub callback_panics: u64,
    /// Calls of callbacks that took ten milliseconds or more, and held up all others
    pub slow_callbacks: u64,
    /// How often the driver's task ran
    pub driver_wakeups: u64,
}

impl Metrics {
    pub(crate) fn sum(counts: impl Iterator<Item = Counts>, driver_wakeups: u64) -> Self {
        let nothing = Self { driver_wakeups, ..Self::default() };
        counts.fold(nothing, |sum, counts| Self {
            registered: sum.registered + counts.registered,
            fired: sum.fired + counts.fired,
            cancelled: sum.cancelled + counts.cancelled,
            reset: sum.reset + counts.reset,
            pending: sum.pending + counts.pending,
            callback_panics: sum.callback_panics + counts.callback_panics,
            slow_callbacks: sum.slow_callbacks + counts.slow_callbacks,
            driver_wakeups: sum.driver_wakeups,
        })
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "registered      {:>12}", self.registered)?;
        writeln!(f, "fired           {:>12}", self.fired)?;
        writeln!(f, "cancelled       {:>12}", self.cancelled)?;
        writeln!(f, "reset           {:>12}", self.reset)?;
        writeln!(f, "pending         {:>12}", self.pending)?;
        writeln!(f, "callback panics {:>12}", self.callback_panics)?;
        writeln!(f, "slow callbacks  {:>12}", self.slow_callbacks)?;
        write!(f, "driver wake-ups {:>12}", self.driver_wakeups)
    }
}
