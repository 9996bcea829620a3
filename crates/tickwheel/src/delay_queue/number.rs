use std::sync::atomic::{AtomicU64, Ordering};

/// Which delay queue of the process it is
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct QueueNumber(u64);

impl QueueNumber {
    /// One that no queue has had before
    pub(crate) fn next() -> Self {
        // Of 2^64 none is given out twice while the process lives.
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

static NEXT: AtomicU64 = AtomicU64::new(0);
