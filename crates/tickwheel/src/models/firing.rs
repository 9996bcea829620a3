//! A timer is cancelled, moved or asked after while it fires

use std::sync::Arc;

use loom::thread;
use tickwheel_core::Tick;

use super::scene::{HOUR, Scene, arm, counting_waker};
use crate::shard::{Fate, Removal};

#[test]
fn a_timer_is_fired_or_cancelled_and_never_both() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, woken) = counting_waker();
        let key = arm(&scene.shard, Tick::new(5), &waker);
        let shard = Arc::clone(&scene.shard);
        let cancelling = thread::spawn(move || shard.remove(key, Removal::Cancelled));
        scene.visit(Tick::new(10));
        cancelling.join().unwrap();
        let metrics = scene.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert_eq!(metrics.pending, 0);
        assert_eq!(woken.count() as u64, metrics.fired);
    });
}

#[test]
fn a_timer_reset_while_it_fires_does_one_or_the_other() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, woken) = counting_waker();
        let key = arm(&scene.shard, Tick::new(5), &waker);
        let shard = Arc::clone(&scene.shard);
        let resetting = thread::spawn(move || shard.reset(key, HOUR, || false));
        scene.visit(Tick::new(10));
        let moved = resetting.join().unwrap();
        assert_eq!(woken.count(), usize::from(!moved));
        assert_eq!(scene.shard.pending(), usize::from(moved));
    });
}

#[test]
fn a_replaced_waker_is_the_one_that_is_woken() {
    loom::model(|| {
        let scene = Scene::new();
        let (first, _) = counting_waker();
        let (second, woken) = counting_waker();
        let key = arm(&scene.shard, Tick::new(5), &first);
        let shard = Arc::clone(&scene.shard);
        let polling = thread::spawn(move || shard.poll(key, Tick::new(5), &second));
        scene.visit(Tick::new(10));
        match polling.join().unwrap() {
            Fate::Waiting => assert_eq!(woken.count(), 1),
            Fate::Fired => assert_eq!(woken.count(), 0),
            Fate::ShutDown => unreachable!("nobody closes the shard"),
        }
    });
}
