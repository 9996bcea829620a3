//! The lane of what must not wait

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Waker,
    time::Duration,
};

use tickwheel::{Every, ShardInspection, Timer};
use tickwheel_tests::{
    callbacks::{Calls, jump, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    runtimes::settle,
    waker::{ActingWaker, CountingWaker, armed},
};
use tokio::time;

/// Contract 9: whatever was armed before and is due before
#[test]
fn critical_timers_fire_first() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        for _ in 0..3 {
            timer.call_later(5 * MS, calls.noting("normal"));
        }
        let critical = timer.critical();
        critical.call_later(10 * MS, calls.noting("critical"));
        jump(SECOND).await;
        assert_eq!(calls.names(), ["critical", "normal", "normal", "normal"]);
    });
}

/// All that a handle of that lane makes
#[test]
fn everything_made_by_the_critical_handle_is_critical() {
    on_a_paused_clock(|timer| async move {
        let critical = timer.critical();
        let _sleep = armed(&critical, HOUR, Waker::noop());
        let mut timeout = Box::pin(critical.timeout(HOUR, std::future::pending::<()>()));
        assert!(futures::poll!(&mut timeout).is_pending());
        let mut interval = critical.interval_at(critical.now() + HOUR, HOUR);
        assert!(futures::poll!(Box::pin(interval.tick())).is_pending());
        critical.call_later(HOUR, || ());
        critical.call_on(Every::new(HOUR).unwrap(), || ());
        let stopped = critical.new_callback_every(HOUR, || ());
        assert!(stopped.start());
        let mut queue = critical.delay_queue();
        queue.insert((), HOUR);
        assert!(futures::poll!(Box::pin(futures::StreamExt::next(&mut queue))).is_pending());
        // The interval's tick was given up.
        let lanes: Vec<_> = timer.inspect().shards().iter().map(ShardInspection::pending).collect();
        assert_eq!(lanes, [7, 0]);
        assert_eq!((timer.pending(), critical.pending()), (7, 7), "one timer, two lanes");
        assert!(critical.cancel(stopped.id()) && !timer.cancel(stopped.id()));
    });
}

/// Contract 9: what comes due in the middle of a storm is looked at between two handfuls of it
#[test]
fn a_critical_timer_does_not_wait_for_the_end_of_a_turn() {
    on_a_paused_clock(|timer| async move {
        let fired = Arc::new(AtomicUsize::new(0));
        let seen = Arc::new(AtomicUsize::new(0));
        let critical = timer.critical();
        let wake_within = {
            let (fired, seen, critical) = (Arc::clone(&fired), Arc::clone(&seen), critical.clone());
            ActingWaker::on_wake(move || {
                // Due at once, in the middle of a turn.
                let before = fired.load(Ordering::Relaxed);
                critical.call_later(Duration::ZERO, move || {
                    seen.store(fired.load(Ordering::Relaxed) - before, Ordering::Relaxed);
                });
            })
        };
        let _first = armed(&timer, SECOND, &wake_within);
        let _storm: Vec<_> = (0..1_000)
            .map(|_| {
                let fired = Arc::clone(&fired);
                let count = move || {
                    fired.fetch_add(1, Ordering::Relaxed);
                };
                armed(&timer, SECOND, &ActingWaker::on_wake(count))
            })
            .collect();
        jump(SECOND).await;
        assert_eq!(fired.load(Ordering::Relaxed), 1_000);
        let seen = seen.load(Ordering::Relaxed);
        assert!(seen <= 64, "{seen} others were fired before it");
    });
}

/// Contract 9: a turn that others have cut short begins with what is critical
#[tokio::test(start_paused = true)]
async fn a_budget_that_others_use_up_does_not_delay_it() {
    let timer = Timer::builder().shards(1).turn_timers(10).build().unwrap();
    let counter = CountingWaker::new();
    let _storm: Vec<_> = (0..1_000).map(|_| armed(&timer, SECOND, &counter.waker())).collect();
    time::advance(SECOND).await;
    while counter.wakes() == 0 {
        tokio::task::yield_now().await;
    }
    let calls = Calls::new();
    timer.critical().call_later(Duration::ZERO, calls.noting("critical"));
    let before = counter.wakes();
    while calls.count() == 0 {
        tokio::task::yield_now().await;
    }
    let between = counter.wakes() - before;
    assert!(between <= 20, "{between} others were fired before it");
    settle().await;
}

/// Cancel, reset and the books go across lanes
#[test]
fn a_storm_of_critical_timers_leaves_the_normal_ones_their_turn_after_it() {
    on_a_paused_clock(|timer| async move {
        let (critical, normal) = (CountingWaker::new(), CountingWaker::new());
        let _storm: Vec<_> =
            (0..5_000).map(|_| armed(&timer.critical(), MS, &critical.waker())).collect();
        let _one = armed(&timer, MS, &normal.waker());
        time::advance(2 * MS).await;
        while normal.wakes() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(critical.wakes(), 5_000);
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.fired), (5_001, 5_001));
    });
}
