//! A timer service for tokio: precise deadlines that are cheap to set and cheaper to cancel.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! use std::time::Duration;
//! use tickwheel::Timer;
//!
//! let timer = Timer::new();
//!
//! timer.sleep(Duration::from_millis(5)).await;
//!
//! let slow = timer.sleep(Duration::from_secs(60));
//! assert!(timer.timeout(Duration::from_secs(1), slow).await.is_err());
//!
//! let mut heartbeat = timer.interval(Duration::from_millis(100));
//! for _ in 0..3 {
//!     println!("tick {:?}", heartbeat.tick().await);
//! }
//! # }
//! ```
//!
//! Besides futures there are
//!
//! * [callbacks](Callback), functions that the timer calls: [once](Timer::call_later),
//!   [at a period](Timer::call_every), after delays that
//!   [another function](Callback::set_next) decides, or [on a schedule](Timer::call_on);
//! * [schedules](Schedule), which go by the clock on the wall: [`Every`], with the
//!   features `jiff` and `cron` also `DailyAt`, `HourlyAt` and `Cron`, for callbacks and
//!   as [streams](Timer::schedule);
//! * [delay queues](DelayQueue), which keep many items until each is due;
//! * [methods of futures](TimerFutureExt) and [of streams](TimerStreamExt): timeouts,
//!   throttling, debouncing, chunks;
//! * with features of their names, what hyper, tower and sockets wait by;
//! * [`time`], which is `tokio::time` with the same names, on a timer that each runtime
//!   [has of itself](Timer::current).
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! use std::time::Duration;
//! use futures::StreamExt;
//! use tickwheel::{Every, Timer};
//!
//! let timer = Timer::new();
//! let second = Duration::from_secs(1);
//!
//! let beat = timer.call_every(second, || println!("a second has passed"));
//! timer.sleep(3 * second).await;
//! assert!(beat.cancel(), "it was to run again, and does not");
//!
//! let mut minutes = timer.schedule(Every::new(60 * second).unwrap());
//! println!("it is {:?}", minutes.next().await.unwrap());
//!
//! let mut queue = timer.delay_queue();
//! queue.insert("later", 2 * second);
//! queue.insert("sooner", second);
//! assert_eq!(queue.next().await.unwrap().into_inner(), "sooner");
//! # }
//! ```
//!
//! # What it promises
//!
//! * **Never early.** A deadline rounds up to a tick (1 ms unless
//!   [set](Builder::tick)), "now" rounds down.
//! * **Never lost.** Every armed timer fires once or is cancelled once.
//! * **Cancelling is complete.** After a drop nothing is left: no entry, no waker.
//! * **Idle is idle.** With nothing armed nothing wakes up. A timer an hour away
//!   costs a handful of visits in that hour.
//! * **Any duration.** `Duration::MAX` and the last `Instant` are deadlines like
//!   others, which do not come.
//! * **No user code under a lock.** A waker or a callback may arm, cancel, drop the
//!   last handle or panic, and all others still fire.
//! * **Late only as the machine is.** A process-wide alarm thread rings on time
//!   also while a worker thread of the runtime is blocked.
//!
//! # How precise it is, and what it costs
//!
//! A timer comes with the first tick at or after its deadline, and half a tick late in the
//! mean. With what a wake-up takes that was 0.68 ms for a sleep on an idle machine, and 0.18 ms at
//! a tick of 100 µs (medians). An armed sleep is 105 bytes, 48 of them the future's own.
//!
//! | work | tickwheel | `tokio::time` |
//! |---|---|---|
//! | arm and cancel a sleep | 91 ns | 147 ns |
//! | the same on two threads at once | 88 ns | 1169 ns |
//! | a timeout around what is ready at once | 47 ns | 49 ns |
//! | the same with [`lazy_timeouts`](Builder::lazy_timeouts) | 19 ns | 49 ns |
//! | move a sleep to later | 57 ns | 59 ns |
//! | replace any one of a million sleeps | 894 ns | 716 ns |
//! | a million tasks due at once, lateness of 99 in 100 | at most 693 ms | at most 1011 ms |
//! | a sleep on an idle machine, median lateness | 0.68 ms | 1.02 ms |
//! | memory of an armed sleep, the future included | 105 bytes | 128 bytes |
//!
//! Medians of one run beside tokio 1.54.1, on two cores of an AMD EPYC machine with Rust 1.95.
//! [All of it](https://github.com/tickwheel/tickwheel/blob/main/docs/performance.md), with other
//! timers and where they are better, and how to measure it.
//!
//! # Runtimes
//!
//! On a multi-thread runtime nothing is needed, `enable_time` included. On a
//! current-thread runtime `enable_time` is, so that `tokio::time::pause`,
//! `advance` and `resume` drive this timer as they drive tokio's own; a timer
//! built with [`virtual_clock(false)`](Builder::virtual_clock) does without.
//! When its runtime goes away, everything that waits is woken:
//! [`TrySleep`] and [`TryTimeout`] report [`TimerError::ShutDown`], the others panic;
//! callbacks do not run any more, and what they own is dropped.
//!
//! # How it works
//!
//! Each core has a hierarchical timing wheel ([`tickwheel_core`]) behind a lock of
//! its own. A future arms itself, at its first pending poll, in the wheel of the
//! thread that made it. One task fires what is due in bounded turns, called by the
//! alarm thread when the earliest deadline comes.
//!
//! # Under load, and at the end
//!
//! The driver fires [so many timers](Builder::turn_timers), for
//! [so long](Builder::turn_time), and lets other tasks run before it goes on. What must
//! not wait behind others is made in the [critical lane](Timer::critical), what can wait
//! a little shares wake-ups by its [slack](Sleep::slack), and
//! [`max_pending`](Builder::max_pending) refuses what would be too many.
//! [`Timer::shutdown`] takes effect at the call and gives back what was armed.
//!
//! # To see what it does
//!
//! [`Timer::metrics`] counts everything, always; printed it shows the chain to look at
//! when timers are late. The guide [explains it](https://github.com/tickwheel/tickwheel/blob/main/docs/guide.md#are-my-timers-late-and-why).
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `tracing` (on by default) | Tells of the driver's beginning and end and of shutdowns at `DEBUG`; at `WARN`, each at most once in ten seconds, that a turn ended with more to do and that timers were 100 ms late or more; once for each callback that it is slow; at `ERROR` that a callback panicked and that a schedule had to be ended. Nothing of any one timer that works. All with the target `tickwheel`, and but for schedules with the timer's [name](Builder::name). |
//! | `metrics` | `Timer::publish_metrics`: the same figures for the recorder of the [`metrics`](https://docs.rs/metrics) facade, Prometheus for example. |
//! | `console` | Shows sleeps, timeouts and intervals in [tokio-console](https://docs.rs/console-subscriber) as timers, with spans at `TRACE`. Each future grows by three words, and each one that is polled makes spans while somebody listens: for development. Which task waits is shown where tokio's own spans are on (`--cfg tokio_unstable` and its feature `tracing`). Implies `tracing`. |
//! | `jiff` | Schedules by the clock of a time zone: `DailyAt`, `HourlyAt`. |
//! | `cron` | Cron lines as schedules: `Cron`. Implies `jiff`. |
//! | `hyper` | `hyper::rt::Timer` for [`Timer`]: what hyper, hyper-util and what is built on them wait by. |
//! | `tower` | `tower::TimeoutLayer` and `tower::Timeout`: deadlines on the requests of a service. |
//! | `io` | `io::Deadlines`: read, write and idle deadlines on what reads and writes. |
//! | `full` | All of these but `console`. |
//! | `test-util` | For tests: `Builder::wall_clock`, and [`time`]'s `pause`, `advance` and `resume`. Turns on tokio's `test-util`. |

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc(test(attr(deny(warnings))))]

