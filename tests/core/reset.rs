//! Moving a deadline, in both directions and at every moment

use tickwheel_core::{Tick, TimerKey, UnknownTimer, Wheel};
use tickwheel_tests::{
    drive::{expire, follow_wakes, step_into_a_cascade},
    edges::{EDGE_AND_OVERFLOW_BITS, distances},
};

/// W13: later, later, earlier, past, to the same: once, and at the last deadline
#[test]
fn a_reset_timer_expires_once_at_its_last_deadline() {
    let start = 1000;
    let distances: Vec<_> = distances().collect();
    for (&first, &later) in distances.iter().flat_map(|a| distances.iter().map(move |b| (a, b))) {
        let at = |ahead: u64| Tick::new(start).saturating_add(ahead);
        let histories = [
            vec![first, later],
            vec![first, first.saturating_add(1), later, later.saturating_add(1)],
            vec![first, later, first],
            vec![first, first, later, later],
            vec![later, first, later / 2],
            vec![first, later, 1],
        ];
        for history in histories {
            let mut wheel = Wheel::starting_at(Tick::new(start));
            let key = wheel.insert(at(history[0]), ());
            for &ahead in &history[1..] {
                assert_eq!(wheel.reset(key, at(ahead)), Ok(()));
                assert_eq!(wheel.deadline(key), Some(at(ahead)));
                assert_eq!(wheel.next_deadline(), Some(at(ahead)));
                wheel.check_invariants();
            }
            let last = at(*history.last().expect("none is empty")).max(Tick::new(start));
            let seen: Vec<_> = follow_wakes(&mut wheel).into_iter().map(|(tick, _)| tick).collect();
            assert_eq!(seen, [last.get()], "{history:?}");
            assert_eq!(wheel.reset(key, Tick::MAX), Err(UnknownTimer));
            assert!(wheel.is_empty());
        }
    }
}

/// W13: the same when the wheel has moved between one reset and the next
#[test]
fn a_timer_reset_again_and_again_while_time_passes_expires_once() {
    for distance in distances().filter(|&distance| (4..1 << 60).contains(&distance)) {
        let mut wheel = Wheel::new();
        let key = wheel.insert(Tick::new(distance), ());
        // Each time half of what is left passes, and the deadline moves by a whole distance.
        let mut now = 0;
        for _ in 0..5 {
            now += distance - distance / 4;
            let before = wheel.deadline(key).expect("armed");
            assert_eq!(expire(&mut wheel, now).len(), 0, "{now} is before {before}");
            wheel.reset(key, Tick::new(now + distance)).expect("armed");
            wheel.check_invariants();
        }
        assert_eq!(expire(&mut wheel, now + distance - 1).len(), 0, "early");
        assert_eq!(expire(&mut wheel, now + distance).len(), 1, "late");
    }
}

/// W13: to the past, it is due at once, from every level
#[test]
fn a_timer_reset_to_the_past_is_due_at_once() {
    for now in [1, 256, 300, (1 << 32) + 1] {
        for distance in distances() {
            for past in [now, now - 1, 0] {
                let mut wheel = Wheel::starting_at(Tick::new(now));
                let key = wheel.insert(Tick::new(now).saturating_add(distance), "reset");
                wheel.insert(Tick::new(now).saturating_add(distance), "left alone");
                wheel.reset(key, Tick::new(past)).expect("armed");
                wheel.check_invariants();
                assert_eq!(wheel.next_wake(), Some(Tick::new(now)));
                let expired = wheel.poll_expired(Tick::new(now)).expect("due");
                assert_eq!((expired.value, expired.deadline), ("reset", Tick::new(past)));
                assert_eq!(wheel.poll_expired(Tick::new(now)), None);
            }
        }
    }
}

/// W13: one that waits in the slot being drained, moved on, back, and to the same tick
#[test]
fn a_timer_reset_in_the_tick_being_drained_obeys() {
    for distance in distances().filter(|&distance| distance < u64::MAX - 1000) {
        for (ahead, then) in [(0, distance), (1, distance + 1), (300, distance + 300)] {
            let now = Tick::new(distance);
            let mut wheel = Wheel::new();
            let keys = ["first", "reset", "past", "last"].map(|name| wheel.insert(now, name));
            assert_eq!(wheel.poll_expired(now).map(|expired| expired.value), Some("first"));

            wheel.reset(keys[1], now.saturating_add(ahead)).expect("armed");
            wheel.reset(keys[2], Tick::ZERO).expect("armed");
            wheel.check_invariants();
            let mut due = expire(&mut wheel, distance);
            due.sort_unstable();
            assert_eq!(
                due,
                if ahead == 0 { vec!["last", "past", "reset"] } else { vec!["last", "past"] }
            );
            if ahead > 0 {
                assert_eq!(expire(&mut wheel, then - 1), [""; 0], "{ahead} after {distance}");
                assert_eq!(expire(&mut wheel, then), ["reset"], "{ahead} after {distance}");
            }
        }
    }
}

