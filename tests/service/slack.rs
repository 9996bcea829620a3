//! Timers that may be late share wake-ups

use std::{
    task::{Poll, Waker},
    time::Duration,
};

use tickwheel::Timer;
use tickwheel_tests::{
    callbacks::{Calls, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    random::Random,
    runtimes::settle,
    waker::{armed, poll_with},
};
use tokio::time::{self, Instant};

/// A hundred multiples of the slack lie within ten seconds, so there is no more to wake up for
#[tokio::test(start_paused = true)]
async fn timers_of_ten_seconds_share_a_hundred_wake_ups() {
    const COUNT: u64 = 100_000;
    let timer = Timer::builder().slack(100 * MS).turn_time(HOUR).build().unwrap();
    let mut random = Random::new(7);
    let start = timer.now();
    let mut sleeps: Vec<_> = (0..COUNT)
        .map(|_| armed(&timer, Duration::from_micros(random.below(10_000_000)), Waker::noop()))
        .collect();
    settle().await;
    let (mut firing, mut others, mut fired) = (0, 0, 0);
    let mut wakeups = timer.metrics().driver_wakeups;
    while timer.pending() > 0 {
        time::sleep(MS).await;
        settle().await;
        let now = timer.metrics();
        let woken = now.driver_wakeups - wakeups;
        if now.fired > fired {
            firing += woken;
        } else {
            others += woken;
        }
        (wakeups, fired) = (now.driver_wakeups, now.fired);
    }
    assert_eq!(fired, COUNT);
    assert!((90..=102).contains(&firing), "{firing} wake-ups to fire");
    assert!(others <= 102, "{others} wake-ups to move timers down");
    for sleep in &mut sleeps {
        assert!(sleep.deadline() <= start + 10 * SECOND + 100 * MS);
        assert_eq!(tokio::task::unconstrained(sleep).await, ());
    }
}

/// What it asks for is a bound in both directions
#[test]
fn a_sleep_comes_between_its_deadline_and_so_much_later() {
    on_a_paused_clock(|timer| async move {
        for slack in [MS, 3 * MS, 10 * MS, 64 * MS, 250 * MS] {
            for after in [1u64, 9_300, 10_000, 10_001, 63_999, 777_777] {
                let deadline = timer.now() + Duration::from_micros(after);
                timer.sleep_until(deadline).slack(slack).await;
                let now = timer.now();
                assert!(deadline <= now, "early");
                // One more for tokio's own clock, which goes by whole milliseconds.
                assert!(now <= deadline + slack + MS, "{:?} late", now - deadline);
            }
        }
    });
}

/// One waker for each of them, at one moment
#[test]
fn sleeps_with_the_same_slack_come_together() {
    on_a_paused_clock(|timer| async move {
        let start = timer.now();
        let all: Vec<_> = (1..=100)
            .map(|n| {
                let sleep = timer.sleep(n * MS).slack(100 * MS);
                tokio::spawn(async move {
                    sleep.await;
                    Instant::now()
                })
            })
            .collect();
        for task in all {
            let after = task.await.unwrap() - start;
            assert!((100 * MS..=101 * MS).contains(&after), "{after:?}");
        }
    });
}

/// The deadline stays what was asked for, and is what counts when somebody looks
#[test]
fn a_sleep_polled_within_its_slack_is_ready() {
    on_a_paused_clock(|timer| async move {
        let mut sleep = timer.sleep(10 * MS).slack(HOUR);
        assert_eq!(sleep.deadline(), timer.now() + 10 * MS);
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
        time::advance(11 * MS).await;
        assert!(sleep.is_elapsed());
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
        assert_eq!(timer.pending(), 0);
    });
}

/// A sleep that is armed already is moved
#[test]
fn slack_can_be_given_to_an_armed_sleep_and_taken_from_it() {
    on_a_paused_clock(|timer| async move {
        let start = timer.now();
        time::advance(MS).await;
        let precise = armed(&timer, 9 * MS, Waker::noop());
        let late = precise.slack(100 * MS);
        let also_precise =
            armed(&timer, 9 * MS, Waker::noop()).slack(100 * MS).slack(Duration::ZERO);
        also_precise.await;
        assert!((10 * MS..=11 * MS).contains(&(timer.now() - start)));
        assert_eq!(timer.pending(), 1);
        time::sleep(80 * MS).await;
        assert_eq!(timer.pending(), 1, "it waits for the multiple of its slack");
        time::sleep(20 * MS).await;
        assert_eq!(timer.pending(), 0);
        drop(late);
    });
}

/// Whatever the timer makes in its normal lane
#[tokio::test(start_paused = true)]
async fn the_builders_slack_is_that_of_all_but_the_critical_lane() {
    let timer = Timer::builder().slack(50 * MS).build().unwrap();
    let start = timer.now();
    let after = || (Instant::now() - start).as_millis();
    let calls = Calls::new();
    timer.call_later(5 * MS, calls.noting("normal"));
    timer.critical().call_later(5 * MS, calls.noting("critical"));
    timer.critical().sleep(5 * MS).await;
    assert!((5..=6).contains(&after()), "{}", after());
    timer.sleep(2 * MS).await;
    assert!((50..=51).contains(&after()), "{}", after());
    assert!(timer.timeout(MS, std::future::pending::<()>()).await.is_err());
    assert!((100..=101).contains(&after()), "{}", after());
    let mut interval = timer.interval_at(timer.now() + MS, HOUR);
    interval.tick().await;
    assert!((150..=151).contains(&after()), "{}", after());
    timer.sleep(MS).slack(Duration::ZERO).await;
    assert!((151..=153).contains(&after()), "its own slack goes before: {}", after());
    let seen = calls.all();
    assert!(matches!(seen[..], [("critical", 5..=6), ("normal", 50..=51)]), "{seen:?}");
}

/// Contract 4: nothing overflows
#[test]
fn the_longest_slack_and_the_longest_deadline_are_both_accepted() {
    on_a_paused_clock(|timer| async move {
        let mut sleeps = vec![
            timer.sleep(Duration::MAX).slack(Duration::MAX),
            timer.sleep(HOUR).slack(Duration::MAX),
            timer.sleep(Duration::MAX).slack(MS),
            timer.sleep(Duration::from_secs(1 << 40)).slack(HOUR),
        ];
        for sleep in &mut sleeps {
            assert_eq!(poll_with(sleep, Waker::noop()), Poll::Pending);
        }
        time::advance(HOUR / 2).await;
        assert_eq!(timer.pending(), 4, "never early");
        let mut with_no_time = timer.sleep(Duration::ZERO).slack(Duration::MAX);
        assert_eq!(poll_with(&mut with_no_time, Waker::noop()), Poll::Ready(()));
        drop(sleeps);
        assert_eq!(timer.pending(), 0);
    });
}

/// A sleep that reports errors has the same methods
#[test]
fn a_try_sleep_has_slack_too() {
    on_a_paused_clock(|timer| async move {
        let start = timer.now();
        timer.try_sleep(3 * MS).slack(40 * MS).await.unwrap();
        assert!((40 * MS..=41 * MS).contains(&(timer.now() - start)));
    });
}
