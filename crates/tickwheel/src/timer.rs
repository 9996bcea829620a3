#[cfg(feature = "metrics")]
mod publish;

use std::{
    fmt,
    future::IntoFuture,
    panic::Location,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    builder::Builder,
    deadline::Deadline,
    delay_queue::queue::DelayQueue,
    error::{BuildError, ZeroPeriod},
    inspect::Inspection,
    interval::Interval,
    lane::Lane,
    metrics::Metrics,
    schedule::{Schedule, ScheduleStream},
    service::Service,
    shard::Shard,
    shutdown::Shutdown,
    sleep::Sleep,
    thread_number::thread_number,
    timeout::{Timeout, TryTimeout},
    try_sleep::TrySleep,
};

/// A timer service: sleeps, timeouts and intervals on wheels of its own
///
/// Cheap to clone; all clones are the same timer. Its driver is a task on the
/// runtime it was made on, and ends when the last handle and the last future are
/// gone. The futures may be polled on any thread and any runtime. See the
/// [crate's front page](crate) for what is promised of them.
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
/// timer.sleep(Duration::from_millis(20)).await;
/// let answer = timer.timeout(Duration::from_secs(1), async { 42 }).await;
/// assert_eq!(answer, Ok(42));
/// # }
/// ```
#[derive(Clone)]
pub struct Timer {
    inner: Arc<Inner>,
    lane: Lane,
}

#[derive(Debug)]
struct Inner {
    /// One for each core, first of the critical lane, then of the normal one
    shards: Box<[Arc<Shard>]>,
    service: Arc<Service>,
}

/// A handle that does not keep its timer alive
#[derive(Clone, Debug)]
pub(crate) struct WeakTimer {
    inner: Weak<Inner>,
    lane: Lane,
}

impl Timer {
    /// A timer with the default settings, its driver on the current runtime
    ///
    /// # Panics
    ///
    /// Outside a runtime; on a current-thread runtime without `enable_time`; and
    /// where no thread can be started. [`try_new`](Self::try_new) reports an error
    /// instead, and [`builder`](Self::builder) takes any runtime's handle.
    #[track_caller]
    #[expect(clippy::new_without_default, reason = "outside a runtime there is no default")]
    pub fn new() -> Self {
        match Self::try_new() {
            Ok(timer) => timer,
            Err(error) => panic!("{error}"),
        }
    }

    /// A timer with the default settings, its driver on the current runtime
    ///
    /// # Errors
    ///
    /// As [`Builder::build`].
    pub fn try_new() -> Result<Self, BuildError> {
        Self::builder().build()
    }

    /// Settings for a timer
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn from_parts(shards: Box<[Arc<Shard>]>, service: Arc<Service>) -> Self {
        Self { inner: Arc::new(Inner { shards, service }), lane: Lane::Normal }
    }

    /// What time it is
    ///
    /// Read in the caller's context: where the timer's runtime has its clock
    /// paused, call this inside that runtime.
    pub fn now(&self) -> Instant {
        self.inner.service.clock.now()
    }

    /// Waits this long
    ///
    /// Any duration is accepted; one that reaches beyond the last [`Instant`] stops there.
    #[track_caller]
    pub fn sleep(&self, duration: Duration) -> Sleep {
        Sleep::after(self.shard(), duration, Location::caller())
    }

    /// Waits until then; ready at once when that is past
    #[track_caller]
    pub fn sleep_until(&self, deadline: Instant) -> Sleep {
        Sleep::at(self.shard(), deadline, Location::caller())
    }

    /// [`sleep`](Self::sleep) that reports an error where that one panics
    #[track_caller]
    pub fn try_sleep(&self, duration: Duration) -> TrySleep {
        TrySleep::after(self.shard(), duration, Location::caller())
    }

    /// [`sleep_until`](Self::sleep_until) that reports an error where that one panics
    #[track_caller]
    pub fn try_sleep_until(&self, deadline: Instant) -> TrySleep {
        TrySleep::at(self.shard(), deadline, Location::caller())
    }

    /// Gives a future so much time
    ///
    /// Time counts from this call, or from the first poll that finds the future
    /// pending where [`lazy_timeouts`](Builder::lazy_timeouts) is set.
    /// [`Duration::MAX`] means no deadline, and arms nothing.
    #[track_caller]
    pub fn timeout<F: IntoFuture>(&self, duration: Duration, future: F) -> Timeout<F::IntoFuture> {
        let deadline = Deadline::after(self.shard(), duration, Location::caller());
        Timeout::new(future.into_future(), deadline)
    }

    /// Gives a future time until then
    #[track_caller]
    pub fn timeout_at<F: IntoFuture>(
        &self,
        deadline: Instant,
        future: F,
    ) -> Timeout<F::IntoFuture> {
        let deadline = Deadline::at(self.shard(), deadline, Location::caller());
        Timeout::new(future.into_future(), deadline)
    }

    /// [`timeout`](Self::timeout) that reports an error where that one panics
    #[track_caller]
    pub fn try_timeout<F: IntoFuture>(
        &self,
        duration: Duration,
        future: F,
    ) -> TryTimeout<F::IntoFuture> {
        let deadline = Deadline::after(self.shard(), duration, Location::caller());
        TryTimeout::new(future.into_future(), deadline)
    }

    /// Ticks at this period, the first at once
    ///
    /// # Panics
    ///
    /// When `period` is zero. [`try_interval`](Self::try_interval) reports an error instead.
    #[track_caller]
    pub fn interval(&self, period: Duration) -> Interval {
        self.interval_at(self.now(), period)
    }

