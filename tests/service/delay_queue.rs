//! Items come out when they are due, and are found by their keys until then

use std::{
    cell::Cell,
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures::{Stream, StreamExt, stream::FusedStream};
use tickwheel::{
    DelayQueue, Timer,
    delay_queue::{Expired, Key, UnknownKey},
};
use tickwheel_tests::{
    durations::{HOUR, MS, SECOND, YEAR},
    panics::{Panicked, panic_of},
    runtimes::multi_thread,
    waker::CountingWaker,
};
use tokio::{
    task::unconstrained,
    time::{self, Instant},
};

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

fn poll<T>(queue: &mut DelayQueue<T>) -> Poll<Option<T>> {
    let item = queue.poll_expired(&mut Context::from_waker(Waker::noop()));
    item.map(|item| item.map(Expired::into_inner))
}

/// Everything that is due
fn due<T>(queue: &mut DelayQueue<T>) -> Vec<T> {
    let next = || match poll(queue) {
        Poll::Ready(item) => item,
        Poll::Pending => None,
    };
    std::iter::from_fn(next).collect()
}

/// Everything there is, with the time of delivery in milliseconds since `started`
async fn deliver<T>(queue: &mut DelayQueue<T>, started: Instant) -> Vec<(T, u128)> {
    let mut seen = Vec::new();
    while let Some(item) = queue.next().await {
        seen.push((item.into_inner(), started.elapsed().as_millis()));
    }
    seen
}

/// Q1: insert A, deliver A, insert B, use A's key
#[tokio::test(start_paused = true)]
async fn a_key_whose_item_is_gone_is_unknown() {
    let timer = Timer::new();
    let mut queue = timer.delay_queue();
    let a = queue.insert("a", MS);
    let delivered = queue.next().await.unwrap();
    assert_eq!((delivered.key(), *delivered.get_ref()), (a, "a"));
    let b = queue.insert("b", HOUR);
    let b_due = queue.deadline(&b);
    assert_ne!(a, b);

    assert!(queue.try_remove(&a).is_none());
    assert_eq!(queue.try_reset(&a, MS), Err(UnknownKey));
    assert_eq!(queue.try_reset_at(&a, timer.now()), Err(UnknownKey));
    assert_eq!(queue.try_deadline(&a), None);
    assert_eq!((queue.len(), queue.deadline(&b)), (1, b_due));
    assert_eq!(queue.remove(&b).into_inner(), "b");
}

/// Q1: the same, where the method has no way to say so
#[tokio::test(start_paused = true)]
async fn an_unknown_key_panics_at_the_line_of_the_caller() {
    let mut queue = Timer::new().delay_queue();
    let a = queue.insert("a", MS);
    queue.remove(&a);
    queue.insert("b", HOUR);
    let at = |line| Panicked { message: UnknownKey.to_string(), file: file!().to_owned(), line };
    assert_eq!(panic_of(|| queue.remove(&a)), at(line!()));
    assert_eq!(panic_of(|| queue.reset(&a, MS)), at(line!()));
    assert_eq!(panic_of(|| queue.reset_at(&a, Instant::now())), at(line!()));
    assert_eq!(panic_of(|| queue.deadline(&a)), at(line!()));
    assert_eq!(queue.len(), 1);
}

/// Q1: however an item left, and whatever was done to the room it had
#[tokio::test(start_paused = true)]
async fn keys_stay_unknown_after_clear_drain_and_shrinking() {
    let mut queue = Timer::new().delay_queue();
    let mut stale = Vec::new();
    for round in 0..5 {
        stale.extend((0..3).map(|_| queue.insert(round, HOUR)));
        match round {
            0 => queue.clear(),
            1 => assert_eq!(queue.drain().count(), 3),
            2 => drop(queue.drain().next()),
            3 => {
                queue.clear();
                queue.shrink_to_fit();
            }
            _ => {
                queue.clear();
                queue.compact();
            }
        }
        assert!(queue.is_empty());
    }
    let live: Vec<_> = (0..20).map(|_| queue.insert(9, HOUR)).collect();
    assert!(stale.iter().all(|key| queue.try_remove(key).is_none()));
    queue.shrink_to_fit();
    assert!(live.iter().all(|key| queue.try_remove(key).is_some()));
}

/// Q1: a key of another queue, at the same place, of the same age
#[tokio::test(start_paused = true)]
async fn a_key_of_another_queue_is_unknown() {
    let timer = Timer::new();
    let (mut one, mut other) = (timer.delay_queue(), Timer::new().delay_queue());
    let key = one.insert(1, HOUR);
    let same = other.insert(2, HOUR);
    assert!(other.try_remove(&key).is_none());
    assert_eq!(one.try_reset(&same, MS), Err(UnknownKey));
    assert_eq!((one.try_deadline(&same), one.len(), other.len()), (None, 1, 1));
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
