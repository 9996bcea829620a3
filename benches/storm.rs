//! A million tasks due at one instant, and what that does to their neighbours
//!
//! `cargo bench -p tickwheel-benches --bench storm`, a minute or two. On two workers,
//! ten tasks yield in a loop and note the longest time between two of their turns;
//! meanwhile timers of the critical lane come due every five milliseconds. One row
//! for each budget of the driver, and one for `tokio::time`, which has none.

use std::{
    env,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tickwheel::{Builder, Timer};
use tokio::{
    runtime::{self, Runtime},
    task::yield_now,
    time,
};

fn main() {
    // `cargo test` runs it once, to see that it runs.
    let is_bench = env::args().any(|argument| argument == "--bench");
    let (tasks, rounds) = if is_bench { (1_000_000, 3) } else { (2_000, 1) };
    println!("{tasks} tasks due at once, two workers, ten tasks that yield; medians of {rounds}\n");
    println!(
        "| budget | all woken after | longest gap of a neighbour | critical, fired | and run | turns |"
    );
    println!("|---|---|---|---|---|---|");
    let budgets = [
        ("256 timers, 500 µs (default)", Some((256, 500))),
        ("1024 timers, 500 µs", Some((1024, 500))),
        ("4096 timers, 2 ms", Some((4096, 2_000))),
        ("16384 timers, 10 ms", Some((16_384, 10_000))),
        ("256 timers, 100 µs", Some((256, 100))),
        ("tokio::time", None),
    ];
    for (name, budget) in budgets {
        let mut storms: Vec<_> = (0..rounds).map(|_| storm(tasks, budget)).collect();
        let mut median = |of: fn(&Storm) -> Duration| {
            storms.sort_unstable_by_key(of);
            of(&storms[rounds / 2])
        };
        let [all, gap] = [median(|storm| storm.all), median(|storm| storm.gap)];
        let [fired, critical] = [median(|storm| storm.fired), median(|storm| storm.critical)];
        let turns = storms[rounds / 2].turns;
        println!("| {name} | {all:.1?} | {gap:.1?} | {fired:.1?} | {critical:.1?} | {turns} |");
    }
}

/// What came of one
struct Storm {
    /// From the deadline until the last task had run
    all: Duration,
    gap: Duration,
    /// At worst, of those of the critical lane, until they fired
    fired: Duration,
    /// And until their task ran
    critical: Duration,
    turns: u64,
}

/// `budget` in timers and microseconds; without one on tokio's timers
fn storm(tasks: usize, budget: Option<(usize, u64)>) -> Storm {
    let runtime = two_workers();
    let timer = budget.map(|(timers, micros)| {
        let set = |builder: Builder| {
            builder.turn_timers(timers).turn_time(Duration::from_micros(micros)).capacity(tasks)
        };
        set(Timer::builder()).build_on(runtime.handle()).expect("the settings are in range")
    });
    let woken = Arc::new(AtomicUsize::new(0));
    let last = Arc::new(Mutex::new(Instant::now()));
    // Time to spawn and poll them all.
    let due = Instant::now()
        + Duration::from_micros(500)
        + Duration::from_micros(4) * u32::try_from(tasks).expect("a few million");
    for _ in 0..tasks {
        let (timer, woken, last) = (timer.clone(), Arc::clone(&woken), Arc::clone(&last));
        runtime.spawn(async move {
            sleep_until(timer.as_ref(), due).await;
            if woken.fetch_add(1, Ordering::Relaxed) + 1 == tasks {
                *last.lock().expect("nobody panics with it") = Instant::now();
            }
        });
    }
    let is_over = Arc::new(AtomicBool::new(false));
    thread::sleep(due.saturating_duration_since(Instant::now() + Duration::from_millis(50)));
    let gap = neighbours(&runtime, &is_over);
    let (fired, critical) =
        critical(&runtime, timer.as_ref().map(Timer::critical).as_ref(), due, &is_over);
    while woken.load(Ordering::Relaxed) < tasks {
        thread::sleep(Duration::from_millis(5));
    }
    is_over.store(true, Ordering::Relaxed);
    let turns = timer.map_or(0, |timer| timer.metrics().turns_cut_short);
    runtime.shutdown_timeout(Duration::from_secs(1));
    let all = *last.lock().expect("nobody panics with it") - due;
    Storm { all, gap: longest(&gap), fired: longest(&fired), critical: longest(&critical), turns }
}

/// Ten tasks that yield in a loop; the longest time between two turns of one
fn neighbours(runtime: &Runtime, is_over: &Arc<AtomicBool>) -> Arc<AtomicU64> {
    let gap = Arc::new(AtomicU64::new(0));
    for _ in 0..10 {
        let (gap, is_over) = (Arc::clone(&gap), Arc::clone(is_over));
        runtime.spawn(async move {
            let mut before = Instant::now();
            while !is_over.load(Ordering::Relaxed) {
                yield_now().await;
                let now = Instant::now();
                note(&gap, now - before);
                before = now;
            }
        });
    }
    gap
}

/// A timer of the critical lane every five milliseconds of the storm; the latest one's lateness
fn critical(
    runtime: &Runtime,
    timer: Option<&Timer>,
    due: Instant,
    is_over: &Arc<AtomicBool>,
) -> (Arc<AtomicU64>, Arc<AtomicU64>) {
    let latest = Arc::new(AtomicU64::new(0));
    let fired = Arc::new(AtomicU64::new(0));
    for number in 1..=40 {
        let (timer, latest) = (timer.cloned(), Arc::clone(&latest));
        let is_over = Arc::clone(is_over);
        let due = due + number * Duration::from_millis(5);
        if let Some(timer) = &timer {
            let latest = Arc::clone(&fired);
            timer.call_at(due.into(), move || note(&latest, due.elapsed()));
        }
        runtime.spawn(async move {
            sleep_until(timer.as_ref(), due).await;
            if !is_over.load(Ordering::Relaxed) {
                note(&latest, due.elapsed());
            }
        });
    }
    (fired, latest)
}

async fn sleep_until(timer: Option<&Timer>, due: Instant) {
    match timer {
        Some(timer) => timer.sleep_until(due.into()).await,
        None => time::sleep_until(due.into()).await,
    }
}

fn two_workers() -> Runtime {
    let mut builder = runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_time().build().expect("the machine has two threads")
}

fn note(longest: &AtomicU64, time: Duration) {
    longest.fetch_max(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

fn longest(nanos: &AtomicU64) -> Duration {
    Duration::from_nanos(nanos.load(Ordering::Relaxed))
}
