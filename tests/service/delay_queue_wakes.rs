//! Whoever waits for a queue is woken when its answer may be another, and user code runs under no lock

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use tickwheel::{DelayQueue, Timer, delay_queue::Expired};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND},
    panics::panic_of,
    runtimes::{self, settle},
    waker::{ActingWaker, CountingWaker, armed},
};
use tokio::time::{self, Instant};

fn poll<T>(queue: &mut DelayQueue<T>, waker: &Waker) -> Poll<Option<T>> {
    let item = queue.poll_expired(&mut Context::from_waker(waker));
    item.map(|item| item.map(Expired::into_inner))
}

/// A queue of one item due in 100 s, and somebody who waits for it
struct Waiting {
    queue: DelayQueue<&'static str>,
    item: tickwheel::delay_queue::Key,
    counter: Arc<CountingWaker>,
}

impl Waiting {
    fn new(timer: &Timer) -> Self {
        let mut queue = timer.delay_queue();
        let item = queue.insert("in 100 s", 100 * SECOND);
        let mut waiting = Self { queue, item, counter: CountingWaker::new() };
        assert_eq!(waiting.poll(), Poll::Pending);
        waiting
    }

    fn poll(&mut self) -> Poll<Option<&'static str>> {
        poll(&mut self.queue, &self.counter.waker())
    }
}

/// Q3: the end of the stream is something to be told of (tokio#8320)
#[tokio::test(start_paused = true)]
async fn a_consumer_is_woken_when_the_last_item_goes() {
    let timer = Timer::new();
    let changes: [fn(&mut Waiting); 4] = [
        |waiting| waiting.queue.clear(),
        |waiting| assert_eq!(waiting.queue.remove(&waiting.item).into_inner(), "in 100 s"),
        |waiting| assert!(waiting.queue.try_remove(&waiting.item).is_some()),
        |waiting| drop(waiting.queue.drain()),
    ];
    for change in changes {
        let mut waiting = Waiting::new(&timer);
        change(&mut waiting);
        assert_eq!(waiting.counter.wakes(), 1);
        assert_eq!((waiting.poll(), timer.pending()), (Poll::Ready(None), 0));
        // It holds no waker of somebody who has been answered.
        assert_eq!(waiting.counter.wakers(), 0);
    }
}

/// Q3: reset to the past (tokio#8274)
#[tokio::test(start_paused = true)]
async fn a_consumer_is_woken_when_an_item_is_reset_to_the_past() {
    let timer = Timer::new();
    for past in [Duration::ZERO, MS / 3, MS, HOUR] {
        let mut waiting = Waiting::new(&timer);
        time::advance(2 * SECOND + MS / 2).await;
        waiting.queue.reset_at(&waiting.item, Instant::now() - past);
        assert_eq!(waiting.counter.wakes(), 1);
        assert_eq!(waiting.poll(), Poll::Ready(Some("in 100 s")));
    }
}

/// Q3: an earlier item, by insert and by reset (tokio#6751)
#[tokio::test(start_paused = true)]
async fn a_consumer_is_woken_for_an_earlier_item() {
    let timer = Timer::new();
    let changes: [fn(&mut Waiting, Duration); 2] = [
        |waiting, delay| {
            waiting.queue.insert("earlier", delay);
        },
        |waiting, delay| waiting.queue.reset(&waiting.item, delay),
    ];
    for change in changes {
        for delay in [MS, 20 * MS, SECOND, 99 * SECOND] {
            let mut waiting = Waiting::new(&timer);
            change(&mut waiting, delay);
            let earlier = waiting.counter.wakes();
            assert_eq!(waiting.poll(), Poll::Pending);
            time::sleep(delay.saturating_sub(MS)).await;
            assert_eq!(waiting.poll(), Poll::Pending);
            let before = waiting.counter.wakes();
            time::sleep(2 * MS).await;
            assert!(earlier <= 1 && waiting.counter.wakes() > before, "after {delay:?}");
            assert!(matches!(waiting.poll(), Poll::Ready(Some(_))));
        }
    }
}

/// Q3: the wake-up for an earlier item comes even if nobody polls in between
#[tokio::test(start_paused = true)]
async fn one_wake_up_is_enough_for_many_changes() {
    let timer = Timer::new();
    let mut waiting = Waiting::new(&timer);
    for seconds in (1..50).rev() {
        waiting.queue.insert("earlier", SECOND * seconds);
    }
    assert_eq!(waiting.counter.wakes(), 1);
    time::sleep(5 * SECOND).await;
    for _ in 0..5 {
        assert_eq!(waiting.poll(), Poll::Ready(Some("earlier")));
    }
    assert_eq!(waiting.poll(), Poll::Pending);
}

