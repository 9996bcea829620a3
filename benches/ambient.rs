//! What it costs to find the timer of the current runtime: `cargo bench -p tickwheel-benches --bench ambient`
//!
//! Each line does one thing with the ambient timer and the same with a handle, or with
//! `tokio::time`, in alternating rounds of one process. It prints a Markdown table: the
//! median of each in nanoseconds, and the median of the differences of neighbouring
//! rounds with their quartiles.

use std::{
    future,
    hint::black_box,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use tickwheel::Timer;
use tickwheel_benches::poll_once;
use tokio::runtime::{Builder, Handle, Runtime};

fn main() {
    // `cargo test` runs a benchmark without `--bench`, only to see that it runs.
    let is_asked = std::env::args().any(|argument| argument == "--bench");
    let rounds = if is_asked { 400 } else { 10 };
    println!("| work | this | that | difference | quartiles |\n|---|---|---|---|---|");
    let multi_thread = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let current_thread = Builder::new_current_thread().enable_all().build();
    for (name, runtime) in [("multi-thread", multi_thread), ("current-thread", current_thread)] {
        let runtime = runtime.expect("the machine can run one");
        compare_all(name, &runtime, rounds);
    }
}

fn compare_all(name: &str, runtime: &Runtime, rounds: usize) {
    runtime.block_on(async {
        let timer = Timer::current();
        // All keep one earlier timer, as a service does.
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

        let compare = |work: &str, this: &mut dyn FnMut(), that: &mut dyn FnMut()| {
            let pairs: Vec<_> = (0..rounds).map(|_| (time(this), time(that))).collect();
            print_row(&format!("{work}, {name}"), &pairs);
        };
        compare(
            "`Timer::current()`, nothing",
            &mut || drop(black_box(Timer::current())),
            &mut || {
                black_box(());
            },
        );
        compare(
            "`Handle::current().id()`, of which that is a part",
            &mut || {
                black_box(Handle::current().id());
            },
            &mut || {
                black_box(());
            },
        );
        let mut ambient = || {
            assert!(poll_once(pin!(tickwheel::time::sleep(black_box(LONG)))).is_pending());
        };
        compare("arm + cancel, with a handle", &mut ambient, &mut || {
            assert!(poll_once(pin!(timer.sleep(black_box(LONG)))).is_pending());
        });
        compare("arm + cancel, with `tokio::time`", &mut ambient, &mut || {
            assert!(poll_once(pin!(tokio::time::sleep(black_box(LONG)))).is_pending());
        });
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

fn print_row(work: &str, pairs: &[(f64, f64)]) {
    let quartiles = |values: Vec<f64>| {
        let mut values = values;
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        [values[middle / 2], values[middle], values[middle + middle / 2]]
    };
    let (this, that): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let [low, difference, high] = quartiles(pairs.iter().map(|(this, that)| this - that).collect());
    let [this, that] = [this, that].map(|values| quartiles(values)[1]);
    println!("| {work} | {this:.1} | {that:.1} | {difference:.1} | {low:.1} – {high:.1} |");
}

const OPERATIONS: u32 = 10_000;
const EARLIER: Duration = Duration::from_mins(10);
const LONG: Duration = Duration::from_mins(15);
