//! What schedules answer when they are asked, without a timer

use std::time::{Duration, Instant, SystemTime};

use jiff::{
    Timestamp,
    civil::time,
    tz::{self, TimeZone, TimeZoneDatabase},
};
use tickwheel::{Cron, DailyAt, DaylightSaving, Every, HourlyAt, Schedule, ZeroPeriod, time_zone};
use tickwheel_tests::durations::{HOUR, MS, SECOND, YEAR};

#[test]
fn every_counts_from_its_first_call_and_does_not_drift() {
    let start = at("2026-01-01T00:00:00.0037Z");
    let mut every = Every::new(10 * SECOND).unwrap();
    assert_eq!(every.period(), 10 * SECOND);
    assert_eq!(every.next_after(start), Some(start + 10 * SECOND));
    for (late, next) in [(10, 20), (13, 20), (19, 20), (20, 30), (29, 30), (47, 50), (1000, 1010)] {
        assert_eq!(every.next_after(start + late * SECOND), Some(start + next * SECOND));
    }
    assert_eq!(every.next_after(start + 20 * SECOND - MS), Some(start + 20 * SECOND));
    let a_nanosecond_early = start + 20 * SECOND - Duration::from_nanos(1);
    assert_eq!(every.next_after(a_nanosecond_early), Some(start + 20 * SECOND));
}

#[test]
fn every_keeps_its_phase_when_asked_for_what_was_before_its_first_call() {
    let start = at("2026-01-01T00:00:00Z");
    let mut every = Every::new(10 * SECOND).unwrap();
    assert_eq!(every.next_after(start), Some(start + 10 * SECOND));
    for (before, next) in [(1, 0), (9, 0), (10, 0), (11, 10), (20, 10), (1007, 1000)] {
        let next = if before == 10 { start } else { start - next * SECOND };
        assert_eq!(every.next_after(start - before * SECOND), Some(next), "{before} before");
    }
}

#[test]
fn every_takes_any_period_but_zero() {
    assert_eq!(Every::new(Duration::ZERO).unwrap_err(), ZeroPeriod);
    let start = at("2026-01-01T00:00:00Z");
    let nanosecond = Duration::from_nanos(1);
    let mut shortest = Every::new(nanosecond).unwrap();
    assert_eq!(shortest.next_after(start), Some(start + nanosecond));
    assert_eq!(shortest.next_after(start + YEAR), Some(start + YEAR + nanosecond));
    let mut long = Every::new(1000 * YEAR).unwrap();
    assert_eq!(long.next_after(start), Some(start + 1000 * YEAR));
    assert_eq!(Every::new(Duration::MAX).unwrap().next_after(start), None);
}

#[test]
fn a_daily_schedule_comes_each_day_at_its_time_to_the_nanosecond() {
    let zone = TimeZone::fixed(tz::offset(-5));
    let mut daily = DailyAt::new(time(23, 59, 59, 999_999_999), zone, DaylightSaving::Skip);
    let expected = ["2025-12-31", "2026-01-01", "2026-01-02"]
        .map(|date| at(&format!("{date}T23:59:59.999999999-05")));
    assert_eq!(first(3, &mut daily, at("2025-12-31T00:00:00-05")), expected);
    assert_eq!(daily.next_after(expected[0]), Some(expected[1]));
    let a_nanosecond_early = expected[0] - Duration::from_nanos(1);
    assert_eq!(daily.next_after(a_nanosecond_early), Some(expected[0]));
}

#[test]
fn an_hourly_schedule_comes_each_hour_of_its_zone() {
    let mut hourly = HourlyAt::new(15, 30, zone("Asia/Kathmandu")).unwrap();
    let expected =
        ["00:30:30", "01:30:30", "02:30:30"].map(|time| at(&format!("2026-01-01T{time}Z")));
    assert_eq!(first(3, &mut hourly, at("2026-01-01T00:00:00Z")), expected);
    assert_eq!(hourly.next_after(expected[0]), Some(expected[1]));
    assert_eq!(hourly.next_after(expected[0] - Duration::from_nanos(1)), Some(expected[0]));
    assert_eq!(hourly.next_after(expected[0] + Duration::from_nanos(1)), Some(expected[1]));
}

#[test]
fn what_was_before_1970_rounds_the_same_way() {
    let mut hourly = HourlyAt::new(0, 1, TimeZone::UTC).unwrap();
    let mut cron = Cron::new("1 0 * * * *", TimeZone::UTC).unwrap();
    let second_past = at("1969-12-31T22:00:01Z");
    for schedule in [&mut hourly as &mut dyn Schedule, &mut cron] {
        let nanosecond = Duration::from_nanos(1);
        assert_eq!(schedule.next_after(second_past - nanosecond), Some(second_past));
        assert_eq!(schedule.next_after(second_past), Some(second_past + HOUR));
        assert_eq!(schedule.next_after(second_past + nanosecond), Some(second_past + HOUR));
    }
}

