//! How long the timer lives that each runtime has of itself (real)

use std::{
    pin::Pin,
    sync::{Arc, mpsc},
    task::Waker,
    thread,
    time::Duration,
};

use futures::executor;
use tickwheel::{InstallError, Timer, TimerError, time};
use tickwheel_tests::{
    ambient::{armed, pending_here},
    durations::{HOUR, MS},
    panics::{message_of, panic_of},
    runtimes::{both_flavours, current_thread, multi_thread, settle, within},
    waker::{CountingWaker, poll_with},
};

const LIMIT: Duration = Duration::from_mins(1);

#[test]
fn it_ends_with_its_runtime_and_is_not_kept() {
    for runtime in both_flavours() {
        let timer = runtime.block_on(async {
            time::sleep(MS).await;
            Timer::current()
        });
        assert!(!timer.is_shutdown());
        // What it calls would be dropped with it.
        let (owned, watched) = mpsc::channel::<()>();
        timer.call_later(HOUR, move || drop(owned));
        drop(runtime);
        assert!(timer.is_shutdown());
        assert_eq!(timer.pending(), 0);
        assert!(watched.try_recv().is_err_and(|error| error == mpsc::TryRecvError::Disconnected));
    }
}

/// S13, through the module
#[test]
fn tasks_elsewhere_are_woken_when_the_runtime_goes_away() {
    within(LIMIT, || {
        for home in both_flavours() {
            let other = multi_thread(1);
            let counter = CountingWaker::new();
            let mut sleep = time::sleep(HOUR);
            home.block_on(async {
                assert!(poll_with(&mut sleep, &counter.waker()).is_pending());
            });
            let mut interval = time::interval_at(time::Instant::now() + HOUR, HOUR);
            home.block_on(async {
                assert!(futures::poll!(Box::pin(interval.tick())).is_pending());
            });
            let task = other.spawn(async move { interval.tick().await });
            other.block_on(settle());
            drop(home);
            counter.wait_for(1);
            let message = panic_of(|| poll_with(&mut sleep, Waker::noop())).message;
            assert!(message.contains("runtime is gone"), "{message}");
            let error = other.block_on(task).unwrap_err();
            let message = message_of(&*error.into_panic());
            assert!(message.contains("runtime is gone"), "{message}");
            // Moved to what is past it is ready, and no error.
            Pin::new(&mut sleep).reset(time::Instant::now());
            assert!(poll_with(&mut sleep, Waker::noop()).is_ready());
        }
    });
}

#[test]
fn a_runtime_can_be_dropped_while_its_tasks_wait() {
    within(LIMIT, || {
        for runtime in both_flavours() {
            for _ in 0..100 {
                runtime.spawn(async {
                    let _limited = time::timeout(HOUR, time::sleep(HOUR)).await;
                });
            }
            runtime.block_on(time::sleep(5 * MS));
            drop(runtime);
        }
    });
}

/// A timer that was shut down refuses, instead of being replaced behind one's back
#[test]
fn a_timer_that_was_shut_down_stays_its_runtimes() {
    for runtime in both_flavours() {
        runtime.block_on(async {
            let waits = Timer::current().try_sleep(HOUR);
            let unfired = Timer::current().shutdown().await;
            assert_eq!(unfired.sleeps(), 0);
            settle().await;
            assert!(Timer::current().is_shutdown());
            assert_eq!(waits.await, Err(TimerError::ShutDown));
            let mut sleep = time::sleep(HOUR);
            let message = panic_of(|| poll_with(&mut sleep, Waker::noop())).message;
            assert!(message.contains("shut down"), "{message}");
            assert_eq!(Timer::builder().install().unwrap_err(), InstallError::AlreadyThere);
        });
    }
}

/// In a runtime that is gone there is nothing to wait for, and nobody hangs
#[test]
fn the_handle_of_a_dead_runtime_gives_a_timer_that_is_shut_down() {
    for runtime in both_flavours() {
        let handle = runtime.handle().clone();
        drop(runtime);
        let _context = handle.enter();
        assert!(Timer::current().is_shutdown());
        let mut sleep = time::sleep(HOUR);
        let message = panic_of(|| poll_with(&mut sleep, Waker::noop())).message;
        assert!(message.contains("runtime is gone"), "{message}");
        assert!(Timer::builder().install().is_ok_and(|timer| timer.is_shutdown()));
    }
}

/// Tasks that begin to wait while their runtime is being dropped
#[test]
fn what_begins_while_the_runtime_ends_does_not_hang() {
    within(LIMIT, || {
        for round in 0..100 {
            let runtime = multi_thread(2);
            for _ in 0..4 {
                runtime.spawn(async {
                    loop {
                        time::sleep(Duration::from_micros(1)).await;
                    }
                });
            }
            thread::sleep(Duration::from_micros(20 * round));
            drop(runtime);
        }
    });
}

#[test]
fn thousands_of_runtimes_come_and_go() {
    within(LIMIT, || {
        let rounds = if cfg!(debug_assertions) { 2_000 } else { 10_000 };
        for n in 0..rounds {
            let runtime = current_thread();
            let timer = runtime.block_on(async {
                let _armed = armed();
                assert_eq!(pending_here(), 1, "it has nothing of a runtime before number {n}");
                Timer::current()
            });
            drop(runtime);
            assert!(timer.is_shutdown());
            assert!(Timer::try_current().is_none());
        }
    });
}

/// Futures that wait in a thread which is no runtime's, for one that is run elsewhere
#[test]
fn a_plain_thread_may_enter_and_wait() {
    within(LIMIT, || {
        let home = Arc::new(multi_thread(1));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let home = Arc::clone(&home);
                thread::spawn(move || {
                    let _context = home.enter();
                    for _ in 0..20 {
                        executor::block_on(time::sleep(Duration::from_micros(500)));
                    }
                    armed()
                })
            })
            .collect();
        let _armed: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        home.block_on(async { assert_eq!(pending_here(), 4) });
    });
}
