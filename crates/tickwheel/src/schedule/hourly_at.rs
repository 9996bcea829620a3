use std::{error::Error, fmt, time::SystemTime};

use jiff::{
    Timestamp,
    tz::{Offset, TimeZone},
};

use crate::schedule::{Schedule, timestamp};

/// Each time the clocks of a time zone show a minute and a second
///
/// Going by what the clocks show needs no policy for daylight saving: no moment
/// shows two times. Where clocks change by an hour, as almost everywhere, it is
/// once an hour on all days. Lord Howe Island changes by half an hour, so there
/// one wait is 30 or 90 minutes. It matters which zone it is since not all are whole
/// hours apart: a full hour in Kathmandu is a quarter past in London.
///
/// # Examples
///
/// ```
/// use jiff::Timestamp;
/// use tickwheel::{HourlyAt, Schedule, time_zone};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut hourly = HourlyAt::new(15, 0, time_zone("Asia/Kathmandu")?)?;
///
/// let start: Timestamp = "2026-01-01T12:00:00Z".parse()?;
/// let next = hourly.next_after(start.try_into()?).unwrap();
/// assert_eq!(Timestamp::try_from(next)?.to_string(), "2026-01-01T12:30:00Z");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct HourlyAt {
    /// Within the hour
    second: i64,
    zone: TimeZone,
}

impl HourlyAt {
    /// At this minute and second of each hour in this zone
    ///
    /// [`time_zone`](crate::time_zone) finds zones by name.
    ///
    /// # Errors
    ///
    /// [`NoSuchMinute`] when either is over 59.
    pub fn new(minute: u8, second: u8, zone: TimeZone) -> Result<Self, NoSuchMinute> {
        if minute > 59 || second > 59 {
            return Err(NoSuchMinute { minute, second });
        }
        Ok(Self { second: i64::from(minute) * 60 + i64::from(second), zone })
    }

    /// The first from this second on, as long as the clocks are that far from UTC
    fn first_from(&self, second: i64, offset: Offset) -> i64 {
        let shown = second + i64::from(offset.seconds());
        second + (self.second - shown).rem_euclid(SECONDS_PER_HOUR)
    }
}

impl Schedule for HourlyAt {
    /// As [`Schedule::next_after`]; `None` after the year 9999
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        let after = timestamp::from_system(after)?;
        let earliest = timestamp::whole_second(after) + 1;
        let mut second = self.first_from(earliest, self.zone.to_offset(after));
        for change in self.zone.following(after) {
            let changes_at = change.timestamp().as_second();
            if second < changes_at {
                break;
            }
            second = self.first_from(changes_at, change.offset());
        }
        timestamp::to_system(Timestamp::from_second(second).ok()?)
    }
}

/// An hour ends before this minute and second
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchMinute {
    minute: u8,
    second: u8,
}

impl fmt::Display for NoSuchMinute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no hour has a minute {} and second {}: both go from 0 to 59",
            self.minute, self.second
        )
    }
}

impl Error for NoSuchMinute {}

const SECONDS_PER_HOUR: i64 = 3600;
