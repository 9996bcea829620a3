//! Start, stop and cancel, wherever a callback is

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use tickwheel::{Callback, Timer};
use tickwheel_tests::{
    callbacks::{Calls, Itself, jump, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    runtimes::settle,
};
use tokio::time;

/// Whether it is running, and finished
fn state(callback: &Callback) -> (bool, bool) {
    (callback.is_running(), callback.is_finished())
}

const AT_REST: (bool, bool) = (false, false);
const RUNNING: (bool, bool) = (true, false);
const FINISHED: (bool, bool) = (false, true);

/// One of the two kinds that are built stopped, and its calls
fn stopped(timer: &Timer, is_once: bool) -> (Callback, Calls) {
    let calls = Calls::new();
    let noting = calls.noting("call");
    let callback = if is_once {
        timer.new_callback_once(10 * MS, noting)
    } else {
        timer.new_callback_every(10 * MS, noting)
    };
    (callback, calls)
}

#[test]
fn a_callback_that_is_built_stopped_waits_to_be_started() {
    on_a_paused_clock(|timer| async move {
        for is_once in [true, false] {
            let (callback, calls) = stopped(&timer, is_once);
            assert_eq!((state(&callback), callback.deadline()), (AT_REST, None));
            assert!(!callback.stop(), "there is nothing to stop");
            jump(SECOND).await;
            assert_eq!((calls.count(), timer.pending(), timer.metrics().registered), (0, 0, 0));
        }
        for is_once in [true, false] {
            let (callback, calls) = stopped(&timer, is_once);
            let id = callback.id();
            assert_eq!(callback.is_once(), is_once);
            assert!(callback.start());
            assert_eq!(state(&callback), RUNNING);
            assert_eq!(callback.deadline(), Some(timer.now() + 10 * MS));
            time::sleep(15 * MS).await;
            assert_eq!(
                (calls.times().as_slice(), timer.pending()),
                (&[10][..], usize::from(!is_once))
            );
            assert_eq!((callback.id(), callback.is_once()), (id, is_once));
            callback.cancel();
        }
    });
}

#[test]
fn a_stopped_callback_that_is_cancelled_never_starts() {
    on_a_paused_clock(|timer| async move {
        for is_once in [true, false] {
            let (callback, calls) = stopped(&timer, is_once);
            assert!(callback.cancel(), "it has not begun, and never will");
            assert!(!callback.cancel() && !callback.stop() && !callback.start());
            assert_eq!((state(&callback), callback.deadline()), (FINISHED, None));
            time::sleep(SECOND).await;
            assert_eq!((calls.count(), timer.metrics().registered), (0, 0));
        }
    });
}

/// The same promise as `cancel`, but it can be started again, from then on
#[test]
fn an_armed_callback_that_is_stopped_runs_when_it_is_started_again() {
    on_a_paused_clock(|timer| async move {
        for is_once in [true, false] {
            let (callback, calls) = stopped(&timer, is_once);
            callback.start();
            time::advance(5 * MS).await;
            assert!(callback.stop() && !callback.stop());
            assert_eq!((state(&callback), callback.deadline()), (AT_REST, None));
            assert_eq!(timer.pending(), 0);
            jump(SECOND).await;
            assert_eq!(calls.count(), 0);
            assert!(callback.start());
            assert_eq!(callback.deadline(), Some(timer.now() + 10 * MS));
            time::sleep(15 * MS).await;
            assert_eq!(calls.times(), [5 + 1000 + 10]);
            callback.cancel();
        }
    });
}

/// A `FnOnce` that has not run is as good as any
#[test]
fn a_function_that_can_run_once_is_stopped_and_started_until_it_has() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let owned = String::from("moved out of the function");
        let mut noting = calls.noting("call");
        let callback = timer.call_later(10 * MS, move || {
            drop(owned);
            noting();
        });
        time::advance(5 * MS).await;
        assert!(callback.stop() && callback.start() && callback.start());
        assert_eq!(timer.pending(), 1);
        time::sleep(15 * MS).await;
        assert_eq!((calls.times().as_slice(), state(&callback)), (&[15][..], FINISHED));
        assert!(!callback.start() && !callback.stop() && !callback.cancel(), "it is spent");
        callback.set_next(|| Some(MS)).unwrap();
        assert!(!callback.start());
        time::sleep(SECOND).await;
        assert_eq!((calls.count(), timer.pending()), (1, 0));
    });
}

