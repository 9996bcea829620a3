use core::fmt;

use crate::{
    Tick, TimerKey,
    geometry::Slot,
    slots::Slots,
    store::{Link, Node, Store},
};

mod cascade;
mod census;
mod check;
mod outlook;

pub use census::Census;

/// Timers carrying a `T`, ordered by deadline
///
/// See the [crate's front page](crate) for what it promises and how it works.
///
/// Insert, cancel, reset and each [`step`](Self::step) are O(1) but for the
/// allocator: room for nodes grows by chunks of 4096 that are never moved.
#[derive(Debug)]
pub struct Wheel<T> {
    store: Store<T>,
    slots: Slots,
    elapsed: Tick,
    /// Nothing is to be visited before this tick; zero when that is not known
    ///
    /// So that ticks in which nothing happens cost a comparison.
    idle_until: Tick,
    /// The far slot whose timers are being moved down, a few each step
    ///
    /// Meanwhile `elapsed` stays one tick before that slot's start, so that an
    /// insert for its range joins the end of its list and not a lower slot,
    /// ahead of timers that came earlier. The lower slots are empty of anything
    /// but what the cascade has moved there.
    cascading: Option<Slot>,
    /// Runs ahead of the cascade, from the other end of its list
    ///
    /// To follow a list of scattered nodes is a chain of cache misses, each one known
    /// only after the one before. Two chains side by side take half the time: what the
    /// scout has seen is in the cache when the cascade comes there. It may refer to a node
    /// that is gone, and ends there.
    scout: Link,
    /// How often a timer was moved to a lower level
    cascaded: u64,
}

impl<T> Wheel<T> {
    /// An empty wheel that has reached tick 0
    ///
    /// Allocates the heads of its lists, about four kilobytes; room for timers
    /// comes with the first insert.
    pub fn new() -> Self {
        Self::starting_at(Tick::ZERO)
    }

    /// An empty wheel that has reached `elapsed`
    pub fn starting_at(elapsed: Tick) -> Self {
        Self {
            store: Store::new(),
            slots: Slots::new(),
            elapsed,
            idle_until: Tick::ZERO,
            cascading: None,
            scout: None,
            cascaded: 0,
        }
    }

    /// An empty wheel that has reached tick 0, with room for this many timers
    ///
    /// # Panics
    ///
    /// When they are more than 2^32.
    #[track_caller]
    pub fn with_capacity(timers: usize) -> Self {
        let mut wheel = Self::new();
        wheel.reserve(timers);
        wheel
    }

