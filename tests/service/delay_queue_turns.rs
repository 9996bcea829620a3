//! What a queue asks of its timer, of its task and of its runtime

use std::{
    task::{Context, Poll},
    time::Duration,
};

use futures::StreamExt;
use tickwheel::Timer;
use tickwheel_tests::{
    delay_queues::{due, poll},
    durations::{HOUR, MS, SECOND},
    panics::panic_of,
    runtimes::multi_thread,
    waker::CountingWaker,
};
use tokio::{task::unconstrained, time};

/// 1000 due items in one poll loop: the queue's one timer is not armed again for each
#[tokio::test(start_paused = true)]
async fn many_due_items_take_one_timer() {
    let timer = Timer::builder().shards(1).build().unwrap();
    let mut queue = timer.delay_queue();
    for item in 0..1000u32 {
        queue.insert(item, 10 * MS + MS / 50 * item);
    }
    assert!(poll(&mut queue).is_pending());
    assert_eq!((timer.pending(), queue.len()), (1, 1000));
    time::sleep(SECOND).await;
    let delivered = unconstrained(async { due(&mut queue) }).await;
    assert_eq!(delivered, (0..1000).collect::<Vec<_>>());
    assert_eq!((timer.metrics().registered, timer.pending()), (1, 0));
}

/// Contract 6: without items nothing of the queue is left in its timer
#[tokio::test(start_paused = true)]
async fn a_queue_that_was_emptied_or_dropped_leaves_no_timer() {
    let timer = Timer::new();
    let waiting = |items: u32| {
        let mut queue = timer.delay_queue();
        let keys: Vec<_> = (1..=items).map(|item| queue.insert(item, HOUR * item)).collect();
        assert!(poll(&mut queue).is_pending());
        assert_eq!(timer.pending(), 1);
        (queue, keys)
    };
    let (mut queue, keys) = waiting(2);
    for key in &keys {
        queue.remove(key);
    }
    assert_eq!(timer.pending(), 0);
    let (mut queue, _) = waiting(2);
    queue.clear();
    assert_eq!(timer.pending(), 0);
    let (mut queue, _) = waiting(2);
    drop(queue.drain());
    assert_eq!(timer.pending(), 0);
    drop(waiting(2));
    assert_eq!(timer.pending(), 0);
}

/// A task that takes one due item after the other lets others run
#[tokio::test(start_paused = true)]
async fn delivering_takes_from_the_budget_of_the_task() {
    let mut queue = Timer::new().delay_queue();
    for item in 0..1000 {
        queue.insert(item, Duration::ZERO);
    }
    let consumer = tokio::spawn(async move {
        while let Some(item) = queue.next().await {
            if item.into_inner() == 999 {
                return;
            }
        }
    });
    let mut turns = 0;
    while !consumer.is_finished() {
        turns += 1;
        tokio::task::yield_now().await;
    }
    assert!(turns > 5, "only {turns} turns between 1000 items");
}

/// Contract 9: a hundred thousand items are sorted anew over several polls
#[tokio::test(start_paused = true)]
async fn a_long_cascade_is_cut_into_pieces() {
    let counter = CountingWaker::new();
    let mut queue = Timer::new().delay_queue();
    for item in 0..10_000 {
        queue.insert(item, HOUR);
    }
    time::advance(HOUR).await;
    let mut polls = 0;
    let waker = counter.waker();
    while queue.poll_expired(&mut Context::from_waker(&waker)).is_pending() {
        polls += 1;
        assert_eq!(counter.wakes(), polls, "the next poll is asked for");
    }
    assert!(polls > 5, "all at once, but for {polls} polls");
    assert_eq!(queue.len(), 9_999);
}

/// A runtime that is gone: the panic of an interval, and what is left can be taken out
#[test]
fn without_its_runtime_a_queue_panics_when_it_would_have_to_wait() {
    let runtime = multi_thread(1);
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    let (mut queue, made_at) = (timer.delay_queue(), line!());
    let far = queue.insert("far", HOUR);
    let counter = CountingWaker::new();
    assert!(queue.poll_expired(&mut Context::from_waker(&counter.waker())).is_pending());
    drop(runtime);
    assert_eq!(counter.wakes(), 1, "woken, not left hanging");

    for _ in 0..2 {
        let panicked = panic_of(|| poll(&mut queue));
        let place = format!("{}:{made_at}:", file!());
        assert!(panicked.message.contains(&place), "{panicked:?} instead of {place}");
    }
    queue.insert("due", Duration::ZERO);
    assert_eq!(poll(&mut queue), Poll::Ready(Some("due")));
    assert_eq!(queue.remove(&far).into_inner(), "far");
    assert_eq!(poll(&mut queue), Poll::Ready(None));
}
