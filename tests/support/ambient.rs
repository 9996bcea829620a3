//! What is armed with the timer of the current runtime

use std::task::Waker;

use tickwheel::{Timer, time};

use crate::{durations::HOUR, waker::poll_with};

/// Has been polled, and is not to be awaited
#[derive(Debug)]
pub struct Armed(pub time::Sleep);

/// A sleep of the current runtime's timer
///
/// # Panics
///
/// Outside a runtime.
pub fn armed() -> Armed {
    let mut sleep = time::sleep(HOUR);
    assert!(poll_with(&mut sleep, Waker::noop()).is_pending());
    Armed(sleep)
}

/// How many of them there are
pub fn pending_here() -> usize {
    Timer::current().pending()
}
