//! A hundred thousand timers up and down, and the memory comes back

use std::{
    sync::atomic::{AtomicU64, Ordering},
    task::Waker,
    time::Duration,
};

use tickwheel_tests::{durations::HOUR, waker::poll_with};

use crate::{memory, scene::Scene};

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let watched = scene.timer(runtime.handle());
    for _ in 0..scene.between(1, 3) {
        let count = scene.count(10_000, 100_000);
        let mut sleeps: Vec<_> = (0..count)
            .map(|_| {
                let delay = if scene.is_one_in(100) { Duration::MAX } else { HOUR };
                let mut sleep = watched.timer.try_sleep(delay);
                assert!(poll_with(&mut sleep, Waker::noop()).is_pending());
                sleep
            })
            .collect();
        let pending = watched.timer.pending();
        scene.holds(pending == count, "pending is exact", &"all", &count, &pending);
        while !sleeps.is_empty() {
            let place = scene.count(0, sleeps.len() as u64 - 1);
            drop(sleeps.swap_remove(place));
        }
        scene.is_empty(&watched);
    }
    drop(watched);
    drop(runtime);
    memory_is_bounded(scene);
}

/// Beside the other scenes, whose memory is small, and what the allocator keeps
fn memory_is_bounded(scene: &Scene<'_>) {
    static FIRST: AtomicU64 = AtomicU64::new(0);
    static PLAYED: AtomicU64 = AtomicU64::new(0);
    let Some(resident) = memory::resident() else { return };
    if PLAYED.fetch_add(1, Ordering::Relaxed) < WARM_UP {
        FIRST.fetch_max(resident, Ordering::Relaxed);
        return;
    }
    let most = FIRST.load(Ordering::Relaxed) + ALLOWANCE;
    scene.holds(
        resident <= most,
        "memory returns",
        &"all",
        &format_args!("at most {} MiB", most >> 20),
        &format_args!("{} MiB", resident >> 20),
    );
}

/// As often memory grows to what is needed
const WARM_UP: u64 = 4;

/// What others' crowds take at the same time, and the allocator has not given back
const ALLOWANCE: u64 = 64 << 20;
