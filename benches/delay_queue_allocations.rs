//! What a `DelayQueue` and tokio-util's allocate for an item:
//! `cargo bench -p tickwheel-benches --bench delay_queue_allocations`

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tickwheel_benches::delay_queues::{Ours, Queue, SPREAD, Theirs, deliver_all, paused};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let (ours, theirs) = (allocations::<Ours>(), allocations::<Theirs>());
    println!("allocations per delivered item: tickwheel {ours:.4}, tokio-util {theirs:.4}");
}

/// How many there are for each item that comes and is delivered, after as many before
fn allocations<Q: Queue>() -> f64 {
    paused().block_on(async {
        let mut queue = Q::new();
        fill_and_empty(&mut queue).await;
        let region = Region::new(COUNTING);
        fill_and_empty(&mut queue).await;
        let change = region.change();
        let count = u32::try_from(change.allocations + change.reallocations);
        f64::from(count.expect("a few for each item")) / f64::from(ITEMS)
    })
}

async fn fill_and_empty(queue: &mut impl Queue) {
    for number in 0..ITEMS {
        queue.insert(number.into(), SPREAD * number / ITEMS);
    }
    assert_eq!(deliver_all(queue).await, ITEMS);
}

const ITEMS: u32 = 10_000;
