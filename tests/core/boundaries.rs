//! Where a wheel changes level: nothing early, nothing late, nothing lost

use tickwheel_core::{Tick, Wheel};
use tickwheel_tests::{
    drive::{expire, follow_wakes},
    edges::{EDGE_AND_OVERFLOW_BITS, EDGE_BITS, edges},
};

/// W1: beside every edge, from every phase, a timer expires at its tick and not one earlier or later
#[test]
fn a_timer_beside_an_edge_expires_at_exactly_its_tick() {
    for edge in edges() {
        for start in [0, 1, 37, 255, edge - 1, edge] {
            for deadline in [edge - 1, edge, edge + 1].into_iter().filter(|&d| d > start) {
                let what = format!("from {start} to {deadline}");
                let mut wheel = Wheel::starting_at(Tick::new(start));

                wheel.insert(Tick::new(deadline), ());
                assert_eq!(expire(&mut wheel, deadline - 1).len(), 0, "early {what}");
                assert_eq!(expire(&mut wheel, deadline).len(), 1, "late {what}");

                let mut wheel = Wheel::starting_at(Tick::new(start));
                wheel.insert(Tick::new(deadline), ());
                let seen = follow_wakes(&mut wheel);
                assert_eq!(seen.len(), 1, "once {what}");
                assert_eq!(seen[0].0, deadline, "by its own wakes {what}");
            }
        }
    }
}

/// W1: the same with all edges at once, so that timers cascade among others
#[test]
fn timers_beside_all_edges_at_once_expire_each_at_its_tick() {
    for start in [0, 1, 37, 255].into_iter().chain(edges().flat_map(|edge| [edge - 1, edge])) {
        let mut wheel = Wheel::starting_at(Tick::new(start));
        for deadline in edges().flat_map(|edge| [edge - 1, edge, edge + 1]) {
            wheel.insert(Tick::new(deadline), deadline);
        }
        let inserted = wheel.len();
        wheel.check_invariants();

        let seen = follow_wakes(&mut wheel);
        assert_eq!(seen.len(), inserted);
        for (tick, expired) in seen {
            assert_eq!(tick, expired.value.max(start), "from {start}");
        }
    }
}

/// W1: a wheel that walked to where it is, and did not begin there, is as exact
#[test]
fn a_wheel_that_walked_to_an_edge_is_as_exact_as_one_begun_there() {
    for edge in edges() {
        for phase in [edge - 1, edge, edge + 1] {
            let mut wheel = Wheel::new();
            // A companion that stays, so that the wheel never is an empty one.
            let companion = wheel.insert(Tick::MAX, 0);
            assert_eq!(expire(&mut wheel, phase), []);
            for ahead in [1, 2, 255, 256, 257, edge - 1, edge, edge + 1] {
                let deadline = phase + ahead;
                let key = wheel.insert(Tick::new(deadline), ahead);
                assert_eq!(expire(&mut wheel, phase), [], "at {phase}, {ahead} ahead");
                wheel.check_invariants();
                assert_eq!(wheel.cancel(key), Some(ahead));
            }
            let deadline = phase + edge;
            wheel.insert(Tick::new(deadline), 1);
            assert_eq!(expire(&mut wheel, deadline - 1), [], "to {deadline}");
            assert_eq!(expire(&mut wheel, deadline), [1], "to {deadline}");
            assert_eq!(wheel.cancel(companion), Some(0));
        }
    }
}

/// W2: the two that a published wheel of this geometry fires one tick late
#[test]
fn a_whole_number_of_turns_of_the_first_level_is_not_one_tick_late() {
    for (start, deadline) in [(37, 512), (0, 256)] {
        let mut wheel = Wheel::starting_at(Tick::new(start));
        wheel.insert(Tick::new(deadline), "timer");
        assert_eq!(expire(&mut wheel, deadline - 1), [""; 0]);
        assert_eq!(expire(&mut wheel, deadline), ["timer"]);
    }
}

/// W2: every multiple of a level's size, from every phase of the first level
#[test]
fn multiples_of_a_level_are_exact_from_every_phase_of_the_first() {
    for phase in 0..256 {
        for deadline in EDGE_BITS.into_iter().flat_map(|bits| [1u64 << bits, 2 << bits]) {
            let mut wheel = Wheel::starting_at(Tick::new(phase));
            wheel.insert(Tick::new(deadline), ());
            assert_eq!(follow_wakes(&mut wheel)[0].0, deadline, "from {phase}");
        }
    }
}

