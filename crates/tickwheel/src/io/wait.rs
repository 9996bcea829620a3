use std::{
    io,
    panic::Location,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::Instant;

use super::{idle::Idle, missed::Missed};
use crate::{deadline::Deadline, limit::Admission, shard::Shard};

/// One direction: how long it may wait, and since when it does
///
/// Each has a timer of its own, since the task that reads need not be the one that writes
/// and both must be woken when nothing goes either way. It is moved in place from one wait
/// to the next; in between it stays armed, which wakes a task for nothing at the most.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) limit: Option<Duration>,
    since: Option<Instant>,
    deadline: Deadline,
    /// What that is set to, if it is
    aim: Option<Instant>,
    missed: Missed,
}

impl Wait {
    pub(super) fn new(shard: &Arc<Shard>, missed: Missed) -> Self {
        let deadline = Deadline::after(shard, Duration::MAX, Location::caller());
        Self { limit: None, since: None, deadline, aim: None, missed }
    }

    pub(super) fn now(&self) -> Instant {
        self.deadline.now()
    }

    /// Lets time count again from the next time there is nothing to be done
    ///
    /// Says whether it was waiting.
    pub(super) fn end(&mut self) -> bool {
        self.since.take().is_some()
    }

    /// An error when it has waited for too long, asked after nothing could be done
    ///
    /// `had_budget` is as for [`Registration::poll_behind`](crate::registration::Registration::poll_behind).
    pub(super) fn poll(
        &mut self,
        idle: &Idle,
        had_budget: bool,
        cx: &mut Context<'_>,
    ) -> Poll<io::Error> {
        if self.since.is_none() {
            self.since = Some(self.now());
        }
        let Some(due) = self.aim(idle) else { return Poll::Pending };
        let result = ready!(self.deadline.poll(had_budget, Admission::Always, cx));
        // The next try has as much time again; idle it stays until something moves.
        let own = self.due();
        self.since = None;
        Poll::Ready(match result {
            Err(error) => io::Error::other(error),
            Ok(()) if own == Some(due) => self.missed.into(),
            Ok(()) => Missed::Idle.into(),
        })
    }

    /// Moves what is armed to the deadline that comes first now
    pub(super) fn aim(&mut self, idle: &Idle) -> Option<Instant> {
        self.since?;
        let due = self.due().into_iter().chain(idle.due()).min();
        if due != self.aim {
            self.aim = due;
            match due {
                Some(due) => self.deadline.reset(due),
                None => self.deadline.disarm(),
            }
        }
        due
    }

    fn due(&self) -> Option<Instant> {
        self.since?.checked_add(self.limit?)
    }
}
