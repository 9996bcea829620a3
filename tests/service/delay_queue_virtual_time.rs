//! A queue on a virtual clock, which moves only where tokio's own timers take it

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures::StreamExt;
use tickwheel::{DelayQueue, Timer, delay_queue::Expired};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    panics::panic_of,
    runtimes::settle,
    waker::CountingWaker,
};
use tokio::{
    runtime::{Builder, Runtime},
    time::{self, Instant},
};

fn paused() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// A consumer that counts how often it is woken
struct Consumer {
    queue: DelayQueue<&'static str>,
    counter: Arc<CountingWaker>,
}

impl Consumer {
    fn new(timer: &Timer) -> Self {
        Self { queue: timer.delay_queue(), counter: CountingWaker::new() }
    }

    fn poll(&mut self) -> Poll<Option<&'static str>> {
        let waker = self.counter.waker();
        let item = self.queue.poll_expired(&mut Context::from_waker(&waker));
        item.map(|item| item.map(Expired::into_inner))
    }
}

/// A thousand ticks, each waited for: the queue asks tokio itself
#[tokio::test(start_paused = true)]
async fn waiting_does_not_trouble_the_driver() {
    let timer = Timer::new();
    let mut queue = timer.delay_queue();
    let started = timer.now();
    for item in 1..=1000 {
        queue.insert(item, MS * item);
    }
    queue.next().await.unwrap();
    let turns = timer.metrics().driver_wakeups;
    for item in 2..=1000 {
        assert_eq!(queue.next().await.unwrap().into_inner(), item);
        assert_eq!(timer.now(), started + MS * item);
    }
    let turns = timer.metrics().driver_wakeups - turns;
    assert!(turns < 10, "{turns} turns of the driver");
}

/// Contract 6: neither the clock nor the consumer is troubled by what is gone
#[tokio::test(start_paused = true)]
async fn what_is_gone_wakes_nobody() {
    let timer = Timer::new();
    let ways: [fn(&mut DelayQueue<&'static str>); 3] = [
        DelayQueue::clear,
        |queue| drop(queue.drain()),
        |queue| {
            queue.remove(&queue.peek().unwrap());
        },
    ];
    for forget in ways {
        let mut consumer = Consumer::new(&timer);
        for _ in 0..3 {
            consumer.queue.insert("gone", SECOND);
            assert_eq!(consumer.poll(), Poll::Pending);
            forget(&mut consumer.queue);
            let wakes = consumer.counter.wakes();
            time::sleep(HOUR).await;
            assert_eq!((consumer.counter.wakes(), consumer.poll()), (wakes, Poll::Ready(None)));
            assert_eq!(consumer.counter.wakers(), 0);
        }
    }
}

/// What never comes takes no clock with it, and what comes does so beside it
#[tokio::test(start_paused = true)]
async fn an_item_that_never_comes_does_not_move_the_clock() {
    let timer = Timer::new();
    let mut consumer = Consumer::new(&timer);
    let near = consumer.queue.insert("near", SECOND);
    consumer.queue.insert("never", Duration::MAX);
    assert_eq!(consumer.poll(), Poll::Pending);
    consumer.queue.remove(&near);
    assert_eq!(consumer.poll(), Poll::Pending);
    let (started, wakes) = (Instant::now(), consumer.counter.wakes());
    time::sleep(1000 * HOUR).await;
    assert_eq!((started.elapsed(), consumer.counter.wakes()), (1000 * HOUR, wakes));
    consumer.queue.insert("next", SECOND);
    assert_eq!(consumer.counter.wakes(), wakes + 1);
    assert_eq!(consumer.poll(), Poll::Pending);
    time::sleep(SECOND).await;
    assert_eq!(consumer.poll(), Poll::Ready(Some("next")));
}

/// Where the paused runtime goes while somebody elsewhere waits for the queue
#[test]
fn without_its_runtime_a_queue_panics_when_it_would_have_to_wait() {
    let runtime = paused();
    let mut consumer = runtime.block_on(async {
        let mut consumer = Consumer::new(&Timer::new());
        consumer.queue.insert("soon", SECOND);
        assert_eq!(consumer.poll(), Poll::Pending);
        time::sleep(SECOND).await;
        assert_eq!(consumer.poll(), Poll::Ready(Some("soon")));
        consumer.queue.insert("far", HOUR);
        assert_eq!(consumer.poll(), Poll::Pending);
        consumer
    });
    let wakes = consumer.counter.wakes();
    drop(runtime);
    assert!(consumer.counter.wakes() > wakes, "woken, not left hanging");
    for _ in 0..2 {
        let message = panic_of(|| consumer.poll()).message;
        assert!(message.contains(file!()), "{message}");
    }
    consumer.queue.insert("due", Duration::ZERO);
    assert_eq!(consumer.poll(), Poll::Ready(Some("due")));
}

/// Contract 12 from elsewhere: polled outside its runtime, before and after it was polled inside
#[test]
fn a_queue_polled_outside_its_runtime_goes_by_the_clock_of_that() {
    let runtime = paused();
    let timer = Timer::builder().build_on(runtime.handle()).unwrap();
    for is_known_inside in [false, true] {
        let mut consumer = Consumer::new(&timer);
        runtime.block_on(async {
            consumer.queue.insert("first", HOUR);
            if is_known_inside {
                assert_eq!(consumer.poll(), Poll::Pending);
            }
        });
        assert_eq!(consumer.poll(), Poll::Pending);
        let another = paused();
        another.block_on(async { assert_eq!(consumer.poll(), Poll::Pending) });
        drop(another);
        let mut wakes = 0;
        let mut minutes = 0;
        loop {
            runtime.block_on(settle());
            // At the borders of the wheel's levels too.
            if consumer.counter.wakes() == wakes {
                minutes += 1;
                runtime.block_on(async { time::sleep(HOUR / 60 + MS).await });
                continue;
            }
            wakes = consumer.counter.wakes();
            if consumer.poll().is_ready() {
                break;
            }
        }
        assert_eq!(minutes, 60);
    }
}

/// A clock that was moved and runs again is still none of the machine's
#[tokio::test(start_paused = true)]
async fn a_resumed_clock_brings_the_items_as_well() {
    let mut queue = Timer::new().delay_queue();
    time::advance(HOUR).await;
    for item in 1..=5 {
        queue.insert(item, 4 * MS * item);
    }
    time::resume();
    for item in 1..=5 {
        let delivered = queue.next().await.unwrap();
        assert!(Instant::now() >= delivered.deadline());
        assert_eq!(delivered.into_inner(), item);
    }
}
