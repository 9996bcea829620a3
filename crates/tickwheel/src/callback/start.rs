use std::{panic::Location, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    Callback, CallbackId, Task,
    work::{Call, Firing, Plan, Work},
};
use crate::{
    clock::saturating_add,
    error::{Refused, TimerError},
    limit::Admission,
    schedule::{Planned, Schedule},
    timer::Timer,
};

/// Callbacks
///
/// The plain forms panic once the timer was shut down or its runtime is gone; the
/// `try_` forms give back what was to be called.
impl Timer {
    /// Calls a function once, so much later
    ///
    /// # Panics
    ///
    /// When the timer was shut down or its runtime is gone.
    #[track_caller]
    pub fn call_later(&self, delay: Duration, call: impl FnOnce() + Send + 'static) -> Callback {
        accepted(self.later(delay, call, Admission::Always))
    }

    /// Calls a function once, then; as soon as possible when that is past
    ///
    /// # Panics
    ///
    /// When the timer was shut down or its runtime is gone.
    #[track_caller]
    pub fn call_at(&self, deadline: Instant, call: impl FnOnce() + Send + 'static) -> Callback {
        accepted(self.at(deadline, call, Admission::Always))
    }

    /// Calls a function at this period, first after one period
    ///
    /// The phase is kept: a call that comes a little late does not delay those after
    /// it. For those that come too late see
    /// [`set_missed_tick_behavior`](Callback::set_missed_tick_behavior).
    ///
    /// # Panics
    ///
    /// When `period` is zero, or the timer was shut down or its runtime is gone.
    #[track_caller]
    pub fn call_every(&self, period: Duration, call: impl FnMut() + Send + 'static) -> Callback {
        accepted(self.every(period, call, Admission::Always))
    }

    /// [`call_later`](Self::call_later) that gives the function back where that one panics
    ///
    /// # Errors
    ///
    /// [`TimerError::ShutDown`], and [`TimerError::AtCapacity`] where as many timers are armed as
    /// [may be](crate::Builder::max_pending).
    pub fn try_call_later<F>(&self, delay: Duration, call: F) -> Result<Callback, Refused<F>>
    where
        F: FnOnce() + Send + 'static,
    {
        self.later(delay, call, Admission::IfRoom)
    }

    /// [`call_at`](Self::call_at) that gives the function back where that one panics
    ///
    /// # Errors
    ///
    /// [`TimerError::ShutDown`], and [`TimerError::AtCapacity`] where as many timers are armed as
    /// [may be](crate::Builder::max_pending).
    pub fn try_call_at<F>(&self, deadline: Instant, call: F) -> Result<Callback, Refused<F>>
    where
        F: FnOnce() + Send + 'static,
    {
        self.at(deadline, call, Admission::IfRoom)
    }

    /// [`call_every`](Self::call_every) that gives the function back where that one panics
    ///
    /// # Errors
    ///
    /// [`TimerError::ZeroPeriod`], [`TimerError::ShutDown`], and [`TimerError::AtCapacity`] where as many timers are armed as
    /// [may be](crate::Builder::max_pending).
    pub fn try_call_every<F>(&self, period: Duration, call: F) -> Result<Callback, Refused<F>>
    where
        F: FnMut() + Send + 'static,
    {
        self.every(period, call, Admission::IfRoom)
    }

    /// Calls a function at each occurrence of a schedule
    ///
    /// Once for each, and at the latest a minute after the wall clock was set past
    /// it. With nothing to come the callback is finished at once.
    ///
    /// # Panics
    ///
    /// When the timer was shut down or its runtime is gone.
    #[track_caller]
    pub fn call_on(
        &self,
        schedule: impl Schedule + Send + 'static,
        call: impl FnMut() + Send + 'static,
    ) -> Callback {
        accepted(self.on(schedule, call))
    }

    /// [`call_on`](Self::call_on) that gives the function back where that one panics
    ///
    /// # Errors
    ///
    /// [`TimerError::ShutDown`], and [`TimerError::AtCapacity`] where as many timers are armed as
    /// [may be](crate::Builder::max_pending).
    #[track_caller]
    pub fn try_call_on<F>(
        &self,
        schedule: impl Schedule + Send + 'static,
        call: F,
    ) -> Result<Callback, Refused<F>>
    where
        F: FnMut() + Send + 'static,
    {
        // Its place, until it has taken that when it starts.
        let limit = &self.service().limit;
        if let Err(error) = limit.admit(Admission::IfRoom) {
            self.shard().count_refused();
            return Err(Refused { error, value: call });
        }
        let callback = self.on(schedule, call);
        limit.release(1);
        callback
    }

