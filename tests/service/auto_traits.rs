//! What the types promise by themselves, frozen at compile time

use std::{
    error::Error,
    fmt::{Debug, Display},
    future::{Future, Pending, Ready},
    hash::Hash,
    marker::PhantomPinned,
    panic::{RefUnwindSafe, UnwindSafe},
    rc::Rc,
};

use futures::{Stream, future::FusedFuture, stream::FusedStream};
use tickwheel::{
    BuildError, Builder, Callback, CallbackGuard, CallbackId, Cron, CronError, CronField, DailyAt,
    DaylightSaving, DelayQueue, Elapsed, Every, HourlyAt, Interval, Metrics, MissedTickBehavior,
    NoSuchMinute, Refused, Schedule, ScheduleStream, ScheduledCallback, Sleep, Timeout,
    TimeoutError, Timer, TimerError, TrySleep, TryTimeout, UnknownTimeZone, ZeroPeriod,
    delay_queue::{Expired, Key, UnknownKey},
};
use tickwheel_tests::durations::MS;

/// Fails to compile unless each of the types has all of the traits
macro_rules! assert_all {
    ($($type:ty),+ : $($bound:tt)+) => {
        const _: () = {
            const fn check<T: $($bound)+>() {}
            $(check::<$type>();)+
        };
    };
}

/// Fails to compile if the type has the trait
///
/// Two impls then fit the type, and `_` could stand for either.
macro_rules! assert_not {
    ($type:ty: $bound:path) => {
        const _: () = {
            trait Ambiguous<Marker> {
                const CHECKED: () = ();
            }
            impl<T: ?Sized> Ambiguous<()> for T {}
            struct Fits;
            impl<T: ?Sized + $bound> Ambiguous<Fits> for T {}
            <$type as Ambiguous<_>>::CHECKED
        };
    };
}

/// A future that is `Send` and not `Unpin`
struct Pinned(PhantomPinned);

impl Future for Pinned {
    type Output = ();

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<()> {
        std::task::Poll::Pending
    }
}

