//! Which runtime has which timer: the process's one table
//!
//! It keeps nothing alive. A timer leaves it before its runtime's id can come again.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use tokio::runtime::Id;

use crate::timer::{Timer, WeakTimer};

pub(super) fn find(runtime: Id) -> Option<Timer> {
    lock().get(&runtime)?.upgrade()
}

/// Puts a timer in, unless there is one, which is returned
pub(super) fn insert(runtime: Id, timer: &Timer) -> Option<Timer> {
    let mut table = lock();
    let known = table.get(&runtime).and_then(WeakTimer::upgrade);
    if known.is_none() {
        table.insert(runtime, timer.downgrade());
    }
    known
}

/// Takes a timer out, if it is still the one of that runtime
pub(super) fn remove(runtime: Id, timer: &Timer) {
    let mut table = lock();
    if table.get(&runtime).is_some_and(|known| timer.is(known)) {
        table.remove(&runtime);
    }
}

#[cfg(all(test, not(loom)))]
pub(super) fn holds(runtime: Id) -> bool {
    lock().contains_key(&runtime)
}

fn lock() -> MutexGuard<'static, HashMap<Id, WeakTimer>> {
    TIMERS.lock().unwrap_or_else(PoisonError::into_inner)
}

static TIMERS: LazyLock<Mutex<HashMap<Id, WeakTimer>>> = LazyLock::new(Mutex::default);
