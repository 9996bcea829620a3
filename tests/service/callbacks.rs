//! Functions that the timer calls: when, in what order, and under what name

use std::{
    sync::{Arc, Mutex},
    task::Waker,
    time::Duration,
};

use tickwheel::{Callback, CallbackGuard, CallbackId, Timer};
use tickwheel_tests::{
    callbacks::{Calls, jump, on_a_paused_clock},
    durations::{HOUR, MS, SECOND, YEAR},
    runtimes::settle,
    waker::{ActingWaker, armed},
};
use tokio::time;

#[test]
fn a_callback_runs_once_at_its_deadline() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let (later, at) = (10 * MS, timer.now() + 20 * MS);
        let first = timer.call_later(later, calls.noting("later"));
        let second = timer.call_at(at, calls.noting("at"));
        assert_eq!(first.deadline(), Some(timer.now() + 10 * MS));
        assert_eq!(second.deadline(), Some(at));
        assert!(first.is_running() && first.is_once() && !first.is_finished());
        assert_eq!((calls.count(), timer.pending()), (0, 2));
        time::sleep(SECOND).await;
        assert_eq!(calls.all(), [("later", 10), ("at", 20)]);
        assert!(!first.is_running() && first.is_once() && first.is_finished());
        assert_eq!((first.deadline(), timer.pending()), (None, 0));
    });
}

/// Contract 1: a deadline rounds up to a tick
#[test]
fn a_callback_is_never_early() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let callback = timer.call_later(Duration::from_micros(9_300), calls.noting("call"));
        assert_eq!(callback.deadline(), Some(timer.now() + Duration::from_micros(9_300)));
        time::sleep(SECOND).await;
        assert_eq!(calls.times(), [10]);
    });
}

/// Contract 4: as everywhere
#[test]
fn past_deadlines_are_due_at_once_but_not_within_the_call_that_sets_them() {
    on_a_paused_clock(|timer| async move {
        time::advance(SECOND).await;
        let calls = Calls::new();
        timer.call_later(Duration::ZERO, calls.noting("zero"));
        timer.call_at(timer.now() - 30 * MS, calls.noting("past"));
        timer.call_at(timer.now() - YEAR.min(SECOND), calls.noting("long past"));
        timer.new_callback_once(Duration::ZERO, calls.noting("started")).start();
        assert_eq!((calls.count(), timer.pending()), (0, 4));
        settle().await;
        assert_eq!(calls.all(), [("zero", 0), ("past", 0), ("long past", 0), ("started", 0)]);
        assert_eq!(timer.pending(), 0);
    });
}

/// T4 and contract 4: armed, never due, and still to be cancelled
#[test]
fn the_longest_durations_are_deadlines_that_do_not_come() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let mut all = vec![
            timer.call_later(Duration::MAX, calls.noting("later")),
            timer.call_every(Duration::MAX, calls.noting("every")),
            timer.new_callback_once(Duration::MAX, calls.noting("new once")),
            timer.new_callback_every(Duration::MAX, calls.noting("new every")),
        ];
        all.push(timer.call_at(all[0].deadline().unwrap(), calls.noting("at")));
        let dynamic = timer.call_every(MS, calls.noting("dynamic"));
        dynamic.set_next(|| Some(Duration::MAX)).unwrap();
        all.push(dynamic);
        assert!(all[2].start() && all[3].start());
        assert_eq!(timer.pending(), 6);
        jump(YEAR).await;
        assert_eq!((calls.count(), timer.pending()), (0, 6));
        assert!(all.iter().all(Callback::cancel));
        assert_eq!(timer.pending(), 0);
    });
}

/// C1: three callbacks in one tick; the first cancels the others
///
/// A few are taken out together before the first of them runs; 100 are more than those.
#[test]
fn callbacks_cancelled_by_an_earlier_one_of_their_tick_do_not_run() {
    for others in [2, 100] {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            let victims = Arc::new(Mutex::new(Vec::<Callback>::new()));
            let first = {
                let (calls, victims) = (calls.clone(), Arc::clone(&victims));
                timer.call_later(10 * MS, move || {
                    calls.note("first");
                    assert!(victims.lock().unwrap().iter().all(Callback::cancel));
                    assert!(!victims.lock().unwrap().iter().any(Callback::cancel));
                })
            };
            *victims.lock().unwrap() =
                (0..others).map(|_| timer.call_later(10 * MS, calls.noting("victim"))).collect();
            time::sleep(SECOND).await;
            assert_eq!(calls.all(), [("first", 10)]);
            assert!(first.is_finished());
            let metrics = timer.metrics();
            assert_eq!((metrics.fired, metrics.cancelled), (1, others));
            assert_eq!((metrics.registered, metrics.pending), (1 + others, 0));
            assert_eq!(metrics.callback_panics, 0, "all that the first asserts is true");
        });
    }
}

