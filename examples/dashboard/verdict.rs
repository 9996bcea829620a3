//! What a shutdown left.

use std::fmt;

use serde::Serialize;
use tickwheel::Unfired;
use tokio::time::Instant;

/// What had not fired when the timer was shut down
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Verdict {
    sleeps: usize,
    callbacks: usize,
    /// In how many seconds the first callback was due, and the last
    first: Option<f64>,
    last: Option<f64>,
}

impl Verdict {
    pub(crate) fn of(unfired: Unfired, now: Instant) -> Self {
        let seconds = |deadline: Instant| deadline.saturating_duration_since(now).as_secs_f64();
        let sleeps = unfired.sleeps();
        let mut due = unfired.into_callbacks().map(|callback| seconds(callback.deadline()));
        let callbacks = due.len();
        let first = due.next();
        Self { sleeps, callbacks, first, last: due.last().or(first) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sleeps, callbacks, .. } = self;
        write!(f, "shut down with {sleeps} sleeps and {callbacks} callbacks that had not fired")
    }
}
