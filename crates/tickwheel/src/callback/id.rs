use std::sync::{Arc, Weak};

use slab::Slab;

use super::Task;
use crate::number::Number;

/// The name of a callback, for [`Timer::cancel`](crate::Timer::cancel)
///
/// It stays the name of that callback alone; once the callback is gone it is unknown.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::Timer;
///
/// let timer = Timer::new();
/// let id = timer.call_later(Duration::from_secs(60), || ()).id();
/// assert!(timer.cancel(id));
/// assert!(!timer.cancel(id), "it is gone");
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallbackId {
    timer: Number,
    shard: usize,
    place: usize,
    /// Tells apart the callbacks that use one place one after the other
    serial: u64,
}

impl CallbackId {
    /// The shard that knows it, if it is one of this timer
    pub(crate) fn shard_in(self, timer: Number) -> Option<usize> {
        (self.timer == timer).then_some(self.shard)
    }
}

/// The callbacks of a shard by name, as long as somebody keeps them
#[derive(Debug)]
pub(crate) struct Callbacks {
    timer: Number,
    shard: usize,
    known: Slab<(u64, Weak<Task>)>,
    next_serial: u64,
}

impl Callbacks {
    pub(crate) fn new(timer: Number, shard: usize) -> Self {
        Self { timer, shard, known: Slab::new(), next_serial: 0 }
    }

    pub(crate) fn insert(&mut self, make: impl FnOnce(CallbackId) -> Task) -> Arc<Task> {
        let serial = self.next_serial;
        self.next_serial += 1;
        let vacant = self.known.vacant_entry();
        let task = Arc::new(make(CallbackId {
            timer: self.timer,
            shard: self.shard,
            place: vacant.key(),
            serial,
        }));
        vacant.insert((serial, Arc::downgrade(&task)));
        task
    }

    pub(crate) fn get(&self, id: CallbackId) -> Option<Arc<Task>> {
        let (serial, task) = self.known.get(id.place)?;
        if *serial == id.serial { task.upgrade() } else { None }
    }

    /// Forgets some of them, which the caller is to end
    pub(crate) fn remove_some(&mut self, count: usize) -> Vec<Weak<Task>> {
        let places: Vec<_> = self.known.iter().map(|(place, _)| place).take(count).collect();
        places.into_iter().map(|place| self.known.remove(place).1).collect()
    }

    pub(crate) fn remove(&mut self, id: CallbackId) -> Option<Weak<Task>> {
        let (serial, _) = self.known.get(id.place)?;
        (*serial == id.serial).then(|| self.known.remove(id.place).1)
    }
}
