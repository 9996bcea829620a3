use std::sync::Arc;

use tickwheel_core::Census;

use super::Shard;
use crate::{
    inspect::ShardInspection,
    metrics::{DueAt, Metrics, most_due},
    service::Service,
};

/// What a shard tells about itself
impl Shard {
    /// How many timers are armed in it
    pub(crate) fn pending(&self) -> usize {
        self.state.lock().wheel.len()
    }

    /// Something was not taken that nobody else counts
    pub(crate) fn count_refused(&self) {
        self.state.lock().counts.refused += 1;
    }

    /// What these, all those of one timer, have counted
    pub(crate) fn metrics(service: &Service, shards: &[Arc<Self>]) -> Metrics {
        let Service { bell, calls, .. } = service;
        let calls = calls.lock().clone();
        let mut metrics = Metrics {
            driver_wakeups: bell.answers(),
            turns_cut_short: bell.cuts(),
            callback_panics: calls.panicked,
            slow_callbacks: calls.slow,
            callback_time: calls.time,
            ..Metrics::default()
        };
        let mut peaks: Vec<_> = shards.iter().map(|shard| shard.count_into(&mut metrics)).collect();
        metrics.max_due_in_tick = most_due(&mut peaks);
        metrics
    }

    /// Adds what it has counted, and says when it was busiest
    pub(crate) fn count_into(&self, metrics: &mut Metrics) -> DueAt {
        let state = self.state.lock();
        metrics.add(&state.counts);
        metrics.pending += state.wheel.len();
        metrics.cascaded += state.wheel.cascaded();
        state.counts.rush.peak
    }

    /// Looks into its slots, holding the lock for a few thousand timers at a time
    pub(crate) fn inspect(&self) -> ShardInspection {
        let mut census = Census::new();
        let mut part = Some(0);
        while let Some(number) = part {
            part = self.state.lock().wheel.count_part(number, &mut census);
        }
        let state = self.state.lock();
        let (elapsed, next_wake) = (state.wheel.elapsed(), state.wheel.next_wake());
        drop(state);
        ShardInspection { lane: self.lane, elapsed, next_wake, census }
    }
}
