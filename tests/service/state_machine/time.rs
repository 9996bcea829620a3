//! Instants, ticks and tokio's milliseconds, in the slow arithmetic of a model

use std::time::Duration;

use tickwheel::MissedTickBehavior;
use tickwheel_core::Tick;
use tokio::time::Instant;

/// Where a story's time begins
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeline {
    /// Tokio's clock counts milliseconds from here
    pub(crate) runtime: Instant,
    /// Tick zero
    pub(crate) origin: Instant,
    pub(crate) tick: Duration,
}

impl Timeline {
    /// The last tick that had come then
    pub(crate) fn tick_at(&self, then: Instant) -> Tick {
        tick((then - self.origin).as_nanos() / self.tick.as_nanos())
    }

    /// The tick at which a deadline comes that may be late by so many ticks
    pub(crate) fn tick_for(&self, deadline: Instant, slack: u64) -> Tick {
        let nanos = deadline.saturating_duration_since(self.origin).as_nanos();
        let ticks = nanos.div_ceil(self.tick.as_nanos());
        tick(ticks.next_multiple_of(u128::from(slack.max(1))))
    }

    /// So much slack, in whole ticks
    pub(crate) fn slack(&self, slack: Duration) -> u64 {
        (slack.as_nanos() / self.tick.as_nanos()).try_into().expect("less than a second")
    }

    /// Whether tokio's clock, which wakes the driver once in a millisecond, had come to it then
    pub(crate) fn has_come(&self, due: Tick, then: Instant) -> bool {
        self.latest(due).is_some_and(|latest| latest <= then)
    }

    /// The tick, put to tokio's next millisecond; `None` for one that no story gets to
    pub(crate) fn latest(&self, due: Tick) -> Option<Instant> {
        let until_origin = (self.origin - self.runtime).as_nanos();
        let nanos = until_origin + u128::from(due.get()) * self.tick.as_nanos();
        let millis = nanos.div_ceil(1_000_000).try_into().ok()?;
        self.runtime.checked_add(Duration::from_millis(millis))
    }

    /// Since tokio's last millisecond
    pub(crate) fn part_of_a_millisecond(&self, then: Instant) -> Duration {
        Duration::from_nanos(u64::from((then - self.runtime).subsec_nanos()) % 1_000_000)
    }
}

fn tick(ticks: u128) -> Tick {
    ticks.try_into().map_or(Tick::MAX, Tick::new)
}

/// The tick of an interval after one that was scheduled then and was fetched now
pub(crate) fn next_tick(
    missed: MissedTickBehavior,
    scheduled: Instant,
    now: Instant,
    period: Duration,
) -> Instant {
    let late = now.saturating_duration_since(scheduled);
    let is_missed = late >= period.min(Duration::from_millis(5));
    let from = match missed {
        MissedTickBehavior::Delay if is_missed => now,
        MissedTickBehavior::Skip if is_missed => {
            let beyond = late.as_nanos() % period.as_nanos();
            now - Duration::from_nanos(beyond.try_into().expect("less than a year"))
        }
        _ => scheduled,
    };
    from + period
}
