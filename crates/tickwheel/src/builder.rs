use std::{
    num::NonZero, ops::RangeInclusive, panic::catch_unwind, sync::Arc, thread, time::Duration,
};

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::{
    alarm::AlarmHandle,
    bell::Bell,
    budget::Budget,
    caller::Caller,
    clock::{Clock, Source},
    closing::Closing,
    driver::Driver,
    error::BuildError,
    lane::Lane,
    limit::Limit,
    metrics::Calls,
    number::Number,
    service::Service,
    shard::Shard,
    sync::Mutex,
    timer::Timer,
    wall_clock::WallClock,
};

#[cfg(feature = "test-util")]
use {crate::wall_clock::Replacement, std::time::SystemTime};

/// Settings for a [`Timer`]
///
/// # Examples
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), tickwheel::BuildError> {
/// use std::time::Duration;
/// use tickwheel::Timer;
///
/// let timer = Timer::builder().tick(Duration::from_micros(100)).name("requests").build()?;
/// timer.sleep(Duration::from_micros(300)).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` or `build_on`"]
pub struct Builder {
    tick: Duration,
    capacity: usize,
    shards: usize,
    max_pending: Option<usize>,
    budget: Budget,
    slack: Duration,
    lazy_timeouts: bool,
    virtual_clock: bool,
    name: String,
    #[cfg(feature = "test-util")]
    wall_clock: Option<Replacement>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            tick: Duration::from_millis(1),
            capacity: 0,
            shards: thread::available_parallelism().map_or(1, NonZero::get).min(*SHARDS.end()),
            max_pending: None,
            budget: Budget::DEFAULT,
            slack: Duration::ZERO,
            lazy_timeouts: false,
            virtual_clock: true,
            name: String::from("tickwheel"),
            #[cfg(feature = "test-util")]
            wall_clock: None,
        }
    }

    /// How finely time is told: deadlines round up to a multiple of this
    ///
    /// From 10 µs to 1 h, 1 ms unless set. A finer tick makes deadlines more
    /// precise, and the driver's wake-ups more frequent where many timers are due
    /// close together.
    pub fn tick(mut self, tick: Duration) -> Self {
        self.tick = tick;
        self
    }

    /// Makes room for this many timers beforehand, evenly over the shards
    ///
    /// Up to 2^30, none unless set. Room grows as needed in any case, without
    /// moving what is there.
    pub fn capacity(mut self, timers: usize) -> Self {
        self.capacity = timers;
        self
    }

    /// How many independent wheels there are
    ///
    /// From 1 to 1024, rounded up to a power of two; one for each core unless set.
    /// A future uses the wheel of the thread that made it, so that threads do not
    /// wait for each other. Timers of one wheel fire in the order of their deadlines.
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = shards;
        self
    }

    /// How many timers may be armed at once, no limit unless set
    ///
    /// One or more. Only the `try_` forms are refused when there are as many, with
    /// [`TimerError::AtCapacity`](crate::TimerError::AtCapacity) and with what they
    /// were given: [`try_sleep`](Timer::try_sleep), [`try_timeout`](Timer::try_timeout),
    /// [`try_call_later`](Timer::try_call_later) and the like. All others count and are
    /// never refused, so there may be more. A callback that is to run again, an
    /// interval, a delay queue with whatever is in it and a schedule's stream count as
    /// one while they wait. A timer that is cancelled or fires has given up its place
    /// at once.
    ///
    /// With a limit all threads share one count.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), tickwheel::BuildError> {
    /// use std::time::Duration;
    /// use tickwheel::{Timer, TimerError};
    ///
    /// let timer = Timer::builder().max_pending(1).build()?;
    /// let minute = Duration::from_secs(60);
    /// let first = timer.try_call_later(minute, || ()).unwrap();
    ///
    /// let refused = timer.try_call_later(minute, || println!("too many")).unwrap_err();
    /// assert_eq!(refused.error, TimerError::AtCapacity);
    ///
    /// first.cancel();
    /// assert!(timer.try_call_later(minute, refused.value).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_pending(mut self, timers: usize) -> Self {
        self.max_pending = Some(timers);
        self
    }

    /// How many timers the driver fires in one turn
    ///
    /// One or more, 256 unless set: as many tasks as a worker of tokio has room for in its own
    /// queue. When as many have fired, or
    /// [`turn_time`](Self::turn_time) is over, other tasks of the runtime get their turn
    /// before the driver goes on, at once. Moving timers to a lower level of the wheel
    /// counts as well. More makes a storm be over sooner, and its neighbours wait longer.
    pub fn turn_timers(mut self, timers: usize) -> Self {
        self.budget.timers = timers;
        self
    }

    /// How long the driver fires timers in one turn
    ///
    /// Longer than zero, 500 µs unless set. Looked at after every 32 timers and after
    /// each callback: a callback that takes longer is not interrupted.
    pub fn turn_time(mut self, time: Duration) -> Self {
        self.budget.time = time;
        self
    }

    /// By how much timers may be late so that they share wake-ups, none unless set
    ///
    /// For all timers of the normal lane, callbacks, intervals and queues included, but
    /// for sleeps that ask for [another](crate::Sleep::slack). Rounded down to whole
    /// ticks.
    pub fn slack(mut self, slack: Duration) -> Self {
        self.slack = slack;
        self
    }

    /// Whether a timeout counts from the first poll that finds its future pending
    ///
    /// Off unless set: it counts from the call that made it. When on, a timeout
    /// whose future is ready at once does not even read the clock.
    pub fn lazy_timeouts(mut self, lazy: bool) -> Self {
        self.lazy_timeouts = lazy;
        self
    }

    /// Whether tokio's clock is followed when a test pauses or advances it
    ///
    /// On unless set, and of no consequence on a multi-thread runtime, whose
    /// clock cannot be paused. On a current-thread runtime it needs `enable_time`;
    /// off, it does not, and `tokio::time::pause` has no effect on this timer.
    pub fn virtual_clock(mut self, follow: bool) -> Self {
        self.virtual_clock = follow;
        self
    }

    /// What the timer is called where it shows, `tickwheel` unless set
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// What schedules take for the clock on the wall, for tests that set it
    ///
    /// Unless set it is the machine's, or goes along with tokio's clock where a test
    /// has paused or advanced that one. It is read by whoever polls or arms a
    /// schedule, with no lock held. Timers that are not schedules know nothing of it.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), tickwheel::BuildError> {
    /// use std::time::{Duration, SystemTime};
    /// use tickwheel::{Every, Timer};
    /// use tokio::time::Instant;
    ///
    /// // Every test begins when 1970 did.
    /// let start = Instant::now();
    /// let timer = Timer::builder()
    ///     .wall_clock(move || SystemTime::UNIX_EPOCH + start.elapsed())
    ///     .build()?;
    /// let daily = timer.schedule(Every::new(Duration::from_secs(86_400)).unwrap());
    /// let tomorrow = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400);
    /// assert_eq!(daily.upcoming(), Some(tomorrow));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "test-util")]
    pub fn wall_clock(
        mut self,
        wall_clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Self {
        self.wall_clock = Some(Replacement::new(wall_clock));
        self
    }

    /// Builds the timer, its driver on the current runtime
    ///
    /// # Errors
    ///
    /// [`BuildError::OutsideRuntime`] where there is none, and as [`build_on`](Self::build_on).
    pub fn build(self) -> Result<Timer, BuildError> {
        let runtime = Handle::try_current().map_err(|_| BuildError::OutsideRuntime)?;
        self.build_on(&runtime)
    }

    /// Builds the timer, its driver on this runtime
    ///
    /// Its futures may be polled anywhere, also on other runtimes, while that
    /// runtime lives. If it was shut down already the timer is, too.
    ///
    /// # Errors
    ///
    /// [`BuildError::OutOfRange`] for a setting out of its range,
    /// [`BuildError::TimeDisabled`] on a current-thread runtime without time unless
    /// [`virtual_clock`](Self::virtual_clock) is off, and [`BuildError::NoThread`]
    /// when this is the process's first timer and no thread can be started for its alarm.
    pub fn build_on(self, runtime: &Handle) -> Result<Timer, BuildError> {
        let (timer, driver) = self.assemble(runtime)?;
        runtime.spawn(driver);
        Ok(timer)
    }

    /// A timer and its driver, which is yet to be spawned on that runtime
    pub(crate) fn assemble(self, runtime: &Handle) -> Result<(Timer, Driver), BuildError> {
        self.validate()?;
        let _context = runtime.enter();
        let can_pause = runtime.runtime_flavor() == RuntimeFlavor::CurrentThread;
        let source = if can_pause && self.virtual_clock { Source::Tokio } else { Source::Machine };
        if source == Source::Tokio && !has_time() {
            return Err(BuildError::TimeDisabled);
        }

        let clock = Clock::start(self.tick, source);
        let wall_clock = WallClock::start(clock);
        #[cfg(feature = "test-util")]
        let wall_clock = wall_clock.replaced_by(self.wall_clock);
        let bell = Arc::new(Bell::new());
        let alarm = AlarmHandle::new(Arc::clone(&bell))
            .map_err(|error| BuildError::NoThread(error.kind()))?;
        let caller = match source {
            Source::Machine => Caller::Alarm(alarm.clone()),
            Source::Tokio => Caller::Driver(Arc::clone(&bell)),
        };
        let service = Arc::new(Service {
            number: Number::next(),
            clock,
            wall_clock,
            bell: Arc::clone(&bell),
            caller,
            budget: self.budget,
            limit: Limit::new(self.max_pending),
            #[cfg(feature = "metrics")]
            publisher: crate::metrics::Publisher::new(&self.name),
            slack: clock.slack(self.slack),
            lazy_timeouts: self.lazy_timeouts,
            name: self.name.into(),
            calls: Mutex::new(Calls::default()),
            closing: Closing::new(),
        });
        let count = self.shards.next_power_of_two();
        let room = self.capacity.div_ceil(count);
        // The order in which the driver visits them.
        let lanes = [(Lane::Critical, 0), (Lane::Normal, room)];
        let shards = lanes.into_iter().flat_map(|lane| (0..count).map(move |_| lane));
        let shards: Box<[_]> = shards
            .enumerate()
            .map(|(number, (lane, room))| {
                Arc::new(Shard::new(Arc::clone(&service), number, lane, room))
            })
            .collect();
        let driver = Driver::new(&shards, clock, self.budget, bell, alarm, &service.name);
        Ok((Timer::from_parts(shards, service), driver))
    }

    fn validate(&self) -> Result<(), BuildError> {
        check("tick", &self.tick, &TICK, "10 us to 1 h")?;
        check("capacity", &self.capacity, &CAPACITY, "0 to 1073741824")?;
        check("shards", &self.shards, &SHARDS, "1 to 1024")?;
        check("turn_timers", &self.budget.timers, &ONE_OR_MORE, "1 or more")?;
        check("turn_time", &self.budget.time, &SOME_TIME, "more than zero")?;
        check("max_pending", &self.max_pending.unwrap_or(1), &ONE_OR_MORE, "1 or more")
    }
}

