//! Many threads at a limit: never more, and each place is free again at once

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    task::{Poll, Waker},
    thread,
};

use tickwheel::{Timer, TimerError, TrySleep};
use tickwheel_tests::{durations::HOUR, random::Random, waker::poll_with};

use crate::scene::Scene;

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let most = scene.count(1, 50);
    let builder = scene.builder().max_pending(most);
    let watched = scene.build(builder, runtime.handle());
    let (held, peak) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|threads| {
        for _ in 0..scene.between(2, 6) {
            let (random, timer) = (Random::new(scene.random.below(u64::MAX)), &watched.timer);
            let (held, peak) = (&held, &peak);
            threads.spawn(move || take_and_give(random, timer, held, peak));
        }
    });
    let peak = peak.into_inner();
    scene.holds(peak <= most, "a limit is kept", &"sleeps", &most, &peak);
    scene.is_empty(&watched);
    let kept: Vec<_> = (0..most).map(|_| armed(&watched.timer)).collect();
    let taken = kept.iter().flatten().count();
    scene.holds(taken == most, "a place is free at once", &"sleeps", &most, &taken);
    let over = armed(&watched.timer);
    scene.holds(over.is_none(), "a limit is kept", &"sleep", &"AtCapacity", &"armed");
    drop(kept);
    scene.is_empty(&watched);
}

fn take_and_give(mut random: Random, timer: &Timer, held: &AtomicUsize, peak: &AtomicUsize) {
    let mut mine = Vec::new();
    for _ in 0..500 {
        if random.below(2) == 0 {
            if let Some(sleep) = armed(timer) {
                mine.push(sleep);
                peak.fetch_max(held.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            }
        } else if let Some(sleep) = mine.pop() {
            held.fetch_sub(1, Ordering::SeqCst);
            drop(sleep);
        }
    }
    held.fetch_sub(mine.len(), Ordering::SeqCst);
}

fn armed(timer: &Timer) -> Option<TrySleep> {
    let mut sleep = timer.try_sleep(HOUR);
    match poll_with(&mut sleep, Waker::noop()) {
        Poll::Pending => Some(sleep),
        Poll::Ready(Err(TimerError::AtCapacity)) => None,
        Poll::Ready(other) => panic!("an hour has passed, or so it says: {other:?}"),
    }
}
