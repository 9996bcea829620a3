use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{budget::Budget, guarded::guarded, shard::Shard};

/// Publishes, now and then, what the driver's timer counts
///
/// Only in turns that there are anyway: an idle driver is not woken for it.
#[derive(Debug)]
pub(super) struct Publishing {
    /// As much as one turn tells of a histogram, since recorders keep samples one by one
    most: u64,
    /// How many there are; what those that nobody uses any more have counted is gone
    shards: usize,
    next: Option<Instant>,
}

impl Publishing {
    pub(super) fn new(shards: usize, budget: Budget) -> Self {
        // More than a turn fires, or it would fall behind for good.
        let most = (budget.timers as u64).saturating_mul(2);
        Self { most, shards, next: None }
    }

    /// A turn is over, with these shards
    pub(super) fn turn(&mut self, here: &[Arc<Shard>], now: Instant) {
        if self.next.is_some_and(|next| now < next) {
            return;
        }
        let is_all = self.publish(here, self.most);
        self.next = if is_all { now.checked_add(PERIOD) } else { None };
    }

    /// There will be no more turns
    pub(super) fn end(&self, here: &[Arc<Shard>]) {
        // Piece by piece: what one is about to tell is missing when another is asked meanwhile.
        while !self.publish(here, self.most) {}
    }

    /// Whether that was all there is to tell
    fn publish(&self, here: &[Arc<Shard>], most: u64) -> bool {
        // Counters that some shards are missing from would go backwards.
        let Some(first) = here.first().filter(|_| here.len() == self.shards) else { return true };
        let service = &*first.service;
        // A recorder is user code, and timers fire though it panics.
        guarded(|| service.publisher.publish(|| Shard::metrics(service, here), most))
            .unwrap_or(true)
    }
}

/// Once in so long, if there is a turn
const PERIOD: Duration = Duration::from_secs(1);
