//! A timer is armed or moved while the driver goes to sleep

use std::{sync::Arc, task::Waker, time::Duration};

use loom::thread;

use super::{
    scene::{HOUR, MINUTE, Scene, arm, counting_waker},
    time,
};
use crate::shard::Removal;

#[test]
fn a_timer_armed_while_the_driver_goes_to_sleep_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || arm(&shard, HOUR, Waker::noop()));
        assert!(driver.poll().is_pending());
        arming.join().unwrap();
        scene.assert_rings_by(HOUR);
    });
}

#[test]
fn an_earlier_timer_armed_while_the_driver_sets_the_alarm_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        arm(&scene.shard, HOUR, Waker::noop());
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || arm(&shard, MINUTE, Waker::noop()));
        assert!(driver.poll().is_pending());
        arming.join().unwrap();
        scene.assert_rings_by(MINUTE);
    });
}

#[test]
fn a_timer_armed_while_the_driver_finds_nothing_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        // The driver is to come for a timer that is gone: the next must not rely on it.
        let cancelled = arm(&scene.shard, MINUTE, Waker::noop());
        scene.shard.remove(cancelled, Removal::Cancelled);
        time::advance(Duration::from_secs(60));
        scene.alarm.ring_next();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || arm(&shard, HOUR, Waker::noop()));
        assert!(driver.poll().is_pending());
        arming.join().unwrap();
        scene.assert_rings_by(HOUR);
    });
}

#[test]
fn a_timer_reset_earlier_while_the_driver_sets_the_alarm_is_rung_for() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let key = arm(&scene.shard, HOUR, Waker::noop());
        let shard = Arc::clone(&scene.shard);
        let resetting = thread::spawn(move || assert!(shard.reset(key, MINUTE, || false)));
        assert!(driver.poll().is_pending());
        resetting.join().unwrap();
        scene.assert_rings_by(MINUTE);
    });
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
