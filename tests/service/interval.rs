//! Ticks, missed ones too

use std::{
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures::{StreamExt, stream::FusedStream};
use tickwheel::{Interval, MissedTickBehavior, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS},
    runtimes::{multi_thread, settle},
    waker::CountingWaker,
};
use tokio::time::{self, Instant};

fn poll(interval: &mut Interval, waker: &Waker) -> Poll<Instant> {
    interval.poll_tick(&mut Context::from_waker(waker))
}

/// The next ticks as (scheduled, fetched) in milliseconds since `started`
async fn fetch(interval: &mut Interval, started: Instant, ticks: usize) -> Vec<(u128, u128)> {
    let mut seen = Vec::new();
    for _ in 0..ticks {
        let scheduled = interval.tick().await;
        seen.push(((scheduled - started).as_millis(), started.elapsed().as_millis()));
    }
    seen
}

/// The table of I1: period 10, first tick at 0, next poll at 35
async fn after_missing_ticks(behavior: MissedTickBehavior) -> Vec<(u128, u128)> {
    let timer = Timer::new();
    let started = Instant::now();
    let mut interval = timer.interval(10 * MS);
    interval.set_missed_tick_behavior(behavior);
    assert_eq!(interval.missed_tick_behavior(), behavior);
    assert_eq!(fetch(&mut interval, started, 1).await, [(0, 0)]);
    time::advance(35 * MS).await;
    fetch(&mut interval, started, 5).await
}

/// I1: all of them at once, until the schedule is caught up with
#[tokio::test(start_paused = true)]
async fn burst_catches_up() {
    let ticks = after_missing_ticks(MissedTickBehavior::Burst).await;
    assert_eq!(ticks, [(10, 35), (20, 35), (30, 35), (40, 40), (50, 50)]);
    assert_eq!(MissedTickBehavior::default(), MissedTickBehavior::Burst);
}

/// I1: a new schedule from the late one
#[tokio::test(start_paused = true)]
async fn delay_begins_anew() {
    let ticks = after_missing_ticks(MissedTickBehavior::Delay).await;
    assert_eq!(ticks, [(10, 35), (45, 45), (55, 55), (65, 65), (75, 75)]);
}

/// I1: the next of the schedule
#[tokio::test(start_paused = true)]
async fn skip_keeps_the_phase() {
    let ticks = after_missing_ticks(MissedTickBehavior::Skip).await;
    assert_eq!(ticks, [(10, 35), (40, 40), (50, 50), (60, 60), (70, 70)]);
}

/// I1: late begins at five milliseconds
#[tokio::test(start_paused = true)]
async fn a_tick_late_by_less_than_five_milliseconds_is_on_time() {
    for behavior in [MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
        for (late, next) in [(0, 20), (1, 20), (4, 20)] {
            let timer = Timer::new();
            let started = Instant::now();
            let mut interval = timer.interval_at(started + 10 * MS, 10 * MS);
            interval.set_missed_tick_behavior(behavior);
            time::advance((10 + late) * MS).await;
            let ticks = fetch(&mut interval, started, 2).await;
            assert_eq!(ticks, [(10, 10 + u128::from(late)), (next, next)], "{behavior:?}");
        }
    }
    let timer = Timer::new();
    let started = Instant::now();
    let mut interval = timer.interval_at(started + 10 * MS, 10 * MS);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    time::advance(15 * MS).await;
    assert_eq!(fetch(&mut interval, started, 2).await, [(10, 15), (25, 25)]);
}

/// I2: period 1 ms, skipped at 5 ms: a period that short is late by itself
#[tokio::test(start_paused = true)]
async fn a_period_shorter_than_the_tolerance_is_its_own_tolerance() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut interval = timer.interval(MS);
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    assert_eq!(fetch(&mut interval, started, 1).await, [(0, 0)]);
    time::advance(5 * MS).await;
    assert_eq!(fetch(&mut interval, started, 3).await, [(1, 5), (6, 6), (7, 7)]);
}

