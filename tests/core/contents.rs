//! What is in a wheel: listed, taken out, and dropped once

use std::{cell::Cell, panic, rc::Rc};

use tickwheel_core::{Census, Expired, Tick, Wheel};
use tickwheel_tests::{
    drive::{expire, step_into_a_cascade},
    edges::{EDGE_AND_OVERFLOW_BITS, distances},
};

/// W4, W8: `iter` lists each timer with its deadline as asked for, past ones too
#[test]
fn iter_lists_every_timer_from_every_level() {
    let mut wheel = Wheel::starting_at(Tick::new(1000));
    let mut expected: Vec<_> = distances()
        .chain([0, 999, 1000])
        .enumerate()
        .map(|(number, deadline)| (wheel.insert(Tick::new(deadline), number), deadline, number))
        .collect();
    let mut listed: Vec<_> = wheel.iter().map(|(key, at, &value)| (key, at.get(), value)).collect();
    listed.sort_unstable();
    expected.sort_unstable();
    assert_eq!(listed, expected);
}

/// W6: `drain` gives out each timer once, due or not, and what is left over goes with it
#[test]
fn drain_takes_out_everything_at_every_moment() {
    for bits in EDGE_AND_OVERFLOW_BITS {
        for taken in [0, 1, 50, 102] {
            let edge = 1 << bits;
            let mut wheel = Wheel::new();
            for number in 0..100 {
                wheel.insert(Tick::new(edge + number), number);
            }
            step_into_a_cascade(&mut wheel, edge + 200);
            wheel.insert(Tick::new(0), 100);
            wheel.insert(Tick::MAX, 101);
            let reached = wheel.elapsed();

            let mut drained: Vec<_> =
                wheel.drain().take(taken).map(|expired| expired.value).collect();
            assert_eq!(drained.first().copied(), (taken > 0).then_some(100), "what is due leads");
            drained.sort_unstable();
            drained.dedup();
            assert_eq!(drained.len(), taken);
            assert_empty_and_usable(&mut wheel, reached);
        }
    }
}

#[test]
fn drain_says_how_many_are_left() {
    let mut wheel = Wheel::new();
    for number in 0..3 {
        wheel.insert(Tick::new(number << 20), number);
    }
    let mut drain = wheel.drain();
    for left in (0..=3).rev() {
        assert_eq!(drain.size_hint(), (left, Some(left)));
        assert_eq!(drain.next().is_some(), left > 0);
    }
}

/// W6: `clear` ends a cascade too
#[test]
fn a_wheel_cleared_at_any_moment_starts_afresh() {
    for bits in EDGE_AND_OVERFLOW_BITS {
        let edge = 1 << bits;
        let mut wheel = Wheel::new();
        for number in 0..100 {
            wheel.insert(Tick::new(edge + number), number);
        }
        step_into_a_cascade(&mut wheel, edge + 200);
        let reached = wheel.elapsed();
        wheel.clear();
        assert_empty_and_usable(&mut wheel, reached);
    }
}

/// W6: a drain that is forgotten and not dropped leaves a whole wheel behind
#[test]
fn a_forgotten_drain_leaves_the_rest_armed() {
    let mut wheel = Wheel::new();
    for number in 0..100 {
        wheel.insert(Tick::new(256 + number), number);
    }
    step_into_a_cascade(&mut wheel, 300);
    let mut drain = wheel.drain();
    let taken: Vec<_> = drain.by_ref().take(40).map(|expired| expired.value).collect();
    std::mem::forget(drain);
    wheel.check_invariants();
    assert_eq!(wheel.len(), 60);
    let expected: Vec<_> = (0..100).filter(|number| !taken.contains(number)).collect();
    assert_eq!(expire(&mut wheel, 400), expected);
}

/// W9: a value changed in place is the one that expires
#[test]
fn get_mut_changes_what_expires() {
    let mut wheel = Wheel::new();
    let key = wheel.insert(Tick::new(300), "before");
    *wheel.get_mut(key).expect("armed") = "after";
    let expired = wheel.poll_expired(Tick::new(300));
    assert_eq!(expired, Some(Expired { key, deadline: Tick::new(300), value: "after" }));
}

/// W15: every way out hands a value over or drops it, and once
#[test]
fn each_value_is_dropped_once() {
    let value = Rc::new(());
    let held = |wheel: &Wheel<Rc<()>>| (Rc::strong_count(&value) - 1, wheel.len());
    let mut wheel = Wheel::new();
    let keys: Vec<_> = (0..500).map(|at| wheel.insert(Tick::new(at), Rc::clone(&value))).collect();
    assert_eq!(held(&wheel), (500, 500));
    let cancelled = wheel.cancel(keys[499]);
    assert_eq!(held(&wheel), (500, 499), "handed over");
    drop(cancelled);
    assert_eq!(held(&wheel), (499, 499));
    assert_eq!(wheel.cancel(keys[499]), None);
    drop(expire(&mut wheel, 99));
    assert_eq!(held(&wheel), (399, 399));
    drop(wheel.drain().take(10));
    assert_eq!(held(&wheel), (0, 0));
    wheel.insert(Tick::new(1000), Rc::clone(&value));
    wheel.clear();
    assert_eq!(held(&wheel), (0, 0));
    wheel.insert(Tick::new(1000), Rc::clone(&value));
    drop(wheel);
    assert_eq!(Rc::strong_count(&value), 1);
}

