//! How much is done: enough for figures, or just to see that all runs

/// Rounds, crowds and times of a run
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Rounds of what takes a millisecond
    pub(crate) short: usize,
    /// Rounds of what keeps all cores busy for a tenth of a second
    pub(crate) busy: usize,
    /// Rounds of waiting for one sleep
    pub(crate) waits: usize,
    /// Rounds of what takes seconds
    pub(crate) long: usize,
    /// Rounds with a blocked worker
    pub(crate) blocked: usize,
    /// Items that come and go in a round of a delay queue
    pub(crate) items: u32,
    /// Timers that are armed besides, and live ones of which one at random is replaced
    pub(crate) others: &'static [usize],
    pub(crate) live: &'static [usize],
    /// Tasks of a storm, and timers that are far away
    pub(crate) many: usize,
    /// For how long a process that does nothing is watched
    pub(crate) idle_seconds: u64,
}

impl Scale {
    pub(crate) const FULL: Self = Self {
        short: 101,
        busy: 31,
        waits: 101,
        long: 3,
        blocked: 15,
        items: 10_000,
        others: &[0, 100_000, 1_000_000],
        live: &[10_000, 100_000, 1_000_000],
        many: 1_000_000,
        idle_seconds: 5,
    };

    pub(crate) const QUICK: Self = Self {
        short: 5,
        busy: 3,
        waits: 5,
        long: 1,
        blocked: 1,
        // Without optimisation tokio-util's queue looks through all it holds at each one.
        items: 100,
        others: &[0, 10_000],
        live: &[10_000],
        many: 20_000,
        idle_seconds: 1,
    };
}
