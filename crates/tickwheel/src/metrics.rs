mod calls;
mod counts;
mod histogram;
#[cfg(feature = "metrics")]
mod publish;

use std::fmt;

pub use histogram::Histogram;

pub(crate) use calls::{Calls, SLOW};
pub(crate) use counts::{Counts, DueAt};
#[cfg(feature = "metrics")]
pub(crate) use publish::Publisher;

/// What a timer has done so far
///
/// Taken by [`Timer::metrics`](crate::Timer::metrics). At every moment
/// `registered` is the sum of `fired`, `cancelled` and `pending`; that is what a
/// reading shows while nobody changes anything.
///
/// Printed, it shows the chain to look at when timers are late: how many were
/// registered, how many of them for one and the same tick, what was fired and how
/// often the driver's budget ended a turn before all was, how long callbacks took
/// meanwhile, and how late that has made what came after.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::Timer;
///
/// let timer = Timer::new();
/// timer.sleep(Duration::from_millis(5)).await;
/// timer.call_later(Duration::from_secs(60), || ()).cancel();
///
/// let metrics = timer.metrics();
/// assert_eq!((metrics.registered, metrics.fired, metrics.cancelled), (2, 1, 1));
/// println!("{metrics}");
/// # }
/// ```
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
    /// Timers moved to a lower level of the wheel as their time came nearer, each time
    pub cascaded: u64,
    /// Timers not taken: after a shutdown, or for want of [room](crate::Builder::max_pending)
    pub refused: u64,
    /// Callbacks that panicked, and were ended
    pub callback_panics: u64,
    /// Wakers that panicked when they were woken, and what callbacks owned that did so
    /// when it was dropped by the driver
    pub waker_panics: u64,
    /// Calls of callbacks that took ten milliseconds or more, and held up all others
    pub slow_callbacks: u64,
    /// How often the driver was woken
    pub driver_wakeups: u64,
    /// How often the driver's budget ended a turn while more was due
    pub turns_cut_short: u64,
    /// The most timers that were due in one tick
    ///
    /// Of shards that were busiest in different ticks it is the busiest one's.
    pub max_due_in_tick: u64,
    /// How long after its tick a timer was fired
    ///
    /// Its tick is the one that its deadline rounded up to, with slack if it has some.
    pub lateness: Histogram,
    /// How long calls of callbacks took
    pub callback_time: Histogram,
}

impl Metrics {
    /// Puts what a shard has counted to it
    pub(crate) fn add(&mut self, counts: &Counts) {
        self.registered += counts.registered;
        self.fired += counts.fired;
        self.cancelled += counts.cancelled;
        self.reset += counts.reset;
        self.refused += counts.refused;
        self.waker_panics += counts.waker_panics;
        self.lateness.add(&counts.lateness);
    }
}

/// The most timers due in one tick, from what each shard says of its busiest
pub(crate) fn most_due(peaks: &mut [DueAt]) -> u64 {
    peaks.sort_unstable_by_key(|peak| peak.tick);
    let of_one_tick = peaks.chunk_by(|one, other| one.tick == other.tick);
    of_one_tick.map(|peaks| peaks.iter().map(|peak| peak.timers).sum()).max().unwrap_or(0)
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { registered, pending, cancelled, reset, refused, .. } = self;
        writeln!(
            f,
            "registered     {registered:>12}   pending {pending}, cancelled {cancelled}, \
             reset {reset}, refused {refused}"
        )?;
        let Self { max_due_in_tick, cascaded, .. } = self;
        writeln!(
            f,
            "due in a tick  {max_due_in_tick:>12}   at most; {cascaded} moved down before"
        )?;
        let Self { fired, driver_wakeups, turns_cut_short, .. } = self;
        writeln!(
            f,
            "fired          {fired:>12}   in {driver_wakeups} wake-ups, \
             {turns_cut_short} turns cut short"
        )?;
        let (calls, panics) = (self.callback_time.count(), self.callback_panics);
        let slow = self.slow_callbacks;
        write!(f, "callbacks      {calls:>12}   ")?;
        quantiles(f, &self.callback_time)?;
        writeln!(f, "; {slow} slow, {panics} panicked")?;
        write!(f, "lateness       {:>12}   ", self.lateness.count())?;
        quantiles(f, &self.lateness)
    }
}

fn quantiles(f: &mut fmt::Formatter<'_>, histogram: &Histogram) -> fmt::Result {
    let [p50, p99] = [0.5, 0.99].map(|part| histogram.quantile(part));
    write!(f, "p50 {p50:.1?}, p99 {p99:.1?}, max {:.1?}", histogram.max())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use tickwheel_core::Tick;

    use super::*;

    #[test]
    fn peaks_of_one_tick_add_up_and_those_of_different_ticks_do_not() {
        let peak = |tick, timers| DueAt { tick: Tick::new(tick), timers };
        assert_eq!(most_due(&mut []), 0);
        assert_eq!(most_due(&mut [peak(7, 10), peak(9, 5), peak(7, 20)]), 30);
        assert_eq!(most_due(&mut [peak(7, 10), peak(9, 50), peak(7, 20)]), 50);
    }
}
