//! In what order timers expire that are due together

use tickwheel_core::{Step, Tick, Wheel};
use tickwheel_tests::{
    drive::{expire, step_into_a_cascade},
    edges::distances,
};

/// W7: first in, first out, whatever the level they came from
#[test]
fn ties_expire_first_in_first_out_from_every_level() {
    for start in [0, 1, 255, (1 << 20) - 3, (1 << 32) - 3, 1 << 33] {
        for distance in distances() {
            let tick = Tick::new(start).saturating_add(distance);
            let mut wheel = Wheel::starting_at(Tick::new(start));
            for number in [1, 2, 3] {
                wheel.insert(tick, number);
            }
            assert_eq!(expire(&mut wheel, tick.get()), [1, 2, 3], "{start} + {distance}");
        }
    }
}

/// W7: one inserted after each cascade comes after those that were moved by it
#[test]
fn a_tie_inserted_after_a_cascade_expires_last() {
    for start in [0, 1, 255, (1 << 20) - 3, (1 << 32) - 3, 1 << 33] {
        for distance in distances() {
            let tick = Tick::new(start).saturating_add(distance);
            let mut wheel = Wheel::starting_at(Tick::new(start));
            for number in [1, 2, 3] {
                wheel.insert(tick, number);
            }
            let mut last = 3;
            while let Some(wake) = wheel.next_wake().filter(|&wake| wake < tick) {
                assert_eq!(expire(&mut wheel, wake.get()), [], "a visit, not a verdict");
                last += 1;
                wheel.insert(tick, last);
                wheel.check_invariants();
            }
            last += 1;
            wheel.insert(tick, last);
            let expected: Vec<_> = (1..=last).collect();
            assert_eq!(expire(&mut wheel, tick.get()), expected, "{start} + {distance}");
        }
    }
}

/// W7: one inserted while the slot is half moved does not overtake those not moved yet
#[test]
fn a_tie_inserted_during_a_cascade_expires_last() {
    for distance in distances().filter(|&distance| distance >= 256) {
        let mut wheel = Wheel::new();
        let tick = Tick::new(distance);
        for number in 0..100 {
            wheel.insert(tick, number);
        }
        let mut last = 99;
        loop {
            match wheel.step(tick) {
                Step::More => {
                    last += 1;
                    wheel.insert(tick, last);
                    wheel.check_invariants();
                }
                Step::Expired(expired) => {
                    assert_eq!(expired.value, 0, "{distance}");
                    break;
                }
                Step::Idle => panic!("{distance} came and nothing expired"),
            }
        }
        let expected: Vec<_> = (1..=last).collect();
        assert_eq!(expire(&mut wheel, distance), expected, "{distance}");
    }
}

/// W7: neighbours of a tie, cancelled before and during the cascade, leave its order alone
#[test]
fn cancelling_among_ties_keeps_the_order_of_the_others() {
    for distance in distances().filter(|&distance| distance >= 256) {
        let tick = Tick::new(distance);
        let mut wheel = Wheel::new();
        let keys: Vec<_> = (0..100).map(|number| wheel.insert(tick, number)).collect();
        for key in keys.iter().skip(1).step_by(10) {
            assert!(wheel.cancel(*key).is_some());
        }
        // Half of them have been moved now, and both halves are thinned out.
        step_into_a_cascade(&mut wheel, distance);
        for key in keys.iter().skip(2).step_by(10) {
            assert!(wheel.cancel(*key).is_some());
            wheel.check_invariants();
        }
        let expected: Vec<_> = (0..100).filter(|number| ![1, 2].contains(&(number % 10))).collect();
        assert_eq!(expire(&mut wheel, distance), expected, "{distance}");
    }
}

/// W8: past deadlines count as the tick the wheel has reached, so they come in the order inserted
#[test]
fn past_deadlines_expire_in_the_order_of_insertion() {
    for now in [30, 256, 300, 1 << 14, (1 << 32) + 5] {
        for agos in [[30, 20, 10], [10, 20, 30], [20, 30, 10]] {
            let mut wheel = Wheel::new();
            assert_eq!(expire(&mut wheel, now), [0; 0]);
            for ago in agos {
                wheel.insert(Tick::new(now - ago), ago);
            }
            assert_eq!(wheel.next_wake(), Some(Tick::new(now)), "something is due already");
            for ago in agos {
                let expired = wheel.poll_expired(Tick::new(now)).expect("past");
                assert_eq!(expired.value, ago);
                assert_eq!(expired.deadline, Tick::new(now - ago), "as asked, not clamped");
            }
            assert_eq!(wheel.poll_expired(Tick::new(now)), None);
        }
    }
}