mod alarm;
mod ambient;
mod at_work;
mod bell;
mod budget;
mod builder;
mod callback;
mod caller;
mod clock;
mod closing;
mod console;
mod deadline;
pub mod delay_queue;
mod driver;
mod error;
pub mod ext;
mod give_way;
mod guarded;
#[cfg(feature = "hyper")]
mod hyper;
mod inspect;
mod interval;
#[cfg(feature = "io")]
pub mod io;
mod lane;
mod limit;
#[cfg(feature = "tracing")]
mod log;
mod metrics;
mod missed_tick;
#[cfg(all(test, any(loom, shuttle)))]
mod models;
mod number;
mod registration;
mod remainder;
mod rhythm;
mod schedule;
mod service;
mod shard;
mod shutdown;
mod slack;
mod sleep;
mod sync;
mod thread_number;
pub mod time;
mod timeout;
mod timer;
#[cfg(feature = "tower")]
pub mod tower;
mod try_sleep;
mod wakers;
mod wall_clock;

pub use builder::Builder;
pub use callback::{Callback, CallbackGuard, CallbackId};
pub use delay_queue::queue::DelayQueue;
pub use error::{
    BuildError, Elapsed, InstallError, Refused, ScheduledCallback, TimeoutError, TimerError,
    ZeroPeriod,
};
pub use ext::{future::TimerFutureExt, stream::TimerStreamExt};
pub use inspect::{Inspection, ShardInspection};
pub use interval::Interval;
pub use lane::Lane;
pub use metrics::{Histogram, Metrics};
pub use missed_tick::MissedTickBehavior;
#[cfg(feature = "cron")]
pub use schedule::{Cron, CronError, CronField};
#[cfg(feature = "jiff")]
pub use schedule::{DailyAt, DaylightSaving, HourlyAt, NoSuchMinute, UnknownTimeZone, time_zone};
pub use schedule::{Every, Schedule, ScheduleStream};
pub use shutdown::{Shutdown, Unfired, UnfiredCallback};
pub use sleep::Sleep;
pub use tickwheel_core::Tick;
pub use timeout::{Timeout, TryTimeout};
pub use timer::Timer;
pub use try_sleep::TrySleep;

/// The README's code is a test as well
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// And so is the guide's
#[cfg(all(doctest, feature = "full", feature = "test-util"))]
#[doc = include_str!("../../../docs/guide.md")]
struct Guide;
