//! Futures with a deadline

use std::{
    future::{Future, pending, poll_fn, ready},
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    time::{Duration, Instant as StdInstant},
};

use tickwheel::{TimeoutError, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    runtimes::{current_thread, multi_thread, within},
    waker::{CountingWaker, poll_with},
};
use tokio::{
    sync::{mpsc, oneshot},
    task::{coop, yield_now},
    time::{self, Instant},
};

fn lazy() -> Timer {
    Timer::builder().lazy_timeouts(true).build().unwrap()
}

/// T1: no time at all, and a future that is ready: it wins
#[tokio::test(start_paused = true)]
async fn a_ready_future_wins_at_any_deadline() {
    for timer in [Timer::new(), lazy()] {
        time::advance(10 * MS).await;
        let now = timer.now();
        for duration in [Duration::ZERO, MS, Duration::MAX] {
            assert_eq!(timer.timeout(duration, ready(1)).await, Ok(1));
            assert_eq!(timer.try_timeout(duration, ready(1)).await, Ok(1));
        }
        for deadline in [now - 5 * MS, now, now + HOUR] {
            assert_eq!(timer.timeout_at(deadline, ready(1)).await, Ok(1));
        }
        assert_eq!((timer.now(), timer.metrics().registered), (now, 0));
    }
}

/// T1: no time at all, and a future that is pending: elapsed at once
#[tokio::test(start_paused = true)]
async fn no_time_at_all_takes_no_time() {
    for timer in [Timer::new(), lazy()] {
        time::advance(10 * MS).await;
        let now = timer.now();
        for deadline in [now - 5 * MS, now] {
            let mut timeout = timer.timeout_at(deadline, pending::<()>());
            assert!(matches!(poll_with(&mut timeout, Waker::noop()), Poll::Ready(Err(_))));
        }
        let mut timeout = timer.timeout(Duration::ZERO, pending::<()>());
        assert!(matches!(poll_with(&mut timeout, Waker::noop()), Poll::Ready(Err(_))));
        let elapsed = timer.try_timeout(Duration::ZERO, pending::<()>()).await.unwrap_err();
        assert!(matches!(elapsed, TimeoutError::Elapsed(_)));
        assert_eq!(timer.now(), now, "no extra millisecond");
    }
}

/// T1: on the machine's clock, while the driver is parked, within any tick (real)
#[test]
fn no_time_at_all_takes_no_time_on_the_machines_clock() {
    let runtime = multi_thread(1);
    for lazy in [false, true] {
        let builder = Timer::builder().tick(HOUR).lazy_timeouts(lazy);
        let timer = builder.build_on(runtime.handle()).unwrap();
        std::thread::sleep(20 * MS);
        let zero = Duration::ZERO;
        assert!(poll_with(&mut timer.sleep(zero), Waker::noop()).is_ready());
        assert!(poll_with(&mut timer.sleep_until(timer.now()), Waker::noop()).is_ready());
        assert!(poll_with(&mut timer.timeout(zero, pending::<()>()), Waker::noop()).is_ready());
        assert!(poll_with(&mut timer.try_timeout(zero, pending::<()>()), Waker::noop()).is_ready());
        let mut interval = timer.interval(HOUR);
        assert!(interval.poll_tick(&mut Context::from_waker(Waker::noop())).is_ready());
        assert_eq!(timer.metrics().registered, 0);
    }
}

/// T1: the future that becomes ready together with the deadline wins
#[tokio::test(start_paused = true)]
async fn a_future_that_is_ready_at_the_last_moment_wins() {
    let timer = Timer::new();
    let (sender, receiver) = oneshot::channel();
    let mut timeout = timer.timeout(10 * MS, receiver);
    assert!(poll_with(&mut timeout, Waker::noop()).is_pending());
    time::advance(HOUR).await;
    sender.send(7).unwrap();
    assert_eq!(timeout.await, Ok(Ok(7)));
}

#[tokio::test(start_paused = true)]
async fn it_elapses_at_its_deadline_and_wakes_once() {
    let timer = Timer::new();
    let started = Instant::now();
    let counter = CountingWaker::new();
    let mut timeout = timer.timeout(300 * MS, pending::<()>());
    assert_eq!(timeout.deadline(), started + 300 * MS);
    assert!(poll_with(&mut timeout, &counter.waker()).is_pending());
    time::sleep(HOUR).await;
    assert_eq!(counter.wakes(), 1);
    assert!(timer.timeout(300 * MS, pending::<()>()).await.is_err());
    assert_eq!(started.elapsed(), HOUR + 300 * MS);
    assert_eq!(timer.pending(), 0);
}

