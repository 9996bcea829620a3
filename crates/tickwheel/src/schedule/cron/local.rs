use std::cmp::Ordering;

use croner::{
    CivilDate, CivilDateTime, CivilTime, CronDateTime, Resolution, Weekday, errors::CronError,
};
use jiff::{
    Timestamp,
    civil::{self, DateTime},
    tz::{AmbiguousOffset, TimeZone},
};

use crate::schedule::timestamp;

/// A whole second in a time zone, as croner wants to search for one
#[derive(Clone)]
pub(super) struct LocalTime {
    timestamp: Timestamp,
    zone: TimeZone,
    /// The year in which a search that began here gives up
    last_year: i32,
}

impl LocalTime {
    /// The second that had begun then
    pub(super) fn new(timestamp: Timestamp, zone: TimeZone) -> Option<Self> {
        let timestamp = Timestamp::from_second(timestamp::whole_second(timestamp)).ok()?;
        let last_year = i32::from(zone.to_datetime(timestamp).year()) + YEARS_OF_SEARCH;
        Some(Self { timestamp, zone, last_year })
    }

    pub(super) fn timestamp(&self) -> Timestamp {
        self.timestamp
    }

    fn datetime(&self) -> DateTime {
        self.zone.to_datetime(self.timestamp)
    }

    fn at(&self, timestamp: Timestamp) -> Self {
        Self { timestamp, ..self.clone() }
    }
}

impl CronDateTime for LocalTime {
    fn to_civil(&self) -> CivilDateTime {
        let (date, time) = (self.datetime().date(), self.datetime().time());
        let part = |part: i8| u32::try_from(part).expect("no part of a date or time is negative");
        CivilDateTime::new(
            CivilDate::from_parts_unchecked(
                date.year().into(),
                part(date.month()),
                part(date.day()),
            ),
            CivilTime::from_parts_unchecked(
                part(time.hour()),
                part(time.minute()),
                part(time.second()),
            ),
        )
    }

    fn civil_weekday(&self) -> Weekday {
        match self.datetime().weekday() {
            civil::Weekday::Sunday => Weekday::Sunday,
            civil::Weekday::Monday => Weekday::Monday,
            civil::Weekday::Tuesday => Weekday::Tuesday,
            civil::Weekday::Wednesday => Weekday::Wednesday,
            civil::Weekday::Thursday => Weekday::Thursday,
            civil::Weekday::Friday => Weekday::Friday,
            civil::Weekday::Saturday => Weekday::Saturday,
        }
    }

    fn resolve_civil(&self, civil: CivilDateTime) -> Result<Resolution<Self>, CronError> {
        if self.last_year < civil.year() {
            return Err(CronError::TimeSearchLimitExceeded);
        }
        let ambiguous = self.zone.to_ambiguous_timestamp(to_datetime(civil)?);
        let resolve = |timestamp: Result<Timestamp, jiff::Error>| match timestamp {
            Ok(timestamp) => Ok(self.at(timestamp)),
            Err(_) => Err(CronError::InvalidTime),
        };
        Ok(match ambiguous.offset() {
            AmbiguousOffset::Unambiguous { .. } => {
                Resolution::Single(resolve(ambiguous.unambiguous())?)
            }
            AmbiguousOffset::Fold { .. } => {
                Resolution::Ambiguous(resolve(ambiguous.earlier())?, resolve(ambiguous.later())?)
            }
            AmbiguousOffset::Gap { .. } => Resolution::Gap,
        })
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<Self> {
        let second = self.timestamp.as_second().checked_add(seconds)?;
        Some(self.at(Timestamp::from_second(second).ok()?))
    }

    fn cmp_instant(&self, other: &Self) -> Ordering {
        self.timestamp.cmp(&other.timestamp)
    }
}

/// Fails beyond the years that jiff knows
fn to_datetime(civil: CivilDateTime) -> Result<DateTime, CronError> {
    let part = |part: u32| i8::try_from(part).map_err(|_| CronError::InvalidDate);
    let year = i16::try_from(civil.year()).map_err(|_| CronError::InvalidDate)?;
    DateTime::new(
        year,
        part(civil.month())?,
        part(civil.day())?,
        part(civil.hour())?,
        part(civil.minute())?,
        part(civil.second())?,
        0,
    )
    .map_err(|_| CronError::InvalidDate)
}

/// After so many years the dates and the days of the week are the same again
///
/// What has not come by then never comes, and a search for it need not go on.
const YEARS_OF_SEARCH: i32 = 400;