fn check<V: PartialOrd + std::fmt::Debug>(
    field: &'static str,
    value: &V,
    range: &RangeInclusive<V>,
    range_in_words: &'static str,
) -> Result<(), BuildError> {
    if range.contains(value) {
        return Ok(());
    }
    Err(BuildError::OutOfRange { field, value: format!("{value:?}"), range: range_in_words })
}

/// Whether the current runtime has a time driver
fn has_time() -> bool {
    // tokio has no other way to ask. The panic's message, printed by the hook, is to the point.
    catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_ok()
}

const TICK: RangeInclusive<Duration> = Duration::from_micros(10)..=Duration::from_secs(3600);
const CAPACITY: RangeInclusive<usize> = 0..=1 << 30;
const SHARDS: RangeInclusive<usize> = 1..=1024;
const ONE_OR_MORE: RangeInclusive<usize> = 1..=usize::MAX;
const SOME_TIME: RangeInclusive<Duration> = Duration::from_nanos(1)..=Duration::MAX;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_shards_is_rounded_up_to_a_power_of_two() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build();
        let runtime = runtime.expect("the machine has a thread");
        for (asked, made) in [(1, 1), (2, 2), (3, 4), (6, 8), (1000, 1024), (1024, 1024)] {
            let timer = Builder::new().shards(asked).build_on(runtime.handle());
            assert_eq!(timer.expect("it is in range").shard_count(), made);
        }
    }
}