/// I2: the same for Delay, and for Burst which has no need of it
#[tokio::test(start_paused = true)]
async fn short_periods_are_delayed_and_caught_up_with() {
    for (behavior, expected) in [
        (MissedTickBehavior::Delay, [(1, 5), (6, 6), (7, 7)]),
        (MissedTickBehavior::Burst, [(1, 5), (2, 5), (3, 5)]),
    ] {
        let timer = Timer::new();
        let started = Instant::now();
        let mut interval = timer.interval(MS);
        interval.set_missed_tick_behavior(behavior);
        interval.tick().await;
        time::advance(5 * MS).await;
        assert_eq!(fetch(&mut interval, started, 3).await, expected);
    }
}

/// I4: a tick future dropped pending at 9.9 ms, a new one polled at 10
#[tokio::test(start_paused = true)]
async fn dropping_a_tick_loses_nothing() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut interval = timer.interval(10 * MS);
    interval.tick().await;
    for _ in 0..9 {
        assert!(futures::poll!(Box::pin(interval.tick())).is_pending());
        time::advance(MS).await;
    }
    time::advance(Duration::from_micros(900)).await;
    assert!(futures::poll!(Box::pin(interval.tick())).is_pending());
    time::advance(Duration::from_micros(100)).await;
    assert_eq!(futures::poll!(Box::pin(interval.tick())), Poll::Ready(started + 10 * MS));
    assert_eq!(interval.tick().await, started + 20 * MS);
}

/// I5: fetched once and then not polled for three periods: no wake-ups owed
#[tokio::test(start_paused = true)]
async fn an_interval_that_nobody_polls_wakes_nobody() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let waker = counter.waker();
    let mut interval = timer.interval(10 * MS);
    assert!(poll(&mut interval, &waker).is_ready());
    assert!(poll(&mut interval, &waker).is_pending());
    time::sleep(11 * MS).await;
    assert_eq!(counter.wakes(), 1);
    assert!(poll(&mut interval, &waker).is_ready());
    settle().await;
    assert_eq!((timer.pending(), counter.wakers()), (0, 1));
    let before = timer.metrics().driver_wakeups;
    time::sleep(35 * MS).await;
    assert_eq!((counter.wakes(), timer.metrics().driver_wakeups), (1, before));
}

#[tokio::test(start_paused = true)]
async fn the_first_tick_comes_at_once_and_each_says_what_it_was_scheduled_for() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut interval = timer.interval(HOUR);
    assert_eq!(interval.period(), HOUR);
    for number in 0..50 {
        assert_eq!(interval.tick().await, started + number * HOUR);
        assert_eq!(Instant::now(), started + number * HOUR);
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_tick_comes_when_it_is_asked_for() {
    let timer = Timer::new();
    time::advance(HOUR).await;
    let now = Instant::now();
    let mut later = timer.interval_at(now + 30 * MS, 10 * MS);
    assert_eq!(fetch(&mut later, now, 2).await, [(30, 30), (40, 40)]);
    let now = Instant::now();
    let mut past = timer.interval_at(now - 25 * MS, 10 * MS);
    let mut scheduled = Vec::new();
    for _ in 0..4 {
        scheduled.push(past.tick().await);
    }
    assert_eq!(scheduled, [now - 25 * MS, now - 15 * MS, now - 5 * MS, now + 5 * MS]);
}

#[tokio::test(start_paused = true)]
async fn it_is_a_stream_that_never_ends() {
    let timer = Timer::new();
    let started = Instant::now();
    let interval = timer.interval(10 * MS);
    assert!(!interval.is_terminated());
    assert_eq!(futures::Stream::size_hint(&interval).1, None);
    let ticks: Vec<_> = interval.take(4).map(|at| (at - started).as_millis()).collect().await;
    assert_eq!(ticks, [0, 10, 20, 30]);
    assert_eq!(started.elapsed(), 30 * MS);

    // Fused: selected on without `fuse()`.
    let (mut fast, mut slow) = (timer.interval(10 * MS), timer.interval(25 * MS));
    let (mut fasts, mut slows) = (0, 0);
    while slows < 3 {
        futures::select! {
            _ = fast.select_next_some() => fasts += 1,
            _ = slow.select_next_some() => slows += 1,
        }
    }
    assert!(fasts == 5 || fasts == 6, "{fasts}");
}

#[tokio::test(start_paused = true)]
async fn a_new_period_counts_after_the_next_tick() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut interval = timer.interval(10 * MS);
    interval.tick().await;
    interval.set_period(50 * MS);
    assert_eq!(interval.period(), 50 * MS);
    assert_eq!(fetch(&mut interval, started, 2).await, [(10, 10), (60, 60)]);
    assert!(futures::poll!(Box::pin(interval.tick())).is_pending());
    interval.set_period(5 * MS);
    assert_eq!(fetch(&mut interval, started, 2).await, [(110, 110), (115, 115)]);
}

