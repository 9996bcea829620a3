//! What is refused, and how it is said

use std::{
    future::pending,
    task::{Poll, Waker},
    time::Duration,
};

use tickwheel::{BuildError, Builder, Elapsed, TimeoutError, Timer, TimerError, ZeroPeriod};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    panics::{Panicked, panic_of},
    runtimes::{current_thread, multi_thread},
    waker::poll_with,
};
use tokio::runtime::Runtime;

#[track_caller]
fn assert_panicked_at(panicked: &Panicked, line: u32) {
    assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line), "{}", panicked.message);
}

fn without_time() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

/// A timer, all of whose futures fail: its runtime is gone
fn abandoned() -> Timer {
    let runtime = multi_thread(1);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    drop(runtime);
    timer
}

#[test]
fn new_outside_a_runtime_panics_at_the_callers_line_and_names_build_on() {
    let panicked = panic_of(Timer::new as fn() -> Timer);
    assert!(panicked.message.contains("build_on"), "{}", panicked.message);
    assert!(panicked.message.contains("runtime"), "{}", panicked.message);

    let line = line!() + 1;
    let panicked = panic_of(|| Timer::new());
    assert_panicked_at(&panicked, line);
}

#[test]
fn try_new_outside_a_runtime_is_an_error_that_names_build_on() {
    let error = Timer::try_new().unwrap_err();
    assert_eq!(error, BuildError::OutsideRuntime);
    assert!(error.to_string().contains("build_on"), "{error}");
    assert_eq!(Timer::builder().build().unwrap_err(), BuildError::OutsideRuntime);
}

#[track_caller]
fn assert_out_of_range(builder: Builder, field: &str, value: &str, limits: [&str; 2]) {
    let error = builder.build_on(multi_thread(1).handle()).unwrap_err();
    let BuildError::OutOfRange { field: named, value: given, range } = &error else {
        panic!("another error: {error:?}");
    };
    assert_eq!((*named, given.as_str()), (field, value));
    for limit in limits {
        assert!(range.contains(limit), "{range} does not say {limit}");
    }
    let message = error.to_string();
    for said in [field, value, limits[0], limits[1]] {
        assert!(message.contains(said), "{message:?} does not say {said}");
    }
}

#[test]
fn a_tick_out_of_its_range_is_refused_by_name() {
    let with = |tick| Timer::builder().tick(tick);
    let limits = ["10 us", "1 h"];
    assert_out_of_range(with(Duration::ZERO), "tick", "0ns", limits);
    assert_out_of_range(with(Duration::from_nanos(9_999)), "tick", "9.999µs", limits);
    assert_out_of_range(with(HOUR + Duration::from_nanos(1)), "tick", "3600.000000001s", limits);
    let max = format!("{:?}", Duration::MAX);
    assert_out_of_range(with(Duration::MAX), "tick", &max, limits);
}

#[test]
fn budgets_and_limits_of_nothing_are_refused_by_name() {
    let one = ["1", "more"];
    assert_out_of_range(Timer::builder().turn_timers(0), "turn_timers", "0", one);
    assert_out_of_range(Timer::builder().max_pending(0), "max_pending", "0", one);
    let some = ["more", "zero"];
    assert_out_of_range(Timer::builder().turn_time(Duration::ZERO), "turn_time", "0ns", some);
}

#[test]
fn the_largest_budgets_and_limits_are_accepted() {
    let builder = Timer::builder().turn_timers(usize::MAX).turn_time(Duration::MAX);
    let builder = builder.max_pending(usize::MAX).slack(Duration::MAX);
    assert!(builder.build_on(multi_thread(1).handle()).is_ok());
}

#[test]
fn shards_out_of_their_range_are_refused_by_name() {
    let with = |shards| Timer::builder().shards(shards);
    assert_out_of_range(with(0), "shards", "0", ["1", "1024"]);
    assert_out_of_range(with(1025), "shards", "1025", ["1", "1024"]);
    assert_out_of_range(with(usize::MAX), "shards", &usize::MAX.to_string(), ["1", "1024"]);
}

