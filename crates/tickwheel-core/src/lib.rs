//! A hierarchical timing wheel that owns no clock.
//!
//! Time is an argument: a caller says what tick it is ([`Wheel::step`]) and is
//! told when to come back ([`Wheel::next_wake`]). There is no clock, no I/O and
//! no thread in this crate, so the same wheel serves an async driver, an event
//! loop, a simulation or a test. Users of sans-I/O protocol crates know the pair
//! as `handle_timeout` and `poll_timeout`.
//!
//! ```
//! use tickwheel_core::{Tick, Wheel};
//!
//! let mut wheel = Wheel::new();
//! let tea = wheel.insert(Tick::new(180), "tea");
//! wheel.insert(Tick::new(5), "toast");
//!
//! assert!(wheel.next_wake() <= Some(Tick::new(5)));
//! let toast = wheel.poll_expired(Tick::new(5)).expect("due at 5");
//! assert_eq!(toast.value, "toast");
//!
//! assert_eq!(wheel.cancel(tea), Some("tea"));
//! assert_eq!(wheel.cancel(tea), None); // a stale key is harmless
//! assert_eq!(wheel.next_wake(), None);
//! ```
//!
//! # What it promises
//!
//! * **Exact.** A timer expires at the first [`step`](Wheel::step) whose `now`
//!   has reached its deadline, at any distance: there is no horizon and no rounding.
//! * **In order.** Timers expire by deadline, and those of one tick first in,
//!   first out. (A timer that was [`reset`](Wheel::reset) has no promised place
//!   among ties.) A deadline already past when inserted counts as the tick the
//!   wheel had reached.
//! * **Bounded.** A `step` does a bounded amount of work, however many timers
//!   share a slot. Insert, cancel and reset are O(1).
//! * **Safe to keep keys.** A [`TimerKey`] carries a generation; a stale one is
//!   unknown for ever and never touches the timer that reused its place.
//!
//! # How it works
//!
//! A near level of 256 slots of one tick each, and four far levels of 64 slots
//! that each span a whole level below. A deadline's slot is given by the highest
//! digit in which it differs from the tick the wheel has reached, so the order
//! of the slots *is* the order in time and the next slot to visit is the first
//! set bit of a bit set. Visiting a far slot *cascades* it: its timers move to
//! lower levels, a bounded number per step. Beyond 2^32 ticks the same rule
//! goes on with one-bit digits: 32 overflow lists, outside the ring.
//!
//! The idea of a hierarchy of wheels is from G. Varghese and A. Lauck, *Hashed
//! and Hierarchical Timing Wheels* (SOSP 1987), scheme 7.

#![no_std]
#![warn(missing_docs)]
#![doc(test(attr(deny(warnings))))]

extern crate alloc;

mod geometry;
mod key;
mod occupancy;
mod slots;
mod store;
mod tick;
mod wheel;

pub use key::TimerKey;
pub use tick::Tick;
pub use wheel::{Census, Expired, Step, UnknownTimer, Wheel};

/// The README's code is a test as well
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
