use std::time::{Duration, SystemTime};

use arbitrary::{Result, Unstructured};
use jiff::Timestamp;
use tickwheel::{Cron, CronError, Schedule, time_zone};

/// A cron line, a zone and a moment
///
/// # Panics
///
/// When an occurrence is not after the moment, another occurs before it, or the line
/// as it is shown is another line.
pub fn cron(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let Ok((zone, after)) = place_and_moment(&mut bytes) else { return };
    let Ok(line) = str::from_utf8(bytes.take_rest()) else { return };
    let zone = time_zone(zone).expect("it is known");
    match Cron::new(line, zone.clone()) {
        Ok(cron) => {
            let again = Cron::new(&cron.to_string(), zone).expect("what was understood once is");
            check(cron, again, after);
        }
        Err(error) => explain(&error, line),
    }
}

fn check(mut cron: Cron, mut again: Cron, mut after: SystemTime) {
    assert_eq!(cron.to_string(), again.to_string());
    for _ in 0..OCCURRENCES {
        let next = cron.next_after(after);
        assert_eq!(next, again.next_after(after));
        let Some(next) = next else { return };
        assert!(after < next, "`{cron}` after {after:?} at {next:?}");
        let between = after + next.duration_since(after).expect("it is after") / 2;
        assert_eq!(cron.next_after(between), Some(next), "`{cron}` after {between:?}");
        after = next;
    }
}

fn explain(error: &CronError, line: &str) {
    assert_eq!(error.line(), line);
    assert_eq!(error.span().is_some(), error.field().is_some());
    if let Some(span) = error.span() {
        assert!(!line[span].is_empty());
    }
    assert!(error.to_string().contains(line));
}

fn place_and_moment(bytes: &mut Unstructured<'_>) -> Result<(&'static str, SystemTime)> {
    let zone = *bytes.choose(&ZONES)?;
    let second = if bytes.arbitrary()? {
        bytes.int_in_range(SECONDS_OF_OUR_TIME)?
    } else {
        bytes.int_in_range(Timestamp::MIN.as_second()..=Timestamp::MAX.as_second())?
    };
    let nanos = Duration::from_nanos(bytes.int_in_range(0..=999_999_999)?);
    let seconds = Duration::from_secs(second.unsigned_abs());
    let begun = if second < 0 {
        SystemTime::UNIX_EPOCH - seconds
    } else {
        SystemTime::UNIX_EPOCH + seconds
    };
    Ok((zone, begun + nanos))
}

/// With and without daylight saving, of half an hour too, and one that left out a date
const ZONES: [&str; 7] = [
    "UTC",
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
    "Asia/Kathmandu",
];

/// 1970 to 2100
const SECONDS_OF_OUR_TIME: std::ops::RangeInclusive<i64> = 0..=4_102_444_800;

const OCCURRENCES: usize = 5;
