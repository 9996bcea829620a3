use std::{
    panic::Location,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::Instant;

use super::shard;
use crate::{
    clock::{ambient_now, saturating_add},
    limit::Admission,
    registration::{Registration, Unbound},
};

/// A registration with the ambient timer of whichever runtime polls it first
#[derive(Debug)]
pub(crate) enum Binding {
    Unbound(Unbound),
    Bound(Registration),
}

impl Binding {
    #[inline]
    pub(crate) fn at(deadline: Instant, made_at: &'static Location<'static>) -> Self {
        Self::Unbound(Unbound::at(deadline, made_at))
    }

    #[inline]
    pub(crate) fn after(duration: Duration, made_at: &'static Location<'static>) -> Self {
        Self::Unbound(Unbound::after(ambient_now(), duration, made_at))
    }

    /// One that never comes, until it is reset
    pub(crate) fn never(made_at: &'static Location<'static>) -> Self {
        Self::Unbound(Unbound::never(ambient_now(), made_at))
    }

    pub(crate) fn now(&self) -> Instant {
        match self {
            Self::Unbound(_) => ambient_now(),
            Self::Bound(registration) => registration.now(),
        }
    }

    pub(crate) fn deadline(&self) -> Instant {
        match self {
            Self::Unbound(unbound) => unbound.deadline(),
            Self::Bound(registration) => registration.deadline(),
        }
    }

    pub(crate) fn is_elapsed(&self) -> bool {
        match self {
            Self::Unbound(_) => false,
            Self::Bound(registration) => registration.is_elapsed(),
        }
    }

    pub(crate) fn reset(&mut self, deadline: Instant) {
        match self {
            Self::Unbound(unbound) => unbound.reset(deadline),
            Self::Bound(registration) => registration.reset(deadline),
        }
    }

    pub(crate) fn reset_after(&mut self, duration: Duration) {
        self.reset(saturating_add(self.now(), duration));
    }

    pub(crate) fn disarm(&mut self) {
        match self {
            Self::Unbound(unbound) => unbound.disarm(),
            Self::Bound(registration) => registration.disarm(),
        }
    }

    /// [`Registration::poll_behind`], bound here unless it is bound or waits for nothing
    ///
    /// # Panics
    ///
    /// As [`bind`](Self::bind), and where the timer can not keep the deadline.
    #[inline]
    pub(crate) fn poll_behind(
        &mut self,
        concrete_type: &'static str,
        had_budget: bool,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if matches!(self, Self::Unbound(unbound) if unbound.is_disarmed()) {
            return Poll::Pending;
        }
        let registration = self.bind(concrete_type);
        registration
            .poll_behind(had_budget, Admission::Always, cx)
            .map(|result| result.unwrap_or_else(|error| registration.fail(error)))
    }

    /// Binds it here, unless it is bound: to be called when it is polled
    ///
    /// `concrete_type` is what it is shown as, where that is.
    ///
    /// # Panics
    ///
    /// Where there is no timer to bind it to.
    #[inline]
    pub(crate) fn bind(&mut self, concrete_type: &'static str) -> &mut Registration {
        if let Self::Unbound(unbound) = self {
            *self = Self::Bound(bind(*unbound).shown_as(concrete_type));
        }
        match self {
            Self::Bound(registration) => registration,
            Self::Unbound(_) => unreachable!("it was bound above"),
        }
    }
}

fn bind(unbound: Unbound) -> Registration {
    match shard() {
        Ok(shard) => unbound.bind(shard),
        Err(error) => {
            panic!("{error}: a deadline set at {} cannot be kept", unbound.made_at())
        }
    }
}
