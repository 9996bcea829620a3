use std::{panic::Location, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{Registration, Stage};
use crate::{clock::saturating_add, console::Shown, shard::Shard};

/// What there is of a registration before it has a shard
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unbound {
    deadline: Instant,
    /// Never armed
    stage: Stage,
    made_at: &'static Location<'static>,
}

impl Unbound {
    #[inline]
    pub(crate) fn at(deadline: Instant, made_at: &'static Location<'static>) -> Self {
        Self { deadline, stage: Stage::New, made_at }
    }

    #[inline]
    pub(crate) fn after(
        now: Instant,
        duration: Duration,
        made_at: &'static Location<'static>,
    ) -> Self {
        let stage = if duration.is_zero() { Stage::New } else { Stage::Ahead };
        Self { deadline: saturating_add(now, duration), stage, made_at }
    }

    pub(crate) fn never(now: Instant, made_at: &'static Location<'static>) -> Self {
        Self { deadline: now, stage: Stage::Disarmed, made_at }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Where the future was made that this is for
    pub(crate) fn made_at(&self) -> &'static Location<'static> {
        self.made_at
    }

    pub(crate) fn reset(&mut self, deadline: Instant) {
        *self = Self::at(deadline, self.made_at);
    }

    pub(crate) fn disarm(&mut self) {
        self.stage = Stage::Disarmed;
    }

    pub(crate) fn is_disarmed(&self) -> bool {
        self.stage == Stage::Disarmed
    }

    #[inline]
    pub(crate) fn bind(self, shard: Arc<Shard>) -> Registration {
        let Self { deadline, stage, made_at } = self;
        let (slack, shown) = (shard.slack, Shown::new());
        Registration { shard, deadline, stage, slack, made_at, shown }
    }
}
