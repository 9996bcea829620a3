use std::{panic::Location, time::Duration};

use futures_core::Stream;

use super::{
    chunks_timeout::ChunksTimeout, debounce::Debounce, throttle::Throttle, timeout::Timeout,
    timeout_repeating::TimeoutRepeating, wait::Wait,
};
use crate::timer::Timer;

/// What a timer can do for a stream, as methods of the stream
///
/// Each has a form that is given a timer, ending in `_on`. The others use the
/// [ambient timer](Timer::current) of the runtime in which they first have to wait, as
/// [`time`](crate::time) does, and may be called anywhere.
///
/// Those that tokio-stream has do what they do there.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use futures::{StreamExt, stream};
/// use tickwheel::{Timer, TimerStreamExt};
///
/// let second = Duration::from_secs(1);
/// let items = stream::iter(1..=4).throttle(second);
/// let mut chunks = items.chunks_timeout(100, 3 * second / 2);
/// assert_eq!(chunks.next().await.unwrap(), [1, 2]);
/// assert_eq!(chunks.next().await.unwrap(), [3, 4]);
///
/// // The same by a timer of one's own.
/// let timer = Timer::new();
/// let items = stream::iter(1..=4).throttle_on(&timer, second);
/// let mut chunks = items.chunks_timeout_on(&timer, 100, 3 * second / 2);
/// assert_eq!(chunks.next().await.unwrap(), [1, 2]);
/// # }
/// ```
pub trait TimerStreamExt: Stream {
    /// Gives each item so much time
    ///
    /// An item that comes in time is `Ok`. Otherwise there is one `Err`, and then the item,
    /// whenever it comes; the stream goes on. Time counts from this call, and then from each
    /// item that is taken. An item that is there when the stream is polled is taken, however
    /// late.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use futures::StreamExt;
    /// use tickwheel::{TimerStreamExt, time::{self, Duration}};
    ///
    /// let second = Duration::from_secs(1);
    /// let mut ticks = time::interval(10 * second).timeout(second);
    /// assert!(ticks.next().await.unwrap().is_ok(), "the first tick comes at once");
    /// assert!(ticks.next().await.unwrap().is_err());
    /// assert!(ticks.next().await.unwrap().is_ok(), "one error for each wait");
    /// # }
    /// ```
    #[track_caller]
    fn timeout(self, duration: Duration) -> Timeout<Self>
    where
        Self: Sized,
    {
        Timeout::new(self, Wait::ambient(Location::caller()), duration)
    }

    /// [`timeout`](Self::timeout) by this timer
    #[track_caller]
    fn timeout_on(self, timer: &Timer, duration: Duration) -> Timeout<Self>
    where
        Self: Sized,
    {
        Timeout::new(self, Wait::on(timer, Location::caller()), duration)
    }

    /// Says after each period without an item that there was none
    ///
    /// An item is `Ok`; as long as none comes there is an `Err` after each period, counted from
    /// this call, and then from each item that is taken. Periods in which nobody polls are
    /// not made up for.
    ///
    /// tokio-stream's takes an interval, whose first tick is due at once unless it was reset.
    /// Here the first error comes after one period.
    ///
    /// # Panics
    ///
    /// When `period` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use futures::{StreamExt, stream};
    /// use tickwheel::{TimerStreamExt, time::{Duration, Instant}};
    ///
    /// let period = Duration::from_secs(1);
    /// let start = Instant::now();
    /// let mut complaints = stream::pending::<u8>().timeout_repeating(period);
    /// for _ in 0..3 {
    ///     assert!(complaints.next().await.unwrap().is_err());
    /// }
    /// assert!(start.elapsed() >= 3 * period);
    /// # }
    /// ```
    #[track_caller]
    fn timeout_repeating(self, period: Duration) -> TimeoutRepeating<Self>
    where
        Self: Sized,
    {
        TimeoutRepeating::new(self, Wait::ambient(Location::caller()), period)
    }

    /// [`timeout_repeating`](Self::timeout_repeating) by this timer
    ///
    /// # Panics
    ///
    /// When `period` is zero.
    #[track_caller]
    fn timeout_repeating_on(self, timer: &Timer, period: Duration) -> TimeoutRepeating<Self>
    where
        Self: Sized,
    {
        TimeoutRepeating::new(self, Wait::on(timer, Location::caller()), period)
    }