    /// Arms a timer
    ///
    /// It expires at the first [`step`](Self::step) whose `now` is at or past
    /// `deadline`. A deadline that [`elapsed`](Self::elapsed) has passed expires
    /// on the next one, after what is due already.
    ///
    /// # Panics
    ///
    /// When 2^32 timers are armed, or 2^52 have been.
    #[expect(
        clippy::inline_always,
        reason = "measured: a call costs a tenth of arming and cancelling"
    )]
    #[inline(always)]
    pub fn insert(&mut self, deadline: Tick, value: T) -> TimerKey {
        let slot = self.slot_for(deadline);
        let key = self.store.insert(value, deadline, slot, self.slots.tail(slot));
        self.slots.extend(&mut self.store, slot, key.index());
        key
    }

    /// Takes a timer out before it expires, and gives back what it carried
    ///
    /// `None` when the key is stale. Nothing of the timer is left behind.
    #[inline]
    pub fn cancel(&mut self, key: TimerKey) -> Option<T> {
        self.take(key).map(|node| node.value)
    }

    /// Moves a timer's deadline, in either direction
    ///
    /// To a later one this often only writes the new deadline: the timer is
    /// filed anew when its old slot is visited.
    ///
    /// # Errors
    ///
    /// [`UnknownTimer`] when the key is stale.
    #[inline]
    pub fn reset(&mut self, key: TimerKey, deadline: Tick) -> Result<(), UnknownTimer> {
        let base = self.base();
        let node = self.store.get_mut(key).ok_or(UnknownTimer)?;
        node.deadline = deadline;
        // An exact slot fires whatever it holds, so nothing may wait in it for a later tick.
        if node.slot.is_exact() || deadline < node.slot.start(base) {
            let slot = self.slot_for(deadline);
            self.slots.refile(&mut self.store, key.index(), slot);
        }
        Ok(())
    }

    /// Does one bounded piece of work towards `now`
    ///
    /// Call it again after [`Step::Expired`] and [`Step::More`]. After
    /// [`Step::Idle`] nothing is due and [`elapsed`](Self::elapsed) is `now`. A
    /// `now` smaller than one seen before counts as no time passed.
    ///
    /// Time in which nothing is due costs nothing, however long.
    #[inline]
    pub fn step(&mut self, now: Tick) -> Step<T> {
        let now = now.max(self.elapsed);
        if now < self.idle_until {
            self.elapsed = now;
            return Step::Idle;
        }
        let mut due = self.due();
        if self.slots.is_empty(due) {
            match self.next_visit() {
                Some((slot, start)) if start <= now => {
                    if !slot.is_exact() {
                        self.cascade(slot, start);
                        return Step::More;
                    }
                    self.elapsed = start;
                    due = slot;
                }
                next => {
                    self.elapsed = now;
                    self.idle_until = next.map_or(Tick::MAX, |(_, start)| start);
                    return Step::Idle;
                }
            }
        }
        let expired = self.expire_first(due);
        debug_assert!(
            expired.as_ref().is_none_or(|expired| expired.deadline <= self.elapsed),
            "never early"
        );
        Step::Expired(expired.expect("an occupied slot holds a timer (invariant 6)"))
    }

    /// Steps until a timer expires or nothing is due
    ///
    /// Unbounded: it cascades as many timers as it meets on the way. Where a long
    /// turn would hurt, call [`step`](Self::step).
    pub fn poll_expired(&mut self, now: Tick) -> Option<Expired<T>> {
        loop {
            match self.step(now) {
                Step::Expired(expired) => return Some(expired),
                Step::More => {}
                Step::Idle => return None,
            }
        }
    }

    /// The tick the wheel has reached: all that was due then has expired, or is next to
    pub fn elapsed(&self) -> Tick {
        self.elapsed
    }

    /// How many timers have been moved down by visits to far slots, all told
    ///
    /// A timer counts each time. Inserting, resetting and cancelling move none.
    pub fn cascaded(&self) -> u64 {
        self.cascaded
    }

    /// How many timers are armed
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether no timer is armed
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many timers fit before memory is allocated
    pub fn capacity(&self) -> usize {
        self.store.capacity()
    }

    /// Whether the key's timer is still armed
    pub fn contains(&self, key: TimerKey) -> bool {
        self.store.get(key).is_some()
    }

    /// What the key's timer carries, while it is armed
    pub fn get(&self, key: TimerKey) -> Option<&T> {
        self.store.get(key).map(|node| &node.value)
    }

    /// What the key's timer carries, while it is armed
    pub fn get_mut(&mut self, key: TimerKey) -> Option<&mut T> {
        self.store.get_mut(key).map(|node| &mut node.value)
    }

    /// The deadline of the key's timer as it was asked for, while it is armed
    pub fn deadline(&self, key: TimerKey) -> Option<Tick> {
        self.store.get(key).map(|node| node.deadline)
    }

    /// All armed timers, in no particular order
    pub fn iter(&self) -> impl Iterator<Item = (TimerKey, Tick, &T)> {
        self.store.iter().map(|(key, node)| (key, node.deadline, &node.value))
    }

    /// Takes out all armed timers, due or not
    ///
    /// Slot by slot, so roughly by deadline. What is not taken is dropped with
    /// the iterator. The wheel keeps its room and the tick it has reached.
    pub fn drain(&mut self) -> impl Iterator<Item = Expired<T>> {
        Drain { wheel: self }
    }

    /// Drops all armed timers; keeps the room and the tick it has reached
    pub fn clear(&mut self) {
        self.slots.clear();
        self.cascading = None;
        self.store.clear();
    }

    /// Makes room for this many more timers
    ///
    /// # Panics
    ///
    /// When they would be more than 2^32.
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        self.store.reserve(additional);
    }

    /// Gives back the memory that no armed timer stands in the way of
    ///
    /// Keys stay valid: no timer is moved, and stale ones stay stale.
    pub fn shrink_to_fit(&mut self) {
        self.store.shrink_to_fit();
    }

    /// Where a deadline is filed now; it may be visited before what the wheel has waited for
    #[inline]
    fn slot_for(&mut self, deadline: Tick) -> Slot {
        self.idle_until = Tick::ZERO;
        if deadline <= self.elapsed { self.due() } else { Slot::of(deadline, self.elapsed) }
    }

    /// The list of what is due already: it expires before anything else happens
    #[inline]
    fn due(&self) -> Slot {
        if self.cascading.is_some() {
            // Level 0 belongs to the ticks after `elapsed` then.
            Slot::ASIDE
        } else {
            Slot::of(self.elapsed, self.elapsed)
        }
    }

    /// The tick that occupied slots are to be read against
    #[inline]
    fn base(&self) -> Tick {
        match self.cascading {
            Some(_) => self.elapsed.saturating_add(1),
            None => self.elapsed,
        }
    }

    /// Takes out the first timer of a list
    #[expect(clippy::inline_always, reason = "measured: a call copies the whole node twice")]
    #[inline(always)]
    fn expire_first(&mut self, slot: Slot) -> Option<Expired<T>> {
        let index = self.slots.head(slot)?;
        let node = self.store.remove_listed(index);
        self.slots.remove_head(&mut self.store, slot, node.next);
        let key = TimerKey::new(index, node.generation);
        Some(Expired { key, deadline: node.deadline, value: node.value })
    }

    #[expect(clippy::inline_always, reason = "measured: a call copies the whole node twice")]
    #[inline(always)]
    fn take(&mut self, key: TimerKey) -> Option<Node<T>> {
        let node = self.store.remove(key)?;
        self.slots.close_gap(&mut self.store, node.slot, node.previous, node.next);
        Some(node)
    }
}

impl<T> Default for Wheel<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A timer that came due
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired<T> {
    /// The timer's name, stale now
    pub key: TimerKey,
    /// The deadline as it was asked for, even when it was past already
    pub deadline: Tick,
    /// What the timer carried
    pub value: T,
}

/// What one [`Wheel::step`] did
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "an expired timer is in here, and whether to call again"]
pub enum Step<T> {
    /// A timer came due; there may be more
    Expired(Expired<T>),
    /// Timers were moved and none came due yet; call again
    More,
    /// Nothing is due
    Idle,
}

/// The key names no armed timer of this wheel
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTimer;

impl fmt::Display for UnknownTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no armed timer has this key")
    }
}

impl core::error::Error for UnknownTimer {}

struct Drain<'a, T> {
    wheel: &'a mut Wheel<T>,
}

impl<T> Iterator for Drain<'_, T> {
    type Item = Expired<T>;

    fn next(&mut self) -> Option<Expired<T>> {
        let wheel = &mut *self.wheel;
        let due = Some(wheel.due()).filter(|&due| !wheel.slots.is_empty(due));
        let slot = due.or_else(|| wheel.slots.occupancy().first())?;
        wheel.expire_first(slot)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.wheel.len(), Some(self.wheel.len()))
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        self.wheel.clear();
    }
}
