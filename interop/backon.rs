//! backon waits between its tries by any function that returns a future

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use backon::{ConstantBuilder, ExponentialBuilder, Retryable};
use tickwheel::Timer;
use tickwheel_interop::Counted;

#[tokio::test]
async fn it_tries_as_often_as_told_and_waits_in_between() {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let tries = AtomicU32::new(0);
    let start = timer.now();
    let wait = Duration::from_millis(20);

    let sleep = timer.clone();
    let result = (async || {
        tries.fetch_add(1, Ordering::Relaxed);
        Err::<(), _>("not yet")
    })
    .retry(ConstantBuilder::default().with_delay(wait).with_max_times(4))
    .sleep(move |duration| sleep.sleep(duration))
    .await;

    assert_eq!((result, tries.into_inner()), (Err("not yet"), 5));
    let took = timer.now() - start;
    assert!(took >= 4 * wait && took < Duration::from_secs(20), "{took:?}");
    before.assert_moved(&timer);
    assert_eq!((timer.metrics().fired, timer.pending()), (4, 0));
}

#[tokio::test]
async fn it_stops_at_the_first_success() {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let tries = AtomicU32::new(0);
    let sleep = timer.clone();
    let result = (async || match tries.fetch_add(1, Ordering::Relaxed) {
        2 => Ok("there"),
        _ => Err("not yet"),
    })
    .retry(ExponentialBuilder::default().with_min_delay(Duration::from_millis(1)))
    .sleep(move |duration| sleep.sleep(duration))
    .await;
    assert_eq!((result, tries.into_inner()), (Ok("there"), 3));
    before.assert_moved(&timer);
}
