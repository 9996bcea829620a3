use std::time::Duration;

use tokio::time::Instant;

/// How much the driver does in one turn before it lets other tasks run
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Timers fired, and steps of moving others down
    pub(crate) timers: usize,
    pub(crate) time: Duration,
}

/// What is left of a budget
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    pub(crate) timers: usize,
    pub(crate) until: Instant,
}

impl Budget {
    pub(crate) const DEFAULT: Self = Self { timers: 256, time: Duration::from_micros(500) };

    pub(crate) fn begin(self, now: Instant) -> Rest {
        let until = now.checked_add(self.time);
        Rest { timers: self.timers, until: until.unwrap_or_else(|| now + A_LONG_TIME) }
    }
}

impl Rest {
    pub(crate) fn is_used_up(&self, now: Instant) -> bool {
        self.timers == 0 || now >= self.until
    }
}

/// No turn gets to its end
const A_LONG_TIME: Duration = Duration::from_secs(1 << 30);
