//! The books of every timer that is in use balance at every moment

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tickwheel::{Metrics, Timer};

/// The timers of the scenes that are being played
#[derive(Debug, Default)]
pub(crate) struct Books {
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, (&'static str, Timer)>>,
}

/// As long as it lives the books of a timer are looked at
#[must_use]
#[derive(Debug)]
pub(crate) struct Open {
    books: Arc<Books>,
    number: u64,
}

impl Books {
    pub(crate) fn open(self: &Arc<Self>, scene: &'static str, timer: &Timer) -> Open {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(number, (scene, timer.clone()));
        Open { books: Arc::clone(self), number }
    }

    /// What each of them shows just now
    pub(crate) fn look(&self) -> Vec<(&'static str, Metrics)> {
        let open: Vec<_> = self.lock().values().cloned().collect();
        open.into_iter().map(|(scene, timer)| (scene, timer.metrics())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, (&'static str, Timer)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let timer = self.books.lock().remove(&self.number);
        drop(timer);
    }
}
