//! What one sleep does

use std::{
    cell::RefCell,
    future::poll_fn,
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use futures::future::FusedFuture;
use tickwheel::{Sleep, Timer};
use tickwheel_tests::{
    durations::{HOUR, MS},
    runtimes::{multi_thread, settle},
    waker::{CountingWaker, poll_with},
};
use tokio::time::{self, Instant};

/// S16: one sleep held outside a `select!` loop, by `&mut` and without a pin
#[tokio::test(start_paused = true)]
async fn a_sleep_outside_a_select_loop_keeps_its_deadline() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut sleep = timer.sleep(1000 * MS);
    let mut events = 0;
    loop {
        tokio::select! {
            () = &mut sleep => break,
            () = timer.sleep(250 * MS) => events += 1,
        }
    }
    assert_eq!(started.elapsed(), 1000 * MS);
    assert!(events == 3 || events == 4, "{events}");
    assert_eq!(timer.pending(), 0);
}

/// S16: the same with tokio's sleeps as the events
#[tokio::test(start_paused = true)]
async fn a_sleep_outside_a_select_loop_of_tokios_sleeps_keeps_its_deadline() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut sleep = timer.sleep(1000 * MS);
    loop {
        tokio::select! {
            () = &mut sleep => break,
            () = time::sleep(250 * MS) => {}
        }
    }
    assert_eq!(started.elapsed(), 1000 * MS);
}

/// S16: as the select macro of futures wants it: unpinned and fused
#[tokio::test(start_paused = true)]
async fn a_sleep_works_in_the_select_macro_of_futures() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut sleep = timer.sleep(1000 * MS);
    let mut interval = futures::StreamExt::fuse(timer.interval(300 * MS));
    let mut ticks = 0;
    loop {
        futures::select! {
            () = sleep => break,
            _ = futures::StreamExt::select_next_some(&mut interval) => ticks += 1,
        }
    }
    assert_eq!((started.elapsed(), ticks), (1000 * MS, 4));
}

/// S15: Ready stays Ready until a reset
#[tokio::test(start_paused = true)]
async fn ready_stays_ready_until_a_reset() {
    let timer = Timer::new();
    let mut sleep = timer.sleep(10 * MS);
    (&mut sleep).await;
    (&mut sleep).await;
    assert!(sleep.is_elapsed() && sleep.is_terminated());
    let started = Instant::now();
    sleep.reset(started + 50 * MS);
    assert!(!sleep.is_elapsed() && !sleep.is_terminated());
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
    (&mut sleep).await;
    assert_eq!(started.elapsed(), 50 * MS);
    sleep.reset_after(70 * MS);
    (&mut sleep).await;
    assert_eq!(started.elapsed(), 120 * MS);
}

#[tokio::test(start_paused = true)]
async fn time_counts_from_the_call_and_not_from_the_first_poll() {
    let timer = Timer::new();
    let started = Instant::now();
    let sleep = timer.sleep(30 * MS);
    assert_eq!(sleep.deadline(), started + 30 * MS);
    time::advance(20 * MS).await;
    sleep.await;
    assert_eq!(started.elapsed(), 30 * MS);
    let late = timer.sleep(30 * MS);
    time::advance(40 * MS).await;
    late.await;
    assert_eq!(started.elapsed(), 70 * MS);
}

#[tokio::test(start_paused = true)]
async fn a_past_deadline_is_ready_at_the_first_poll() {
    let timer = Timer::new();
    time::advance(HOUR).await;
    let now = timer.now();
    for deadline in [now, now - Duration::from_nanos(1), now - HOUR] {
        let mut sleep = timer.sleep_until(deadline);
        assert!(sleep.is_elapsed() && !sleep.is_terminated());
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
        assert_eq!(sleep.deadline(), deadline);
    }
    let mut sleep = timer.sleep(Duration::ZERO);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
    assert_eq!(timer.now(), now);
}

#[tokio::test(start_paused = true)]
async fn a_reset_moves_an_armed_sleep_either_way() {
    let timer = Timer::new();
    for (first, second) in [(10, 20), (20, 10), (10, 1000), (1000, 10), (10, 10), (100_000, 300)] {
        let counter = CountingWaker::new();
        let started = Instant::now();
        let mut sleep = timer.sleep(first * MS);
        assert_eq!(poll_with(&mut sleep, &counter.waker()), Poll::Pending);
        settle().await;
        sleep.reset(started + second * MS);
        assert_eq!(sleep.deadline(), started + second * MS);
        time::sleep((second - 1) * MS).await;
        settle().await;
        assert_eq!(counter.wakes(), 0, "{first} ms, then {second} ms");
        time::sleep(MS).await;
        settle().await;
        assert_eq!(counter.wakes(), 1, "{first} ms, then {second} ms");
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
        time::sleep(2 * HOUR).await;
        assert_eq!(counter.wakes(), 1, "and no second time for {first} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reset_before_the_first_poll_counts() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut sleep = timer.sleep(HOUR);
    sleep.reset(started + 10 * MS);
    sleep.await;
    assert_eq!(started.elapsed(), 10 * MS);
    let mut sleep = timer.sleep(Duration::ZERO);
    sleep.reset_after(10 * MS);
    sleep.await;
    assert_eq!(started.elapsed(), 20 * MS);
}

#[tokio::test(start_paused = true)]
async fn a_sleep_that_fired_but_was_not_polled_waits_again_after_a_reset() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut sleep = timer.sleep(10 * MS);
    assert_eq!(poll_with(&mut sleep, &counter.waker()), Poll::Pending);
    time::sleep(20 * MS).await;
    assert_eq!(counter.wakes(), 1);
    let started = Instant::now();
    sleep.reset_after(30 * MS);
    assert_eq!(poll_with(&mut sleep, &counter.waker()), Poll::Pending);
    time::sleep(31 * MS).await;
    assert_eq!(counter.wakes(), 2);
    sleep.await;
    assert_eq!(started.elapsed(), 31 * MS);
}

#[tokio::test(start_paused = true)]
async fn a_disarmed_sleep_is_pending_until_it_is_reset() {
    let timer = Timer::new();
    let counter = CountingWaker::new();
    let mut sleep = timer.sleep(10 * MS);
    assert_eq!(poll_with(&mut sleep, &counter.waker()), Poll::Pending);
    sleep.disarm();
    assert_eq!((timer.pending(), counter.wakers()), (0, 0));
    assert!(sleep.is_terminated() && !sleep.is_elapsed());
    time::sleep(HOUR).await;
    assert_eq!(poll_with(&mut sleep, &counter.waker()), Poll::Pending);
    assert!(!sleep.is_elapsed());
    assert_eq!((timer.pending(), counter.wakes()), (0, 0));

    let started = Instant::now();
    sleep.reset_after(10 * MS);
    assert!(!sleep.is_terminated());
    (&mut sleep).await;
    assert_eq!(started.elapsed(), 10 * MS);

    sleep.disarm();
    assert!(!sleep.is_elapsed());
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending, "one that was ready, too");
}

