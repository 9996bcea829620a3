use std::fmt;

use crate::schedule::cron::{CronError, parse};

/// A field of a cron line
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CronField {
    /// 0 to 59; the first of six fields
    Second,
    /// 0 to 59
    Minute,
    /// 0 to 23
    Hour,
    /// 1 to 31
    DayOfMonth,
    /// 1 to 12, or `JAN` to `DEC`
    Month,
    /// 0 to 7, Sunday being both, or `SUN` to `SAT`
    DayOfWeek,
}

/// Looks at each field by itself, so that an error can say which it is
///
/// croner replaces names wherever they stand and overlooks empty places in lists, so
/// these are found here; the rest is its judgement on a line with nothing else in it.
pub(super) fn check_all(line: &str) -> Result<(), CronError> {
    let texts: Vec<&str> = line.split_whitespace().collect();
    let fields = match texts.len() {
        6 => &FIELDS[..],
        5 => &FIELDS[1..],
        other => {
            let reason = format!("it has {other} fields instead of 5, or 6 with seconds");
            return Err(CronError::of_line(line, reason));
        }
    };
    for (field, text) in fields.iter().zip(texts) {
        field.check(text).map_err(|reason| {
            let start = text.as_ptr() as usize - line.as_ptr() as usize;
            CronError::of_field(line, *field, start..start + text.len(), reason)
        })?;
    }
    Ok(())
}

impl CronField {
    fn check(self, text: &str) -> Result<(), String> {
        if let Some(stranger) = text.chars().find(|letter| !self.may_contain(*letter)) {
            return Err(format!("unexpected `{stranger}`"));
        }
        let text = text.to_ascii_uppercase();
        let is_word = |word: &&str| !word.is_empty();
        let words = text.split(|letter: char| !letter.is_ascii_alphabetic()).filter(is_word);
        for word in words {
            if !self.knows(word) {
                return Err(format!("unknown word `{word}`"));
            }
        }
        for item in text.trim_start_matches('+').split(',') {
            match item {
                "" => return Err("an empty place in the list".into()),
                // croner takes it for a day, and never finds that.
                "L" if self == Self::DayOfWeek => return Err("`L` of no day".into()),
                _ => {}
            }
        }
        let alone = FIELDS.map(|field| if field == self { text.as_str() } else { "*" });
        parse(&alone.join(" ")).map(drop)
    }

    fn may_contain(self, letter: char) -> bool {
        let is_special = match self {
            Self::DayOfMonth => "?LWlw".contains(letter),
            Self::Month => letter.is_ascii_alphabetic(),
            Self::DayOfWeek => "?#+".contains(letter) || letter.is_ascii_alphabetic(),
            Self::Second | Self::Minute | Self::Hour => false,
        };
        is_special || letter.is_ascii_digit() || "*/,-".contains(letter)
    }

    fn knows(self, word: &str) -> bool {
        match self {
            Self::DayOfMonth => ["L", "W", "LW"].contains(&word),
            Self::Month => MONTHS.contains(&word),
            Self::DayOfWeek => {
                let day = word.strip_suffix('L').unwrap_or(word);
                day.is_empty() || DAYS.contains(&day)
            }
            Self::Second | Self::Minute | Self::Hour => false,
        }
    }

    /// What may stand there, for an error's end
    pub(super) fn takes(self) -> &'static str {
        match self {
            Self::Second => "a second is 0 to 59",
            Self::Minute => "a minute is 0 to 59",
            Self::Hour => "an hour is 0 to 23",
            Self::DayOfMonth => "a day of the month is 1 to 31",
            Self::Month => "a month is 1 to 12 or JAN to DEC",
            Self::DayOfWeek => "a day of the week is 0 to 7 or SUN to SAT",
        }
    }
}

impl fmt::Display for CronField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::DayOfMonth => "day of the month",
            Self::Month => "month",
            Self::DayOfWeek => "day of the week",
        })
    }
}

/// In the order of a line
const FIELDS: [CronField; 6] = [
    CronField::Second,
    CronField::Minute,
    CronField::Hour,
    CronField::DayOfMonth,
    CronField::Month,
    CronField::DayOfWeek,
];

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