#[tokio::test(start_paused = true)]
async fn resets_begin_the_schedule_anew() {
    let timer = Timer::new();
    for pending_before in [false, true] {
        let begin = async || {
            let started = Instant::now();
            let mut interval = timer.interval(10 * MS);
            interval.tick().await;
            if pending_before {
                assert!(futures::poll!(Box::pin(interval.tick())).is_pending());
                settle().await;
            }
            time::advance(7 * MS).await;
            (interval, started)
        };
        let (mut interval, started) = begin().await;
        interval.reset();
        assert_eq!(fetch(&mut interval, started, 2).await, [(17, 17), (27, 27)]);

        let (mut interval, started) = begin().await;
        interval.reset_immediately();
        assert_eq!(fetch(&mut interval, started, 2).await, [(7, 7), (17, 17)]);

        let (mut interval, started) = begin().await;
        interval.reset_after(50 * MS);
        assert_eq!(fetch(&mut interval, started, 2).await, [(57, 57), (67, 67)]);

        let (mut interval, started) = begin().await;
        interval.reset_after(MS);
        assert_eq!(fetch(&mut interval, started, 2).await, [(8, 8), (18, 18)]);

        let (mut interval, started) = begin().await;
        interval.reset_at(started + 3 * HOUR);
        let hours = 3 * HOUR.as_millis();
        assert_eq!(
            fetch(&mut interval, started, 2).await,
            [(hours, hours), (hours + 10, hours + 10)]
        );

        let (mut interval, started) = begin().await;
        interval.reset_at(started + 2 * MS);
        assert_eq!(fetch(&mut interval, started, 2).await, [(2, 7), (12, 12)]);
        assert_eq!(timer.pending(), 0);
    }
}

/// A reset to now wakes the task that waits for the tick
#[tokio::test(start_paused = true)]
async fn a_reset_to_now_wakes_who_waits() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut interval = timer.interval_at(Instant::now() + HOUR, HOUR);
    assert!(poll(&mut interval, &counter.waker()).is_pending());
    settle().await;
    interval.reset_immediately();
    settle().await;
    assert_eq!(counter.wakes(), 1);
    assert!(poll(&mut interval, &counter.waker()).is_ready());
}

/// At once means at once, also while the tick before was waited for (real)
#[test]
fn a_reset_immediately_is_ready_at_the_next_poll() {
    let runtime = multi_thread(1);
    let timer = Timer::builder().tick(HOUR).build_on(runtime.handle()).unwrap();
    let mut interval = timer.interval_at(timer.now() + HOUR, HOUR);
    assert!(poll(&mut interval, Waker::noop()).is_pending());
    // The driver is parked then, and nobody looks at the clock for it.
    std::thread::sleep(20 * MS);
    interval.reset_immediately();
    assert!(poll(&mut interval, Waker::noop()).is_ready());
    assert_eq!(timer.pending(), 0);
}

/// A thousand hours of seconds, no drift
#[tokio::test(start_paused = true)]
async fn it_does_not_drift() {
    let timer = Timer::builder().tick(Duration::from_micros(10)).build().unwrap();
    let started = Instant::now();
    let period = Duration::from_nanos(999_999_937);
    let mut interval = timer.interval(period);
    for number in 0..2_000 {
        assert_eq!(interval.tick().await, started + number * period);
        let late = Instant::now() - (started + number * period);
        assert!(late < 2 * MS, "{late:?} at tick {number}");
    }
}
