//! What the documentation of `interval`, `interval_at` and `Interval` promises

use std::future::poll_fn;

use futures::FutureExt;
use tickwheel_tests::panics::panic_of;

use super::time::{
    Duration, Instant, Interval, MissedTickBehavior, advance, interval, interval_at, sleep,
};

const MS: Duration = Duration::from_millis(1);

/// So many ticks, each as scheduled@fetched, in milliseconds since `started`
async fn fetch(interval: &mut Interval, ticks: usize, started: Instant) -> Vec<(u128, u128)> {
    let mut seen = Vec::new();
    for _ in 0..ticks {
        let scheduled = interval.tick().await - started;
        seen.push((scheduled.as_millis(), started.elapsed().as_millis()));
    }
    seen
}

#[tokio::test(start_paused = true)]
async fn the_first_tick_comes_at_once_and_the_others_at_the_period() {
    let started = Instant::now();
    let mut interval = interval(10 * MS);
    assert_eq!(interval.period(), 10 * MS);
    assert_eq!(interval.missed_tick_behavior(), MissedTickBehavior::Burst);
    let seen = fetch(&mut interval, 4, started).await;
    assert_eq!(seen.iter().map(|tick| tick.0).collect::<Vec<_>>(), [0, 10, 20, 30]);
    assert!(seen.iter().all(|(scheduled, at)| (0..=2).contains(&(at - scheduled))));
}

#[tokio::test(start_paused = true)]
async fn the_first_tick_comes_at_the_start_that_was_said() {
    let start = Instant::now() + 50 * MS;
    let mut interval = interval_at(start, 10 * MS);
    assert_eq!(interval.tick().await, start);
    assert_eq!(interval.tick().await, start + 10 * MS);
    let mut interval = interval_at(start, 100 * MS);
    assert_eq!(interval.tick().await, start, "a start that is past is a tick at once");
}

/// What is done between two ticks does not delay the next
#[tokio::test(start_paused = true)]
async fn it_keeps_its_phase() {
    let started = Instant::now();
    let mut interval = interval(20 * MS);
    for n in 0..20 {
        assert_eq!(interval.tick().await, started + n * 20 * MS);
        sleep(13 * MS).await;
    }
}

/// I1; the clock is advanced by hand, so that all is exact
async fn missed(behavior: MissedTickBehavior) -> Vec<(u128, u128)> {
    let started = Instant::now();
    let mut interval = interval(10 * MS);
    interval.set_missed_tick_behavior(behavior);
    assert_eq!(interval.missed_tick_behavior(), behavior);
    interval.tick().await;
    advance(35 * MS).await;
    let mut seen = fetch(&mut interval, 1, started).await;
    for _ in 0..4 {
        while interval.tick().now_or_never().map(|tick| seen.push(at(started, tick))).is_none() {
            advance(MS).await;
        }
    }
    seen
}

fn at(started: Instant, tick: Instant) -> (u128, u128) {
    ((tick - started).as_millis(), started.elapsed().as_millis())
}

#[tokio::test(start_paused = true)]
async fn burst_makes_up_for_missed_ticks() {
    let seen = missed(MissedTickBehavior::Burst).await;
    assert_eq!(seen, [(10, 35), (20, 35), (30, 35), (40, 40), (50, 50)]);
}

#[tokio::test(start_paused = true)]
async fn delay_begins_anew_from_the_late_one() {
    let seen = missed(MissedTickBehavior::Delay).await;
    assert_eq!(seen, [(10, 35), (45, 45), (55, 55), (65, 65), (75, 75)]);
}

#[tokio::test(start_paused = true)]
async fn skip_goes_on_with_the_next_of_the_schedule() {
    let seen = missed(MissedTickBehavior::Skip).await;
    assert_eq!(seen, [(10, 35), (40, 40), (50, 50), (60, 60), (70, 70)]);
}

/// Up to five milliseconds do not count as late
#[tokio::test(start_paused = true)]
async fn a_little_late_is_not_late() {
    for behavior in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip]
    {
        let mut interval = interval(10 * MS);
        interval.set_missed_tick_behavior(behavior);
        let first = interval.tick().await;
        advance(14 * MS).await;
        assert_eq!(interval.tick().await, first + 10 * MS);
        assert_eq!(interval.tick().await, first + 20 * MS);
    }
}

/// I4
#[tokio::test(start_paused = true)]
async fn a_tick_that_was_given_up_is_not_lost() {
    let mut interval = interval(10 * MS);
    let first = interval.tick().await;
    for _ in 0..5 {
        assert!(interval.tick().now_or_never().is_none());
        sleep(MS).await;
    }
    assert_eq!(interval.tick().await, first + 10 * MS);
    assert_eq!(poll_fn(|cx| interval.poll_tick(cx)).await, first + 20 * MS);
}

#[tokio::test(start_paused = true)]
async fn the_schedule_can_begin_anew() {
    let mut interval = interval(100 * MS);
    interval.tick().await;
    sleep(50 * MS).await;

    let now = Instant::now();
    interval.reset();
    assert_eq!(interval.tick().await, now + 100 * MS);

    let now = Instant::now();
    interval.reset_immediately();
    assert_eq!(interval.tick().await, now);
    assert_eq!(interval.tick().await, now + 100 * MS);

    let now = Instant::now();
    interval.reset_after(20 * MS);
    assert_eq!(interval.tick().await, now + 20 * MS);
    assert_eq!(interval.tick().await, now + 120 * MS);

    let start = Instant::now() + 30 * MS;
    interval.reset_at(start);
    assert_eq!(interval.tick().await, start);
    assert_eq!(interval.tick().await, start + 100 * MS);
}

/// I3
#[tokio::test]
async fn a_period_of_zero_panics_at_the_callers_line() {
    let now = Instant::now();
    let (panicked, line) = (panic_of(|| interval(Duration::ZERO)), line!());
    assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line));
    let (panicked, line) = (panic_of(|| interval_at(now, Duration::ZERO)), line!());
    assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line));
}
