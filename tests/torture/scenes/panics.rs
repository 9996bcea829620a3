//! Wakers, callbacks and what they own panic, and all others fire

use std::{thread, time::Duration};

use tickwheel_tests::callbacks::OnDrop;

use super::crowd::{Crowd, Probe};
use crate::{scene::Scene, verdict::planned};

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let watched = scene.timer(runtime.handle());
    let timer = &watched.timer;
    let mut crowd = Crowd::default();
    for _ in 0..scene.between(1, 300) {
        let (panics, delay) = (scene.is_one_in(5), scene.micros(1_000, 20_000));
        crowd.add(scene, timer, delay, Probe::new(None, panics));
    }
    let mut callbacks = Vec::new();
    let mut panicking = 0;
    for _ in 0..scene.between(0, 100) {
        let (kind, delay) = (scene.random.below(4), scene.micros(0, 20_000));
        panicking += u64::from(kind == 0);
        callbacks.push(match kind {
            0 => timer.call_later(delay, || planned()),
            1 => {
                let bomb = OnDrop::new(|| planned());
                timer.call_later(delay, move || bomb.keep())
            }
            _ => timer.call_later(delay, || ()),
        });
    }
    crowd.finish(scene, timer);
    let wait = scene.wait(format_args!("callbacks, and {panicking} panics to be counted"));
    while !callbacks.iter().all(tickwheel::Callback::is_finished) {
        thread::sleep(Duration::from_millis(1));
    }
    // A callback is finished a moment before its panic is counted.
    while timer.metrics().callback_panics < panicking {
        thread::sleep(Duration::from_millis(1));
    }
    drop(wait);
    scene.is_empty(&watched);
}
