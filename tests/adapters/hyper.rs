//! hyper's timer trait, asked directly; `interop/` asks it through hyper

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant as StdInstant},
};

use hyper::rt;
use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    waker::CountingWaker,
};
use tokio::time::{self, Instant};

/// As hyper keeps it
fn plugged_in(timer: &Timer) -> Arc<dyn rt::Timer + Send + Sync> {
    Arc::new(timer.clone())
}

fn poll(sleep: &mut Pin<Box<dyn rt::Sleep>>, waker: &Waker) -> Poll<()> {
    sleep.as_mut().poll(&mut Context::from_waker(waker))
}

#[tokio::test(start_paused = true)]
async fn a_sleep_comes_on_time() {
    let timer = Timer::new();
    let plugged_in = plugged_in(&timer);
    let start = Instant::now();
    plugged_in.sleep(30 * MS).await;
    assert_eq!(start.elapsed(), 30 * MS);
    plugged_in.sleep_until((start + 70 * MS).into_std()).await;
    assert_eq!(start.elapsed(), 70 * MS);
    plugged_in.sleep(Duration::ZERO).await;
    assert_eq!(start.elapsed(), 70 * MS);
    assert_eq!(timer.metrics().fired, 2);
}

/// tokio's clock, not the machine's, so that deadlines computed from it are right in tests
#[tokio::test(start_paused = true)]
async fn now_is_the_timers() {
    let timer = Timer::new();
    let plugged_in = plugged_in(&timer);
    time::advance(HOUR).await;
    assert_eq!(plugged_in.now(), Instant::now().into_std());
    assert!(plugged_in.now() > StdInstant::now() + HOUR / 2);
}

#[tokio::test(start_paused = true)]
async fn a_reset_moves_it_in_place() {
    let timer = Timer::new();
    let plugged_in = plugged_in(&timer);
    let counter = CountingWaker::new();
    let mut sleep = plugged_in.sleep(10 * MS);
    assert!(poll(&mut sleep, &counter.waker()).is_pending());
    let place = std::ptr::from_ref(&*sleep).cast::<u8>();

    plugged_in.reset(&mut sleep, plugged_in.now() + SECOND);
    assert_eq!(std::ptr::from_ref(&*sleep).cast::<u8>(), place, "no new box");
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.reset, metrics.cancelled), (1, 1, 0));
    time::sleep(500 * MS).await;
    assert_eq!(counter.wakes(), 0);
    time::sleep(501 * MS).await;
    assert_eq!(counter.wakes(), 1, "the task is told without a poll in between");
    assert!(poll(&mut sleep, &counter.waker()).is_ready());
    assert!(poll(&mut sleep, &counter.waker()).is_ready(), "and stays ready");
}

/// A sleep of ours moves within its own timer
#[tokio::test(start_paused = true)]
async fn a_sleep_of_another_timer_of_ours_is_moved_in_place() {
    let [one, other] = [Timer::new(), Timer::new()];
    let mut sleep = plugged_in(&one).sleep(10 * MS);
    assert!(poll(&mut sleep, Waker::noop()).is_pending());
    plugged_in(&other).reset(&mut sleep, (Instant::now() + SECOND).into_std());
    assert_eq!((one.pending(), other.pending()), (1, 0));
    sleep.await;
    assert_eq!((one.metrics().fired, other.metrics().registered), (1, 0));
}

/// A sleep that never comes, of nobody we know
struct Foreign;

impl Future for Foreign {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl rt::Sleep for Foreign {}

#[tokio::test(start_paused = true)]
async fn a_foreign_sleep_is_replaced() {
    let timer = Timer::new();
    let plugged_in = plugged_in(&timer);
    let mut sleep: Pin<Box<dyn rt::Sleep>> = Box::pin(Foreign);
    let start = Instant::now();
    plugged_in.reset(&mut sleep, (start + 20 * MS).into_std());
    sleep.await;
    assert_eq!(start.elapsed(), 20 * MS);
    assert_eq!(timer.metrics().fired, 1);
}

#[tokio::test(start_paused = true)]
async fn dropping_it_leaves_nothing_armed() {
    let timer = Timer::new();
    let mut sleep = plugged_in(&timer).sleep(HOUR);
    assert!(poll(&mut sleep, Waker::noop()).is_pending());
    assert_eq!(timer.pending(), 1);
    drop(sleep);
    assert_eq!(timer.pending(), 0);
}

/// The inherent methods are the ones that are called where both are in scope
#[tokio::test(start_paused = true)]
async fn the_trait_takes_no_name_away() {
    use hyper::rt::Timer as _;
    let timer = Timer::new();
    let sleep: tickwheel::Sleep = timer.sleep(MS);
    let now: Instant = timer.now();
    assert_eq!(sleep.deadline(), now + MS);
    let mut sleep: Pin<Box<dyn rt::Sleep>> = Box::pin(sleep);
    timer.reset(&mut sleep, now.into_std());
    sleep.await;
    assert_eq!(timer.now(), now, "what it alone has is there, too");
}
