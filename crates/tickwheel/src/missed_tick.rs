use std::time::Duration;

use tokio::time::Instant;

use crate::{clock::saturating_add, remainder::remainder};

/// What an [`Interval`](crate::Interval) does after ticks that nobody fetched in time
///
/// A tick counts as missed when it is fetched late by at least the smaller of
/// five milliseconds and the period. With a period of 10 ms whose tick of 10 ms is
/// fetched at 35 ms, the ticks come at (scheduled@fetched where they differ):
///
/// | | | | | | |
/// |---|---|---|---|---|---|
/// | `Burst` | 10@35 | 20@35 | 30@35 | 40 | 50 |
/// | `Delay` | 10@35 | 45 | 55 | 65 | 75 |
/// | `Skip` | 10@35 | 40 | 50 | 60 | 70 |
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::{MissedTickBehavior, Timer};
///
/// let timer = Timer::new();
/// let mut interval = timer.interval(Duration::from_millis(10));
/// interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
/// let first = interval.tick().await;
///
/// timer.sleep(Duration::from_millis(35)).await;
/// assert_eq!(interval.tick().await - first, Duration::from_millis(10));
/// assert_eq!(interval.tick().await - first, Duration::from_millis(40));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissedTickBehavior {
    /// All of them, at once, until the schedule is caught up with
    #[default]
    Burst,
    /// None of them; the schedule begins anew from the late one
    Delay,
    /// None of them; the next is the next of the schedule
    Skip,
}

impl MissedTickBehavior {
    /// The tick after the one that was scheduled then and is fetched now
    pub(crate) fn next_tick(self, scheduled: Instant, now: Instant, period: Duration) -> Instant {
        let late = now.saturating_duration_since(scheduled);
        if late < period.min(TOLERANCE) {
            return saturating_add(scheduled, period);
        }
        match self {
            Self::Burst => saturating_add(scheduled, period),
            Self::Delay => saturating_add(now, period),
            Self::Skip => saturating_add(now, period.saturating_sub(remainder(late, period))),
        }
    }
}

/// How late a tick may be and still count as on time, as in tokio
const TOLERANCE: Duration = Duration::from_millis(5);
