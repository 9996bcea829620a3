//! The callbacks of a story

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use tickwheel::{Callback, Lane, MissedTickBehavior, Timer};
use tokio::time::Instant;

use super::{
    log::{Event, Log},
    model::Name,
    operation::Repeat,
};

/// A callback as the model knows it
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) lane: Lane,
    pub(crate) delay: Duration,
    /// Of one that is called again and again
    pub(crate) missed: Option<MissedTickBehavior>,
    pub(crate) standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Due then
    Armed(Instant),
    Stopped,
    /// For ever
    Ended,
}

impl Standing {
    pub(crate) fn deadline(self) -> Option<Instant> {
        match self {
            Self::Armed(deadline) => Some(deadline),
            Self::Stopped | Self::Ended => None,
        }
    }
}

/// What a call does besides noting itself; done once
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    Nothing,
    Cancel(Name),
    /// Under this name
    Arm(Name, Duration),
    Panic,
}

/// All handles, for functions that call others off
#[derive(Clone, Debug, Default)]
pub(crate) struct Handles(Arc<Mutex<BTreeMap<Name, Callback>>>);

impl Handles {
    pub(crate) fn put(&self, name: Name, callback: Callback) {
        assert!(self.0.lock().unwrap().insert(name, callback).is_none());
    }

    /// The callback of that name, once it is made
    pub(crate) fn get(&self, name: Name) -> Option<Callback> {
        self.0.lock().unwrap().get(&name).cloned()
    }

    /// Each function knows all handles, so somebody must let go of them
    pub(crate) fn clear(&self) {
        let handles = std::mem::take(&mut *self.0.lock().unwrap());
        drop(handles);
    }
}

/// Makes a callback of this function; `None` when the timer is at its limit
pub(crate) fn call(
    timer: &Timer,
    (repeat, when): (Repeat, Asked),
    function: impl FnMut() + Send + 'static,
) -> Option<Callback> {
    let callback = match (repeat, when) {
        (Repeat::Once, Asked::After(delay)) => timer.call_later(delay, function),
        (Repeat::Once, Asked::At(deadline)) => timer.call_at(deadline, function),
        (Repeat::TryOnce, Asked::After(delay)) => timer.try_call_later(delay, function).ok()?,
        (Repeat::TryOnce, Asked::At(deadline)) => timer.try_call_at(deadline, function).ok()?,
        (Repeat::Every(period, missed), _) => {
            let callback = timer.call_every(period, function);
            callback.set_missed_tick_behavior(missed);
            callback
        }
    };
    Some(callback)
}

/// How a deadline is asked for
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked {
    After(Duration),
    At(Instant),
}

/// A function that writes down what it does
pub(crate) fn function(
    name: Name,
    act: Act,
    timer: Timer,
    log: &Log,
    handles: &Handles,
) -> impl FnMut() + Send + 'static + use<> {
    let (log, handles) = (log.clone(), handles.clone());
    let mut act = act;
    move || {
        log.note(Event::Called(name));
        match std::mem::replace(&mut act, Act::Nothing) {
            Act::Nothing => {}
            Act::Cancel(target) => {
                if let Some(callback) = handles.get(target) {
                    log.note(Event::Cancelled(target, callback.cancel()));
                }
            }
            Act::Arm(child, delay) => {
                let function = function(child, Act::Nothing, timer.clone(), &log, &handles);
                let function: Box<dyn FnMut() + Send> = Box::new(function);
                let callback = timer.call_later(delay, function);
                log.note(Event::Armed(child, callback.deadline().expect("it is armed")));
                handles.put(child, callback);
            }
            Act::Panic => {
                log.note(Event::Panics(name));
                panic!("as told");
            }
        }
        log.note(Event::Returned(name));
    }
}
