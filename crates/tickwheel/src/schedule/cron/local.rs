use std::cmp::Ordering;

use croner::{
    CivilDate, CivilDateTime, CivilTime, CronDateTime, Resolution, Weekday, errors::CronError,
};
use jiff::{
    Timestamp,
    civil::{self, DateTime, Time},
    tz::{AmbiguousOffset, TimeZone},
};

use crate::schedule::timestamp;

/// A whole second in a time zone, as croner wants to search for one
#[derive(Clone)]
pub(super) struct LocalTime {
    timestamp: Timestamp,
    /// What the clocks show then; where they were set forward, perhaps what they left out
    shown: DateTime,
    zone: TimeZone,
    /// Whether what clocks leave out comes when they are set forward, and not at all otherwise
    comes_after_gaps: bool,
    /// The year in which a search that began here gives up
    last_year: i32,
}

impl LocalTime {
    /// The second that had begun then
    pub(super) fn new(
        timestamp: Timestamp,
        zone: TimeZone,
        comes_after_gaps: bool,
    ) -> Option<Self> {
        let timestamp = Timestamp::from_second(timestamp::whole_second(timestamp)).ok()?;
        let shown = zone.to_datetime(timestamp);
        let last_year = i32::from(shown.year()) + YEARS_OF_SEARCH;
        Some(Self { timestamp, shown, zone, comes_after_gaps, last_year })
    }

    pub(super) fn timestamp(&self) -> Timestamp {
        self.timestamp
    }

    /// The end of the gap, if this is of a date that the zone left out altogether
    pub(super) fn after_a_date_left_out(&self) -> Option<Self> {
        let after_gap = self.at(self.timestamp);
        if after_gap.shown.date() == self.shown.date() {
            return None;
        }
        let midnight = self.shown.date().to_datetime(Time::midnight());
        let begins = self.zone.to_timestamp(midnight).ok()?;
        (self.shown.date() < self.zone.to_datetime(begins).date()).then_some(after_gap)
    }

    fn at(&self, timestamp: Timestamp) -> Self {
        Self { timestamp, shown: self.zone.to_datetime(timestamp), ..self.clone() }
    }

    /// When the clocks are set past a time that they leave out
    fn gap_ends(&self, left_out: DateTime, before_gap: Timestamp) -> Option<Self> {
        let mut changes = self.zone.following(before_gap).map(|change| change.timestamp());
        let timestamp = changes.find(|change| left_out < self.zone.to_datetime(*change))?;
        Some(Self { timestamp, shown: left_out, ..self.clone() })
    }
}

impl CronDateTime for LocalTime {
    fn to_civil(&self) -> CivilDateTime {
        let (date, time) = (self.shown.date(), self.shown.time());
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
        match self.shown.weekday() {
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
        let wanted = to_datetime(civil)?;
        let ambiguous = self.zone.to_ambiguous_timestamp(wanted);
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
            // croner would look for the end of the gap itself, but gives up after two hours.
            AmbiguousOffset::Gap { .. } if self.comes_after_gaps => {
                let before_gap = resolve(ambiguous.earlier())?.timestamp;
                let after_gap = self.gap_ends(wanted, before_gap);
                Resolution::Single(after_gap.ok_or(CronError::InvalidTime)?)
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
