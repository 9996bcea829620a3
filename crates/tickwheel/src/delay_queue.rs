//! The names and the answers of a [`DelayQueue`](crate::DelayQueue)

mod consumer;
mod contents;
mod expired;
mod key;
mod last_tick;
mod poll;
pub(crate) mod queue;

pub use expired::Expired;
pub use key::{Key, UnknownKey};
