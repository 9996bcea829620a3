//! Cron lines that come once a day, where clocks are set forward, by however much
//!
//! The time zones are bundled, so that the machine has no say in it.

use std::{collections::HashSet, time::SystemTime};

use jiff::{
    SignedDuration, Timestamp, ToSpan,
    civil::{self, DateTime, Time},
    tz::{TimeZone, TimeZoneDatabase},
};
use tickwheel::{Cron, Schedule};

/// From the first time that the clocks do not show, at this moment, to the first that they do
#[derive(Clone, PartialEq, Eq, Hash)]
struct Gap {
    at: Timestamp,
    from: DateTime,
    to: DateTime,
}

impl Gap {
    fn length(&self) -> SignedDuration {
        self.to.duration_since(self.from)
    }

    fn is_unusual(&self) -> bool {
        let begins_late = self.from.hour() >= 22 || self.from.hour() == 0;
        begins_late || self.length() != SignedDuration::from_hours(1)
    }
}

/// Case C9: every gap since 1990 that is not the usual hour, or is around midnight
#[test]
fn a_line_with_one_time_comes_at_the_end_of_a_gap_and_goes_on() {
    let mut lengths = Vec::new();
    // Many zones have several names.
    let mut tried = HashSet::new();
    for name in TimeZoneDatabase::bundled().available() {
        let zone = zone(name.as_str());
        for gap in gaps(&zone).into_iter().filter(Gap::is_unusual) {
            if !tried.insert(gap.clone()) {
                continue;
            }
            lengths.push(gap.length());
            for wanted in [gap.from, gap.from + gap.length() / 2, gap.to - 1.second()] {
                let time = wanted.time();
                let line = format!("{} {} {} * * *", time.second(), time.minute(), time.hour());
                let mut schedule = Cron::new(&line, zone.clone()).unwrap();
                let expected = once_a_day(&zone, time, &gap);
                let seen = occurrences(&mut schedule, gap.at - 72.hours(), gap.at + 72.hours());
                assert_eq!(seen, expected, "{name:?} `{line}` around {}", gap.at);
            }
        }
    }
    lengths.sort_unstable();
    assert!(lengths.first() < Some(&SignedDuration::from_hours(1)));
    assert_eq!(lengths.last(), Some(&SignedDuration::from_hours(24)), "Samoa's");
}

/// Samoa had no 30 December in 2011
#[test]
fn a_date_that_a_zone_left_out_has_no_occurrence() {
    let zone = zone("Pacific/Apia");
    for (line, expected) in [
        ("0 12 * * *", ["2011-12-29T12:00:00", "2011-12-31T12:00:00", "2012-01-01T12:00:00"]),
        ("@daily", ["2011-12-29T00:00:00", "2011-12-31T00:00:00", "2012-01-01T00:00:00"]),
        ("30 23 * * *", ["2011-12-29T23:30:00", "2011-12-31T23:30:00", "2012-01-01T23:30:00"]),
        ("0 12 30 * *", ["2012-01-30T12:00:00", "2012-03-30T12:00:00", "2012-04-30T12:00:00"]),
        ("0 12 30 12 *", ["2012-12-30T12:00:00", "2013-12-30T12:00:00", "2014-12-30T12:00:00"]),
        (
            "0 */12 30,31 12 *",
            ["2011-12-31T00:00:00", "2011-12-31T12:00:00", "2012-12-30T00:00:00"],
        ),
    ] {
        let mut schedule = Cron::new(line, zone.clone()).unwrap();
        let mut after = zone.to_timestamp(civil::date(2011, 12, 28).at(23, 59, 0, 0)).unwrap();
        let shown = [(); 3].map(|()| {
            after = timestamp(schedule.next_after(system(after)).unwrap());
            zone.to_datetime(after).to_string()
        });
        assert_eq!(shown, expected, "`{line}`");
    }
}

/// What `Cron` promises, day by day and straight from the zone
fn once_a_day(zone: &TimeZone, wanted: Time, gap: &Gap) -> Vec<Timestamp> {
    let days = (gap.from.date() - 4.days()).series(1.day()).take(9);
    let is_left_out = |midnight: DateTime| gap.from <= midnight && midnight + 1.day() <= gap.to;
    days.filter(|date| !is_left_out(date.to_datetime(Time::midnight())))
        .map(|date| {
            let wanted = date.to_datetime(wanted);
            let is_in_the_gap = gap.from <= wanted && wanted < gap.to;
            if is_in_the_gap {
                gap.at
            } else {
                zone.to_ambiguous_timestamp(wanted).earlier().unwrap()
            }
        })
        .filter(|at| gap.at - 72.hours() < *at && *at <= gap.at + 72.hours())
        .collect()
}

fn occurrences(schedule: &mut Cron, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let next = |after: &Timestamp| schedule.next_after(system(*after)).map(timestamp);
    std::iter::successors(Some(after), next).skip(1).take_while(|at| *at <= until).collect()
}

/// Where the clocks of a zone were and will be set forward
fn gaps(zone: &TimeZone) -> Vec<Gap> {
    let first = "1990-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
    let last = "2030-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
    let changes = zone.following(first).map(|change| change.timestamp());
    changes
        .take_while(|at| *at < last)
        .map(|at| {
            let from = zone.to_datetime(at - 1.second()) + 1.second();
            Gap { at, from, to: zone.to_datetime(at) }
        })
        .filter(|gap| gap.from < gap.to)
        .collect()
}

fn zone(name: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(name).unwrap()
}

fn system(timestamp: Timestamp) -> SystemTime {
    timestamp.try_into().unwrap()
}

fn timestamp(time: SystemTime) -> Timestamp {
    time.try_into().unwrap()
}
