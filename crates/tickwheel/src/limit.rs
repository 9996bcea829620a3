use std::sync::Arc;

use crate::{
    error::TimerError,
    sync::{AtomicUsize, Ordering},
};

/// How many timers may be armed at once
///
/// One count for all shards, which is why there is none unless a limit is set: it
/// is the one thing that all threads would write to.
#[derive(Clone, Debug)]
pub(crate) struct Limit(Option<Arc<Count>>);

#[derive(Debug)]
struct Count {
    max: usize,
    armed: AtomicUsize,
}

/// Who is let in
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Counted, and never refused
    Always,
    /// Refused when there are as many as there may be
    IfRoom,
}

impl Limit {
    pub(crate) fn new(max: Option<usize>) -> Self {
        Self(max.map(|max| Arc::new(Count { max, armed: AtomicUsize::new(0) })))
    }

    /// Counts one more
    ///
    /// # Errors
    ///
    /// [`TimerError::AtCapacity`] where there is no room and that matters.
    #[inline]
    pub(crate) fn admit(&self, admission: Admission) -> Result<(), TimerError> {
        match &self.0 {
            None => Ok(()),
            Some(count) => count.admit(admission),
        }
    }

    /// Counts one more in any case
    pub(crate) fn count(&self) {
        if let Some(count) = &self.0 {
            count.armed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// So many are not armed any more
    #[inline]
    pub(crate) fn release(&self, timers: usize) {
        if let Some(count) = &self.0 {
            count.armed.fetch_sub(timers, Ordering::Relaxed);
        }
    }
}

impl Count {
    fn admit(&self, admission: Admission) -> Result<(), TimerError> {
        if admission == Admission::Always {
            self.armed.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let admitted = self.armed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |armed| {
            (armed < self.max).then(|| armed + 1)
        });
        admitted.map(|_| ()).map_err(|_| TimerError::AtCapacity)
    }
}
