use std::{
    mem,
    sync::{Arc, Weak},
};

use tickwheel_core::{Step, Tick};

use super::{Shard, State};
use crate::{callback::Task, wakers::Wakers};

/// How a shard comes to its end
impl Shard {
    /// Lets nobody arm any more
    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
    }

    /// Some of its callbacks, armed or not, which the caller is to end; `None` when there are none
    pub(crate) fn take_callbacks(&self) -> Option<Vec<Arc<Task>>> {
        let mut state = self.state.lock();
        state.closed = true;
        let tasks = state.callbacks.remove_some(PIECE);
        drop(state);
        (!tasks.is_empty()).then(|| tasks.iter().filter_map(Weak::upgrade).collect())
    }

    /// Some of what is armed, callbacks apart; `None` when nothing is
    pub(crate) fn take_sleeps(&self) -> Option<Wakers> {
        let mut wakers = Wakers::new(PIECE);
        let mut guard = self.state.lock();
        let State { wheel, counts, left, .. } = &mut *guard;
        let was_empty = wheel.is_empty();
        for _ in 0..wakers.room() {
            match wheel.step(Tick::MAX) {
                Step::Expired(expired) => wakers.push(expired.value),
                Step::More => {}
                Step::Idle => break,
            }
        }
        counts.cancelled += wakers.len() as u64;
        // Callbacks, which have been taken back: nothing but their wakers is left.
        let left = mem::take(left);
        drop(guard);
        drop(left);
        self.limit.release(wakers.len());
        (!was_empty).then_some(wakers)
    }
}

/// As many are taken out at a time, at the most
pub(crate) const PIECE: usize = 32;
