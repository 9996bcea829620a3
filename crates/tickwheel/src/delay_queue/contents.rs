use tokio::time::Instant;

use super::{Expired, Key, queue::DelayQueue};

impl<T> DelayQueue<T> {
    /// How many items there are, due ones included
    pub fn len(&self) -> usize {
        self.wheel.len()
    }

    /// Whether there is no item
    pub fn is_empty(&self) -> bool {
        self.wheel.is_empty()
    }

    /// The key of the item that comes next, due or not; `None` when the queue is empty
    ///
    /// Looks at all items that could be the one, so it is for now and then.
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
    /// queue.insert("later", Duration::from_secs(2));
    /// let sooner = queue.insert("sooner", Duration::from_secs(1));
    /// assert_eq!(queue.peek(), Some(sooner));
    /// # }
    /// ```
    pub fn peek(&self) -> Option<Key> {
        self.wheel.peek().map(|timer| Key::new(timer, self.number))
    }

    /// When the item that comes next is due, exactly as it was asked for
    ///
    /// Costs what [`peek`](Self::peek) does.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.peek().and_then(|key| self.try_deadline(&key))
    }

    /// All items with their keys and deadlines, in no particular order
    pub fn iter(&self) -> impl Iterator<Item = (Key, Instant, &T)> {
        let number = self.number;
        self.wheel
            .iter()
            .map(move |(timer, _, item)| (Key::new(timer, number), item.deadline, &item.value))
    }

    /// Takes out all items, due or not, roughly by deadline
    ///
    /// What is not taken is dropped with the iterator. Wakes a task that waits for
    /// the next item: there is none any more.
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
    /// queue.insert("a", Duration::from_secs(1));
    /// queue.insert("b", Duration::from_secs(2));
    /// let left: Vec<_> = queue.drain().map(|expired| expired.into_inner()).collect();
    /// assert_eq!(left, ["a", "b"]);
    /// assert!(queue.is_empty());
    /// # }
    /// ```
    pub fn drain(&mut self) -> impl Iterator<Item = Expired<T>> {
        // A waker is woken before values are dropped, since the drop of one may panic.
        self.consumer.on_empty();
        let number = self.number;
        self.wheel.drain().map(move |expired| {
            let item = expired.value;
            Expired::new(item.value, item.deadline, Key::new(expired.key, number))
        })
    }

    /// Drops all items; keeps their room
    ///
    /// Wakes a task that waits for the next item: there is none any more.
    pub fn clear(&mut self) {
        // A waker is woken before values are dropped, since the drop of one may panic.
        self.consumer.on_empty();
        self.wheel.clear();
    }

    /// How many items fit before memory is allocated
    pub fn capacity(&self) -> usize {
        self.wheel.capacity()
    }

    /// Makes room for this many more items
    ///
    /// # Panics
    ///
    /// When they would be more than 2^32.
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        self.wheel.reserve(additional);
    }

    /// Gives back the memory that no item stands in the way of
    ///
    /// Items are not moved and keys stay valid.
    pub fn shrink_to_fit(&mut self) {
        self.wheel.shrink_to_fit();
    }

    /// The same as [`shrink_to_fit`](Self::shrink_to_fit)
    ///
    /// Where queues keep their items in one piece, this moves them together and
    /// gives them new places. Here memory comes in pieces that are given back when they
    /// are empty, so there is nothing to move.
    pub fn compact(&mut self) {
        self.shrink_to_fit();
    }
}
