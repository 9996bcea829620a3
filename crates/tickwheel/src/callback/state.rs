use std::fmt;

use tickwheel_core::TimerKey;
use tokio::time::Instant;

use super::work::{Next, Work};
use crate::{missed_tick::MissedTickBehavior, shard::Shard};

/// How far a callback is
#[derive(Debug)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// `None` while it is busy, and once it can not run again
    pub(super) work: Option<Work>,
    pub(super) missed: MissedTickBehavior,
    /// How many armings it was taken back from whose waker is still going to be called
    stale: u32,
    /// What `set_next` or `clear_next` was called with while it was busy
    pub(super) new_next: Option<NewNext>,
    /// Whether who shuts its timer down waits until it is not busy any more
    pub(super) is_awaited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not armed; finished when that is because it came to its end
    Stopped {
        is_finished: bool,
    },
    Armed {
        key: TimerKey,
        deadline: Instant,
    },
    /// Its work is out, and somebody runs a piece of it
    Busy {
        is_called: bool,
        then: Then,
    },
    /// Never to run again
    Ended,
}

/// What is to become of a callback that is busy
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    GoOn,
    Restart,
    Stop,
    End,
}

/// A [`Next`] to be, or none: the original delay again
pub(super) struct NewNext(pub(super) Option<Next>);

impl State {
    pub(super) fn stopped(work: Work) -> Self {
        Self {
            phase: Phase::Stopped { is_finished: false },
            work: Some(work),
            missed: MissedTickBehavior::default(),
            stale: 0,
            new_next: None,
            is_awaited: false,
        }
    }

    /// Whether this is the wake of an arming that was taken back
    pub(super) fn is_stale_wake(&mut self) -> bool {
        let is_stale = self.stale > 0;
        self.stale -= u32::from(is_stale);
        is_stale
    }

    /// Takes an armed one back from the wheel, or from the hands of who took it out to call it
    pub(super) fn withdraw(&mut self, shard: &Shard) {
        if let Phase::Armed { key, .. } = self.phase {
            self.stale += u32::from(!shard.withdraw(key));
        }
    }

    /// From now on it is busy
    pub(super) fn take_work(&mut self, is_called: bool) -> Work {
        self.phase = Phase::Busy { is_called, then: Then::GoOn };
        self.work.take().expect("the work is there unless it is busy or has ended")
    }
}

impl fmt::Debug for NewNext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewNext")
    }
}
