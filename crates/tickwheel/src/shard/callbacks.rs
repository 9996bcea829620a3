use std::{sync::Arc, task::Waker};

use tickwheel_core::{Tick, TimerKey};
use tokio::time::Instant;

use super::{Shard, State};
use crate::{
    callback::{CallbackId, Firing, Task},
    error::{Refused, TimerError},
    limit::Admission,
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
        start: Option<(Firing, Admission)>,
        value: V,
        make: impl FnOnce(V, CallbackId) -> Task,
    ) -> Result<Arc<Task>, Refused<V>> {
        let admitted = start.map_or(Ok(()), |(_, admission)| self.limit.admit(admission));
        let mut state = self.state.lock();
        let refused = if state.closed { Err(TimerError::ShutDown) } else { admitted };
        if let Err(error) = refused {
            state.counts.refused += 1;
            drop(state);
            if start.is_some() && admitted.is_ok() {
                self.limit.release(1);
            }
            return Err(Refused { error, value });
        }
        let State { callbacks, wheel, counts, .. } = &mut *state;
        let task = callbacks.insert(|id| make(value, id));
        let Some((start, _)) = start else { return Ok(task) };
        let deadline = self.tick_of(start.look);
        let key = wheel.insert(deadline, Waker::from(Arc::clone(&task)));
        counts.registered += 1;
        // Nobody else knows the task yet, so this lock is free, whatever the order.
        task.is_armed(key, start.due);
        self.unlock_and_call(state, deadline);
        Ok(task)
    }

    /// Arms a callback, also for a deadline that is past
    pub(crate) fn arm_callback(
        &self,
        deadline: Instant,
        task: &Arc<Task>,
    ) -> Result<TimerKey, TimerError> {
        let deadline = self.tick_of(deadline);
        let mut state = self.state.lock();
        if state.closed {
            state.counts.refused += 1;
            return Err(TimerError::ShutDown);
        }
        let key = state.wheel.insert(deadline, Waker::from(Arc::clone(task)));
        state.counts.registered += 1;
        self.limit.count();
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
        state.counts.cancelled += 1;
        if let Some(waker) = state.wheel.cancel(key) {
            self.unlock_without(state, waker);
            return true;
        }
        // It was counted as fired when it was taken out.
        state.counts.fired -= 1;
        false
    }

    /// Keeps a callback that came due for when the driver is here, or has time
    ///
    /// False when neither will be.
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
        self.come_by(Tick::ZERO.get());
        true
    }

    /// When a callback's time comes
    fn tick_of(&self, deadline: Instant) -> Tick {
        self.clock.tick_for(deadline, self.slack)
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
}
