//! A ring is asked for while the alarm goes to sleep or rings

use std::{sync::Arc, time::Duration};

use loom::thread;

use super::scene::{Scene, counting_waker};
use crate::{
    bell::Bell,
    clock::machine_now,
    sync::{AtomicBool, Ordering},
};

#[test]
fn a_ring_asked_for_while_the_alarm_goes_to_sleep_is_heard() {
    loom::model(|| {
        let scene = Scene::new();
        let alarm = scene.alarm.clone();
        let asking = thread::spawn(move || alarm.ring_by(machine_now()));
        // Would sleep for ever, if it had not heard.
        scene.alarm.ring_next();
        asking.join().unwrap();
        assert_eq!(scene.alarm.rings_at(), None);
    });
}

#[test]
fn an_earlier_ring_asked_for_while_the_alarm_goes_to_sleep_is_heard() {
    loom::model(|| {
        let scene = Scene::new();
        let later = scene.alarm.beside(Arc::new(Bell::new()));
        later.ring_by(machine_now() + Duration::from_secs(3600));
        let alarm = scene.alarm.clone();
        let asking = thread::spawn(move || alarm.ring_by(machine_now()));
        scene.alarm.ring_next();
        asking.join().unwrap();
        assert_eq!(scene.alarm.rings_at(), None);
        assert!(later.rings_at().is_some());
    });
}

#[test]
fn a_ring_while_the_driver_comes_is_seen_by_it_or_calls_it() {
    loom::model(|| {
        let scene = Scene::new();
        let (before, _) = counting_waker();
        let (driver, called) = counting_waker();
        scene.bell.answer(&before, false);
        let reason = Arc::new(AtomicBool::new(false));
        let ringing = {
            let (bell, reason) = (Arc::clone(&scene.bell), Arc::clone(&reason));
            thread::spawn(move || {
                reason.store(true, Ordering::Relaxed);
                bell.ring();
            })
        };
        scene.bell.answer(&driver, false);
        let is_seen = reason.load(Ordering::Relaxed);
        ringing.join().unwrap();
        assert!(is_seen || called.count() == 1);
    });
}
