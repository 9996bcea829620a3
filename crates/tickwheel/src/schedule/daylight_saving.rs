use jiff::{
    Timestamp,
    civil::DateTime,
    tz::{AmbiguousOffset, TimeZone},
};

/// What becomes of a time of day that a change of the clocks takes away, or brings twice
///
/// Clocks that are set forward leave a gap: times which that day does not have.
/// Clocks that are set back repeat some. These are the occurrences of a
/// [`DailyAt`](crate::DailyAt) on such days of 2026:
///
/// | zone, date, time of day | `Compatible` | `Earlier` | `Later` | `Skip` |
/// |---|---|---|---|---|
/// | New York, 8 March, 02:30 (gap) | 03:30 EDT | 01:30 EST | 03:30 EDT | none |
/// | New York, 1 November, 01:30 (twice) | 01:30 EDT | 01:30 EDT | 01:30 EST | 01:30 EDT |
/// | Berlin, 29 March, 02:30 (gap) | 03:30 CEST | 01:30 CET | 03:30 CEST | none |
/// | Berlin, 25 October, 02:30 (twice) | 02:30 CEST | 02:30 CEST | 02:30 CET | 02:30 CEST |
/// | Lord Howe, 4 October, 02:15 (gap) | 02:45 +11 | 01:45 +10:30 | 02:45 +11 | none |
/// | Lord Howe, 5 April, 01:45 (twice) | 01:45 +11 | 01:45 +11 | 01:45 +10:30 | 01:45 +11 |
///
/// On all other days the four are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DaylightSaving {
    /// After a gap, as late as it would have been without; the first of two
    ///
    /// What calendars do (RFC 5545). As long after the start of the day as the time
    /// says, where the change comes before it.
    #[default]
    Compatible,
    /// Before a gap, by as much as the time lies before the gap's end; the first of two
    Earlier,
    /// After a gap, as [`Compatible`](Self::Compatible); the second of two
    Later,
    /// Not at all on a day that does not have the time; the first of two
    Skip,
}

impl DaylightSaving {
    /// When that is; `None` when it is not at all
    pub(super) fn resolve(self, time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
        let ambiguous = zone.to_ambiguous_timestamp(time);
        let is_gap = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
        match self {
            Self::Skip if is_gap => None,
            Self::Compatible | Self::Skip => ambiguous.compatible().ok(),
            Self::Earlier => ambiguous.earlier().ok(),
            Self::Later => ambiguous.later().ok(),
        }
    }
}