/// C6: the clock jumps 100 ms in one go; the callback due then arms another, 10 ms later
#[test]
fn what_a_callback_arms_after_a_jump_counts_from_the_jump() {
    for due in [100, 60, 1] {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            let (armer, noted) = (timer.clone(), calls.clone());
            timer.call_later(due * MS, move || {
                noted.note("due");
                armer.call_later(10 * MS, noted.noting("later"));
            });
            jump(100 * MS).await;
            assert_eq!(calls.all(), [("due", 100)]);
            time::sleep(9 * MS).await;
            assert_eq!(calls.count(), 1, "not sooner");
            time::sleep(SECOND).await;
            assert_eq!(calls.all(), [("due", 100), ("later", 110)]);
        });
    }
}

/// Contract 2: in deadline order, and first in first out in a tick, sleeps and callbacks alike
#[test]
fn callbacks_and_sleeps_of_a_shard_come_in_the_order_of_their_deadlines() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let waker = |name| ActingWaker::on_wake(calls.noting(name));
        let _late = armed(&timer, 30 * MS, &waker("sleep 30"));
        timer.call_later(20 * MS, calls.noting("call 20"));
        timer.call_later(40 * MS, calls.noting("call 40"));
        let _early = armed(&timer, 10 * MS, &waker("sleep 10"));
        timer.call_later(30 * MS, calls.noting("call 30"));
        let _tie = armed(&timer, 20 * MS, &waker("sleep 20"));
        timer.call_later(5 * MS, calls.noting("call 5"));
        jump(SECOND).await;
        let order = ["call 5", "sleep 10", "call 20", "sleep 20", "sleep 30", "call 30", "call 40"];
        assert_eq!(calls.names(), order);
    });
}

#[test]
fn dropping_all_handles_keeps_a_callback() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        drop(timer.call_later(10 * MS, calls.noting("once")));
        drop(timer.call_every(20 * MS, calls.noting("every")));
        let runtime = tokio::runtime::Handle::current();
        drop(timer);
        settle().await;
        assert_eq!(runtime.metrics().num_alive_tasks(), 1, "the driver lives for them");
        time::sleep(45 * MS).await;
        assert_eq!(calls.all(), [("once", 10), ("every", 20), ("every", 40)]);
    });
}

/// Contract 10: the driver is there for what is armed
#[test]
fn the_driver_ends_after_the_last_callback() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let runtime = tokio::runtime::Handle::current();
        timer.call_later(10 * MS, calls.noting("once"));
        let stopped = timer.new_callback_every(MS, calls.noting("stopped"));
        drop(timer);
        time::sleep(SECOND).await;
        assert_eq!((calls.count(), runtime.metrics().num_alive_tasks()), (1, 1));
        drop(stopped);
        settle().await;
        assert_eq!(runtime.metrics().num_alive_tasks(), 0, "it could have been started");
    });
}

#[test]
fn a_guard_cancels_when_it_is_dropped() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let (kept, dropped) = (calls.noting("kept"), calls.noting("dropped"));
        let guard: CallbackGuard = timer.call_every(10 * MS, kept).cancel_on_drop();
        drop(timer.call_later(10 * MS, dropped).cancel_on_drop());
        assert_eq!(timer.pending(), 1);
        time::sleep(25 * MS).await;
        let callback = guard.callback().clone();
        assert!(callback.is_running());
        drop(guard);
        assert!(!callback.is_running() && callback.is_finished() && !callback.start());
        time::sleep(SECOND).await;
        assert_eq!(calls.all(), [("kept", 10), ("kept", 20)]);
    });
}

#[test]
fn a_callback_is_cancelled_by_its_name_with_or_without_a_handle() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let held = timer.call_later(10 * MS, calls.noting("held"));
        let forgotten: CallbackId = timer.call_every(10 * MS, calls.noting("forgotten")).id();
        let stopped = timer.new_callback_every(10 * MS, calls.noting("stopped"));
        assert_ne!(held.id(), forgotten);
        assert_eq!(held.id(), held.clone().id());
        assert!(timer.cancel(held.id()) && timer.clone().cancel(forgotten));
        assert!(!timer.cancel(held.id()) && !timer.cancel(forgotten), "once");
        assert!(timer.cancel(stopped.id()) && !stopped.start());
        assert_eq!(timer.pending(), 0);
        time::sleep(SECOND).await;
        assert_eq!(calls.count(), 0);
    });
}

