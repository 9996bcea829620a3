use std::{
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    error::ZeroPeriod, limit::Admission, missed_tick::MissedTickBehavior,
    registration::Registration,
};

/// The half of an interval that says when its ticks come
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rhythm {
    /// Not zero
    period: Duration,
    pub(crate) missed_tick_behavior: MissedTickBehavior,
}

impl Rhythm {
    pub(crate) fn new(period: Duration) -> Result<Self, ZeroPeriod> {
        check(period)?;
        Ok(Self { period, missed_tick_behavior: MissedTickBehavior::default() })
    }

    pub(crate) fn period(&self) -> Duration {
        self.period
    }

    pub(crate) fn set_period(&mut self, period: Duration) -> Result<(), ZeroPeriod> {
        check(period)?;
        self.period = period;
        Ok(())
    }

    /// The tick that is registered, when it comes; the one after it is registered then
    pub(crate) fn poll_tick(
        &self,
        registration: &mut Registration,
        cx: &mut Context<'_>,
    ) -> Poll<Instant> {
        if let Err(error) = ready!(registration.poll(Admission::Always, cx)) {
            registration.fail(error);
        }
        let scheduled = registration.deadline();
        let now = registration.now();
        registration.reset(self.missed_tick_behavior.next_tick(scheduled, now, self.period));
        Poll::Ready(scheduled)
    }
}

fn check(period: Duration) -> Result<(), ZeroPeriod> {
    if period.is_zero() { Err(ZeroPeriod) } else { Ok(()) }
}
