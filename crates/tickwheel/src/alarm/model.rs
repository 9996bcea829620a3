use std::sync::Arc;

use super::{Alarm, AlarmHandle};
use crate::bell::Bell;

/// What the models do in the place of the alarm's thread
impl AlarmHandle {
    /// A place with an alarm of its own that has no thread
    pub(crate) fn without_thread(bell: Arc<Bell>) -> Self {
        Arc::new(Alarm::without_thread()).add(bell)
    }

    /// Another place with the same alarm
    pub(crate) fn beside(&self, bell: Arc<Bell>) -> Self {
        Arc::clone(&self.alarm).add(bell)
    }

    /// Sleeps until something is to be rung, and rings it
    pub(crate) fn ring_next(&self) {
        self.alarm.ring_next(&mut Vec::new());
    }

    /// The alarm looks at the clock, as it does when a wait has lasted long enough
    #[cfg(shuttle)]
    pub(crate) fn time_has_passed(&self) {
        self.alarm.changed.notify();
    }

    #[cfg(loom)]
    pub(crate) fn rings_at(&self) -> Option<std::time::Instant> {
        self.alarm.plan.lock().entries[&self.id].at
    }
}
