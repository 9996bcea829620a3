//! Many threads arm, move, cancel and poll what is the same timer's

use std::{
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use tickwheel::{Timer, TimerError, TrySleep};
use tickwheel_tests::{random::Random, waker::poll_with};

use super::crowd::{Crowd, Probe};
use crate::scene::Scene;

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let watched = scene.timer(runtime.handle());
    let count = scene.count(1, 300);
    let crowd = Crowd::arm(scene, &watched.timer, count, Duration::from_millis(50));
    let wait = scene.wait("threads that hammer");
    let early: usize = thread::scope(|threads| {
        let threads: Vec<_> = (0..scene.between(2, 12))
            .map(|_| {
                let random = Random::new(scene.random.below(u64::MAX));
                let (timer, steps) = (&watched.timer, scene.between(100, 5_000));
                threads.spawn(move || hammer(random, timer, steps))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(1)).sum()
    });
    drop(wait);
    scene.holds(early == 0, "never early", &"sleeps", &"none ready early", &early);
    crowd.finish(scene, &watched.timer);
    scene.is_empty(&watched);
}

/// Says how many were ready before their time
pub(super) fn hammer(mut random: Random, timer: &Timer, steps: u64) -> usize {
    let mut sleeps: Vec<TrySleep> = Vec::new();
    let mut early = 0;
    for _ in 0..steps {
        let delay = match random.below(10) {
            0 => Duration::MAX,
            1 => Duration::ZERO,
            bits => Duration::from_micros(random.below(1 << (2 * bits))),
        };
        // Only the timer keeps it, so it goes when the timer lets go of it.
        let probing = random.below(8) == 0;
        let waker = if probing {
            Waker::from(Probe::new(Some(timer.clone()), false))
        } else {
            Waker::noop().clone()
        };
        let place = usize::try_from(random.below(sleeps.len() as u64 + 1)).expect("a place");
        match (random.below(4), sleeps.get_mut(place)) {
            (0, Some(sleep)) => sleep.reset_after(delay),
            (1, Some(_)) => drop(sleeps.swap_remove(place)),
            (2, Some(sleep)) => early += usize::from(is_early(sleep, &waker)),
            _ => {
                let mut sleep = timer.try_sleep(delay);
                early += usize::from(is_early(&mut sleep, &waker));
                sleeps.push(sleep);
            }
        }
    }
    early
}

fn is_early(sleep: &mut TrySleep, waker: &Waker) -> bool {
    match poll_with(sleep, waker) {
        Poll::Ready(Ok(())) => std::time::Instant::now() < sleep.deadline().into_std(),
        Poll::Ready(Err(TimerError::ShutDown)) | Poll::Pending => false,
        Poll::Ready(Err(other)) => panic!("there is no limit: {other}"),
    }
}