/// One firing, not two: the deadline is that of the last start
#[test]
fn starting_a_running_callback_arms_it_anew() {
    on_a_paused_clock(|timer| async move {
        for is_once in [true, false] {
            let (callback, calls) = stopped(&timer, is_once);
            for _ in 0..4 {
                assert!(callback.start());
                assert_eq!((timer.pending(), state(&callback)), (1, RUNNING));
                assert_eq!(callback.deadline(), Some(timer.now() + 10 * MS));
                jump(5 * MS).await;
            }
            time::sleep(8 * MS).await;
            assert_eq!(calls.times(), [25], "15 ms after it was first started, and 10 after last");
            callback.cancel();
        }
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.fired, metrics.cancelled), (9, 2, 7));
    });
}

/// After completion it runs again, the same callback under the same name
#[test]
fn a_one_shot_that_came_to_its_end_can_be_started_again() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.new_callback_once(10 * MS, calls.noting("call"));
        let id = callback.id();
        for round in 1..=3 {
            assert!(callback.start());
            time::sleep(20 * MS).await;
            assert_eq!((calls.count(), state(&callback)), (round, FINISHED));
            assert!(!callback.stop() && callback.deadline().is_none());
            assert_eq!(callback.id(), id);
        }
        assert_eq!(calls.times(), [10, 30, 50]);
        callback.start();
        assert!(timer.cancel(id) && !callback.start());
    });
}

#[test]
fn cancelling_a_callback_that_came_to_its_end_keeps_it_from_being_started() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.new_callback_once(10 * MS, calls.noting("call"));
        callback.start();
        time::sleep(20 * MS).await;
        assert!(!callback.cancel(), "it had run");
        assert!(!callback.start());
        time::sleep(SECOND).await;
        assert_eq!(calls.count(), 1);
    });
}

/// What an earlier callback of the same tick does to one that is due, but has not begun
fn to_a_due_one(
    act: fn(&Callback),
    right: &'static [u128],
    is_finished: bool,
    books: (u64, u64, u64),
) {
    on_a_paused_clock(move |timer| async move {
        let calls = Calls::new();
        let due = Arc::new(OnceLock::<Callback>::new());
        let held = Arc::clone(&due);
        timer.call_later(10 * MS, move || act(held.get().unwrap()));
        let callback = timer.new_callback_once(10 * MS, calls.noting("call"));
        callback.start();
        due.set(callback.clone()).unwrap();
        time::sleep(SECOND).await;
        assert_eq!(calls.times(), right);
        assert_eq!((callback.is_finished(), timer.pending()), (is_finished, 0));
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.fired, metrics.cancelled), books);
        assert_eq!(metrics.callback_panics, 0);
    });
}

#[test]
fn a_callback_that_is_due_but_has_not_begun_can_be_cancelled() {
    to_a_due_one(|due| assert!(due.is_running() && due.cancel()), &[], true, (2, 1, 1));
}

#[test]
fn a_callback_that_is_due_but_has_not_begun_can_be_stopped() {
    to_a_due_one(|due| assert!(due.stop() && !due.stop()), &[], false, (2, 1, 1));
}

/// It runs when it is due again, and not now
#[test]
fn a_callback_that_is_due_but_has_not_begun_can_be_started_anew() {
    to_a_due_one(|due| assert!(due.start()), &[20], true, (3, 2, 1));
    to_a_due_one(|due| assert!(due.start() && due.start()), &[20], true, (4, 2, 2));
    to_a_due_one(|due| assert!(due.stop() && due.start()), &[20], true, (3, 2, 1));
}

/// The armed firing of a one-shot stays, that of a repeating one moves
#[test]
fn the_delay_of_a_callback_that_is_due_but_has_not_begun_can_be_set() {
    to_a_due_one(|due| due.set_next(|| Some(HOUR)).unwrap(), &[10], true, (2, 2, 0));
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let due = Arc::new(OnceLock::<Callback>::new());
        let held = Arc::clone(&due);
        timer.call_later(10 * MS, move || held.get().unwrap().set_next(|| Some(25 * MS)).unwrap());
        due.set(timer.call_every(10 * MS, calls.noting("call"))).unwrap();
        time::sleep(65 * MS).await;
        assert_eq!((calls.times().as_slice(), timer.pending()), (&[35, 60][..], 1));
    });
}

/// A stopped one whose firing was taken out already is not run by that of the next start
#[test]
fn a_callback_started_anew_in_its_own_tick_is_neither_early_nor_doubled() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let due = Arc::new(OnceLock::<Callback>::new());
        let held = Arc::clone(&due);
        timer.call_later(10 * MS, move || {
            let due = held.get().unwrap();
            due.set_next(|| Some(Duration::from_nanos(1))).unwrap();
            assert!(due.start());
            assert_eq!(due.deadline().map(|at| at.elapsed().is_zero()), Some(true));
        });
        let callback = timer.new_callback_once(10 * MS, calls.noting("call"));
        callback.start();
        due.set(callback).unwrap();
        time::sleep(SECOND).await;
        assert_eq!(calls.times(), [11]);
    });
}

