//! What a timer did within one second.

use serde::Serialize;
use tickwheel::{Metrics, Timer};
use tokio::time::{Duration, Instant};

use super::lateness::Lateness;

/// One point of the charts
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Second {
    /// When it ended, in seconds
    at: f64,
    /// Per second
    armed: f64,
    fired: f64,
    cancelled: f64,
    /// Of what was fired in it, if anything was
    lateness: Option<Lateness>,
}

/// Turns the timer's counts, which only grow, into seconds
pub(crate) struct Meter {
    start: Instant,
    since: Instant,
    metrics: Metrics,
}

impl Meter {
    pub(crate) fn start(timer: &Timer) -> Self {
        let (now, metrics) = (timer.now(), timer.metrics());
        Self { start: now, since: now, metrics }
    }

    pub(crate) fn is_due(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= SECOND
    }

    /// What has happened since the last reading, which may be longer ago than a second
    pub(crate) fn read(&mut self, now: Instant, metrics: Metrics) -> Second {
        let length = now.saturating_duration_since(self.since).as_secs_f64().max(SHORTEST);
        #[expect(clippy::cast_precision_loss, reason = "no chart shows the sixteenth digit")]
        let rate = |count: fn(&Metrics) -> u64| {
            count(&metrics).saturating_sub(count(&self.metrics)) as f64 / length
        };
        let second = Second {
            at: now.saturating_duration_since(self.start).as_secs_f64(),
            armed: rate(|metrics| metrics.registered),
            fired: rate(|metrics| metrics.fired),
            cancelled: rate(|metrics| metrics.cancelled),
            lateness: Lateness::of(&metrics.lateness.since(&self.metrics.lateness)),
        };
        (self.since, self.metrics) = (now, metrics);
        second
    }
}

/// Not quite: the frame that is nearest to the whole second ends it
const SECOND: Duration = Duration::from_millis(950);
const SHORTEST: f64 = 1e-3;
