use std::{
    panic::Location,
    task::{Context, Poll},
    time::Duration,
};

use crate::{clock::saturating_add, limit::Admission, registration::Registration, timer::Timer};

/// The one timer of a stream, moved in place from one wait to the next
///
/// The streams know of timers by this alone.
#[derive(Debug)]
pub(super) struct Wait {
    registration: Registration,
}

impl Wait {
    /// On this timer, for nothing yet
    pub(super) fn on(timer: &Timer, made_at: &'static Location<'static>) -> Self {
        Self { registration: Registration::never(timer.shard(), made_at) }
    }

    /// Waits so long from now, or for ever
    pub(super) fn start(&mut self, duration: Duration) {
        match self.registration.now().checked_add(duration) {
            Some(deadline) => self.registration.reset(deadline),
            None => self.registration.disarm(),
        }
    }

    /// Waits so long from the deadline that passed, if that is ahead, or else from now
    pub(super) fn start_again(&mut self, duration: Duration) {
        let now = self.registration.now();
        match saturating_add(self.registration.deadline(), duration) {
            deadline if deadline > now => self.registration.reset(deadline),
            _ => self.registration.reset(saturating_add(now, duration)),
        }
    }

    /// Waits for nothing
    pub(super) fn stop(&mut self) {
        self.registration.disarm();
    }

    /// Ready when the deadline has passed, and pending when there is none
    ///
    /// `had_budget` says whether the task had cooperative budget before it polled the source,
    /// as for [`Registration::poll_behind`].
    pub(super) fn poll(&mut self, had_budget: bool, cx: &mut Context<'_>) -> Poll<()> {
        let result = self.registration.poll_behind(had_budget, Admission::Always, cx);
        result.map(|result| result.unwrap_or_else(|error| self.registration.fail(error)))
    }
}
