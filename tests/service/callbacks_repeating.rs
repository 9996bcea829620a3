//! Callbacks that repeat: at a period, and late

use std::time::Duration;

use tickwheel::{Callback, MissedTickBehavior, Refused, Timer, TimerError};
use tickwheel_tests::{
    callbacks::{Calls, Itself, jump, on_a_paused_clock, pass},
    durations::{HOUR, MS, SECOND},
    panics::panic_of,
};
use tokio::time;

#[test]
fn a_repeating_callback_runs_first_after_one_period_and_keeps_its_phase() {
    on_a_paused_clock(|timer| async move {
        time::advance(3 * MS).await;
        let calls = Calls::new();
        let callback = timer.call_every(10 * MS, calls.noting("call"));
        assert!(callback.is_running() && !callback.is_once() && !callback.is_finished());
        assert_eq!(callback.deadline(), Some(timer.now() + 10 * MS));
        time::sleep(52 * MS).await;
        assert_eq!(calls.times(), [10, 20, 30, 40, 50]);
        assert_eq!((callback.deadline(), timer.pending()), (Some(timer.now() + 8 * MS), 1));
        assert!(callback.cancel());
        time::sleep(SECOND).await;
        assert_eq!((calls.count(), timer.pending()), (5, 0));
    });
}

/// The phase is that of the period, not of the ticks it is rounded up to
#[test]
fn a_period_that_is_no_whole_number_of_ticks_does_not_drift() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        timer.call_every(Duration::from_micros(2_500), calls.noting("call"));
        time::sleep(21 * MS).await;
        assert_eq!(calls.times(), [3, 5, 8, 10, 13, 15, 18, 20]);
    });
}

/// I1 for callbacks: due at 10 ms, called at 35 ms
fn after_missing_calls(behavior: Option<MissedTickBehavior>, right: &'static [u128]) {
    on_a_paused_clock(move |timer| async move {
        let calls = Calls::new();
        let callback = timer.call_every(10 * MS, calls.noting("call"));
        if let Some(behavior) = behavior {
            callback.set_missed_tick_behavior(behavior);
        }
        jump(35 * MS).await;
        time::sleep(48 * MS).await;
        assert_eq!(calls.times(), right, "{behavior:?}");
    });
}

/// I1: all of them at once, until the schedule is caught up with
#[test]
fn burst_catches_up() {
    after_missing_calls(Some(MissedTickBehavior::Burst), &[35, 35, 35, 40, 50, 60, 70, 80]);
    after_missing_calls(None, &[35, 35, 35, 40, 50, 60, 70, 80]);
}

/// I1: a new schedule from the late one
#[test]
fn delay_begins_anew() {
    after_missing_calls(Some(MissedTickBehavior::Delay), &[35, 45, 55, 65, 75]);
}

/// I1: the next of the schedule
#[test]
fn skip_keeps_the_phase() {
    after_missing_calls(Some(MissedTickBehavior::Skip), &[35, 40, 50, 60, 70, 80]);
}

/// I1: late begins at five milliseconds
#[test]
fn a_call_late_by_less_than_five_milliseconds_is_on_time() {
    for behavior in [MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            timer.call_every(10 * MS, calls.noting("call")).set_missed_tick_behavior(behavior);
            jump(14 * MS).await;
            time::sleep(20 * MS).await;
            assert_eq!(calls.times(), [14, 20, 30], "{behavior:?}");
        });
    }
}

/// As a tick of an interval that is fetched on time: what is done then does not make it late
#[test]
fn a_call_that_comes_on_time_is_not_late_for_taking_long() {
    for behavior in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip]
    {
        on_a_paused_clock(move |timer| async move {
            let calls = Calls::new();
            let noted = calls.clone();
            let callback = timer.call_every(10 * MS, move || {
                noted.note("call");
                pass(if noted.count() == 1 { 12 * MS } else { 7 * MS });
            });
            callback.set_missed_tick_behavior(behavior);
            time::sleep(45 * MS).await;
            // The second is late by two milliseconds, as the first took longer than a period.
            assert_eq!(calls.times(), [10, 22, 30, 40], "{behavior:?}");
        });
    }
}

#[test]
fn a_burst_of_calls_can_be_cancelled_within_it() {
    on_a_paused_clock(|timer| async move {
        let (calls, itself) = (Calls::new(), Itself::new());
        let (noted, own) = (calls.clone(), itself.clone());
        let callback = timer.call_every(10 * MS, move || {
            noted.note("call");
            if noted.count() == 3 {
                assert!(!own.get().cancel(), "it is being called");
            }
        });
        itself.is(&callback);
        jump(HOUR).await;
        assert_eq!((calls.count(), callback.is_finished(), timer.pending()), (3, true, 0));
        assert_eq!(timer.metrics().callback_panics, 0);
    });
}

/// Contract 9: a burst without end lets others have their turn
#[test]
fn a_long_burst_of_calls_gives_way() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        timer.call_every(MS, calls.noting("call"));
        time::advance(20 * SECOND).await;
        let mut turns = 0;
        while calls.count() < 20_000 {
            tokio::task::yield_now().await;
            turns += 1;
        }
        assert!(turns >= 10, "{turns} turns for twenty thousand calls");
    });
}

/// C2: cancels itself in its third call, and then arms a one-shot 20 ms later
#[test]
fn a_repeating_callback_that_cancels_itself_may_arm_another() {
    on_a_paused_clock(|timer| async move {
        let (calls, itself) = (Calls::new(), Itself::new());
        let (noted, own, armer) = (calls.clone(), itself.clone(), timer.clone());
        let callback = timer.call_every(10 * MS, move || {
            noted.note("every");
            if noted.count() == 3 {
                assert!(!own.get().cancel(), "it is being called");
                armer.call_later(20 * MS, noted.noting("once"));
            }
        });
        itself.is(&callback);
        time::sleep(SECOND).await;
        let right = [("every", 10), ("every", 20), ("every", 30), ("once", 50)];
        assert_eq!((calls.all().as_slice(), timer.pending()), (&right[..], 0));
        assert_eq!((callback.is_finished(), timer.metrics().callback_panics), (true, 0));
    });
}

/// An error, not a spin
#[test]
fn a_period_of_zero_is_refused() {
    on_a_paused_clock(|timer| async move {
        let calls = Calls::new();
        let refused = timer.try_call_every(Duration::ZERO, calls.noting("call")).unwrap_err();
        let Refused { error, mut value } = refused;
        assert_eq!(error, TimerError::ZeroPeriod);
        value();
        assert_eq!(calls.count(), 1, "given back");
        let plain: [(u32, fn(&Timer) -> Callback); 2] = [
            (line!(), |timer| timer.call_every(Duration::ZERO, || ())),
            (line!(), |timer| timer.new_callback_every(Duration::ZERO, || ())),
        ];
        for (line, plain) in plain {
            let panicked = panic_of(|| plain(&timer));
            assert_eq!((panicked.file.as_str(), panicked.line), (file!(), line));
            assert!(panicked.message.contains("longer than zero"), "{}", panicked.message);
        }
        assert_eq!((timer.pending(), timer.metrics().registered), (0, 0));
    });
}
