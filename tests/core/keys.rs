//! A key names one timer, and afterwards none

use tickwheel_core::{Tick, TimerKey, UnknownTimer, Wheel};
use tickwheel_tests::drive::expire;

/// W12: however often its place was used again, and however its timer ended
#[test]
fn a_stale_key_is_unknown_and_spares_the_timer_in_its_place() {
    for end in [End::Cancel, End::Expire, End::Clear, End::Drain, End::DrainPartly] {
        for uses in [1, 2, 1000] {
            let mut wheel = Wheel::new();
            let mut stale = Vec::new();
            for number in 0..uses {
                let key = wheel.insert(Tick::new(1 << 40), number);
                end.apply(&mut wheel, key);
                assert_unknown(&mut wheel, key);
                stale.push(key);
            }
            let deadline = wheel.elapsed().saturating_add(500);
            let living = wheel.insert(deadline, uses);
            assert_spared(&mut wheel, &stale, living, uses);
            assert_eq!(wheel.deadline(living), Some(deadline));
            assert_eq!(expire(&mut wheel, deadline.get()), [uses]);
            stale.push(living);
            for key in stale {
                assert_unknown(&mut wheel, key);
            }
        }
    }
}

/// W12: among many timers, with the places given out again in another order
#[test]
fn stale_keys_are_unknown_in_a_crowd() {
    let mut wheel = Wheel::new();
    let first: Vec<_> = (0..10_000).map(|n| wheel.insert(Tick::new(1000 + n), n)).collect();
    let cancelled: Vec<_> = first.iter().copied().step_by(3).collect();
    for &key in cancelled.iter().rev() {
        assert!(wheel.cancel(key).is_some());
    }
    let second: Vec<_> = cancelled.iter().map(|_| wheel.insert(Tick::new(99), 77)).collect();
    wheel.check_invariants();
    for &key in &cancelled {
        assert_unknown(&mut wheel, key);
    }
    assert!(second.iter().all(|&key| wheel.get(key) == Some(&77)));
    assert_eq!(wheel.len(), 10_000);
    let mut all: Vec<_> = first.into_iter().chain(second).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 10_000 + cancelled.len(), "no key was given out twice");
}

/// W12: shrinking gives the memory back and remembers which keys were given out
#[test]
fn a_stale_key_stays_unknown_when_its_memory_was_given_back() {
    for count in [1, 2, 4096, 4097, 10_000] {
        let mut wheel = Wheel::new();
        let mut stale = Vec::new();
        for _ in 0..3 {
            let keys: Vec<_> = (0..count).map(|n| wheel.insert(Tick::new(1 << 30), n)).collect();
            for &key in &keys {
                assert!(wheel.cancel(key).is_some());
            }
            stale.extend(keys);
            wheel.shrink_to_fit();
            wheel.check_invariants();
            assert_eq!(wheel.capacity(), 0, "nothing lives");
        }
        let living: Vec<_> = (0..count).map(|n| wheel.insert(Tick::new(1 << 30), n)).collect();
        for &key in &stale {
            assert_unknown(&mut wheel, key);
        }
        assert_eq!(wheel.len(), count);
        for (number, key) in living.into_iter().enumerate() {
            assert_eq!(wheel.cancel(key), Some(number));
        }
    }
}

/// W12: a key stays good across reserve, shrink and growth, wherever its timer lies
#[test]
fn a_living_key_stays_good_when_room_is_made_and_given_back() {
    let mut wheel = Wheel::new();
    let keys: Vec<_> = (0..9000).map(|n| wheel.insert(Tick::new(1 << 30), n)).collect();
    let (kept, dropped): (Vec<_>, Vec<_>) =
        keys.into_iter().enumerate().partition(|(number, _)| number % 1000 == 999);
    for (_, key) in &dropped {
        assert!(wheel.cancel(*key).is_some());
    }
    for round in 0..3 {
        wheel.shrink_to_fit();
        wheel.check_invariants();
        wheel.reserve(5000 * round);
        wheel.check_invariants();
        let more: Vec<_> = (0..5000).map(|_| wheel.insert(Tick::new(7), 0)).collect();
        for (number, key) in &kept {
            assert_eq!(wheel.get(*key), Some(number));
        }
        for key in more {
            assert!(wheel.cancel(key).is_some());
        }
    }
    for (_, key) in dropped {
        assert_unknown(&mut wheel, key);
    }
    assert_eq!(expire(&mut wheel, 1 << 30).len(), 9);
}

/// W12: the places of 2^32 timers, one after the other, are never named twice
#[test]
#[ignore = "takes two minutes with optimisation, and an hour without"]
fn a_place_whose_generations_run_out_is_retired() {
    let mut wheel = Wheel::new();
    let first = wheel.insert(Tick::new(1 << 40), 0u64);
    assert_eq!(wheel.cancel(first), Some(0));
    for number in 0..=u64::from(u32::MAX) {
        let key = wheel.insert(Tick::new(1 << 40), number);
        assert_ne!(key, first, "after {number}");
        assert_eq!(wheel.cancel(key), Some(number));
    }
    let living = wheel.insert(Tick::new(1 << 40), 1);
    assert_spared(&mut wheel, &[first], living, 1);
    wheel.check_invariants();
}

/// The ways in which a timer ends
#[derive(Clone, Copy, Debug)]
enum End {
    Cancel,
    Expire,
    Clear,
    Drain,
    /// Dropped with the iterator, and not taken from it
    DrainPartly,
}

impl End {
    fn apply(self, wheel: &mut Wheel<usize>, key: TimerKey) {
        match self {
            Self::Cancel => assert!(wheel.cancel(key).is_some()),
            Self::Expire => {
                let deadline = wheel.deadline(key).expect("armed");
                let expired = wheel.poll_expired(deadline).expect("due");
                assert_eq!(expired.key, key);
            }
            Self::Clear => wheel.clear(),
            Self::Drain => assert!(wheel.drain().any(|expired| expired.key == key)),
            Self::DrainPartly => drop(wheel.drain()),
        }
        assert!(wheel.is_empty());
        assert_eq!(wheel.next_wake(), None);
        wheel.check_invariants();
    }
}

/// Uses each stale key; the living timer is as it was
fn assert_spared<T: Copy + PartialEq + std::fmt::Debug>(
    wheel: &mut Wheel<T>,
    stale: &[TimerKey],
    living: TimerKey,
    value: T,
) {
    let deadline = wheel.deadline(living);
    for &key in stale {
        assert_ne!(key, living);
        assert_unknown(wheel, key);
    }
    assert_eq!(wheel.get(living), Some(&value));
    assert_eq!(wheel.deadline(living), deadline);
}

fn assert_unknown<T: PartialEq + std::fmt::Debug>(wheel: &mut Wheel<T>, key: TimerKey) {
    let len = wheel.len();
    assert_eq!(wheel.cancel(key), None);
    assert_eq!(wheel.reset(key, Tick::ZERO), Err(UnknownTimer));
    assert_eq!(wheel.get(key), None);
    assert_eq!(wheel.get_mut(key), None);
    assert_eq!(wheel.deadline(key), None);
    assert!(!wheel.contains(key));
    assert_eq!(wheel.len(), len);
}
