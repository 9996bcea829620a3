use tickwheel_core::Tick;
use tokio::time::Instant;

use crate::clock::Clock;

/// The tick of the deadline that was asked for last
///
/// Items often come with one and the same delay, many for each tick. Whether a deadline lies
/// in the same tick as the one before is known, and rightly guessed by the processor,
/// long before its tick could be computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastTick {
    deadline: Instant,
    /// The end of the tick
    end: Instant,
    tick: Tick,
}

impl LastTick {
    pub(super) fn new(clock: &Clock) -> Self {
        Self { deadline: clock.origin(), end: clock.origin(), tick: Tick::ZERO }
    }

    /// The first tick that is not before `deadline`
    #[inline]
    pub(super) fn of(&mut self, deadline: Instant, clock: &Clock) -> Tick {
        if deadline > self.end || deadline < self.deadline {
            self.deadline = deadline;
            self.tick = clock.deadline_tick(deadline);
            // What has no end is not met twice.
            self.end = clock.instant(self.tick).unwrap_or(deadline);
        }
        self.tick
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::{Source, saturating_add};

    #[test]
    fn it_is_the_tick_the_clock_says_whatever_was_asked_before() {
        let clock = Clock::start(Duration::from_micros(10), Source::Machine);
        let mut last = LastTick::new(&clock);
        let near = [0u64, 1, 9_999, 10_000, 10_001, 15_000, 19_999, 20_000, 20_001, 30_000];
        let mut deadlines: Vec<_> =
            near.iter().map(|&nanos| clock.origin() + Duration::from_nanos(nanos)).collect();
        deadlines.push(saturating_add(clock.origin(), Duration::MAX));
        deadlines.extend(clock.origin().checked_sub(Duration::from_secs(1)));
        for &before in &deadlines {
            for &deadline in &deadlines {
                let _ = last.of(before, &clock);
                assert_eq!(last.of(deadline, &clock), clock.deadline_tick(deadline));
            }
        }
    }
}