/// A future that is ready in time leaves nothing armed
#[tokio::test(start_paused = true)]
async fn a_future_that_is_ready_in_time_leaves_nothing_behind() {
    let timer = Timer::new();
    let sleep = time::sleep(10 * MS);
    assert_eq!(timer.timeout(HOUR, sleep).await, Ok(()));
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.cancelled, metrics.pending), (1, 1, 0));
}

/// T2: a loop of always-ready operations that spend the task's budget (real; tokio#4291)
#[test]
fn a_loop_that_spends_its_budget_does_not_outrun_its_timeout() {
    for runtime in [current_thread(), multi_thread(1)] {
        within(30 * SECOND, move || {
            let timer = Timer::builder().build_on(runtime.handle()).unwrap();
            let lazy = Timer::builder().lazy_timeouts(true).build_on(runtime.handle()).unwrap();
            runtime
                .block_on(runtime.spawn(async move {
                    for timer in [timer, lazy] {
                        let (sender, mut receiver) = mpsc::unbounded_channel();
                        let busy = async {
                            loop {
                                sender.send(1).unwrap();
                                receiver.recv().await;
                            }
                        };
                        let started = StdInstant::now();
                        assert!(timer.timeout(100 * MS, busy).await.is_err());
                        assert!(started.elapsed() >= 100 * MS);
                    }
                }))
                .unwrap();
        });
    }
}

/// T2: with a budget that runs out in the inner future alone, no call is lost
#[tokio::test(start_paused = true)]
async fn a_future_that_spends_the_budget_still_times_out_in_the_same_poll() {
    for timer in [Timer::new(), lazy()] {
        let deadline = timer.now() + 10 * MS;
        // Spends all there is, and is pending.
        let spender = || {
            poll_fn(|cx| {
                while let Poll::Ready(coop) = coop::poll_proceed(cx) {
                    coop.made_progress();
                }
                Poll::<()>::Pending
            })
        };
        let mut plain = timer.timeout_at(deadline, spender());
        let mut trying = timer.try_timeout(10 * MS, spender());
        yield_now().await;
        assert!(futures::poll!(&mut plain).is_pending());
        yield_now().await;
        assert!(futures::poll!(&mut trying).is_pending());
        time::advance(20 * MS).await;
        yield_now().await;
        assert!(futures::poll!(&mut plain).is_ready());
        yield_now().await;
        assert!(futures::poll!(&mut trying).is_ready());
    }
}

/// T3: thirty created, twenty pass, then awaited: ten are left
#[tokio::test(start_paused = true)]
async fn time_counts_from_the_call() {
    let timer = Timer::new();
    let started = Instant::now();
    let timeout = timer.timeout(30 * MS, pending::<()>());
    time::advance(20 * MS).await;
    assert_eq!(timeout.deadline(), started + 30 * MS);
    assert!(timeout.await.is_err());
    assert_eq!(started.elapsed(), 30 * MS);
    let timeout = timer.timeout(30 * MS, pending::<()>());
    time::advance(40 * MS).await;
    assert!(timeout.await.is_err());
    assert_eq!(started.elapsed(), 70 * MS, "time was up before the first poll");
}

/// T3: a lazy one counts from the poll that finds its future pending
#[tokio::test(start_paused = true)]
async fn lazy_timeouts_count_from_the_first_pending_poll() {
    let timer = lazy();
    let started = Instant::now();
    let mut timeout = timer.timeout(30 * MS, pending::<()>());
    assert_eq!(timeout.deadline(), started + 30 * MS);
    time::advance(20 * MS).await;
    assert_eq!(timeout.deadline(), started + 50 * MS, "were it polled now");
    assert!(poll_with(&mut timeout, Waker::noop()).is_pending());
    time::advance(10 * MS).await;
    assert_eq!(timeout.deadline(), started + 50 * MS, "fixed by the first poll");
    assert!(poll_with(&mut timeout, Waker::noop()).is_pending());
    assert!(timeout.await.is_err());
    assert_eq!(started.elapsed(), 50 * MS);
    let timeout = timer.try_timeout(30 * MS, pending::<()>());
    time::advance(20 * MS).await;
    assert!(timeout.await.is_err());
    assert_eq!(started.elapsed(), 100 * MS);
}

