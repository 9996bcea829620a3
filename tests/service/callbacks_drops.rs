//! What a callback owns goes as soon as it can never run again, and no lock is held then

use std::{
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use tickwheel::{Callback, Timer};
use tickwheel_tests::{
    callbacks::{Calls, Itself, OnDrop, captured, is_alive, keeping, on_a_paused_clock},
    durations::{HOUR, MS, SECOND, YEAR},
    runtimes::settle,
};
use tokio::time;

/// Contract 6: also when its deadline is a year away, and its handle is held
#[test]
fn a_cancelled_callback_owns_nothing() {
    on_a_paused_clock(|timer| async move {
        let make: [fn(&Timer, Arc<()>) -> Callback; 6] = [
            |timer, value| timer.call_later(YEAR, keeping(value)),
            |timer, value| timer.call_every(YEAR, keeping(value)),
            |timer, value| timer.call_on(Yearly, keeping(value)),
            |timer, value| timer.new_callback_once(YEAR, keeping(value)),
            |timer, value| timer.new_callback_every(YEAR, keeping(value)),
            |timer, value| timer.new_callback_on(Yearly, keeping(value)),
        ];
        for make in make {
            let (value, alive) = captured();
            let callback = make(&timer, value);
            let before = timer.pending();
            assert!(!callback.stop() || callback.start(), "stopping keeps what it owns");
            assert_eq!((is_alive(&alive), timer.pending()), (true, before));
            assert!(callback.cancel());
            assert_eq!((is_alive(&alive), timer.pending()), (false, 0));
            assert!(callback.is_finished() && !callback.start());
        }
    });
}

#[test]
fn a_callback_that_is_spent_owns_nothing() {
    on_a_paused_clock(|timer| async move {
        let (value, alive) = captured();
        let keep = keeping(value);
        let callback = timer.call_later(10 * MS, keep);
        time::sleep(9 * MS).await;
        assert!(is_alive(&alive));
        time::sleep(2 * MS).await;
        assert_eq!((callback.is_finished(), is_alive(&alive)), (true, false));
    });
}

/// One that can be started again keeps what it needs, until nobody can start it
#[test]
fn a_callback_that_came_to_its_end_owns_it_as_long_as_somebody_could_start_it() {
    on_a_paused_clock(|timer| async move {
        let (value, alive) = captured();
        let callback = timer.new_callback_once(10 * MS, keeping(value));
        assert!(callback.start());
        time::sleep(SECOND).await;
        assert!(callback.is_finished() && is_alive(&alive));
        drop(callback);
        assert!(!is_alive(&alive));
        let (value, alive) = captured();
        timer.new_callback_once(10 * MS, keeping(value)).start();
        time::sleep(SECOND).await;
        assert!(!is_alive(&alive), "nobody has a handle");
    });
}

#[test]
fn a_callback_whose_schedule_has_ended_owns_nothing() {
    on_a_paused_clock(|timer| async move {
        let (value, alive) = captured();
        let callback = timer.call_on(Never, keeping(value));
        assert_eq!((callback.is_finished(), is_alive(&alive)), (true, false));
        let (value, alive) = captured();
        let callback = timer.call_on(OnceIn(SECOND), keeping(value));
        assert!(is_alive(&alive));
        time::sleep(2 * SECOND).await;
        assert_eq!((callback.is_finished(), is_alive(&alive)), (true, false));
        assert!(!callback.start(), "nothing can make it run again");
    });
}

#[test]
fn a_callback_that_panicked_owns_nothing() {
    on_a_paused_clock(|timer| async move {
        let (value, alive) = captured();
        let callback = timer.call_every(10 * MS, move || panic!("with {value:?}"));
        time::sleep(15 * MS).await;
        assert_eq!((callback.is_finished(), is_alive(&alive)), (true, false));
        let (value, alive) = captured();
        let callback = timer.call_every(10 * MS, keeping(value));
        callback.set_next(|| panic!("on purpose")).unwrap();
        assert_eq!((callback.is_finished(), is_alive(&alive)), (true, false));
    });
}

/// It goes when its call has returned, not while it runs
#[test]
fn a_callback_that_cancels_itself_owns_nothing_after_its_call() {
    on_a_paused_clock(|timer| async move {
        let (value, alive) = captured();
        let (itself, seen) = (Itself::new(), Arc::new(Mutex::new(None)));
        let callback = {
            let (itself, seen, alive) = (itself.clone(), Arc::clone(&seen), Weak::clone(&alive));
            timer.call_every(10 * MS, move || {
                itself.get().cancel();
                *seen.lock().unwrap() = Some((is_alive(&alive), Arc::strong_count(&value)));
            })
        };
        itself.is(&callback);
        time::sleep(SECOND).await;
        assert_eq!(*seen.lock().unwrap(), Some((true, 1)));
        assert!(!is_alive(&alive));
    });
}

#[test]
fn a_function_that_decided_the_delay_goes_when_it_is_replaced() {
    on_a_paused_clock(|timer| async move {
        let next = |value: Arc<()>| {
            move || {
                let _ = &value;
                Some(HOUR)
            }
        };
        let callbacks = [
            timer.call_every(HOUR, || ()),
            timer.new_callback_once(HOUR, || ()),
            timer.call_later(HOUR, || ()),
        ];
        for callback in callbacks {
            let [(first, first_alive), (second, second_alive), (third, third_alive)] =
                [captured(), captured(), captured()];
            callback.set_next(next(first)).unwrap();
            callback.set_next(next(second)).unwrap();
            assert_eq!((is_alive(&first_alive), is_alive(&second_alive)), (false, true));
            callback.clear_next();
            assert!(!is_alive(&second_alive));
            callback.cancel();
            callback.set_next(next(third)).unwrap();
            assert!(!is_alive(&third_alive), "nothing asks it any more");
        }
    });
}

/// C4: a callback drops the last handle
#[test]
fn a_callback_may_drop_the_last_timer() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let runtime = tokio::runtime::Handle::current();
        let last = Arc::new(Mutex::new(None::<Timer>));
        {
            let (last, noted) = (Arc::clone(&last), calls.clone());
            timer.call_later(10 * MS, move || {
                drop(last.lock().unwrap().take());
                noted.note("dropped");
            });
        }
        timer.call_later(10 * MS, calls.noting("same tick"));
        timer.call_later(30 * MS, calls.noting("later"));
        *last.lock().unwrap() = Some(timer);
        time::sleep(20 * MS).await;
        assert_eq!(calls.all(), [("dropped", 10), ("same tick", 10)]);
        assert_eq!(runtime.metrics().num_alive_tasks(), 1);
        time::sleep(SECOND).await;
        assert_eq!(calls.names()[2..], ["later"]);
        assert_eq!(runtime.metrics().num_alive_tasks(), 0);
    });
}

