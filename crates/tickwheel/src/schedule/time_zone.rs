use std::{error::Error, fmt};

use jiff::tz::TimeZone;

/// The time zone of this name, such as `Europe/Berlin`, in any case of letters
///
/// As [`TimeZone::get`], which looks into the machine's database of time zones, or
/// the one bundled with jiff; where the name comes from a configuration file,
/// this one's error says which it was and no more than that.
///
/// # Errors
///
/// [`UnknownTimeZone`] with the name when there is none.
///
/// # Examples
///
/// ```
/// let error = tickwheel::time_zone("Mars/Olympus").unwrap_err();
/// assert_eq!(error.to_string(), "there is no time zone `Mars/Olympus`");
/// ```
pub fn time_zone(name: &str) -> Result<TimeZone, UnknownTimeZone> {
    TimeZone::get(name).map_err(|source| UnknownTimeZone { name: name.into(), source })
}

/// No time zone has this name
#[derive(Clone, Debug)]
pub struct UnknownTimeZone {
    name: Box<str>,
    source: jiff::Error,
}

impl UnknownTimeZone {
    /// The name that was asked for
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for UnknownTimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no time zone `{}`", self.name)
    }
}

impl Error for UnknownTimeZone {
    /// What the database said: it may be the database that is missing
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}