/// What a callback does to itself in its first call, and when it is called in a second
fn to_itself(every: bool, act: fn(&Callback), right: &'static [u128], end: (bool, bool)) {
    on_a_paused_clock(move |timer| async move {
        let (calls, itself) = (Calls::new(), Itself::new());
        let (noted, own) = (calls.clone(), itself.clone());
        let call = move || {
            noted.note("call");
            if noted.count() == 1 {
                assert_eq!((state(own.get()), own.get().deadline()), (RUNNING, None));
                act(own.get());
            }
        };
        let callback = if every {
            timer.new_callback_every(10 * MS, call)
        } else {
            timer.new_callback_once(10 * MS, call)
        };
        itself.is(&callback);
        callback.start();
        time::sleep(35 * MS).await;
        assert_eq!((calls.times().as_slice(), state(&callback)), (right, end));
        assert_eq!((timer.metrics().callback_panics, timer.pending()), (0, end.0.into()));
    });
}

#[test]
fn a_callback_may_start_itself() {
    to_itself(false, |own| assert!(own.start()), &[10, 20], FINISHED);
    to_itself(false, |own| assert!(own.start() && own.start()), &[10, 20], FINISHED);
    to_itself(true, |own| assert!(own.start()), &[10, 20, 30], RUNNING);
}

#[test]
fn a_callback_may_stop_itself() {
    to_itself(false, |own| assert!(!own.stop(), "it has begun"), &[10], AT_REST);
    to_itself(true, |own| assert!(!own.stop(), "it has begun"), &[10], AT_REST);
    to_itself(true, |own| assert!(!own.stop() && own.start()), &[10, 20, 30], RUNNING);
    to_itself(true, |own| assert!(own.start() && !own.stop()), &[10], AT_REST);
}

#[test]
fn a_callback_may_cancel_itself() {
    for every in [false, true] {
        to_itself(every, |own| assert!(!own.cancel(), "it has begun"), &[10], FINISHED);
        to_itself(every, |own| assert!(!own.cancel() && !own.start()), &[10], FINISHED);
        to_itself(every, |own| assert!(own.start() && !own.cancel()), &[10], FINISHED);
    }
}

#[test]
fn a_one_shot_may_set_its_next_delay_itself() {
    let set_and_start = |own: &Callback| {
        own.set_next(|| Some(7 * MS)).unwrap();
        assert!(own.start());
    };
    to_itself(false, set_and_start, &[10, 17], FINISHED);
    to_itself(false, |own| own.set_next(|| Some(7 * MS)).unwrap(), &[10], FINISHED);
}

/// A function that can run once, from within its only call
#[test]
fn a_function_that_runs_for_its_only_time_cannot_be_started_again() {
    on_a_paused_clock(|timer| async move {
        let (itself, seen) = (Itself::new(), Arc::new(Mutex::new(None)));
        let (own, noted) = (itself.clone(), Arc::clone(&seen));
        let callback = timer.call_later(10 * MS, move || {
            let own = own.get();
            own.set_next(|| Some(MS)).unwrap();
            own.clear_next();
            let did = (own.is_running(), own.start(), own.stop(), own.cancel());
            *noted.lock().unwrap() = Some(did);
        });
        itself.is(&callback);
        time::sleep(SECOND).await;
        assert_eq!(*seen.lock().unwrap(), Some((true, false, false, false)));
        assert_eq!((state(&callback), timer.pending()), (FINISHED, 0));
    });
}

/// Without a firing in between, nothing is armed twice and nothing is left behind
#[test]
fn starting_and_stopping_without_end_leaves_one_or_none() {
    on_a_paused_clock(|timer| async move {
        for is_once in [true, false] {
            let (callback, calls) = stopped(&timer, is_once);
            for round in 0..10_000 {
                assert!(callback.start());
                assert_eq!(timer.pending(), 1);
                if round % 3 == 0 {
                    assert!(callback.stop());
                    assert_eq!(timer.pending(), 0);
                }
            }
            settle().await;
            assert!(callback.cancel());
            assert_eq!((calls.count(), timer.pending()), (0, 0));
        }
        let metrics = timer.metrics();
        assert_eq!((metrics.registered, metrics.fired), (metrics.cancelled, 0));
    });
}
