//! Callbacks that are called off while they come due: what was told holds

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tickwheel::Callback;

use crate::scene::{Scene, Watched};

/// One of them, and how often it was called
struct Called {
    callback: Callback,
    deadline: Instant,
    calls: Arc<AtomicUsize>,
    /// The answer to `cancel`
    was_called_off: bool,
}

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let watched = scene.timer(runtime.handle());
    let mut all: Vec<_> = (0..scene.count(1, 300)).map(|_| call(scene, &watched)).collect();
    thread::sleep(scene.micros(0, 10_000));
    for called in &mut all {
        if scene.random.below(2) == 0 {
            called.was_called_off = called.callback.cancel();
        }
    }
    let wait = scene.wait("callbacks that were not called off");
    for called in &all {
        while !called.callback.is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
    }
    drop(wait);
    scene.is_empty(&watched);
    // A call that was on its way when it was called off would be over by now.
    thread::sleep(Duration::from_millis(2));
    for Called { deadline, calls, was_called_off, .. } in &all {
        let calls = calls.load(Ordering::SeqCst);
        let expected = usize::from(!was_called_off);
        let timer = format!("callback due {:?} ago", deadline.elapsed());
        scene.holds(
            calls == expected,
            "called once or called off",
            &timer,
            &format_args!("{expected} calls, as cancel said {was_called_off}"),
            &calls,
        );
    }
}

fn call(scene: &mut Scene<'_>, watched: &Watched) -> Called {
    let calls = Arc::new(AtomicUsize::new(0));
    let deadline = watched.timer.now() + scene.micros(0, 20_000);
    // While it takes its time it is called off in the middle of a call.
    let length = if scene.is_one_in(8) { scene.micros(0, 3_000) } else { Duration::ZERO };
    let world = Arc::clone(scene.world);
    let counted = Arc::clone(&calls);
    let name = scene.name;
    let callback = watched.timer.call_at(deadline, move || {
        counted.fetch_add(1, Ordering::SeqCst);
        let before = deadline.into_std().saturating_duration_since(Instant::now());
        world.holds(
            before.is_zero(),
            "never early",
            name,
            &"callback",
            &"called at its deadline",
            &format_args!("{before:?} before"),
        );
        thread::sleep(length);
    });
    Called { callback, deadline: deadline.into_std(), calls, was_called_off: false }
}
