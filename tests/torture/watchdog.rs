//! Nothing waits for ever

use std::{
    collections::BTreeMap,
    process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// Ends the program when something takes too long, and says what was waited for
///
/// It counts its own steps rather than the clock's: a process that is stopped or gets
/// no processor takes no step either.
#[derive(Debug, Default)]
pub(crate) struct Watchdog {
    steps: AtomicU64,
    next: AtomicU64,
    waits: Mutex<BTreeMap<u64, (u64, String)>>,
}

/// As long as it lives something is waited for
#[must_use]
#[derive(Debug)]
pub(crate) struct Wait {
    watchdog: Arc<Watchdog>,
    number: u64,
}

impl Watchdog {
    pub(crate) fn begin(seed: u64) -> Arc<Self> {
        let watchdog = Arc::new(Self::default());
        let watching = Arc::clone(&watchdog);
        thread::spawn(move || {
            loop {
                thread::sleep(STEP);
                watching.step(seed);
            }
        });
        watchdog
    }

    /// From now on this must be over within so long
    pub(crate) fn wait(self: &Arc<Self>, patience: Duration, what: String) -> Wait {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let steps = patience.as_millis().div_ceil(STEP.as_millis());
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let until = self.steps.load(Ordering::Relaxed).saturating_add(steps);
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.insert(number, (until, what));
        Wait { watchdog: Arc::clone(self), number }
    }

    fn step(&self, seed: u64) {
        let now = self.steps.fetch_add(1, Ordering::Relaxed);
        let waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        let overdue: Vec<_> = waits.values().filter(|(until, _)| *until < now).collect();
        if overdue.is_empty() {
            return;
        }
        eprintln!("\nFAILED    everything ends\n  seed     {seed}\n  waiting for");
        for (_, what) in overdue {
            eprintln!("    {what}");
        }
        process::exit(1);
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut waits = self.watchdog.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.remove(&self.number);
    }
}

const STEP: Duration = Duration::from_millis(100);
