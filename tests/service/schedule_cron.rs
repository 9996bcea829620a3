//! How cron lines are read, and those that are not understood

use jiff::{Timestamp, tz::TimeZone};
use tickwheel::{
    Cron, CronError,
    CronField::{self, DayOfMonth, DayOfWeek, Hour, Minute, Month, Second},
    Schedule,
};

/// Bad input of issue 2
#[test]
fn the_error_points_at_the_field() {
    let cases = [
        ("60 * * * * *", Second, "60"),
        ("60 * * * *", Minute, "60"),
        ("0 60 * * * *", Minute, "60"),
        ("* 24 * * *", Hour, "24"),
        ("* 9-5 * * *", Hour, "9-5"),
        ("* */0 * * *", Hour, "*/0"),
        ("* 5/2 * * *", Hour, "5/2"),
        ("* /2 * * *", Hour, "/2"),
        ("* 1-2-3 * * *", Hour, "1-2-3"),
        ("* 1/2/3 * * *", Hour, "1/2/3"),
        ("* *,1 * * *", Hour, "*,1"),
        ("* 99999999999999999999 * * *", Hour, "99999999999999999999"),
        ("* -1 * * *", Hour, "-1"),
        ("* 1.5 * * *", Hour, "1.5"),
        ("* noon * * *", Hour, "noon"),
        ("* * 0 * *", DayOfMonth, "0"),
        ("* * 32 * *", DayOfMonth, "32"),
        ("* * W * *", DayOfMonth, "W"),
        ("* * 1L * *", DayOfMonth, "1L"),
        ("* * * 0 *", Month, "0"),
        ("* * * 13 *", Month, "13"),
        ("* * * APRIL *", Month, "APRIL"),
        ("* * * * 8", DayOfWeek, "8"),
        ("* * * * FRI-MON", DayOfWeek, "FRI-MON"),
        ("* * * * FRI#6", DayOfWeek, "FRI#6"),
        ("* * * * FRI#0", DayOfWeek, "FRI#0"),
        ("* * * * FRI#", DayOfWeek, "FRI#"),
        ("* * * * SUNDAY", DayOfWeek, "SUNDAY"),
        ("* * * * \u{1F642}", DayOfWeek, "\u{1F642}"),
        // Lines that croner by itself takes for something else.
        ("JAN * * * *", Minute, "JAN"),
        ("* MON * * *", Hour, "MON"),
        ("* * * MON *", Month, "MON"),
        ("* * * * JAN", DayOfWeek, "JAN"),
        ("* * * * L", DayOfWeek, "L"),
        ("* , * * *", Hour, ","),
        ("1,,2 * * * *", Minute, "1,,2"),
        ("1, * * * *", Minute, "1,"),
        ("* * ,1 * *", DayOfMonth, ",1"),
        ("* * * * +", DayOfWeek, "+"),
        ("\t 0   25\t* *  * ", Hour, "25"),
    ];
    for (line, field, text) in cases {
        let error = error(line);
        assert_eq!(error.line(), line);
        assert_eq!(error.field(), Some(field), "{error}");
        assert_eq!(&line[error.span().unwrap()], text, "{error}");
        let message = error.to_string();
        let place = format!("cron line `{line}`: {field} `{text}`: ");
        assert!(message.starts_with(&place), "{message}");
    }
}

#[test]
fn the_first_of_several_faults_is_pointed_at() {
    let error = error("0 25 32 13 9");
    assert_eq!((error.field(), error.span()), (Some(Hour), Some(2..4)));
}

#[test]
fn the_message_says_what_the_field_takes() {
    let cases = [
        ("0 25 * * *", "hour `25`: number out of bounds; an hour is 0 to 23"),
        ("x * * * *", "minute `x`: unexpected `x`; a minute is 0 to 59"),
        ("0 0 * APRIL *", "month `APRIL`: unknown word `APRIL`; a month is 1 to 12 or JAN to DEC"),
        (
            "0 0 1,,2 * *",
            "day of the month `1,,2`: an empty place in the list; a day of the month is 1 to 31",
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(error(line).to_string(), format!("cron line `{line}`: {expected}"));
    }
}

#[test]
fn a_line_has_five_fields_or_six() {
    let cases = [("", 0), ("  ", 0), ("daily", 1), ("* * * *", 4), ("* * * * * * 2026", 7)];
    for (line, count) in cases {
        let error = error(line);
        assert_eq!((error.field(), error.span()), (None, None));
        let reason = format!("it has {count} fields instead of 5, or 6 with seconds");
        assert_eq!(error.to_string(), format!("cron line `{line}`: {reason}"));
    }
}

#[test]
fn fields_are_read_in_any_case_and_with_any_space_between() {
    for line in
        [" 0  9\t* * mon-Fri ", "0 9 ? jan ?", "0 0 lw * *", "0 0 * * SuN", "0 0 1-7 * +tue"]
    {
        let cron = Cron::new(line, TimeZone::UTC).unwrap();
        assert_eq!(cron.to_string(), line.trim());
    }
}

#[test]
fn a_nickname_is_the_line_it_stands_for() {
    let start = "2026-03-04T05:06:07Z".parse::<Timestamp>().unwrap();
    let cases = [
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@monthly", "0 0 1 * *"),
        ("@weekly", "0 0 * * 0"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        (" @Hourly ", "0 * * * *"),
    ];
    for (nickname, line) in cases {
        let mut named = Cron::new(nickname, TimeZone::UTC).unwrap();
        let mut spelled_out = Cron::new(line, TimeZone::UTC).unwrap();
        let mut after = start.try_into().unwrap();
        for _ in 0..3 {
            let next = named.next_after(after).unwrap();
            assert_eq!(Some(next), spelled_out.next_after(after), "{nickname}");
            after = next;
        }
        assert_eq!(named.to_string(), nickname.trim());
    }
}

#[test]
fn a_nickname_that_is_none_is_refused_with_those_there_are() {
    for line in ["@", "@reboot", "@every 5m", "@daily @daily", "@daily * * * *", "@täglich"] {
        let error = error(line);
        assert_eq!((error.field(), error.span(), error.line()), (None, None, line));
        let message = error.to_string();
        let expected = format!("cron line `{line}`: it is none of the nicknames @yearly, ");
        assert!(message.starts_with(&expected) && message.ends_with("@hourly"), "{message}");
    }
}

/// Whatever the line, there is an answer, and one about a field says where
#[test]
fn no_line_panics() {
    let items = [
        "*", "1", "0", "7", "60", "L", "W", "LW", "#", "1#2", "5L", "-", "/", ",", "?", "+", "ß",
        "é1",
    ];
    for first in items {
        for second in items {
            for position in 0..6 {
                let mut fields = ["*"; 6].map(ToOwned::to_owned);
                fields[position] = format!("{first}{second}");
                let line = fields.join(" ");
                if let Err(error) = Cron::new(&line, TimeZone::UTC) {
                    assert_eq!(error.field(), Some(FIELDS[position]), "{error}");
                }
            }
        }
    }
}

fn error(line: &str) -> CronError {
    Cron::new(line, TimeZone::UTC).expect_err(line)
}

const FIELDS: [CronField; 6] = [Second, Minute, Hour, DayOfMonth, Month, DayOfWeek];
