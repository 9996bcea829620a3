//! Who is woken, when and how often

use std::{
    hint::spin_loop,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    random::Random,
    runtimes::{Background, current_thread, multi_thread, settle},
    waker::{CountingWaker, armed, poll_with},
};
use tokio::{
    runtime::{Handle, Runtime},
    time,
};

/// What is late beyond this was not merely kept waiting by other work on the machine
const LIMIT: Duration = SECOND;

/// Tells the story with drivers on both kinds of runtime, from a thread of neither
fn on_both_flavours(story: impl Fn(&Handle)) {
    let multi: Runtime = multi_thread(2);
    story(multi.handle());
    let current = Background::start(current_thread());
    story(current.handle());
}

/// S3: the driver is parked for an hour; another thread arms 5 ms (real)
#[test]
fn a_driver_parked_for_an_hour_comes_for_five_milliseconds() {
    on_both_flavours(|handle| {
        let timer = Timer::builder().build_on(handle).unwrap();
        let _far = armed(&timer, HOUR, Waker::noop());
        thread::sleep(20 * MS);
        let counter = CountingWaker::new();
        let started = Instant::now();
        let mut sleep = armed(&timer, 5 * MS, &counter.waker());
        let took = counter.wait_for(1) - started;
        assert!(5 * MS <= took && took < LIMIT, "{took:?}");
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
    });
}

/// S3: the same by a reset to earlier (real)
#[test]
fn a_driver_parked_for_an_hour_comes_for_a_deadline_that_is_moved_to_earlier() {
    on_both_flavours(|handle| {
        let timer = Timer::builder().build_on(handle).unwrap();
        let counter = CountingWaker::new();
        let mut sleep = armed(&timer, HOUR, &counter.waker());
        thread::sleep(20 * MS);
        let started = Instant::now();
        sleep.reset_after(5 * MS);
        let took = counter.wait_for(1) - started;
        assert!(5 * MS <= took && took < LIMIT, "{took:?}");
    });
}

/// S4, on real threads: the driver is about to park when another thread arms the next timer (real)
#[test]
fn no_timer_is_lost_that_is_armed_while_the_driver_is_about_to_park() {
    let rounds = if cfg!(debug_assertions) { 2_000 } else { 20_000 };
    on_both_flavours(|handle| {
        let tick = Duration::from_micros(100);
        let timer = Timer::builder().tick(tick).build_on(handle).unwrap();
        let counter = CountingWaker::new();
        let mut random = Random::new(4);
        for round in 1..=rounds {
            let mut sleep = armed(&timer, tick, &counter.waker());
            counter.wait_for(round);
            assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
            // The driver parks about now.
            for _ in 0..random.below(2_000) {
                spin_loop();
            }
        }
        assert_eq!((timer.pending(), timer.metrics().fired), (0, rounds as u64));
    });
}

/// S5: a deadline that is moved to the past wakes its task at once
#[tokio::test(start_paused = true)]
async fn a_reset_to_the_past_wakes_at_once() {
    time::advance(2 * HOUR).await;
    let timer = Timer::new();
    for armed_for in [10 * MS, HOUR] {
        for moved_to_long_ago in [true, false] {
            time::advance(100 * MS).await;
            let counter = CountingWaker::new();
            let mut sleep = armed(&timer, armed_for, &counter.waker());
            settle().await;
            // Before there was a timer, or since the driver's last visit.
            time::advance(5 * MS).await;
            let back = if moved_to_long_ago { HOUR } else { MS };
            let before = timer.now();
            let past = before - back;
            sleep.reset(past);
            settle().await;
            assert_eq!((counter.wakes(), timer.now()), (1, before));
            assert_eq!(sleep.deadline(), past);
            assert_eq!(poll_with(&mut sleep, &counter.waker()), Poll::Ready(()));
            assert_eq!(timer.pending(), 0);
        }
    }
}

