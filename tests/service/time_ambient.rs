//! The timer that each runtime has of itself (real)

use std::{
    future::pending,
    pin::Pin,
    sync::Barrier,
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use futures::executor;
use tickwheel::{BuildError, InstallError, Timer, time};
use tickwheel_tests::{
    ambient::{Armed, armed, pending_here},
    durations::{HOUR, MS},
    panics::panic_of,
    runtimes::{Background, both_flavours, current_thread, multi_thread, settle, within},
    waker::poll_with,
};
use tokio::{
    runtime::{Builder, LocalOptions},
    task::{LocalSet, spawn_blocking, spawn_local},
};

const LIMIT: Duration = Duration::from_mins(1);

/// S14
#[test]
fn what_is_made_outside_a_runtime_works_inside() {
    for runtime in both_flavours() {
        let started = Instant::now();
        let sleep = time::sleep(10 * MS);
        let until = time::sleep_until(time::Instant::now() + 10 * MS);
        let timeout = time::timeout(10 * MS, pending::<()>());
        let timeout_at = time::timeout_at(time::Instant::now() + 10 * MS, pending::<()>());
        let mut interval = time::interval(10 * MS);
        let mut interval_at = time::interval_at(time::Instant::now() + 10 * MS, 10 * MS);
        runtime.block_on(async move {
            sleep.await;
            assert!(started.elapsed() >= 10 * MS);
            until.await;
            assert!(timeout.await.is_err() && timeout_at.await.is_err());
            let first = interval.tick().await;
            assert_eq!(interval.tick().await, first + 10 * MS);
            interval_at.tick().await;
        });
        // Also given to the runtime as it is, which tokio's cannot be.
        runtime.block_on(time::sleep(MS));
    }
}

/// It may wait outside for as long as it likes: the deadline stays
#[test]
fn what_is_made_outside_a_runtime_can_be_asked_and_moved_there() {
    let started = time::Instant::now();
    let mut sleep = Box::pin(time::sleep(HOUR));
    assert!(sleep.deadline() >= started + HOUR && !sleep.is_elapsed());
    sleep.as_mut().reset(started);
    assert_eq!(sleep.deadline(), started);
    sleep.as_mut().reset(started + 5 * MS);

    let mut interval = time::interval(HOUR);
    assert_eq!(interval.period(), HOUR);
    interval.reset();
    interval.reset_after(HOUR);
    interval.reset_immediately();
    interval.set_missed_tick_behavior(time::MissedTickBehavior::Skip);
    current_thread().block_on(async {
        sleep.await;
        interval.tick().await;
        interval.reset_at(started);
        assert_eq!(interval.tick().await, started);
    });
}

#[test]
fn a_runtime_has_one_timer_and_another_runtime_another() {
    let runtimes = [current_thread(), current_thread(), multi_thread(1), multi_thread(2)];
    for (n, runtime) in (1usize..).zip(&runtimes) {
        let armed: Vec<_> = runtime.block_on(async { (0..n).map(|_| armed()).collect() });
        // This thread goes from one to the other and back.
        for other in &runtimes {
            let others = if std::ptr::eq(other, runtime) { n } else { 0 };
            other.block_on(async { assert_eq!(pending_here(), others) });
        }
        let seen = runtime.block_on(async { tokio::spawn(async { pending_here() }).await });
        assert_eq!(seen.unwrap(), armed.len());
        runtime.block_on(time::sleep(MS));
    }
}

#[test]
fn threads_that_ask_first_at_one_time_get_one_timer() {
    within(LIMIT, || {
        for _ in 0..50 {
            let runtime = multi_thread(4);
            let barrier = Barrier::new(4);
            let timers: Vec<_> = thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|_| {
                        scope.spawn(|| {
                            let _context = runtime.enter();
                            barrier.wait();
                            let timer = Timer::current();
                            timer.call_later(HOUR, || ());
                            timer
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            for timer in &timers {
                assert_eq!(timer.pending(), 4);
            }
            runtime.block_on(time::sleep(Duration::from_micros(10)));
        }
    });
}

#[test]
fn blocking_threads_belong_to_their_runtime() {
    for runtime in both_flavours() {
        runtime.block_on(async {
            let blocking = spawn_blocking(|| {
                let started = Instant::now();
                executor::block_on(time::sleep(5 * MS));
                assert!(started.elapsed() >= 5 * MS);
                armed()
            });
            let _armed = blocking.await.unwrap();
            assert_eq!(pending_here(), 1);
        });
    }
}

#[test]
fn a_runtime_within_a_blocking_thread_of_another_has_its_own() {
    for runtime in both_flavours() {
        runtime.block_on(async {
            let _armed = armed();
            let inner = spawn_blocking(|| {
                assert_eq!(pending_here(), 1);
                let inner = current_thread();
                inner.block_on(async {
                    time::timeout(MS, pending::<()>()).await.unwrap_err();
                    let _armed = [armed(), armed()];
                    assert_eq!(pending_here(), 2);
                    time::sleep(MS).await;
                });
                assert_eq!(pending_here(), 1, "this thread is the outer one's again");
            });
            inner.await.unwrap();
            assert_eq!(pending_here(), 1);
        });
    }
}

#[test]
fn tasks_of_a_local_set_belong_to_the_runtime_that_runs_it() {
    for runtime in both_flavours() {
        let local = LocalSet::new();
        let task = local.spawn_local(async {
            let mut interval = time::interval(MS);
            for _ in 0..3 {
                interval.tick().await;
            }
            spawn_local(time::sleep(MS)).await.unwrap();
            armed()
        });
        let _armed = runtime.block_on(local.run_until(async { task.await.unwrap() }));
        runtime.block_on(async { assert_eq!(pending_here(), 1) });
    }
    let runtime = Builder::new_current_thread().enable_time().build_local(LocalOptions::default());
    runtime.unwrap().block_on(async {
        spawn_local(time::sleep(MS)).await.unwrap();
        let _armed = spawn_local(async { armed() }).await.unwrap();
        assert_eq!(pending_here(), 1);
    });
}

/// Bound at its first poll, it stays there
#[test]
fn a_sleep_stays_with_the_runtime_that_polled_it_first() {
    within(LIMIT, || {
        let [home, abroad] = both_flavours().map(Background::start);
        let (first, Armed(mut sleep)) = {
            let _context = home.handle().enter();
            (Timer::current(), armed())
        };
        let second = {
            let _context = abroad.handle().enter();
            assert!(poll_with(&mut sleep, Waker::noop()).is_pending());
            Pin::new(&mut sleep).reset(time::Instant::now() + 20 * MS);
            Timer::current()
        };
        executor::block_on(sleep);
        assert_eq!((first.metrics().registered, second.metrics().registered), (1, 0));
    });
}

/// An `enter` within a task counts while its guard lives
#[tokio::test]
async fn the_runtime_that_was_entered_last_counts() {
    let other = multi_thread(1);
    let _here = armed();
    let _there = {
        let _context = other.enter();
        assert_eq!(pending_here(), 0);
        [armed(), armed()]
    };
    assert_eq!(pending_here(), 1);
    time::sleep(MS).await;
    other.shutdown_background();
}

#[test]
fn outside_a_runtime_the_first_poll_panics_and_says_why() {
    let (mut sleep, line) = (time::sleep(MS), line!());
    let message = panic_of(|| poll_with(&mut sleep, Waker::noop())).message;
    assert!(message.contains("no tokio runtime here"), "{message}");
    assert!(message.contains("Handle::enter"), "{message}");
    assert!(message.contains(&format!("{}:{line}:", file!())), "{message}");

    let mut timeout = time::timeout(MS, pending::<()>());
    let message = panic_of(|| poll_with(&mut timeout, Waker::noop())).message;
    assert!(message.contains("no tokio runtime here"), "{message}");
    let mut interval = time::interval(MS);
    let message = panic_of(|| executor::block_on(interval.tick())).message;
    assert!(message.contains("no tokio runtime here"), "{message}");

    let (panicked, line) = (panic_of(|| Timer::current()), line!());
    assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line));
    assert!(panicked.message.contains("no tokio runtime here"), "{}", panicked.message);
    assert!(Timer::try_current().is_none());

    // No harm is done: inside one they work.
    current_thread().block_on(async move {
        sleep.await;
        timeout.await.unwrap_err();
        interval.tick().await;
    });
}

/// What needs no timer needs no runtime
#[test]
fn what_is_ready_needs_no_runtime() {
    let mut ready = time::timeout(MS, std::future::ready(1));
    assert_eq!(poll_with(&mut ready, Waker::noop()), Poll::Ready(Ok(1)));
    let mut never = time::timeout(Duration::MAX, pending::<()>());
    assert_eq!(poll_with(&mut never, Waker::noop()), Poll::Pending);
}

#[test]
fn a_runtime_without_time_says_what_to_do_and_doing_it_helps() {
    let without_time = || Builder::new_current_thread().build().unwrap();
    without_time().block_on(async {
        let (mut sleep, line) = (time::sleep(MS), line!());
        let message = panic_of(|| poll_with(&mut sleep, Waker::noop())).message;
        assert!(message.contains("`enable_time()`"), "{message}");
        assert!(message.contains("virtual_clock(false)"), "{message}");
        assert!(message.contains(&format!("{}:{line}:", file!())), "{message}");
        assert!(panic_of(Timer::current).message.contains("`enable_time()`"));
    });
    without_time().block_on(async {
        Timer::builder().virtual_clock(false).install().unwrap();
        time::sleep(MS).await;
    });
    // On a multi-thread runtime nothing is needed.
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    runtime.block_on(time::sleep(MS));
}

#[test]
fn an_installed_timer_is_the_runtimes_and_stays_that() {
    for runtime in both_flavours() {
        runtime.block_on(async {
            let installed = Timer::builder().name("mine").tick(100 * MS).install().unwrap();
            drop(installed);
            settle().await;
            assert!(format!("{:?}", Timer::current()).contains("mine"));
            let _armed = armed();
            assert_eq!(pending_here(), 1);
            let again = Timer::builder().install().unwrap_err();
            assert_eq!(again, InstallError::AlreadyThere);
            assert!(again.to_string().contains("first used"), "{again}");
        });
    }
}

#[test]
fn a_timer_is_not_installed_after_the_first_use_nor_outside_nor_when_it_cannot_be_built() {
    let outside = Timer::builder().install().unwrap_err();
    assert_eq!(outside, InstallError::Build(BuildError::OutsideRuntime));
    for runtime in both_flavours() {
        runtime.block_on(async {
            let wrong = Timer::builder().tick(Duration::ZERO).install().unwrap_err();
            assert!(matches!(wrong, InstallError::Build(BuildError::OutOfRange { .. })));
            time::sleep(Duration::ZERO).await;
            assert_eq!(Timer::builder().install().unwrap_err(), InstallError::AlreadyThere);
        });
    }
}

/// Timers of one's own have nothing to do with it
#[tokio::test]
async fn a_timer_that_was_built_is_not_the_runtimes() {
    let own = Timer::new();
    let _armed = armed();
    assert_eq!((own.pending(), pending_here()), (0, 1));
    Timer::try_current().unwrap().call_later(HOUR, || ());
    assert_eq!((own.pending(), pending_here()), (0, 2));
    own.sleep(MS).await;
}
