//! A timer is armed or moved while the driver goes to sleep

use std::{sync::Arc, task::Waker, time::Duration};

use loom::thread;
use tickwheel_core::Tick;

use super::{
    scene::{HOUR, MINUTE, Scene, arm, counting_waker},
    time,
};
use crate::shard::{Removal, Shard};

#[test]
fn a_timer_armed_while_the_driver_goes_to_sleep_is_rung_for() {
    while_the_driver_parks(
        |_| (),
        |shard, ()| {
            arm(shard, HOUR, Waker::noop());
        },
        HOUR,
    );
}

#[test]
fn an_earlier_timer_armed_while_the_driver_sets_the_alarm_is_rung_for() {
    while_the_driver_parks(
        |scene| arm(&scene.shard, HOUR, Waker::noop()),
        |shard, _| {
            arm(shard, MINUTE, Waker::noop());
        },
        MINUTE,
    );
}

#[test]
fn a_timer_armed_while_the_driver_finds_nothing_is_rung_for() {
    while_the_driver_parks(
        |scene| {
            // The driver is to come for a timer that is gone: the next must not rely on it.
            let cancelled = arm(&scene.shard, MINUTE, Waker::noop());
            scene.shard.remove(cancelled, Removal::Cancelled);
            time::advance(Duration::from_secs(60));
            scene.alarm.ring_next();
        },
        |shard, ()| {
            arm(shard, HOUR, Waker::noop());
        },
        HOUR,
    );
}

#[test]
fn a_timer_reset_earlier_while_the_driver_sets_the_alarm_is_rung_for() {
    while_the_driver_parks(
        |scene| arm(&scene.shard, HOUR, Waker::noop()),
        |shard, key| assert!(shard.reset(key, MINUTE, || false)),
        MINUTE,
    );
}

#[test]
fn the_driver_comes_for_the_earlier_of_two_timers_that_are_armed_at_once() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let (waker, woken) = counting_waker();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || arm(&shard, HOUR, Waker::noop()));
        arm(&scene.shard, MINUTE, &waker);
        arming.join().unwrap();
        time::advance(Duration::from_secs(60));
        assert!(driver.poll().is_pending());
        assert_eq!(woken.count(), 1);
    });
}

/// Another thread changes a shard while the driver parks, and the alarm rings by then
fn while_the_driver_parks<T: Send + 'static>(
    prepare: fn(&Scene) -> T,
    change: fn(&Shard, T),
    ring_by: Tick,
) {
    loom::model(move || {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let prepared = prepare(&scene);
        let shard = Arc::clone(&scene.shard);
        let changing = thread::spawn(move || change(&shard, prepared));
        assert!(driver.poll().is_pending());
        changing.join().unwrap();
        scene.assert_rings_by(ring_by);
    });
}
