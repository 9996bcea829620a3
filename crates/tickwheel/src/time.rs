//! `tokio::time` on the timer of the current runtime: the same names, signatures and meanings
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! use tickwheel::time::{self, Duration}; // was: use tokio::time::{self, Duration};
//!
//! time::sleep(Duration::from_millis(20)).await;
//!
//! let never = std::future::pending::<()>();
//! assert!(time::timeout(Duration::from_secs(1), never).await.is_err());
//!
//! let mut interval = time::interval(Duration::from_secs(10));
//! interval.tick().await; // at once
//! interval.tick().await; // after ten seconds
//! # }
//! ```
//!
//! What it makes may be made anywhere, also outside a runtime. Its deadline counts from
//! there; at the first poll it is bound to the [ambient timer](crate::Timer::current) of the
//! runtime that is current then, and it stays with that wherever it is polled afterwards.
//! [`Builder::install`](crate::Builder::install) chooses that timer's settings. The
//! [guide](https://github.com/tickwheel/tickwheel/blob/main/docs/guide.md#coming-from-tokiotime)
//! lists all differences from `tokio::time`.
//!
//! # Panics
//!
//! A poll that is to bind panics outside a runtime, on a current-thread runtime without
//! `enable_time`, and where no thread can be started for the alarm. The message says what
//! to do, and the line that made the future. Afterwards polling panics once the runtime is
//! gone, as [`Sleep`](crate::Sleep) does.
//!
//! # Cancel safety
//!
//! Dropping what is in here cancels it, completely and at once. A [`Sleep`] that is
//! polled by reference keeps its deadline, and [`Interval::tick`] loses no tick.

#[cfg(feature = "test-util")]
mod advance;
pub mod error;
mod interval;
mod sleep;
mod timeout;

#[cfg(feature = "test-util")]
pub use advance::advance;
pub use interval::{Interval, interval, interval_at};
pub use sleep::{Sleep, sleep, sleep_until};
pub use timeout::{Timeout, timeout, timeout_at};

pub use crate::missed_tick::MissedTickBehavior;
#[doc(no_inline)]
pub use std::time::Duration;
#[doc(no_inline)]
pub use tokio::time::Instant;
#[cfg(feature = "test-util")]
#[doc(no_inline)]
pub use tokio::time::{pause, resume};