/// C4: the same, by being dropped
#[test]
fn a_callback_may_own_the_last_timer() {
    on_a_paused_clock(|timer| async move {
        let runtime = tokio::runtime::Handle::current();
        let arm = timer.clone();
        arm.call_later(10 * MS, move || drop(timer));
        drop(arm);
        time::sleep(20 * MS).await;
        assert_eq!(runtime.metrics().num_alive_tasks(), 0);
    });
}

/// C5: a callback captures a guard that cancels another, of its tick and later, in its drop
#[test]
fn what_a_callback_owns_may_cancel_others_in_its_drop() {
    for due in [10, 20] {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            let (ran, runtime_calls) = (calls.clone(), calls.clone());
            let slot = Arc::new(Mutex::new(None));
            let held = Arc::clone(&slot);
            timer.call_later(10 * MS, move || {
                ran.note("first");
                drop(held.lock().unwrap().take());
            });
            let other = timer.call_later(due * MS, runtime_calls.noting("other"));
            *slot.lock().unwrap() = Some(other.clone().cancel_on_drop());
            time::sleep(SECOND).await;
            assert_eq!((calls.all(), other.is_finished()), (vec![("first", 10)], true));

            let guard = timer.call_later(2 * due * MS, calls.noting("other")).cancel_on_drop();
            let first = timer.call_later(10 * MS, move || drop(guard));
            let guard = timer.call_later(HOUR, calls.noting("other")).cancel_on_drop();
            let cancelled = timer.call_later(10 * MS, move || drop(guard));
            assert!(cancelled.cancel());
            assert_eq!(timer.pending(), 2);
            time::sleep(SECOND).await;
            assert_eq!((calls.count(), first.is_finished(), timer.pending()), (1, true, 0));
        });
    }
}

