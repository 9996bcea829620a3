use std::time::Duration;

use tokio::time::Instant;

/// Tells of the driver's life, and now and then of what it meets with
#[derive(Debug)]
pub(super) struct Log {
    timer: Box<str>,
    told_of_cuts: Option<Instant>,
    told_of_lateness: Option<Instant>,
}

impl Log {
    /// The driver of the timer of that name begins
    pub(super) fn begin(timer: Box<str>) -> Self {
        tell::begun(&timer);
        Self { timer, told_of_cuts: None, told_of_lateness: None }
    }

    /// A turn has ended; something was so many nanoseconds late in it
    pub(super) fn turn(&mut self, is_cut_short: bool, latest: u64, now: Instant) {
        if is_cut_short && is_time(&mut self.told_of_cuts, now) {
            tell::cut_short(&self.timer);
        }
        let latest = Duration::from_nanos(latest);
        if latest >= LATE && is_time(&mut self.told_of_lateness, now) {
            tell::late(&self.timer, latest);
        }
    }

    /// The driver is gone
    pub(super) fn end(&self) {
        tell::ended(&self.timer);
    }
}

/// Whether it was last told long ago
fn is_time(told: &mut Option<Instant>, now: Instant) -> bool {
    if told.is_some_and(|told| now.saturating_duration_since(told) < SILENCE) {
        return false;
    }
    *told = Some(now);
    true
}

/// Lateness that is worth a warning
const LATE: Duration = Duration::from_millis(100);

/// How long a warning is not repeated
const SILENCE: Duration = Duration::from_secs(10);

#[cfg(feature = "tracing")]
mod tell {
    use std::time::Duration;

    use super::LATE;
    use crate::log::tell;

    pub(super) fn begun(timer: &str) {
        tell(|| tracing::debug!(target: "tickwheel", timer, "the driver begins"));
    }

    pub(super) fn ended(timer: &str) {
        tell(|| tracing::debug!(target: "tickwheel", timer, "the driver has ended"));
    }

    pub(super) fn cut_short(timer: &str) {
        tell(|| {
            tracing::warn!(
                target: "tickwheel",
                timer,
                "more timers are due than a turn may fire; the driver goes on after other tasks"
            );
        });
    }

    pub(super) fn late(timer: &str, lateness: Duration) {
        tell(
            || tracing::warn!(target: "tickwheel", timer, ?lateness, bound = ?LATE, "timers are late"),
        );
    }
}

#[cfg(not(feature = "tracing"))]
mod tell {
    use std::time::Duration;

    pub(super) fn begun(_timer: &str) {}
    pub(super) fn ended(_timer: &str) {}
    pub(super) fn cut_short(_timer: &str) {}
    pub(super) fn late(_timer: &str, _lateness: Duration) {}
}
