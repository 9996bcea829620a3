use std::{
    panic::Location,
    task::{Context, Poll},
    time::Duration,
};

use crate::{ambient::Binding, clock::saturating_add, registration::Registration, timer::Timer};

/// The one timer of a stream, moved in place from one wait to the next
///
/// The streams know of timers by this alone.
#[derive(Debug)]
pub(super) struct Wait {
    binding: Binding,
}

impl Wait {
    /// On this timer, for nothing yet
    pub(super) fn on(timer: &Timer, made_at: &'static Location<'static>) -> Self {
        Self { binding: Binding::Bound(Registration::never(timer.shard(), made_at)) }
    }

    /// On the timer of the runtime in which it is first to wait, for nothing yet
    pub(super) fn ambient(made_at: &'static Location<'static>) -> Self {
        Self { binding: Binding::never(made_at) }
    }

    /// Waits so long from now, or for ever
    pub(super) fn start(&mut self, duration: Duration) {
        match self.binding.now().checked_add(duration) {
            Some(deadline) => self.binding.reset(deadline),
            None => self.binding.disarm(),
        }
    }

    /// Waits so long from the deadline that passed, if that is ahead, or else from now
    pub(super) fn start_again(&mut self, duration: Duration) {
        let now = self.binding.now();
        match saturating_add(self.binding.deadline(), duration) {
            deadline if deadline > now => self.binding.reset(deadline),
            _ => self.binding.reset(saturating_add(now, duration)),
        }
    }

    /// Waits for nothing
    pub(super) fn stop(&mut self) {
        self.binding.disarm();
    }

    /// Ready when the deadline has passed, and pending when there is none
    ///
    /// `had_budget` says whether the task had cooperative budget before it polled the source,
    /// as for [`Registration::poll_behind`].
    pub(super) fn poll(&mut self, had_budget: bool, cx: &mut Context<'_>) -> Poll<()> {
        self.binding.poll_behind("Sleep", had_budget, cx)
    }
}
