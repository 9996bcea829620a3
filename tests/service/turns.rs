//! The driver and its neighbours on the runtime share it

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker, ready},
    thread,
    time::{Duration, Instant},
};

use futures::future::FusedFuture;
use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    runtimes::{multi_thread, settle},
    waker::{CountingWaker, armed, poll_with},
};
use tokio::{
    task::{coop, yield_now},
    time,
};

/// S18: a million timers are due at once while ten tasks yield in a loop
///
/// `origins` says how long before that each was armed, so that some must be
/// cascaded on the way.
async fn neighbours_keep_running(durations: &[Duration]) {
    let count = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let timer = Timer::builder().shards(4).build().unwrap();
    let due = timer.now() + HOUR;
    let mut sleeps = Vec::with_capacity(count);
    for &duration in durations {
        time::advance((due - duration) - timer.now()).await;
        for _ in 0..count / durations.len() {
            let mut sleep = timer.sleep_until(due);
            assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
            sleeps.push(sleep);
        }
    }
    let done = Arc::new(AtomicBool::new(false));
    let longest_gap = Arc::new(AtomicU64::new(0));
    let neighbours: Vec<_> = (0..10)
        .map(|_| {
            let (timer, done, longest_gap) = (timer.clone(), done.clone(), longest_gap.clone());
            tokio::spawn(async move {
                let mut before = timer.metrics().fired;
                while !done.load(Ordering::Relaxed) {
                    yield_now().await;
                    let fired = timer.metrics().fired;
                    longest_gap.fetch_max(fired - before, Ordering::Relaxed);
                    before = fired;
                }
            })
        })
        .collect();
    time::advance(due - timer.now()).await;
    while timer.pending() > 0 {
        yield_now().await;
    }
    done.store(true, Ordering::Relaxed);
    for neighbour in neighbours {
        neighbour.await.unwrap();
    }
    for sleep in &mut sleeps {
        let poll = coop::unconstrained(poll_fn(|cx| Poll::Ready(poll_with(sleep, cx.waker()))));
        assert_eq!(poll.await, Poll::Ready(()));
    }
    assert_eq!(timer.metrics().fired, sleeps.len() as u64);
    let longest_gap = longest_gap.load(Ordering::Relaxed);
    assert!(longest_gap > 0, "they saw nothing of it");
    // About a thousand each turn.
    assert!(longest_gap <= 2_500, "{longest_gap} fired while they waited for their turn");
}

/// S18: all armed an hour before
#[tokio::test(start_paused = true)]
async fn a_million_timers_due_at_once_leave_their_neighbours_their_turns() {
    neighbours_keep_running(&[HOUR]).await;
}

/// S18: armed at various distances, to be gathered from several levels
#[tokio::test(start_paused = true)]
async fn a_million_timers_from_every_level_leave_their_neighbours_their_turns() {
    neighbours_keep_running(&[HOUR, 20_000 * MS, 300 * MS, 5 * MS]).await;
}

/// Contract 9: a storm on one wheel leaves the others their turns
#[tokio::test(start_paused = true)]
async fn a_storm_in_one_shard_does_not_hold_up_the_others() {
    let timer = Timer::builder().shards(2).build().unwrap();
    let due = timer.now() + HOUR;
    // Threads use the wheels in turn, so that some of several share none with the storm.
    let arm_on_a_thread = |count: usize| {
        let (timer, counter) = (timer.clone(), CountingWaker::new());
        let waker = counter.waker();
        let arm = move || {
            let mut sleeps: Vec<_> = (0..count).map(|_| timer.sleep_until(due)).collect();
            for sleep in &mut sleeps {
                assert_eq!(poll_with(sleep, &waker), Poll::Pending);
            }
            sleeps
        };
        (thread::spawn(arm).join().unwrap(), counter)
    };
    let (_sleeps, storm) = arm_on_a_thread(50_000);
    let others: Vec<_> = (0..4).map(|_| arm_on_a_thread(10)).collect();
    settle().await;
    time::advance(due - timer.now()).await;
    let before = timer.metrics().turns_cut_short;
    while !others.iter().any(|(_, counter)| counter.wakes() == 10) {
        yield_now().await;
    }
    let turns = timer.metrics().turns_cut_short - before;
    assert!(storm.wakes() < 10_000, "none of them had their turn before the storm was over");
    assert!(turns <= 5, "{turns} turns");
}

/// Contract 9: a waker that re-arms for the next tick again and again holds up nobody
#[tokio::test(start_paused = true)]
async fn timers_that_rearm_for_ever_do_not_hold_up_others() {
    let timer = Timer::new();
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let timer = timer.clone();
            tokio::spawn(async move {
                loop {
                    timer.sleep(Duration::from_nanos(1)).await;
                }
            })
        })
        .collect();
    let started = timer.now();
    timer.sleep(500 * MS).await;
    assert_eq!(timer.now() - started, 500 * MS);
    for task in tasks {
        task.abort();
    }
}

