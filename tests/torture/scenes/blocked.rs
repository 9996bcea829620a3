//! Tasks block the workers of a runtime, and the timers of others come all the same

use std::{thread, time::Duration};

use super::crowd::Crowd;
use crate::scene::Scene;

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let watched = scene.timer(runtime.handle());
    let blocked: Vec<_> = (0..scene.between(1, 3))
        .map(|_| {
            let length = scene.micros(1_000, 300_000);
            runtime.handle().spawn(async move { thread::sleep(length) })
        })
        .collect();
    let count = scene.count(1, 500);
    let mut crowd = Crowd::arm(scene, &watched.timer, count, Duration::from_millis(200));
    crowd.cancel_some(scene);
    crowd.finish(scene, &watched.timer);
    let _wait = scene.wait("the tasks that block");
    for task in blocked {
        futures::executor::block_on(task).expect("a task that only sleeps");
    }
    scene.is_empty(&watched);
}