/// W13: from just beyond the epoch, and from just beyond any edge, back to the next tick
#[test]
fn a_timer_beyond_an_edge_can_be_reset_to_the_next_tick() {
    for edge in EDGE_AND_OVERFLOW_BITS.map(|bits| 1u64 << bits) {
        for now in [0, 1, 37, edge - 3, edge - 2] {
            for beyond in [edge, edge + 1, edge + 300] {
                let mut wheel = Wheel::starting_at(Tick::new(now));
                let key = wheel.insert(Tick::new(beyond), ());
                wheel.reset(key, Tick::new(now + 1)).expect("armed");
                wheel.check_invariants();
                assert_eq!(expire(&mut wheel, now).len(), 0, "{beyond} to {now} + 1");
                assert_eq!(expire(&mut wheel, now + 1).len(), 1, "{beyond} to {now} + 1");
                assert_eq!(wheel.next_wake(), None);
            }
        }
    }
}

/// W13: while its slot is half moved, one that was moved and one that was not obey alike
#[test]
fn a_timer_reset_during_a_cascade_obeys_whether_it_was_moved_yet_or_not() {
    const MOVED: usize = 0;
    const NOT_MOVED: usize = 99;
    for edge in EDGE_AND_OVERFLOW_BITS.map(|bits| 1u64 << bits) {
        // Not exact yet after one step: it is moved from far slot to far slot, above 2^8.
        for spread in [0, edge / 4] {
            for moved in [MOVED, NOT_MOVED] {
                let now = edge + edge / 2;
                let latest = u64::MAX - now;
                for target in
                    [0, edge - 2, edge - 1, edge, edge + 1, edge + edge / 8, now, now + latest]
                {
                    let mut wheel = Wheel::new();
                    let keys: Vec<TimerKey> =
                        (0..100).map(|_| wheel.insert(Tick::new(edge + spread), false)).collect();
                    step_into_a_cascade(&mut wheel, now);
                    let key = keys[moved];
                    wheel.reset(key, Tick::new(target)).expect("armed");
                    *wheel.get_mut(key).expect("armed") = true;
                    wheel.check_invariants();
                    let marked = target.max(wheel.elapsed().get());
                    expires_alone_at(&mut wheel, marked, edge + spread);
                }
            }
        }
    }
}

/// The one marked `true` expires at its tick, and the 99 others at theirs
fn expires_alone_at(wheel: &mut Wheel<bool>, marked: u64, others: u64) {
    for tick in [marked.min(others), marked.max(others)] {
        if tick > 0 && wheel.elapsed() < Tick::new(tick) {
            assert_eq!(expire(wheel, tick - 1).len(), 0, "early: {marked} among {others}");
        }
        let expired = expire(wheel, tick);
        let is_marked = expired.iter().filter(|&&is_marked| is_marked).count();
        assert_eq!(is_marked, usize::from(tick == marked), "{marked} among {others}");
        assert_eq!(expired.len() - is_marked, if tick == others { 99 } else { 0 });
        if marked == others {
            break;
        }
    }
    assert!(wheel.is_empty());
}

/// W13: reset past its slot while the slot is half moved, a timer does not keep the cascade going
#[test]
fn a_cascade_ends_although_its_timers_are_extended_meanwhile() {
    for edge in EDGE_AND_OVERFLOW_BITS.map(|bits| 1u64 << bits) {
        let mut wheel = Wheel::new();
        let keys: Vec<_> = (0..100).map(|_| wheel.insert(Tick::new(edge), ())).collect();
        step_into_a_cascade(&mut wheel, edge);
        for key in keys {
            wheel.reset(key, Tick::MAX).expect("armed");
            wheel.check_invariants();
        }
        assert_eq!(expire(&mut wheel, edge).len(), 0);
        assert_eq!(wheel.elapsed(), Tick::new(edge));
        assert_eq!(expire(&mut wheel, u64::MAX - 1).len(), 0);
        assert_eq!(expire(&mut wheel, u64::MAX).len(), 100);
    }
}
