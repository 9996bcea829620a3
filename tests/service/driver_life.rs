//! The driver is there while anybody needs it, and no longer

use std::{task::Waker, thread};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    runtimes::{Background, current_thread, multi_thread, settle},
    waker::{CountingWaker, poll_with},
};
use tokio::{
    runtime::Handle,
    task::yield_now,
    time::{self, Instant},
};

fn alive_tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// Asserts that the runtime's last task ends without anything more being done
fn assert_ends(handle: &Handle) {
    let started = std::time::Instant::now();
    while handle.metrics().num_alive_tasks() > 0 {
        assert!(started.elapsed() < 10 * SECOND, "the driver lives on");
        thread::sleep(MS);
    }
}

#[tokio::test(start_paused = true)]
async fn the_driver_ends_with_the_last_handle() {
    let timer = Timer::new();
    let clone = timer.clone();
    settle().await;
    drop(timer);
    settle().await;
    assert_eq!(alive_tasks(), 1);
    drop(clone);
    settle().await;
    assert_eq!(alive_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_driver_ends_when_its_timer_is_dropped_before_it_ever_ran() {
    drop(Timer::new());
    settle().await;
    assert_eq!(alive_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn futures_alone_keep_the_driver_going() {
    let timer = Timer::new();
    let started = Instant::now();
    let sleep = timer.sleep(HOUR);
    let mut armed = timer.sleep(HOUR);
    assert!(poll_with(&mut armed, Waker::noop()).is_pending());
    let timeout = timer.timeout(2 * HOUR, std::future::pending::<()>());
    let mut interval = timer.interval_at(started + 3 * HOUR, HOUR);
    drop(timer);
    settle().await;
    sleep.await;
    armed.await;
    assert_eq!(started.elapsed(), HOUR);
    assert!(timeout.await.is_err());
    assert_eq!(started.elapsed(), 2 * HOUR);
    interval.tick().await;
    interval.tick().await;
    assert_eq!((started.elapsed(), alive_tasks()), (4 * HOUR, 1));
    drop(interval);
    settle().await;
    assert_eq!(alive_tasks(), 0);
}

/// One of many shards is enough to keep it
#[tokio::test(start_paused = true)]
async fn a_future_of_another_threads_shard_keeps_the_driver_going() {
    let timer = Timer::builder().shards(8).build().unwrap();
    let deadline = Instant::now() + HOUR;
    let sleeps: Vec<_> = (0..3)
        .map(|_| {
            let timer = timer.clone();
            thread::spawn(move || timer.sleep_until(deadline)).join().unwrap()
        })
        .collect();
    drop(timer);
    settle().await;
    for sleep in sleeps {
        assert_eq!(alive_tasks(), 1);
        sleep.await;
    }
    settle().await;
    assert_eq!((Instant::now(), alive_tasks()), (deadline, 0));
}

/// A timer that is dropped with a future armed takes back what it planned
#[tokio::test(start_paused = true)]
async fn dropping_handle_and_armed_future_together_ends_the_driver() {
    for future_first in [false, true] {
        let timer = Timer::new();
        let counter = CountingWaker::new();
        let mut sleep = timer.sleep(HOUR);
        assert!(poll_with(&mut sleep, &counter.waker()).is_pending());
        settle().await;
        if future_first {
            drop(sleep);
            drop(timer);
        } else {
            drop(timer);
            drop(sleep);
        }
        settle().await;
        assert_eq!((alive_tasks(), counter.wakers()), (0, 0));
    }
}

/// Dropped on another thread, while the driver is parked (real)
#[test]
fn the_driver_ends_when_the_last_handle_goes_on_another_thread() {
    let multi = multi_thread(2);
    let current = Background::start(current_thread());
    for handle in [multi.handle(), current.handle()] {
        let before = handle.metrics().num_alive_tasks();
        assert_eq!(before, 0);
        let timer = Timer::builder().build_on(handle).unwrap();
        let mut sleep = timer.sleep(HOUR);
        assert!(poll_with(&mut sleep, Waker::noop()).is_pending());
        thread::sleep(10 * MS);
        drop(timer);
        thread::sleep(10 * MS);
        assert_eq!(handle.metrics().num_alive_tasks(), 1);
        drop(sleep);
        assert_ends(handle);
    }
}

/// Thousands of timers, built and dropped with and without work (real)
#[test]
fn timers_can_be_built_and_dropped_for_ever() {
    let multi = multi_thread(2);
    let current = Background::start(current_thread());
    let rounds = if cfg!(debug_assertions) { 1_000 } else { 10_000 };
    for handle in [multi.handle(), current.handle()] {
        for round in 0..rounds {
            let timer = Timer::builder().shards(2).build_on(handle).unwrap();
            let mut sleep = timer.sleep(if round % 2 == 0 { HOUR } else { MS });
            if round % 3 > 0 {
                // The shorter one may be over already.
                let _ = poll_with(&mut sleep, Waker::noop());
            }
            if round % 5 == 0 {
                drop(timer);
            }
        }
        assert_ends(handle);
    }
}

/// The same on a paused clock, which must not be kept by what is left
#[tokio::test(start_paused = true)]
async fn a_timer_that_is_gone_leaves_the_paused_clock_alone() {
    for _ in 0..1_000 {
        let timer = Timer::new();
        let mut sleep = timer.sleep(HOUR);
        assert!(poll_with(&mut sleep, Waker::noop()).is_pending());
        yield_now().await;
    }
    settle().await;
    assert_eq!(alive_tasks(), 0);
    let started = Instant::now();
    time::sleep(2 * HOUR).await;
    assert_eq!(started.elapsed(), 2 * HOUR);
}
