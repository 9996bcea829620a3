//! Who is woken, when and how often

use std::{
    hint::spin_loop,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    random::Random,
    runtimes::{Background, current_thread, multi_thread, settle, within},
    waker::{ActingWaker, CountingWaker, armed, poll_with},
};
use tokio::{
    runtime::{Handle, Runtime},
    task::yield_now,
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

fn busy(duration: Duration) {
    let started = Instant::now();
    while started.elapsed() < duration {
        spin_loop();
    }
}

/// S2: polled once, then the thread is busy beyond the deadline and polls without yielding (real)
#[test]
fn a_task_that_never_yields_sees_its_deadline_pass() {
    for runtime in [current_thread(), multi_thread(1)] {
        within(30 * LIMIT, move || {
            let timer = Timer::builder().build_on(runtime.handle()).unwrap();
            runtime
                .block_on(runtime.spawn(async move {
                    let mut sleep = armed(&timer, 5 * MS, Waker::noop());
                    busy(20 * MS);
                    let polling = Instant::now();
                    // The budget of the task is not what keeps it from being ready.
                    while poll_with(&mut sleep, Waker::noop()).is_pending() {}
                    // Within a millisecond, where no other work keeps the alarm waiting.
                    assert!(polling.elapsed() < LIMIT);
                }))
                .unwrap();
        });
    }
}

/// S2: the first poll comes late, and the driver knew nothing of it before (real)
#[test]
fn a_task_that_never_yields_sees_a_deadline_pass_that_it_polls_late() {
    for runtime in [current_thread(), multi_thread(1)] {
        within(30 * LIMIT, move || {
            let timer = Timer::builder().build_on(runtime.handle()).unwrap();
            runtime
                .block_on(runtime.spawn(async move {
                    // So that the driver is there and parked.
                    timer.sleep(MS).await;
                    let mut sleep = timer.sleep(5 * MS);
                    busy(20 * MS);
                    let polling = Instant::now();
                    while poll_with(&mut sleep, Waker::noop()).is_pending() {}
                    assert!(polling.elapsed() < LIMIT);
                }))
                .unwrap();
        });
    }
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

/// S10: one of four workers is busy for two seconds without yielding (real; tokio#4730)
#[test]
fn a_blocked_worker_does_not_hold_up_the_timers_of_others() {
    let runtime = multi_thread(4);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let (started_busy, is_busy) = mpsc::channel();
    runtime.spawn(async move {
        started_busy.send(()).unwrap();
        thread::sleep(2 * LIMIT);
    });
    is_busy.recv().unwrap();
    let took = runtime.block_on(runtime.spawn(async move {
        let started = Instant::now();
        timer.sleep(100 * MS).await;
        started.elapsed()
    }));
    let took = took.unwrap();
    // 110 ms on a machine with nothing else to do.
    assert!(100 * MS <= took && took < LIMIT, "{took:?}");
    runtime.shutdown_background();
}

/// S10: the worker that armed the timer is the one that then blocks (real; tokio#4730)
#[test]
fn a_worker_that_arms_and_then_blocks_does_not_hold_up_what_it_armed() {
    let runtime = multi_thread(4);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let counter = CountingWaker::new();
    let started = Instant::now();
    {
        let counter = Arc::clone(&counter);
        runtime.spawn(async move {
            let _far = armed(&timer, HOUR, Waker::noop());
            // The driver has seen the far one, on this worker or another.
            timer.sleep(10 * MS).await;
            let _sleep = armed(&timer, 100 * MS, &counter.waker());
            thread::sleep(2 * LIMIT);
        });
    }
    let took = counter.wait_for(1) - started;
    assert!(110 * MS <= took && took < LIMIT, "{took:?}");
    runtime.shutdown_background();
}

/// S10: the first task that the driver's own worker runs, in the middle of a tick, blocks it (real)
#[test]
fn a_task_that_blocks_the_drivers_worker_does_not_hold_up_the_rest_of_the_tick() {
    let runtime = multi_thread(4);
    let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
    let (started, due) = (Instant::now(), timer.now() + 300 * MS);
    let drivers_worker = Arc::new(OnceLock::new());
    let finds_out = {
        let drivers_worker = Arc::clone(&drivers_worker);
        ActingWaker::on_wake(move || drivers_worker.set(thread::current().id()).unwrap())
    };
    let mut first = timer.sleep_until(due);
    assert_eq!(poll_with(&mut first, &finds_out), Poll::Pending);
    // Several turns of the driver.
    let count = 5_000;
    let is_blocked = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..count {
        let (timer, sleep, sender) = (timer.clone(), timer.sleep_until(due), sender.clone());
        let (drivers_worker, is_blocked) = (Arc::clone(&drivers_worker), Arc::clone(&is_blocked));
        runtime.spawn(async move {
            sleep.await;
            sender.send(started.elapsed()).unwrap();
            let is_there = drivers_worker.get() == Some(&thread::current().id());
            let is_amid = timer.metrics().fired < count;
            if is_there && is_amid && !is_blocked.swap(true, Ordering::Relaxed) {
                thread::sleep(2 * LIMIT);
            }
        });
    }
    for _ in 0..count {
        let woken = receiver.recv_timeout(3 * LIMIT).expect("all of them are woken");
        assert!(300 * MS <= woken && woken < 300 * MS + LIMIT, "{woken:?}");
    }
    runtime.shutdown_background();
}

/// S11: a current-thread runtime that is only ever entered for a moment (real; tokio#8212)
#[test]
fn a_sleep_fires_on_a_runtime_that_is_only_yielded_to() {
    let runtime = current_thread();
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let started = Instant::now();
    let task = runtime.spawn(async move {
        timer.sleep(5 * MS).await;
        started.elapsed()
    });
    while !task.is_finished() && started.elapsed() < LIMIT {
        runtime.block_on(yield_now());
    }
    assert!(task.is_finished(), "20 ms are enough on a machine with nothing else to do");
    assert!(runtime.block_on(task).unwrap() >= 5 * MS);
}
