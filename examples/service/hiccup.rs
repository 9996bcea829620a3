//! How long the machine itself held us up.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// A plain thread that sleeps in short steps and notes how much too long the worst one took
///
/// It uses no timer of any runtime, so that it tells a slow machine from a slow timer.
#[derive(Debug)]
pub(crate) struct HiccupWatch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Duration>,
}

impl HiccupWatch {
    pub(crate) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let stop = stop.clone();
            move || worst_until(&stop)
        });
        Self { stop, thread }
    }

    pub(crate) fn finish(self) -> Duration {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("the watch does nothing that panics")
    }
}

fn worst_until(stop: &AtomicBool) -> Duration {
    let mut worst = Duration::ZERO;
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        thread::sleep(STEP);
        worst = worst.max(start.elapsed().saturating_sub(STEP));
    }
    worst
}

const STEP: Duration = Duration::from_millis(10);