/// W8: what is past already comes before what is due at the tick now reached, and after what was due there
#[test]
fn past_deadlines_queue_behind_what_is_due_already() {
    let mut wheel = Wheel::new();
    wheel.insert(Tick::new(100), "first at 100");
    wheel.insert(Tick::new(100), "second at 100");
    wheel.insert(Tick::new(101), "at 101");
    let first = wheel.poll_expired(Tick::new(101)).expect("due");
    assert_eq!(first.value, "first at 100");
    // The wheel has reached 100, and no more, whatever now is.
    assert_eq!(wheel.elapsed(), Tick::new(100));
    wheel.insert(Tick::new(7), "past");
    assert_eq!(expire(&mut wheel, 101), ["second at 100", "past", "at 101"]);
}

/// W8: what comes in past while a slot is half moved is due at once, and is not lost
#[test]
fn a_past_deadline_inserted_during_a_cascade_expires_before_the_slot_does() {
    for start in [256, 1 << 14, 1 << 20, 1 << 26, 1 << 32, 1 << 40] {
        let mut wheel = Wheel::new();
        for number in 0..100 {
            wheel.insert(Tick::new(start + number / 10), number);
        }
        step_into_a_cascade(&mut wheel, start + 20);
        let reached = wheel.elapsed();
        let past = [reached.get(), reached.saturating_sub(10).get(), 0, reached.get()];
        for (deadline, number) in past.into_iter().zip(1000..) {
            wheel.insert(Tick::new(deadline), number);
            wheel.check_invariants();
            assert_eq!(wheel.next_wake(), Some(reached), "something is due already");
        }
        assert_eq!(wheel.next_deadline(), Some(Tick::ZERO));
        let expected: Vec<_> = (1000..1004).chain(0..100).collect();
        assert_eq!(expire(&mut wheel, start + 20), expected, "at {start}");
    }
}

/// W9: a timer inserted between two polls into the tick being drained expires in that tick
#[test]
fn a_timer_inserted_into_the_tick_being_drained_expires_in_it() {
    for distance in distances() {
        let tick = Tick::new(distance);
        let mut wheel = Wheel::new();
        for number in 0..3 {
            wheel.insert(tick, number);
        }
        wheel.insert(tick.saturating_add(1), 100);
        let mut order = Vec::new();
        while let Some(expired) = wheel.poll_expired(tick) {
            order.push(expired.value);
            if expired.value < 3 {
                wheel.insert(tick, expired.value + 10);
                wheel.check_invariants();
            }
        }
        assert_eq!(order, [0, 1, 2, 10, 11, 12], "{distance}");
        assert_eq!(expire(&mut wheel, distance + 1), [100], "{distance}");
    }
}

/// W9: a timer that re-inserts itself at "now" gets a step each time, and keeps nobody else waiting
#[test]
fn a_timer_that_reinserts_itself_at_now_does_not_starve_the_others() {
    for distance in distances() {
        let now = Tick::new(distance);
        let mut wheel = Wheel::new();
        wheel.insert(now, "again");
        wheel.insert(now, "beside it");
        let later = wheel.insert(now.saturating_add(1), "later");

        let mut beside = None;
        let mut again = 0;
        while again < 1000 {
            let expired = wheel.poll_expired(now).expect("one is always due");
            match expired.value {
                "again" => {
                    again += 1;
                    wheel.insert(now, "again");
                }
                other => beside = Some((other, again)),
            }
        }
        assert_eq!(beside, Some(("beside it", 1)), "in its turn");
        assert!(wheel.contains(later));
        assert_eq!(expire(&mut wheel, distance + 1), ["again", "later"]);
    }
}

