//! The futures of a story, polled by hand

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tickwheel::{
    Interval, MissedTickBehavior, Sleep, Timeout, TimeoutError, Timer, TimerError, TrySleep,
    TryTimeout,
};
use tokio::time::Instant;

use super::operation::Form;

/// A future of any form
#[derive(Debug)]
pub(crate) enum AnyFuture {
    Sleep(Sleep),
    TrySleep(TrySleep),
    Timeout(Timeout<Inner>),
    TryTimeout(TryTimeout<Inner>),
    Interval(Interval),
}

/// What a poll came to
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Elapsed,
    /// What is inside of a timeout is ready
    Finished,
    /// The tick that was scheduled then
    Ticked(Instant),
    AtCapacity,
}

/// Ready when it is told to be
#[derive(Clone, Debug, Default)]
pub(crate) struct Inner(Arc<AtomicBool>);

impl AnyFuture {
    /// One that is due then
    pub(crate) fn at(timer: &Timer, form: Form, deadline: Instant) -> Self {
        match form {
            Form::Sleep => Self::Sleep(timer.sleep_until(deadline)),
            Form::TrySleep => Self::TrySleep(timer.try_sleep_until(deadline)),
            Form::Timeout => Self::Timeout(timer.timeout_at(deadline, Inner::default())),
            Form::TryTimeout => Self::TryTimeout(
                timer
                    .try_timeout(deadline.saturating_duration_since(timer.now()), Inner::default()),
            ),
            Form::Interval(period, missed) => {
                let mut interval = timer.interval_at(deadline, period);
                interval.set_missed_tick_behavior(missed);
                Self::Interval(interval)
            }
        }
    }

    /// One that is due so much later
    pub(crate) fn after(timer: &Timer, form: Form, delay: Duration) -> Self {
        match form {
            Form::Sleep => Self::Sleep(timer.sleep(delay)),
            Form::TrySleep => Self::TrySleep(timer.try_sleep(delay)),
            Form::Timeout => Self::Timeout(timer.timeout(delay, Inner::default())),
            Form::TryTimeout => Self::TryTimeout(timer.try_timeout(delay, Inner::default())),
            Form::Interval(..) => {
                let start = timer.now().checked_add(delay);
                Self::at(timer, form, start.unwrap_or_else(|| timer.sleep(delay).deadline()))
            }
        }
    }

    pub(crate) fn with_slack(self, slack: Duration) -> Self {
        match self {
            Self::Sleep(sleep) => Self::Sleep(sleep.slack(slack)),
            Self::TrySleep(sleep) => Self::TrySleep(sleep.slack(slack)),
            other => other,
        }
    }

    pub(crate) fn has_slack(&self) -> bool {
        matches!(self, Self::Sleep(_) | Self::TrySleep(_))
    }

    pub(crate) fn is_refused_at_capacity(&self) -> bool {
        matches!(self, Self::TrySleep(_) | Self::TryTimeout(_))
    }

    pub(crate) fn rhythm(&self) -> Option<(Duration, MissedTickBehavior)> {
        match self {
            Self::Interval(interval) => Some((interval.period(), interval.missed_tick_behavior())),
            _ => None,
        }
    }

    /// What is inside of a timeout is to be ready
    pub(crate) fn finish(&self) {
        if let Some(inner) = self.inner() {
            inner.0.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.inner().is_some_and(|inner| inner.0.load(Ordering::Relaxed))
    }

    pub(crate) fn reset(&mut self, deadline: Instant) {
        match self {
            Self::Sleep(sleep) => sleep.reset(deadline),
            Self::TrySleep(sleep) => sleep.reset(deadline),
            Self::Timeout(timeout) => timeout.reset(deadline),
            Self::TryTimeout(timeout) => timeout.reset(deadline),
            Self::Interval(interval) => interval.reset_at(deadline),
        }
    }

    /// Whether it can be called off, and was
    pub(crate) fn disarm(&mut self) -> bool {
        match self {
            Self::Sleep(sleep) => sleep.disarm(),
            Self::TrySleep(sleep) => sleep.disarm(),
            _ => return false,
        }
        true
    }

    /// As it was asked for; an interval does not tell
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Sleep(sleep) => Some(sleep.deadline()),
            Self::TrySleep(sleep) => Some(sleep.deadline()),
            Self::Timeout(timeout) => Some(timeout.deadline()),
            Self::TryTimeout(timeout) => Some(timeout.deadline()),
            Self::Interval(_) => None,
        }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Answer> {
        match self {
            Self::Sleep(sleep) => Pin::new(sleep).poll(cx).map(|()| Answer::Elapsed),
            Self::TrySleep(sleep) => Pin::new(sleep).poll(cx).map(|result| match result {
                Ok(()) => Answer::Elapsed,
                Err(error) => refused(error),
            }),
            Self::Timeout(timeout) => Pin::new(timeout).poll(cx).map(|result| match result {
                Ok(()) => Answer::Finished,
                Err(_) => Answer::Elapsed,
            }),
            Self::TryTimeout(timeout) => Pin::new(timeout).poll(cx).map(|result| match result {
                Ok(()) => Answer::Finished,
                Err(TimeoutError::Elapsed(_)) => Answer::Elapsed,
                Err(TimeoutError::Timer(error)) => refused(error),
                Err(error) => panic!("{error}"),
            }),
            Self::Interval(interval) => interval.poll_tick(cx).map(Answer::Ticked),
        }
    }

    fn inner(&self) -> Option<&Inner> {
        match self {
            Self::Timeout(timeout) => Some(timeout.get_ref()),
            Self::TryTimeout(timeout) => Some(timeout.get_ref()),
            _ => None,
        }
    }
}

impl Future for Inner {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }
    }
}

fn refused(error: TimerError) -> Answer {
    assert_eq!(error, TimerError::AtCapacity);
    Answer::AtCapacity
}
