//! The ways in that were not taken: `cargo bench -p tickwheel-benches --bench queues`
//!
//! Threads arm timers that are an hour away and cancel them at once, through locks in
//! shards, through a bounded queue to a single driver, and through unbounded queues
//! drained at each tick; nothing fires. In turns, round by round. The table shows what
//! a caller waits for, what all threads together work until everything has been done,
//! and how many timers were kept at most, though never more than one of each thread
//! was armed.

use std::{
    env,
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tickwheel_benches::{
    machine::cpu_time,
    quartiles::Quartiles,
    queues::{Bounded, Drained, Sharded, WayIn},
};

fn main() {
    // `cargo test` runs it once, to see that it runs.
    let is_bench = env::args().any(|argument| argument == "--bench");
    let (rounds, pairs) = if is_bench { (9, 1_000_000) } else { (1, 5_000) };
    println!("{pairs} times arm + cancel on each thread, medians of {rounds} rounds\n");
    println!(
        "| threads | way in | a caller, ns each | × (quartiles) | longest, µs | all threads' \
         processor time, ns each | timers kept, at most |\n|---|---|---|---|---|---|---|"
    );
    for threads in [1, 2, 4] {
        let rounds: Vec<[Outcome; 3]> = (0..rounds)
            .map(|_| {
                [
                    run::<Sharded>(threads, pairs),
                    run::<Bounded>(threads, pairs),
                    run::<Drained>(threads, pairs),
                ]
            })
            .collect();
        for (place, name) in [Sharded::NAME, Bounded::NAME, Drained::NAME].iter().enumerate() {
            let of = |figure: fn(&[Outcome; 3], usize) -> f64| {
                let figures = rounds.iter().map(|round| figure(round, place));
                Quartiles::of(figures).expect("there are rounds")
            };
            let ratio = of(|round, place| round[place].caller / round[0].caller);
            println!(
                "| {threads} | {name} | {:.0} | {:.1} ({:.1} – {:.1}) | {:.0} | {:.0} | {:.0} |",
                of(|round, place| round[place].caller).median,
                ratio.median,
                ratio.low,
                ratio.high,
                of(|round, place| round[place].longest).median,
                of(|round, place| round[place].cpu).median,
                of(|round, place| round[place].kept).median,
            );
        }
    }
}

/// What came of one run
#[derive(Debug)]
struct Outcome {
    /// Nanoseconds for each pair, on each thread
    caller: f64,
    /// Microseconds that one pair took at most
    longest: f64,
    /// Nanoseconds of all threads for each pair
    cpu: f64,
    kept: f64,
}

fn run<W: WayIn>(threads: usize, pairs: u32) -> Outcome {
    let way_in = &W::new();
    // The callers and this thread. Threads that have ended are not in the processor
    // time, so that they wait until it was read.
    let (begin, end) = (&Barrier::new(threads + 1), &Barrier::new(threads + 1));
    let calling = &AtomicUsize::new(threads);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    begin.wait();
                    let times = call(way_in, thread, pairs);
                    calling.fetch_sub(1, Ordering::Relaxed);
                    end.wait();
                    times
                })
            })
            .collect();
        let before = cpu_time();
        begin.wait();
        let mut kept = 0;
        // Until the driver has done everything that it was told.
        while calling.load(Ordering::Relaxed) > 0 || way_in.kept() > 0 {
            kept = kept.max(way_in.kept());
            thread::sleep(Duration::from_millis(1));
        }
        let cpu = cpu_time()
            .zip(before)
            .map_or(f64::NAN, |(after, before)| after.saturating_sub(before).as_secs_f64());
        end.wait();
        let times: Vec<_> =
            callers.into_iter().map(|caller| caller.join().expect("it does not panic")).collect();
        let count = f64::from(u32::try_from(threads).expect("a few threads"));
        let all: f64 = times.iter().map(|(all, _)| all.as_secs_f64()).sum();
        let longest = times.iter().map(|(_, longest)| *longest).max().unwrap_or_default();
        Outcome {
            caller: 1e9 * all / count / f64::from(pairs),
            longest: 1e6 * longest.as_secs_f64(),
            cpu: 1e9 * cpu / count / f64::from(pairs),
            kept: f64::from(u32::try_from(kept).expect("a few million")),
        }
    })
}

/// How long all pairs took, and the longest of those that were looked at
fn call(way_in: &impl WayIn, thread: usize, pairs: u32) -> (Duration, Duration) {
    let (start, mut longest) = (Instant::now(), Duration::ZERO);
    for _ in 0..pairs / WATCHED {
        for _ in 1..WATCHED {
            way_in.cancel(way_in.arm(thread, HOUR, [1, 2]));
        }
        // To look at each would take as long as what is looked at.
        let start = Instant::now();
        way_in.cancel(way_in.arm(thread, HOUR, [1, 2]));
        longest = longest.max(start.elapsed());
    }
    (start.elapsed(), longest)
}

/// One pair of so many
const WATCHED: u32 = 20;
/// In milliseconds
const HOUR: u64 = 3_600_000;
