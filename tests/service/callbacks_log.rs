//! What is told of callbacks, to whom it may concern: a subscriber is user code, too

use std::{
    sync::{Arc, Mutex},
    thread,
};

use tickwheel::Callback;
use tickwheel_tests::{
    callbacks::{Itself, on_a_paused_clock},
    durations::{HOUR, MS, SECOND},
    listener::Listener,
};
use tokio::time;
use tracing::{Level, subscriber::set_default};

type Told = Arc<Mutex<Vec<(Level, String)>>>;

fn levels(told: &Told) -> Vec<Level> {
    told.lock().unwrap().iter().map(|(level, _)| *level).collect()
}

/// A slow one is counted each time, and told of once (real)
#[test]
fn a_slow_callback_is_told_of_once() {
    on_a_paused_clock(|timer| async move {
        let told = Told::default();
        let noted = Arc::clone(&told);
        let _listening =
            set_default(Listener(move |level, text| noted.lock().unwrap().push((level, text))));
        timer.call_every(10 * MS, || thread::sleep(12 * MS));
        time::sleep(35 * MS).await;
        assert_eq!((levels(&told), timer.metrics().slow_callbacks), (vec![Level::WARN], 3));
        let text = told.lock().unwrap()[0].1.clone();
        assert!(text.contains("10ms"), "it names the bound: {text}");
        timer.call_later(10 * MS, || thread::sleep(12 * MS));
        time::sleep(SECOND).await;
        assert_eq!(levels(&told), [Level::WARN; 2], "another callback");
    });
}

#[test]
fn a_panic_is_told_of() {
    on_a_paused_clock(|timer| async move {
        let told = Told::default();
        let noted = Arc::clone(&told);
        let _listening =
            set_default(Listener(move |level, text| noted.lock().unwrap().push((level, text))));
        timer.call_later(10 * MS, || panic!("on purpose"));
        timer.call_later(10 * MS, || ());
        timer.call_every(HOUR, || ()).set_next(|| panic!("on purpose")).unwrap();
        assert_eq!(levels(&told), [Level::ERROR]);
        time::sleep(SECOND).await;
        assert_eq!(levels(&told), [Level::ERROR; 2]);
    });
}

/// Contract 8: it may use the callback it is told of, and what it is told of is over
fn asked_when_told(call: fn(), ask: fn(&Callback) -> bool, right: &'static [bool]) {
    on_a_paused_clock(move |timer| async move {
        let (itself, seen) = (Itself::new(), Arc::new(Mutex::new(Vec::new())));
        let (own, noted) = (itself.clone(), Arc::clone(&seen));
        let _listening = set_default(Listener(move |_, _| {
            let own = own.get();
            let _ = (format!("{own:?}"), own.deadline(), own.is_finished());
            noted.lock().unwrap().push(ask(own));
        }));
        let callback = timer.new_callback_once(10 * MS, call);
        itself.is(&callback);
        callback.start();
        time::sleep(50 * MS).await;
        assert_eq!(seen.lock().unwrap().as_slice(), right);
        assert_eq!((timer.pending(), callback.is_running()), (0, false));
    });
}

#[test]
fn who_is_told_of_a_slow_call_may_use_the_callback() {
    let slow = || thread::sleep(12 * MS);
    asked_when_told(slow, |own| own.cancel() || own.start(), &[false]);
    asked_when_told(slow, Callback::stop, &[false]);
    asked_when_told(slow, |own| own.set_next(|| None).is_ok(), &[true]);
    asked_when_told(slow, Callback::start, &[true]);
}

/// It was called, so it was not kept from running; and it will not run again
#[test]
fn who_is_told_of_a_panic_may_use_the_callback() {
    let panics = || panic!("on purpose");
    asked_when_told(panics, Callback::cancel, &[false]);
    asked_when_told(panics, Callback::stop, &[false]);
    asked_when_told(panics, Callback::start, &[false]);
    asked_when_told(panics, |own| own.set_next(|| Some(MS)).is_ok(), &[true]);
}

/// A repeating one that panicked has no next call that could be kept from running
#[test]
fn a_repeating_callback_that_panicked_has_nothing_to_cancel_when_it_is_told_of() {
    on_a_paused_clock(|timer| async move {
        let (itself, seen) = (Itself::new(), Arc::new(Mutex::new(Vec::new())));
        let (own, noted) = (itself.clone(), Arc::clone(&seen));
        let _listening = set_default(Listener(move |_, _| {
            let own = own.get();
            noted.lock().unwrap().push((own.start(), own.stop(), own.cancel()));
        }));
        let callback = timer.call_every(10 * MS, || panic!("on purpose"));
        itself.is(&callback);
        time::sleep(50 * MS).await;
        assert_eq!(*seen.lock().unwrap(), [(false, false, false)]);
        assert!(callback.is_finished());
    });
}
