use std::time::{Duration, Instant as StdInstant};

use tickwheel_core::Tick;
use tokio::time::Instant;

/// Instants to ticks and back: the one place that reads a clock, and that rounds
///
/// A deadline rounds up to a tick and "now" rounds down, so that a timer whose
/// tick has come is never early. Tick `n` is the moment `n` ticks after the
/// clock's origin; what was before counts as tick 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
    /// Nanoseconds, never zero
    tick: u64,
    source: Source,
}

/// Whose time it is
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The machine's, read directly
    Machine,
    /// tokio's, which a test may have paused; read in the caller's context
    Tokio,
}

impl Clock {
    /// A clock that begins now, in the caller's context
    pub(crate) fn start(tick: Duration, source: Source) -> Self {
        let tick = u64::try_from(tick.as_nanos()).expect("the builder limits a tick to an hour");
        debug_assert!(tick > 0, "the builder asks for ten microseconds at least");
        Self { origin: source.now(), tick, source }
    }

    /// The moment of tick 0
    pub(crate) fn origin(&self) -> Instant {
        self.origin
    }

    pub(crate) fn source(&self) -> Source {
        self.source
    }

    pub(crate) fn now(&self) -> Instant {
        self.source.now()
    }

    /// The last tick that has come
    pub(crate) fn now_tick(&self) -> Tick {
        Tick::new(self.nanos(self.now()) / self.tick)
    }

    /// The first tick that is not before `deadline`
    ///
    /// What no `u64` of nanoseconds can reach, 584 years, is put where no clock
    /// gets: at [`Tick::MAX`].
    pub(crate) fn deadline_tick(&self, deadline: Instant) -> Tick {
        match self.nanos(deadline) {
            u64::MAX => Tick::MAX,
            nanos => Tick::new(nanos.div_ceil(self.tick)),
        }
    }

    /// The moment a tick comes, unless that is beyond what an `Instant` can say
    pub(crate) fn instant(&self, tick: Tick) -> Option<Instant> {
        let nanos = tick.get().checked_mul(self.tick)?;
        self.origin.checked_add(Duration::from_nanos(nanos))
    }

    /// Whether tokio's clock is not the machine's here: paused, or ahead since it was advanced
    pub(crate) fn is_virtual(&self) -> bool {
        if self.source == Source::Machine {
            return false;
        }
        // Were it the machine's, it would lie between two readings of that.
        let before = StdInstant::now();
        let tokio = Instant::now().into_std();
        let after = StdInstant::now();
        !(before..=after).contains(&tokio)
    }

    /// Nanoseconds since the origin; `u64::MAX` for those that do not fit
    fn nanos(&self, instant: Instant) -> u64 {
        let since = instant.saturating_duration_since(self.origin);
        since
            .as_secs()
            .checked_mul(NANOS_PER_SECOND)
            .and_then(|nanos| nanos.checked_add(u64::from(since.subsec_nanos())))
            .unwrap_or(u64::MAX)
    }
}

impl Source {
    fn now(self) -> Instant {
        match self {
            Self::Machine => StdInstant::now().into(),
            Self::Tokio => Instant::now(),
        }
    }
}

/// The instant so much later; the last there is, to the second, when there is none
pub(crate) fn saturating_add(start: Instant, duration: Duration) -> Instant {
    start.checked_add(duration).unwrap_or_else(|| {
        let later = |instant: Instant, bit| {
            instant.checked_add(Duration::from_secs(1u64 << bit)).unwrap_or(instant)
        };
        (0..u64::BITS).rev().fold(start, later)
    })
}

const NANOS_PER_SECOND: u64 = 1_000_000_000;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn clock(tick: Duration) -> Clock {
        Clock::start(tick, Source::Machine)
    }

    #[test]
    fn deadlines_round_up_and_now_rounds_down() {
        let clock = clock(Duration::from_millis(1));
        let at = |nanos| clock.origin + Duration::from_nanos(nanos);
        assert_eq!(clock.deadline_tick(at(0)), Tick::new(0));
        assert_eq!(clock.deadline_tick(at(1)), Tick::new(1));
        assert_eq!(clock.deadline_tick(at(1_000_000)), Tick::new(1));
        assert_eq!(clock.deadline_tick(at(1_000_001)), Tick::new(2));
        assert_eq!(clock.nanos(at(1_999_999)) / clock.tick, 1);
    }

    #[test]
    fn a_tick_comes_at_or_after_each_deadline_it_stands_for() {
        for tick in [10_000, 999_983, 1_000_000, 3_600_000_000_000] {
            let clock = clock(Duration::from_nanos(tick));
            for nanos in [0, 1, tick - 1, tick, tick + 1, 12_345_678_901_234] {
                let deadline = clock.origin + Duration::from_nanos(nanos);
                let comes = clock.instant(clock.deadline_tick(deadline)).expect("not far away");
                assert!(deadline <= comes && comes - deadline < Duration::from_nanos(tick));
            }
        }
    }

    #[test]
    fn an_instant_before_the_origin_is_tick_zero() {
        let mut clock = clock(Duration::from_millis(1));
        let early = clock.origin;
        clock.origin += Duration::from_secs(1);
        assert_eq!(clock.deadline_tick(early), Tick::ZERO);
    }

    #[test]
    fn the_last_instant_is_beyond_every_tick_that_comes() {
        let clock = clock(Duration::from_micros(10));
        let last = saturating_add(clock.origin, Duration::MAX);
        assert_eq!(last.checked_add(Duration::from_secs(1)), None);
        assert_eq!(clock.deadline_tick(last), Tick::MAX);
        assert_eq!(clock.instant(Tick::MAX), None);
    }
}
