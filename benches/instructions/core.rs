//! The wheel alone: a thousand of each operation
//!
//! `.ci/instructions` counts them, and keeps the figures.

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use tickwheel_core::{Step, Tick, TimerKey, Wheel};

main!(library_benchmark_groups = wheel);

library_benchmark_group!(
    name = wheel;
    benchmarks = insert_and_cancel, insert, cancel, reset_to_later, reset_to_earlier, expire, cascade, step_without_work
);

#[library_benchmark]
#[bench::alone(warm())]
#[bench::among_many(among(100_000))]
fn insert_and_cancel(mut wheel: Waiting) -> Waiting {
    for _ in 0..TIMES {
        let key = wheel.insert(black_box(LATER), VALUE);
        black_box(wheel.cancel(key));
    }
    wheel
}

#[library_benchmark]
#[bench::into_room_there_is(warm())]
fn insert(mut wheel: Waiting) -> Waiting {
    for tick in 0..TIMES {
        black_box(wheel.insert(Tick::new(LATER.get() + tick), VALUE));
    }
    wheel
}

#[library_benchmark]
#[bench::spread_out(armed(1))]
fn cancel((mut wheel, keys): (Waiting, Vec<TimerKey>)) -> Waiting {
    for &key in &keys {
        black_box(wheel.cancel(key));
    }
    wheel
}

#[library_benchmark]
#[bench::by_a_tick(armed(1))]
fn reset_to_later((mut wheel, keys): (Waiting, Vec<TimerKey>)) -> Waiting {
    for &key in &keys {
        black_box(wheel.reset(key, Tick::new(LATER.get() + TIMES)).is_ok());
    }
    wheel
}

#[library_benchmark]
#[bench::to_another_level(armed(1))]
fn reset_to_earlier((mut wheel, keys): (Waiting, Vec<TimerKey>)) -> Waiting {
    for &key in &keys {
        black_box(wheel.reset(key, black_box(SOON)).is_ok());
    }
    wheel
}

#[library_benchmark]
#[bench::at_one_tick(due())]
fn expire(mut wheel: Waiting) -> Waiting {
    while let Step::Expired(expired) = wheel.step(SOON) {
        black_box(expired);
    }
    wheel
}

#[library_benchmark]
#[bench::of_one_slot(far())]
fn cascade(mut wheel: Waiting) -> Waiting {
    // Its own start is before all of them, so that they are moved, and none expires.
    while wheel.step(Tick::new(1 << 14)) != Step::Idle {}
    wheel
}

#[library_benchmark]
#[bench::tick_by_tick(warm())]
fn step_without_work(mut wheel: Waiting) -> Waiting {
    for tick in 0..TIMES {
        black_box(wheel.step(Tick::new(tick)) == Step::Idle);
    }
    wheel
}

type Waiting = Wheel<[usize; 2]>;

/// One that holds a timer, and has room
fn warm() -> Waiting {
    let mut wheel = Wheel::with_capacity(2 * 4096);
    wheel.insert(EARLIER, VALUE);
    wheel
}

fn among(others: u64) -> Waiting {
    let mut wheel = warm();
    for number in 0..others {
        wheel.insert(Tick::new(EARLIER.get() + number), VALUE);
    }
    wheel
}

/// A thousand, with so many ticks between one and the next
fn armed(apart: u64) -> (Waiting, Vec<TimerKey>) {
    let mut wheel = warm();
    let keys = (0..TIMES).map(|n| wheel.insert(Tick::new(LATER.get() + apart * n), VALUE));
    let keys = keys.collect();
    (wheel, keys)
}

fn due() -> Waiting {
    let mut wheel = warm();
    for _ in 0..TIMES {
        wheel.insert(SOON, VALUE);
    }
    wheel
}

/// A thousand in the first slot of level 2, none at its first tick
fn far() -> Waiting {
    let mut wheel = warm();
    for number in 0..TIMES {
        wheel.insert(Tick::new((1 << 14) + 1 + number), VALUE);
    }
    wheel
}

const TIMES: u64 = 1000;
const SOON: Tick = Tick::new(100);
const EARLIER: Tick = Tick::new(600_000);
const LATER: Tick = Tick::new(900_000);
const VALUE: [usize; 2] = [1, 2];
