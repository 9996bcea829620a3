//! Q5: a queue that is warm allocates nothing
//!
//! Every thread of the process counts, so this is one story.

use std::{alloc::System, hint::black_box};

use futures::StreamExt;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tickwheel::{DelayQueue, Timer};
use tickwheel_tests::{
    allocations::assert_allocates_nothing_when_warm,
    durations::{HOUR, MS},
    runtimes::multi_thread,
};
use tokio::task::unconstrained;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

async fn deliver_all(queue: &mut DelayQueue<u32>) {
    while let Some(item) = queue.next().await {
        black_box(item);
    }
}

/// Q5: 1000 items, one by one and all at once, delivered, moved and removed
#[test]
fn items_that_come_and_go_allocate_nothing() {
    let mut paused = tokio::runtime::Builder::new_current_thread();
    let paused = paused.enable_time().start_paused(true).build().unwrap();
    for (runtime, tick) in [(paused, MS), (multi_thread(1), MS / 100)] {
        // On a busy machine turns would be cut short, and budgets spent on what is due already;
        // tokio notes on its heap who yields then.
        let timer = Timer::builder().tick(tick).turn_time(HOUR);
        let timer = timer.build_on(runtime.handle()).unwrap();
        let mut queue = timer.delay_queue();
        assert_allocates_nothing_when_warm(|| {
            runtime.block_on(unconstrained(async {
                for item in 0..1000 {
                    queue.insert(item, tick);
                    deliver_all(&mut queue).await;
                }
            }));
        });
        assert_allocates_nothing_when_warm(|| {
            runtime.block_on(unconstrained(async {
                for item in 0..1000 {
                    queue.insert(item, tick * (item % 300));
                }
                deliver_all(&mut queue).await;
            }));
        });
        assert_allocates_nothing_when_warm(|| {
            for item in 0..1000 {
                let key = queue.insert(item, HOUR);
                queue.reset(&key, HOUR / (1 + item));
                black_box(queue.remove(&key));
            }
        });
    }
}
