use std::time::{Duration, SystemTime};

use crate::{error::ZeroPeriod, remainder::remainder, schedule::Schedule};

/// At a fixed period, counted from when it is first asked
///
/// For a stream that is the call to [`Timer::schedule`](crate::Timer::schedule).
/// Each occurrence is a whole number of periods after that moment, however late
/// the ones before were seen: it does not drift. It goes by the wall clock, so a
/// clock that is set forward cuts a period short; an
/// [`Interval`](crate::Interval) knows no such thing.
///
/// # Examples
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use tickwheel::{Every, Schedule};
///
/// let start = SystemTime::UNIX_EPOCH;
/// let at = |seconds| start + Duration::from_secs(seconds);
///
/// let mut every = Every::new(Duration::from_secs(10))?;
/// assert_eq!(every.next_after(start), Some(at(10)));
/// // Seen three seconds late, and then not for a while.
/// assert_eq!(every.next_after(at(13)), Some(at(20)));
/// assert_eq!(every.next_after(at(47)), Some(at(50)));
/// # Ok::<(), tickwheel::ZeroPeriod>(())
/// ```
#[derive(Clone, Debug)]
pub struct Every {
    period: Duration,
    anchor: Option<SystemTime>,
}

impl Every {
    /// So often
    ///
    /// A period that reaches beyond the last [`SystemTime`] makes a schedule that
    /// has no occurrence.
    ///
    /// # Errors
    ///
    /// [`ZeroPeriod`] when `period` is zero.
    pub fn new(period: Duration) -> Result<Self, ZeroPeriod> {
        if period.is_zero() {
            return Err(ZeroPeriod);
        }
        Ok(Self { period, anchor: None })
    }

    /// The time between two occurrences
    pub fn period(&self) -> Duration {
        self.period
    }
}

impl Schedule for Every {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        let anchor = *self.anchor.get_or_insert(after);
        let until_next = match after.duration_since(anchor) {
            Ok(since) => self.period.saturating_sub(remainder(since, self.period)),
            // Asked for what was before: the same phase, on the other side.
            Err(before) => match remainder(before.duration(), self.period) {
                Duration::ZERO => self.period,
                rest => rest,
            },
        };
        after.checked_add(until_next)
    }
}
