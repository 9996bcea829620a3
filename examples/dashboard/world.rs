//! The runtime's workers, all of which can be stopped.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, task::JoinSet};

/// Every worker thread of the current runtime
#[derive(Default)]
pub(crate) struct World {
    is_stopped: AtomicBool,
}

impl World {
    /// Blocks all workers for so long; false when they are blocked already
    ///
    /// This is what a service does to itself that computes, or waits for a lock, inside of tasks.
    pub(crate) async fn stop(&self, length: Duration) -> bool {
        if self.is_stopped.swap(true, Ordering::Relaxed) {
            return false;
        }
        // One end for all: who comes to it late sleeps for less.
        let end = Instant::now() + length;
        let mut sleepers = JoinSet::new();
        for _ in 0..Handle::current().metrics().num_workers() {
            sleepers.spawn(async move {
                thread::sleep(end.saturating_duration_since(Instant::now()));
            });
        }
        sleepers.join_all().await;
        self.is_stopped.store(false, Ordering::Relaxed);
        true
    }
}
