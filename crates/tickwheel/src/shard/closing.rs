use std::sync::{Arc, Weak};

use tickwheel_core::{Step, Tick};

use super::{Shard, State};
use crate::{callback::Task, wakers::Wakers};

/// A piece of what a shard that was closed has still held
#[derive(Debug)]
pub(crate) enum Drained {
    /// These are to be ended, armed or not
    Callbacks(Vec<Arc<Task>>),
    /// So many futures were told that they wait in vain
    Sleeps(usize),
    /// Nothing is left
    Nothing,
}

/// How a shard comes to its end
impl Shard {
    /// Lets nobody arm any more
    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
    }

    /// Takes out a bounded piece of what it holds, and lets nobody arm any more
    pub(crate) fn drain(&self) -> Drained {
        let mut wakers = Wakers::new(usize::MAX);
        let mut guard = self.state.lock();
        guard.closed = true;
        let State { wheel, counts, left, callbacks, .. } = &mut *guard;
        // All of them first: what is armed then is no callback.
        let tasks = callbacks.remove_some(wakers.room());
        if !tasks.is_empty() {
            drop(guard);
            return Drained::Callbacks(tasks.iter().filter_map(Weak::upgrade).collect());
        }
        let mut is_all = false;
        for _ in 0..wakers.room() {
            match wheel.step(Tick::MAX) {
                Step::Expired(expired) => wakers.push(expired.value),
                Step::More => {}
                Step::Idle => {
                    is_all = true;
                    break;
                }
            }
        }
        let sleeps = wakers.len();
        counts.cancelled += sleeps as u64;
        // They have been taken back, and are not called.
        let left = std::mem::take(left);
        drop(guard);
        self.limit.release(sleeps);
        wakers.wake_all();
        drop(left);
        if is_all && sleeps == 0 { Drained::Nothing } else { Drained::Sleeps(sleeps) }
    }
}
