//! What happens in the driver's turns, in order

use std::{
    mem,
    sync::{Arc, Mutex},
    task::{Wake, Waker},
};

use tokio::time::Instant;

use super::model::Name;

/// Where wakers and functions write down that it was their turn
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<(Instant, Event)>>>);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// This waker of a future's, counted by name
    Woken(Name, usize),
    Called(Name),
    Returned(Name),
    /// From within a call, with this answer
    Cancelled(Name, bool),
    /// From within a call
    Armed(Name, Instant),
    Panics(Name),
}

impl Log {
    pub(crate) fn note(&self, event: Event) {
        self.0.lock().unwrap().push((Instant::now(), event));
    }

    pub(crate) fn take(&self) -> Vec<(Instant, Event)> {
        mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Notes when it is woken, and which one it is
#[derive(Debug)]
pub(crate) struct NamedWaker {
    log: Log,
    name: Name,
    number: usize,
}

impl NamedWaker {
    pub(crate) fn new(log: &Log, name: Name) -> Arc<Self> {
        Arc::new(Self { log: log.clone(), name, number: 0 })
    }

    /// Another one of the same name
    pub(crate) fn another(&self) -> Arc<Self> {
        Arc::new(Self { log: self.log.clone(), name: self.name, number: self.number + 1 })
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    pub(crate) fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }
}

impl Wake for NamedWaker {
    fn wake(self: Arc<Self>) {
        self.log.note(Event::Woken(self.name, self.number));
    }
}