    /// Leaves so much time between one item and the next
    ///
    /// The first may come at once. After each item the source is not polled until its time
    /// has passed, so that the end, too, is seen only then.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use futures::{StreamExt, stream};
    /// use tickwheel::{TimerStreamExt, time::{Duration, Instant}};
    ///
    /// let second = Duration::from_secs(1);
    /// let start = Instant::now();
    /// let slowly = stream::iter(1..=3).throttle(second);
    /// assert_eq!(slowly.collect::<Vec<_>>().await, [1, 2, 3]);
    /// assert!(start.elapsed() >= 2 * second);
    /// # }
    /// ```
    #[track_caller]
    fn throttle(self, duration: Duration) -> Throttle<Self>
    where
        Self: Sized,
    {
        Throttle::new(self, Wait::ambient(Location::caller()), duration)
    }

    /// [`throttle`](Self::throttle) by this timer
    #[track_caller]
    fn throttle_on(self, timer: &Timer, duration: Duration) -> Throttle<Self>
    where
        Self: Sized,
    {
        Throttle::new(self, Wait::on(timer, Location::caller()), duration)
    }

    /// Passes on an item when no other has come for so long, and drops the ones before it
    ///
    /// Silence counts from when the last item was taken from the source. The source is asked
    /// first: an item that is there when the stream is polled replaces the one that is held
    /// back, however long that was. A source that never rests gives nothing until it ends.
    /// At its end the item that is held back comes at once.
    ///
    /// Zero passes on the last of those that are there together. With [`Duration::MAX`] the
    /// last item comes at the end.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use futures::{StreamExt, channel::mpsc};
    /// use tickwheel::{TimerStreamExt, time::Duration};
    ///
    /// let (sender, keys) = mpsc::unbounded();
    /// let mut queries = keys.debounce(Duration::from_secs(1));
    /// for typed in ["t", "ti", "tick"] {
    ///     sender.unbounded_send(typed).unwrap();
    /// }
    /// assert_eq!(queries.next().await, Some("tick"));
    ///
    /// sender.unbounded_send("tickwheel").unwrap();
    /// drop(sender);
    /// assert_eq!(queries.next().await, Some("tickwheel"), "at the end without a wait");
    /// assert_eq!(queries.next().await, None);
    /// # }
    /// ```
    #[track_caller]
    fn debounce(self, duration: Duration) -> Debounce<Self>
    where
        Self: Sized,
    {
        Debounce::new(self, Wait::ambient(Location::caller()), duration)
    }

    /// [`debounce`](Self::debounce) by this timer
    #[track_caller]
    fn debounce_on(self, timer: &Timer, duration: Duration) -> Debounce<Self>
    where
        Self: Sized,
    {
        Debounce::new(self, Wait::on(timer, Location::caller()), duration)
    }

    /// Gathers items into chunks of `max_size`, smaller where that would take too long
    ///
    /// A chunk comes when it has `max_size` items, when its time is up, counted from its
    /// first item, and at the end of the source. There are no empty ones. Time is looked
    /// at after each item, so that a source that is always ready does not put it off;
    /// zero makes each item a chunk.
    ///
    /// # Panics
    ///
    /// When `max_size` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use futures::{StreamExt, stream};
    /// use tickwheel::{TimerStreamExt, time::Duration};
    ///
    /// let items = stream::iter(1..=4).chain(stream::pending());
    /// let mut chunks = items.chunks_timeout(3, Duration::from_secs(1));
    /// assert_eq!(chunks.next().await.unwrap(), [1, 2, 3]);
    /// assert_eq!(chunks.next().await.unwrap(), [4], "a second later");
    /// # }
    /// ```
    #[track_caller]
    fn chunks_timeout(self, max_size: usize, duration: Duration) -> ChunksTimeout<Self>
    where
        Self: Sized,
    {
        ChunksTimeout::new(self, Wait::ambient(Location::caller()), max_size, duration)
    }

    /// [`chunks_timeout`](Self::chunks_timeout) by this timer
    ///
    /// # Panics
    ///
    /// When `max_size` is zero.
    #[track_caller]
    fn chunks_timeout_on(
        self,
        timer: &Timer,
        max_size: usize,
        duration: Duration,
    ) -> ChunksTimeout<Self>
    where
        Self: Sized,
    {
        ChunksTimeout::new(self, Wait::on(timer, Location::caller()), max_size, duration)
    }
}

impl<S: Stream + ?Sized> TimerStreamExt for S {}