/// T3: laziness is of durations; an instant is an instant, and a sleep is no timeout
#[tokio::test(start_paused = true)]
async fn lazy_timeouts_leave_the_rest_as_it_is() {
    let timer = lazy();
    let started = Instant::now();
    let timeout = timer.timeout_at(started + 30 * MS, pending::<()>());
    let sleep = timer.sleep(30 * MS);
    time::advance(20 * MS).await;
    assert!(timeout.await.is_err());
    assert_eq!(started.elapsed(), 30 * MS);
    sleep.await;
    assert_eq!(started.elapsed(), 30 * MS);
    let mut timeout = timer.timeout(HOUR, pending::<()>());
    timeout.reset(started + 40 * MS);
    assert_eq!(timeout.deadline(), started + 40 * MS);
    assert!(timeout.await.is_err());
    assert_eq!(started.elapsed(), 40 * MS);
}

#[tokio::test(start_paused = true)]
async fn the_future_can_be_reached_and_taken_back() {
    let timer = Timer::new();
    let mut timeout = timer.timeout(10 * MS, ready(vec![1, 2]));
    assert_eq!(timeout.get_ref().clone().await, [1, 2]);
    *timeout.get_mut() = ready(vec![3]);
    assert_eq!(timeout.into_inner().await, [3]);

    let (sender, receiver) = oneshot::channel();
    let mut timeout = timer.timeout(10 * MS, receiver);
    assert!((&mut timeout).await.is_err());
    sender.send("late").unwrap();
    assert_eq!(timeout.into_inner().await, Ok("late"));

    let mut timeout = timer.try_timeout(10 * MS, ready(1));
    assert_eq!(timeout.get_ref().clone().await, 1);
    *timeout.get_mut() = ready(2);
    assert_eq!(timeout.into_inner().await, 2);
    assert_eq!(timer.pending(), 0);
}

/// What takes an `IntoFuture` takes more than futures
#[tokio::test(start_paused = true)]
async fn anything_that_turns_into_a_future_has_a_timeout() {
    struct Request;
    impl IntoFuture for Request {
        type Output = u32;
        type IntoFuture = std::future::Ready<u32>;

        fn into_future(self) -> Self::IntoFuture {
            ready(42)
        }
    }
    let timer = Timer::new();
    assert_eq!(timer.timeout(MS, Request).await, Ok(42));
    assert_eq!(timer.timeout_at(timer.now(), Request).await, Ok(42));
    assert_eq!(timer.try_timeout(MS, Request).await, Ok(42));
}

#[tokio::test(start_paused = true)]
async fn a_reset_moves_the_deadline_either_way() {
    let timer = Timer::new();
    let started = Instant::now();
    for polled_before in [false, true] {
        for moved_to in [10 * MS, 5000 * MS] {
            let now = Instant::now();
            let mut timeout = timer.timeout(100 * MS, pending::<()>());
            if polled_before {
                assert!(poll_with(&mut timeout, Waker::noop()).is_pending());
            }
            timeout.reset(now + moved_to);
            assert_eq!(timeout.deadline(), now + moved_to);
            assert!((&mut timeout).await.is_err());
            assert_eq!(now.elapsed(), moved_to);
            timeout.reset(Instant::now() + MS);
            assert!(timeout.await.is_err());
            assert_eq!(now.elapsed(), moved_to + MS, "again after it elapsed");
        }
    }
    let mut never = timer.timeout(Duration::MAX, pending::<()>());
    assert!(poll_with(&mut never, Waker::noop()).is_pending());
    never.reset(started);
    assert!(never.await.is_err());
}

/// Around a future that cannot be moved
#[tokio::test(start_paused = true)]
async fn a_pinned_timeout_can_be_reset() {
    let timer = Timer::new();
    let started = Instant::now();
    let not_unpin = async {
        time::sleep(HOUR).await;
        7
    };
    let mut timeout = pin!(timer.timeout(10 * MS, not_unpin));
    assert!(timeout.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    Pin::as_mut(&mut timeout).reset_pinned(started + 2 * HOUR);
    assert_eq!(timeout.await, Ok(7));
    assert_eq!(started.elapsed(), HOUR);
}

/// One inside another: the earlier wins
#[tokio::test(start_paused = true)]
async fn timeouts_nest() {
    let timer = Timer::new();
    let started = Instant::now();
    let inner = timer.timeout(20 * MS, pending::<()>());
    assert!(timer.timeout(10 * MS, inner).await.is_err());
    assert_eq!(started.elapsed(), 10 * MS);
    let inner = timer.timeout(20 * MS, pending::<()>());
    assert!(timer.timeout(40 * MS, inner).await.unwrap().is_err());
    assert_eq!(started.elapsed(), 30 * MS);
}
