//! A callback is cancelled or started while it fires

use loom::thread;
use tickwheel_core::Tick;

use super::scene::{Scene, counting_waker};

#[test]
fn a_callback_runs_or_is_cancelled_and_never_both() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, called) = counting_waker();
        let callback = scene.callback(move || waker.wake_by_ref());
        let cancelling = thread::spawn(move || callback.cancel());
        scene.visit(Tick::new(10));
        let is_cancelled = cancelling.join().unwrap();
        assert_eq!(called.count(), usize::from(!is_cancelled));
        let metrics = scene.metrics();
        assert_eq!(metrics.registered, metrics.fired + metrics.cancelled);
        assert_eq!(metrics.pending, 0);
    });
}

#[test]
fn a_callback_started_while_it_fires_runs_once_for_each_arming() {
    loom::model(|| {
        let scene = Scene::new();
        let (waker, called) = counting_waker();
        let callback = scene.callback(move || waker.wake_by_ref());
        let starting = {
            let callback = callback.clone();
            thread::spawn(move || callback.start())
        };
        scene.visit(Tick::new(10));
        assert!(starting.join().unwrap());
        // Started before it began, it runs an hour from then; after, it does so once more.
        assert!(called.count() <= 1 && callback.is_running());
        assert_eq!(scene.shard.pending(), 1);
        assert!(callback.cancel());
    });
}
