use std::{fmt, time::SystemTime};

use croner::{
    JobType,
    parser::{CronParser, Year},
};
use jiff::tz::TimeZone;

use crate::schedule::{Schedule, timestamp};

mod error;
mod field;
mod local;
mod nickname;

pub use error::CronError;
pub use field::CronField;

use local::LocalTime;

/// A cron line in a time zone
///
/// Five fields, `minute hour day-of-month month day-of-week`, or six with a second
/// before them. A field is `*` or a list of numbers and ranges, `1,5,10-12`, each
/// perhaps with a step, `*/15` or `10-40/5`. Months and days of the week have names,
/// `JAN` to `DEC` and `SUN` to `SAT`, where Sunday is 0 and 7. When both days are
/// restricted, either suffices, or both are needed with a `+` before the day of the
/// week. Among days `L` is the last of the month, `15W` the working day nearest to
/// the 15th, `FRI#2` the second Friday and `FRIL` the last one; `?` is as good as `*`.
/// Instead of a line there may be one of the nicknames `@yearly` or `@annually`,
/// `@monthly`, `@weekly`, `@daily` or `@midnight`, and `@hourly`.
///
/// When clocks are set forward, a line with a single time of day that is left out
/// comes at the first moment after the gap, however long that is; when they are set
/// back it comes once, the first time. Other lines go by what the clocks show, so they
/// come in both of the hours that look alike, and not in one that does not exist. A
/// date that a zone left out altogether, as Samoa did in 2011, has no occurrence.
///
/// | line, New York 2026 | comes at |
/// |---|---|
/// | `30 2 * * *`, 8 March (gap) | 03:00 EDT |
/// | `30 1 * * *`, 1 November (twice) | 01:30 EDT |
/// | `*/30 1 * * *`, 1 November (twice) | 01:00 EDT, 01:30 EDT, 01:00 EST, 01:30 EST |
/// | `*/30 1-3 * * *`, 8 March (gap) | 01:00 EST, 01:30 EST, 03:00 EDT, 03:30 EDT |
///
/// A line whose date does not exist, such as 30 February, has no occurrence. To find
/// that out takes milliseconds: a search gives up after 400 years, when the calendar
/// is the same again, and in the year 5000.
///
/// # Examples
///
/// ```
/// use jiff::Timestamp;
/// use tickwheel::{Cron, Schedule, time_zone};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut working_days = Cron::new("0 9 * * MON-FRI", time_zone("Europe/Berlin")?)?;
///
/// let saturday: Timestamp = "2026-01-03T12:00:00+01".parse()?;
/// let monday = working_days.next_after(saturday.try_into()?).unwrap();
/// assert_eq!(Timestamp::try_from(monday)?, "2026-01-05T09:00:00+01".parse()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Cron {
    line: Box<str>,
    pattern: croner::Cron,
    zone: TimeZone,
}

impl Cron {
    /// Reads a line; [`time_zone`](crate::time_zone) finds zones by name
    ///
    /// # Errors
    ///
    /// [`CronError`], which points at the field that is not understood.
    ///
    /// # Examples
    ///
    /// ```
    /// use jiff::tz::TimeZone;
    /// use tickwheel::{Cron, CronField};
    ///
    /// let error = Cron::new("0 25 * * *", TimeZone::UTC).unwrap_err();
    /// assert_eq!(error.field(), Some(CronField::Hour));
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cron line `0 25 * * *`: hour `25`: number out of bounds; an hour is 0 to 23"
    /// );
    /// ```
    pub fn new(line: &str, zone: TimeZone) -> Result<Self, CronError> {
        let spelled_out = nickname::spelled_out(line)?;
        field::check_all(spelled_out)?;
        let pattern = parse(spelled_out).map_err(|reason| CronError::of_line(line, reason))?;
        Ok(Self { line: line.trim().into(), pattern, zone })
    }
}

impl Schedule for Cron {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        let after = timestamp::from_system(after)?;
        let is_once_a_day = self.pattern.determine_job_type() == JobType::FixedTime;
        let start = LocalTime::new(after, self.zone.clone(), is_once_a_day)?;
        // The errors of a search are that it has come to the end of its calendar.
        let mut next = self.pattern.find_next_occurrence(&start, false).ok()?;
        while let Some(after_gap) = next.after_a_date_left_out() {
            next = self.pattern.find_next_occurrence(&after_gap, true).ok()?;
        }
        timestamp::to_system(next.timestamp())
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

impl fmt::Debug for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cron")
            .field("line", &self.line)
            .field("zone", &self.zone)
            .finish_non_exhaustive()
    }
}

/// What croner makes of a line of five or six fields, or says of it
fn parse(line: &str) -> Result<croner::Cron, String> {
    let parser = CronParser::builder().year(Year::Disallowed).build();
    parser.parse(line).map_err(|error| error::reason(&error))
}
