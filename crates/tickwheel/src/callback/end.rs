use std::mem;

use super::{
    Task,
    state::{Phase, State, Then},
};
use crate::{
    closing::Closing,
    shutdown::{Leftover, UnfiredCallback},
};

/// How a callback comes to its end with its timer
impl Task {
    /// Its timer has come to its end: it never runs again, and gives back what it owns
    pub(crate) fn surrender(&self) -> Surrender {
        let mut state = self.state.lock();
        let deadline = match &mut state.phase {
            Phase::Busy { then, .. } => {
                *then = Then::End;
                let is_known = mem::replace(&mut state.is_awaited, true);
                return if is_known { Surrender::Known } else { Surrender::Running };
            }
            Phase::Armed { deadline, .. } => Some(*deadline),
            Phase::Stopped { .. } | Phase::Ended => None,
        };
        state.withdraw(&self.shard);
        state.phase = Phase::Ended;
        let leftover = Leftover::new(state.work.take());
        match deadline {
            Some(deadline) => Surrender::Armed(UnfiredCallback::new(self.id(), deadline, leftover)),
            None => Surrender::Idle(leftover),
        }
    }

    /// It is not busy any more
    pub(super) fn is_over(&self, state: &mut State) -> IsOver<'_> {
        let is_awaited = mem::take(&mut state.is_awaited);
        IsOver(is_awaited.then_some(&self.shard.service.closing))
    }
}

/// What a callback was when its timer came to its end
pub(crate) enum Surrender {
    Armed(UnfiredCallback),
    /// Stopped, or never to run again in any case
    Idle(Leftover),
    /// Somebody is in the middle of it, and tells when that is over
    Running,
    /// The same, and it has been found so before
    Known,
}

/// Tells who waits for the timer's end, when dropped, that the callback is not busy any more
#[must_use]
pub(super) struct IsOver<'a>(Option<&'a Closing>);

impl Drop for IsOver<'_> {
    fn drop(&mut self) {
        if let Some(closing) = self.0 {
            closing.call_is_over();
        }
    }
}
