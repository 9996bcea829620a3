//! `DelayQueue` beside tokio-util's: `cargo bench -p tickwheel-benches --bench delay_queue`
//!
//! First both in turns, to compare: the medians of the rounds and their ratio. Then
//! each by Criterion, to follow over time. What they allocate is counted by
//! `delay_queue_allocations`, since counting takes time.

use std::{
    env,
    hint::black_box,
    pin::pin,
    time::{Duration, Instant},
};

use criterion::{Criterion, criterion_group};
use tickwheel_benches::{
    delay_queues::{Ours, Queue, SPREAD, Theirs, current_thread, deliver_all, deliver_due, paused},
    quartiles::Quartiles,
};
use tokio::{task::unconstrained, time::advance};

criterion_group!(benches, insert_and_remove, deliver);

fn main() {
    // `cargo test` runs each once, to see that it runs.
    if env::args().any(|argument| argument == "--bench") {
        println!("for one item, tickwheel beside tokio-util, medians of {ROUNDS} rounds:");
        for (name, others) in BESIDE {
            let (ours, theirs) =
                (|| pairs::<Ours>(others, PAIRS.into()), || pairs::<Theirs>(others, PAIRS.into()));
            compare(&format!("insert + remove, {name}"), ours, theirs, PAIRS);
        }
        for (name, order, step) in DELIVERIES {
            let (ours, theirs) =
                (|| delivery::<Ours>(order, step), || delivery::<Theirs>(order, step));
            compare(name, ours, theirs, ITEMS);
        }
        let runtime = (0..ROUNDS).map(|_| ticks().as_secs_f64());
        let runtime = Quartiles::of(runtime).expect("there are rounds").median;
        println!("  of which the runtime's, for a bare tokio sleep: {:.0} ns", 1e9 * runtime);
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}

/// An item five minutes ahead comes and goes
fn insert_and_remove(criterion: &mut Criterion) {
    for (name, others) in BESIDE {
        let mut group = criterion.benchmark_group(format!("delay queue, insert + remove, {name}"));
        group.bench_function("tokio-util", |bencher| {
            bencher.iter_custom(|count| pairs::<Theirs>(others, count));
        });
        group.bench_function("tickwheel", |bencher| {
            bencher.iter_custom(|count| pairs::<Ours>(others, count));
        });
        group.finish();
    }
}

/// A hundred thousand items spread over ten seconds of virtual time; the figures are for all of them
fn deliver(criterion: &mut Criterion) {
    for (name, order, step) in DELIVERIES {
        let mut group = criterion.benchmark_group(format!("delay queue, 100 000 x {name}"));
        group.sample_size(10);
        group.bench_function("tokio-util", |bencher| {
            bencher
                .iter_custom(|rounds| (0..rounds).map(|_| delivery::<Theirs>(order, step)).sum());
        });
        group.bench_function("tickwheel", |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| delivery::<Ours>(order, step)).sum());
        });
        group.finish();
    }
}

/// Runs both in turns and prints the medians of their times for one item, and of their ratio
fn compare(name: &str, ours: impl Fn() -> Duration, theirs: impl Fn() -> Duration, items: u32) {
    let rounds: Vec<_> = (0..ROUNDS).map(|_| (ours() / items, theirs() / items)).collect();
    let median = |of: fn(&(Duration, Duration)) -> f64| {
        Quartiles::of(rounds.iter().map(of)).expect("there are rounds").median
    };
    let ours = 1e9 * median(|(ours, _)| ours.as_secs_f64());
    let theirs = 1e9 * median(|(_, theirs)| theirs.as_secs_f64());
    // Of each round by itself: what slows the machine down then slows both.
    let ratio = median(|(ours, theirs)| ours.as_secs_f64() / theirs.as_secs_f64());
    println!("  {name}: {ours:.0} ns, {theirs:.0} ns, ratio {ratio:.2}");
}

/// The time so many pairs take
fn pairs<Q: Queue>(others: u64, pairs: u64) -> Duration {
    current_thread().block_on(async {
        let mut queue = Q::new();
        for number in 0..others {
            queue.insert(number, LONG / 2);
        }
        queue.poll_once();
        let start = Instant::now();
        for number in 0..pairs {
            let key = queue.insert(black_box(number), black_box(LONG));
            queue.remove(&key);
        }
        start.elapsed()
    })
}

/// How items were inserted
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    ByDeadline,
    /// So that neighbours in time are far apart in memory
    Scattered,
}

/// The time it takes to deliver all items, `step` by `step` or each tick when it comes
fn delivery<Q: Queue>(order: Order, step: Option<Duration>) -> Duration {
    paused().block_on(unconstrained(async {
        let mut queue = Q::new();
        for number in 0..u64::from(ITEMS) {
            let place = match order {
                Order::ByDeadline => number,
                Order::Scattered => number * 7919 % u64::from(ITEMS),
            };
            let place = u32::try_from(place).expect("below the number of items");
            queue.insert(number, SPREAD * place / ITEMS);
        }
        let Some(step) = step else {
            let start = Instant::now();
            assert_eq!(deliver_all(&mut queue).await, ITEMS);
            return start.elapsed();
        };
        let (mut delivered, mut spent) = (0, Duration::ZERO);
        while delivered < ITEMS {
            // Moving the clock is the runtime's work, and not counted.
            advance(step).await;
            let start = Instant::now();
            delivered += deliver_due(&mut queue).await;
            spent += start.elapsed();
        }
        spent
    }))
}

/// The least that waiting tick by tick takes, for one item: one sleep moved from tick to tick
fn ticks() -> Duration {
    paused().block_on(unconstrained(async {
        let mut sleep = pin!(tokio::time::sleep(TICK));
        let start = Instant::now();
        for _ in 0..SPREAD.as_millis() / TICK.as_millis() {
            sleep.as_mut().await;
            let next = sleep.deadline() + TICK;
            sleep.as_mut().reset(next);
        }
        start.elapsed() / ITEMS
    }))
}

const BESIDE: [(&str, u64); 2] = [("alone", 0), ("beside a thousand earlier ones", 1000)];
const DELIVERIES: [(&str, Order, Option<Duration>); 3] = [
    (
        "deliver, the clock moved by 10 ms at a time",
        Order::ByDeadline,
        Some(Duration::from_millis(10)),
    ),
    ("deliver, inserted in no order", Order::Scattered, Some(Duration::from_millis(10))),
    (
        "deliver, waited for tick by tick, with what the runtime does for that",
        Order::ByDeadline,
        None,
    ),
];
const TICK: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_mins(5);
const ITEMS: u32 = 100_000;
const PAIRS: u32 = 200_000;
const ROUNDS: usize = 25;
