//! The machine's clock in a model, which goes when the model says so
//!
//! A model's threads all run on one thread of the machine, so it is that one's.

use std::{
    cell::Cell,
    sync::LazyLock,
    time::{Duration, Instant},
};

pub(crate) fn now() -> Instant {
    *ORIGIN + PASSED.get()
}

/// Each run of a model begins at the same moment
pub(super) fn restart() {
    PASSED.set(Duration::ZERO);
}

pub(super) fn advance(by: Duration) {
    PASSED.set(PASSED.get() + by);
}

thread_local! {
    static PASSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
