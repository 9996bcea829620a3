//! Days on which clocks are set, against looks at what they show all through two years
//!
//! The time zones are bundled, so that the machine has no say in it.

use std::{collections::BTreeMap, sync::LazyLock, time::SystemTime};

use jiff::{
    SignedDuration, Timestamp, ToSpan,
    civil::{self, Date, DateTime, Time, time},
    tz::{TimeZone, TimeZoneDatabase},
};
use tickwheel::{
    Cron, DailyAt,
    DaylightSaving::{self, Compatible, Earlier, Later, Skip},
    HourlyAt, Schedule,
};

/// Case C9: the table in the documentation of `DaylightSaving`, line by line
#[test]
fn each_policy_does_what_its_table_says() {
    let table = [
        (NEW_YORK, (3, 8), time(2, 30, 0, 0), ["03:30 EDT", "01:30 EST", "03:30 EDT", "none"]),
        (
            NEW_YORK,
            (11, 1),
            time(1, 30, 0, 0),
            ["01:30 EDT", "01:30 EDT", "01:30 EST", "01:30 EDT"],
        ),
        (BERLIN, (3, 29), time(2, 30, 0, 0), ["03:30 CEST", "01:30 CET", "03:30 CEST", "none"]),
        (
            BERLIN,
            (10, 25),
            time(2, 30, 0, 0),
            ["02:30 CEST", "02:30 CEST", "02:30 CET", "02:30 CEST"],
        ),
        (LORD_HOWE, (10, 4), time(2, 15, 0, 0), ["02:45 +11", "01:45 +1030", "02:45 +11", "none"]),
        (
            LORD_HOWE,
            (4, 5),
            time(1, 45, 0, 0),
            ["01:45 +11", "01:45 +11", "01:45 +1030", "01:45 +11"],
        ),
    ];
    for (name, (month, day), time, expected) in table {
        let zone = zone(name);
        let date = civil::date(2026, month, day);
        for (policy, expected) in POLICIES.into_iter().zip(expected) {
            let mut schedule = DailyAt::new(time, zone.clone(), policy);
            let midnight = zone.to_timestamp(date.to_datetime(Time::midnight())).unwrap();
            let next = timestamp(schedule.next_after(system(midnight)).unwrap());
            let next = next.to_zoned_datetime(zone.clone());
            let seen = if next.date() == date {
                next.strftime("%H:%M %Z").to_string()
            } else {
                "none".to_owned()
            };
            assert_eq!(seen, expected, "{name} {date} {time} {policy:?}");
        }
    }
}

/// Case C9: every quarter of an hour of the night, every day of two years
#[test]
fn a_daily_schedule_agrees_with_looks_at_the_clock() {
    for name in ZONES {
        let zone = zone(name);
        let looks = Looks::of(name);
        for quarter in 0..13 {
            let time = time(quarter / 4, quarter % 4 * 15, 0, 0);
            for policy in POLICIES {
                let mut schedule = DailyAt::new(time, zone.clone(), policy);
                let expected: Vec<_> =
                    dates().filter_map(|date| looks.on(date.to_datetime(time), policy)).collect();
                let seen = occurrences(&mut schedule);
                assert_eq!(seen, expected, "{name} {time} {policy:?}");
            }
        }
    }
}

/// Case C9: whichever moment it is asked from, the answer is the first one after it
#[test]
fn a_daily_schedule_may_be_asked_from_any_moment_of_a_day_of_change() {
    for (name, date) in CHANGES {
        let zone = zone(name);
        for policy in POLICIES {
            for time in [time(0, 0, 0, 0), time(1, 45, 0, 0), time(2, 15, 0, 0)] {
                let mut schedule = DailyAt::new(time, zone.clone(), policy);
                let noon_before = date.yesterday().unwrap().at(12, 0, 0, 0);
                let start = zone.to_timestamp(noon_before).unwrap();
                let all: Vec<_> = occurrences_after(start - 48.hours(), &mut schedule)
                    .take_while(|at| *at < start + 96.hours())
                    .collect();
                for quarter in 0..48 * 4 {
                    let after = start + SignedDuration::from_mins(15) * quarter;
                    for after in [after, after - SignedDuration::from_nanos(1)] {
                        let next = timestamp(schedule.next_after(system(after)).unwrap());
                        let expected = all.iter().find(|occurrence| after < **occurrence).unwrap();
                        assert_eq!(next, *expected, "{name} {time} {policy:?} after {after}");
                    }
                }
            }
        }
    }
}

