use std::{
    panic::Location,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    clock::saturating_add, error::TimerError, limit::Admission, registration::Registration,
    shard::Shard,
};

/// The half of a timeout that does not depend on what it is put around
#[derive(Debug)]
pub(crate) struct Deadline {
    registration: Registration,
    /// What a lazy timeout counts from its first pending poll
    lazy: Option<Duration>,
}

impl Deadline {
    pub(crate) fn after(
        shard: &Arc<Shard>,
        duration: Duration,
        made_at: &'static Location<'static>,
    ) -> Self {
        if duration == Duration::MAX {
            return Self::new(Registration::never(shard, made_at), None);
        }
        if shard.service.lazy_timeouts {
            let registration = Registration::at(shard, shard.clock.origin(), made_at);
            return Self::new(registration, Some(duration));
        }
        Self::new(Registration::after(shard, duration, made_at), None)
    }

    pub(crate) fn at(
        shard: &Arc<Shard>,
        deadline: Instant,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self::new(Registration::at(shard, deadline, made_at), None)
    }

    fn new(registration: Registration, lazy: Option<Duration>) -> Self {
        Self { registration: registration.shown_as("Timeout"), lazy }
    }

    pub(crate) fn instant(&self) -> Instant {
        match self.lazy {
            Some(duration) => saturating_add(self.registration.now(), duration),
            None => self.registration.deadline(),
        }
    }

    #[cfg(feature = "io")]
    pub(crate) fn now(&self) -> Instant {
        self.registration.now()
    }

    pub(crate) fn reset(&mut self, deadline: Instant) {
        self.lazy = None;
        self.registration.reset(deadline);
    }

    #[cfg(feature = "io")]
    pub(crate) fn disarm(&mut self) {
        self.lazy = None;
        self.registration.disarm();
    }

    /// Whether time is up, as [`Registration::poll_behind`]
    pub(crate) fn poll(
        &mut self,
        had_budget: bool,
        admission: Admission,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TimerError>> {
        if let Some(duration) = self.lazy.take() {
            self.registration.reset_after(duration);
        }
        self.registration.poll_behind(had_budget, admission, cx)
    }

    /// As [`Registration::fail`]
    pub(crate) fn fail(&self, error: TimerError) -> ! {
        self.registration.fail(error)
    }
}
