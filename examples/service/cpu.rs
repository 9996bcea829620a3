//! Processor time of this process.

use std::time::Duration;

/// User and system time so far; `None` where the system does not tell
pub(crate) fn time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in brackets, and it may hold anything, spaces too.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(UTIME);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * MILLIS_PER_CLOCK_TICK))
}

/// `utime` is field 14 of proc(5), and 3 is the first one after the name
const UTIME: usize = 14 - 3;

/// Linux reports to programs in hundredths of a second on all but a few old machines (`CLK_TCK`)
const MILLIS_PER_CLOCK_TICK: u64 = 10;
