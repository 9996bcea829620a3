//! Every public item, with its types and bounds

use std::{
    error,
    fmt::{Debug, Display},
    future::{IntoFuture, Ready, ready},
    io,
    panic::{RefUnwindSafe, UnwindSafe},
    pin::Pin,
    task::{Context, Poll},
};

use super::time::{
    Duration, Instant, Interval, MissedTickBehavior, Sleep, Timeout, advance, error as failed,
    error::Elapsed, interval, interval_at, pause, resume, sleep, sleep_until, timeout, timeout_at,
};

/// Is no future, but turns into one
struct Request;

impl IntoFuture for Request {
    type Output = u8;
    type IntoFuture = Ready<u8>;

    fn into_future(self) -> Ready<u8> {
        ready(7)
    }
}

type Limited = Timeout<Ready<u8>>;

const _: fn(Duration) -> Sleep = sleep;
const _: fn(Instant) -> Sleep = sleep_until;
const _: fn(Duration, Ready<u8>) -> Limited = timeout::<Ready<u8>>;
const _: fn(Duration, Request) -> Limited = timeout::<Request>;
const _: fn(Instant, Ready<u8>) -> Limited = timeout_at::<Ready<u8>>;
const _: fn(Instant, Request) -> Limited = timeout_at::<Request>;
const _: fn(Duration) -> Interval = interval;
const _: fn(Instant, Duration) -> Interval = interval_at;
const _: fn() = pause;
const _: fn() = resume;

const _: fn(&Sleep) -> Instant = Sleep::deadline;
const _: fn(&Sleep) -> bool = Sleep::is_elapsed;
const _: fn(Pin<&mut Sleep>, Instant) = Sleep::reset;

const _: fn(&Limited) -> &Ready<u8> = Limited::get_ref;
const _: fn(&mut Limited) -> &mut Ready<u8> = Limited::get_mut;
const _: fn(Limited) -> Ready<u8> = Limited::into_inner;
// Not only of futures.
const _: fn(Timeout<Request>) -> Request = Timeout::into_inner;

const _: fn(&mut Interval, &mut Context<'_>) -> Poll<Instant> = Interval::poll_tick;
const _: fn(&mut Interval) = Interval::reset;
const _: fn(&mut Interval) = Interval::reset_immediately;
const _: fn(&mut Interval, Duration) = Interval::reset_after;
const _: fn(&mut Interval, Instant) = Interval::reset_at;
const _: fn(&Interval) -> MissedTickBehavior = Interval::missed_tick_behavior;
const _: fn(&mut Interval, MissedTickBehavior) = Interval::set_missed_tick_behavior;
const _: fn(&Interval) -> Duration = Interval::period;

const _: fn() -> failed::Error = failed::Error::shutdown;
const _: fn() -> failed::Error = failed::Error::at_capacity;
const _: fn() -> failed::Error = failed::Error::invalid;
const _: fn(&failed::Error) -> bool = failed::Error::is_shutdown;
const _: fn(&failed::Error) -> bool = failed::Error::is_at_capacity;
const _: fn(&failed::Error) -> bool = failed::Error::is_invalid;

// They are the types that all others use, not others of the same name.
const _: fn(Duration) = std::thread::sleep;
const _: fn(&mut tickwheel::Sleep, Instant) = tickwheel::Sleep::reset;

const fn is_future<F: Future<Output = O>, O>() {}
const fn is_task<F: Future + Send + Sync + 'static>() {}
const fn is_value<T: Copy + Eq + Debug + Default + Send + Sync + Unpin + 'static>() {}
const fn is_error<E: error::Error + Debug + Display + Send + Sync + Unpin + 'static>() {}
const fn is_safe<T: UnwindSafe + RefUnwindSafe>() {}

const _: () = {
    is_future::<Sleep, ()>();
    is_future::<Limited, Result<u8, Elapsed>>();
    is_task::<Sleep>();
    is_task::<Limited>();
    is_value::<MissedTickBehavior>();
    is_safe::<MissedTickBehavior>();
    is_error::<Elapsed>();
    is_safe::<Elapsed>();
    is_error::<failed::Error>();
    is_safe::<failed::Error>();
};

const fn is_unpin<T: Send + Sync + Debug + Unpin + 'static>() {}
const _: () = is_unpin::<Interval>();

/// What borrows may be timed as well, and a tick is part of a task
#[expect(dead_code, reason = "that it compiles is all")]
fn borrows(interval: &mut Interval, word: &str) {
    fn is_send(_: &impl Send) {}
    is_send(&interval.tick());
    is_send(&timeout(Duration::ZERO, async { word.len() }));
    is_send(&advance(Duration::ZERO));
}

#[test]
fn errors_are_what_they_say() {
    let too_far = failed::Error::invalid();
    assert!(too_far.is_invalid() && !too_far.is_shutdown() && !too_far.is_at_capacity());
    assert!(failed::Error::shutdown().is_shutdown());
    assert!(failed::Error::at_capacity().is_at_capacity());
    assert!(!{ too_far }.to_string().is_empty());
}

#[test]
fn there_are_three_behaviors_and_burst_is_the_default() {
    for behavior in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip]
    {
        // Exhaustive: a match needs no other arm.
        let is_burst = match behavior {
            MissedTickBehavior::Burst => true,
            MissedTickBehavior::Delay | MissedTickBehavior::Skip => false,
        };
        assert_eq!(is_burst, behavior == MissedTickBehavior::default());
    }
}

#[tokio::test(start_paused = true)]
async fn an_elapsed_timeout_is_an_error_of_all_kinds() {
    let elapsed = timeout(Duration::ZERO, std::future::pending::<()>()).await.unwrap_err();
    assert_eq!(elapsed.to_string(), "deadline has elapsed");
    let same = timeout(Duration::ZERO, std::future::pending::<()>()).await.unwrap_err();
    assert_eq!(elapsed, same);
    let _: &dyn error::Error = &elapsed;
    assert_eq!(io::Error::from(elapsed).kind(), io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn the_clock_is_paused_advanced_and_resumed() {
    pause();
    let started = Instant::now();
    advance(Duration::from_mins(1)).await;
    assert_eq!(started.elapsed(), Duration::from_mins(1));
    resume();
}
