//! The driver and its neighbours on the runtime share it

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use tickwheel::{Builder, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    runtimes::{current_thread, multi_thread, settle},
    waker::{CountingWaker, armed, poll_with},
};
use tokio::{
    task::{unconstrained, yield_now},
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
        let poll = unconstrained(poll_fn(|cx| Poll::Ready(poll_with(sleep, cx.waker()))));
        assert_eq!(poll.await, Poll::Ready(()));
    }
    assert_eq!(timer.metrics().fired, sleeps.len() as u64);
    let longest_gap = longest_gap.load(Ordering::Relaxed);
    assert!(longest_gap > 0, "they saw nothing of it");
    // 256 each turn.
    assert!(longest_gap <= 700, "{longest_gap} fired while they waited for their turn");
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

/// How often a task that yields in a loop had its turn while twenty callbacks ran, a millisecond each (real)
fn turns_beside_slow_callbacks(build: fn(Builder) -> Builder) -> usize {
    let runtime = current_thread();
    runtime.block_on(async {
        let timer = build(Timer::builder()).build().unwrap();
        let called = Arc::new(AtomicU64::new(0));
        let due = timer.now() + 10 * MS;
        for _ in 0..20 {
            let called = Arc::clone(&called);
            timer.call_at(due, move || {
                thread::sleep(MS);
                called.fetch_add(1, Ordering::Relaxed);
            });
        }
        while called.load(Ordering::Relaxed) == 0 {
            yield_now().await;
        }
        let mut turns = 1;
        while called.load(Ordering::Relaxed) < 20 {
            yield_now().await;
            turns += 1;
        }
        assert_eq!(timer.metrics().fired, 20);
        turns
    })
}

/// Contract 9: a turn ends by time as well, within a handful of callbacks too
#[test]
fn a_turn_ends_between_two_callbacks_once_its_time_is_over() {
    for time in [Duration::from_nanos(1), Duration::from_micros(500)] {
        let turns = match time.as_nanos() {
            1 => turns_beside_slow_callbacks(|builder| builder.turn_time(Duration::from_nanos(1))),
            _ => turns_beside_slow_callbacks(|builder| builder.turn_time(500 * MS / 1000)),
        };
        // The driver may be called once more in between, by an alarm that was set before.
        assert!(turns >= 15, "{turns} turns with {time:?}");
    }
    let turns = turns_beside_slow_callbacks(|builder| builder.turn_time(HOUR));
    assert_eq!(turns, 1, "all of them in one");
}

/// Contract 9: the budget is what it was set to, for moving timers down as well
#[tokio::test(start_paused = true)]
async fn a_turn_fires_as_many_as_it_may() {
    for budget in [1, 7, 32, 100, 5_000] {
        let timer = Timer::builder().shards(1).turn_timers(budget).build().unwrap();
        let counter = CountingWaker::new();
        let _sleeps: Vec<_> =
            (0..10_000).map(|_| armed(&timer, SECOND, &counter.waker())).collect();
        settle().await;
        time::advance(SECOND).await;
        let (mut most, mut before) = (0, 0);
        while counter.wakes() < 10_000 {
            let now = counter.wakes();
            most = most.max(now - before);
            before = now;
            yield_now().await;
        }
        assert!(most <= budget && most * 2 > budget, "{most} in a turn of {budget}");
        let turns = timer.metrics().turns_cut_short;
        assert!(turns >= 10_000 / budget as u64 - 1, "{turns} turns of {budget}");
    }
}

/// What was cut short resumes at once, without the clock having to move
#[tokio::test(start_paused = true)]
async fn a_turn_that_was_cut_short_goes_on_at_the_same_time() {
    let timer = Timer::builder().turn_timers(1).build().unwrap();
    let due = timer.now() + SECOND;
    let tasks: Vec<_> = (0..500)
        .map(|_| {
            let timer = timer.clone();
            tokio::spawn(async move {
                timer.sleep_until(due).await;
                timer.now()
            })
        })
        .collect();
    for task in tasks {
        let fired = task.await.unwrap();
        assert!((due..=due + MS).contains(&fired), "{:?} late", fired - due);
    }
}
