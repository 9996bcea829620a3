//! Timers between runtimes

use std::{
    future::poll_fn,
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use tickwheel::{TimeoutError, Timer, TimerError};
use tickwheel_tests::{
    durations::{HOUR, MS},
    panics::message_of,
    runtimes::{Background, current_thread, multi_thread, within},
    waker::{CountingWaker, poll_with},
};
use tokio::runtime::Runtime;

const LIMIT: Duration = Duration::from_secs(30);

/// S12: armed in one runtime, polled and reset in another that then goes away (real)
#[test]
fn a_sleep_outlives_the_runtime_it_was_polled_in() {
    let others: [fn() -> Runtime; 2] = [current_thread, || multi_thread(1)];
    for other in others {
        within(LIMIT, move || {
            let home = multi_thread(1);
            let timer = Timer::builder().build_on(home.handle()).unwrap();
            let mut sleep = timer.sleep(20 * MS);
            let abroad = other();
            for runtime in [&home, &abroad] {
                runtime.block_on(poll_fn(|cx| {
                    assert!(poll_with(&mut sleep, cx.waker()).is_pending());
                    sleep.reset_after(40 * MS);
                    Poll::Ready(())
                }));
            }
            // A task of it waits as well, and goes with it.
            let lost = timer.sleep(HOUR);
            abroad.spawn(lost);
            abroad.block_on(tokio::task::yield_now());
            drop(abroad);
            assert_eq!(timer.pending(), 1);
            home.block_on(&mut sleep);
            assert!(timer.now() >= sleep.deadline());
            assert_eq!(timer.pending(), 0);
        });
    }
}

/// S12: a task of one runtime waits for the timer of another (real)
#[test]
fn a_timer_serves_the_tasks_of_other_runtimes() {
    within(LIMIT, || {
        let home = Background::start(current_thread());
        let timer = Timer::builder().build_on(home.handle()).unwrap();
        for runtime in [current_thread(), multi_thread(2)] {
            let started = Instant::now();
            runtime.block_on(timer.sleep(10 * MS));
            runtime.block_on(runtime.spawn(timer.sleep(10 * MS))).unwrap();
            assert!(started.elapsed() >= 20 * MS);
            let never = timer.timeout(10 * MS, std::future::pending::<()>());
            assert!(runtime.block_on(never).is_err());
        }
    });
}

/// S13: the driver's runtime goes away while tasks of another wait (real)
#[test]
fn tasks_that_wait_are_woken_when_the_drivers_runtime_goes_away() {
    let homes: [fn() -> Runtime; 2] = [current_thread, || multi_thread(2)];
    for home in homes {
        within(LIMIT, move || {
            let home = home();
            let timer = Timer::builder().build_on(home.handle()).unwrap();
            home.block_on(timer.sleep(MS));
            let other = multi_thread(2);
            let trying = other.spawn(timer.try_sleep(HOUR));
            let timeout = other.spawn(timer.try_timeout(HOUR, std::future::pending::<()>()));
            let (sleep, line) = (timer.sleep(HOUR), line!());
            let plain = other.spawn(sleep);
            let never = other.spawn(timer.timeout(HOUR, std::future::pending::<()>()));
            let mut interval = timer.interval_at(timer.now() + HOUR, HOUR);
            let ticks = other.spawn(async move { interval.tick().await });
            let many: Vec<_> = (0..1000).map(|_| other.spawn(timer.try_sleep(HOUR))).collect();
            while timer.pending() < 1005 {
                thread::sleep(MS);
            }
            drop(home);
            other.block_on(async {
                assert_eq!(trying.await.unwrap(), Err(TimerError::ShutDown));
                let expected = Err(TimeoutError::Timer(TimerError::ShutDown));
                assert_eq!(timeout.await.unwrap(), expected);
                let message = message_of(&*plain.await.unwrap_err().into_panic());
                assert!(message.contains("runtime is gone"), "{message}");
                assert!(message.contains(&format!("{}:{line}:", file!())), "{message}");
                assert!(never.await.unwrap_err().is_panic());
                assert!(ticks.await.unwrap_err().is_panic());
                for one in many {
                    assert_eq!(one.await.unwrap(), Err(TimerError::ShutDown));
                }
            });
            let metrics = timer.metrics();
            assert_eq!(metrics.pending, 0);
            assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        });
    }
}

/// S13: what was due before the runtime went away is ready, not an error (real)
#[test]
fn a_deadline_that_passed_before_the_end_is_ready() {
    let home = multi_thread(1);
    let timer = Timer::builder().build_on(home.handle()).unwrap();
    let counter = CountingWaker::new();
    let mut fired = timer.sleep(5 * MS);
    assert!(poll_with(&mut fired, &counter.waker()).is_pending());
    counter.wait_for(1);
    let mut ahead = timer.sleep(20 * MS);
    assert!(poll_with(&mut ahead, &counter.waker()).is_pending());
    drop(home);
    assert_eq!(poll_with(&mut fired, Waker::noop()), Poll::Ready(()));
    assert_eq!(counter.wakes(), 2, "the one that was ahead");
    thread::sleep(25 * MS);
    assert_eq!(poll_with(&mut ahead, Waker::noop()), Poll::Ready(()), "it is past now");
}

/// S13: what is polled after the end makes nothing else ready early (real)
#[test]
fn a_sleep_that_is_refused_after_the_end_does_not_make_others_ready() {
    let home = multi_thread(1);
    let timer = Timer::builder().shards(1).build_on(home.handle()).unwrap();
    let mut waits = timer.try_sleep(HOUR);
    assert!(poll_with(&mut waits, Waker::noop()).is_pending());
    drop(home);
    let shut_down = Poll::Ready(Err(TimerError::ShutDown));
    assert_eq!(poll_with(&mut timer.try_sleep(HOUR), Waker::noop()), shut_down);
    assert_eq!(poll_with(&mut waits, Waker::noop()), shut_down);
    assert_eq!(poll_with(&mut timer.try_sleep(HOUR), Waker::noop()), shut_down);
}

/// S13: what is armed while the runtime goes away is refused, or woken to hear of it (real)
#[test]
fn nothing_that_is_armed_during_the_end_is_left_hanging() {
    let rounds = if cfg!(debug_assertions) { 200 } else { 2_000 };
    for round in 0..rounds {
        let home = multi_thread(1);
        let timer = Timer::builder().shards(1).build_on(home.handle()).unwrap();
        let arming = thread::spawn(move || {
            loop {
                let counter = CountingWaker::new();
                let mut sleep = timer.try_sleep(HOUR);
                if poll_with(&mut sleep, &counter.waker()).is_ready() {
                    break;
                }
                // The runtime ends during this one, or another.
                if round % 2 == 0 {
                    counter.wait_for(1);
                    assert!(poll_with(&mut sleep, Waker::noop()).is_ready());
                }
            }
            timer.metrics()
        });
        thread::sleep(Duration::from_micros(round));
        drop(home);
        let metrics = arming.join().unwrap();
        assert_eq!(metrics.pending, 0);
        assert_eq!(metrics.registered, metrics.cancelled);
    }
}

/// S13: a task of the driver's own runtime goes with it
#[test]
fn a_runtime_with_timers_can_be_dropped() {
    for runtime in [current_thread(), multi_thread(2)] {
        let timer = Timer::builder().build_on(runtime.handle()).unwrap();
        for _ in 0..100 {
            runtime.spawn(timer.sleep(HOUR));
        }
        runtime.block_on(timer.sleep(MS));
        drop(runtime);
        assert_eq!(timer.pending(), 0);
    }
}

/// S14, as far as there is no ambient timer: made outside any runtime, polled inside one (real)
#[test]
fn futures_may_be_made_outside_a_runtime() {
    for runtime in [current_thread(), multi_thread(1)] {
        let timer = Timer::builder().build_on(runtime.handle()).unwrap();
        let started = Instant::now();
        let sleep = timer.sleep(10 * MS);
        let until = timer.sleep_until(timer.now() + 10 * MS);
        let timeout = timer.timeout(10 * MS, std::future::pending::<()>());
        let mut interval = timer.interval(10 * MS);
        runtime.block_on(async move {
            sleep.await;
            assert!(started.elapsed() >= 10 * MS);
            until.await;
            assert!(timeout.await.is_err());
            let first = interval.tick().await;
            assert_eq!(interval.tick().await, first + 10 * MS);
        });
    }
}

/// Futures need no runtime around them, only a waker (real)
#[test]
fn futures_may_be_polled_outside_a_runtime() {
    let home = multi_thread(1);
    let timer = Timer::builder().build_on(home.handle()).unwrap();
    let started = Instant::now();
    futures::executor::block_on(timer.sleep(10 * MS));
    assert!(started.elapsed() >= 10 * MS);
    let slow = timer.sleep(HOUR);
    assert!(futures::executor::block_on(timer.timeout(10 * MS, slow)).is_err());
    assert_eq!(timer.pending(), 0);
}

/// Two timers on one runtime have nothing to do with each other
#[test]
fn timers_of_one_runtime_are_independent() {
    let runtime = multi_thread(1);
    let build = |tick| Timer::builder().tick(tick).build_on(runtime.handle()).unwrap();
    let (fine, coarse) = (build(MS / 10), build(50 * MS));
    let started = Instant::now();
    runtime.block_on(fine.sleep(5 * MS));
    assert!(started.elapsed() >= 5 * MS);
    runtime.block_on(coarse.sleep(5 * MS));
    assert_eq!((fine.metrics().fired, coarse.metrics().fired), (1, 1));
}