/// Contract 8: whatever it is that drops them, their timer and their own handles can be used
#[test]
fn what_a_callback_owns_may_use_the_timer_in_its_drop() {
    on_a_paused_clock(|timer| async move {
        let dropped = Arc::new(AtomicUsize::new(0));
        let owned = |itself: &Itself| {
            let (timer, itself, dropped) = (timer.clone(), itself.clone(), Arc::clone(&dropped));
            let guard = OnDrop::new(move || {
                let _ = (timer.pending(), timer.metrics(), format!("{timer:?}"));
                assert!(timer.call_later(HOUR, || ()).cancel());
                let own = itself.get();
                let _ = (own.is_running(), own.deadline(), own.start(), own.stop());
                let _ = (own.set_next(|| None), own.clear_next(), own.cancel());
                let _ = (timer.cancel(own.id()), format!("{own:?}"));
                dropped.fetch_add(1, Ordering::Relaxed);
            });
            move || guard.keep()
        };
        let make = |build: &dyn Fn(&Itself) -> Callback| {
            let itself = Itself::new();
            let callback = build(&itself);
            itself.is(&callback);
            callback
        };
        let dropped = || dropped.load(Ordering::Relaxed);

        let cancelled = make(&|itself| timer.call_every(HOUR, owned(itself)));
        assert!(cancelled.cancel());
        assert_eq!(dropped(), 1, "cancelled");
        make(&|itself| timer.call_later(MS, owned(itself)));
        time::sleep(10 * MS).await;
        assert_eq!(dropped(), 2, "spent");
        let ended = make(&|itself| timer.call_every(HOUR, owned(itself)));
        ended.set_next(|| panic!("on purpose")).unwrap();
        assert_eq!(dropped(), 3, "ended by a panic");
        let by_name = make(&|itself| timer.call_every(HOUR, owned(itself)));
        assert!(timer.cancel(by_name.id()));
        assert_eq!((dropped(), timer.pending()), (4, 0));
        let by_itself = make(&|itself| {
            let (keep, own) = (owned(itself), itself.clone());
            timer.call_every(MS, move || {
                keep();
                own.get().cancel();
            })
        });
        time::sleep(10 * MS).await;
        assert_eq!((dropped(), by_itself.is_finished()), (5, true), "cancelled within the call");
        // What decided the delay goes after the call that replaces it.
        let dynamic = make(&|itself| {
            let own = itself.clone();
            timer.new_callback_once(MS, move || own.get().clear_next())
        });
        let (itself, asked) = (Itself::new(), Arc::new(AtomicUsize::new(0)));
        itself.is(&dynamic);
        let (keep, count) = (owned(&itself), Arc::clone(&asked));
        dynamic
            .set_next(move || {
                keep();
                count.fetch_add(1, Ordering::Relaxed);
                Some(MS)
            })
            .unwrap();
        assert!(dynamic.start());
        time::sleep(10 * MS).await;
        assert_eq!((dropped(), asked.load(Ordering::Relaxed), timer.pending()), (6, 1, 0));
    });
}

/// A handle dropped within the call, the last of a stopped callback
#[test]
fn the_last_handle_may_be_dropped_within_the_call() {
    on_a_paused_clock(|timer| async move {
        let (value, alive) = captured();
        let slot = Arc::new(Mutex::new(None::<Callback>));
        let held = Arc::clone(&slot);
        let callback = timer.new_callback_once(10 * MS, move || {
            let _ = &value;
            drop(held.lock().unwrap().take());
        });
        assert!(callback.start());
        *slot.lock().unwrap() = Some(callback);
        settle().await;
        time::sleep(SECOND).await;
        assert!(slot.lock().unwrap().is_none() && !is_alive(&alive));
    });
}

struct Never;

impl tickwheel::Schedule for Never {
    fn next_after(&mut self, _: SystemTime) -> Option<SystemTime> {
        None
    }
}

struct Yearly;

impl tickwheel::Schedule for Yearly {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        Some(after + YEAR)
    }
}

/// Once, so long after it is first asked
struct OnceIn(Duration);

impl tickwheel::Schedule for OnceIn {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        let delay = std::mem::take(&mut self.0);
        (!delay.is_zero()).then(|| after + delay)
    }
}
