//! Callbacks when the runtime of their timer goes, and afterwards

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use tickwheel::{Callback, Refused, Schedule, Timer, TimerError};
use tickwheel_tests::{
    callbacks::{LIMIT, OnDrop, captured, is_alive, keeping},
    durations::{HOUR, MS, SECOND, YEAR},
    panics::panic_of,
    runtimes::{multi_thread, within},
};
use tokio::runtime::Runtime;

/// A timer and the only thing that keeps its driver
fn with_runtime() -> (Runtime, Timer) {
    let runtime = multi_thread(1);
    let timer = Timer::builder().shards(1).build_on(runtime.handle()).unwrap();
    (runtime, timer)
}

/// Armed, due, stopped, at its end or shut out: none of them can run without a driver
#[test]
fn what_callbacks_own_goes_with_the_runtime_of_their_timer() {
    let (runtime, timer) = with_runtime();
    let (armed, armed_alive) = captured();
    let (every, every_alive) = captured();
    let (stopped, stopped_alive) = captured();
    let (forgotten, forgotten_alive) = captured();
    let armed = timer.call_later(YEAR, keeping(armed));
    let every = timer.call_every(HOUR, keeping(every));
    let stopped = timer.new_callback_every(HOUR, keeping(stopped));
    timer.call_on(Yearly, keeping(forgotten));
    assert_eq!(timer.pending(), 3);
    drop(runtime);
    assert_eq!([&armed_alive, &every_alive, &forgotten_alive].map(is_alive), [false; 3]);
    for callback in [&armed, &every] {
        assert!(callback.is_finished() && !callback.is_running() && callback.deadline().is_none());
        assert!(!callback.start() && !callback.stop() && !callback.cancel());
    }
    assert!(!stopped.start(), "no driver would run it");
    assert!(!is_alive(&stopped_alive));
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.fired), (3, 0));
    assert_eq!((metrics.cancelled, metrics.pending), (3, 0));
}

/// More than are taken out at a time
#[test]
fn however_many_callbacks_there_are_all_go_with_the_runtime() {
    let (runtime, timer) = with_runtime();
    let (value, alive) = captured();
    let all: Vec<_> =
        (1..=1000).map(|n| timer.call_later(n * SECOND, keeping(Arc::clone(&value)))).collect();
    drop(value);
    drop(runtime);
    assert!(!is_alive(&alive) && all.iter().all(Callback::is_finished));
    let metrics = timer.metrics();
    assert_eq!((metrics.registered, metrics.cancelled, metrics.fired), (1000, 1000, 0));
}

/// A callback owns its timer, and so itself; that ends with the runtime
#[test]
fn a_callback_that_owns_its_timer_is_freed_with_the_runtime() {
    let (runtime, timer) = with_runtime();
    let (value, alive) = captured();
    let owned = (timer.clone(), value);
    drop(timer.call_every(HOUR, move || {
        let _ = &owned;
    }));
    drop(timer);
    assert!(is_alive(&alive));
    drop(runtime);
    assert!(!is_alive(&alive));
}

/// What is refused comes back, and plain forms say where they were called
#[test]
fn after_the_runtime_functions_are_refused() {
    let (runtime, timer) = with_runtime();
    drop(runtime);
    let (value, alive) = captured();
    let Refused { error, value } = timer.try_call_later(MS, keeping(value)).unwrap_err();
    assert_eq!(error, TimerError::ShutDown);
    let Refused { error, value } = timer.try_call_at(timer.now(), value).unwrap_err();
    assert_eq!(error, TimerError::ShutDown);
    let Refused { error, value } = timer.try_call_every(MS, value).unwrap_err();
    assert_eq!(error, TimerError::ShutDown);
    let refused = timer.try_call_on(Yearly, value).unwrap_err();
    assert_eq!((refused.error, is_alive(&alive)), (TimerError::ShutDown, true));
    assert!(refused.to_string().contains("runtime is gone"), "{refused}");
    let mut value = refused.value;
    value();
    drop(value);
    assert!(!is_alive(&alive));

    let plain: [(u32, fn(&Timer) -> Callback); 7] = [
        (line!(), |timer| timer.call_later(MS, || ())),
        (line!(), |timer| timer.call_at(timer.now(), || ())),
        (line!(), |timer| timer.call_every(MS, || ())),
        (line!(), |timer| timer.call_on(Yearly, || ())),
        (line!(), |timer| timer.new_callback_once(MS, || ())),
        (line!(), |timer| timer.new_callback_every(MS, || ())),
        (line!(), |timer| timer.new_callback_on(Yearly, || ())),
    ];
    for (line, plain) in plain {
        let panicked = panic_of(|| plain(&timer));
        assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line));
        assert!(panicked.message.contains("shut down"), "{}", panicked.message);
    }
    assert_eq!((timer.pending(), timer.metrics().registered), (0, 0));
}

/// Contract 8: the same, in the hands of a driver whose runtime is going away
#[test]
fn what_a_callback_owns_may_use_the_timer_when_the_runtime_goes() {
    within(LIMIT, || {
        let (runtime, timer) = with_runtime();
        let dropped = Arc::new(AtomicUsize::new(0));
        let (owned_timer, count) = (timer.clone(), Arc::clone(&dropped));
        let guard = OnDrop::new(move || {
            assert!(owned_timer.try_call_later(HOUR, || ()).is_err());
            let _ = (owned_timer.pending(), owned_timer.metrics());
            count.fetch_add(1, Ordering::Relaxed);
        });
        drop(timer.call_every(HOUR, move || guard.keep()));
        drop(runtime);
        assert_eq!((dropped.load(Ordering::Relaxed), timer.pending()), (1, 0));
    });
}

struct Yearly;

impl Schedule for Yearly {
    fn next_after(&mut self, after: SystemTime) -> Option<SystemTime> {
        Some(after + YEAR)
    }
}
