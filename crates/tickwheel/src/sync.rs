//! The locks and atomics that futures and driver meet over
//!
//! Under `--cfg loom` they are loom's, and under `--cfg shuttle` shuttle's, so that the
//! models check the code that ships.

#[cfg(loom)]
use loom::sync as imp;
#[cfg(all(test, shuttle))]
use shuttle::sync as imp;
#[cfg(not(any(loom, all(test, shuttle))))]
use std::sync as imp;

use std::{sync::PoisonError, time::Duration};

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::thread_local;
#[cfg(not(any(loom, all(test, shuttle))))]
pub(crate) use std::thread_local;

/// loom's, written as std's are
#[cfg(loom)]
macro_rules! loom_thread_local {
    (static $name:ident: $type:ty = const { $value:expr };) => {
        loom::thread_local! { static $name: $type = $value; }
    };
}
#[cfg(loom)]
pub(crate) use loom_thread_local as thread_local;

pub(crate) use imp::{
    MutexGuard,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

/// A mutex that takes no notice of poison
///
/// User code never runs under a lock of ours, so a poisoned one means that the
/// allocator gave up in the middle of our own code; what follows is no worse for
/// one panic more or less.
#[derive(Debug)]
pub(crate) struct Mutex<T>(imp::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(imp::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(crate) struct Condvar(imp::Condvar);

impl Condvar {
    pub(crate) fn new() -> Self {
        Self(imp::Condvar::new())
    }

    pub(crate) fn notify(&self) {
        self.0.notify_one();
    }

    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wait_for<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> MutexGuard<'a, T> {
        self.0.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
    }
}
