//! Clocks that a test pauses, advances and resumes

use std::{
    future::pending,
    pin::pin,
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant as StdInstant},
};

use tickwheel::Timer;
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    runtimes::settle,
    waker::{CountingWaker, armed, poll_with},
};
use tokio::{
    sync::oneshot,
    time::{self, Instant},
};

/// Waits while the runtime has nothing at all to do, not even a timer of this task
async fn wait_for_another_thread() {
    let (sender, receiver) = oneshot::channel();
    let thread = thread::spawn(move || {
        thread::sleep(20 * MS);
        sender.send(()).expect("it is waited for");
    });
    receiver.await.expect("it is sent");
    thread.join().expect("it does not panic");
}

/// Contract 12: never early, and at most a millisecond after the tick
#[tokio::test(start_paused = true)]
async fn the_paused_clock_goes_to_each_sleep_by_itself() {
    let timer = Timer::new();
    for phase in [0, 1, 250_000, 999_999] {
        time::advance(Duration::from_nanos(phase)).await;
        for micros in [1, 300, 1000, 2500, 255_000, 256_000, 257_000, 16_384_000, 3_600_000_000] {
            let asked = Duration::from_micros(micros);
            let started = Instant::now();
            timer.sleep(asked).await;
            let took = started.elapsed();
            assert!(asked <= took && took <= asked + 2 * MS, "{took:?} for {asked:?}");
        }
    }
}

/// Contract 12, for deadlines on a tick that is on tokio's millisecond: at the instant itself
#[tokio::test(start_paused = true)]
async fn whole_milliseconds_are_exact_on_a_clock_that_was_paused_from_the_start() {
    let timer = Timer::new();
    let started = Instant::now();
    for millis in [1, 2, 255, 256, 257, 1000, 16_383, 16_384, 86_400_000] {
        let before = started.elapsed();
        timer.sleep(millis * MS).await;
        assert_eq!(started.elapsed(), before + millis * MS);
    }
}

#[tokio::test(start_paused = true)]
async fn timeouts_and_intervals_follow_the_paused_clock() {
    let timer = Timer::new();
    let started = Instant::now();
    assert!(timer.timeout(HOUR, pending::<()>()).await.is_err());
    assert_eq!(started.elapsed(), HOUR);
    let mut interval = timer.interval(HOUR);
    for ticks in 0..100 {
        assert_eq!(interval.tick().await, started + HOUR + ticks * HOUR);
        assert_eq!(Instant::now(), started + HOUR + ticks * HOUR);
    }
}

#[tokio::test(start_paused = true)]
async fn sleeps_of_both_timers_take_turns_on_the_paused_clock() {
    let timer = Timer::new();
    let started = Instant::now();
    let mut ours = timer.interval_at(started + 2 * MS, 2 * MS);
    let mut theirs = time::interval_at(started + 3 * MS, 2 * MS);
    let mut seen = Vec::new();
    for _ in 0..6 {
        tokio::select! {
            at = ours.tick() => seen.push((at - started).as_millis()),
            at = theirs.tick() => seen.push((at - started).as_millis()),
        }
    }
    assert_eq!(seen, [2, 3, 4, 5, 6, 7]);
}

#[tokio::test(start_paused = true)]
async fn advancing_past_deadlines_fires_them_and_no_others() {
    let timer = Timer::new();
    let wakers: Vec<_> = (0..10).map(|_| CountingWaker::new()).collect();
    let mut sleeps: Vec<_> = (0u32..10).map(|n| timer.sleep((n + 1) * HOUR)).collect();
    for (sleep, waker) in sleeps.iter_mut().zip(&wakers) {
        assert_eq!(poll_with(sleep, &waker.waker()), Poll::Pending);
    }
    settle().await;
    for passed in 1..=10 {
        time::advance(HOUR.saturating_sub(MS)).await;
        settle().await;
        let woken = wakers.iter().filter(|waker| waker.wakes() > 0).count();
        assert_eq!(woken, passed - 1, "never early");
        time::advance(MS).await;
        settle().await;
        let woken = wakers.iter().filter(|waker| waker.wakes() > 0).count();
        assert_eq!(woken, passed);
        assert_eq!(timer.pending(), 10 - passed);
    }
    for sleep in &mut sleeps {
        assert_eq!(poll_with(sleep, Waker::noop()), Poll::Ready(()));
    }
    assert!(wakers.iter().all(|waker| waker.wakes() == 1));
}

#[tokio::test(start_paused = true)]
async fn a_sleep_is_ready_right_after_an_advance_past_it() {
    let timer = Timer::new();
    let mut never_polled = timer.sleep(5 * MS);
    let mut polled = timer.sleep(5 * MS);
    assert_eq!(poll_with(&mut polled, Waker::noop()), Poll::Pending);
    time::advance(5 * MS).await;
    assert!(polled.is_elapsed() && never_polled.is_elapsed());
    assert_eq!(poll_with(&mut polled, Waker::noop()), Poll::Ready(()));
    settle().await;
    assert_eq!(poll_with(&mut never_polled, Waker::noop()), Poll::Ready(()));
    let metrics = timer.metrics();
    assert_eq!((metrics.pending, metrics.fired), (0, metrics.registered));
}

