//! What jiff and the standard library say of the same moment

use std::time::SystemTime;

use jiff::Timestamp;

/// `None` beyond the years -9999 to 9999, where there are no dates
pub(super) fn from_system(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}

/// `None` for what the machine's clock cannot show
pub(super) fn to_system(timestamp: Timestamp) -> Option<SystemTime> {
    SystemTime::try_from(timestamp).ok()
}

/// The last second that had begun then, counted from 1970
pub(super) fn whole_second(timestamp: Timestamp) -> i64 {
    // jiff rounds towards 1970.
    timestamp.as_second() - i64::from(timestamp.subsec_nanosecond() < 0)
}
