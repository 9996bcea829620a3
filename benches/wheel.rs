//! The wheel alone: `cargo bench -p tickwheel-benches --bench wheel`

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tickwheel_benches::Random;
use tickwheel_core::{Tick, TimerKey, Wheel};

/// A pointer and a table, as a waker is
type Value = [usize; 2];

const VALUE: Value = [1, 2];
/// An hour of milliseconds
const HOUR: u64 = 3_600_000;

criterion_group!(
    benches,
    hot_insert_and_cancel,
    random_cancel_and_insert,
    hot_reset,
    expire_spread
);
criterion_main!(benches);

/// One timer armed and cancelled again and again among so many others
fn hot_insert_and_cancel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("insert + cancel, hot");
    for live in POPULATIONS {
        let (mut wheel, _keys) = filled(live);
        let mut tick = 30_000;
        group.bench_function(BenchmarkId::from_parameter(live), |bencher| {
            bencher.iter(|| {
                tick += 1;
                let key = wheel.insert(Tick::new(black_box(tick % HOUR)), VALUE);
                wheel.cancel(key)
            });
        });
    }
    group.finish();
}

/// Any one of the timers cancelled and another armed in its place
fn random_cancel_and_insert(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cancel + insert, random");
    for live in POPULATIONS {
        let (mut wheel, mut keys) = filled(live);
        let mut random = Random::new(7);
        group.bench_function(BenchmarkId::from_parameter(live), |bencher| {
            bencher.iter(|| {
                let key = &mut keys[usize::try_from(random.below(live)).expect("it is an index")];
                let value = wheel.cancel(*key).expect("the key is live");
                *key = wheel.insert(Tick::new(1 + random.below(HOUR)), value);
            });
        });
    }
    group.finish();
}

/// One timer moved ever later
fn hot_reset(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reset to later, hot");
    for live in POPULATIONS {
        let (mut wheel, keys) = filled(live);
        let mut tick = HOUR;
        group.bench_function(BenchmarkId::from_parameter(live), |bencher| {
            bencher.iter(|| {
                tick += 1;
                wheel.reset(keys[0], Tick::new(black_box(tick)))
            });
        });
    }
    group.finish();
}

/// All of them, spread over an hour, fired in order
fn expire_spread(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("expire, spread over an hour");
    group.sample_size(10);
    for live in POPULATIONS {
        group.throughput(Throughput::Elements(live));
        group.bench_function(BenchmarkId::from_parameter(live), |bencher| {
            bencher.iter_batched(
                || filled(live).0,
                |mut wheel| {
                    while let Some(expired) = wheel.poll_expired(Tick::new(HOUR)) {
                        black_box(expired);
                    }
                    wheel
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// A wheel with so many timers at random within an hour
fn filled(live: u64) -> (Wheel<Value>, Vec<TimerKey>) {
    let mut random = Random::new(live);
    let mut wheel = Wheel::new();
    let keys = (0..live).map(|_| wheel.insert(Tick::new(1 + random.below(HOUR)), VALUE)).collect();
    (wheel, keys)
}

const POPULATIONS: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
