//! Items come out when they are due, in their order, at whatever distance

use std::{cell::Cell, task::Poll, time::Duration};

use futures::{Stream, StreamExt, stream::FusedStream};
use tickwheel::{
    DelayQueue, Timer,
    delay_queue::{Expired, Key},
};
use tickwheel_tests::{
    delay_queues::{due, poll},
    durations::{HOUR, MS, SECOND, YEAR},
};
use tokio::time::{self, Instant};

const fn is_send<T: Send>() {}
const fn is_sync<T: Sync>() {}
const fn is_a_stream<T: Stream + FusedStream + Unpin + std::fmt::Debug>() {}
const fn is_a_name<T: Copy + Eq + Ord + std::hash::Hash + Send + Sync + std::fmt::Debug>() {}

/// `Unpin` and `Debug` whatever it carries
struct Opaque(std::marker::PhantomPinned);

const _: () = {
    is_send::<DelayQueue<Cell<u8>>>();
    is_sync::<DelayQueue<u8>>();
    is_a_stream::<DelayQueue<Opaque>>();
    is_a_name::<Key>();
    is_send::<Expired<Cell<u8>>>();
};

/// Everything there is, with the time of delivery in milliseconds since `started`
async fn deliver<T>(queue: &mut DelayQueue<T>, started: Instant) -> Vec<(T, u128)> {
    let mut seen = Vec::new();
    while let Some(item) = queue.next().await {
        seen.push((item.into_inner(), started.elapsed().as_millis()));
    }
    seen
}

/// Q2: 1 to 5 s, and after each delivery another in 10 s (tokio#2217)
#[tokio::test(start_paused = true)]
async fn inserting_after_each_delivery_delays_nothing() {
    let mut queue = Timer::new().delay_queue();
    let started = Instant::now();
    for seconds in 1..=5 {
        queue.insert(seconds, SECOND * seconds);
    }
    for seconds in 1..=5 {
        let item = queue.next().await.unwrap().into_inner();
        assert_eq!((item, started.elapsed()), (seconds, SECOND * seconds));
        queue.insert(10 + seconds, 10 * SECOND);
    }
    let rest = deliver(&mut queue, started).await;
    assert_eq!(rest, (11..=15).map(|item| (item, u128::from(item) * 1000)).collect::<Vec<_>>());
}

/// Q4: one item beyond every horizon, and 500 times one in an hour
#[tokio::test(start_paused = true)]
async fn an_item_far_away_does_not_hold_up_the_near_ones() {
    for far in [50 * 24 * HOUR, YEAR, 1000 * YEAR, Duration::MAX] {
        let mut queue = Timer::new().delay_queue();
        queue.insert(0, far);
        for round in 1..=125 {
            let before = Instant::now();
            queue.insert(round, HOUR);
            assert_eq!(queue.next().await.unwrap().into_inner(), round);
            assert_eq!(before.elapsed(), HOUR);
        }
        assert_eq!(queue.len(), 1);
    }
}

/// A deadline is kept as it was asked for, whatever tick it rounds to
#[tokio::test(start_paused = true)]
async fn deadlines_are_exactly_what_was_asked() {
    let timer = Timer::new();
    let now = timer.now();
    let mut queue = timer.delay_queue();
    let odd = Duration::from_nanos(1_234_567_891);
    let key = queue.insert("odd", odd);
    assert_eq!(queue.deadline(&key), now + odd);
    queue.reset(&key, odd / 2);
    assert_eq!(queue.deadline(&key), now + odd / 2);
    assert_eq!(queue.next_deadline(), Some(now + odd / 2));
    queue.reset_at(&key, now - MS / 3);
    assert_eq!(queue.try_deadline(&key), Some(now - MS / 3));
    let delivered = queue.next().await.unwrap();
    assert_eq!((delivered.deadline(), timer.now()), (now - MS / 3, now));
}

/// Contract 4: the longest duration and the last instant are deadlines like others
#[tokio::test(start_paused = true)]
async fn deadlines_that_never_come_are_accepted() {
    let timer = Timer::new();
    let mut queue = timer.delay_queue();
    let longest = queue.insert("longest", Duration::MAX);
    let last = queue.insert_at("last", queue.deadline(&longest));
    let near = queue.insert("near", MS);
    queue.reset(&near, Duration::MAX);
    assert!(poll(&mut queue).is_pending());
    time::sleep(1000 * YEAR).await;
    assert!(poll(&mut queue).is_pending());
    queue.reset(&near, MS);
    assert_eq!(queue.next().await.unwrap().into_inner(), "near");
    assert!(queue.try_remove(&longest).is_some() && queue.try_remove(&last).is_some());
    assert_eq!((poll(&mut queue), timer.pending()), (Poll::Ready(None), 0));
}

