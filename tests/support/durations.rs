//! How long a while is

use std::time::Duration;

pub const MS: Duration = Duration::from_millis(1);
pub const SECOND: Duration = Duration::from_secs(1);
pub const HOUR: Duration = Duration::from_hours(1);
pub const YEAR: Duration = Duration::from_hours(365 * 24);