/// Case C9: half-hour changes make one wait of 30 and one of 90 minutes
#[test]
fn an_hourly_schedule_comes_whenever_the_clocks_show_its_minute() {
    for name in ZONES {
        let looks = Looks::of(name);
        for minute in [0, 15, 45] {
            let mut schedule = HourlyAt::new(minute, 0, zone(name)).unwrap();
            let expected: Vec<_> = looks.showing(|shown| shown.minute().unsigned_abs() == minute);
            let seen = occurrences(&mut schedule);
            let waits = seen.windows(2).map(|pair| pair[1].duration_since(pair[0]).as_mins());
            let odd = waits.filter(|wait| *wait != 60).collect::<Vec<_>>();
            assert_eq!(seen, expected, "{name} {minute}");
            let expected: &[i64] = match name {
                // From 02:00 to 01:30 each April, and from 02:00 to 02:30 each October.
                LORD_HOWE if minute < 30 => &[90, 90, 90, 90],
                LORD_HOWE => &[30, 30, 30, 30],
                _ => &[],
            };
            assert_eq!(odd, expected, "{name} {minute}");
        }
    }
}

/// Case C9, for cron lines: those with more than one time of day go by what the clocks show
#[test]
fn a_cron_line_with_several_times_comes_whenever_the_clocks_show_one() {
    for name in ZONES {
        let zone = zone(name);
        let looks = Looks::of(name);
        let mut quarters = Cron::new("*/15 0-3 * * *", zone.clone()).unwrap();
        let expected = looks.showing(|shown| shown.hour() <= 3 && shown.minute() % 15 == 0);
        assert_eq!(occurrences(&mut quarters), expected, "{name}");
        let mut nightly = Cron::new("5,35 1-2 * * *", zone.clone()).unwrap();
        let expected = looks
            .showing(|shown| (1..=2).contains(&shown.hour()) && [5, 35].contains(&shown.minute()));
        assert_eq!(occurrences(&mut nightly), expected, "{name}");
    }
}