/// S5: past by less than a tick is past
#[tokio::test(start_paused = true)]
async fn a_reset_to_the_past_within_the_tick_wakes_at_once() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut sleep = armed(&timer, HOUR, &counter.waker());
    time::advance(Duration::from_micros(10_500)).await;
    settle().await;
    let now = timer.now();
    sleep.reset(now - Duration::from_micros(200));
    settle().await;
    assert_eq!((counter.wakes(), timer.now()), (1, now));
    let mut sleep = armed(&timer, HOUR, &counter.waker());
    sleep.reset_after(Duration::ZERO);
    settle().await;
    assert_eq!((counter.wakes(), timer.now()), (2, now));
    assert_eq!(timer.pending(), 0);
}

/// S5: and also where another timer is due in the same tick
#[tokio::test(start_paused = true)]
async fn a_reset_to_the_past_within_the_tick_of_another_timer_wakes_at_once() {
    let timer = Timer::builder().shards(1).build().unwrap();
    let (counter, other) = (CountingWaker::new(), CountingWaker::new());
    let mut sleep = armed(&timer, HOUR, &counter.waker());
    let _other = armed(&timer, 11 * MS, &other.waker());
    time::advance(Duration::from_micros(10_500)).await;
    settle().await;
    let now = timer.now();
    sleep.reset(now - Duration::from_micros(200));
    settle().await;
    assert_eq!((counter.wakes(), other.wakes(), timer.now()), (1, 0, now));
}

/// S5: and so does a reset to now
#[tokio::test(start_paused = true)]
async fn a_reset_to_now_wakes_at_once() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut sleep = armed(&timer, HOUR, &counter.waker());
    settle().await;
    sleep.reset(timer.now());
    settle().await;
    assert_eq!(counter.wakes(), 1);
    assert!(sleep.is_elapsed());
}

/// S6: polled with one waker, then another: the second is woken once, the first never
#[tokio::test(start_paused = true)]
async fn only_the_last_waker_is_woken() {
    let timer = Timer::new();
    for armed_for in [10 * MS, 300 * MS] {
        let (first, second) = (CountingWaker::new(), CountingWaker::new());
        let mut sleep = armed(&timer, armed_for, &first.waker());
        assert_eq!((first.wakers(), second.wakers()), (1, 0));
        assert_eq!(poll_with(&mut sleep, &second.waker()), Poll::Pending);
        assert_eq!((first.wakers(), second.wakers()), (0, 1), "the old one is gone at once");
        time::sleep(2 * armed_for).await;
        assert_eq!((first.wakes(), second.wakes()), (0, 1));
        assert_eq!((first.wakers(), second.wakers()), (0, 0));
    }
}

/// S6: a million polls by the same waker clone it once
#[tokio::test(start_paused = true)]
async fn polling_with_the_same_waker_clones_nothing() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let waker = counter.waker();
    let mut sleep = armed(&timer, HOUR, &waker);
    // Another thread sees a clone that is dropped again, unless the machine has no time for it.
    let done = Arc::new(AtomicBool::new(false));
    let observer = {
        let (counter, done) = (Arc::downgrade(&counter), Arc::clone(&done));
        thread::spawn(move || {
            let mut most = 0;
            while !done.load(Ordering::Relaxed) {
                most = most.max(counter.strong_count());
            }
            most
        })
    };
    for _ in 0..if cfg!(debug_assertions) { 200_000 } else { 1_000_000 } {
        assert_eq!(poll_with(&mut sleep, &waker), Poll::Pending);
    }
    done.store(true, Ordering::Relaxed);
    assert!(observer.join().unwrap() <= 3, "the counter's own, this waker and the timer's");
    drop(sleep);
    assert_eq!(counter.wakers(), 1);
    assert_eq!(timer.metrics().registered, 1);
}

/// S6: an interval's wakers, tick by tick
#[tokio::test(start_paused = true)]
async fn an_interval_wakes_only_the_last_waker() {
    let timer = Timer::new();
    let mut interval = timer.interval_at(timer.now() + 10 * MS, 10 * MS);
    for _ in 0..3 {
        let (first, second) = (CountingWaker::new(), CountingWaker::new());
        for counter in [&first, &second] {
            let mut tick = Box::pin(interval.tick());
            assert!(poll_with(&mut tick, &counter.waker()).is_pending());
        }
        time::sleep(10 * MS).await;
        settle().await;
        assert_eq!((first.wakes(), second.wakes()), (0, 1));
        interval.tick().await;
    }
}
