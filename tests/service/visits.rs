//! How seldom the driver comes

use std::{
    task::{Poll, Waker},
    time::Duration,
};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS},
    runtimes::{current_thread, multi_thread, settle},
    waker::{CountingWaker, armed, poll_with},
};
use tokio::time::{self, Instant};

/// How many levels of the wheel lie between two ticks: the place of the highest digit that differs
///
/// One level of eight bits, four of six, and one for each bit beyond.
fn levels_between(from: u64, to: u64) -> u64 {
    let bits = u64::from(64 - (from ^ to).leading_zeros());
    1 + (bits.clamp(8, 32) - 8).div_ceil(6) + bits.saturating_sub(32)
}

/// Contract 10: with nothing armed the driver does not come at all
#[tokio::test(start_paused = true)]
async fn without_timers_there_are_no_visits() {
    let timer = Timer::new();
    settle().await;
    let before = timer.metrics().driver_wakeups;
    time::sleep(1000 * HOUR).await;
    assert_eq!(timer.metrics().driver_wakeups, before);
    timer.sleep(HOUR).await;
    settle().await;
    let before = timer.metrics().driver_wakeups;
    time::sleep(1000 * HOUR).await;
    assert_eq!(timer.metrics().driver_wakeups, before, "nor after there were some");
}

/// Contract 10: one visit for each level boundary, from phases just before one as well
#[tokio::test(start_paused = true)]
async fn a_timer_costs_one_visit_for_each_level_between() {
    let edges = [8, 14, 20, 26, 32].map(|bits| 1u64 << bits);
    let phases =
        [0, 1, 37].into_iter().chain(edges.into_iter().flat_map(|edge| [edge - 3, edge - 1, edge]));
    for phase in phases {
        for asked in [1, 255, 256, 300, 16_384, 3_600_000, 1 << 26, 5 << 31] {
            let timer = Timer::new();
            settle().await;
            time::advance(Duration::from_millis(phase)).await;
            let mut sleep = armed(&timer, Duration::from_millis(asked), Waker::noop());
            settle().await;
            let before = timer.metrics().driver_wakeups;
            let started = Instant::now();
            (&mut sleep).await;
            assert_eq!(started.elapsed(), Duration::from_millis(asked));
            settle().await;
            let visits = timer.metrics().driver_wakeups - before;
            let levels = levels_between(phase, phase + asked);
            assert!(
                (1..=levels).contains(&visits),
                "{visits} visits over {levels} levels for {asked} ms from {phase} ms"
            );
        }
    }
}

/// Contract 10: many timers that share their slots share their visits
#[tokio::test(start_paused = true)]
async fn many_timers_an_hour_away_cost_no_more_than_one() {
    for phase in [0, 255, 16_383, (1 << 20) - 1] {
        let timer = Timer::new();
        settle().await;
        time::advance(Duration::from_millis(phase)).await;
        let sleeps: Vec<_> = (0..10_000).map(|_| armed(&timer, HOUR, Waker::noop())).collect();
        settle().await;
        let before = timer.metrics().driver_wakeups;
        time::advance(HOUR / 4).await;
        settle().await;
        time::sleep(HOUR / 2).await;
        assert!(timer.metrics().driver_wakeups - before <= 4);
        drop(sleeps);
        assert_eq!(timer.pending(), 0);
    }
}

/// Contract 10: a deadline that is pushed on again and again, the idle deadline of a connection
#[tokio::test(start_paused = true)]
async fn a_deadline_that_is_always_pushed_on_costs_few_visits() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut sleep = timer.sleep(30_000 * MS);
    assert_eq!(poll_with(&mut sleep, &counter.waker()), Poll::Pending);
    settle().await;
    let before = timer.metrics().driver_wakeups;
    // An hour of messages, ten in a second.
    for _ in 0..36_000 {
        time::sleep(100 * MS).await;
        sleep.reset_after(30_000 * MS);
    }
    assert_eq!(counter.wakes(), 0);
    let visits = timer.metrics().driver_wakeups - before;
    // One each time that the whole deadline has gone by.
    assert!(visits <= 3600 / 10, "{visits} visits in an hour");
    sleep.await;
}

/// Arming what is later than the next visit does not call the driver
#[tokio::test(start_paused = true)]
async fn only_an_earlier_deadline_calls_the_driver() {
    let timer = Timer::builder().shards(1).build().unwrap();
    let _first = armed(&timer, 100 * MS, Waker::noop());
    settle().await;
    let before = timer.metrics().driver_wakeups;
    let later: Vec<_> =
        (100..1000).map(|millis| armed(&timer, millis * MS, Waker::noop())).collect();
    settle().await;
    assert_eq!(timer.metrics().driver_wakeups, before);
    drop(later);
    settle().await;
    assert_eq!(timer.metrics().driver_wakeups, before, "nor does cancelling those");
    let _earlier = armed(&timer, 50 * MS, Waker::noop());
    settle().await;
    assert_eq!(timer.metrics().driver_wakeups, before + 1);
}

/// Timers of one tick are fired in one visit
#[tokio::test(start_paused = true)]
async fn timers_due_together_share_a_visit() {
    let timer = Timer::new();
    let sleeps: Vec<_> = (0..500).map(|_| armed(&timer, 200 * MS, Waker::noop())).collect();
    settle().await;
    let before = timer.metrics().driver_wakeups;
    time::sleep(201 * MS).await;
    settle().await;
    assert_eq!((timer.pending(), timer.metrics().driver_wakeups), (0, before + 1));
    drop(sleeps);
}

/// On the machine's clock nobody comes early, only to come again (real)
#[test]
fn a_sleep_costs_a_handful_of_visits_on_the_machines_clock() {
    for runtime in [current_thread(), multi_thread(1)] {
        let timer = Timer::builder().build_on(runtime.handle()).unwrap();
        runtime.block_on(timer.sleep(MS));
        let before = timer.metrics().driver_wakeups;
        runtime.block_on(timer.sleep(200 * MS));
        let visits = timer.metrics().driver_wakeups - before;
        // To take note of it, perhaps on the way, and in the end by one alarm or two.
        assert!((1..=5).contains(&visits), "{visits} visits");
    }
}
