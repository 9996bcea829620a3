//! Callbacks that panic or take long: they harm nobody but themselves

use std::{
    panic::{AssertUnwindSafe, catch_unwind, panic_any},
    process::Command,
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use tickwheel::{Callback, Schedule, Timer};
use tickwheel_tests::{
    callbacks::{Calls, Itself, OnDrop, captured, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    panics::panic_of,
    runtimes::multi_thread,
};
use tokio::time;

/// What must be so after everything: nothing is left, and the next callback runs
async fn assert_whole(timer: &Timer, panics: u64) {
    let metrics = timer.metrics();
    assert_eq!((metrics.callback_panics, metrics.pending), (panics, 0), "{metrics}");
    assert_eq!(metrics.registered, metrics.fired + metrics.cancelled, "{metrics}");
    let calls = Calls::new();
    timer.call_later(MS, calls.noting("call"));
    time::sleep(10 * MS).await;
    assert_eq!(calls.times(), [1]);
}

/// Ended for good, and not hanging between two states
#[track_caller]
fn assert_ended(callback: &Callback) {
    assert_eq!((callback.is_running(), callback.is_finished()), (false, true));
    assert!(!callback.start() && !callback.stop() && !callback.cancel());
    callback.set_next(|| Some(MS)).unwrap();
    assert_eq!(callback.deadline(), None);
}

/// C3: the others of the same tick and later ones fire
#[test]
fn a_callback_that_panics_ends_and_all_others_fire() {
    for others in [2, 100] {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            for _ in 0..others {
                timer.call_later(10 * MS, calls.noting("before"));
            }
            let once = timer.call_later(10 * MS, || panic!("on purpose"));
            for _ in 0..others {
                timer.call_later(10 * MS, calls.noting("after"));
            }
            timer.call_later(20 * MS, calls.noting("later"));
            time::sleep(SECOND).await;
            assert_eq!(calls.count(), 2 * others + 1);
            assert_eq!(calls.all()[2 * others], ("later", 20));
            assert_ended(&once);
            assert_whole(&timer, 1).await;
        });
    }
}

/// Whatever kind it is: it is over, and a start within the call does not count
#[test]
fn no_kind_of_callback_survives_its_panic() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let call = |itself: &Itself| {
            let (mut noting, itself) = (calls.noting("call"), itself.clone());
            move || {
                noting();
                itself.get().start();
                panic!("on purpose");
            }
        };
        let own = [(); 5].map(|()| Itself::new());
        let callbacks = [
            timer.call_later(10 * MS, call(&own[0])),
            timer.call_every(10 * MS, call(&own[1])),
            timer.new_callback_once(10 * MS, call(&own[2])),
            timer.new_callback_every(10 * MS, call(&own[3])),
            timer.call_on(InMilliseconds(10), call(&own[4])),
        ];
        for (own, callback) in own.iter().zip(&callbacks) {
            own.is(callback);
            callback.start();
        }
        time::sleep(SECOND).await;
        assert_eq!(calls.count(), 5);
        for callback in &callbacks[..4] {
            assert_ended(callback);
        }
        assert!(callbacks[4].is_finished() && !callbacks[4].start());
        assert_whole(&timer, 5).await;
    });
}

/// Asked by `set_next` itself, by `start`, and after a call
#[test]
fn a_panic_of_the_function_that_decides_the_delay_ends_the_callback() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let at_once = timer.call_every(10 * MS, calls.noting("at once"));
        at_once.set_next(|| panic!("on purpose")).unwrap();
        assert_ended(&at_once);

        let at_start = timer.new_callback_once(10 * MS, calls.noting("at start"));
        at_start.set_next(|| panic!("on purpose")).unwrap();
        assert!(!at_start.is_finished() && !at_start.start());
        assert_ended(&at_start);

        let mut delays = [Some(3 * MS), Some(4 * MS)].into_iter();
        let after_a_call = timer.call_every(10 * MS, calls.noting("after"));
        after_a_call.set_next(move || delays.next().expect("on purpose")).unwrap();
        time::sleep(SECOND).await;
        assert_eq!(calls.all(), [("after", 3), ("after", 7)]);
        assert_ended(&after_a_call);

        let (itself, mut noting) = (Itself::new(), calls.noting("within"));
        let own = itself.clone();
        let within_a_call = timer.call_every(10 * MS, move || {
            noting();
            own.get().set_next(|| panic!("on purpose")).unwrap();
        });
        itself.is(&within_a_call);
        time::sleep(SECOND).await;
        assert_eq!(calls.names()[2..], ["within"]);
        assert_ended(&within_a_call);
        assert_whole(&timer, 4).await;
    });
}