/// W15: a value that panics when it is dropped leaves a whole wheel behind
#[test]
fn a_wheel_survives_a_value_that_panics_when_dropped() {
    for timers in [10, 4097, 10_000] {
        for fragile in [0, timers / 2, timers - 1] {
            for partly_drained in [false, true] {
                let dropped = Rc::new(Cell::new(0));
                let mut wheel = Wheel::new();
                for number in 0..timers {
                    let value = Fragile { panics: number == fragile, dropped: Rc::clone(&dropped) };
                    wheel.insert(Tick::new(1000), value);
                }
                let cleared = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                    if partly_drained { drop(wheel.drain()) } else { wheel.clear() }
                }));
                assert!(cleared.is_err());
                assert_eq!(wheel.len(), wheel.iter().count(), "{fragile} of {timers}");
                wheel.check_invariants();

                wheel.insert(Tick::new(2), Fragile { panics: false, dropped: Rc::clone(&dropped) });
                drop(expire(&mut wheel, 1000));
                assert!(wheel.is_empty());
                assert_eq!(dropped.get(), timers + 1, "{fragile} of {timers}");
            }
        }
    }
}

/// A value that may panic when it is dropped
struct Fragile {
    panics: bool,
    dropped: Rc<Cell<usize>>,
}

impl Drop for Fragile {
    fn drop(&mut self) {
        self.dropped.set(self.dropped.get() + 1);
        assert!(!self.panics, "as it was told to");
    }
}

fn assert_empty_and_usable(wheel: &mut Wheel<u64>, reached: Tick) {
    wheel.check_invariants();
    assert!(wheel.is_empty());
    assert_eq!(wheel.next_wake(), None);
    assert_eq!(wheel.next_deadline(), None);
    assert_eq!(wheel.elapsed(), reached, "the tick it has reached is kept");
    let mut fresh = Wheel::starting_at(reached);
    for deadline in distances().map(|distance| reached.saturating_add(distance)) {
        let keys = [&mut *wheel, &mut fresh].map(|wheel| wheel.insert(deadline, 0));
        assert_eq!(wheel.next_wake(), fresh.next_wake(), "no visit to what is gone");
        assert_eq!((wheel.cancel(keys[0]), fresh.cancel(keys[1])), (Some(0), Some(0)));
    }
    let next = reached.get() + 1;
    wheel.insert(Tick::new(next), 7);
    assert_eq!(expire(wheel, reached.get()), []);
    assert_eq!(expire(wheel, next), [7]);
}

/// Each timer is counted in the slot it is in, however many parts that takes
#[test]
fn a_census_counts_every_timer_in_its_slot() {
    let mut wheel = Wheel::starting_at(Tick::new(37));
    let slots = [(38, 38), (255, 255), (256, 256 + 1), (1 << 14, 320 + 1), (1 << 26, 448 + 1)];
    for &(deadline, _) in &slots {
        for _ in 0..3_000 {
            wheel.insert(Tick::new(deadline), ());
        }
    }
    for deadline in [1 << 32, 1 << 40, u64::MAX] {
        wheel.insert(Tick::new(deadline), ());
    }
    let (mut census, mut parts, mut part) = (Census::new(), 0, Some(0));
    while let Some(number) = part {
        let before = census.total();
        part = wheel.count_part(number, &mut census);
        assert!(census.total() - before <= 4096, "a part is bounded");
        parts += 1;
    }
    assert_eq!((parts, census.total(), census.overflow()), (4, wheel.len(), 3));
    for (_, slot) in slots {
        assert_eq!(census.slots()[slot], 3_000, "slot {slot}");
    }
    assert_eq!(census.slots().len(), Census::SLOTS);
    assert_eq!(census.slots().iter().sum::<usize>(), 15_000);
}

#[test]
fn an_empty_wheel_has_one_part_and_nothing_in_it() {
    let mut census = Census::default();
    assert_eq!(Wheel::<()>::new().count_part(0, &mut census), None);
    assert_eq!((census.total(), census.overflow()), (0, 0));
    assert_eq!(Wheel::<()>::new().count_part(usize::MAX - 1, &mut census), None);
}

/// Once for each level that a timer comes down
#[test]
fn moves_of_a_cascade_are_counted_and_others_are_not() {
    let mut wheel = Wheel::new();
    let key = wheel.insert(Tick::new(300), ());
    wheel.reset(key, Tick::new(20_000)).unwrap();
    wheel.reset(key, Tick::new(17_000)).unwrap();
    let near = wheel.insert(Tick::new(7), ());
    assert_eq!(wheel.cancel(near), Some(()));
    assert_eq!(wheel.cascaded(), 0);
    assert_eq!(expire(&mut wheel, 17_000), [()]);
    // From where it was at first to level 2, and down from there.
    assert_eq!(wheel.cascaded(), 3);
}