/// Q3: what comes later, or leaves while something earlier waits, is nothing to wake for
#[tokio::test(start_paused = true)]
async fn a_consumer_is_not_woken_for_what_does_not_concern_it() {
    let timer = Timer::new();
    let mut waiting = Waiting::new(&timer);
    let later = waiting.queue.insert("later", 200 * SECOND);
    waiting.queue.reset(&later, 300 * SECOND);
    waiting.queue.remove(&later);
    assert!(waiting.queue.try_remove(&later).is_none());
    waiting.queue.reserve(1000);
    waiting.queue.shrink_to_fit();
    assert_eq!(waiting.counter.wakes(), 0);
    time::sleep(101 * SECOND).await;
    let wakes = waiting.counter.wakes();
    assert!(wakes > 0);
    while waiting.poll().is_pending() {
        settle().await;
    }
    // The answer was given: nobody waits.
    waiting.queue.insert("again", MS);
    assert_eq!(waiting.counter.wakes(), wakes);
}

/// Q3: reset to later, or removed: not delivered at the old time, and no later than the new one
#[tokio::test(start_paused = true)]
async fn an_item_that_moves_to_later_comes_then() {
    let timer = Timer::new();
    let mut waiting = Waiting::new(&timer);
    let started = Instant::now();
    let second = waiting.queue.insert("second", 150 * SECOND);
    waiting.queue.reset(&waiting.item, 200 * SECOND);
    waiting.queue.reset(&second, 160 * SECOND);
    for (item, seconds) in [("second", 160), ("in 100 s", 200)] {
        loop {
            let before = waiting.counter.wakes();
            match waiting.poll() {
                Poll::Ready(delivered) => break assert_eq!(delivered, Some(item)),
                Poll::Pending => {
                    while waiting.counter.wakes() == before {
                        time::sleep(MS).await;
                    }
                }
            }
        }
        let late = started.elapsed().saturating_sub(SECOND * seconds);
        assert!(started.elapsed() >= SECOND * seconds && late <= 2 * MS, "{item} {late:?} late");
    }
}

/// An empty queue that waits is woken by an insert, and by being told not to wait
#[tokio::test(start_paused = true)]
async fn a_consumer_of_an_empty_queue_is_woken_by_an_insert() {
    let counter = CountingWaker::new();
    let timer = Timer::new();
    let mut queue = timer.delay_queue();
    queue.set_pending_when_empty(true);
    assert_eq!(poll(&mut queue, &counter.waker()), Poll::Pending);
    assert_eq!(timer.pending(), 0);
    queue.insert(1, Duration::MAX);
    assert_eq!(counter.wakes(), 1);
    queue.clear();
    assert_eq!(poll(&mut queue, &counter.waker()), Poll::Pending);
    queue.set_pending_when_empty(false);
    assert_eq!(counter.wakes(), 2);
    assert_eq!(poll(&mut queue, &counter.waker()), Poll::Ready(None));
}

/// The task that polled last is the one that waits
#[tokio::test(start_paused = true)]
async fn only_the_last_waker_is_woken() {
    let (first, second) = (CountingWaker::new(), CountingWaker::new());
    let mut queue = Timer::new().delay_queue();
    let key = queue.insert(1, SECOND);
    assert_eq!(poll(&mut queue, &first.waker()), Poll::Pending);
    assert_eq!(poll(&mut queue, &second.waker()), Poll::Pending);
    assert_eq!((first.wakers(), first.wakes()), (0, 0));
    time::sleep(SECOND + MS).await;
    assert_eq!((first.wakes(), second.wakes()), (0, 1));
    queue.reset(&key, SECOND);
    assert_eq!(poll(&mut queue, &first.waker()), Poll::Pending);
    queue.clear();
    assert_eq!((first.wakes(), second.wakers()), (1, 0));
}

/// Two tasks share a queue: one waits, the other changes it
#[tokio::test(start_paused = true)]
async fn a_task_that_waits_sees_what_another_inserts() {
    let mut queue = Timer::new().delay_queue();
    queue.set_pending_when_empty(true);
    let shared = Arc::new(Mutex::new(queue));
    let consumer = tokio::spawn({
        let shared = Arc::clone(&shared);
        async move {
            let mut seen = Vec::new();
            while seen.len() < 3 {
                let next = std::future::poll_fn(|cx| shared.lock().unwrap().poll_expired(cx));
                seen.push(next.await.unwrap().into_inner());
            }
            seen
        }
    });
    let insert = |item, delay| shared.lock().unwrap().insert(item, delay);
    settle().await;
    insert("third", 10 * SECOND);
    settle().await;
    insert("first", SECOND);
    settle().await;
    insert("second", 2 * SECOND);
    assert_eq!(consumer.await.unwrap(), ["first", "second", "third"]);
}

