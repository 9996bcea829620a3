use std::{error::Error, fmt};

use tickwheel_core::TimerKey;

use crate::number::Number;

/// The name of one item in one [`DelayQueue`](crate::DelayQueue)
///
/// It stays the name of that item alone. Once the item was delivered or removed
/// the key is unknown for ever, also when another item has taken its place, and to
/// any other queue it is unknown from the start. Sixteen bytes.
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
/// let key = queue.insert("first", Duration::from_secs(1));
/// queue.remove(&key);
/// queue.insert("second", Duration::from_secs(1));
/// assert!(queue.try_remove(&key).is_none());
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    timer: TimerKey,
    queue: Number,
}

impl Key {
    #[inline]
    pub(super) fn new(timer: TimerKey, queue: Number) -> Self {
        Self { timer, queue }
    }

    /// The item's name in the wheel of this queue, unless it is another queue's
    #[inline]
    pub(super) fn timer_in(self, queue: Number) -> Option<TimerKey> {
        (self.queue == queue).then_some(self.timer)
    }
}

/// The queue holds no item with this key: it was delivered, removed, or is another queue's
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownKey;

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the delay queue holds no item with this key")
    }
}

impl Error for UnknownKey {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_key_takes_sixteen_bytes_with_and_without_an_option() {
        assert_eq!(size_of::<Key>(), 16);
        assert_eq!(size_of::<Option<Key>>(), 16);
    }
}
