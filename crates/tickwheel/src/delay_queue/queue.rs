use std::{fmt, mem, panic::Location, sync::Arc, time::Duration};

use tickwheel_core::{Tick, TimerKey, Wheel};
use tokio::time::Instant;

use super::{Expired, Key, UnknownKey, consumer::Consumer, last_tick::LastTick};
use crate::{
    clock::{Clock, saturating_add},
    number::Number,
    shard::Shard,
};

/// Items that come out one by one when they are due
///
/// Made by [`Timer::delay_queue`](crate::Timer::delay_queue). Each item has a
/// deadline of its own, which can be moved, and a [`Key`] to find it by until it is
/// delivered. The queue is a [`Stream`](futures_core::Stream) of
/// [`Expired`] items; [`poll_expired`](Self::poll_expired) is the same for
/// hand-written futures. It is a wheel of its own and one timer: items cost no
/// allocation each, and a queue without items costs its timer nothing.
///
/// Items come by deadline, never early; a deadline rounds up to the timer's
/// tick, and those of one tick come first in, first out. (One that was
/// [`reset`](Self::reset) has no promised place among them.) What is past when it is
/// inserted is due at once, as if it had been asked for now. Any duration and any
/// instant is accepted.
///
/// # The end of the stream
///
/// An empty queue answers `None`, and goes on when something is inserted. A task that
/// shares its queue with others, and is to wait for what they insert, wants
/// [`set_pending_when_empty(true)`](Self::set_pending_when_empty). Every change
/// wakes a task that waits in the stream if it waits for something else from then on,
/// the end included.
///
/// # Cancel safety
///
/// A `next()` of the stream that is dropped before it is ready loses nothing.
///
/// # Panics
///
/// Polling panics once the timer was shut down or its runtime is gone, unless an
/// item is due or there is none. All else works on, so what is left can be
/// [taken out](Self::drain).
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use futures::StreamExt;
/// use tickwheel::Timer;
///
/// let timer = Timer::new();
/// let mut retries = timer.delay_queue();
/// retries.insert("host a", Duration::from_secs(3));
/// let b = retries.insert("host b", Duration::from_secs(1));
/// let c = retries.insert("host c", Duration::from_secs(2));
///
/// retries.reset(&b, Duration::from_secs(5));
/// retries.remove(&c);
///
/// assert_eq!(retries.next().await.unwrap().into_inner(), "host a");
/// assert_eq!(retries.next().await.unwrap().into_inner(), "host b");
/// assert!(retries.next().await.is_none());
/// # }
/// ```
#[must_use = "items come out of it only when it is polled"]
pub struct DelayQueue<T> {
    pub(super) wheel: Wheel<Item<T>>,
    pub(super) clock: Clock,
    /// The last tick that is known to have come
    pub(super) reached: Tick,
    last_tick: LastTick,
    pub(super) consumer: Consumer,
    pub(super) number: Number,
    pub(super) pending_when_empty: bool,
}

/// What the wheel carries: its own deadline is rounded to a tick
pub(super) struct Item<T> {
    pub(super) deadline: Instant,
    pub(super) value: T,
}

impl<T> DelayQueue<T> {
    pub(crate) fn new(shard: &Arc<Shard>, made_at: &'static Location<'static>) -> Self {
        let clock = shard.clock;
        let consumer = Consumer::new(shard, made_at);
        let reached = clock.tick_at(clock.now());
        Self {
            wheel: Wheel::starting_at(reached),
            clock,
            reached,
            last_tick: LastTick::new(&clock),
            consumer,
            number: Number::next(),
            pending_when_empty: false,
        }
    }

    /// Inserts an item that is due so much later than now
    ///
    /// A duration that reaches beyond the last [`Instant`] stops there.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::time::Duration;
    /// use futures::StreamExt;
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// let start = timer.now();
    /// let mut queue = timer.delay_queue();
    /// let key = queue.insert(7, Duration::from_secs(1));
    /// assert_eq!(queue.deadline(&key), start + Duration::from_secs(1));
    ///
    /// let expired = queue.next().await.unwrap();
    /// assert_eq!((expired.key(), expired.into_inner()), (key, 7));
    /// assert_eq!(timer.now() - start, Duration::from_secs(1));
    /// # }
    /// ```
    pub fn insert(&mut self, value: T, delay: Duration) -> Key {
        let now = self.clock.now();
        self.insert_seen(value, saturating_add(now, delay), now)
    }

    /// Inserts an item that is due then; at once where that is past
    pub fn insert_at(&mut self, value: T, deadline: Instant) -> Key {
        let now = self.clock.now();
        self.insert_seen(value, deadline, now)
    }

    /// Takes an item out before it is delivered
    ///
    /// # Panics
    ///
    /// When the queue holds no item with this key. [`try_remove`](Self::try_remove)
    /// answers `None` instead.
    #[track_caller]
    pub fn remove(&mut self, key: &Key) -> Expired<T> {
        match self.try_remove(key) {
            Some(removed) => removed,
            None => panic!("{UnknownKey}"),
        }
    }

    /// Takes an item out before it is delivered; `None` when there is none with this key
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
    /// let mut queue = timer.delay_queue();
    /// let key = queue.insert("tea", Duration::from_secs(180));
    /// assert_eq!(queue.try_remove(&key).unwrap().into_inner(), "tea");
    /// assert!(queue.try_remove(&key).is_none());
    /// # }
    /// ```
    pub fn try_remove(&mut self, key: &Key) -> Option<Expired<T>> {
        let timer = key.timer_in(self.number)?;
        let item = self.wheel.cancel(timer)?;
        if self.is_empty() {
            self.consumer.on_empty();
        } else {
            self.look_ahead_after(item.deadline);
        }
        Some(self.leave(timer, item))
    }

