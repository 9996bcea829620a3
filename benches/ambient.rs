//! What it costs to find the timer of the current runtime: `cargo bench -p tickwheel-benches --bench ambient`
//!
//! Each line does one thing with the ambient timer and the same with a handle, or with
//! `tokio::time`, in alternating rounds of one process. It prints a Markdown table: the
//! median of each in nanoseconds, and the median of the differences of neighbouring
//! rounds with their quartiles.

use std::{hint::black_box, pin::pin};

use tickwheel::Timer;
use tickwheel_benches::{
    in_turns::{self, EARLIER, LATER, keep_armed},
    poll_once,
    quartiles::Quartiles,
};
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
        let mut theirs = pin!(tokio::time::sleep(EARLIER));
        let mut ours = pin!(timer.sleep(EARLIER));
        keep_armed(theirs.as_mut(), ours.as_mut()).await;

        let compare = |work: &str, this: &mut dyn FnMut(), that: &mut dyn FnMut()| {
            print_row(&format!("{work}, {name}"), &in_turns::rounds(rounds, this, that));
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
            assert!(poll_once(pin!(tickwheel::time::sleep(black_box(LATER)))).is_pending());
        };
        compare("arm + cancel, with a handle", &mut ambient, &mut || {
            assert!(poll_once(pin!(timer.sleep(black_box(LATER)))).is_pending());
        });
        compare("arm + cancel, with `tokio::time`", &mut ambient, &mut || {
            assert!(poll_once(pin!(tokio::time::sleep(black_box(LATER)))).is_pending());
        });
    });
}

fn print_row(work: &str, pairs: &[(f64, f64)]) {
    let of = |figure: fn(&(f64, f64)) -> f64| {
        Quartiles::of(pairs.iter().map(figure)).expect("there are rounds")
    };
    let difference = of(|(this, that)| this - that);
    println!(
        "| {work} | {:.1} | {:.1} | {:.1} | {:.1} – {:.1} |",
        of(|(this, _)| *this).median,
        of(|(_, that)| *that).median,
        difference.median,
        difference.low,
        difference.high,
    );
}
