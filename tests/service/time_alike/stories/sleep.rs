//! What the documentation of `sleep`, `sleep_until` and `Sleep` promises

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll},
};

use futures::FutureExt;
use tickwheel_tests::waker::{CountingWaker, poll_with};
use tokio::{select, task::yield_now};

use super::time::{Duration, Instant, Sleep, sleep, sleep_until};

const MS: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_hours(1);

/// A paused clock goes to the next millisecond, and so it does on both
#[tokio::test(start_paused = true)]
async fn it_waits_as_long_as_was_said_and_at_most_a_tick_longer() {
    for duration in [MS, 5 * MS, 1234 * MS, HOUR, 24 * HOUR, 900 * 24 * HOUR] {
        let started = Instant::now();
        sleep(duration).await;
        assert!((duration..=duration + 2 * MS).contains(&started.elapsed()), "{duration:?}");
        let deadline = Instant::now() + duration;
        sleep_until(deadline).await;
        assert!((deadline..=deadline + 2 * MS).contains(&Instant::now()), "{duration:?}");
    }
}

/// On the machine's clock never early
#[tokio::test]
async fn it_is_never_early() {
    for micros in [1, 300, 999, 1000, 1001, 2500, 7777] {
        let duration = Duration::from_micros(micros);
        let started = std::time::Instant::now();
        sleep(duration).await;
        assert!(started.elapsed() >= duration);
    }
}

#[tokio::test(start_paused = true)]
async fn the_deadline_is_fixed_when_it_is_made() {
    let mut nap = pin!(sleep(30 * MS));
    let started = Instant::now();
    assert_eq!(nap.deadline(), started + 30 * MS);
    sleep(20 * MS).await;
    assert_eq!(nap.deadline(), started + 30 * MS);
    nap.as_mut().await;
    assert!(started.elapsed() <= 32 * MS);
    assert_eq!(nap.deadline(), started + 30 * MS);
}

#[tokio::test(start_paused = true)]
async fn what_is_past_does_not_wait() {
    let started = Instant::now();
    sleep(HOUR).await;
    let now = Instant::now();
    sleep_until(started).await;
    sleep_until(now - MS).await;
    assert!(now.elapsed() <= 2 * MS);
}

#[tokio::test(start_paused = true)]
async fn it_is_elapsed_when_it_was_waited_for_and_not_before() {
    let mut nap = pin!(sleep(10 * MS));
    assert!(!nap.is_elapsed());
    assert!(nap.as_mut().now_or_never().is_none());
    assert!(!nap.is_elapsed());
    nap.as_mut().await;
    assert!(nap.is_elapsed());
    nap.as_mut().reset(Instant::now() + 10 * MS);
    assert!(!nap.is_elapsed());
}

#[tokio::test(start_paused = true)]
async fn it_is_not_elapsed_before_it_was_polled() {
    let mut nap = pin!(sleep_until(Instant::now()));
    assert!(!nap.is_elapsed());
    nap.as_mut().await;
    assert!(nap.is_elapsed());
}

