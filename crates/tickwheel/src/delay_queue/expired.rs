use tokio::time::Instant;

use super::Key;

/// An item that has left its [`DelayQueue`](crate::DelayQueue)
///
/// Delivered when it was due, or removed before.
#[derive(Clone, Debug)]
pub struct Expired<T> {
    value: T,
    deadline: Instant,
    key: Key,
}

impl<T> Expired<T> {
    #[inline]
    pub(super) fn new(value: T, deadline: Instant, key: Key) -> Self {
        Self { value, deadline, key }
    }

    /// What was inserted
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// What was inserted
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// What was inserted
    pub fn into_inner(self) -> T {
        self.value
    }

    /// When it was due, exactly as it was asked for
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The key it had, which is unknown to the queue now
    pub fn key(&self) -> Key {
        self.key
    }
}
