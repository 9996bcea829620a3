use std::{mem, sync::Arc, task::Waker};

use crate::{
    callback::Task,
    shard::{Drained, Shard},
    shutdown::{Unfired, UnfiredCallback},
    sync::{AtomicBool, Mutex, Ordering},
};

/// How far a timer is in coming to its end
///
/// It ends when it is shut down or its driver is dropped. From then on nothing is
/// armed and no callback begins. What is armed is taken out in pieces, by the driver
/// or by who waits for the end, whoever comes first.
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
    /// Pieces that somebody is about to report
    in_hand: usize,
    /// Callbacks that somebody is in the middle of
    running: usize,
    unfired: Unfired,
    /// Who waits for the end
    waiting: Vec<Waker>,
}

/// Where the end of a timer stands
#[derive(Debug)]
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

    /// Lets the end begin; whether it had not before, and so is this caller's
    pub(crate) fn begin(&self, is_wanted: bool) -> bool {
        let mut progress = self.progress.lock();
        let is_first = !self.has_begun.swap(true, Ordering::SeqCst);
        progress.is_wanted |= is_first && is_wanted;
        is_first
    }

    /// Takes out a piece of what is armed; false when there was nothing to take
    pub(crate) fn drain_some(&self, shards: &[Arc<Shard>]) -> bool {
        self.progress.lock().in_hand += 1;
        let mut piece = Unfired::default();
        let mut is_any = false;
        for shard in shards {
            match shard.drain() {
                Drained::Nothing => continue,
                Drained::Sleeps(sleeps) => piece.sleeps = sleeps,
                Drained::Callbacks(tasks) => {
                    piece.callbacks = tasks.iter().filter_map(Task::surrender).collect();
                }
            }
            is_any = true;
            break;
        }
        let mut progress = self.progress.lock();
        progress.in_hand -= 1;
        progress.is_drained |= !is_any && progress.in_hand == 0;
        let unwanted = progress.take_in(piece);
        let waiting = progress.waiting_for_nothing();
        drop(progress);
        drop(unwanted);
        waiting.into_iter().for_each(Waker::wake);
        is_any
    }

    /// Somebody is in the middle of a callback
    pub(crate) fn call_goes_on(&self) {
        self.progress.lock().running += 1;
    }

    /// One that was in the middle of a callback has dropped it
    pub(crate) fn call_is_over(&self) {
        let mut progress = self.progress.lock();
        progress.running -= 1;
        let waiting = progress.waiting_for_nothing();
        drop(progress);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Asks how far it is, and leaves a waker for when it is over
    pub(crate) fn poll(&self, waker: &Waker) -> Standing {
        let waker = waker.clone();
        let mut progress = self.progress.lock();
        if progress.is_over() {
            drop(progress);
            return Standing::Over;
        }
        let is_drained = progress.is_drained;
        let known = progress.waiting.iter_mut().find(|known| known.will_wake(&waker));
        let unused = if known.is_some() { Some(waker) } else { progress.wait(waker) };
        drop(progress);
        drop(unused);
        if is_drained { Standing::Waiting } else { Standing::Draining }
    }

    /// What has been taken out so far; what still will be is not wanted any more
    pub(crate) fn take(&self) -> Unfired {
        let mut progress = self.progress.lock();
        progress.is_wanted = false;
        mem::take(&mut progress.unfired)
    }
}

impl Progress {
    fn is_over(&self) -> bool {
        self.is_drained && self.running == 0
    }

    /// Gives back what nobody wants, to be dropped without the lock
    fn take_in(&mut self, mut piece: Unfired) -> Vec<UnfiredCallback> {
        self.unfired.sleeps += piece.sleeps;
        if !self.is_wanted {
            return piece.callbacks;
        }
        self.unfired.callbacks.append(&mut piece.callbacks);
        Vec::new()
    }

    fn wait(&mut self, waker: Waker) -> Option<Waker> {
        self.waiting.push(waker);
        None
    }

    fn waiting_for_nothing(&mut self) -> Vec<Waker> {
        if self.is_over() { mem::take(&mut self.waiting) } else { Vec::new() }
    }
}
