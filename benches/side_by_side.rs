//! tickwheel beside `tokio::time`, turn by turn: `cargo bench -p tickwheel-benches --bench side_by_side`
//!
//! Both do the same work in alternating rounds of one process, so that whatever
//! else the machine does slows both. It prints a Markdown table: the median time of
//! each, and the median of the ratios of neighbouring rounds with their quartiles.
//! `-- --quick` takes fewer rounds.

use std::{
    hint::black_box,
    pin::pin,
    time::{Duration, Instant},
};

use tickwheel::Timer;
use tickwheel_benches::{
    Random,
    in_turns::{self, EARLIER, LATER, keep_armed},
    poll_once,
    quartiles::Quartiles,
};
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
        let mut theirs = pin!(tokio::time::sleep(EARLIER));
        let mut ours = pin!(timer.sleep(EARLIER));
        keep_armed(theirs.as_mut(), ours.as_mut()).await;

        let compare = |work: &str, ours: &mut dyn FnMut(), theirs: &mut dyn FnMut()| {
            print_row(&format!("{work}, {name}"), &in_turns::rounds(rounds, ours, theirs), "ns");
        };
        compare(
            "arm + cancel",
            &mut || assert!(poll_once(pin!(timer.sleep(black_box(LATER)))).is_pending()),
            &mut || assert!(poll_once(pin!(tokio::time::sleep(black_box(LATER)))).is_pending()),
        );
        let mut theirs_ready = || {
            assert!(poll_once(pin!(tokio::time::timeout(black_box(LATER), async {}))).is_ready());
        };
        compare(
            "timeout, ready at once",
            &mut || assert!(poll_once(pin!(timer.timeout(black_box(LATER), async {}))).is_ready()),
            &mut theirs_ready,
        );
        compare(
            "the same, lazy",
            &mut || assert!(poll_once(pin!(lazy.timeout(black_box(LATER), async {}))).is_ready()),
            &mut theirs_ready,
        );
        compare("reset to later", &mut || ours.reset_after(black_box(LATER)), &mut || {
            theirs.as_mut().reset(tokio::time::Instant::now() + black_box(LATER));
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

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

fn print_row(work: &str, pairs: &[(f64, f64)], unit: &str) {
    let of = |figure: fn(&(f64, f64)) -> f64| {
        Quartiles::of(pairs.iter().map(figure)).expect("there are rounds")
    };
    let ratio = of(|(ours, theirs)| ours / theirs);
    println!(
        "| {work} | {:.0} {unit} | {:.0} {unit} | {:.2} | {:.2} – {:.2} |",
        of(|(ours, _)| *ours).median,
        of(|(_, theirs)| *theirs).median,
        ratio.median,
        ratio.low,
        ratio.high,
    );
}
