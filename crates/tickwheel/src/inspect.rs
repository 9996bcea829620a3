use std::ops::Range;

use tickwheel_core::{Census, Tick};

use crate::lane::Lane;

/// What is in a timer's wheels just now
///
/// Taken by [`Timer::inspect`](crate::Timer::inspect), for a page to look at or for
/// a question about where the timers are. Each wheel is looked at in steps, so that
/// none is locked for long; while others arm and cancel, the numbers are those of no
/// single moment.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use tickwheel::Timer;
///
/// let timer = Timer::new();
/// let mut sleep = timer.sleep(Duration::from_secs(3600));
/// assert!(futures::poll!(&mut sleep).is_pending());
///
/// let inspection = timer.inspect();
/// assert_eq!(inspection.pending(), 1);
/// let shard = inspection.shards().iter().find(|shard| shard.pending() == 1).unwrap();
/// assert_eq!(shard.level(3).iter().sum::<usize>(), 1, "an hour is 2^21 ticks and more");
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Inspection {
    pub(crate) now: Tick,
    pub(crate) shards: Vec<ShardInspection>,
}

/// What is in one wheel
#[derive(Clone, Debug)]
pub struct ShardInspection {
    pub(crate) lane: Lane,
    pub(crate) elapsed: Tick,
    pub(crate) next_wake: Option<Tick>,
    pub(crate) census: Census,
}

impl Inspection {
    /// The tick that it is
    pub fn now(&self) -> Tick {
        self.now
    }

    /// The wheels, those of the critical lane first
    pub fn shards(&self) -> &[ShardInspection] {
        &self.shards
    }

    /// How many timers are armed
    pub fn pending(&self) -> usize {
        self.shards.iter().map(ShardInspection::pending).sum()
    }

    /// When a wheel wants to be visited next; `None` when nothing is armed
    pub fn next_wake(&self) -> Option<Tick> {
        self.shards.iter().filter_map(|shard| shard.next_wake).min()
    }
}

impl ShardInspection {
    /// Which timers it is for
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// The tick it has reached, which stays behind while nothing is due
    pub fn elapsed(&self) -> Tick {
        self.elapsed
    }

    /// When it wants to be visited next; `None` when nothing is armed in it
    pub fn next_wake(&self) -> Option<Tick> {
        self.next_wake
    }

    /// How many timers are armed in it
    pub fn pending(&self) -> usize {
        self.census.total()
    }

    /// How many are in each of its 512 slots: 256 of level 0, then 64 of each of levels 1 to 4
    ///
    /// A slot of level 0 is one tick; one of levels 1 to 4 is 2^8, 2^14, 2^20 and 2^26.
    /// The slot of the tick `elapsed` is found by `elapsed`'s lowest 8 bits, and of
    /// each level above by the next 6.
    pub fn slots(&self) -> &[usize] {
        self.census.slots()
    }

    /// How many are in each slot of one level
    ///
    /// # Panics
    ///
    /// When there is no such level: they are 0 to 4.
    #[track_caller]
    pub fn level(&self, level: usize) -> &[usize] {
        assert!(level < LEVELS.len(), "there are levels 0 to 4, and no level {level}");
        &self.slots()[LEVELS[level].clone()]
    }

    /// How many are 2^32 ticks away or more
    pub fn overflow(&self) -> usize {
        self.census.overflow()
    }
}

const LEVELS: [Range<usize>; 5] = [0..256, 256..320, 320..384, 384..448, 448..512];
