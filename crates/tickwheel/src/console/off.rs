use std::{panic::Location, task::Poll, time::Duration};

use crate::error::TimerError;

/// Nothing is shown
#[derive(Debug, Default)]
pub(crate) struct Shown;

const _: () = assert!(size_of::<Shown>() == 0);

/// As the one that shows something has it
#[expect(clippy::unused_self, reason = "it has nothing to show")]
impl Shown {
    #[inline]
    pub(crate) fn new() -> Self {
        Self
    }

    #[inline]
    pub(crate) fn set_type(&mut self, _concrete_type: &'static str) {}

    #[inline]
    pub(crate) fn begin(&mut self, _made_at: &Location<'_>, _rest: impl FnOnce() -> Duration) {}

    #[inline]
    pub(crate) fn poll(
        &self,
        poll: impl FnOnce() -> Poll<Result<(), TimerError>>,
    ) -> Poll<Result<(), TimerError>> {
        poll()
    }

    #[inline]
    pub(crate) fn reset(&mut self, _rest: impl FnOnce() -> Duration) {}
}