/// Something captured that panics when it is dropped
fn bomb() -> impl FnMut() + Send + 'static {
    let bomb = OnDrop::new(|| panic!("on purpose, in a drop"));
    move || bomb.keep()
}

/// On the driver: it goes on
#[test]
fn a_panic_in_the_drop_of_what_a_callback_owns_ends_only_that_callback() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let armed = bomb();
        let spent = timer.call_later(10 * MS, armed);
        let (itself, mut armed) = (Itself::new(), bomb());
        let own = itself.clone();
        let cancelled = timer.call_every(10 * MS, move || {
            armed();
            own.get().cancel();
        });
        itself.is(&cancelled);
        let unheld = timer.new_callback_once(10 * MS, bomb());
        unheld.start();
        drop(unheld);
        timer.call_later(10 * MS, calls.noting("same tick"));
        timer.call_later(20 * MS, calls.noting("later"));
        time::sleep(SECOND).await;
        assert_eq!(calls.all(), [("same tick", 10), ("later", 20)]);
        assert_ended(&spent);
        assert_ended(&cancelled);
        let panics = timer.metrics().callback_panics;
        assert_whole(&timer, panics).await;
    });
}

/// By the hand that ends it: that one is told, and the callback is over all the same
#[test]
fn a_panic_in_the_drop_of_a_cancelled_callback_leaves_it_cancelled() {
    on_a_paused_clock(|timer| async move {
        for stop_first in [false, true] {
            let callback = timer.call_every(HOUR, bomb());
            assert!(!stop_first || callback.stop());
            let result = catch_unwind(AssertUnwindSafe(|| callback.cancel()));
            assert!(result.is_err() || result.is_ok_and(|was_cancelled| was_cancelled));
            assert_ended(&callback);
        }
        assert_whole(&timer, 0).await;
    });
}

/// By the one who replaces it: the callback keeps its new delay, or is over; it is not lost between
#[test]
fn a_panic_in_the_drop_of_a_function_that_is_replaced_does_not_leave_a_callback_hanging() {
    on_a_paused_clock(|timer| async move {
        let replace: [fn(&Callback); 2] =
            [|callback| callback.set_next(|| Some(20 * MS)).unwrap(), Callback::clear_next];
        for replace in replace {
            let calls = Calls::new();
            let callback = timer.call_every(20 * MS, calls.noting("call"));
            let bomb = OnDrop::new(|| panic!("on purpose, in a drop"));
            callback
                .set_next(move || {
                    bomb.keep();
                    Some(HOUR)
                })
                .unwrap();
            let _ = catch_unwind(AssertUnwindSafe(|| replace(&callback)));
            time::sleep(50 * MS).await;
            if callback.is_running() {
                assert_eq!(calls.times(), [20, 40], "the delay it was given");
                assert!(callback.cancel());
            }
            assert_ended(&callback);
            assert_eq!(timer.pending(), 0);
        }
    });
}

/// The same from within its own call, on the driver
#[test]
fn a_panic_in_the_drop_of_a_function_replaced_within_the_call_does_not_leave_it_hanging() {
    on_a_paused_clock(|timer| async move {
        let (calls, itself) = (Calls::new(), Itself::new());
        let (own, mut noting) = (itself.clone(), calls.noting("call"));
        let callback = timer.call_every(20 * MS, move || {
            noting();
            own.get().set_next(|| Some(10 * MS)).unwrap();
        });
        itself.is(&callback);
        let bomb = OnDrop::new(|| panic!("on purpose, in a drop"));
        callback
            .set_next(move || {
                bomb.keep();
                Some(20 * MS)
            })
            .unwrap();
        timer.call_later(20 * MS, calls.noting("other"));
        time::sleep(45 * MS).await;
        assert!(calls.names().contains(&"other"));
        if callback.is_running() {
            assert_eq!(calls.times(), [20, 20, 30, 40], "the delay it was given");
            assert!(callback.cancel());
        }
        assert_ended(&callback);
        assert_eq!(timer.pending(), 0);
    });
}

