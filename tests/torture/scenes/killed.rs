//! A runtime goes away with armed timers in it

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use tickwheel::TimerError;
use tickwheel_tests::durations::HOUR;

use super::crowd::Crowd;
use crate::{
    scene::{AnyRuntime, Scene},
    verdict::planned,
};

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let watched = scene.timer(runtime.handle());
    let timer = watched.timer.clone();
    // Some wait on threads of their own, and some in tasks that go with the runtime.
    let longest = [Duration::from_millis(20), HOUR][scene.count(0, 1)];
    let (count, tasks) = (scene.count(1, 1_000), scene.count(0, 100));
    let crowd = Crowd::arm(scene, &timer, count, longest);
    for _ in 0..tasks {
        let (timer, delay) = (timer.clone(), scene.micros(0, 1_000_000));
        runtime.handle().spawn(async move {
            let _ = timer.try_sleep(delay).await;
        });
    }
    let (owned, calls) = (Arc::new(()), Arc::new(AtomicUsize::new(0)));
    for _ in 0..scene.between(0, 100) {
        let (owned, calls) = (Arc::clone(&owned), Arc::clone(&calls));
        let delay = scene.micros(0, 30_000);
        // Should it be refused already, there is nothing to check.
        let panics = scene.is_one_in(20);
        drop(timer.try_call_later(delay, move || {
            drop(owned);
            calls.fetch_add(1, Ordering::SeqCst);
            if panics {
                planned();
            }
        }));
    }
    thread::sleep(scene.micros(0, 15_000));
    let wait = scene.wait("a runtime that goes");
    match runtime {
        AnyRuntime::MultiThread(runtime) if scene.is_one_in(3) => runtime.shutdown_background(),
        other => drop(other),
    }
    while !timer.is_shutdown() {
        thread::sleep(Duration::from_millis(1));
    }
    drop(wait);
    scene.world.tally.runtimes_killed.add(1);
    crowd.finish(scene, &timer);
    let wait = scene.wait("what callbacks own");
    while Arc::strong_count(&owned) > 1 {
        thread::sleep(Duration::from_millis(1));
    }
    drop(wait);
    let before = calls.load(Ordering::SeqCst);
    let late = futures::executor::block_on(timer.try_sleep(HOUR));
    scene.holds(
        late == Err(TimerError::ShutDown),
        "errors, not surprises",
        &"sleep",
        &"ShutDown",
        &format_args!("{late:?}"),
    );
    thread::sleep(Duration::from_millis(2));
    let after = calls.load(Ordering::SeqCst);
    scene.holds(before == after, "nothing comes after the end", &"callbacks", &before, &after);
    scene.is_empty(&watched);
}