/// W3: a timer one whole rotation ahead shares a slot with "now", and one beyond the horizon has none
#[test]
fn a_far_timer_does_not_hold_up_a_near_one() {
    let rotations = EDGE_AND_OVERFLOW_BITS.map(|bits| 1u64 << bits);
    for start in [0, 1, 37, 255, 256, (1 << 14) - 20, (1 << 32) - 20, 1 << 32] {
        for far in rotations.into_iter().flat_map(|turn| [turn - 1, turn, turn + 50, u64::MAX]) {
            let mut wheel = Wheel::starting_at(Tick::new(start));
            let far = Tick::new(start).saturating_add(far);
            let key = wheel.insert(far, "far");
            // Again and again, so that the near ones go round the first level.
            for near in (1..=20).map(|round| start + 50 * round).filter(|&near| near < far.get()) {
                wheel.insert(Tick::new(near), "near");
                let due = wheel.next_wake().expect("two are armed");
                assert!(due <= Tick::new(near), "from {start} with {far} armed");
                assert_eq!(expire(&mut wheel, near - 1), [""; 0], "{near} with {far} armed");
                assert_eq!(expire(&mut wheel, near), ["near"], "{near} with {far} armed");
            }
            wheel.check_invariants();
            assert_eq!(wheel.deadline(key), Some(far));
            assert_eq!(expire(&mut wheel, far.get()), ["far"]);
        }
    }
}

/// W4: 2^36, 2^40 and the last ticks there are: never early, and cancelled at any time
#[test]
fn there_is_no_horizon() {
    let far = [1 << 36, 1 << 40, u64::MAX - 1, u64::MAX];
    for start in [0, 1, 255, 1 << 32, 1 << 36, (1 << 36) + 12_345] {
        for deadline in far.into_iter().filter(|&deadline| deadline > start) {
            let mut wheel = Wheel::starting_at(Tick::new(start));
            let key = wheel.insert(Tick::new(deadline), deadline);
            assert_eq!(expire(&mut wheel, start + 1), []);
            assert_eq!(wheel.cancel(key), Some(deadline), "after a tick");
            assert_eq!(wheel.next_wake(), None);

            wheel.insert(Tick::new(deadline), deadline);
            assert_eq!(expire(&mut wheel, deadline - 1), [], "early, from {start}");
            assert_eq!(expire(&mut wheel, deadline), [deadline], "late, from {start}");
        }
    }
}

/// W4: the same in a wheel that has grown old with timers in it
#[test]
fn a_wheel_two_to_the_thirty_six_ticks_old_has_no_horizon_either() {
    let old = 1 << 36;
    let mut wheel = Wheel::new();
    let far = [old + 1, 2 * old, 1 << 40, u64::MAX - 1, u64::MAX];
    let keys = far.map(|deadline| wheel.insert(Tick::new(deadline), deadline));
    assert_eq!(expire(&mut wheel, old), []);
    wheel.check_invariants();
    for (key, deadline) in keys.into_iter().zip(far) {
        assert_eq!(wheel.cancel(key), Some(deadline));
        wheel.insert(Tick::new(deadline), deadline);
    }
    assert_eq!(expire(&mut wheel, u64::MAX - 2), far[..3]);
    assert_eq!(expire(&mut wheel, u64::MAX - 1), [u64::MAX - 1]);
    assert_eq!(expire(&mut wheel, u64::MAX), [u64::MAX]);
}

/// W14: no edge is an edge of the arithmetic, the last tick included
#[test]
fn nothing_wraps_at_an_edge_nor_at_the_end_of_time() {
    let edges = EDGE_AND_OVERFLOW_BITS.map(|bits| 1u64 << bits).into_iter();
    let starts = edges
        .chain([u64::MAX])
        .flat_map(|edge| [0, 1, 2, 3, 37, 128, 255, 256].map(|before| edge - before).into_iter());
    for start in starts {
        let mut wheel = Wheel::starting_at(Tick::new(start));
        let mut expected = Vec::new();
        for delay in 1..=300 {
            let deadline = Tick::new(start).saturating_add(delay);
            wheel.insert(deadline, delay);
            expected.push((deadline.get(), delay));
        }
        wheel.check_invariants();
        let seen = follow_wakes(&mut wheel);
        let seen: Vec<_> = seen.into_iter().map(|(tick, expired)| (tick, expired.value)).collect();
        assert_eq!(seen, expected, "from {start}");
        assert_eq!(wheel.next_wake(), None);
    }
}
