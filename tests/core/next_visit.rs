//! When a wheel asks to be visited, and what its earliest deadline is

use tickwheel_core::{Step, Tick, TimerKey, Wheel};
use tickwheel_tests::{
    drive::{expire, step_into_a_cascade},
    edges::{EDGE_AND_OVERFLOW_BITS, distances, edges},
};

/// W5: a later timer in a nearer slot does not hide an earlier one that waits in a farther slot
#[test]
fn the_next_wake_is_not_later_than_a_timer_inserted_long_ago() {
    for edge in edges() {
        // As in the report, where the edge is 256: A at 300; at 100, B at 340.
        for (reached, a, b) in [(edge - 156, edge + 44, edge + 84), (edge - 1, edge, edge + 1)] {
            let mut wheel = Wheel::new();
            wheel.insert(Tick::new(a), "A");
            assert_eq!(expire(&mut wheel, reached), [""; 0]);
            wheel.insert(Tick::new(b), "B");

            let wake = wheel.next_wake().expect("two are armed");
            assert!(Tick::new(reached) < wake && wake <= Tick::new(a), "{wake} beside {edge}");
            assert_eq!(wheel.next_deadline(), Some(Tick::new(a)), "beside {edge}");
            assert_eq!(expire(&mut wheel, a), ["A"]);
            assert_eq!(expire(&mut wheel, b), ["B"]);
        }
    }
}

/// What it waits for is due at the tick it has reached, whatever earlier one it is asked about
#[test]
fn a_timer_that_a_cascade_found_due_expires_though_now_goes_back() {
    for edge in edges() {
        let mut wheel = Wheel::starting_at(Tick::new(edge - 2));
        wheel.insert(Tick::new(edge), "A");
        assert_eq!(wheel.step(Tick::new(edge - 1)), Step::Idle);
        while wheel.elapsed() < Tick::new(edge) {
            assert_eq!(wheel.step(Tick::new(edge)), Step::More);
        }
        assert_eq!(expire(&mut wheel, edge - 1), ["A"], "beside {edge}");
    }
}

/// The one that waited when the wheel was last idle is not the next any more
#[test]
fn a_timer_that_came_before_the_next_visit_is_not_passed_by() {
    let mut wheel = Wheel::new();
    let moved = wheel.insert(Tick::new(200), "moved");
    assert_eq!(wheel.step(Tick::new(10)), Step::Idle);
    wheel.insert(Tick::new(20), "new");
    assert_eq!(expire(&mut wheel, 20), ["new"]);
    assert_eq!(wheel.reset(moved, Tick::new(30)), Ok(()));
    assert_eq!(expire(&mut wheel, 30), ["moved"]);
}

/// W5: visits come at most once for each level boundary between insertion and deadline
#[test]
fn a_timer_asks_for_one_visit_a_level_at_the_most() {
    for start in [0, 1, 255, (1 << 14) - 1, (1 << 32) - 1] {
        for distance in distances().filter(|&distance| distance < 1 << 32) {
            let mut wheel = Wheel::starting_at(Tick::new(start));
            wheel.insert(Tick::new(start + distance), ());
            let mut visits = 0;
            while let Some(wake) = wheel.next_wake() {
                expire(&mut wheel, wake.get());
                visits += 1;
            }
            // Four levels above the first, the overflow list of 2^32, and the deadline.
            assert!(visits <= 6, "{visits} visits from {start} to {distance} ahead");
        }
    }
}

/// W6: a cancelled timer leaves no wake behind, from whatever level it is taken
#[test]
fn a_wheel_emptied_by_cancel_asks_for_no_visit() {
    for start in [0, 255, (1 << 32) - 1, u64::MAX] {
        for distance in distances().chain([0]) {
            let mut wheel = Wheel::starting_at(Tick::new(start));
            let key = wheel.insert(Tick::new(start).saturating_add(distance), ());
            assert!(wheel.next_wake().is_some());
            assert_eq!(wheel.cancel(key), Some(()));
            assert_eq!(wheel.next_wake(), None, "{distance} ahead of {start}");
            assert_eq!(wheel.next_deadline(), None, "{distance} ahead of {start}");
            wheel.check_invariants();
        }
    }
}

/// W6: of two in one slot, cancelling either keeps the wake of the other, and cancelling both ends it
#[test]
fn cancelling_one_of_two_keeps_the_wake_of_the_other() {
    for distance in distances() {
        for order in [[0, 1], [1, 0]] {
            let mut wheel = Wheel::new();
            let keys = [0, 1].map(|number| wheel.insert(Tick::new(distance), number));
            let wake = wheel.next_wake();
            let [first, second] = order.map(|number| keys[number]);
            assert!(wheel.cancel(first).is_some());
            assert_eq!(wheel.next_wake(), wake);
            assert_eq!(wheel.next_deadline(), Some(Tick::new(distance)));
            assert!(wheel.cancel(second).is_some());
            assert_eq!(wheel.next_wake(), None);
        }
    }
}