    /// Moves an item's deadline to so much later than now
    ///
    /// A duration that reaches beyond the last [`Instant`] stops there.
    ///
    /// # Panics
    ///
    /// When the queue holds no item with this key. [`try_reset`](Self::try_reset)
    /// reports an error instead.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::time::Duration;
    /// use futures::StreamExt;
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// let mut idle = timer.delay_queue();
    /// let a = idle.insert("connection a", Duration::from_secs(10));
    /// idle.insert("connection b", Duration::from_secs(20));
    ///
    /// // Something came in on a.
    /// idle.reset(&a, Duration::from_secs(30));
    /// assert_eq!(idle.next().await.unwrap().into_inner(), "connection b");
    /// # }
    /// ```
    #[track_caller]
    pub fn reset(&mut self, key: &Key, delay: Duration) {
        if let Err(error) = self.try_reset(key, delay) {
            panic!("{error}");
        }
    }

    /// Moves an item's deadline, in either direction
    ///
    /// # Panics
    ///
    /// When the queue holds no item with this key. [`try_reset_at`](Self::try_reset_at)
    /// reports an error instead.
    #[track_caller]
    pub fn reset_at(&mut self, key: &Key, deadline: Instant) {
        if let Err(error) = self.try_reset_at(key, deadline) {
            panic!("{error}");
        }
    }

    /// Moves an item's deadline to so much later than now
    ///
    /// # Errors
    ///
    /// [`UnknownKey`] when the queue holds no item with this key.
    pub fn try_reset(&mut self, key: &Key, delay: Duration) -> Result<(), UnknownKey> {
        let now = self.clock.now();
        self.reset_seen(key, saturating_add(now, delay), now)
    }

    /// Moves an item's deadline, in either direction
    ///
    /// # Errors
    ///
    /// [`UnknownKey`] when the queue holds no item with this key.
    pub fn try_reset_at(&mut self, key: &Key, deadline: Instant) -> Result<(), UnknownKey> {
        let now = self.clock.now();
        self.reset_seen(key, deadline, now)
    }

    /// When an item is due, exactly as it was asked for
    ///
    /// # Panics
    ///
    /// When the queue holds no item with this key.
    /// [`try_deadline`](Self::try_deadline) answers `None` instead.
    #[track_caller]
    pub fn deadline(&self, key: &Key) -> Instant {
        match self.try_deadline(key) {
            Some(deadline) => deadline,
            None => panic!("{UnknownKey}"),
        }
    }

    /// When an item is due; `None` when there is none with this key
    pub fn try_deadline(&self, key: &Key) -> Option<Instant> {
        let timer = key.timer_in(self.number)?;
        self.wheel.get(timer).map(|item| item.deadline)
    }

    /// Whether polling an empty queue waits for the next insert, instead of ending the stream
    ///
    /// False unless set.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// use std::{future::poll_fn, sync::{Arc, Mutex}, time::Duration};
    /// use tickwheel::Timer;
    ///
    /// let timer = Timer::new();
    /// let mut queue = timer.delay_queue();
    /// queue.set_pending_when_empty(true);
    ///
    /// let shared = Arc::new(Mutex::new(queue));
    /// let consumer = tokio::spawn({
    ///     let shared = Arc::clone(&shared);
    ///     async move { poll_fn(|cx| shared.lock().unwrap().poll_expired(cx)).await }
    /// });
    /// timer.sleep(Duration::from_secs(1)).await;
    /// shared.lock().unwrap().insert("an item at last", Duration::from_secs(1));
    /// assert!(consumer.await.unwrap().is_some());
    /// # }
    /// ```
    pub fn set_pending_when_empty(&mut self, pending_when_empty: bool) {
        self.pending_when_empty = pending_when_empty;
        if self.is_empty() {
            self.consumer.wake();
        }
    }

    /// Inserts an item, `now` just having been read
    fn insert_seen(&mut self, value: T, deadline: Instant, now: Instant) -> Key {
        let tick = self.tick_for(deadline, now);
        let timer = self.wheel.insert(tick, Item { deadline, value });
        self.consumer.on_insert(tick);
        Key::new(timer, self.number)
    }

    /// Moves an item, `now` just having been read
    fn reset_seen(&mut self, key: &Key, deadline: Instant, now: Instant) -> Result<(), UnknownKey> {
        let tick = self.tick_for(deadline, now);
        let timer = key.timer_in(self.number).ok_or(UnknownKey)?;
        let item = self.wheel.get_mut(timer).ok_or(UnknownKey)?;
        let before = mem::replace(&mut item.deadline, deadline);
        self.wheel.reset(timer, tick).expect("the item was there just now");
        self.look_ahead_after(before.min(deadline));
        Ok(())
    }

    /// Tells the consumer of a change to what is due then, if that can matter to it
    #[inline]
    fn look_ahead_after(&mut self, deadline: Instant) {
        if self.consumer.waits_until(deadline) {
            self.consumer.on_change(self.wheel.next_wake());
        }
    }

    /// The tick at which an item is due
    fn tick_for(&mut self, deadline: Instant, now: Instant) -> Tick {
        if deadline <= now {
            // Rounded up, it could have to wait for the current tick to end.
            self.clock.tick_at(now)
        } else {
            self.last_tick.of(deadline, &self.clock)
        }
    }

    pub(super) fn leave(&self, timer: TimerKey, item: Item<T>) -> Expired<T> {
        Expired::new(item.value, item.deadline, Key::new(timer, self.number))
    }
}

// Nothing in it is ever pinned.
impl<T> Unpin for DelayQueue<T> {}

impl<T> fmt::Debug for DelayQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayQueue")
            .field("len", &self.len())
            .field("pending_when_empty", &self.pending_when_empty)
            .finish_non_exhaustive()
    }
}
