//! The clock on the wall is set, and schedules go by it

use std::time::{Duration, SystemTime};

use futures::StreamExt;
use tickwheel::Every;
use tickwheel_tests::{durations::HOUR, wall::Wall};

use crate::scene::Scene;

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let wall = Wall::showing(SystemTime::now());
    let builder = wall.give_to(scene.builder().tick(Duration::from_millis(1)));
    let watched = scene.build(builder, runtime.handle());
    let period = scene.micros(1_000, 20_000);
    let mut occurrences = watched.timer.schedule(Every::new(period).expect("it is not zero"));
    let mut last = None;
    for _ in 0..scene.between(3, 10) {
        match scene.random.below(4) {
            0 => wall.set_forward(scene.micros(0, 3_600_000_000)),
            1 => wall.set_back(scene.micros(0, 50_000)),
            2 => wall.set_forward(HOUR * 24 * 365),
            _ => {}
        }
        let wait = scene.wait("an occurrence");
        let at = futures::executor::block_on(occurrences.next()).expect("it has no end");
        drop(wait);
        let now = wall.now();
        let early = at.duration_since(now).unwrap_or_default();
        scene.holds(
            early.is_zero(),
            "never early",
            &"schedule",
            &"an occurrence when the wall shows it",
            &format_args!("{early:?} before"),
        );
        scene.holds(
            last.is_none_or(|last| last < at),
            "occurrences come once",
            &"schedule",
            &format_args!("after {last:?}"),
            &format_args!("{at:?}"),
        );
        last = Some(at);
    }
    drop(occurrences);
    scene.is_empty(&watched);
}
