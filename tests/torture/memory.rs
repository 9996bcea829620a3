//! How much memory the process has

/// In bytes that are resident; `None` where the system does not tell
pub(crate) fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

/// All but a few machines have pages of this size; on the others the figures are off by a factor
const PAGE: u64 = 4096;
