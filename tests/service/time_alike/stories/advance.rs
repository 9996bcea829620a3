//! Tests that pause the clock, as services have them

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tickwheel_tests::waker::{CountingWaker, poll_with};
use tokio::task::yield_now;

use super::time::{Duration, Instant, advance, interval, pause, resume, sleep, timeout};

const MS: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_hours(1);

/// With nothing else to do, the clock goes to the next deadline
#[tokio::test(start_paused = true)]
async fn the_clock_goes_on_by_itself_to_the_next_deadline() {
    let (real, started) = (std::time::Instant::now(), Instant::now());
    let slow = tokio::spawn(sleep(48 * HOUR));
    assert!(timeout(24 * HOUR, sleep(36 * HOUR)).await.is_err());
    assert!((24 * HOUR..=24 * HOUR + 2 * MS).contains(&started.elapsed()));
    slow.await.unwrap();
    assert!((48 * HOUR..=48 * HOUR + 4 * MS).contains(&started.elapsed()));
    assert!(real.elapsed() < HOUR);
}

/// A cancelled deadline is nowhere to go
#[tokio::test(start_paused = true)]
async fn the_clock_does_not_stop_at_what_was_cancelled() {
    let started = Instant::now();
    assert!(timeout(HOUR, sleep(10 * MS)).await.is_ok());
    sleep(24 * HOUR).await;
    assert!((24 * HOUR..=24 * HOUR + 14 * MS).contains(&started.elapsed()));
}

#[tokio::test(start_paused = true)]
async fn what_is_advanced_over_is_due() {
    let ticks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ticks);
    let task = tokio::spawn(async move {
        let mut interval = interval(10 * MS);
        loop {
            interval.tick().await;
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    yield_now().await;
    assert_eq!(ticks.load(Ordering::Relaxed), 1);
    for n in 2..100 {
        advance(10 * MS).await;
        settle().await;
        assert_eq!(ticks.load(Ordering::Relaxed), n);
    }
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn a_sleep_that_was_advanced_over_is_ready_at_the_next_poll() {
    let mut nap = Box::pin(sleep(HOUR));
    assert!(futures::poll!(nap.as_mut()).is_pending());
    advance(HOUR + MS).await;
    assert!(futures::poll!(nap.as_mut()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn what_is_advanced_over_has_been_woken_when_that_returns() {
    let counter = CountingWaker::new();
    let mut nap = Box::pin(sleep(MS));
    assert!(poll_with(&mut nap, &counter.waker()).is_pending());
    for _ in 0..3 {
        advance(MS / 4).await;
        assert!(poll_with(&mut nap, &counter.waker()).is_pending());
    }
    advance(MS / 4).await;
    assert_eq!(counter.wakes(), 1);
    assert!(poll_with(&mut nap, &counter.waker()).is_ready());
}

/// Real
#[tokio::test]
async fn after_a_resume_time_passes_as_it_does() {
    pause();
    advance(HOUR).await;
    resume();
    let started = std::time::Instant::now();
    sleep(20 * MS).await;
    let slept = started.elapsed();
    assert!((20 * MS..=HOUR).contains(&slept), "{slept:?}");
}

/// Other tasks run until they wait
async fn settle() {
    for _ in 0..8 {
        yield_now().await;
    }
}
