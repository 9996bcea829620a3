//! Deadlines on the requests of a service

use std::{
    error::Error,
    fmt,
    future::{Future, Ready, ready},
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures::FutureExt;
use tickwheel::{
    Elapsed, Timer, TimerError,
    tower::{ResponseFuture, Timeout, TimeoutLayer},
};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    waker::poll_with,
};
use tokio::time::{self, Instant};
use tower_layer::Layer;
use tower_service::Service;

/// Answers a duration by the duration, so much later; a zero is refused
#[derive(Clone, Debug)]
struct Slow;

#[derive(Debug, PartialEq, Eq)]
struct Zero;

impl fmt::Display for Zero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zero")
    }
}

impl Error for Zero {}

impl Service<Duration> for Slow {
    type Response = Duration;
    type Error = Zero;
    type Future = Pin<Box<dyn Future<Output = Result<Duration, Zero>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Zero>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, duration: Duration) -> Self::Future {
        Box::pin(async move {
            time::sleep(duration).await;
            if duration.is_zero() { Err(Zero) } else { Ok(duration) }
        })
    }
}

fn service(timer: &Timer, duration: Duration) -> Timeout<Slow> {
    TimeoutLayer::new(timer.clone(), duration).layer(Slow)
}

#[tokio::test(start_paused = true)]
async fn what_comes_in_time_is_passed_on() {
    let timer = Timer::new();
    let mut service = service(&timer, SECOND);
    assert_eq!(service.call(10 * MS).await.unwrap(), 10 * MS);
    let error = service.call(Duration::ZERO).await.unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&Zero), "and so is the service's error");
    assert_eq!((timer.pending(), timer.metrics().registered), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn what_comes_too_late_is_an_error_on_time() {
    let timer = Timer::new();
    let start = Instant::now();
    let error = service(&timer, 50 * MS).call(HOUR).await.unwrap_err();
    assert!(error.is::<Elapsed>());
    assert_eq!(start.elapsed(), 50 * MS);
    assert_eq!(timer.metrics().fired, 1);
}

#[tokio::test(start_paused = true)]
async fn a_response_that_is_there_counts_however_late() {
    let timer = Timer::new();
    let mut response = service(&timer, 10 * MS).call(20 * MS);
    assert!(poll_with(&mut response, Waker::noop()).is_pending());
    time::sleep(HOUR).await;
    assert_eq!(response.await.unwrap(), 20 * MS);
}

#[tokio::test(start_paused = true)]
async fn each_request_has_its_own_time() {
    let timer = Timer::new();
    let mut service = service(&timer, 100 * MS);
    let first = service.call(HOUR);
    time::sleep(60 * MS).await;
    let second = service.clone().call(HOUR);
    let start = Instant::now();
    let (first, second) = tokio::join!(
        first.map(|result| (result.is_err(), start.elapsed())),
        second.map(|result| (result.is_err(), start.elapsed())),
    );
    assert_eq!((first, second), ((true, 40 * MS), (true, 100 * MS)));
}

#[tokio::test(start_paused = true)]
async fn no_time_and_all_time_there_is() {
    let timer = Timer::new();
    let error = service(&timer, Duration::ZERO).call(MS).await.unwrap_err();
    assert!(error.is::<Elapsed>());
    assert!(service(&timer, Duration::MAX).call(HOUR).await.is_ok());
    assert_eq!(timer.metrics().registered, 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_response_leaves_nothing_armed() {
    let timer = Timer::new();
    let mut response = service(&timer, SECOND).call(HOUR);
    assert!(poll_with(&mut response, Waker::noop()).is_pending());
    assert_eq!(timer.pending(), 1);
    drop(response);
    assert_eq!(timer.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_was_shut_down_is_an_error_and_no_panic() {
    let timer = Timer::new();
    let mut service = service(&timer, SECOND);
    let mut waiting = service.call(HOUR);
    assert!(poll_with(&mut waiting, Waker::noop()).is_pending());
    let _ = timer.shutdown().await;
    for response in [waiting, service.call(HOUR)] {
        let error = response.await.unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&TimerError::ShutDown));
    }
}

/// The limit is not about requests
#[tokio::test(start_paused = true)]
async fn a_timer_that_is_full_refuses_no_request() {
    let timer = Timer::builder().max_pending(1).build().unwrap();
    let mut service = service(&timer, SECOND);
    let mut responses = [service.call(HOUR), service.call(HOUR)];
    assert!(responses.iter_mut().all(|one| poll_with(one, Waker::noop()).is_pending()));
    assert_eq!(timer.pending(), 2);
}

/// Never ready
struct Busy;

impl Service<()> for Busy {
    type Response = ();
    type Error = Zero;
    type Future = Ready<Result<(), Zero>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Zero>> {
        Poll::Pending
    }

    fn call(&mut self, (): ()) -> Self::Future {
        ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn readiness_is_the_services_own() {
    let timer = Timer::new();
    let mut busy = Timeout::new(Busy, timer.clone(), Duration::ZERO);
    assert!(busy.poll_ready(&mut Context::from_waker(Waker::noop())).is_pending());
    let mut slow = service(&timer, SECOND);
    assert!(matches!(
        slow.poll_ready(&mut Context::from_waker(Waker::noop())),
        Poll::Ready(Ok(()))
    ));
    let _: &Slow = slow.get_ref();
}

/// As a stack of layers wants it
#[test]
fn the_types_can_be_shared_and_sent() {
    fn check<T: Clone + Send + Sync + fmt::Debug + 'static>() {}
    fn check_future<T: Send + Sync + Unpin>() {}
    check::<TimeoutLayer>();
    check::<Timeout<Slow>>();
    check_future::<ResponseFuture<Ready<()>>>();
}
