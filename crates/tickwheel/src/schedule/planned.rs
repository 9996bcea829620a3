use std::{
    fmt,
    panic::{AssertUnwindSafe, Location, catch_unwind},
    time::{Duration, SystemTime},
};

use crate::schedule::{
    Schedule,
    log::{self, Fault},
};

/// A schedule and the occurrence that is waited for
///
/// Whoever waits looks here with what the wall clock shows, and does as it is
/// told: fire, wait so long and look again, or stop. It never waits for longer
/// than [`LONGEST_WAIT`], because a wall clock may be set while the clock that
/// the timer goes by knows nothing of it, and a machine may sleep.
pub(crate) struct Planned<S> {
    /// Gone once the schedule has nothing more to say
    upcoming: Option<Upcoming<S>>,
    made_at: &'static Location<'static>,
}

struct Upcoming<S> {
    schedule: S,
    at: SystemTime,
}

/// What a look at the wall clock says
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// This occurrence has come, and is not waited for any more
    Due(SystemTime),
    /// Nothing before that; then look again
    Wait(Duration),
    /// Nothing is left to wait for
    Ended,
}

impl<S: Schedule> Planned<S> {
    /// Plans the first occurrence after `wall_now`
    ///
    /// Runs the user's code, and drops it when it has nothing to say: not under a lock.
    pub(crate) fn new(
        schedule: S,
        wall_now: SystemTime,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { upcoming: Upcoming::after(schedule, wall_now, made_at), made_at }
    }

    /// Compares the occurrence with the wall clock, and plans the next one if it has come
    ///
    /// Several that have come count as the first of them. May run the user's code,
    /// and drop it: not under a lock.
    pub(crate) fn look(&mut self, wall_now: SystemTime) -> Look {
        let Some(at) = self.at() else { return Look::Ended };
        match at.duration_since(wall_now) {
            Ok(rest) if !rest.is_zero() => Look::Wait(rest.clamp(SHORTEST_WAIT, LONGEST_WAIT)),
            _ => {
                // The next is later than this one, too: a clock set back does not repeat it.
                self.upcoming = self.upcoming.take().and_then(|upcoming| {
                    Upcoming::after(upcoming.schedule, wall_now, self.made_at)
                });
                Look::Due(at)
            }
        }
    }

    /// The occurrence that is waited for
    pub(crate) fn at(&self) -> Option<SystemTime> {
        self.upcoming.as_ref().map(|upcoming| upcoming.at)
    }
}

impl<S: Schedule> Upcoming<S> {
    /// Drops a schedule that ends, or has to
    fn after(
        mut schedule: S,
        after: SystemTime,
        made_at: &'static Location<'static>,
    ) -> Option<Self> {
        // One that panicked is not called again, so nobody sees it half changed.
        let fault = match catch_unwind(AssertUnwindSafe(|| schedule.next_after(after))) {
            Ok(Some(at)) if after < at => return Some(Self { schedule, at }),
            Ok(None) => None,
            Ok(Some(at)) => Some(Fault::OutOfOrder { after, answer: at }),
            Err(payload) => Some(Fault::panicked(payload)),
        };
        if let Some(fault) = fault {
            log::ended(&fault, made_at);
        }
        // Its drop is user code as well, and must not take along the occurrence that has come.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(schedule))) {
            log::ended(&Fault::panicked(payload), made_at);
        }
        None
    }
}

impl<S> fmt::Debug for Planned<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.upcoming.as_ref().map(|upcoming| upcoming.at);
        f.debug_struct("Planned").field("at", &at).finish_non_exhaustive()
    }
}

/// How long an occurrence may stay unnoticed that a step of the wall clock has made due
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Keeps a wall clock that stands still just before an occurrence from being asked without end
///
/// Shorter waits end with the tick in which they began, or are shorter than waking up takes.
const SHORTEST_WAIT: Duration = Duration::from_micros(10);

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::schedule::Every;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn every_hour() -> Planned<Every> {
        let every = Every::new(Duration::from_secs(3600)).expect("it is not zero");
        Planned::new(every, at(0), Location::caller())
    }

    #[test]
    fn waits_are_as_long_as_is_left_but_never_longer_than_a_minute() {
        let mut planned = every_hour();
        for now in [0, 1, 59, 3000, 3540] {
            assert_eq!(planned.look(at(now)), Look::Wait(LONGEST_WAIT));
        }
        assert_eq!(planned.look(at(3541)), Look::Wait(59 * SECOND));
        assert_eq!(planned.look(at(3600)), Look::Due(at(3600)));
        assert_eq!(planned.look(at(3600)), Look::Wait(LONGEST_WAIT));
    }

    #[test]
    fn nothing_is_due_a_nanosecond_early() {
        let mut planned = every_hour();
        let early = at(3600) - Duration::from_nanos(1);
        assert_eq!(planned.look(early), Look::Wait(SHORTEST_WAIT));
        assert_eq!(planned.look(at(3600)), Look::Due(at(3600)));
    }

    #[test]
    fn several_that_have_come_are_the_first_of_them() {
        let mut planned = every_hour();
        assert_eq!(planned.look(at(10_000)), Look::Due(at(3600)));
        assert_eq!(planned.at(), Some(at(10_800)));
    }

    #[test]
    fn a_clock_set_back_repeats_nothing() {
        let mut planned = every_hour();
        assert_eq!(planned.look(at(3600)), Look::Due(at(3600)));
        assert_eq!(planned.look(at(3599)), Look::Wait(LONGEST_WAIT));
        assert_eq!(planned.look(at(3600)), Look::Wait(LONGEST_WAIT));
        assert_eq!(planned.look(at(7200)), Look::Due(at(7200)));
    }

    #[test]
    fn an_ended_one_has_dropped_its_schedule() {
        struct Once;
        impl Schedule for Once {
            fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
                (after < at(10)).then_some(at(10))
            }
        }
        let mut planned = Planned::new(Once, at(0), Location::caller());
        assert_eq!(planned.look(at(10)), Look::Due(at(10)));
        assert!(planned.upcoming.is_none());
        assert_eq!(planned.look(at(20)), Look::Ended);
    }
}
