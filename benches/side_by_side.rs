//! tickwheel beside `tokio::time`, turn by turn: `cargo bench -p tickwheel-benches --bench side_by_side`
//!
//! Both do the same work in alternating rounds of one process, so that whatever
//! else the machine does slows both. It prints a Markdown table: the median time of
//! each, and the median of the ratios of neighbouring rounds with their quartiles.
//! `-- --quick` takes fewer rounds.

use std::{
    future,
    hint::black_box,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use tickwheel::Timer;
use tickwheel_benches::{Random, poll_once};
use tokio::runtime::{Builder, Runtime};

fn main() {
    let is_asked = |name| std::env::args().any(|argument| argument == name);
    // `cargo test` runs a benchmark without `--bench`, only to see that it runs.
    let rounds = if is_asked("--quick") || !is_asked("--bench") { 10 } else { 200 };
    println!("| work | tickwheel | tokio | ratio | quartiles |\n|---|---|---|---|---|");
    let multi_thread = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let current_thread = Builder::new_current_thread().enable_all().build();
    for (name, runtime) in [("multi-thread", multi_thread), ("current-thread", current_thread)] {
        let runtime = runtime.expect("the machine can run one");
        operations(name, &runtime, rounds);
    }
    lateness(rounds);
}

/// What a service does a million times a minute
fn operations(name: &str, runtime: &Runtime, rounds: usize) {
    runtime.block_on(async {
        let timer = Timer::new();
        let lazy = Timer::builder().lazy_timeouts(true).build().expect("inside a runtime");
        // Both keep one earlier timer, as a service does. With none, tokio writes to
        // its event descriptor at each arming.
        let mut theirs = pin!(tokio::time::sleep(EARLIER));
        let mut ours = pin!(timer.sleep(EARLIER));
        future::poll_fn(|cx| {
            let pending =
                theirs.as_mut().poll(cx).is_pending() && ours.as_mut().poll(cx).is_pending();
            assert!(pending, "nobody waits that long");
            Poll::Ready(())
        })
        .await;
        tokio::task::yield_now().await;

        let compare = |work: &str, ours: &mut dyn FnMut(), theirs: &mut dyn FnMut()| {
            let pairs: Vec<_> = (0..rounds).map(|_| (time(ours), time(theirs))).collect();
            print_row(&format!("{work}, {name}"), &pairs, "ns");
        };
        compare(
            "arm + cancel",
            &mut || assert!(poll_once(pin!(timer.sleep(black_box(LONG)))).is_pending()),
            &mut || assert!(poll_once(pin!(tokio::time::sleep(black_box(LONG)))).is_pending()),
        );
        let mut theirs_ready =
            || assert!(poll_once(pin!(tokio::time::timeout(black_box(LONG), async {}))).is_ready());
        compare(
            "timeout, ready at once",
            &mut || assert!(poll_once(pin!(timer.timeout(black_box(LONG), async {}))).is_ready()),
            &mut theirs_ready,
        );
        compare(
            "the same, lazy",
            &mut || assert!(poll_once(pin!(lazy.timeout(black_box(LONG), async {}))).is_ready()),
            &mut theirs_ready,
        );
        compare("reset to later", &mut || ours.reset_after(black_box(LONG)), &mut || {
            theirs.as_mut().reset(tokio::time::Instant::now() + black_box(LONG));
        });
    });
}

/// How late one sleep comes on an idle runtime, begun at a random moment
fn lateness(rounds: usize) {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("the machine can run one").block_on(async {
        let mut random = Random::new(1);
        for tick in [1000, 100] {
            let timer = Timer::builder().tick(Duration::from_micros(tick)).build();
            let timer = timer.expect("inside a runtime");
            let mut pairs = Vec::new();
            for _ in 0..rounds {
                let wait = Duration::from_nanos(2_000_000 + random.below(3_000_000));
                let start = Instant::now();
                timer.sleep(wait).await;
                let ours = start.elapsed().saturating_sub(wait);
                let start = Instant::now();
                tokio::time::sleep(wait).await;
                pairs.push((micros(ours), micros(start.elapsed().saturating_sub(wait))));
            }
            print_row(&format!("lateness when idle, tick {tick} µs"), &pairs, "µs");
        }
    });
}

/// Nanoseconds for one of many
fn time(work: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..OPERATIONS {
        work();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(OPERATIONS)
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

fn print_row(work: &str, pairs: &[(f64, f64)], unit: &str) {
    let sorted = |values: Vec<f64>| {
        let mut values = values;
        values.sort_by(f64::total_cmp);
        values
    };
    let (ours, theirs): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let ratios = sorted(pairs.iter().map(|(ours, theirs)| ours / theirs).collect());
    let (ours, theirs) = (sorted(ours), sorted(theirs));
    let middle = ratios.len() / 2;
    println!(
        "| {work} | {:.0} {unit} | {:.0} {unit} | {:.2} | {:.2} – {:.2} |",
        ours[middle],
        theirs[middle],
        ratios[middle],
        ratios[middle / 2],
        ratios[middle + middle / 2],
    );
}

const OPERATIONS: u32 = 10_000;
const EARLIER: Duration = Duration::from_mins(10);
const LONG: Duration = Duration::from_mins(15);