#[test]
fn a_capacity_out_of_its_range_is_refused_by_name() {
    let with = |timers| Timer::builder().capacity(timers);
    let (beyond, max) = ((1 << 30) + 1, usize::MAX);
    assert_out_of_range(with(beyond), "capacity", "1073741825", ["0", "1073741824"]);
    assert_out_of_range(with(max), "capacity", &max.to_string(), ["0", "1073741824"]);
    // The largest there may be is not out of range. Too large for this machine, so
    // that another setting has to keep it from being built.
    assert_out_of_range(with(1 << 30).shards(0), "shards", "0", ["1", "1024"]);
}

#[test]
fn both_ends_of_each_range_are_accepted() {
    let runtime = multi_thread(1);
    let builders = [
        Timer::builder().tick(Duration::from_micros(10)),
        Timer::builder().tick(HOUR),
        Timer::builder().shards(1),
        Timer::builder().shards(1024),
        Timer::builder().capacity(0),
        Timer::builder().capacity(1),
        Timer::builder().name(""),
    ];
    for builder in builders {
        let timer = builder.build_on(runtime.handle()).unwrap();
        let mut sleep = timer.sleep(2 * HOUR);
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
        assert_eq!(timer.pending(), 1);
    }
}

#[test]
fn a_current_thread_runtime_without_time_is_refused_unless_virtual_clock_is_off() {
    let runtime = without_time();
    // What tokio says of it is of no interest here.
    panic_of(|| {
        let error = runtime.block_on(async { Timer::try_new().unwrap_err() });
        assert_eq!(error, BuildError::TimeDisabled);
        let message = error.to_string();
        assert!(message.contains("enable_time") && message.contains("virtual_clock"), "{message}");
        let error = Timer::builder().build_on(runtime.handle()).unwrap_err();
        assert_eq!(error, BuildError::TimeDisabled);
        let panicked = panic_of(|| runtime.block_on(async { Timer::new() }));
        assert!(panicked.message.contains("enable_time"), "{}", panicked.message);
        panic!("this is as it should be")
    });

    let timer = Timer::builder().virtual_clock(false).build_on(runtime.handle()).unwrap();
    let started = timer.now();
    runtime.block_on(timer.sleep(5 * MS));
    assert!(timer.now() - started >= 5 * MS);
}

#[test]
fn a_multi_thread_runtime_needs_no_time() {
    let runtime = multi_thread(2);
    runtime.block_on(async {
        let timer = Timer::new();
        let started = timer.now();
        timer.sleep(5 * MS).await;
        assert!(timer.now() - started >= 5 * MS);
        let five = 5 * MS;
        assert!(timer.timeout(five, pending::<()>()).await.is_err());
        let mut interval = timer.interval(five);
        assert_eq!(interval.tick().await + five, interval.tick().await);
    });
}

/// I3: an error of the one form, a panic of the others
#[tokio::test(start_paused = true)]
async fn a_zero_period_is_refused_at_the_callers_line() {
    let timer = Timer::new();
    assert_eq!(timer.try_interval(Duration::ZERO).unwrap_err(), ZeroPeriod);
    assert!(timer.try_interval(Duration::from_nanos(1)).is_ok());

    let line = line!() + 1;
    let panicked = panic_of(|| timer.interval(Duration::ZERO));
    assert_panicked_at(&panicked, line);
    assert!(panicked.message.contains("period"), "{}", panicked.message);

    let line = line!() + 1;
    let panicked = panic_of(|| timer.interval_at(timer.now(), Duration::ZERO));
    assert_panicked_at(&panicked, line);

    let period = 10 * MS;
    let mut interval = timer.interval(period);
    let line = line!() + 1;
    let panicked = panic_of(|| interval.set_period(Duration::ZERO));
    assert_panicked_at(&panicked, line);
    assert_eq!(interval.period(), period, "a refused change changes nothing");
}

#[track_caller]
fn assert_says(panicked: &Panicked, line: u32) {
    let message = &panicked.message;
    assert!(message.contains("runtime"), "no cause in {message:?}");
    let place = format!("{}:{line}:", file!());
    assert!(message.contains(&place), "no {place} in {message:?}");
}