#[test]
fn an_hour_has_sixty_minutes_and_a_minute_sixty_seconds() {
    assert!(HourlyAt::new(59, 59, TimeZone::UTC).is_ok());
    for (minute, second) in [(60, 0), (0, 60), (255, 255)] {
        let error = HourlyAt::new(minute, second, TimeZone::UTC).unwrap_err().to_string();
        let named = format!("no hour has a minute {minute} and second {second}");
        assert!(error.starts_with(&named), "{error}");
    }
}

#[test]
fn a_cron_line_comes_when_its_fields_say() {
    let from = at("2026-01-01T00:00:00Z");
    let cases = [
        ("* * * * * *", ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"]),
        ("* * * * *", ["2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"]),
        ("30 */15 * * * *", ["2026-01-01T00:00:30Z", "2026-01-01T00:15:30Z"]),
        ("0 9 * * MON-FRI", ["2026-01-01T09:00:00Z", "2026-01-02T09:00:00Z"]),
        ("0 0 1 * *", ["2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"]),
        ("0 0 L * ?", ["2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z"]),
        ("0 0 15W * *", ["2026-01-15T00:00:00Z", "2026-02-16T00:00:00Z"]),
        ("0 0 * * FRI#2", ["2026-01-09T00:00:00Z", "2026-02-13T00:00:00Z"]),
        ("0 0 * * friL", ["2026-01-30T00:00:00Z", "2026-02-27T00:00:00Z"]),
        ("0 0 * jul,dec 7", ["2026-07-05T00:00:00Z", "2026-07-12T00:00:00Z"]),
        ("0 0 13 * 5", ["2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z"]),
        ("0 0 13 * +5", ["2026-02-13T00:00:00Z", "2026-03-13T00:00:00Z"]),
        ("0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
    ];
    for (line, expected) in cases {
        let mut cron = Cron::new(line, TimeZone::UTC).unwrap();
        assert_eq!(first(2, &mut cron, from), expected.map(at), "{line}");
        assert_eq!(cron.to_string(), line);
    }
}

/// Bad input of issue 2: the schedule ends, and the search for it does
#[test]
fn a_date_that_does_not_exist_never_comes() {
    let started = Instant::now();
    for line in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 *", "59 59 23 30 FEB *"] {
        for name in ["UTC", "America/New_York"] {
            let mut cron = Cron::new(line, zone(name)).unwrap();
            assert_eq!(cron.next_after(at("2026-01-01T00:00:00Z")), None, "{line}");
        }
    }
    assert!(started.elapsed() < 60 * SECOND, "the search took {:?}", started.elapsed());
}

#[test]
fn the_end_of_the_calendar_ends_a_schedule() {
    let after = at("9999-12-30T00:00:00Z");
    let mut daily = DailyAt::new(time(0, 0, 0, 0), TimeZone::UTC, DaylightSaving::Compatible);
    let mut hourly = HourlyAt::new(0, 0, TimeZone::UTC).unwrap();
    let mut cron = Cron::new("0 0 * * *", TimeZone::UTC).unwrap();
    assert!(first(100, &mut daily, after).len() < 3);
    assert!(first(100, &mut hourly, after).len() < 50);
    assert_eq!(cron.next_after(after), None);
    let beyond = after + 1000 * YEAR;
    for schedule in [&mut daily as &mut dyn Schedule, &mut hourly, &mut cron] {
        assert_eq!(schedule.next_after(beyond), None);
    }
}

/// Bad input of issue 2
#[test]
fn a_time_zone_that_does_not_exist_is_named() {
    for name in ["Mars/Olympus", "", "America/New York", "../../etc/passwd"] {
        let error = time_zone(name).unwrap_err();
        assert_eq!(error.name(), name);
        assert_eq!(error.to_string(), format!("there is no time zone `{name}`"));
        assert!(std::error::Error::source(&error).is_some());
    }
    assert!(time_zone("europe/BERLIN").is_ok());
}

#[test]
fn a_box_and_a_reference_are_the_schedule_they_hold() {
    let start = at("2026-01-01T00:00:00Z");
    let mut every = Every::new(SECOND).unwrap();
    assert_eq!(first(2, &mut &mut every, start), [start + SECOND, start + 2 * SECOND]);
    let mut boxed: Box<dyn Schedule + Send> = Box::new(every);
    assert_eq!(boxed.next_after(start + 2 * SECOND), Some(start + 3 * SECOND));
    assert_eq!(first(1, &mut boxed, start), [start + SECOND]);
}

/// So many occurrences, or as many as there are
fn first(count: usize, schedule: &mut impl Schedule, start: SystemTime) -> Vec<SystemTime> {
    let next = |after: &SystemTime| schedule.next_after(*after);
    std::iter::successors(Some(start), next).skip(1).take(count).collect()
}

fn at(time: &str) -> SystemTime {
    time.parse::<Timestamp>().unwrap().try_into().unwrap()
}

fn zone(name: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(name).unwrap()
}