/// Contract 5: the name of one that is gone never becomes the name of another
#[test]
fn a_stale_name_touches_nobody() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let mut stale = vec![
            timer.call_later(Duration::ZERO, calls.noting("ran")).id(),
            timer.new_callback_once(MS, calls.noting("dropped while stopped")).id(),
        ];
        settle().await;
        for round in 1..=1000 {
            let cancelled = timer.call_later(HOUR, calls.noting("cancelled"));
            assert!(cancelled.cancel());
            stale.push(cancelled.id());
            drop(cancelled);
            let alive = timer.call_later(HOUR, calls.noting("alive"));
            if round % 100 == 0 {
                assert!(!stale.iter().any(|id| timer.cancel(*id)));
            } else {
                assert!(!timer.cancel(stale[stale.len() - 1]) && !timer.cancel(stale[0]));
            }
            assert!(!stale.contains(&alive.id()));
            assert_eq!((alive.is_running(), timer.pending()), (true, 1));
            assert!(timer.cancel(alive.id()));
        }
        assert_eq!(calls.names(), ["ran"]);
    });
}

/// Contract 5: the name of another timer's callback is unknown
#[test]
fn a_name_of_another_timer_is_unknown() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        for shards in [1, 2, 8] {
            let other = Timer::builder().shards(shards).build().unwrap();
            let mine: Vec<_> = (0..4).map(|_| timer.call_later(HOUR, calls.noting("m"))).collect();
            let theirs: Vec<_> =
                (0..4).map(|_| other.call_later(HOUR, calls.noting("t"))).collect();
            for their in &theirs {
                assert!(!timer.cancel(their.id()), "{their:?} is of another timer");
                assert!(mine.iter().all(|callback| callback.id() != their.id()));
            }
            assert!(!mine.iter().any(|callback| other.cancel(callback.id())));
            assert_eq!((timer.pending(), other.pending()), (4, 4));
            assert!(mine.iter().chain(&theirs).all(Callback::cancel));
        }
    });
}

/// Contract 5: nor is the name one of a timer made after it is gone
#[test]
fn a_name_of_a_timer_that_is_gone_is_unknown_to_the_next() {
    on_a_paused_clock(|timer| async move {
        let gone = Timer::builder().shards(1).build().unwrap();
        let id = gone.call_later(Duration::ZERO, || ()).id();
        drop(gone);
        settle().await;
        let next = Timer::builder().shards(1).build().unwrap();
        let calls = [&timer, &next].map(|timer| timer.call_later(HOUR, || ()));
        assert!(!next.cancel(id) && !timer.cancel(id));
        assert!(calls.iter().all(Callback::is_running));
    });
}

/// `pending` is exact at once, and what was registered has fired, was cancelled or is pending
#[test]
fn the_books_balance_at_every_moment() {
    on_a_paused_clock(|timer| async move {
        let books = |timer: &Timer| {
            let metrics = timer.metrics();
            let pending = u64::try_from(metrics.pending).unwrap();
            assert_eq!(metrics.registered, metrics.fired + metrics.cancelled + pending);
            assert_eq!(metrics.pending, timer.pending());
            (metrics.registered, metrics.fired, metrics.cancelled, metrics.pending)
        };
        let inside = Arc::new(Mutex::new(Vec::new()));
        let noting = || {
            let (timer, inside) = (timer.clone(), Arc::clone(&inside));
            move || inside.lock().unwrap().push(books(&timer))
        };
        let once = timer.call_later(10 * MS, noting());
        assert_eq!(books(&timer), (1, 0, 0, 1));
        let every = timer.call_every(20 * MS, noting());
        let stopped = timer.new_callback_once(20 * MS, noting());
        assert_eq!(books(&timer), (2, 0, 0, 2), "a stopped one is not armed");
        let sleep = armed(&timer, HOUR, Waker::noop());
        assert!(stopped.start());
        assert_eq!(books(&timer), (4, 0, 0, 4));
        assert!(stopped.start());
        assert_eq!(books(&timer), (5, 0, 1, 4), "armed anew");
        time::sleep(15 * MS).await;
        assert_eq!((books(&timer), once.is_finished()), ((5, 1, 1, 3), true));
        time::sleep(10 * MS).await;
        assert_eq!(books(&timer), (6, 3, 1, 2), "the repeating one is armed again");
        assert_eq!(inside.lock().unwrap()[0], (5, 1, 1, 3));
        assert!(every.stop());
        assert_eq!(books(&timer), (6, 3, 2, 1));
        assert!(!every.stop() && !once.cancel() && !stopped.cancel());
        assert_eq!(books(&timer), (6, 3, 2, 1), "cancelled once");
        assert!(every.start() && timer.cancel(every.id()));
        assert_eq!(books(&timer), (7, 3, 3, 1));
        drop(sleep);
        assert_eq!(books(&timer), (7, 3, 4, 0));
    });
}
