//! What the documentation of `timeout`, `timeout_at` and `Timeout` promises

use std::{
    future::{pending, poll_fn, ready},
    pin::pin,
    task::Poll,
};

use futures::FutureExt;
use tokio::{
    sync::oneshot,
    task::{coop, yield_now},
};

use super::time::{Duration, Instant, sleep, timeout, timeout_at};

const MS: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_hours(1);

/// T1
#[tokio::test(start_paused = true)]
async fn what_is_ready_at_once_wins_at_any_deadline() {
    let now = Instant::now();
    assert_eq!(timeout(Duration::ZERO, ready(1)).now_or_never(), Some(Ok(1)));
    assert_eq!(timeout_at(now, ready(2)).now_or_never(), Some(Ok(2)));
    sleep(HOUR).await;
    assert_eq!(timeout_at(now, ready(3)).now_or_never(), Some(Ok(3)));
    assert_eq!(timeout(Duration::MAX, ready(4)).now_or_never(), Some(Ok(4)));
}

#[tokio::test(start_paused = true)]
async fn what_becomes_ready_in_time_is_the_result() {
    let (sender, receiver) = oneshot::channel();
    tokio::spawn(async move {
        sleep(20 * MS).await;
        sender.send("done").unwrap();
    });
    assert_eq!(timeout(50 * MS, receiver).await, Ok(Ok("done")));
}

#[tokio::test(start_paused = true)]
async fn what_does_not_is_given_up_at_the_deadline() {
    for duration in [Duration::ZERO, MS, 50 * MS, HOUR] {
        let started = Instant::now();
        assert!(timeout(duration, pending::<()>()).await.is_err());
        assert!((duration..=duration + 2 * MS).contains(&started.elapsed()));
        let deadline = Instant::now() + duration;
        assert!(timeout_at(deadline, pending::<()>()).await.is_err());
        assert!((deadline..=deadline + 2 * MS).contains(&Instant::now()));
    }
}

/// It is asked first, and again when time is up
#[tokio::test(start_paused = true)]
async fn what_is_ready_at_the_last_poll_wins_though_time_is_up() {
    let mut limited = pin!(timeout(10 * MS, sleep(20 * MS)));
    assert!(limited.as_mut().now_or_never().is_none());
    sleep(HOUR).await;
    assert!(limited.await.is_ok());
}

/// T3
#[tokio::test(start_paused = true)]
async fn time_counts_from_the_call() {
    let limited = timeout(30 * MS, pending::<()>());
    sleep(20 * MS).await;
    let started = Instant::now();
    assert!(limited.await.is_err());
    assert!(started.elapsed() <= 12 * MS);
}

#[tokio::test(start_paused = true)]
async fn the_longest_duration_is_no_limit() {
    let mut limited = pin!(timeout(Duration::MAX, sleep(900 * 24 * HOUR)));
    assert!(limited.as_mut().now_or_never().is_none());
    assert!(limited.await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_future_is_there_before_and_after_time_is_up() {
    let started = Instant::now();
    let mut nap = Box::pin(sleep(HOUR));
    let mut limited = timeout(10 * MS, nap.as_mut());
    assert_eq!(limited.get_ref().deadline(), started + HOUR);
    limited.get_mut().as_mut().reset(started + 30 * MS);
    assert!(limited.await.is_err());
    assert!(!nap.is_elapsed());
    nap.await;
    assert!((30 * MS..=34 * MS).contains(&started.elapsed()));
    assert_eq!(timeout(MS, ready(5)).into_inner().await, 5);
}

#[tokio::test(start_paused = true)]
async fn they_nest_and_the_nearer_one_counts() {
    let started = Instant::now();
    let inner = timeout(10 * MS, pending::<()>());
    assert!(timeout(HOUR, inner).await.unwrap().is_err());
    let inner = timeout(HOUR, pending::<()>());
    assert!(timeout(10 * MS, inner).await.is_err());
    assert!(started.elapsed() <= 24 * MS);
}

/// T2 (tokio#4291): one that always uses up the budget does not keep time from being up (real)
#[tokio::test]
async fn it_ends_what_is_always_ready_and_never_done() {
    let busy = async {
        loop {
            coop::consume_budget().await;
        }
    };
    let started = std::time::Instant::now();
    assert!(timeout(50 * MS, busy).await.is_err());
    assert!(started.elapsed() >= 50 * MS);
}

/// Without a wake-up of its own it is looked at whenever the task is polled
#[tokio::test(start_paused = true)]
async fn it_is_cancelled_by_dropping_it() {
    let mut limited = Box::pin(timeout(10 * MS, pending::<()>()));
    let mut polls = 0;
    poll_fn(|cx| {
        polls += 1;
        assert!(limited.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
    drop(limited);
    sleep(HOUR).await;
    yield_now().await;
    assert_eq!(polls, 1);
}
