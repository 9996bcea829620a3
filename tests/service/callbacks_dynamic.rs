//! Callbacks whose delays a function decides

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tickwheel::Callback;
use tickwheel_tests::{
    callbacks::{Calls, Itself, jump, on_a_paused_clock, pass},
    durations::{HOUR, MS, SECOND},
    runtimes::settle,
};
use tokio::time;

/// Delays of 1, 2, 4, .. ms, and how often it was asked
fn doubling() -> (impl FnMut() -> Option<Duration> + Send + 'static, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    (move || Some(MS * 2_u32.pow(count.fetch_add(1, Ordering::Relaxed))), asked)
}

#[test]
fn set_next_decides_every_delay_and_moves_the_armed_call() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.call_every(HOUR, calls.noting("call"));
        time::advance(5 * MS).await;
        let (next, asked) = doubling();
        callback.set_next(next).unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), 1, "asked at once");
        assert_eq!(callback.deadline(), Some(timer.now() + MS));
        assert_eq!(timer.pending(), 1);
        time::sleep(32 * MS).await;
        assert_eq!(calls.times(), [6, 8, 12, 20, 36]);
        assert_eq!(asked.load(Ordering::Relaxed), 6, "once for each call");
    });
}

/// No phase is kept: the delay counts from the end of the call
#[test]
fn a_delay_that_a_function_decides_counts_from_the_end_of_the_call() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let noted = calls.clone();
        let callback = timer.call_every(HOUR, move || {
            noted.note("call");
            pass(5 * MS);
        });
        callback.set_next(|| Some(10 * MS)).unwrap();
        time::sleep(50 * MS).await;
        assert_eq!(calls.times(), [10, 25, 40]);
    });
}

#[test]
fn none_or_zero_ends_a_repeating_callback() {
    for end in [None, Some(Duration::ZERO)] {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            let at_once = timer.call_every(10 * MS, calls.noting("never"));
            at_once.set_next(move || end).unwrap();
            assert_eq!((at_once.is_running(), at_once.is_finished()), (false, true));
            assert_eq!((at_once.deadline(), timer.pending()), (None, 0));

            let later = timer.call_every(10 * MS, calls.noting("call"));
            let mut delays = [Some(3 * MS), Some(4 * MS), end].into_iter();
            later.set_next(move || delays.next().flatten()).unwrap();
            time::sleep(SECOND).await;
            assert_eq!(calls.all(), [("call", 3), ("call", 7)]);
            assert_eq!((later.is_finished(), timer.pending()), (true, 0));
            assert!(!later.cancel(), "it had come to its end");
        });
    }
}

/// It came to its end, and can begin again
#[test]
fn a_callback_that_its_function_ended_can_be_started_again() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.call_every(10 * MS, calls.noting("call"));
        let mut delays = [Some(3 * MS), None, Some(4 * MS), None].into_iter();
        callback.set_next(move || delays.next().flatten()).unwrap();
        time::sleep(10 * MS).await;
        assert!(callback.is_finished() && callback.start());
        time::sleep(10 * MS).await;
        assert_eq!((calls.times().as_slice(), callback.is_finished()), (&[3, 14][..], true));
        callback.clear_next();
        assert!(callback.is_finished() && callback.start());
        time::sleep(25 * MS).await;
        assert_eq!(calls.times(), [3, 14, 30, 40]);
    });
}

#[test]
fn clear_next_returns_to_the_period_and_moves_the_armed_call() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.call_every(10 * MS, calls.noting("call"));
        callback.set_next(|| Some(HOUR)).unwrap();
        time::advance(5 * MS).await;
        callback.clear_next();
        assert_eq!((callback.deadline(), timer.pending()), (Some(timer.now() + 10 * MS), 1));
        time::sleep(32 * MS).await;
        assert_eq!(calls.times(), [15, 25, 35]);
    });
}

