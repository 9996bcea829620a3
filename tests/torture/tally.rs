//! What happened so far

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tickwheel::Metrics;

/// Counts of the whole run
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runtimes_killed: Count,
    pub(crate) stops: Count,
    pub(crate) registered: Count,
    pub(crate) fired: Count,
    pub(crate) cancelled: Count,
    pub(crate) refused: Count,
    pub(crate) callback_panics: Count,
    pub(crate) waker_panics: Count,
    pub(crate) calls: Count,
    pub(crate) lateness: Lateness,
    scenes: Mutex<BTreeMap<&'static str, u64>>,
}

impl Tally {
    /// A timer is done with
    pub(crate) fn add(&self, metrics: &Metrics) {
        self.registered.add(metrics.registered);
        self.fired.add(metrics.fired);
        self.cancelled.add(metrics.cancelled);
        self.refused.add(metrics.refused);
        self.callback_panics.add(metrics.callback_panics);
        self.waker_panics.add(metrics.waker_panics);
        self.calls.add(metrics.callback_time.count());
    }

    pub(crate) fn played(&self, scene: &'static str) {
        let mut scenes = self.scenes.lock().unwrap_or_else(PoisonError::into_inner);
        *scenes.entry(scene).or_default() += 1;
    }

    pub(crate) fn scenes(&self) -> BTreeMap<&'static str, u64> {
        self.scenes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How late sleeps were, to ten microseconds
#[derive(Debug, Default)]
pub(crate) struct Lateness(Mutex<BTreeMap<u64, u64>>);

impl Lateness {
    pub(crate) fn add(&self, late: Duration) {
        let tens = u64::try_from(late.as_micros() / 10).unwrap_or(u64::MAX);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(tens).or_default() += 1;
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }

    pub(crate) fn percentile(&self, percent: u64) -> Option<Duration> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: u64 = seen.values().sum();
        let mut counted = 0;
        let at = seen.iter().find(|(_, count)| {
            counted += *count;
            counted * 100 >= all * percent
        });
        at.or_else(|| seen.last_key_value()).map(|(tens, _)| Duration::from_micros(tens * 10))
    }
}