    /// Ticks at this period, the first at once
    ///
    /// # Errors
    ///
    /// [`ZeroPeriod`] when `period` is zero.
    #[track_caller]
    pub fn try_interval(&self, period: Duration) -> Result<Interval, ZeroPeriod> {
        Interval::new(self.shard(), self.now(), period, Location::caller())
    }

    /// Ticks at this period, the first at `start`
    ///
    /// # Panics
    ///
    /// When `period` is zero.
    #[track_caller]
    pub fn interval_at(&self, start: Instant, period: Duration) -> Interval {
        match Interval::new(self.shard(), start, period, Location::caller()) {
            Ok(interval) => interval,
            Err(error) => panic!("{error}"),
        }
    }

    /// An empty queue of items that come out when they are due
    ///
    /// However many items wait in it, it is one timer: it counts as one while
    /// somebody waits for the next item.
    #[track_caller]
    pub fn delay_queue<T>(&self) -> DelayQueue<T> {
        DelayQueue::new(self.shard(), Location::caller())
    }

    /// The occurrences of a schedule, each when the wall clock comes to it
    ///
    /// The first is the first after this call; nothing is armed before the first poll.
    #[track_caller]
    pub fn schedule(&self, schedule: impl Schedule + Send + 'static) -> ScheduleStream {
        ScheduleStream::new(self.shard(), Box::new(schedule), Location::caller())
    }

    /// How many timers are armed now
    ///
    /// Exact whenever no other thread is changing it: at once after arming,
    /// firing and cancelling.
    pub fn pending(&self) -> usize {
        self.inner.shards.iter().map(|shard| shard.pending()).sum()
    }

    /// The same timer, for what must not wait
    ///
    /// What is made with the handle this returns is in the critical lane: in every turn
    /// of the driver, and again after each handful of others, what is due of it is
    /// fired first. So it is not delayed by however many others are due, nor by the
    /// driver's budget for them. It has no [slack](Builder::slack) unless it asks for
    /// some.
    ///
    /// What delays it is a callback that blocks the driver, and where all workers of the
    /// runtime are busy, that they are. Best is to have few timers in this lane: among
    /// themselves they wait as the others do.
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
    /// let mut heartbeat = timer.critical().interval(Duration::from_millis(10));
    /// heartbeat.tick().await;
    /// # }
    /// ```
    pub fn critical(&self) -> Self {
        Self { lane: Lane::Critical, ..self.clone() }
    }

    /// What the timer has done so far
    ///
    /// Counted by each shard for itself, and summed up here.
    pub fn metrics(&self) -> Metrics {
        Shard::metrics(&self.inner.service, &self.inner.shards)
    }

    /// What is in its wheels just now
    pub fn inspect(&self) -> Inspection {
        let Service { clock, .. } = &*self.inner.service;
        let shards = self.inner.shards.iter().map(|shard| shard.inspect()).collect();
        Inspection { now: clock.tick_at(clock.now()), shards }
    }

    /// Shuts the timer down: nothing is armed and no callback begins from now on
    ///
    /// That holds when this returns, awaited or not, on all threads. What was armed is
    /// taken out: tasks that wait in sleeps, timeouts and the like are woken, and learn
    /// of it as [`Sleep`] and [`TrySleep`] say; callbacks are given to who awaits this.
    /// A callback that is running goes on to its end, and awaiting this waits for it. What
    /// comes later is refused. The driver's task ends.
    ///
    /// May be called from anywhere, a callback included, and again.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::time::Duration;
    /// use tickwheel::{Timer, TimerError};
    ///
    /// let timer = Timer::new();
    /// let callback = timer.call_later(Duration::from_secs(60), || ());
    ///
    /// let unfired = timer.shutdown().await;
    /// assert_eq!((unfired.sleeps(), unfired.callbacks().len()), (0, 1));
    /// assert!(callback.is_finished());
    /// let late = timer.try_sleep(Duration::from_secs(1)).await;
    /// assert_eq!(late, Err(TimerError::ShutDown));
    /// # }
    /// ```
    pub fn shutdown(&self) -> Shutdown {
        Shutdown::begin(self.clone())
    }

    /// Whether it was shut down, or its runtime is gone
    pub fn is_shutdown(&self) -> bool {
        self.inner.service.closing.has_begun()
    }

    pub(crate) fn downgrade(&self) -> WeakTimer {
        WeakTimer { inner: Arc::downgrade(&self.inner), lane: self.lane }
    }

    /// Whether both are handles of one timer
    pub(crate) fn is(&self, other: &WeakTimer) -> bool {
        Arc::as_ptr(&self.inner) == other.inner.as_ptr()
    }

    #[cfg(all(test, not(loom)))]
    pub(crate) fn shard_count(&self) -> usize {
        self.inner.shards.len() / 2
    }

    pub(crate) fn service(&self) -> &Service {
        &self.inner.service
    }

    pub(crate) fn shards(&self) -> &[Arc<Shard>] {
        &self.inner.shards
    }

    /// The shard of the calling thread
    pub(crate) fn shard(&self) -> &Arc<Shard> {
        let shards = &self.inner.shards;
        // A power of two.
        let in_a_lane = shards.len() / 2;
        let first = if self.lane == Lane::Critical { 0 } else { in_a_lane };
        &shards[first + (thread_number() & (in_a_lane - 1))]
    }
}

impl WeakTimer {
    /// A handle, unless there is none any more
    pub(crate) fn upgrade(&self) -> Option<Timer> {
        Some(Timer { inner: self.inner.upgrade()?, lane: self.lane })
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer")
            .field("name", &self.inner.service.name)
            .field("lane", &self.lane)
            .field("pending", &self.pending())
            .finish_non_exhaustive()
    }
}
