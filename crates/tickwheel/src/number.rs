use std::sync::atomic::{AtomicU64, Ordering};

/// Tells apart what else could be mistaken for each other: timers, and delay queues
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Number(u64);

impl Number {
    /// One that nothing in the process has had before
    pub(crate) fn next() -> Self {
        // Of 2^64 none is given out twice while the process lives.
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

static NEXT: AtomicU64 = AtomicU64::new(0);
