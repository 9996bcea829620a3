//! A timer that is warm allocates nothing
//!
//! Every thread of the process counts, so the stories take turns.

use std::{
    alloc::System,
    sync::{Mutex, PoisonError},
    task::Waker,
};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tickwheel::{Builder, Sleep, Timer};
use tickwheel_tests::{
    allocations::assert_allocates_nothing_when_warm,
    durations::{HOUR, MS},
    runtimes::{multi_thread, settle},
    waker::armed,
};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

static ALONE: Mutex<()> = Mutex::new(());

/// With a timer on a paused current-thread runtime, and with one on the machine's clock
fn on_both_flavours(builder: &Builder, story: impl Fn(&tokio::runtime::Runtime, &Timer)) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut paused = tokio::runtime::Builder::new_current_thread();
    let paused = paused.enable_time().start_paused(true).build().unwrap();
    for runtime in [paused, multi_thread(1)] {
        let timer = builder.clone().build_on(runtime.handle()).unwrap();
        story(&runtime, &timer);
    }
}

#[test]
fn arming_and_firing_allocates_nothing() {
    on_both_flavours(&Timer::builder().tick(MS / 10), |runtime, timer| {
        assert_allocates_nothing_when_warm(|| {
            runtime.block_on(async {
                for round in 0..200 {
                    timer.sleep(MS / 10 * (round % 7)).await;
                }
            });
        });
    });
}

#[test]
fn arming_and_cancelling_allocates_nothing() {
    on_both_flavours(&Timer::builder(), |runtime, timer| {
        assert_allocates_nothing_when_warm(|| {
            runtime.block_on(async {
                for round in 0..10_000 {
                    drop(armed(timer, HOUR + round * MS, Waker::noop()));
                }
            });
        });
    });
}

#[test]
fn resets_allocate_nothing() {
    on_both_flavours(&Timer::builder(), |runtime, timer| {
        let mut sleep = armed(timer, HOUR, Waker::noop());
        assert_allocates_nothing_when_warm(|| {
            runtime.block_on(async {
                for round in 0..10_000 {
                    sleep.reset_after(HOUR / (1 + round % 100));
                }
            });
        });
    });
}

#[test]
fn timeouts_and_intervals_allocate_nothing() {
    on_both_flavours(&Timer::builder(), |runtime, timer| {
        let mut interval = timer.interval(MS);
        assert_allocates_nothing_when_warm(|| {
            runtime.block_on(async {
                for _ in 0..50 {
                    interval.tick().await;
                    assert!(timer.timeout(MS, std::future::pending::<()>()).await.is_err());
                    assert!(timer.timeout(HOUR, timer.sleep(MS)).await.is_ok());
                }
            });
        });
    });
}

/// As many at once as there were before, in many slots, cascaded and fired
#[test]
fn as_many_timers_as_before_allocate_nothing() {
    on_both_flavours(&Timer::builder().shards(1), |runtime, timer| {
        let mut sleeps = Vec::with_capacity(20_000);
        assert_allocates_nothing_when_warm(|| {
            runtime.block_on(async {
                sleeps.extend(
                    (1..=20_000).map(|number| armed(timer, HOUR + number * MS, Waker::noop())),
                );
                sleeps.clear();
                sleeps.extend(
                    (1..=2_000)
                        .map(|number| armed(timer, (100 + number % 300) * MS, Waker::noop())),
                );
                timer.sleep(400 * MS).await;
                assert!(sleeps.iter().all(Sleep::is_elapsed));
                sleeps.clear();
            });
        });
    });
}

/// A capacity asked for is there: the first timers allocate no room for themselves
#[test]
fn a_capacity_asked_for_is_there_from_the_start() {
    let builder = Timer::builder().shards(1).capacity(50_000);
    on_both_flavours(&builder, |runtime, timer| {
        // What the driver and the runtime need at first, not the timers.
        runtime.block_on(async { drop(armed(timer, HOUR, Waker::noop())) });
        runtime.block_on(timer.sleep(MS));
        let mut sleeps = Vec::with_capacity(50_000);
        let region = Region::new(COUNTING);
        sleeps.extend((0..50_000).map(|_| armed(timer, 2 * HOUR, Waker::noop())));
        let change = region.change();
        // The room itself would be far more than what the harness needs meanwhile.
        assert!(change.bytes_allocated < 50_000, "{change:?}");
        assert_eq!(timer.pending(), 50_000);
    });
}

/// Contract 6: what was built and dropped is gone, in the process's alarm as well
#[test]
fn timers_that_are_built_and_dropped_leave_no_memory_behind() {
    on_both_flavours(&Timer::builder().shards(1), |runtime, _| {
        let build_and_drop = |rounds: usize| {
            let region = Region::new(COUNTING);
            runtime.block_on(async {
                for _ in 0..rounds {
                    let timer = Timer::builder().shards(1).build().unwrap();
                    timer.sleep(MS / 10).await;
                    drop(armed(&timer, HOUR, Waker::noop()));
                    drop(timer);
                    settle().await;
                }
                // The drivers end.
                while tokio::runtime::Handle::current().metrics().num_alive_tasks() > 1 {
                    tokio::task::yield_now().await;
                }
            });
            let change = region.change();
            i128::try_from(change.bytes_allocated).unwrap()
                - i128::try_from(change.bytes_deallocated).unwrap()
        };
        build_and_drop(10);
        let left = build_and_drop(300);
        assert!(left < 300 * 32, "{left} bytes more than before");
    });
}
