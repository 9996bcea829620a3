//! No horizon: any duration and any instant is a deadline

use std::{
    future::{pending, ready},
    task::{Context, Poll, Waker},
    time::Duration,
};

use tickwheel::{MissedTickBehavior, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND, YEAR},
    runtimes::{multi_thread, settle},
    waker::{CountingWaker, poll_with},
};
use tokio::time::{self, Instant};

/// The last instant that there is
fn the_end_of_time() -> Instant {
    let mut last = Instant::now();
    let mut step = Duration::MAX;
    while step > Duration::ZERO {
        match last.checked_add(step) {
            Some(later) => last = later,
            None => step /= 2,
        }
    }
    assert_eq!(last.checked_add(Duration::from_nanos(1)), None);
    last
}

/// T4: everything that takes a duration or an instant
async fn every_function_takes_the_longest(timer: Timer) {
    let waker = Waker::noop();
    let end = the_end_of_time();
    let max = Duration::MAX;

    for mut sleep in [timer.sleep(max), timer.sleep_until(end)] {
        assert!(poll_with(&mut sleep, waker).is_pending());
        settle().await;
        assert!(!sleep.is_elapsed());
        sleep.reset_after(max);
        sleep.reset(end);
        assert!(poll_with(&mut sleep, waker).is_pending());
        assert_eq!(timer.pending(), 1);
        sleep.reset_after(MS);
        sleep.reset(end);
        assert_eq!(sleep.deadline(), end);
        assert!(poll_with(&mut sleep, waker).is_pending());
        drop(sleep);
        assert_eq!(timer.pending(), 0, "still cancellable");
    }
    for mut sleep in [timer.try_sleep(max), timer.try_sleep_until(end)] {
        assert!(poll_with(&mut sleep, waker).is_pending());
        sleep.reset_after(max);
        sleep.reset(end);
        assert!(poll_with(&mut sleep, waker).is_pending());
        sleep.disarm();
        assert_eq!(timer.pending(), 0);
    }

    assert_eq!(timer.timeout(max, ready(1)).await, Ok(1));
    for mut timeout in [timer.timeout(max, pending::<()>()), timer.timeout_at(end, pending())] {
        assert!(poll_with(&mut timeout, waker).is_pending());
        timeout.reset(end);
        assert!(timeout.deadline() > timer.now() + YEAR);
        assert!(poll_with(&mut timeout, waker).is_pending());
    }
    let mut timeout = timer.try_timeout(max, pending::<()>());
    assert!(poll_with(&mut timeout, waker).is_pending());
    timeout.reset(end);
    assert!(poll_with(&mut timeout, waker).is_pending());
    drop(timeout);

    let mut cx = Context::from_waker(waker);
    for behavior in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip]
    {
        let intervals = [
            timer.interval(max),
            timer.try_interval(max).unwrap(),
            timer.interval_at(timer.now(), max),
            timer.interval_at(timer.now() - MS, max),
        ];
        for mut interval in intervals {
            interval.set_missed_tick_behavior(behavior);
            assert!(interval.poll_tick(&mut cx).is_ready());
            assert!(interval.poll_tick(&mut cx).is_pending());
            interval.set_period(max);
            interval.reset();
            interval.reset_after(max);
            interval.reset_at(end);
            assert!(interval.poll_tick(&mut cx).is_pending());
            interval.reset_at(timer.now() - SECOND);
            assert!(interval.poll_tick(&mut cx).is_ready());
            assert!(interval.poll_tick(&mut cx).is_pending());
        }
        let mut interval = timer.interval_at(end, Duration::from_nanos(1));
        interval.set_missed_tick_behavior(behavior);
        assert!(interval.poll_tick(&mut cx).is_pending());
    }
    settle().await;
    assert_eq!(timer.pending(), 0);
}

/// T4: on a paused clock, which would jump to them if they came
#[tokio::test(start_paused = true)]
async fn the_longest_durations_and_the_last_instant_are_deadlines() {
    let started = Instant::now();
    every_function_takes_the_longest(Timer::new()).await;
    let lazy = Timer::builder().lazy_timeouts(true).build().unwrap();
    every_function_takes_the_longest(lazy).await;
    let fine = Timer::builder().tick(Duration::from_micros(10)).build().unwrap();
    every_function_takes_the_longest(fine).await;
    let coarse = Timer::builder().tick(HOUR).build().unwrap();
    every_function_takes_the_longest(coarse).await;
    assert!(started.elapsed() < SECOND);
}

/// T4: on the machine's clock (real)
#[test]
fn the_longest_durations_and_the_last_instant_are_deadlines_on_the_machines_clock() {
    let runtime = multi_thread(1);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    runtime.block_on(every_function_takes_the_longest(timer));
}

/// T4: a timer that is hours old, and one that is years old
#[tokio::test(start_paused = true)]
async fn an_old_timer_takes_them_as_well() {
    let timer = Timer::new();
    for age in [HOUR, YEAR, 200 * YEAR] {
        time::advance(age).await;
        settle().await;
        every_function_takes_the_longest(timer.clone()).await;
    }
}

/// Contract 4: a deadline far away disturbs none that is near
#[tokio::test(start_paused = true)]
async fn far_deadlines_do_not_disturb_near_ones() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut far: Vec<_> = [50, 136, 200, 272, 500, 585, 10_000]
        .map(|years| timer.sleep(years * YEAR))
        .into_iter()
        .chain([timer.sleep(Duration::MAX)])
        .collect();
    for sleep in &mut far {
        assert!(poll_with(sleep, &counter.waker()).is_pending());
    }
    for millis in [1, 50, 256, 1000, 20_000, 3_600_000] {
        let started = Instant::now();
        timer.sleep(millis * MS).await;
        assert_eq!(started.elapsed(), millis * MS);
    }
    assert_eq!((counter.wakes(), timer.pending()), (0, 8));
    drop(far);
    assert_eq!((counter.wakers(), timer.pending()), (0, 0));
}

/// Contract 4 and 1: beyond 2^32 ticks they are kept all the same, to the tick
#[tokio::test(start_paused = true)]
async fn deadlines_beyond_the_ring_come_on_time() {
    let timer = Timer::new();
    let started = Instant::now();
    // 2^32 ms are 49 days and a bit.
    for days in [49, 50, 51, 365, 10 * 365] {
        let asked = Duration::from_secs(days * 86_400) + MS;
        let before = started.elapsed();
        timer.sleep(asked).await;
        assert_eq!(started.elapsed(), before + asked);
    }
}

/// Contract 4: one that was far away can be called near
#[tokio::test(start_paused = true)]
async fn a_far_deadline_can_be_moved_near_and_away_again() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut sleep = timer.sleep(Duration::MAX);
    assert!(poll_with(&mut sleep, &counter.waker()).is_pending());
    settle().await;
    sleep.reset_after(10 * MS);
    time::sleep(11 * MS).await;
    assert_eq!(counter.wakes(), 1);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
    sleep.reset_after(10 * MS);
    assert!(poll_with(&mut sleep, &counter.waker()).is_pending());
    sleep.reset_after(Duration::MAX);
    time::sleep(100 * YEAR).await;
    assert_eq!(counter.wakes(), 1);
    assert!(poll_with(&mut sleep, Waker::noop()).is_pending());
}