/// S13: the plain forms name the cause and the line that made them
#[test]
fn plain_futures_of_a_dead_timer_panic_naming_the_cause_and_where_they_were_made() {
    let timer = abandoned();
    let second = SECOND;
    let at = timer.now() + second;

    let (mut sleep, line) = (timer.sleep(second), line!());
    assert_says(&panic_of(|| poll_with(&mut sleep, Waker::noop())), line);
    let (mut sleep, line) = (timer.sleep_until(at), line!());
    assert_says(&panic_of(|| poll_with(&mut sleep, Waker::noop())), line);
    let (mut timeout, line) = (timer.timeout(second, pending::<()>()), line!());
    assert_says(&panic_of(|| poll_with(&mut timeout, Waker::noop())), line);
    let (mut timeout, line) = (timer.timeout_at(at, pending::<()>()), line!());
    assert_says(&panic_of(|| poll_with(&mut timeout, Waker::noop())), line);
    let (mut interval, line) = (timer.interval(second), line!());
    let poll_tick = |interval: &mut tickwheel::Interval| {
        interval.poll_tick(&mut std::task::Context::from_waker(Waker::noop()))
    };
    assert!(poll_tick(&mut interval).is_ready(), "due already");
    assert_says(&panic_of(|| poll_tick(&mut interval)), line);
    let (mut interval, line) = (timer.interval_at(at, second), line!());
    assert_says(&panic_of(|| poll_tick(&mut interval)), line);
    let (interval, line) = (timer.try_interval(second), line!());
    let mut interval = interval.unwrap();
    interval.reset();
    assert_says(&panic_of(|| poll_tick(&mut interval)), line);
}

/// S13: the `try_` forms say so instead, again and again, until the deadline has passed
#[test]
fn try_futures_of_a_dead_timer_report_it() {
    let timer = abandoned();
    let shut_down = Poll::Ready(Err(TimerError::ShutDown));
    let mut sleep = timer.try_sleep(HOUR);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), shut_down);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), shut_down);
    sleep.reset(timer.now());
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(Ok(())));

    let mut sleep = timer.try_sleep_until(timer.now() + HOUR);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), shut_down);

    let mut timeout = timer.try_timeout(HOUR, pending::<()>());
    let expected = Poll::Ready(Err(TimeoutError::Timer(TimerError::ShutDown)));
    assert_eq!(poll_with(&mut timeout, Waker::noop()), expected);
}

/// S13: what needs no driver works without one
#[test]
fn futures_of_a_dead_timer_that_are_due_or_never_due_do_not_fail() {
    let timer = abandoned();
    let past = timer.now();
    assert_eq!(poll_with(&mut timer.sleep_until(past), Waker::noop()), Poll::Ready(()));
    let mut timeout = timer.timeout(SECOND, std::future::ready(7));
    assert_eq!(poll_with(&mut timeout, Waker::noop()), Poll::Ready(Ok(7)));
    let mut timeout = timer.timeout(Duration::ZERO, pending::<()>());
    let Poll::Ready(Err(elapsed)) = poll_with(&mut timeout, Waker::noop()) else {
        panic!("zero time is up at once");
    };
    let _: Elapsed = elapsed;
    let mut timeout = timer.timeout(Duration::MAX, pending::<()>());
    assert_eq!(poll_with(&mut timeout, Waker::noop()), Poll::Pending);
}

#[test]
fn a_timer_built_on_a_runtime_that_was_shut_down_is_shut_down() {
    let handle = {
        let runtime = current_thread();
        runtime.handle().clone()
    };
    let timer = Timer::builder().build_on(&handle).unwrap();
    let mut sleep = timer.try_sleep(SECOND);
    let poll = poll_with(&mut sleep, Waker::noop());
    assert_eq!(poll, Poll::Ready(Err(TimerError::ShutDown)));
}

#[test]
fn an_elapsed_deadline_is_a_timed_out_io_error() {
    let timer = abandoned();
    let mut timeout = timer.timeout(Duration::ZERO, pending::<()>());
    let Poll::Ready(Err(elapsed)) = poll_with(&mut timeout, Waker::noop()) else {
        panic!("zero time is up at once");
    };
    let error = std::io::Error::from(elapsed);
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    assert_eq!(error.to_string(), elapsed.to_string());
    assert_eq!(TimeoutError::from(elapsed), TimeoutError::Elapsed(elapsed));
}
