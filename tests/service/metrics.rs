//! What a timer tells about itself

use std::{task::Waker, thread, time::Duration};

use tickwheel::{Metrics, Timer};
use tickwheel_tests::{
    callbacks::{jump, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    runtimes::settle,
    waker::{ActingWaker, CountingWaker, armed},
};
use tokio::time;

/// Registered, due in one tick, fired, time in callbacks, lateness of the next
#[test]
fn the_chain_of_an_incident_can_be_read_off() {
    on_a_paused_clock(|timer| async move {
        let _sleeps: Vec<_> = (0..100).map(|_| armed(&timer, 10 * MS, Waker::noop())).collect();
        timer.call_later(10 * MS, || tickwheel_tests::callbacks::pass(30 * MS));
        let _behind = armed(&timer, 20 * MS, Waker::noop());
        jump(10 * MS).await;
        jump(30 * MS).await;
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.fired, metrics.pending), (102, 102, 0));
        assert_eq!(metrics.max_due_in_tick, 101);
        assert_eq!((metrics.callback_time.count(), metrics.lateness.count()), (1, 102));
        assert_eq!(metrics.lateness.quantile(0.9), Duration::ZERO);
        assert!((20 * MS..=31 * MS).contains(&metrics.lateness.max()), "{metrics}");
        let shown = metrics.to_string();
        let words = ["registered", "due in a tick", "fired", "callbacks", "lateness"];
        let begins: Vec<_> =
            shown.lines().zip(words).map(|(line, word)| line.starts_with(word)).collect();
        assert_eq!(begins, [true; 5], "{shown}");
    });
}

/// Against its tick, which is what it is armed for
#[test]
fn lateness_is_counted_from_the_tick() {
    on_a_paused_clock(|timer| async move {
        let lateness = |metrics: &Metrics| metrics.lateness.max();
        let _sleep = armed(&timer, 10 * MS, Waker::noop());
        jump(10 * MS).await;
        assert_eq!(lateness(&timer.metrics()), Duration::ZERO);
        let _sleep = armed(&timer, 10 * MS, Waker::noop());
        jump(17 * MS).await;
        assert_eq!(lateness(&timer.metrics()), 7 * MS);
        let _with_slack = armed(&timer, MS, Waker::noop()).slack(SECOND);
        jump(973 * MS).await;
        assert_eq!((lateness(&timer.metrics()), timer.pending()), (7 * MS, 0));
        timer.call_at(timer.now() - HOUR / 2, || ());
        settle().await;
        assert_eq!(lateness(&timer.metrics()), 7 * MS, "past when it was asked for");
    });
}

/// Each of those that fired, by whatever way
#[test]
fn lateness_has_all_that_fired() {
    on_a_paused_clock(|timer| async move {
        let mut by_reset = armed(&timer, HOUR, Waker::noop());
        by_reset.reset(timer.now());
        let mut by_poll = armed(&timer, 5 * MS, Waker::noop());
        // The clock goes on without the driver being there.
        tickwheel_tests::callbacks::pass(9 * MS);
        assert!(futures::poll!(&mut by_poll).is_ready());
        let by_driver = armed(&timer, 5 * MS, Waker::noop());
        jump(5 * MS).await;
        drop((by_reset, by_driver));
        let metrics = timer.metrics();
        assert_eq!((metrics.fired, metrics.lateness.count()), (3, 3));
        assert_eq!(metrics.lateness.max(), 4 * MS);
    });
}

/// The most in one tick, not in one turn
#[test]
fn the_busiest_tick_is_known() {
    on_a_paused_clock(|timer| async move {
        let arm = |count: usize, after: Duration| -> Vec<_> {
            (0..count).map(|_| armed(&timer, after, Waker::noop())).collect()
        };
        let _all = [arm(10, 5 * MS), arm(300, 7 * MS), arm(20, 7 * MS), arm(30, 8 * MS)];
        jump(SECOND).await;
        assert_eq!(timer.metrics().max_due_in_tick, 320);
        let _fewer = arm(319, 9 * MS);
        jump(SECOND).await;
        assert_eq!(timer.metrics().max_due_in_tick, 320);
    });
}

/// Over the shards of several threads as well
#[tokio::test(start_paused = true)]
async fn a_tick_that_is_busy_in_all_shards_is_summed_up() {
    let timer = Timer::builder().shards(4).build().unwrap();
    let counter = CountingWaker::new();
    let due = timer.now() + 10 * MS;
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (timer, waker) = (timer.clone(), counter.waker());
            thread::spawn(move || {
                let mut sleeps: Vec<_> = (0..50).map(|_| timer.sleep_until(due)).collect();
                for sleep in &mut sleeps {
                    assert!(tickwheel_tests::waker::poll_with(sleep, &waker).is_pending());
                }
                sleeps
            })
        })
        .collect();
    let _sleeps: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    time::advance(10 * MS).await;
    settle().await;
    assert_eq!((counter.wakes(), timer.metrics().max_due_in_tick), (400, 400));
}

/// Each move to a lower level
#[test]
fn cascades_are_counted_in_timers() {
    on_a_paused_clock(|timer| async move {
        let _near: Vec<_> = (0..10).map(|_| armed(&timer, 100 * MS, Waker::noop())).collect();
        let _far: Vec<_> = (0..10).map(|_| armed(&timer, 300 * MS, Waker::noop())).collect();
        jump(SECOND).await;
        assert_eq!(
            timer.metrics().cascaded,
            10,
            "from level 1 to level 0, and the near ones never"
        );
    });
}

#[test]
fn turns_that_the_budget_ends_are_counted() {
    on_a_paused_clock(|timer| async move {
        let _few: Vec<_> = (0..200).map(|_| armed(&timer, MS, Waker::noop())).collect();
        jump(2 * MS).await;
        assert_eq!(timer.metrics().turns_cut_short, 0);
        let _many: Vec<_> = (0..10_000).map(|_| armed(&timer, MS, Waker::noop())).collect();
        jump(2 * MS).await;
        while timer.pending() > 0 {
            settle().await;
        }
        let metrics = timer.metrics();
        assert_eq!(metrics.turns_cut_short, 39, "256 at a time");
    });
}

/// A new one has nothing to tell
#[test]
fn all_begins_with_nothing() {
    on_a_paused_clock(|timer| async move {
        let metrics = timer.metrics();
        let mut nothing = Metrics::default();
        nothing.driver_wakeups = metrics.driver_wakeups;
        assert_eq!(nothing, metrics);
        assert!(metrics.driver_wakeups <= 1);
    });
}

/// Others are served, whoever wakes them
#[test]
fn wakers_that_panic_are_counted() {
    on_a_paused_clock(|timer| async move {
        let panics = || ActingWaker::on_wake(|| panic!("on purpose"));
        let counter = CountingWaker::new();
        let _due: Vec<_> = (0..3).map(|_| armed(&timer, MS, &panics())).collect();
        let _other = armed(&timer, MS, &counter.waker());
        jump(MS).await;
        assert_eq!((timer.metrics().waker_panics, counter.wakes()), (3, 1));
        let _left = armed(&timer, HOUR, &panics());
        let _other = armed(&timer, HOUR, &counter.waker());
        assert_eq!(timer.shutdown().await.sleeps(), 2);
        assert_eq!((timer.metrics().waker_panics, counter.wakes()), (4, 2));
        assert_eq!(timer.metrics().callback_panics, 0);
    });
}