/// On a one-shot: the armed call stays, and the delay of the next start is decided
#[test]
fn set_next_on_a_one_shot_decides_the_delay_of_its_next_start() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        for callback in [
            timer.call_later(10 * MS, calls.noting("spent")),
            timer.new_callback_once(10 * MS, calls.noting("once")),
        ] {
            if !callback.is_running() {
                callback.start();
            }
            let (next, asked) = doubling();
            callback.set_next(next).unwrap();
            assert_eq!(callback.deadline(), Some(timer.now() + 10 * MS));
            assert_eq!(asked.load(Ordering::Relaxed), 0);
            assert!(callback.start());
            assert_eq!(callback.deadline(), Some(timer.now() + MS));
            assert!(callback.start());
            assert_eq!(callback.deadline(), Some(timer.now() + 2 * MS));
            callback.clear_next();
            assert_eq!(callback.deadline(), Some(timer.now() + 2 * MS), "the armed call stays");
            callback.set_next(|| None).unwrap();
            assert_eq!(callback.deadline(), Some(timer.now() + 2 * MS));
            assert_eq!(asked.load(Ordering::Relaxed), 2);
        }
        time::sleep(SECOND).await;
        assert_eq!(calls.all(), [("spent", 2), ("once", 2)]);
    });
}

#[test]
fn none_or_zero_keeps_a_one_shot_from_starting() {
    for end in [None, Some(Duration::ZERO)] {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            let callback = timer.new_callback_once(10 * MS, calls.noting("call"));
            callback.set_next(move || end).unwrap();
            callback.start();
            assert_eq!((callback.is_running(), callback.is_finished()), (false, true));
            assert_eq!(timer.pending(), 0);
            callback.clear_next();
            assert!(callback.start());
            time::sleep(SECOND).await;
            assert_eq!(calls.times(), [10]);
        });
    }
}

/// From within the call: it decides the delay after this one, and who decided before is not asked
#[test]
fn set_next_within_the_call_decides_the_delay_after_it() {
    on_a_paused_clock(|timer| async move {
        let (calls, itself) = (Calls::new(), Itself::new());
        let (noted, own) = (calls.clone(), itself.clone());
        let callback = timer.call_every(10 * MS, move || {
            noted.note("call");
            match noted.count() {
                1 => own.get().set_next(|| Some(3 * MS)).unwrap(),
                3 => own.get().clear_next(),
                5 => own.get().set_next(|| None).unwrap(),
                _ => {}
            }
        });
        itself.is(&callback);
        time::sleep(SECOND).await;
        assert_eq!(calls.times(), [10, 13, 16, 26, 36]);
        assert_eq!((callback.is_finished(), timer.pending()), (true, 0));
    });
}

/// Whatever was asked for within the call: the function that is not to decide is not asked
#[test]
fn the_function_that_decides_is_asked_once_for_each_delay_and_not_in_vain() {
    let acts: [(&str, fn(&Callback), u32); 5] = [
        ("replace", |own| own.set_next(|| Some(HOUR)).unwrap(), 1),
        ("clear", Callback::clear_next, 1),
        ("stop", |own| assert!(!own.stop()), 1),
        ("cancel", |own| assert!(!own.cancel()), 1),
        ("start", |own| assert!(own.start()), 2),
    ];
    for (name, act, right) in acts {
        on_a_paused_clock(move |timer| async move {
            let itself = Itself::new();
            let own = itself.clone();
            let callback = timer.call_every(HOUR, move || act(own.get()));
            itself.is(&callback);
            let (next, asked) = doubling();
            callback.set_next(next).unwrap();
            jump(MS).await;
            assert_eq!(asked.load(Ordering::Relaxed), right, "{name}");
            assert_eq!(timer.metrics().callback_panics, 0, "{name}");
        });
    }
}

/// The function may use its own callback
#[test]
fn the_function_that_decides_may_replace_stop_and_cancel() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let replaced = timer.call_every(HOUR, calls.noting("replaced"));
        let own = replaced.clone();
        replaced
            .set_next(move || {
                own.set_next(|| Some(10 * MS)).unwrap();
                Some(HOUR)
            })
            .unwrap();
        let stopped = timer.call_every(MS, calls.noting("stopped"));
        let own = stopped.clone();
        stopped
            .set_next(move || {
                assert!(own.stop(), "it was to run, and has not begun");
                Some(MS)
            })
            .unwrap();
        let cancelled = timer.call_every(MS, calls.noting("cancelled"));
        let own = cancelled.clone();
        cancelled
            .set_next(move || {
                assert!(own.cancel() && !own.cancel());
                Some(MS)
            })
            .unwrap();
        settle().await;
        assert_eq!((timer.pending(), timer.metrics().callback_panics), (1, 0));
        assert!(!stopped.is_running() && !stopped.is_finished());
        assert!(cancelled.is_finished() && !cancelled.start());
        time::sleep(25 * MS).await;
        assert_eq!(calls.all(), [("replaced", 10), ("replaced", 20)]);
    });
}