    /// A callback that is called once for each [`start`](Callback::start), so much later
    ///
    /// It is built stopped.
    ///
    /// # Panics
    ///
    /// When the timer was shut down or its runtime is gone.
    #[track_caller]
    pub fn new_callback_once(
        &self,
        delay: Duration,
        call: impl FnMut() + Send + 'static,
    ) -> Callback {
        accepted(self.launch(None, call, many, Plan::Once { delay, next: None }))
    }

    /// A callback that is called at this period once it is [`start`](Callback::start)ed
    ///
    /// It is built stopped.
    ///
    /// # Panics
    ///
    /// When `period` is zero, or the timer was shut down or its runtime is gone.
    #[track_caller]
    pub fn new_callback_every(
        &self,
        period: Duration,
        call: impl FnMut() + Send + 'static,
    ) -> Callback {
        assert!(!period.is_zero(), "{}", TimerError::ZeroPeriod);
        accepted(self.launch(None, call, many, Plan::Every { period, next: None }))
    }

    /// A callback that follows a schedule once it is [`start`](Callback::start)ed
    ///
    /// It is built stopped. Occurrences that come while it is stopped are not made up for.
    ///
    /// # Panics
    ///
    /// When the timer was shut down or its runtime is gone.
    #[track_caller]
    pub fn new_callback_on(
        &self,
        schedule: impl Schedule + Send + 'static,
        call: impl FnMut() + Send + 'static,
    ) -> Callback {
        accepted(self.launch(None, call, many, self.planned(schedule)))
    }

    /// Cancels the callback of that name, as [`Callback::cancel`] does
    ///
    /// False, too, when there is none of that name any more.
    pub fn cancel(&self, id: CallbackId) -> bool {
        let shard = id.shard_in(self.service().number).map(|number| &self.shards()[number]);
        let callback = shard.and_then(|shard| shard.callback(id));
        callback.is_some_and(|task| Callback::new(task).cancel())
    }

    fn later<F>(
        &self,
        delay: Duration,
        call: F,
        admission: Admission,
    ) -> Result<Callback, Refused<F>>
    where
        F: FnOnce() + Send + 'static,
    {
        let start = Firing::at(saturating_add(self.now(), delay));
        self.launch(Some((start, admission)), call, once, Plan::Once { delay, next: None })
    }

    fn at<F>(
        &self,
        deadline: Instant,
        call: F,
        admission: Admission,
    ) -> Result<Callback, Refused<F>>
    where
        F: FnOnce() + Send + 'static,
    {
        let now = self.now();
        let delay = deadline.saturating_duration_since(now);
        let start = Firing { look: deadline.max(now), due: deadline };
        self.launch(Some((start, admission)), call, once, Plan::Once { delay, next: None })
    }

    fn every<F>(
        &self,
        period: Duration,
        call: F,
        admission: Admission,
    ) -> Result<Callback, Refused<F>>
    where
        F: FnMut() + Send + 'static,
    {
        if period.is_zero() {
            return Err(Refused { error: TimerError::ZeroPeriod, value: call });
        }
        let start = Firing::at(saturating_add(self.now(), period));
        self.launch(Some((start, admission)), call, many, Plan::Every { period, next: None })
    }

    #[track_caller]
    fn on<F>(
        &self,
        schedule: impl Schedule + Send + 'static,
        call: F,
    ) -> Result<Callback, Refused<F>>
    where
        F: FnMut() + Send + 'static,
    {
        let callback = self.launch(None, call, many, self.planned(schedule))?;
        callback.start();
        Ok(callback)
    }

    #[track_caller]
    fn planned(&self, schedule: impl Schedule + Send + 'static) -> Plan {
        let schedule: Box<dyn Schedule + Send> = Box::new(schedule);
        let wall_now = self.service().wall_clock.now();
        Plan::Scheduled(Planned::new(schedule, wall_now, Location::caller()))
    }

    fn launch<F>(
        &self,
        start: Option<(Firing, Admission)>,
        value: F,
        call: impl FnOnce(F) -> Call,
        plan: Plan,
    ) -> Result<Callback, Refused<F>> {
        let shard = self.shard();
        let make = |value, id| Task::new(id, Arc::clone(shard), Work { call: call(value), plan });
        shard.adopt(start, value, make).map(Callback::new)
    }
}

fn once(call: impl FnOnce() + Send + 'static) -> Call {
    Call::Once(Some(Box::new(call)))
}

fn many(call: impl FnMut() + Send + 'static) -> Call {
    Call::Many(Box::new(call))
}

#[track_caller]
fn accepted<F>(result: Result<Callback, Refused<F>>) -> Callback {
    match result {
        Ok(callback) => callback,
        Err(Refused { error, .. }) => panic!("{error}"),
    }
}