/// Contract 9 the other way round: a runtime whose workers are never idle still fires (real)
#[test]
fn a_saturated_runtime_fires_its_timers() {
    let runtime = multi_thread(2);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let neighbours: Vec<_> = (0..64)
        .map(|_| {
            let (timer, done) = (timer.clone(), done.clone());
            runtime.spawn(async move {
                while !done.load(Ordering::Relaxed) {
                    drop(armed(&timer, HOUR, Waker::noop()));
                    yield_now().await;
                }
            })
        })
        .collect();
    let sleeper = timer.clone();
    let slowest = runtime.block_on(runtime.spawn(async move {
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let started = Instant::now();
            sleeper.sleep(5 * MS).await;
            let took = started.elapsed();
            assert!(took >= 5 * MS, "early");
            slowest = slowest.max(took);
        }
        slowest
    }));
    done.store(true, Ordering::Relaxed);
    for neighbour in neighbours {
        runtime.block_on(neighbour).unwrap();
    }
    assert!(slowest.unwrap() < SECOND);
    assert_eq!(timer.pending(), 0);
}

/// How many more budgeted operations this poll of the task may make
fn budget_left(cx: &mut Context<'_>) -> usize {
    let mut left = 0;
    while let Poll::Ready(coop) = coop::poll_proceed(cx) {
        coop.made_progress();
        left += 1;
    }
    left
}

/// S15: Ready stays Ready with the budget spent, and takes from it once
#[tokio::test(start_paused = true)]
async fn ready_stays_ready_and_charges_the_budget_once() {
    let timer = Timer::new();
    let whole = {
        yield_now().await;
        poll_fn(|cx| Poll::Ready(budget_left(cx))).await
    };
    assert!(whole > 100, "a task has a budget, of 128 at the time of writing");
    let mut fired = armed(&timer, MS, Waker::noop());
    time::sleep(10 * MS).await;
    yield_now().await;
    poll_fn(|cx| {
        for _ in 0..1000 {
            assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Ready(()));
        }
        assert_eq!(budget_left(cx), whole - 1);
        for _ in 0..1000 {
            assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Ready(()));
        }
        Poll::Ready(())
    })
    .await;
}

/// S15: on the way to Ready the budget counts, and a task without one is called again
#[tokio::test(start_paused = true)]
async fn a_task_without_budget_is_called_again_for_what_is_due() {
    let timer = Timer::new();
    let past = timer.now();
    let mut fired = armed(&timer, MS, Waker::noop());
    let mut never_polled = timer.sleep_until(past);
    time::sleep(10 * MS).await;
    yield_now().await;
    let mut polls = 0;
    poll_fn(|cx| {
        polls += 1;
        if polls == 1 {
            budget_left(cx);
            assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Pending);
            assert_eq!(poll_with(&mut never_polled, cx.waker()), Poll::Pending);
            // A `select!` that polls only what is not terminated must come back to them.
            assert!(!fired.is_terminated() && !never_polled.is_terminated());
            return Poll::Pending;
        }
        assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Ready(()));
        assert_eq!(poll_with(&mut never_polled, cx.waker()), Poll::Ready(()));
        Poll::Ready(())
    })
    .await;
    assert_eq!(polls, 2);
}

/// A pending poll takes nothing from the budget
#[tokio::test(start_paused = true)]
async fn a_pending_poll_charges_nothing() {
    let timer = Timer::new();
    yield_now().await;
    let whole = poll_fn(|cx| Poll::Ready(budget_left(cx))).await;
    yield_now().await;
    let mut sleep = timer.sleep(HOUR);
    poll_fn(|cx| {
        for _ in 0..1000 {
            assert_eq!(poll_with(&mut sleep, cx.waker()), Poll::Pending);
        }
        assert_eq!(budget_left(cx), whole);
        Poll::Ready(())
    })
    .await;
}

/// A loop over an interval that is far behind leaves room for others
#[tokio::test(start_paused = true)]
async fn a_loop_of_overdue_ticks_yields() {
    let timer = Timer::new();
    let mut interval = timer.interval(MS);
    time::advance(HOUR).await;
    let counter = CountingWaker::new();
    let waker = counter.waker();
    yield_now().await;
    let ticks = poll_fn(|_| {
        let mut ticks = 0;
        while interval.poll_tick(&mut Context::from_waker(&waker)).is_ready() {
            ticks += 1;
        }
        Poll::Ready(ticks)
    })
    .await;
    assert!((100..1000).contains(&ticks), "{ticks} ticks in one poll of the task");
    assert_eq!(counter.wakes(), 0, "called again by tokio, at the end of this poll");
    yield_now().await;
    assert_eq!(counter.wakes(), 1);
    // And the others come after that.
    poll_fn(|cx| {
        ready!(interval.poll_tick(cx));
        Poll::Ready(())
    })
    .await;
}
