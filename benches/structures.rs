//! The wheel beside other structures: `cargo bench -p tickwheel-benches --bench structures`
//!
//! Deadlines are at random within a minute of ticks of a millisecond, and time goes
//! on tick by tick, as a driver's does. The figures are for all timers together,
//! with the throughput for one of them.

use std::{env, hint::black_box, mem, time::Duration};

use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use tickwheel_benches::{
    Random,
    structures::{HashedWheel, Hierarchical, LazyHeap, Nexus, OrderedMap, Ours, Structure, Value},
};

criterion_group!(benches, all);
criterion_main!(benches);

fn all(criterion: &mut Criterion) {
    for work in [Work::Insert, Work::Cancel, Work::Expire, Work::Total] {
        let mut group = criterion.benchmark_group(format!("structures, {}", work.name()));
        group.sample_size(10);
        group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        for timers in populations() {
            group.throughput(Throughput::Elements(timers));
            bench::<LazyHeap>(&mut group, work, timers);
            bench::<OrderedMap>(&mut group, work, timers);
            bench::<HashedWheel>(&mut group, work, timers);
            bench::<Hierarchical>(&mut group, work, timers);
            bench::<Nexus>(&mut group, work, timers);
            bench::<Ours>(&mut group, work, timers);
        }
        group.finish();
    }
}

#[derive(Clone, Copy, Debug)]
enum Work {
    /// Into an empty one
    Insert,
    /// All of them, in no order
    Cancel,
    /// All of them, tick by tick
    Expire,
    /// All inserted, 99 of 100 cancelled in no order, the rest expired
    Total,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Cancel => "cancel",
            Self::Expire => "expire",
            Self::Total => "total",
        }
    }
}

fn bench<S: Structure>(group: &mut BenchmarkGroup<'_, WallTime>, work: Work, timers: u64) {
    let deadlines = deadlines(timers);
    group.bench_function(BenchmarkId::new(S::NAME, timers), |bencher| match work {
        Work::Insert => bencher.iter_batched(
            || Filled::empty(&deadlines),
            |mut filled: Filled<S>| {
                filled.fill(&deadlines);
                filled
            },
            BatchSize::PerIteration,
        ),
        Work::Cancel => bencher.iter_batched(
            || Filled::shuffled(&deadlines),
            |mut filled: Filled<S>| {
                filled.cancel(0);
                filled
            },
            BatchSize::PerIteration,
        ),
        Work::Expire => bencher.iter_batched(
            || Filled::shuffled(&deadlines),
            |mut filled: Filled<S>| {
                filled.expire();
                filled
            },
            BatchSize::PerIteration,
        ),
        Work::Total => bencher.iter_batched(
            || Filled::empty(&deadlines),
            |mut filled: Filled<S>| {
                filled.fill(&deadlines);
                filled.shuffle();
                filled.cancel(deadlines.len() / 100);
                filled.expire();
                filled
            },
            BatchSize::PerIteration,
        ),
    });
}

/// A structure and the names of what is in it
struct Filled<S: Structure> {
    structure: S,
    keys: Vec<S::Key>,
}

impl<S: Structure> Filled<S> {
    fn empty(deadlines: &[u64]) -> Self {
        Self { structure: S::new(), keys: Vec::with_capacity(deadlines.len()) }
    }

    fn shuffled(deadlines: &[u64]) -> Self {
        let mut filled = Self::empty(deadlines);
        filled.fill(deadlines);
        filled.shuffle();
        filled
    }

    fn fill(&mut self, deadlines: &[u64]) {
        let Self { structure, keys } = self;
        keys.extend(deadlines.iter().map(|&deadline| structure.insert(deadline, VALUE)));
    }

    fn shuffle(&mut self) {
        let mut random = Random::new(17);
        for index in (1..self.keys.len()).rev() {
            let other = random.below(index as u64 + 1);
            self.keys.swap(index, usize::try_from(other).expect("it is an index"));
        }
    }

    /// Cancels all but so many
    fn cancel(&mut self, left: usize) {
        for key in self.keys.drain(left..) {
            black_box(self.structure.cancel(key));
        }
    }

    fn expire(&mut self) {
        for now in 1..=MINUTE {
            self.structure.expire(now, |value| {
                black_box(value);
            });
        }
    }
}

impl<S: Structure> Drop for Filled<S> {
    fn drop(&mut self) {
        for key in mem::take(&mut self.keys) {
            // Of one that has expired this gives up the name, and what is left goes too.
            self.structure.forget(key);
        }
    }
}

fn deadlines(timers: u64) -> Vec<u64> {
    let mut random = Random::new(timers);
    (0..timers).map(|_| 1 + random.below(MINUTE)).collect()
}

/// `cargo test` runs each once, to see that it runs
fn populations() -> impl Iterator<Item = u64> {
    let is_bench = env::args().any(|argument| argument == "--bench");
    [1_000, 10_000, 100_000, 1_000_000].into_iter().take(if is_bench { 4 } else { 1 })
}

const VALUE: Value = [1, 2];
/// In milliseconds
const MINUTE: u64 = 60_000;
