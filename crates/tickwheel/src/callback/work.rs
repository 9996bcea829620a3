use std::{fmt, mem, time::Duration};

use tokio::time::Instant;

use crate::{
    clock::saturating_add,
    missed_tick::MissedTickBehavior,
    schedule::{Look, Planned, Schedule},
    service::Service,
};

/// What a callback does and when: all of it that is the user's code
///
/// It is taken out of the task whenever a piece of it runs, so that no lock is
/// held then, and is dropped as soon as it can not run again.
pub(crate) struct Work {
    pub(super) call: Call,
    pub(super) plan: Plan,
}

pub(super) enum Call {
    /// Spent by running
    Once(Option<Box<dyn FnOnce() + Send>>),
    Many(Box<dyn FnMut() + Send>),
}

pub(super) enum Plan {
    Once { delay: Duration, next: Option<Next> },
    Every { period: Duration, next: Option<Next> },
    Scheduled(Planned<Box<dyn Schedule + Send>>),
}

/// Decides a delay; `None` or zero: no more
pub(super) type Next = Box<dyn FnMut() -> Option<Duration> + Send>;

/// When a callback is to be looked at, and when it is expected to be due
///
/// The same but for a schedule, whose wall clock is looked at now and then, and for
/// what is past when it is asked for, and is looked at now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Firing {
    pub(crate) look: Instant,
    pub(crate) due: Instant,
}

impl Firing {
    pub(crate) fn at(due: Instant) -> Self {
        Self { look: due, due }
    }
}

/// What is to be done with a callback whose time has come
pub(super) enum Verdict {
    Call,
    Wait(Option<Firing>),
}

impl Work {
    /// Whether it is really due: a schedule asks the wall clock
    pub(super) fn judge(&mut self, service: &Service) -> Verdict {
        let Plan::Scheduled(planned) = &mut self.plan else { return Verdict::Call };
        match planned.look(service.wall_clock.now()) {
            Look::Due(_) => Verdict::Call,
            Look::Wait(wait) => Verdict::Wait(Some(planned_firing(planned, wait, service))),
            Look::Ended => Verdict::Wait(None),
        }
    }

    /// Runs it
    ///
    /// By reference, so that a call that panics unwinds past nothing that the
    /// callback owns: two panics at once would end the process.
    pub(crate) fn run(&mut self) {
        match &mut self.call {
            Call::Once(call) => {
                let call = call.take().expect("it runs once, and is spent then");
                call();
            }
            Call::Many(call) => call(),
        }
    }

    /// When it is to run first, counted from now; `None` when never
    pub(super) fn first(&mut self, service: &Service) -> Option<Firing> {
        let delay = match &mut self.plan {
            Plan::Once { next: Some(next), .. } | Plan::Every { next: Some(next), .. } => {
                next().filter(|delay| !delay.is_zero())?
            }
            Plan::Once { delay, next: None } => *delay,
            Plan::Every { period, next: None } => *period,
            Plan::Scheduled(planned) => {
                // One reading for both looks, or a schedule that comes round faster than
                // the clock is read would be passed over for ever.
                let wall_now = service.wall_clock.now();
                // What came while nobody waited for it does not count.
                let _ = planned.look(wall_now);
                return match planned.look(wall_now) {
                    Look::Wait(wait) => Some(planned_firing(planned, wait, service)),
                    Look::Due(_) | Look::Ended => None,
                };
            }
        };
        Some(Firing::at(saturating_add(service.clock.now(), delay)))
    }

    /// When it is to run again, after it was called then for what was scheduled then
    pub(super) fn again(
        &mut self,
        scheduled: Instant,
        called: Instant,
        missed: MissedTickBehavior,
        service: &Service,
    ) -> Option<Firing> {
        match &mut self.plan {
            Plan::Once { .. } => None,
            Plan::Every { period, next: None } => {
                Some(Firing::at(missed.next_tick(scheduled, called, *period)))
            }
            Plan::Every { next: Some(_), .. } => self.first(service),
            Plan::Scheduled(planned) => {
                // Planned already, when it was found due.
                planned.at().map(|_| planned_firing(planned, Duration::ZERO, service))
            }
        }
    }

    /// Whether its schedule has nothing more to say, to a start either
    pub(super) fn is_over(&self) -> bool {
        matches!(&self.plan, Plan::Scheduled(planned) if planned.at().is_none())
    }

    pub(super) fn is_once(&self) -> bool {
        matches!(self.plan, Plan::Once { .. })
    }

    pub(super) fn is_scheduled(&self) -> bool {
        matches!(self.plan, Plan::Scheduled(_))
    }

    /// Replaces what decides the delays; gives back what is not needed any more
    pub(super) fn set_next(&mut self, new: Option<Next>) -> Option<Next> {
        match &mut self.plan {
            Plan::Once { next, .. } | Plan::Every { next, .. } => mem::replace(next, new),
            Plan::Scheduled(_) => new,
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.plan {
            Plan::Once { .. } => "Once",
            Plan::Every { .. } => "Every",
            Plan::Scheduled(_) => "Scheduled",
        })
    }
}

fn planned_firing(
    planned: &Planned<Box<dyn Schedule + Send>>,
    wait: Duration,
    service: &Service,
) -> Firing {
    let now = service.clock.now();
    let rest = planned.at().and_then(|at| at.duration_since(service.wall_clock.now()).ok());
    Firing { look: saturating_add(now, wait), due: saturating_add(now, rest.unwrap_or_default()) }
}
