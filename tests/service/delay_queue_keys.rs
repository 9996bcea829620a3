//! A key is the name of one item of one queue, for ever

use futures::StreamExt;
use tickwheel::{Timer, delay_queue::UnknownKey};
use tickwheel_tests::{
    durations::{HOUR, MS},
    panics::{Panicked, panic_of},
};
use tokio::time::Instant;

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