/// Contract 2: a clock that jumps a year fires all that came due, in order
#[tokio::test(start_paused = true)]
async fn a_jump_of_a_year_fires_everything_in_deadline_order() {
    let timer = Timer::builder().shards(1).build().unwrap();
    let order = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let day = 24 * HOUR;
    let tasks: Vec<_> = [200u32, 1, 364, 30, 2, 90]
        .into_iter()
        .map(|days| {
            let (sleep, order) = (timer.sleep(days * day), order.clone());
            tokio::spawn(async move {
                sleep.await;
                order.lock().unwrap().push(days);
            })
        })
        .collect();
    settle().await;
    time::advance(365 * day).await;
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), [1, 2, 30, 90, 200, 364]);
}

/// Dropping what the driver waits for takes the clock's reason to move
#[tokio::test(start_paused = true)]
async fn the_paused_clock_does_not_go_to_a_deadline_that_was_dropped() {
    let timer = Timer::new();
    let started = Instant::now();
    for asked in [MS, 100 * MS, 255 * MS, 256 * MS, 300 * MS, 10 * SECOND, HOUR] {
        let sleep = armed(&timer, asked, Waker::noop());
        settle().await;
        drop(sleep);
        wait_for_another_thread().await;
        assert_eq!(started.elapsed(), Duration::ZERO, "after dropping {asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_paused_clock_does_not_go_to_a_deadline_that_was_disarmed() {
    let timer = Timer::new();
    let started = Instant::now();
    for asked in [100 * MS, 300 * MS, HOUR] {
        let mut sleep = armed(&timer, asked, Waker::noop());
        settle().await;
        sleep.disarm();
        wait_for_another_thread().await;
        assert_eq!(started.elapsed(), Duration::ZERO, "after disarming {asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_paused_clock_does_not_go_to_a_deadline_that_was_moved_and_then_dropped() {
    let timer = Timer::new();
    let started = Instant::now();
    for (first, second) in [(100 * MS, HOUR), (HOUR, 100 * MS), (300 * MS, 400 * MS)] {
        let mut sleep = timer.sleep(first);
        assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
        settle().await;
        sleep.reset_after(second);
        settle().await;
        drop(sleep);
        wait_for_another_thread().await;
        assert_eq!(started.elapsed(), Duration::ZERO, "after {first:?}, then {second:?}");
    }
}

/// The earlier of two is dropped: the clock goes to the later without a stop
#[tokio::test(start_paused = true)]
async fn the_driver_does_not_come_for_a_deadline_that_was_dropped() {
    let timer = Timer::new();
    for asked in [100 * MS, 300 * MS, HOUR / 2] {
        let sleep = armed(&timer, asked, Waker::noop());
        settle().await;
        drop(sleep);
        settle().await;
        let before = timer.metrics().driver_wakeups;
        let started = Instant::now();
        time::sleep(HOUR).await;
        assert_eq!(started.elapsed(), HOUR);
        assert_eq!(timer.metrics().driver_wakeups, before, "it came for {asked:?}");
    }
}

/// A deadline that was moved is not kept twice: one visit more at the most
#[tokio::test(start_paused = true)]
async fn the_driver_does_not_come_for_a_deadline_that_was_moved_to_later() {
    let timer = Timer::new();
    let mut sleep = timer.sleep(100 * MS);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
    settle().await;
    sleep.reset_after(HOUR);
    settle().await;
    let before = timer.metrics().driver_wakeups;
    time::sleep(HOUR / 2).await;
    assert_eq!(timer.metrics().driver_wakeups, before);
}

/// `pause` in the middle of a wait that began on the machine's clock
#[tokio::test]
async fn a_sleep_armed_before_the_pause_follows_the_paused_clock() {
    let timer = Timer::new();
    let mut sleep = pin!(timer.sleep(HOUR));
    assert!(futures::poll!(&mut sleep).is_pending());
    settle().await;
    time::pause();
    let real = StdInstant::now();
    let started = Instant::now();
    (&mut sleep).await;
    assert!(Instant::now() >= sleep.deadline(), "never early");
    assert!(started.elapsed() <= HOUR + 2 * MS);
    assert!(real.elapsed() < 30 * SECOND);
}

/// Whoever moves the clock and polls, before the driver has run, sees what the clock says
#[tokio::test]
async fn an_advance_counts_before_the_driver_has_seen_it() {
    let timer = Timer::new();
    let mut sleep = armed(&timer, HOUR, Waker::noop());
    // The driver parks on a clock that is not virtual yet.
    settle().await;
    time::pause();
    let mut advance = pin!(time::advance(HOUR + MS));
    assert!(futures::poll!(&mut advance).is_pending(), "moved, and yielding");
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Ready(()));
    let metrics = timer.metrics();
    assert_eq!((metrics.fired, metrics.pending), (1, 0));
    advance.await;
}

/// A paused clock stands still for us as well
#[tokio::test]
async fn real_time_does_not_count_while_the_clock_is_paused() {
    let timer = Timer::new();
    let waker = CountingWaker::new();
    let mut sleep = timer.sleep(20 * MS);
    assert_eq!(poll_with(&mut sleep, &waker.waker()), Poll::Pending);
    settle().await;
    time::pause();
    thread::sleep(40 * MS);
    settle().await;
    assert_eq!(waker.wakes(), 0);
    assert_eq!(poll_with(&mut sleep, &waker.waker()), Poll::Pending);
    // A deadline off the ticks rounds up to one, and tokio's clock does so once more.
    time::advance(22 * MS).await;
    settle().await;
    assert_eq!(waker.wakes(), 1);
}

/// A thread outside, whose time is the machine's, does not spoil the paused clock of others
#[tokio::test(start_paused = true)]
async fn a_poll_on_a_thread_with_another_clock_fires_nobody_early() {
    let timer = Timer::builder().shards(1).build().unwrap();
    let counter = CountingWaker::new();
    let mut sleep = armed(&timer, 20 * MS, &counter.waker());
    settle().await;
    thread::sleep(40 * MS);
    let outside = timer.clone();
    thread::spawn(move || {
        for sleep in [outside.sleep(HOUR), outside.sleep_until(outside.now() + HOUR)] {
            let mut sleep = sleep;
            assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
            assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
            sleep.reset_after(MS);
        }
    })
    .join()
    .unwrap();
    settle().await;
    assert!(Instant::now() < sleep.deadline());
    assert_eq!(counter.wakes(), 0, "by the clock of its own runtime it is not due");
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
    let started = Instant::now();
    sleep.await;
    assert_eq!(started.elapsed(), 20 * MS);
}

/// What has fired has fired, whatever another clock says of it, and though the timer is gone since
#[test]
fn what_fired_on_a_virtual_clock_is_ready_everywhere() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let counter = CountingWaker::new();
    let (mut first, mut second) = runtime.block_on(async {
        time::pause();
        let first = armed(&timer, 20 * HOUR, &counter.waker());
        let second = armed(&timer, 20 * HOUR, &counter.waker());
        time::sleep(21 * HOUR).await;
        (first, second)
    });
    assert_eq!(counter.wakes(), 2);
    assert!(Instant::now() < first.deadline(), "by the clock of this thread");
    assert_eq!(poll_with(&mut first, Waker::noop()), Poll::Ready(()));
    drop(runtime);
    assert_eq!(poll_with(&mut second, Waker::noop()), Poll::Ready(()));
}

/// S20: pause, advance 1 h, resume, then a 20 ms sleep (real)
#[tokio::test]
async fn after_a_resume_a_sleep_takes_its_real_time() {
    let timer = Timer::new();
    time::pause();
    time::advance(HOUR).await;
    time::resume();
    let real = StdInstant::now();
    timer.sleep(20 * MS).await;
    let took = real.elapsed();
    assert!(took >= 20 * MS, "early: {took:?}");
    // 23 ms on a machine with nothing else to do.
    assert!(took < 500 * MS, "late: {took:?}");
}

/// S20: on the machine's clock again, and for a timer that waited all the while
#[tokio::test]
async fn a_sleep_survives_a_pause_an_advance_and_a_resume() {
    let timer = Timer::new();
    let mut passed = pin!(timer.sleep(HOUR));
    let mut ahead = pin!(timer.sleep(HOUR + 50 * MS));
    assert!(futures::poll!(&mut passed).is_pending());
    assert!(futures::poll!(&mut ahead).is_pending());
    settle().await;
    time::pause();
    time::advance(HOUR).await;
    time::resume();
    passed.await;
    (&mut ahead).await;
    assert!(Instant::now() >= ahead.deadline());
}

#[tokio::test(start_paused = true)]
async fn with_virtual_clock_off_a_paused_clock_has_no_effect() {
    let timer = Timer::builder().virtual_clock(false).build().unwrap();
    let real = StdInstant::now();
    let mut sleep = timer.sleep(30 * MS);
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending);
    time::advance(HOUR).await;
    assert_eq!(poll_with(&mut sleep, Waker::noop()), Poll::Pending, "an hour of tokio's");
    assert!(!sleep.is_elapsed());
    sleep.await;
    assert!(real.elapsed() >= 30 * MS);
    assert!(timer.now() < Instant::now(), "its own time is the machine's");
}