/// W6: and so when the slot is half moved; the wheel then goes on as if nothing had been
#[test]
fn a_wheel_emptied_during_a_cascade_asks_for_no_visit() {
    for bits in EDGE_AND_OVERFLOW_BITS {
        let edge = 1 << bits;
        let mut wheel = Wheel::new();
        let keys: Vec<_> = (0..100).map(|number| wheel.insert(Tick::new(edge), number)).collect();
        step_into_a_cascade(&mut wheel, edge);
        for key in keys {
            assert!(wheel.next_wake().is_some());
            assert!(wheel.cancel(key).is_some());
            wheel.check_invariants();
        }
        assert_eq!(wheel.next_wake(), None);
        assert_eq!(wheel.next_deadline(), None);

        wheel.insert(Tick::new(edge + 1), 200);
        assert_eq!(expire(&mut wheel, edge), [], "at {edge}");
        assert_eq!(wheel.elapsed(), Tick::new(edge));
        assert_eq!(expire(&mut wheel, edge + 1), [200], "at {edge}");
    }
}

/// W5, W16: half moved, a slot shows what is moved and what is not, and what was inserted meanwhile
#[test]
fn the_answers_are_right_at_every_moment_of_a_cascade() {
    for bits in EDGE_AND_OVERFLOW_BITS {
        let edge = 1 << bits;
        for earliest in [0, 40, 99] {
            let mut wheel = Wheel::new();
            for number in 0..100 {
                let deadline = edge + if number == earliest { 3 } else { 5 + number };
                wheel.insert(Tick::new(deadline), number);
            }
            step_into_a_cascade(&mut wheel, edge + 1);
            while wheel.elapsed() < Tick::new(edge) {
                let wake = wheel.next_wake().expect("many are armed");
                assert!(wheel.elapsed() < wake && wake <= Tick::new(edge + 3), "{wake} at {edge}");
                assert_eq!(wheel.next_deadline(), Some(Tick::new(edge + 3)));

                let sooner = wheel.insert(Tick::new(edge + 1), 200);
                assert_eq!(wheel.next_deadline(), Some(Tick::new(edge + 1)));
                assert!(wheel.next_wake() <= Some(Tick::new(edge + 1)));
                assert_eq!(wheel.cancel(sooner), Some(200));
                let _ = wheel.step(Tick::new(edge + 1));
            }
            assert_eq!(expire(&mut wheel, edge + 2), []);
            assert_eq!(expire(&mut wheel, edge + 3), [earliest]);
        }
    }
}

/// W16: two timers in one coarse slot, in either order: the slot's own start is not the answer
#[test]
fn the_earliest_of_two_in_a_coarse_slot_is_exact() {
    for edge in EDGE_AND_OVERFLOW_BITS.map(|bits| 1u64 << bits) {
        let mut wheel = Wheel::new();
        for first in 1..130 {
            let kept = wheel.insert(Tick::new(edge + first), ());
            for second in 1..130 {
                let other = wheel.insert(Tick::new(edge + second), ());
                let earliest = Tick::new(edge + first.min(second));
                assert_eq!(wheel.next_deadline(), Some(earliest), "{edge}: {first} and {second}");
                assert!(wheel.next_wake() <= Some(earliest), "{edge}: {first} and {second}");
                assert!(wheel.cancel(other).is_some());
            }
            assert!(wheel.cancel(kept).is_some());
        }
    }
}

/// W16: one extended in place lies beyond its slot, so the earliest may be in a later slot
#[test]
fn the_earliest_is_exact_when_timers_were_extended_past_later_slots() {
    for edge in EDGE_AND_OVERFLOW_BITS.map(|bits| 1u64 << bits).into_iter().filter(|&e| e < 1 << 62)
    {
        let mut wheel = Wheel::new();
        let extended: Vec<TimerKey> =
            [1, 2].map(|offset| wheel.insert(Tick::new(edge + offset), ())).into();
        wheel.insert(Tick::new(2 * edge + 9), ());
        assert_eq!(wheel.next_deadline(), Some(Tick::new(edge + 1)));
        wheel.reset(extended[0], Tick::new(3 * edge)).expect("armed");
        assert_eq!(wheel.next_deadline(), Some(Tick::new(edge + 2)));
        wheel.reset(extended[1], Tick::new(2 * edge + 10)).expect("armed");
        assert_eq!(wheel.next_deadline(), Some(Tick::new(2 * edge + 9)), "about {edge}");
        wheel.check_invariants();
        assert_eq!(expire(&mut wheel, 2 * edge + 8).len(), 0);
        assert_eq!(expire(&mut wheel, 2 * edge + 9).len(), 1);
        assert_eq!(expire(&mut wheel, 2 * edge + 10).len(), 1);
    }
}