const LIMIT: Duration = Duration::from_secs(30);

/// Runs this on a paused current-thread runtime, which a deadlock must not hang for ever
fn on_a_paused_clock<F: Future<Output = ()>>(story: impl FnOnce(Timer) -> F + Send + 'static) {
    runtimes::on_a_paused_clock(LIMIT, story);
}

/// A queue of this timer that somebody waits for
fn waiting<T: Send>(timer: &Timer, value: T) -> DelayQueue<T> {
    let mut queue = timer.delay_queue();
    queue.insert(value, HOUR);
    assert!(queue.poll_expired(&mut Context::from_waker(Waker::noop())).is_pending());
    queue
}

/// Contract 8: a waker that drops another queue and arms a sleep, woken by a change and by the alarm
#[test]
fn a_waker_may_drop_another_queue_and_arm_a_sleep() {
    on_a_paused_clock(|timer| async move {
        let acted = Arc::new(AtomicUsize::new(0));
        let acting = |other: DelayQueue<u8>| {
            let (timer, acted) = (timer.clone(), Arc::clone(&acted));
            let other = Mutex::new(Some(other));
            ActingWaker::on_wake(move || {
                drop(other.lock().unwrap().take());
                drop(armed(&timer, MS, Waker::noop()));
                acted.fetch_add(1, Ordering::Relaxed);
            })
        };
        let mut queue = timer.delay_queue();
        queue.insert(1, SECOND);
        assert_eq!(poll(&mut queue, &acting(waiting(&timer, 1))), Poll::Pending);
        assert_eq!(timer.pending(), 2);
        queue.insert(2, 20 * MS);
        assert_eq!((acted.load(Ordering::Relaxed), timer.pending()), (1, 1));
        assert_eq!(poll(&mut queue, &acting(waiting(&timer, 1))), Poll::Pending);
        time::sleep(30 * MS).await;
        assert_eq!((acted.load(Ordering::Relaxed), timer.pending()), (2, 0));
    });
}

/// What uses timers when it is dropped
struct Busy {
    timer: Timer,
    other: Option<DelayQueue<u8>>,
    dropped: Arc<AtomicUsize>,
}

impl Drop for Busy {
    fn drop(&mut self) {
        drop(armed(&self.timer, HOUR, Waker::noop()));
        drop(self.other.take());
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// Contract 8: values that drop another queue and arm a sleep when they are dropped
#[test]
fn a_value_may_drop_another_queue_and_arm_a_sleep() {
    on_a_paused_clock(|timer| async move {
        let dropped = Arc::new(AtomicUsize::new(0));
        let changes: [fn(DelayQueue<Busy>); 4] = [
            |mut queue| queue.clear(),
            |mut queue| drop(queue.drain()),
            |mut queue| drop(queue.remove(&queue.peek().unwrap())),
            drop,
        ];
        for (change, count) in changes.into_iter().zip(1..) {
            let other = Some(waiting(&timer, 1));
            let busy = Busy { timer: timer.clone(), other, dropped: Arc::clone(&dropped) };
            change(waiting(&timer, busy));
            assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (count, 0));
        }
    });
}

/// Contract 8: a value that panics in its drop takes nothing else with it
#[tokio::test(start_paused = true)]
async fn a_value_that_panics_in_its_drop_leaves_the_queue_whole() {
    struct Bomb(bool, Arc<AtomicUsize>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
            assert!(!self.0, "a value's panic, as it should be");
        }
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    let counter = CountingWaker::new();
    let timer = Timer::new();
    let mut queue = timer.delay_queue();
    for number in 0..10u32 {
        queue.insert(Bomb(number == 3, Arc::clone(&dropped)), SECOND * number + MS);
    }
    let waker = counter.waker();
    assert!(queue.poll_expired(&mut Context::from_waker(&waker)).is_pending());
    panic_of(|| queue.clear());
    assert_eq!((dropped.load(Ordering::Relaxed), counter.wakes()), (10, 1));
    assert_eq!((queue.len(), timer.pending()), (0, 0));
    let key = queue.insert(Bomb(false, Arc::clone(&dropped)), SECOND);
    assert!(queue.try_remove(&key).is_some());
}
