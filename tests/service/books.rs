//! What was armed has fired, was cancelled, or is pending

use std::{
    sync::{Arc, Mutex},
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use tickwheel::{Metrics, Sleep, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    random::Random,
    runtimes::{multi_thread, settle},
    waker::{CountingWaker, armed, poll_with},
};
use tokio::{
    task::yield_now,
    time::{self, Instant},
};

#[track_caller]
fn assert_balanced(metrics: &Metrics) {
    let pending = u64::try_from(metrics.pending).unwrap();
    assert_eq!(metrics.registered, metrics.fired + metrics.cancelled + pending, "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn every_change_shows_at_once() {
    let timer = Timer::new();
    let counts = |timer: &Timer| {
        let metrics = timer.metrics();
        assert_balanced(&metrics);
        assert_eq!(metrics.pending, timer.pending());
        (metrics.registered, metrics.fired, metrics.cancelled, metrics.reset, metrics.pending)
    };
    let mut first = timer.sleep(10 * MS);
    assert_eq!(counts(&timer), (0, 0, 0, 0, 0), "armed by the first pending poll and not before");
    assert_eq!(poll_with(&mut first, Waker::noop()), Poll::Pending);
    assert_eq!(counts(&timer), (1, 0, 0, 0, 1));
    let mut second = armed(&timer, 20 * MS, Waker::noop());
    let mut third = armed(&timer, HOUR, Waker::noop());
    assert_eq!(counts(&timer), (3, 0, 0, 0, 3));
    second.reset_after(30 * MS);
    assert_eq!(counts(&timer), (3, 0, 0, 1, 3));
    drop(first);
    assert_eq!(counts(&timer), (3, 0, 1, 1, 2));
    third.disarm();
    assert_eq!(counts(&timer), (3, 0, 2, 1, 1));
    third.disarm();
    drop(third);
    assert_eq!(counts(&timer), (3, 0, 2, 1, 1), "cancelled once");
    time::advance(31 * MS).await;
    settle().await;
    assert_eq!(counts(&timer), (3, 1, 2, 1, 0), "fired, polled or not");
    assert_eq!(poll_with(&mut second, Waker::noop()), Poll::Ready(()));
    drop(second);
    assert_eq!(counts(&timer), (3, 1, 2, 1, 0), "fired once");
}

#[tokio::test(start_paused = true)]
async fn what_is_ready_at_once_is_never_armed() {
    let timer = Timer::new();
    timer.sleep(Duration::ZERO).await;
    timer.sleep_until(timer.now()).await;
    assert_eq!(timer.timeout(HOUR, async { 1 }).await, Ok(1));
    assert!(timer.timeout(Duration::ZERO, std::future::pending::<()>()).await.is_err());
    timer.interval(HOUR).tick().await;
    let mut never = timer.timeout(Duration::MAX, std::future::pending::<()>());
    assert!(poll_with(&mut never, Waker::noop()).is_pending());
    assert_eq!(timer.metrics().registered, 0);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_reset_to_the_past_counts_as_fired() {
    let timer = Timer::new();
    let mut sleep = armed(&timer, HOUR, Waker::noop());
    sleep.reset(timer.now());
    settle().await;
    let metrics = timer.metrics();
    assert_balanced(&metrics);
    assert_eq!((metrics.fired, metrics.cancelled, metrics.pending), (1, 0, 0));
}

/// S9: an hour armed and dropped in the same poll, a million times
#[tokio::test(start_paused = true)]
async fn arming_and_dropping_leaves_nothing_behind() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let waker = counter.waker();
    let rounds = if cfg!(debug_assertions) { 200_000 } else { 1_000_000 };
    for round in 1..=rounds {
        let mut sleep = timer.sleep(HOUR);
        assert_eq!(poll_with(&mut sleep, &waker), Poll::Pending);
        drop(sleep);
        assert_eq!((timer.pending(), counter.wakers()), (0, 1));
        if round % 10_000 == 0 {
            assert_eq!(timer.metrics().cancelled, round);
            yield_now().await;
        }
    }
    settle().await;
    let before = timer.metrics().driver_wakeups;
    time::sleep(2 * HOUR).await;
    assert_eq!(timer.metrics().driver_wakeups, before, "nothing is left to come for");
    assert_eq!(counter.wakes(), 0);
}

/// S17: threads that arm, move, cancel and poll as fast as they can (real)
#[test]
fn nothing_is_lost_under_threads_that_hammer_one_timer() {
    let operations = if cfg!(debug_assertions) { 400_000 } else { 10_000_000 };
    let threads = 4;
    let runtime = multi_thread(2);
    // Fewer shards than threads, so that they meet.
    let tick = Duration::from_micros(100);
    let timer = Timer::builder().tick(tick).shards(3).build_on(runtime.handle()).unwrap();
    let handed_over = Arc::new(Mutex::new(Vec::new()));
    let hammers: Vec<_> = (0..threads)
        .map(|seed| {
            let (timer, handed_over) = (timer.clone(), Arc::clone(&handed_over));
            thread::spawn(move || hammer(&timer, seed, operations / threads, &handed_over))
        })
        .collect();
    for hammer in hammers {
        hammer.join().expect("nothing is early");
    }
    handed_over.lock().unwrap().clear();
    let metrics = timer.metrics();
    assert_balanced(&metrics);
    assert_eq!(metrics.pending, 0, "all of them are gone");
    assert!(metrics.fired > 0 && metrics.cancelled > 0 && metrics.reset > 0, "{metrics}");
}

fn hammer(timer: &Timer, seed: u64, operations: u64, handed_over: &Mutex<Vec<Sleep>>) {
    let mut random = Random::new(seed);
    let mut slots: Vec<Option<Sleep>> = (0..64).map(|_| None).collect();
    // Mostly soon, at times far away, now and then past.
    let duration = |random: &mut Random| match random.below(8) {
        0 => Duration::ZERO,
        1 => Duration::from_secs(random.below(3600)),
        _ => Duration::from_micros(random.below(3000)),
    };
    for _ in 0..operations {
        let slot = &mut slots[usize::try_from(random.below(64)).unwrap()];
        match (random.below(8), slot.as_mut()) {
            (_, None) => *slot = Some(timer.sleep(duration(&mut random))),
            (0, Some(_)) => *slot = None,
            (1, Some(sleep)) => sleep.reset_after(duration(&mut random)),
            (2, Some(sleep)) => sleep.disarm(),
            // One thread's timer is moved, polled and dropped by another.
            (3, Some(_)) => {
                let mut handed_over = handed_over.lock().unwrap();
                let mine = slot.take();
                if handed_over.len() > 32 {
                    *slot = handed_over.pop();
                }
                handed_over.extend(mine);
            }
            (_, Some(sleep)) => {
                if poll_with(sleep, Waker::noop()).is_ready() {
                    assert!(Instant::now() >= sleep.deadline(), "early");
                }
            }
        }
    }
    // What still waits and is due soon must come.
    let soon = Instant::now() + SECOND;
    for sleep in slots.iter_mut().flatten().filter(|sleep| sleep.deadline() < soon) {
        if futures::future::FusedFuture::is_terminated(sleep) {
            continue;
        }
        let counter = CountingWaker::new();
        if poll_with(sleep, &counter.waker()).is_pending() {
            counter.wait_for(1);
            assert_eq!(poll_with(sleep, Waker::noop()), Poll::Ready(()));
        }
    }
}
