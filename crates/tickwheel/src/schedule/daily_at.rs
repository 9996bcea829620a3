use std::time::SystemTime;

use jiff::{
    Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};

use crate::schedule::{DaylightSaving, Schedule, timestamp};

/// Each day at a time of day, by the clocks of a time zone
///
/// Days are those of the zone's calendar, be they 23, 24 or 25 hours long: each
/// occurrence is found from its date anew, and [`DaylightSaving`] says what happens
/// on a day that does not have the time of day, or has it twice. There is one
/// occurrence a day, or none on some with [`DaylightSaving::Skip`]; a date that a
/// zone left out altogether, as Samoa did in 2011, has none.
///
/// # Examples
///
/// ```
/// use jiff::{Timestamp, civil::time};
/// use tickwheel::{DailyAt, DaylightSaving, Schedule, time_zone};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let zone = time_zone("America/New_York")?;
/// let mut backup = DailyAt::new(time(2, 30, 0, 0), zone, DaylightSaving::Compatible);
///
/// // The night in which the clocks are set forward, and the one after.
/// let start: Timestamp = "2026-03-07T12:00:00-05".parse()?;
/// let sunday = backup.next_after(start.try_into()?).unwrap();
/// let monday = backup.next_after(sunday).unwrap();
/// assert_eq!(Timestamp::try_from(sunday)?, "2026-03-08T03:30:00-04".parse()?);
/// assert_eq!(Timestamp::try_from(monday)?, "2026-03-09T02:30:00-04".parse()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DailyAt {
    time: Time,
    zone: TimeZone,
    daylight_saving: DaylightSaving,
}

impl DailyAt {
    /// At this time of day in this zone
    ///
    /// [`time_zone`](crate::time_zone) finds zones by name.
    pub fn new(time: Time, zone: TimeZone, daylight_saving: DaylightSaving) -> Self {
        Self { time, zone, daylight_saving }
    }

    fn on(&self, date: Date) -> Option<Timestamp> {
        self.daylight_saving.resolve(date.to_datetime(self.time), &self.zone)
    }
}

impl Schedule for DailyAt {
    /// As [`Schedule::next_after`]; `None` after the year 9999
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        let after = timestamp::from_system(after)?;
        let today = self.zone.to_datetime(after).date();
        // What a gap moves can end up on another date, and a gap may be a day long.
        let mut date = today.yesterday().unwrap_or(today);
        loop {
            if let Some(at) = self.on(date).filter(|at| after < *at) {
                return timestamp::to_system(at);
            }
            date = date.tomorrow().ok()?;
        }
    }
}
