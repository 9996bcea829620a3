//! A timer is shut down while others use it

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use tickwheel_tests::{durations::HOUR, random::Random};

use super::{crowd::Crowd, storm::hammer};
use crate::scene::Scene;

pub(super) fn play(scene: &mut Scene<'_>) {
    let runtime = scene.runtime();
    let watched = scene.timer(runtime.handle());
    let timer = &watched.timer;
    let count = scene.count(0, 1_000);
    let crowd = Crowd::arm(scene, timer, count, Duration::from_millis(50));
    let calls = Arc::new(AtomicUsize::new(0));
    let callbacks = scene.count(0, 200);
    for _ in 0..callbacks {
        let (delay, calls) = (scene.micros(0, 50_000), Arc::clone(&calls));
        timer.call_later(delay, move || {
            calls.fetch_add(1, Ordering::SeqCst);
        });
    }
    let given_back = thread::scope(|threads| {
        for _ in 0..scene.between(0, 3) {
            let random = Random::new(scene.random.below(u64::MAX));
            threads.spawn(move || hammer(random, timer, 2_000));
        }
        thread::sleep(scene.micros(0, 20_000));
        let _wait = scene.wait("a shutdown");
        futures::executor::block_on(timer.shutdown()).into_callbacks().len()
    });
    let called = calls.load(Ordering::SeqCst);
    scene.holds(
        called + given_back == callbacks,
        "called once or given back",
        &"callbacks",
        &callbacks,
        &format_args!("{called} called and {given_back} given back"),
    );
    crowd.finish(scene, timer);
    let again = futures::executor::block_on(timer.shutdown());
    let left = again.sleeps() + again.callbacks().len();
    scene.holds(left == 0, "a second shutdown finds nothing", &"all", &0, &left);
    let late = timer.try_call_later(HOUR, || ()).is_err();
    scene.holds(late, "errors, not surprises", &"callback", &"ShutDown", &"armed");
    scene.is_empty(&watched);
}