/// Case C9, for cron lines: the table in the documentation of `Cron`
#[test]
fn a_cron_line_with_one_time_comes_once_a_day() {
    let zone = zone(NEW_YORK);
    let shown_on = |line: &str, month, day| {
        let date = civil::date(2026, month, day);
        let mut schedule = Cron::new(line, zone.clone()).unwrap();
        occurrences(&mut schedule)
            .into_iter()
            .map(|occurrence| occurrence.to_zoned_datetime(zone.clone()))
            .filter(|occurrence| occurrence.date() == date)
            .map(|occurrence| occurrence.strftime("%H:%M %Z").to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(shown_on("30 2 * * *", 3, 8), ["03:00 EDT"]);
    assert_eq!(shown_on("30 1 * * *", 11, 1), ["01:30 EDT"]);
    let twice = ["01:00 EDT", "01:30 EDT", "01:00 EST", "01:30 EST"];
    assert_eq!(shown_on("*/30 1 * * *", 11, 1), twice);
    let around_the_gap = ["01:00 EST", "01:30 EST", "03:00 EDT", "03:30 EDT"];
    assert_eq!(shown_on("*/30 1-3 * * *", 3, 8), around_the_gap);
    for name in ZONES {
        for line in ["30 2 * * *", "45 1 * * *", "0 0 * * *"] {
            let mut schedule = Cron::new(line, self::zone(name)).unwrap();
            assert_eq!(occurrences(&mut schedule).len(), 2 * 365, "{name} {line}");
        }
    }
}

/// Asked from within a second, and from each side of a change
#[test]
fn a_cron_line_never_answers_with_what_is_not_later() {
    for (name, date) in CHANGES {
        let zone = zone(name);
        let midnight = zone.to_timestamp(date.to_datetime(Time::midnight())).unwrap();
        for line in ["* * * * * *", "*/7 * * * *", "30 1 * * *", "15 2 * * *", "59 59 1 * * *"] {
            let mut schedule = Cron::new(line, zone.clone()).unwrap();
            for quarter in 0..5 * 4 {
                for nanos in [-1, 0, 1, 500_000_000, 999_999_999] {
                    let after = midnight
                        + SignedDuration::from_mins(15) * quarter
                        + SignedDuration::from_nanos(nanos);
                    let next = timestamp(schedule.next_after(system(after)).unwrap());
                    assert!(after < next, "{name} `{line}`: {next} after {after}");
                }
            }
        }
    }
}

/// Samoa had no 30 December in 2011
#[test]
fn a_date_that_a_zone_left_out_has_no_occurrence() {
    let zone = zone("Pacific/Apia");
    let start = zone.to_timestamp(civil::date(2011, 12, 29).at(0, 0, 0, 0)).unwrap();
    for policy in POLICIES {
        let mut schedule = DailyAt::new(time(12, 0, 0, 0), zone.clone(), policy);
        let mut after = system(start);
        let mut days = Vec::new();
        for _ in 0..3 {
            after = schedule.next_after(after).unwrap();
            days.push(timestamp(after).to_zoned_datetime(zone.clone()).datetime());
        }
        let noon = |year, month, day| civil::date(year, month, day).at(12, 0, 0, 0);
        assert_eq!(days, [noon(2011, 12, 29), noon(2011, 12, 31), noon(2012, 1, 1)]);
    }
}

/// What the clocks of a zone show every five minutes of the two years, and a little around
struct Looks {
    /// When they show something, once or twice
    shown: BTreeMap<DateTime, Vec<Timestamp>>,
    gaps: Vec<Gap>,
}

/// From the first time that the clocks do not show, at this moment, to the first that they do
struct Gap {
    at: Timestamp,
    from: DateTime,
    to: DateTime,
}

impl Looks {
    fn of(name: &str) -> Self {
        let zone = zone(name);
        let (first, last) = (first_of(2026) - 48.hours(), first_of(2028) + 48.hours());
        let mut looks = Self { shown: BTreeMap::new(), gaps: Vec::new() };
        let (mut at, mut from) = (first, zone.to_datetime(first));
        while at < last {
            let to = zone.to_datetime(at);
            if from < to {
                looks.gaps.push(Gap { at, from, to });
            }
            looks.shown.entry(to).or_default().push(at);
            (at, from) = (at + BETWEEN_LOOKS, to + BETWEEN_LOOKS);
        }
        looks
    }

    /// When the clocks show such a thing within the two years
    fn showing(&self, what: impl Fn(DateTime) -> bool) -> Vec<Timestamp> {
        let shown = self.shown.iter().filter(|(shown, _)| what(**shown)).flat_map(|(_, at)| at);
        let mut shown: Vec<_> = shown.copied().filter(|at| is_of_the_years(*at)).collect();
        shown.sort_unstable();
        shown
    }

    /// When a schedule comes that wants to come at this time of this day
    fn on(&self, wanted: DateTime, policy: DaylightSaving) -> Option<Timestamp> {
        let at = match (self.shown.get(&wanted).map(Vec::as_slice), policy) {
            (Some([_, second]), Later) => *second,
            (Some(shown), _) => shown[0],
            (None, Skip) => return None,
            (None, _) => {
                let is_in = |gap: &&Gap| gap.from <= wanted && wanted < gap.to;
                let gap = self.gaps.iter().find(is_in).unwrap();
                match policy {
                    Earlier => gap.at - gap.to.duration_since(wanted),
                    _ => gap.at + wanted.duration_since(gap.from),
                }
            }
        };
        is_of_the_years(at).then_some(at)
    }
}

/// All of the two years, which begin and end when they do in Greenwich
fn occurrences(schedule: &mut impl Schedule) -> Vec<Timestamp> {
    let before = first_of(2026) - SignedDuration::from_nanos(1);
    occurrences_after(before, schedule).take_while(|at| is_of_the_years(*at)).collect()
}

fn occurrences_after(
    start: Timestamp,
    schedule: &mut impl Schedule,
) -> impl Iterator<Item = Timestamp> {
    let next = |after: &Timestamp| schedule.next_after(system(*after)).map(timestamp);
    std::iter::successors(Some(start), next).skip(1)
}

fn is_of_the_years(at: Timestamp) -> bool {
    (first_of(2026)..first_of(2028)).contains(&at)
}

fn first_of(year: i16) -> Timestamp {
    TimeZone::UTC.to_timestamp(civil::date(year, 1, 1).at(0, 0, 0, 0)).unwrap()
}

/// With one more at each end, for zones whose dates are ahead or behind
fn dates() -> impl Iterator<Item = Date> {
    civil::date(2025, 12, 31).series(1.day()).take_while(|date| *date <= civil::date(2028, 1, 1))
}

fn zone(name: &str) -> TimeZone {
    static BUNDLED: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    BUNDLED.get(name).unwrap()
}

fn system(timestamp: Timestamp) -> SystemTime {
    timestamp.try_into().unwrap()
}

fn timestamp(time: SystemTime) -> Timestamp {
    time.try_into().unwrap()
}

/// No zone changes at a moment that is not one of these
const BETWEEN_LOOKS: SignedDuration = SignedDuration::from_mins(5);

const NEW_YORK: &str = "America/New_York";
const BERLIN: &str = "Europe/Berlin";
/// Its clocks change by half an hour
const LORD_HOWE: &str = "Australia/Lord_Howe";
const ZONES: [&str; 3] = [NEW_YORK, BERLIN, LORD_HOWE];
const POLICIES: [DaylightSaving; 4] = [Compatible, Earlier, Later, Skip];
const CHANGES: [(&str, Date); 6] = [
    (NEW_YORK, civil::date(2026, 3, 8)),
    (NEW_YORK, civil::date(2027, 11, 7)),
    (BERLIN, civil::date(2026, 3, 29)),
    (BERLIN, civil::date(2026, 10, 25)),
    (LORD_HOWE, civil::date(2027, 4, 4)),
    (LORD_HOWE, civil::date(2026, 10, 4)),
];
