//! Futures of a timer and the cooperative budget of their task

use std::{
    future::poll_fn,
    task::{Context, Poll, Waker, ready},
};

use futures::future::FusedFuture;
use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS},
    waker::{CountingWaker, armed, poll_with},
};
use tokio::{
    task::{coop, yield_now},
    time,
};

/// How many more budgeted operations this poll of the task may make
fn budget_left(cx: &mut Context<'_>) -> usize {
    let mut left = 0;
    while let Poll::Ready(coop) = coop::poll_proceed(cx) {
        coop.made_progress();
        left += 1;
    }
    left
}

/// S15: Ready stays Ready with the budget spent, and takes from it once
#[tokio::test(start_paused = true)]
async fn ready_stays_ready_and_charges_the_budget_once() {
    let timer = Timer::new();
    let whole = {
        yield_now().await;
        poll_fn(|cx| Poll::Ready(budget_left(cx))).await
    };
    assert!(whole > 100, "a task has a budget, of 128 at the time of writing");
    let mut fired = armed(&timer, MS, Waker::noop());
    time::sleep(10 * MS).await;
    yield_now().await;
    poll_fn(|cx| {
        for _ in 0..1000 {
            assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Ready(()));
        }
        assert_eq!(budget_left(cx), whole - 1);
        for _ in 0..1000 {
            assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Ready(()));
        }
        Poll::Ready(())
    })
    .await;
}

/// S15: on the way to Ready the budget counts, and a task without one is called again
#[tokio::test(start_paused = true)]
async fn a_task_without_budget_is_called_again_for_what_is_due() {
    let timer = Timer::new();
    let past = timer.now();
    let mut fired = armed(&timer, MS, Waker::noop());
    let mut never_polled = timer.sleep_until(past);
    time::sleep(10 * MS).await;
    yield_now().await;
    let mut polls = 0;
    poll_fn(|cx| {
        polls += 1;
        if polls == 1 {
            budget_left(cx);
            assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Pending);
            assert_eq!(poll_with(&mut never_polled, cx.waker()), Poll::Pending);
            // A `select!` that polls only what is not terminated must come back to them.
            assert!(!fired.is_terminated() && !never_polled.is_terminated());
            return Poll::Pending;
        }
        assert_eq!(poll_with(&mut fired, cx.waker()), Poll::Ready(()));
        assert_eq!(poll_with(&mut never_polled, cx.waker()), Poll::Ready(()));
        Poll::Ready(())
    })
    .await;
    assert_eq!(polls, 2);
}

/// A pending poll takes nothing from the budget
#[tokio::test(start_paused = true)]
async fn a_pending_poll_charges_nothing() {
    let timer = Timer::new();
    yield_now().await;
    let whole = poll_fn(|cx| Poll::Ready(budget_left(cx))).await;
    yield_now().await;
    let mut sleep = timer.sleep(HOUR);
    poll_fn(|cx| {
        for _ in 0..1000 {
            assert_eq!(poll_with(&mut sleep, cx.waker()), Poll::Pending);
        }
        assert_eq!(budget_left(cx), whole);
        Poll::Ready(())
    })
    .await;
}

/// A loop over an interval that is far behind leaves room for others
#[tokio::test(start_paused = true)]
async fn a_loop_of_overdue_ticks_yields() {
    let timer = Timer::new();
    let mut interval = timer.interval(MS);
    time::advance(HOUR).await;
    let counter = CountingWaker::new();
    let waker = counter.waker();
    yield_now().await;
    let ticks = poll_fn(|_| {
        let mut ticks = 0;
        while interval.poll_tick(&mut Context::from_waker(&waker)).is_ready() {
            ticks += 1;
        }
        Poll::Ready(ticks)
    })
    .await;
    assert!((100..1000).contains(&ticks), "{ticks} ticks in one poll of the task");
    assert_eq!(counter.wakes(), 0, "called again by tokio, at the end of this poll");
    yield_now().await;
    assert_eq!(counter.wakes(), 1);
    // And the others come after that.
    poll_fn(|cx| {
        ready!(interval.poll_tick(cx));
        Poll::Ready(())
    })
    .await;
}