assert_all!(Timer: Clone + Send + Sync + Debug + UnwindSafe + RefUnwindSafe + Unpin + 'static);
assert_all!(Builder: Clone + Send + Sync + Debug + 'static);

assert_all!(Sleep, TrySleep: Future + FusedFuture + Send + Sync + Unpin + Debug + 'static);
assert_all!(Sleep: Future<Output = ()>);
assert_all!(TrySleep: Future<Output = Result<(), TimerError>>);
assert_all!(Sleep, TrySleep: UnwindSafe + RefUnwindSafe);
assert_not!(Sleep: Clone);
assert_not!(TrySleep: Clone);

assert_all!(Timeout<Ready<u8>>: Future<Output = Result<u8, Elapsed>>);
assert_all!(TryTimeout<Ready<u8>>: Future<Output = Result<u8, TimeoutError>>);
assert_all!(
    Timeout<Pending<u8>>, TryTimeout<Pending<u8>>: Send + Sync + Unpin + Debug + 'static
);
assert_all!(Timeout<Pinned>, TryTimeout<Pinned>: Send + Sync + 'static);
assert_not!(Timeout<Pinned>: Unpin);
assert_not!(TryTimeout<Pinned>: Unpin);
assert_not!(Timeout<Ready<Rc<u8>>>: Send);
assert_not!(Timeout<Ready<Rc<u8>>>: Sync);
assert_not!(TryTimeout<Ready<Rc<u8>>>: Send);
assert_all!(Timeout<Ready<Rc<u8>>>, TryTimeout<Ready<Rc<u8>>>: Unpin);

assert_all!(Interval: FusedStream + Send + Sync + Unpin + Debug + 'static);
assert_all!(Interval: Stream<Item = tokio::time::Instant>);
assert_not!(Interval: Clone);
assert_all!(MissedTickBehavior: Copy + Eq + Debug + Default + Send + Sync + 'static);

assert_all!(Callback: Clone + Debug + Send + Sync + Unpin + 'static);
assert_all!(CallbackGuard: Debug + Send + Sync + Unpin + 'static);
assert_all!(Callback, CallbackGuard: UnwindSafe + RefUnwindSafe);
assert_not!(CallbackGuard: Clone);
assert_all!(CallbackId, Key: Copy + Ord + Hash + Debug + Send + Sync + Unpin + 'static);
assert_all!(CallbackId, Key: UnwindSafe + RefUnwindSafe);

assert_all!(DelayQueue<u8>: FusedStream + Send + Sync + Unpin + Debug + 'static);
assert_all!(DelayQueue<u8>: Stream<Item = Expired<u8>>);
assert_all!(Expired<u8>: Clone + Debug + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe);
// What is in it is moved, never pinned, and may be anything.
assert_all!(DelayQueue<Pinned>, DelayQueue<Rc<u8>>: Unpin + Debug);
assert_not!(DelayQueue<Rc<u8>>: Send);
assert_not!(DelayQueue<Rc<u8>>: Sync);
assert_not!(DelayQueue<u8>: Clone);
assert_not!(Expired<Rc<u8>>: Send);

assert_all!(ScheduleStream: FusedStream + Send + Unpin + Debug + 'static);
assert_all!(ScheduleStream: Stream<Item = std::time::SystemTime>);
assert_not!(ScheduleStream: Clone);
assert_all!(Every, DailyAt, HourlyAt, Cron: Schedule + Clone + Debug + Send + Sync + 'static);
assert_all!(Every, DailyAt, HourlyAt, Cron: Unpin + UnwindSafe + RefUnwindSafe);
assert_all!(Box<dyn Schedule + Send>, &'static mut Every: Schedule + Send);
assert_all!(Cron: Display);
assert_all!(DaylightSaving: Copy + Eq + Hash + Debug + Default + Send + Sync + 'static);
assert_all!(CronField: Copy + Eq + Hash + Debug + Display + Send + Sync + 'static);

assert_all!(
    BuildError, CronError, Elapsed, NoSuchMinute, Refused<Rc<u8>>, ScheduledCallback,
    TimeoutError, TimerError, UnknownKey, UnknownTimeZone, ZeroPeriod: Error + Unpin + 'static
);
assert_all!(
    BuildError, CronError, Elapsed, NoSuchMinute, Refused<u8>, ScheduledCallback,
    TimeoutError, TimerError, UnknownKey, UnknownTimeZone, ZeroPeriod: Send + Sync
);
assert_all!(
    BuildError, CronError, Elapsed, NoSuchMinute, Refused<u8>, ScheduledCallback,
    TimeoutError, TimerError, UnknownKey, UnknownTimeZone, ZeroPeriod: Clone + Debug + Display
);
assert_all!(
    BuildError, CronError, Elapsed, NoSuchMinute, Refused<u8>, ScheduledCallback,
    TimeoutError, TimerError, UnknownKey, ZeroPeriod: Eq + UnwindSafe + RefUnwindSafe
);
// A function is given back as it was, whatever it owns.
assert_not!(Refused<Rc<u8>>: Send);
assert_all!(Elapsed: Copy + Into<std::io::Error> + Into<TimeoutError>);
assert_all!(TimerError: Copy + Into<TimeoutError>);
assert_all!(Metrics: Clone + Debug + Default + Display + Send + Sync + 'static);

// Spans for the console take room: three words.
#[cfg(feature = "console")]
const _: () = assert!(size_of::<Sleep>() <= 48 + 3 * size_of::<usize>());
#[cfg(not(feature = "console"))]
const _: () = assert!(size_of::<Sleep>() <= 48);
#[cfg(not(feature = "console"))]
const _: () = assert!(size_of::<TrySleep>() <= 48);
const _: () = assert!(size_of::<Timer>() <= 16);
const _: () = assert!(size_of::<Key>() <= 16);

/// The future of a tick is `Send`, as a task's must be
#[tokio::test(start_paused = true)]
async fn what_awaits_our_futures_can_be_spawned() {
    let timer = Timer::new();
    let task = async move {
        let mut interval = timer.interval(MS);
        interval.tick().await;
        timer.sleep(MS).await;
        timer.timeout(MS, interval.tick()).await.is_ok()
    };
    assert!(tokio::spawn(task).await.unwrap());
}