/// A panic while another unwinds ends the process, so this runs in one of its own
#[test]
fn a_callback_that_panics_and_then_in_its_drop_does_not_end_the_process() {
    let this = std::env::current_exe().unwrap();
    let child = Command::new(this).args(["--exact", "panics_twice", "--ignored"]).output().unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{}", child.status);
}

#[test]
#[ignore = "the test above runs it, in a process of its own"]
fn panics_twice() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let mut owned = bomb();
        let every = timer.call_every(10 * MS, move || {
            owned();
            panic!("on purpose");
        });
        let once = timer.call_later(10 * MS, || panic!("on purpose"));
        let mut asked = bomb();
        once.set_next(move || {
            asked();
            None
        })
        .unwrap();
        timer.call_later(10 * MS, calls.noting("same tick"));
        time::sleep(SECOND).await;
        assert_eq!(calls.count(), 1);
        assert_ended(&every);
        assert_ended(&once);
        assert_whole(&timer, 2).await;
    });
}

/// A payload is user code as well
#[test]
fn a_panic_in_the_drop_of_a_panics_payload_ends_only_that_callback() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let (value, alive) = captured();
        let payload = || panic_any(OnDrop::new(|| panic!("on purpose, in a payload's drop")));
        let callback = timer.call_every(10 * MS, move || {
            let _ = &value;
            payload();
        });
        let dynamic = timer.call_every(HOUR, || ());
        let _ = catch_unwind(AssertUnwindSafe(|| dynamic.set_next(payload)));
        timer.call_later(10 * MS, calls.noting("same tick"));
        time::sleep(SECOND).await;
        assert_eq!((calls.count(), alive.upgrade()), (1, None));
        assert_ended(&callback);
        assert_ended(&dynamic);
        assert_whole(&timer, 2).await;
    });
}

/// The runtime goes: the next callback is dropped as well
#[test]
fn a_panic_in_a_drop_when_the_runtime_goes_keeps_no_other_callback() {
    let runtime = multi_thread(1);
    let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
    let (value, alive) = captured();
    let keeping = |value: &Arc<()>| {
        let value = Arc::clone(value);
        move || drop(Arc::clone(&value))
    };
    let mut all = Vec::new();
    for _ in 0..50 {
        all.push(timer.call_every(HOUR, bomb()));
        all.push(timer.call_every(HOUR, keeping(&value)));
        all.push(timer.new_callback_once(HOUR, bomb()));
        all.push(timer.new_callback_once(HOUR, keeping(&value)));
    }
    drop(value);
    drop(runtime);
    assert!(alive.upgrade().is_none());
    all.iter().for_each(assert_ended);
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.cancelled, metrics.pending), (100, 100, 0));
}

/// A panic is caught on the driver, and says where it was as any panic does
#[test]
fn a_refusal_says_where_it_was_asked_for() {
    on_a_paused_clock(|timer| async move {
        let line = line!() + 1;
        let panicked = panic_of(|| timer.call_every(Duration::ZERO, || ()));
        assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line));
    });
}

/// Ten milliseconds or more (real): each call is counted
#[test]
fn slow_calls_are_counted() {
    on_a_paused_clock(|timer| async move {
        timer.call_every(10 * MS, || thread::sleep(12 * MS));
        timer.call_later(10 * MS, || ());
        time::sleep(35 * MS).await;
        let metrics = timer.metrics();
        assert_eq!((metrics.slow_callbacks, metrics.callback_panics), (3, 0));
        let shown = metrics.to_string();
        assert!(shown.contains("; 3 slow, 0 panicked"), "{shown}");
    });
}

/// One that panics after a while counts as both
#[test]
fn a_slow_call_that_panics_is_counted_as_slow_too() {
    on_a_paused_clock(|timer| async move {
        timer.call_every(10 * MS, || {
            thread::sleep(12 * MS);
            panic!("on purpose");
        });
        time::sleep(35 * MS).await;
        let metrics = timer.metrics();
        assert_eq!((metrics.slow_callbacks, metrics.callback_panics), (1, 1));
    });
}

struct InMilliseconds(u64);

impl Schedule for InMilliseconds {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        Some(after + Duration::from_millis(self.0))
    }
}
