//! Nothing fires before its deadline, and nothing much later

use std::{
    hint::spin_loop,
    task::Waker,
    time::{Duration, Instant as StdInstant},
};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::MS,
    random::Random,
    runtimes::{current_thread, multi_thread},
    waker::poll_with,
};
use tokio::{
    runtime::Runtime,
    time::{self, Instant},
};

/// How late the median of a run may be, beyond a tick, where other work wants the machine too
const USUALLY_LATE: Duration = Duration::from_millis(100);

/// Sleeps in so many tasks at once, each for these durations in turn from random phases
///
/// Asserts that none is early, and says how late they were, sorted.
async fn lateness_of(timer: Timer, tasks: u64, micros: Vec<u64>) -> Vec<Duration> {
    let tasks: Vec<_> = (0..tasks)
        .map(|seed| {
            let (timer, micros) = (timer.clone(), micros.clone());
            tokio::spawn(async move {
                let mut random = Random::new(seed);
                let mut lateness = Vec::new();
                for micros in micros {
                    let phase = Duration::from_micros(random.below(1000));
                    timer.sleep(phase).await;
                    let asked = Duration::from_micros(micros);
                    let (started, std_started) = (Instant::now(), StdInstant::now());
                    let sleep = timer.sleep(asked);
                    let deadline = sleep.deadline();
                    sleep.await;
                    assert!(std_started.elapsed() >= asked, "early for {asked:?}");
                    assert!(Instant::now() >= deadline, "before its own deadline");
                    lateness.push(Instant::now() - (started + asked));
                }
                lateness
            })
        })
        .collect();
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.expect("never early"));
    }
    all.sort_unstable();
    all
}

fn both_flavours() -> [Runtime; 2] {
    [current_thread(), multi_thread(2)]
}

/// S1: 1000 sleeps of 0.3 to 10 ms at random phases, on each kind of runtime (real)
#[test]
fn a_thousand_sleeps_are_never_early() {
    for runtime in both_flavours() {
        let timer = Timer::builder().build_on(runtime.handle()).unwrap();
        let micros = [300, 1000, 2500, 5000, 10_000].repeat(10);
        let lateness = runtime.block_on(lateness_of(timer, 20, micros));
        assert_eq!(lateness.len(), 1000);
        let median = lateness[500];
        assert!(median < USUALLY_LATE, "{median:?} late");
    }
}

/// S19: 100 sleeps of 0.3 to 30 ms at several ticks: late by a tick and the wake-up at most (real)
#[test]
fn sleeps_at_any_tick_are_never_early_and_late_by_about_a_tick() {
    for runtime in both_flavours() {
        for tick in [100, 1000, 4000, 10_000].map(Duration::from_micros) {
            let timer = Timer::builder().tick(tick).build_on(runtime.handle()).unwrap();
            let micros = vec![300, 2000, 7100, 16_000, 30_000];
            let lateness = runtime.block_on(lateness_of(timer, 20, micros));
            assert_eq!(lateness.len(), 100);
            let median = lateness[50];
            assert!(median < tick + USUALLY_LATE, "{median:?} late at a tick of {tick:?}");
        }
    }
}

/// The tick is ours to choose, also where tokio's own clock has whole milliseconds only (real)
#[test]
fn no_runtime_binds_deadlines_to_milliseconds() {
    for runtime in both_flavours() {
        let tick = Duration::from_micros(100);
        let timer = Timer::builder().tick(tick).build_on(runtime.handle()).unwrap();
        let origin = timer.now();
        for phase in 1..10 {
            let after_a_millisecond = || {
                let millis = u32::try_from((timer.now() - origin).as_millis()).unwrap() + 2;
                origin + millis * MS + phase * tick
            };
            let on_time = (0..200).any(|_| {
                let deadline = after_a_millisecond();
                runtime.block_on(timer.sleep_until(deadline));
                timer.now() - deadline < 4 * tick
            });
            assert!(on_time, "never less than 0.4 ms late at 0.{phase} ms past a millisecond");
        }
    }
}

/// Contract 1 on a task that polls without ever yielding: Ready not before the deadline (real)
#[test]
fn polling_without_pause_sees_no_deadline_early() {
    for runtime in both_flavours() {
        let timer = Timer::builder().build_on(runtime.handle()).unwrap();
        runtime.block_on(async {
            for micros in [1, 100, 999, 1000, 1001, 2500] {
                let mut sleep = timer.sleep(Duration::from_micros(micros));
                let mut polls = 0u32;
                while poll_with(&mut sleep, Waker::noop()).is_pending() {
                    polls += 1;
                    spin_loop();
                    if polls.is_multiple_of(64) {
                        // The task's cooperative budget; the clock runs on.
                        tokio::task::yield_now().await;
                    }
                }
                assert!(Instant::now() >= sleep.deadline(), "{micros} us");
            }
        });
    }
}

/// Contract 1 and 3: from every phase of every tick, and across level boundaries
#[tokio::test(start_paused = true)]
async fn at_every_phase_the_tick_is_the_first_after_the_deadline() {
    let mut random = Random::new(19);
    for tick in [10, 999, 1000, 10_000, 7_000_000].map(Duration::from_micros) {
        let timer = Timer::builder().tick(tick).build().unwrap();
        let origin = Instant::now();
        for ticks in [0, 1, 2, 255, 256, 257, 511, 512, 16_383, 16_384, 1 << 20] {
            let phase = Duration::from_nanos(random.below(u64::try_from(tick.as_nanos()).unwrap()));
            time::advance(phase).await;
            let asked = tick * ticks + phase / 3;
            let deadline = Instant::now() + asked;
            timer.sleep(asked).await;
            let now = Instant::now();
            assert!(now >= deadline, "early by {:?}", deadline - now);
            let nanos = (deadline - origin).as_nanos().div_ceil(tick.as_nanos()) * tick.as_nanos();
            let due = origin + Duration::from_nanos(u64::try_from(nanos).unwrap());
            let late = now.saturating_duration_since(due);
            // tokio rounds up to its millisecond, and a paused clock jumps whole ones from where it is.
            assert!(late < 2 * MS, "{late:?} after the tick of {tick:?}");
        }
    }
}

/// Contract 1: a reset is no back door, whichever way it goes
#[tokio::test(start_paused = true)]
async fn a_deadline_that_was_moved_is_never_early() {
    let timer = Timer::new();
    let mut random = Random::new(3);
    for _ in 0..300 {
        let mut sleep = timer.sleep(Duration::from_micros(1 + random.below(600_000)));
        for _ in 0..random.below(5) {
            assert!(poll_with(&mut sleep, Waker::noop()).is_pending());
            time::advance(Duration::from_micros(random.below(300))).await;
            let moved = Duration::from_micros(400 + random.below(400_000));
            sleep.reset_after(moved);
        }
        let deadline = sleep.deadline();
        sleep.await;
        let now = Instant::now();
        assert!(deadline <= now && now <= deadline + 2 * MS);
    }
    assert_eq!(timer.pending(), 0);
}
