//! The streams of [`TimerStreamExt`](crate::TimerStreamExt)
//!
//! Each is [`Unpin`] where its source is, and [fused](futures_core::FusedStream). The end
//! of the source ends it at once, [`Throttle`] excepted, which waits first; polled on, it
//! does not ask the source again. Dropping one cancels what it has armed, completely and
//! at once.
//!
//! # Panics
//!
//! Polling panics once the timer was shut down or its runtime is gone, where a deadline has
//! to be waited for that had not passed by then. One that was not given a timer also panics
//! where it first has to wait and finds none, as what [`time`](crate::time#panics) makes does.

mod chunks_timeout;
mod debounce;
pub(crate) mod future;
mod source;
pub(crate) mod stream;
mod throttle;
mod timeout;
mod timeout_repeating;
mod wait;

pub use chunks_timeout::ChunksTimeout;
pub use debounce::Debounce;
pub use throttle::Throttle;
pub use timeout::Timeout;
pub use timeout_repeating::TimeoutRepeating;
