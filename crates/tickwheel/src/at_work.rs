use std::{cell::Cell, sync::Arc};

use crate::bell::Bell;

/// What a driver is doing on this thread just now
///
/// Callbacks run only where their own driver fires them. In somebody else's hands,
/// who helps while the driver is behind, they wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    Firing,
    Closing,
}

/// As long as it lives the driver is at work on this thread
#[must_use]
#[derive(Debug)]
pub(crate) struct AtWork {
    before: Option<(*const Bell, Activity)>,
}

impl AtWork {
    pub(crate) fn begin(bell: &Arc<Bell>, activity: Activity) -> Self {
        // A driver may be dropped by what another one fires, so they nest.
        Self { before: HERE.replace(Some((Arc::as_ptr(bell), activity))) }
    }

    /// What the driver of that bell is doing here, if it is here
    pub(crate) fn of(bell: &Arc<Bell>) -> Option<Activity> {
        let (driver, activity) = HERE.get()?;
        (driver == Arc::as_ptr(bell)).then_some(activity)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        HERE.set(self.before);
    }
}

thread_local! {
    static HERE: Cell<Option<(*const Bell, Activity)>> = const { Cell::new(None) };
}
