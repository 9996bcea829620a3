use std::{mem, sync::Arc, task::Waker};

use crate::{
    callback::{Surrender, Task},
    shard::Shard,
    shutdown::{Leftover, Unfired},
    sync::{AtomicBool, Mutex, MutexGuard, Ordering},
};

/// How far a timer is in coming to its end
///
/// It ends when it is shut down or its driver is dropped. From then on nothing is
/// armed and no callback begins. What is armed is taken out in pieces, by the driver
/// or by who waits for the end, whoever comes first.
///
/// The lock is taken before those of callbacks and shards, and no user code runs
/// under it.
#[derive(Debug)]
pub(crate) struct Closing {
    has_begun: AtomicBool,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    /// Whether somebody wants to have what is taken out
    is_wanted: bool,
    /// Whether all has been taken out
    is_drained: bool,
    /// Callbacks that somebody is in the middle of
    running: usize,
    unfired: Unfired,
    /// Who waits for the end
    waiting: Vec<Waker>,
}

/// Where the end of a timer stands
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is more to take out
    Draining,
    /// A callback has still to return; whoever waits will be woken
    Waiting,
    Over,
}

impl Closing {
    pub(crate) fn new() -> Self {
        Self { has_begun: AtomicBool::new(false), progress: Mutex::new(Progress::default()) }
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::SeqCst)
    }

    /// Lets the end begin: no shard lets anybody arm from then on
    ///
    /// Whether it had not begun before, and so is this caller's.
    pub(crate) fn begin(&self, is_wanted: bool, shards: &[Arc<Shard>]) -> bool {
        let mut progress = self.progress.lock();
        let is_first = !self.has_begun.swap(true, Ordering::SeqCst);
        progress.is_wanted |= is_first && is_wanted;
        drop(progress);
        // Each time, since who was first may not be through.
        for shard in shards {
            shard.close();
        }
        is_first
    }

    /// Takes out a piece of what is armed; false when there was nothing to take
    pub(crate) fn drain_some(&self, shards: &[Arc<Shard>]) -> bool {
        let mut progress = self.progress.lock();
        // Callbacks first: once all of them are taken back, only futures are armed.
        if let Some(tasks) = shards.iter().find_map(|shard| shard.take_callbacks()) {
            let unwanted: Vec<_> =
                tasks.iter().filter_map(|task| progress.take_back(task)).collect();
            drop(progress);
            drop(unwanted);
            return true;
        }
        let sleeps = shards.iter().find_map(|shard| Some((shard, shard.take_sleeps()?)));
        if let Some((shard, mut sleeps)) = sleeps {
            progress.unfired.sleeps += sleeps.len();
            drop(progress);
            shard.wake(&mut sleeps);
            return true;
        }
        progress.is_drained = true;
        unlock_and_tell_if_over(progress);
        false
    }

    /// Takes back a callback that came due too late to be called
    ///
    /// Who takes out what is armed may not find it any more: it goes when this returns.
    pub(crate) fn take_back(&self, task: &Arc<Task>) {
        let mut progress = self.progress.lock();
        let unwanted = progress.take_back(task);
        drop(progress);
        drop(unwanted);
    }

    /// One that was in the middle of a callback has dropped it
    pub(crate) fn call_is_over(&self) {
        let mut progress = self.progress.lock();
        progress.running -= 1;
        unlock_and_tell_if_over(progress);
    }

    /// Asks how far it is, and leaves a waker for when it is over
    pub(crate) fn poll(&self, waker: &Waker) -> Standing {
        let waker = waker.clone();
        let mut progress = self.progress.lock();
        let standing = progress.standing();
        let is_known = progress.waiting.iter().any(|known| known.will_wake(&waker));
        if standing == Standing::Over || is_known {
            // Before the waker that is not needed is dropped.
            drop(progress);
        } else {
            progress.waiting.push(waker);
        }
        standing
    }

    /// What has been taken out so far; what still will be is not wanted any more
    pub(crate) fn take(&self) -> Unfired {
        let mut progress = self.progress.lock();
        progress.is_wanted = false;
        mem::take(&mut progress.unfired)
    }
}

impl Progress {
    /// Gives back what nobody wants, to be dropped without the lock
    fn take_back(&mut self, task: &Arc<Task>) -> Option<Leftover> {
        match task.surrender() {
            Surrender::Armed(unfired) if self.is_wanted => {
                self.unfired.callbacks.push(unfired);
                None
            }
            Surrender::Armed(unfired) => Some(unfired.into()),
            Surrender::Idle(leftover) => Some(leftover),
            Surrender::Running => {
                self.running += 1;
                None
            }
            Surrender::Known => None,
        }
    }

    fn standing(&self) -> Standing {
        match self {
            Self { is_drained: false, .. } => Standing::Draining,
            Self { running: 0, .. } => Standing::Over,
            _ => Standing::Waiting,
        }
    }
}

fn unlock_and_tell_if_over(mut progress: MutexGuard<'_, Progress>) {
    let is_over = progress.standing() == Standing::Over;
    let waiting = if is_over { mem::take(&mut progress.waiting) } else { Vec::new() };
    drop(progress);
    waiting.into_iter().for_each(Waker::wake);
}
