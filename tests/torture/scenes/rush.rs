//! Very many timers are due at once, and other tasks run in between

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::task::yield_now;

use super::crowd::{Crowd, Probe};
use crate::scene::Scene;

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let builder = scene.builder().turn_timers(64);
    let watched = scene.build(builder, runtime.handle());
    let (is_over, turns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let neighbour = {
        let (is_over, turns) = (Arc::clone(&is_over), Arc::clone(&turns));
        async move {
            while !is_over.load(Ordering::Relaxed) {
                turns.fetch_add(1, Ordering::Relaxed);
                yield_now().await;
            }
        }
    };
    let task = runtime.handle().spawn(neighbour);
    let deadline = watched.timer.now() + Duration::from_millis(20);
    let mut crowd = Crowd::default();
    for _ in 0..scene.between(1_000, 20_000) {
        let delay = deadline.saturating_duration_since(watched.timer.now());
        crowd.add(scene, &watched.timer, delay, Probe::new(None, false));
    }
    let (before, cut_before) =
        (turns.load(Ordering::Relaxed), watched.timer.metrics().turns_cut_short);
    crowd.finish(scene, &watched.timer);
    let cut = watched.timer.metrics().turns_cut_short - cut_before;
    let seen = turns.load(Ordering::Relaxed) - before;
    is_over.store(true, Ordering::Relaxed);
    let _wait = scene.wait("a task that yields");
    futures::executor::block_on(task).expect("a task that only yields");
    // On one worker each turn that was cut short let it run once; others may run the driver at
    // the same time, and count for themselves.
    let is_single = matches!(runtime, crate::scene::AnyRuntime::CurrentThread(_));
    scene.holds(
        !is_single || seen + 1 >= cut / 2,
        "turns are bounded",
        &"a task that yields",
        &format_args!("a run for each of {cut} turns cut short"),
        &seen,
    );
    scene.is_empty(&watched);
}
