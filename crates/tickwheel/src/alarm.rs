//! The process's alarm: one thread that rings bells on time
//!
//! tokio's own timer rounds up to its millisecond, and fires only when a worker
//! thread comes round to the time driver; a worker that is busy for a second
//! holds up every deadline of its runtime. A thread that sleeps on a condition
//! variable does neither. One is enough for all timers of the process, since
//! each asks for one ring at a time. It is started with the first timer and
//! sleeps without a timeout while nothing is asked of it.

#[cfg(all(test, any(loom, shuttle)))]
mod model;
#[cfg(all(test, not(any(loom, shuttle))))]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{Arc, PoisonError},
    thread,
    time::Instant,
};

use crate::{
    bell::Bell,
    clock::machine_now,
    sync::{Condvar, Mutex},
};

/// One bell's place with the alarm; given up by [`remove`](Self::remove)
#[derive(Clone, Debug)]
pub(crate) struct AlarmHandle {
    alarm: Arc<Alarm>,
    id: u64,
}

impl AlarmHandle {
    /// A place for this bell with the process's alarm
    ///
    /// # Errors
    ///
    /// When this is the first timer and no thread can be started.
    pub(crate) fn new(bell: Arc<Bell>) -> io::Result<Self> {
        Ok(Alarm::of_process()?.add(bell))
    }

    /// Rings at `at`, or before it when that was asked for already
    pub(crate) fn ring_by(&self, at: Instant) {
        let mut plan = self.alarm.plan.lock();
        let Some(entry) = plan.entries.get_mut(&self.id) else { return };
        if entry.at.is_some_and(|planned| planned <= at) {
            return;
        }
        let before = entry.at.replace(at);
        if let Some(before) = before {
            plan.order.remove(&(before, self.id));
        }
        plan.order.insert((at, self.id));
        let sleeps_longer = plan.sleeps_until.is_none_or(|until| at < until);
        drop(plan);
        if sleeps_longer {
            self.alarm.changed.notify();
        }
    }

    /// No ring any more
    pub(crate) fn remove(&self) {
        let mut plan = self.alarm.plan.lock();
        let entry = plan.entries.remove(&self.id);
        if let Some(at) = entry.as_ref().and_then(|entry| entry.at) {
            plan.order.remove(&(at, self.id));
        }
        drop(plan);
        drop(entry);
    }
}

#[derive(Debug)]
struct Alarm {
    plan: Mutex<Plan>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Plan {
    entries: BTreeMap<u64, Entry>,
    /// The entries that want a ring, earliest first
    order: BTreeSet<(Instant, u64)>,
    next_id: u64,
    /// When the thread will look again by itself; `None`: when it is notified
    sleeps_until: Option<Instant>,
}

#[derive(Debug)]
struct Entry {
    bell: Arc<Bell>,
    at: Option<Instant>,
}

impl Alarm {
    fn of_process() -> io::Result<Arc<Self>> {
        let mut alarm = ALARM.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(alarm) = &*alarm {
            return Ok(Arc::clone(alarm));
        }
        let new = Arc::new(Self::without_thread());
        let shared = Arc::clone(&new);
        thread::Builder::new().name("tickwheel-alarm".into()).spawn(move || shared.run())?;
        Ok(Arc::clone(alarm.insert(new)))
    }

    fn without_thread() -> Self {
        Self { plan: Mutex::new(Plan::default()), changed: Condvar::new() }
    }

    fn add(self: Arc<Self>, bell: Arc<Bell>) -> AlarmHandle {
        let mut plan = self.plan.lock();
        let id = plan.next_id;
        plan.next_id += 1;
        plan.entries.insert(id, Entry { bell, at: None });
        drop(plan);
        AlarmHandle { alarm: self, id }
    }

    fn run(&self) -> ! {
        let mut due = Vec::new();
        loop {
            self.ring_next(&mut due);
        }
    }

    /// Sleeps until something is to be rung, and rings it
    fn ring_next(&self, due: &mut Vec<Arc<Bell>>) {
        self.wait(due);
        for bell in due.drain(..) {
            bell.ring();
        }
    }

    /// Sleeps until at least one bell is to be rung
    fn wait(&self, due: &mut Vec<Arc<Bell>>) {
        let mut plan = self.plan.lock();
        loop {
            let now = machine_now();
            plan.take_due(now, due);
            if !due.is_empty() {
                // Until it is back, nobody need wake it: it looks before it sleeps.
                plan.sleeps_until = Some(now);
                return;
            }
            let next = plan.order.first().map(|&(at, _)| at);
            plan.sleeps_until = next;
            plan = match next {
                Some(at) => self.changed.wait_for(plan, at - now),
                None => self.changed.wait(plan),
            };
        }
    }
}

impl Plan {
    fn take_due(&mut self, now: Instant, due: &mut Vec<Arc<Bell>>) {
        while let Some(&(at, id)) = self.order.first() {
            if at > now {
                return;
            }
            self.order.pop_first();
            let entry = self.entries.get_mut(&id).expect("what is in order is an entry");
            entry.at = None;
            due.push(Arc::clone(&entry.bell));
        }
    }
}

static ALARM: std::sync::Mutex<Option<Arc<Alarm>>> = std::sync::Mutex::new(None);
