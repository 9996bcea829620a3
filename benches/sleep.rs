//! The service beside `tokio::time`: `cargo bench -p tickwheel-benches --bench sleep`
//!
//! Both keep one earlier timer armed. With none, tokio writes to its event
//! descriptor at each arming and tickwheel calls its alarm thread now and then;
//! a service always has one.

use std::{future, hint::black_box, pin::pin, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use tickwheel::Timer;
use tickwheel_benches::poll_once;
use tokio::runtime::{Builder, Runtime};

criterion_group!(benches, arm_and_cancel, ready_timeout, reset_to_later);
criterion_main!(benches);

/// A five-minute sleep polled once and dropped
fn arm_and_cancel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("arm + cancel");
    for (runtime, name) in runtimes() {
        runtime.block_on(async {
            let timer = Timer::new();
            let mut earlier = pin!(tokio::time::sleep(EARLIER));
            let mut ours = timer.sleep(EARLIER);
            future::poll_fn(|cx| {
                assert!(earlier.as_mut().poll(cx).is_pending());
                assert!(pin!(&mut ours).poll(cx).is_pending());
                std::task::Poll::Ready(())
            })
            .await;
            tokio::task::yield_now().await;
            group.bench_function(format!("tokio, {name}"), |bencher| {
                bencher.iter(|| poll_once(pin!(tokio::time::sleep(black_box(LONG)))));
            });
            group.bench_function(format!("tickwheel, {name}"), |bencher| {
                bencher.iter(|| poll_once(pin!(timer.sleep(black_box(LONG)))));
            });
        });
    }
    group.finish();
}

/// A timeout around what is ready at once
fn ready_timeout(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("timeout, ready at once");
    for (runtime, name) in runtimes() {
        runtime.block_on(async {
            let timer = Timer::new();
            let lazy = Timer::builder().lazy_timeouts(true).build().expect("inside a runtime");
            group.bench_function(format!("tokio, {name}"), |bencher| {
                bencher.iter(|| {
                    poll_once(pin!(tokio::time::timeout(black_box(LONG), future::ready(1))))
                });
            });
            group.bench_function(format!("tickwheel, {name}"), |bencher| {
                bencher.iter(|| poll_once(pin!(timer.timeout(black_box(LONG), future::ready(1)))));
            });
            group.bench_function(format!("tickwheel lazy, {name}"), |bencher| {
                bencher.iter(|| poll_once(pin!(lazy.timeout(black_box(LONG), future::ready(1)))));
            });
        });
    }
    group.finish();
}

/// One sleep moved to five minutes from now, again and again
fn reset_to_later(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reset to later");
    for (runtime, name) in runtimes() {
        runtime.block_on(async {
            let timer = Timer::new();
            let mut theirs = pin!(tokio::time::sleep(LONG));
            let mut ours = timer.sleep(LONG);
            assert!(
                poll_once(theirs.as_mut()).is_pending() && poll_once(pin!(&mut ours)).is_pending()
            );
            group.bench_function(format!("tokio, {name}"), |bencher| {
                bencher.iter(|| theirs.as_mut().reset(tokio::time::Instant::now() + LONG));
            });
            group.bench_function(format!("tickwheel, {name}"), |bencher| {
                bencher.iter(|| ours.reset_after(black_box(LONG)));
            });
        });
    }
    group.finish();
}

fn runtimes() -> [(Runtime, &'static str); 2] {
    let current_thread = Builder::new_current_thread().enable_all().build();
    let multi_thread = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    [
        (multi_thread.expect("the machine has threads"), "multi-thread"),
        (current_thread.expect("the machine has a reactor"), "current-thread"),
    ]
}

const EARLIER: Duration = Duration::from_mins(4);
const LONG: Duration = Duration::from_mins(5);
