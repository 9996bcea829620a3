use std::time::SystemTime;

#[cfg(feature = "cron")]
mod cron;
#[cfg(feature = "jiff")]
mod daily_at;
#[cfg(feature = "jiff")]
mod daylight_saving;
mod every;
#[cfg(feature = "jiff")]
mod hourly_at;
mod log;
mod planned;
mod stream;
#[cfg(feature = "jiff")]
mod time_zone;
#[cfg(feature = "jiff")]
mod timestamp;

#[cfg(feature = "cron")]
pub use cron::{Cron, CronError, CronField};
#[cfg(feature = "jiff")]
pub use daily_at::DailyAt;
#[cfg(feature = "jiff")]
pub use daylight_saving::DaylightSaving;
pub use every::Every;
#[cfg(feature = "jiff")]
pub use hourly_at::{HourlyAt, NoSuchMinute};
pub(crate) use planned::{Look, Planned};
pub use stream::ScheduleStream;
#[cfg(feature = "jiff")]
pub use time_zone::{UnknownTimeZone, time_zone};

/// Says when something is to happen by the clock on the wall
///
/// A [`Timer`](crate::Timer) asks it for one occurrence at a time, at
/// [`Timer::schedule`](crate::Timer::schedule) or
/// [`Timer::call_on`](crate::Timer::call_on), and whenever one has come. It may
/// keep state between two calls; one that panics or answers out of order has
/// ended. No lock is held meanwhile: a stream asks from the task that polls it, a
/// callback from the driver's task, just before it is called, and from whoever makes
/// or starts it.
///
/// # Examples
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use tickwheel::Schedule;
///
/// /// Ever more rarely, up to a year
/// struct Backoff(Duration);
///
/// impl Schedule for Backoff {
///     fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
///         self.0 *= 2;
///         (self.0 < Duration::from_secs(365 * 86_400)).then(|| after + self.0)
///     }
/// }
///
/// let start = SystemTime::UNIX_EPOCH;
/// let mut backoff = Backoff(Duration::from_secs(1));
/// assert_eq!(backoff.next_after(start), Some(start + Duration::from_secs(2)));
/// assert_eq!(backoff.next_after(start), Some(start + Duration::from_secs(4)));
/// ```
pub trait Schedule {
    /// The first occurrence that is strictly later than `after`; `None` when there is none
    ///
    /// `after` is the later of the occurrence before and what the wall clock shows.
    /// What the wall clock has skipped is therefore not made up for, and what it
    /// shows a second time, having been set back, does not happen twice.
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime>;
}

impl<S: Schedule + ?Sized> Schedule for Box<S> {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        (**self).next_after(after)
    }
}

impl<S: Schedule + ?Sized> Schedule for &mut S {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        (**self).next_after(after)
    }
}