#[tokio::test(start_paused = true)]
async fn is_elapsed_tells_before_anybody_polls() {
    let timer = Timer::new();
    let mut polled = timer.sleep(10 * MS);
    let never_polled = timer.sleep(10 * MS);
    assert_eq!(poll_with(&mut polled, Waker::noop()), Poll::Pending);
    assert!(!polled.is_elapsed() && !never_polled.is_elapsed());
    time::sleep(10 * MS).await;
    assert!(polled.is_elapsed() && never_polled.is_elapsed());
    assert!(!polled.is_terminated() && !never_polled.is_terminated());
}

/// The plain forms' twins do the same, with a result
#[tokio::test(start_paused = true)]
async fn a_try_sleep_does_what_a_sleep_does() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut sleep = timer.try_sleep(10 * MS);
    assert_eq!(sleep.deadline(), started + 10 * MS);
    assert_eq!((&mut sleep).await, Ok(()));
    assert_eq!(started.elapsed(), 10 * MS);
    assert!(sleep.is_elapsed() && sleep.is_terminated());
    sleep.reset(started + 30 * MS);
    assert_eq!((&mut sleep).await, Ok(()));
    sleep.reset_after(5 * MS);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
    sleep.disarm();
    assert_eq!(timer.pending(), 0);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
    assert_eq!(timer.try_sleep_until(started).await, Ok(()));
    assert_eq!(started.elapsed(), 30 * MS);
}

/// Contract 3: due in one tick, fired in the order in which they were armed
#[tokio::test(start_paused = true)]
async fn ties_of_one_shard_fire_in_the_order_of_arming() {
    let timer = Timer::builder().shards(1).build().unwrap();
    let order = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let due = timer.now() + 1000 * MS;
    let tasks: Vec<_> = (0..300)
        .map(|number| {
            let (sleep, order) = (timer.sleep_until(due), order.clone());
            tokio::spawn(async move {
                sleep.await;
                order.lock().unwrap().push(number);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert!(order.lock().unwrap().is_sorted());
}

/// A sleep may be polled on another thread than the one that made it
#[tokio::test(start_paused = true)]
async fn a_sleep_may_move_between_threads() {
    let timer = Timer::new();
    let mut sleep = timer.sleep(HOUR);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
    let counter = CountingWaker::new();
    let waker = counter.waker();
    let mut sleep: Sleep = thread::spawn(move || {
        assert_eq!(poll_with(&mut sleep, &waker), Poll::Pending);
        sleep
    })
    .join()
    .unwrap();
    time::sleep(HOUR + MS).await;
    assert_eq!(counter.wakes(), 1);
    poll_fn(|cx| Poll::Ready(poll_with(&mut sleep, cx.waker()))).await.is_ready();
    drop(sleep);
    assert_eq!(timer.pending(), 0);
}

/// Dropped and made where a thread's locals are gone already
#[test]
fn a_sleep_may_go_with_its_thread() {
    struct Parting(Sleep);

    impl Drop for Parting {
        fn drop(&mut self) {
            self.0.reset_after(MS);
            assert_eq!(poll_with(&mut self.0, Waker::noop()), Poll::Pending);
        }
    }

    thread_local! {
        static KEPT: RefCell<Option<Parting>> = const { RefCell::new(None) };
    }

    let runtime = multi_thread(1);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let parting = Parting(timer.sleep(HOUR));
    thread::spawn(move || KEPT.set(Some(parting))).join().unwrap();
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.pending), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn it_shows_itself_without_its_innards() {
    let timer = Timer::builder().name("requests").build().unwrap();
    let _armed = {
        let mut sleep = timer.sleep(HOUR);
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
        sleep
    };
    assert_eq!(format!("{timer:?}"), "Timer { name: \"requests\", lane: Normal, pending: 1, .. }");
    for debug in [format!("{:?}", timer.sleep(HOUR)), format!("{:?}", timer.try_sleep(HOUR))] {
        assert!(debug.contains("deadline"), "{debug}");
    }
    assert!(format!("{:?}", timer.interval(HOUR)).contains("period"));
    assert!(format!("{:?}", timer.timeout(HOUR, std::future::ready(1))).contains("deadline"));
    let shown = timer.metrics().to_string();
    assert!(shown.contains("registered") && shown.contains("pending"), "{shown}");
}
