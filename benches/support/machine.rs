//! What Linux tells of this process; not a number elsewhere

use std::{fs, time::Duration};

/// Processor time of all threads that live now, to the nanosecond
pub fn cpu_time() -> Option<Duration> {
    of_threads("schedstat", |text| text.split_ascii_whitespace().next()?.parse().ok())
        .map(Duration::from_nanos)
}

/// How often threads have gone to sleep so far, this one included
pub fn sleeps_of_threads() -> Option<u64> {
    of_threads("status", |text| {
        let line = text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        line.trim().parse().ok()
    })
}

/// Memory that is really there
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

fn of_threads(file: &str, read: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let mut sum = 0;
    for thread in fs::read_dir("/proc/self/task").ok()?.flatten() {
        // One that has just ended counts no more.
        if let Ok(text) = fs::read_to_string(thread.path().join(file)) {
            sum += read(&text)?;
        }
    }
    Some(sum)
}