/// W9: at "now" or past, from among the due: each step is that timer's and nothing else is moved
#[test]
fn a_step_with_something_due_expires_it_and_does_nothing_else() {
    let mut wheel = Wheel::new();
    for number in 0..1000 {
        wheel.insert(Tick::new(256), number);
    }
    wheel.insert(Tick::new(100), 1000);
    let now = Tick::new(300);
    for past in [100, 99, 0, 100] {
        let Step::Expired(expired) = wheel.step(now) else { panic!("one is due") };
        assert_eq!(expired.value, 1000);
        assert_eq!(wheel.elapsed(), Tick::new(100), "the wheel waits for what is due");
        wheel.insert(Tick::new(past), 1000);
    }
}

/// W10: a clock that went back is a clock that stood still
#[test]
fn a_clock_that_goes_back_fires_nothing_twice_and_nothing_early() {
    for base in [0, 156, (1 << 14) - 100, (1 << 32) - 100, 1 << 32] {
        let mut wheel = Wheel::starting_at(Tick::new(base));
        for at in [99, 100, 101] {
            wheel.insert(Tick::new(base + at), at);
        }
        assert_eq!(expire(&mut wheel, base + 100), [99, 100]);
        for earlier in [base + 99, base + 1, base, 0] {
            assert_eq!(expire(&mut wheel, earlier), []);
            assert_eq!(wheel.elapsed(), Tick::new(base + 100), "it does not go back");
        }
        wheel.insert(Tick::new(base + 50), 50);
        assert_eq!(expire(&mut wheel, 0), [50], "due already");
        assert_eq!(expire(&mut wheel, base + 101), [101]);
    }
}

/// W10: the same while a slot is half moved
#[test]
fn a_clock_that_goes_back_during_a_cascade_loses_nothing() {
    for start in [256, 1 << 14, 1 << 20, 1 << 26, 1 << 32, 1 << 40] {
        let mut wheel = Wheel::new();
        for number in 0..100 {
            wheel.insert(Tick::new(start + 10), number);
        }
        step_into_a_cascade(&mut wheel, start + 50);
        let reached = wheel.elapsed();
        for earlier in [start - 1, start - 100, 0] {
            assert_eq!(expire(&mut wheel, earlier), []);
            assert_eq!(wheel.elapsed(), reached, "it does not go back");
            wheel.check_invariants();
        }
        wheel.insert(reached, 200);
        assert_eq!(expire(&mut wheel, 0), [200], "due already");
        assert_eq!(expire(&mut wheel, start + 9), []);
        assert_eq!(expire(&mut wheel, start + 10), (0..100).collect::<Vec<_>>());
    }
}

/// W17: with a tick of 10 ms, 25 and 105 ms share a slot of a small wheel; a slot is a candidate
#[test]
fn a_deadline_between_two_ticks_expires_at_the_later_one() {
    const TICK: u64 = 10;
    // Never early: a deadline rounds up to a tick, the clock down.
    let tick_of = |deadline: u64| Tick::new(deadline.div_ceil(TICK));
    let mut wheel = Wheel::new();
    for deadline in [25, 75, 105] {
        wheel.insert(tick_of(deadline), deadline);
    }
    let mut seen = Vec::new();
    for clock in [20, 25, 30, 80, 105, 110] {
        seen.extend(expire(&mut wheel, clock / TICK).into_iter().map(|timer| (timer, clock)));
    }
    assert_eq!(seen, [(25, 30), (75, 80), (105, 110)]);
}

/// W17: two whole turns of a level apart share a slot's number and nothing else
#[test]
fn timers_one_turn_apart_expire_one_turn_apart() {
    for turn in [1u64 << 8, 1 << 14, 1 << 20, 1 << 26, 1 << 32] {
        for phase in [1, 37, 255] {
            let mut wheel = Wheel::new();
            let deadlines = [0, 1, 2, 64].map(|turns| phase + turns * turn);
            for deadline in deadlines.into_iter().rev() {
                wheel.insert(Tick::new(deadline), deadline);
            }
            for deadline in deadlines {
                assert_eq!(expire(&mut wheel, deadline - 1), [], "of a turn of {turn}");
                assert_eq!(expire(&mut wheel, deadline), [deadline], "of a turn of {turn}");
            }
        }
    }
}
