use std::time::{Duration, Instant as StdInstant};

use tickwheel_core::Tick;
use tokio::time::Instant;

use crate::slack::Slack;

/// Instants to ticks and back: the one place that reads a clock, and that rounds
///
/// A deadline rounds up to a tick and "now" rounds down, so that a timer whose
/// tick has come is never early. Tick `n` is the moment `n` ticks after the
/// clock's origin; what was before counts as tick 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
    tick: TickLength,
    source: Source,
}

/// A moment, as an instant and in ticks
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) instant: Instant,
    /// The last that had come then
    pub(crate) tick: Tick,
    /// Since tick 0
    nanos: u64,
    tick_nanos: u64,
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
        let tick = TickLength::new(tick);
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

    /// What that moment is to a wheel
    pub(crate) fn read(&self, instant: Instant) -> Now {
        let nanos = self.nanos(instant);
        Now { instant, tick: Tick::new(self.tick.whole(nanos)), nanos, tick_nanos: self.tick.nanos }
    }

    /// The last tick that had come then
    pub(crate) fn tick_at(&self, now: Instant) -> Tick {
        Tick::new(self.tick.whole(self.nanos(now)))
    }

    /// So much slack, in whole ticks
    pub(crate) fn slack(&self, slack: Duration) -> Slack {
        Slack::new(self.tick.whole(u64::try_from(slack.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// The first tick that is not before `deadline`
    ///
    /// What no `u64` of nanoseconds can reach, 584 years, is put where no clock
    /// gets: at [`Tick::MAX`].
    pub(crate) fn deadline_tick(&self, deadline: Instant) -> Tick {
        match self.nanos(deadline) {
            u64::MAX => Tick::MAX,
            nanos => Tick::new(self.tick.begun(nanos)),
        }
    }

    /// The tick for which a deadline is armed that may be so much late
    #[inline]
    pub(crate) fn tick_for(&self, deadline: Instant, slack: Slack) -> Tick {
        slack.apply(self.deadline_tick(deadline))
    }

    /// The moment a tick comes, unless that is beyond what an `Instant` can say
    pub(crate) fn instant(&self, tick: Tick) -> Option<Instant> {
        let nanos = tick.get().checked_mul(self.tick.nanos)?;
        self.origin.checked_add(Duration::from_nanos(nanos))
    }

    /// Whether tokio's clock is not the machine's here: paused, or ahead since it was advanced
    pub(crate) fn is_virtual(&self) -> bool {
        if self.source == Source::Machine {
            return false;
        }
        // Were it the machine's, it would lie between two readings of that.
        let before = machine_now();
        let tokio = Instant::now().into_std();
        let after = machine_now();
        !(before..=after).contains(&tokio)
    }

    /// Nanoseconds since the origin; `u64::MAX` for those that do not fit
    fn nanos(&self, instant: Instant) -> u64 {
        let since = instant.saturating_duration_since(self.origin);
        if since.as_secs() < u64::MAX / NANOS_PER_SECOND {
            since.as_secs() * NANOS_PER_SECOND + u64::from(since.subsec_nanos())
        } else {
            u64::MAX
        }
    }
}

impl Now {
    /// How long ago a tick had come; zero when it has not
    pub(crate) fn nanos_since(&self, tick: Tick) -> u64 {
        self.nanos.saturating_sub(tick.get().saturating_mul(self.tick_nanos))
    }
}

impl Source {
    fn now(self) -> Instant {
        match self {
            Self::Machine => machine_now().into(),
            Self::Tokio => Instant::now(),
        }
    }
}

/// The length of a tick, ready to divide by
///
/// Each timer that is armed asks for its tick, and a division is the slowest
/// thing a processor is asked for there. So it multiplies by the reciprocal, rounded
/// up: the error stays below one part in `nanos` of the quotient while the dividend is
/// below 2^63, so that the quotient rounds down to the right one.
#[derive(Clone, Copy, Debug)]
struct TickLength {
    /// More than one
    nanos: u64,
    /// 2^(64 + shift) divided by that, rounded up
    reciprocal: u64,
    shift: u32,
}

impl TickLength {
    fn new(nanos: u64) -> Self {
        debug_assert!(nanos > 1, "the builder asks for ten microseconds at least");
        // The largest for which the reciprocal fits: 2^shift < nanos <= 2^(shift + 1).
        let shift = (nanos - 1).ilog2();
        let reciprocal = (1u128 << (u64::BITS + shift)).div_ceil(u128::from(nanos));
        let reciprocal = u64::try_from(reciprocal).expect("2^shift is less than the divisor");
        Self { nanos, reciprocal, shift }
    }

    /// How many ticks end within so many nanoseconds
    #[inline]
    fn whole(self, nanos: u64) -> u64 {
        if nanos < EXACT { self.divide(nanos) } else { nanos / self.nanos }
    }

    /// How many ticks begin before so many nanoseconds have passed
    #[inline]
    fn begun(self, nanos: u64) -> u64 {
        if nanos < EXACT {
            self.divide(nanos + (self.nanos - 1))
        } else {
            nanos.div_ceil(self.nanos)
        }
    }

    #[inline]
    fn divide(self, nanos: u64) -> u64 {
        let product = u128::from(nanos) * u128::from(self.reciprocal);
        let high = u64::try_from(product >> 64).expect("a product of two u64 shifted by 64 bits");
        high >> self.shift
    }
}

/// What the machine's clock shows
#[inline]
pub(crate) fn machine_now() -> StdInstant {
    #[cfg(not(all(test, any(loom, shuttle))))]
    return StdInstant::now();
    // A model's time goes when the model says so, and each schedule can be run again.
    #[cfg(all(test, any(loom, shuttle)))]
    crate::models::time::now()
}

/// What time it is where no timer is known yet: tokio's, in the caller's context
///
/// Only on a current-thread runtime can that be another than the machine's.
pub(crate) fn ambient_now() -> Instant {
    Source::Tokio.now()
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

/// Below it, and a tick of an hour above, multiplying divides exactly: 146 years
const EXACT: u64 = 1 << 62;

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
        assert_eq!(clock.tick.whole(clock.nanos(at(1_999_999))), 1);
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
    fn the_reciprocal_divides_as_division_does() {
        let lengths = [
            10_000,
            100_000,
            999_983,
            1_000_000,
            (1 << 20) - 1,
            1 << 20,
            (1 << 20) + 1,
            1 << 41,
            3_600_000_000_000,
        ];
        for nanos in lengths {
            let length = TickLength::new(nanos);
            let near = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
            let limits = [u64::MAX, EXACT, EXACT - 1];
            let multiples = limits
                .into_iter()
                .flat_map(|limit| (1..1000).map(move |n| limit / nanos / n * nanos));
            let edges = multiples.flat_map(|edge| [edge - 1, edge, edge.saturating_add(1)]);
            for dividend in near.chain(edges).chain([u64::MAX - 1, u64::MAX]) {
                assert_eq!(length.whole(dividend), dividend / nanos);
                assert_eq!(length.begun(dividend), dividend.div_ceil(nanos));
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
