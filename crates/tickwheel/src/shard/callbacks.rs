use std::{sync::Arc, task::Waker};

use tickwheel_core::TimerKey;
use tokio::time::Instant;

use super::{Shard, State};
use crate::{
    callback::{CallbackId, Task},
    error::{Refused, TimerError},
};

/// What callbacks ask of a shard
impl Shard {
    /// Takes a callback into the books, and arms it when it is to start at once
    ///
    /// # Errors
    ///
    /// Gives back what the callback was to be made of.
    pub(crate) fn adopt<V>(
        self: &Arc<Self>,
        start: Option<Instant>,
        value: V,
        make: impl FnOnce(V, CallbackId) -> Task,
    ) -> Result<Arc<Task>, Refused<V>> {
        let mut state = self.state.lock();
        if state.closed {
            drop(state);
            return Err(Refused { error: TimerError::ShutDown, value });
        }
        let State { callbacks, wheel, counts, .. } = &mut *state;
        let task = callbacks.insert(|id| make(value, id));
        let Some(start) = start else { return Ok(task) };
        let deadline = self.clock.deadline_tick(start);
        let key = wheel.insert(deadline, Waker::from(Arc::clone(&task)));
        counts.registered += 1;
        // Nobody else knows the task yet, so this lock is free, whatever the order.
        task.is_armed(key, start);
        self.unlock_and_call(state, deadline);
        Ok(task)
    }

    /// Arms a callback, also for a deadline that is past
    pub(crate) fn arm_callback(
        &self,
        deadline: Instant,
        task: &Arc<Task>,
    ) -> Result<TimerKey, TimerError> {
        let deadline = self.clock.deadline_tick(deadline);
        let mut state = self.state.lock();
        if state.closed {
            return Err(TimerError::ShutDown);
        }
        let key = state.wheel.insert(deadline, Waker::from(Arc::clone(task)));
        state.counts.registered += 1;
        self.unlock_and_call(state, deadline);
        Ok(key)
    }

    /// Takes a callback back that has not begun
    ///
    /// Whether it was still armed: otherwise it has been taken out, and its waker is
    /// going to be called.
    #[must_use]
    pub(crate) fn withdraw(&self, key: TimerKey) -> bool {
        let mut state = self.state.lock();
        if let Some(waker) = state.wheel.cancel(key) {
            state.counts.cancelled += 1;
            self.unlock_without(state, waker);
            return true;
        }
        // It was counted as fired when it was taken out. Who closes counts by itself.
        if !state.closed {
            state.counts.cancelled += 1;
            state.counts.fired -= 1;
        }
        false
    }

    /// Keeps a callback that came due for when the driver is here
    ///
    /// False when it will not be here any more.
    #[must_use]
    pub(crate) fn leave(&self, callback: &Arc<Task>) -> bool {
        let callback = Waker::from(Arc::clone(callback));
        let mut state = self.state.lock();
        if state.closed {
            drop(state);
            drop(callback);
            return false;
        }
        state.left.push_back(callback);
        drop(state);
        // It may have come and gone while this one was in the helper's hands.
        self.bell.ring();
        true
    }

    /// The callback of that name, while somebody keeps it
    pub(crate) fn callback(&self, id: CallbackId) -> Option<Arc<Task>> {
        self.state.lock().callbacks.get(id)
    }

    /// A callback is no more
    pub(crate) fn forget(&self, id: CallbackId) {
        let task = self.state.lock().callbacks.remove(id);
        drop(task);
    }

    pub(crate) fn count_callback_panic(&self) {
        self.state.lock().counts.callback_panics += 1;
    }

    pub(crate) fn count_slow_callback(&self) {
        self.state.lock().counts.slow_callbacks += 1;
    }
}
