//! A timer comes to its end while something is armed or fires

use std::{sync::Arc, task::Waker, time::Duration};

use loom::thread;
use tickwheel_core::Tick;

use super::{
    scene::{HOUR, Scene, arm, counting_waker},
    time,
};
use crate::{
    error::TimerError,
    limit::Admission,
    shard::{Fate, Removal},
};

#[test]
fn a_timer_armed_while_the_driver_is_dropped_is_refused_or_woken() {
    loom::model(|| {
        let scene = Scene::new();
        let driver = scene.driver();
        let (waker, woken) = counting_waker();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || shard.arm(HOUR, &waker, Admission::Always));
        drop(driver);
        match arming.join().unwrap() {
            Ok(key) => {
                let key = key.expect("no time has passed");
                assert_eq!(woken.count(), 1);
                assert_eq!(scene.shard.poll(key, HOUR, Waker::noop()), Fate::ShutDown);
            }
            Err(error) => assert_eq!(error, TimerError::ShutDown),
        }
        assert_eq!(scene.shard.pending(), 0);
    });
}

#[test]
fn a_timer_armed_while_the_timer_shuts_down_is_refused_or_returned() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, woken) = counting_waker();
        let shard = Arc::clone(&scene.shard);
        let arming = thread::spawn(move || shard.arm(HOUR, &waker, Admission::Always));
        let unfired = scene.shut_down();
        match arming.join().unwrap() {
            Ok(_) => assert_eq!((unfired.sleeps(), woken.count()), (1, 1)),
            Err(error) => assert_eq!((unfired.sleeps(), error), (0, TimerError::ShutDown)),
        }
        assert_eq!(scene.shard.pending(), 0);
    });
}

#[test]
fn a_callback_that_is_due_at_a_shutdown_runs_or_is_returned_and_never_both() {
    loom::model(|| {
        let scene = Arc::new(Scene::new());
        let (waker, called) = counting_waker();
        let callback = scene.callback(move || waker.wake_by_ref());
        let visiting = {
            let scene = Arc::clone(&scene);
            thread::spawn(move || scene.visit(Tick::new(10)))
        };
        let unfired = scene.shut_down();
        let has_run = called.count() == 1;
        assert_eq!(unfired.callbacks().len(), usize::from(!has_run));
        visiting.join().unwrap();
        // Whatever was still to come, nothing begins after a shutdown.
        assert_eq!(called.count(), usize::from(has_run));
        let metrics = scene.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert!(callback.is_finished() && !callback.start());
    });
}

#[test]
fn a_driver_whose_last_shard_goes_ends_or_is_called_to_end() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let dropping = thread::spawn(move || drop(scene));
        let first = driver.poll();
        dropping.join().unwrap();
        assert!(first.is_ready() || driver.called.count() > 0);
        assert!(first.is_ready() || driver.poll().is_ready());
    });
}

#[test]
fn a_driver_whose_last_future_goes_while_it_fires_ends_or_is_called_to_end() {
    loom::model(|| {
        let scene = Scene::new();
        let mut driver = scene.driver();
        let (waker, woken) = counting_waker();
        let key = arm(&scene.shard, Tick::new(5), &waker);
        time::advance(Duration::from_millis(10));
        let dropping = thread::spawn(move || {
            scene.shard.remove(key, Removal::Cancelled);
            drop(scene);
        });
        let first = driver.poll();
        dropping.join().unwrap();
        assert!(woken.count() <= 1);
        assert!(first.is_ready() || driver.called.count() > 0);
        assert!(first.is_ready() || driver.poll().is_ready());
    });
}
