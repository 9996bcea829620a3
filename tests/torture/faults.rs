//! Which faults there are just now

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Counts scenes, so that lateness is told of times without any
#[derive(Debug, Default)]
pub(crate) struct Faults {
    begun: AtomicU64,
    over: AtomicU64,
}

/// A scene goes on as long as this lives
#[must_use]
#[derive(Debug)]
pub(crate) struct Fault(Arc<Faults>);

/// A moment without any fault
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Calm(u64);

impl Faults {
    pub(crate) fn begin(self: &Arc<Self>) -> Fault {
        self.begun.fetch_add(1, Ordering::SeqCst);
        Fault(Arc::clone(self))
    }

    /// `None` while there is a fault; the same at two moments if there was none in between
    pub(crate) fn calm(&self) -> Option<Calm> {
        let over = self.over.load(Ordering::SeqCst);
        let begun = self.begun.load(Ordering::SeqCst);
        (begun == over).then_some(Calm(begun))
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        self.0.over.fetch_add(1, Ordering::SeqCst);
    }
}