/// W8 for the queue: past and zero deadlines, in order and in reverse, in the middle of a tick too
#[tokio::test(start_paused = true)]
async fn what_is_past_comes_at_once_in_the_order_of_insertion() {
    let timer = Timer::new();
    for odd in [Duration::ZERO, MS / 4, MS / 3] {
        time::advance(HOUR + odd).await;
        let now = timer.now();
        let mut queue = timer.delay_queue();
        time::advance(10 * MS).await;
        for past in [30 * MS, 20 * MS, 10 * MS, 10 * MS, 20 * MS, 30 * MS] {
            queue.insert_at(past, now - past);
        }
        queue.insert(Duration::ZERO, Duration::ZERO);
        queue.insert_at(MS, timer.now());
        let expected = [30, 20, 10, 10, 20, 30, 0, 1].map(|past| past * MS);
        assert_eq!(due(&mut queue), expected);
    }
}

/// Contract 1: not in the tick in which the deadline lies, but at its end
#[tokio::test(start_paused = true)]
async fn nothing_comes_early() {
    let mut queue = Timer::new().delay_queue();
    let started = Instant::now();
    queue.insert("late in its tick", MS * 10 + MS / 10 * 9);
    queue.insert("early in its tick", MS * 10 + MS / 10);
    queue.insert("on a tick", MS * 10);
    time::advance(MS * 10 + MS / 10 * 9).await;
    assert_eq!(due(&mut queue), ["on a tick"]);
    let rest = deliver(&mut queue, started).await;
    assert_eq!(rest, [("late in its tick", 11), ("early in its tick", 11)]);
}

/// W7 for the queue: items of one tick, at every distance
#[tokio::test(start_paused = true)]
async fn ties_come_first_in_first_out() {
    let timer = Timer::new();
    for distance in [10u32, 300, 20_000, 5_000_000] {
        let mut queue = timer.delay_queue();
        let at = timer.now() + distance * MS;
        for item in 0..100 {
            queue.insert_at(item, at);
        }
        assert!(poll(&mut queue).is_pending());
        time::sleep_until(at - MS).await;
        assert!(poll(&mut queue).is_pending());
        queue.insert_at(100, at);
        time::sleep_until(at).await;
        assert_eq!(due(&mut queue), (0..=100).collect::<Vec<_>>());
    }
}

/// The stream ends when the queue is empty, and goes on afterwards
#[tokio::test(start_paused = true)]
async fn an_empty_queue_ends_and_goes_on_after_an_insert() {
    let mut queue = Timer::new().delay_queue();
    assert_eq!((poll(&mut queue), queue.is_terminated()), (Poll::Ready(None), true));
    queue.insert(1, MS);
    assert_eq!((poll(&mut queue), queue.is_terminated()), (Poll::Pending, false));
    assert_eq!(queue.next().await.unwrap().into_inner(), 1);
    assert_eq!((poll(&mut queue), queue.is_terminated()), (Poll::Ready(None), true));

    queue.set_pending_when_empty(true);
    assert_eq!((poll(&mut queue), queue.is_terminated()), (Poll::Pending, false));
    queue.insert(2, MS);
    assert_eq!(queue.next().await.unwrap().into_inner(), 2);
    assert_eq!(poll(&mut queue), Poll::Pending);
}

/// Where upstream's `peek` looks, and ours: at what comes next
#[tokio::test(start_paused = true)]
async fn peek_names_the_item_that_comes_next() {
    let mut queue = Timer::new().delay_queue();
    assert_eq!((queue.peek(), queue.next_deadline()), (None, None));
    for item in [40_000, 20, 30, 20, 300, 300, 5_000_000, 40_000] {
        queue.insert(item, item * MS);
    }
    while let Some(next) = queue.peek() {
        let deadline = queue.next_deadline();
        let item = queue.next().await.unwrap();
        assert_eq!((item.key(), Some(item.deadline())), (next, deadline));
    }
}

#[tokio::test(start_paused = true)]
async fn its_contents_can_be_counted_listed_and_taken_out() {
    let mut queue = Timer::new().delay_queue();
    queue.reserve(100);
    assert!(queue.capacity() >= 100);
    let inserted: Vec<_> =
        (0..10u32).map(|item| (queue.insert(item, SECOND * item), item)).collect();
    assert_eq!((queue.len(), queue.is_empty(), queue.size_hint().0), (10, false, 10));
    let mut listed: Vec<_> = queue.iter().map(|(key, _, &item)| (key, item)).collect();
    listed.sort_unstable_by_key(|&(_, item)| item);
    assert_eq!(listed, inserted);
    assert!(queue.iter().all(|(key, deadline, _)| queue.deadline(&key) == deadline));
    let mut drained: Vec<_> = queue.drain().map(|item| (item.key(), item.into_inner())).collect();
    drained.sort_unstable_by_key(|&(_, item)| item);
    assert_eq!((drained, queue.len()), (inserted, 0));
    queue.compact();
    assert_eq!(queue.capacity(), 0);
    let key = queue.insert(1, MS);
    let mut item = queue.remove(&key);
    *item.get_mut() += 1;
    assert_eq!(item.into_inner(), 2);
}