#[tokio::test(start_paused = true)]
async fn it_stays_ready() {
    let mut nap = pin!(sleep(MS));
    nap.as_mut().await;
    for _ in 0..10 {
        assert!(nap.as_mut().now_or_never().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn it_can_be_reset_in_either_direction_before_and_after_it_is_ready() {
    let started = Instant::now();
    let mut nap = pin!(sleep(10 * MS));
    nap.as_mut().reset(started + 20 * MS); // before the first poll
    assert!(nap.as_mut().now_or_never().is_none());
    nap.as_mut().reset(started + 50 * MS); // to later
    nap.as_mut().await;
    assert!((50 * MS..=52 * MS).contains(&started.elapsed()));
    nap.as_mut().reset(started + 100 * MS); // when it is ready
    assert!(nap.as_mut().now_or_never().is_none());
    nap.as_mut().reset(started + 70 * MS); // to sooner
    nap.as_mut().await;
    assert!((70 * MS..=72 * MS).contains(&started.elapsed()));
    nap.as_mut().reset(started); // to what is past
    nap.as_mut().await;
    assert!(started.elapsed() <= 74 * MS);
}

/// The task is woken at the new deadline, without another poll
#[tokio::test(start_paused = true)]
async fn a_reset_moves_the_wake_up() {
    let counter = CountingWaker::new();
    let mut nap = Box::pin(sleep(10 * MS));
    assert!(poll_with(&mut nap, &counter.waker()).is_pending());
    nap.as_mut().reset(Instant::now() + 30 * MS);
    sleep(20 * MS).await;
    assert_eq!(counter.wakes(), 0);
    nap.as_mut().reset(Instant::now() + 5 * MS);
    sleep(8 * MS).await;
    assert_eq!(counter.wakes(), 1);
    assert!(poll_with(&mut nap, &counter.waker()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn the_last_task_that_polled_it_is_woken() {
    let [first, second] = [CountingWaker::new(), CountingWaker::new()];
    let mut nap = Box::pin(sleep(10 * MS));
    assert!(poll_with(&mut nap, &first.waker()).is_pending());
    assert!(poll_with(&mut nap, &second.waker()).is_pending());
    sleep(20 * MS).await;
    assert_eq!((first.wakes(), second.wakes()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn dropping_it_is_all_it_takes_to_cancel_it() {
    let counter = CountingWaker::new();
    let mut nap = Box::pin(sleep(10 * MS));
    assert!(poll_with(&mut nap, &counter.waker()).is_pending());
    drop(nap);
    let before = counter.wakes();
    sleep(20 * MS).await;
    assert_eq!(counter.wakes(), before);
}

/// S16, as it is written for a sleep that must be pinned
#[tokio::test(start_paused = true)]
async fn a_pinned_one_keeps_its_deadline_across_a_select_loop() {
    let started = Instant::now();
    let nap = sleep(1000 * MS);
    tokio::pin!(nap);
    let mut events = 0;
    loop {
        select! {
            () = &mut nap => break,
            () = sleep(250 * MS) => events += 1,
        }
    }
    assert!((1000 * MS..=1002 * MS).contains(&started.elapsed()));
    assert!((3..=4).contains(&events));
}

/// As in tokio's documentation: in a box, and pinned by projection
#[tokio::test(start_paused = true)]
async fn it_can_be_part_of_other_futures() {
    struct Boxed {
        sleep: Pin<Box<Sleep>>,
    }
    impl Future for Boxed {
        type Output = ();

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            self.sleep.as_mut().poll(cx)
        }
    }
    pin_project_lite::pin_project! {
        struct Projected {
            #[pin]
            sleep: Sleep,
        }
    }
    impl Future for Projected {
        type Output = ();

        fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            self.project().sleep.poll(cx)
        }
    }
    let started = Instant::now();
    Boxed { sleep: Box::pin(sleep(10 * MS)) }.await;
    Projected { sleep: sleep(10 * MS) }.await;
    assert!((20 * MS..=24 * MS).contains(&started.elapsed()));
}

#[tokio::test(start_paused = true)]
async fn many_tasks_wake_up_in_the_order_of_their_deadlines() {
    let started = Instant::now();
    let tasks: Vec<_> = (1..=50u32)
        .map(|n| {
            tokio::spawn(async move {
                sleep(n * 10 * MS).await;
                Instant::now()
            })
        })
        .collect();
    for (n, task) in (1..=50).zip(tasks) {
        let due = n * 10 * MS;
        assert!((due..=due + 2 * MS).contains(&(task.await.unwrap() - started)));
    }
}

#[tokio::test(start_paused = true)]
async fn it_may_move_between_tasks() {
    let started = Instant::now();
    let mut nap = Box::pin(sleep(50 * MS));
    poll_fn(|cx| {
        assert!(nap.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
    yield_now().await;
    tokio::spawn(nap).await.unwrap();
    assert!((50 * MS..=52 * MS).contains(&started.elapsed()));
}
