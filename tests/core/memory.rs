//! What a wheel allocates, keeps and gives back, counted by the allocator

use allocation_counter::{AllocationInfo, measure};
use tickwheel_core::{Step, Tick, TimerKey, Wheel};
use tickwheel_tests::drive::expire;

/// W15: a million far timers, each cancelled at once, need the room of one
#[test]
fn arming_and_cancelling_for_ever_allocates_nothing() {
    let mut wheel = Wheel::with_capacity(20);
    let before = long_lived(&mut wheel);
    let storm = measure(|| {
        for number in 0..MILLION {
            let key = wheel.insert(HOUR.saturating_add(number), number);
            assert_eq!(wheel.cancel(key), Some(number));
        }
    });
    assert_allocates_nothing(storm, "the storm");
    let after = long_lived(&mut wheel);
    assert_eq!(wheel.len(), 20);
    assert_keys_work(&mut wheel, before.iter().chain(&after));
}

/// W15: the same while time passes, so that slots are visited and timers reset
#[test]
fn arming_and_cancelling_while_time_passes_allocates_nothing() {
    let mut wheel = Wheel::new();
    let before = long_lived(&mut wheel);
    for number in 0..100 {
        wheel.insert(Tick::new(number), number);
    }
    let storm = measure(|| {
        for now in (0..MILLION).step_by(10) {
            for ahead in [50, 5000, 500_000, 50_000_000] {
                let key = wheel.insert(Tick::new(now + ahead), now);
                wheel.reset(key, Tick::new(now + 2 * ahead)).expect("armed");
                assert!(wheel.next_wake().is_some());
                assert_eq!(wheel.cancel(key), Some(now));
            }
            wheel.insert(Tick::new(now), now);
            while wheel.poll_expired(Tick::new(now)).is_some() {}
        }
    });
    assert_allocates_nothing(storm, "the storm");
    assert_eq!(wheel.len(), 10);
    assert_keys_work(&mut wheel, before.iter());
}

/// W15: a million at once need room once, and shrinking gives it back around those that live
#[test]
fn a_storm_of_a_million_leaves_the_memory_of_the_living() {
    let mut wheel = Wheel::new();
    let mut storm: Vec<TimerKey> = Vec::with_capacity(1_000_000);
    let mut arm_and_cancel = |wheel: &mut Wheel<u64>, while_armed: &mut dyn FnMut(&mut _)| {
        storm.extend((0..MILLION).map(|number| wheel.insert(HOUR.saturating_add(number), number)));
        while_armed(wheel);
        for key in storm.drain(..) {
            assert!(wheel.cancel(key).is_some());
        }
    };
    let before = long_lived(&mut wheel);
    let first = measure(|| arm_and_cancel(&mut wheel, &mut |_| ()));
    assert_eq!(wheel.len(), 10);
    assert!(wheel.capacity() >= 1_000_000, "room is kept until it is asked back");
    assert_allocates_nothing(measure(|| arm_and_cancel(&mut wheel, &mut |_| ())), "the second");

    // The ten that come last live at the far end of a million others.
    let mut after = Vec::with_capacity(10);
    let third = measure(|| {
        arm_and_cancel(&mut wheel, &mut |wheel| {
            after.extend((0..10).map(|number| wheel.insert(HOUR, number)));
        });
    });
    assert_eq!(third.bytes_current, 0);
    assert_eq!(wheel.len(), 20);

    let shrink = measure(|| wheel.shrink_to_fit());
    wheel.check_invariants();
    let kept = first.bytes_current + shrink.bytes_current;
    let per_timer = first.bytes_current / 1_000_000;
    // What stands in the way of ten living timers is the rest of their chunk.
    assert!(kept <= 2 * 4096 * per_timer, "{kept} bytes are kept for 20 timers");
    assert!(wheel.capacity() <= 2 * 4096, "room for {} is kept", wheel.capacity());
    assert_keys_work(&mut wheel, before.iter().chain(&after));
    assert_eq!(expire(&mut wheel, u64::MAX).len(), 20);
    wheel.shrink_to_fit();
    assert_eq!(wheel.capacity(), 0, "no timer lives");
}

/// W15: what `capacity` says is there, is there
#[test]
fn a_wheel_with_room_takes_timers_without_allocating() {
    for timers in [1, 10, 4095, 4096, 4097, 10_000] {
        let mut wheel = Wheel::with_capacity(timers);
        assert!(wheel.capacity() >= timers);
        fill_its_room(&mut wheel, &format!("with_capacity({timers})"));
        wheel.reserve(timers);
        assert!(wheel.capacity() >= wheel.len() + timers);
        fill_its_room(&mut wheel, &format!("reserve({timers})"));
        wheel.clear();
        fill_its_room(&mut wheel, "clear");
        drop(wheel.drain());
        fill_its_room(&mut wheel, "drain");
    }
}

/// W15: and so when cancel and shrink have left holes
#[test]
fn room_between_the_living_is_room() {
    for apart in HOLES {
        let mut wheel = with_holes(apart);
        fill_its_room(&mut wheel, &format!("filling up, each {apart}th alive,"));
    }
}

/// What nobody asked for is not taken: most wheels stay small
#[test]
fn a_wheel_makes_no_more_room_than_it_is_asked_for_or_soon_needs() {
    let mut wheel = Wheel::new();
    for number in 1..=10 {
        wheel.insert(Tick::new(number), ());
    }
    assert!(wheel.capacity() <= 2 * wheel.len(), "{}", wheel.capacity());
    for additional in [100, 5000] {
        wheel.reserve(additional);
        assert_eq!(wheel.capacity(), wheel.len() + additional);
    }
}

/// W15: `reserve` makes the room it was asked for where the next timers go
#[test]
fn reserving_among_holes_makes_room_for_as_many() {
    for apart in HOLES {
        for additional in [1, 100, 5000] {
            let mut wheel = with_holes(apart);
            wheel.reserve(additional);
            let inserts = measure(|| {
                for _ in 0..additional {
                    wheel.insert(HOUR, 0);
                }
            });
            let what = format!("{additional} that were reserved, each {apart}th alive,");
            assert_allocates_nothing(inserts, &what);
        }
    }
}

/// W15: memory that was given back grows again only as far as it was
#[test]
fn a_wheel_that_shrank_grows_to_no_more_than_it_was() {
    for timers in [4096, 8192] {
        for left in [timers - 1, timers / 2 + 1, 1] {
            let mut wheel = Wheel::new();
            let mut keys: Vec<_> = Vec::with_capacity(timers);
            let arm = |wheel: &mut Wheel<u64>, keys: &mut Vec<_>| {
                keys.extend((keys.len()..timers).map(|_| wheel.insert(HOUR, 0)));
            };
            let first = measure(|| arm(&mut wheel, &mut keys));
            let shrink = measure(|| {
                for key in keys.drain(left..) {
                    assert!(wheel.cancel(key).is_some());
                }
                wheel.shrink_to_fit();
            });
            let again = measure(|| arm(&mut wheel, &mut keys));
            let grown = shrink.bytes_current + again.bytes_current;
            assert!(grown <= 0, "{grown} bytes more than {} from {left}", first.bytes_current);
        }
    }
}

/// W12, W15: what is retired because its generations ran out is given back when nothing lives there
#[test]
#[ignore = "takes two minutes with optimisation, and an hour without"]
fn a_retired_place_keeps_no_memory() {
    let mut wheel = Wheel::with_capacity(4096);
    let arm_and_cancel = |wheel: &mut Wheel<u64>| {
        let key = wheel.insert(HOUR, 0);
        assert_eq!(wheel.cancel(key), Some(0));
    };
    let life = measure(|| (0..=u64::from(u32::MAX)).for_each(|_| arm_and_cancel(&mut wheel)));
    // A few bytes of book-keeping for the new place.
    assert!(life.bytes_current < 1024, "{} bytes more for one timer", life.bytes_current);
}

/// W15: moving, asking and expiring need no memory, from any level
#[test]
fn nothing_but_an_insert_allocates() {
    let mut wheel = Wheel::new();
    let keys: Vec<_> = (0..40)
        .flat_map(|bits| [0; 50].map(|_| 1 << bits))
        .map(|deadline| wheel.insert(Tick::new(deadline), deadline))
        .collect();
    let use_it = measure(|| {
        for (&key, ahead) in keys.iter().zip(1..) {
            wheel.reset(key, Tick::new(1 << (ahead % 50))).expect("armed");
        }
        assert_eq!(wheel.iter().count(), keys.len());
        while !matches!(wheel.step(Tick::new(1 << 20)), Step::Idle) {
            assert!(wheel.next_wake().is_some() && wheel.next_deadline().is_some());
        }
    });
    assert_allocates_nothing(use_it, "using it");
}

/// W15: a dropped wheel leaves nothing
#[test]
fn a_dropped_wheel_gives_everything_back() {
    let life = measure(|| {
        let mut wheel = Wheel::new();
        for number in 0..10_000 {
            wheel.insert(Tick::new(number), Box::new(number));
        }
        assert_eq!(expire(&mut wheel, 500).len(), 501);
        wheel.shrink_to_fit();
    });
    assert_eq!((life.bytes_current, life.count_current), (0, 0));
}

fn long_lived(wheel: &mut Wheel<u64>) -> Vec<TimerKey> {
    (0..10).map(|number| wheel.insert(HOUR, number)).collect()
}

fn assert_keys_work<'a>(wheel: &mut Wheel<u64>, keys: impl Iterator<Item = &'a TimerKey>) {
    for (&key, number) in keys.zip((0..10).cycle()) {
        assert_eq!(wheel.get(key), Some(&number));
        assert_eq!(wheel.deadline(key), Some(HOUR));
        wheel.reset(key, HOUR.saturating_add(number)).expect("armed");
        wheel.reset(key, HOUR).expect("armed");
    }
    wheel.check_invariants();
}

/// Inserts as many as are said to fit
fn fill_its_room(wheel: &mut Wheel<u64>, after: &str) {
    let room = wheel.capacity() - wheel.len();
    let inserts = measure(|| {
        for _ in 0..room {
            wheel.insert(HOUR, 0);
        }
    });
    assert_allocates_nothing(inserts, after);
    assert_eq!(wheel.len(), wheel.capacity());
}

/// A wheel of which all but each `apart`th timer was cancelled and the memory given back
fn with_holes(apart: usize) -> Wheel<u64> {
    let mut wheel = Wheel::new();
    let keys: Vec<_> = (0..10_000).map(|number| wheel.insert(HOUR, number)).collect();
    for (_, key) in keys.into_iter().enumerate().filter(|(number, _)| number % apart != 0) {
        assert!(wheel.cancel(key).is_some());
    }
    wheel.shrink_to_fit();
    wheel.check_invariants();
    wheel
}

fn assert_allocates_nothing(info: AllocationInfo, what: &str) {
    assert_eq!(info.count_total, 0, "{what} allocated {} bytes", info.bytes_total);
}

const HOUR: Tick = Tick::new(3_600_000);
const MILLION: u64 = 1_000_000;
/// The last two leave one alone where 4096 could be, at its beginning and at its end
const HOLES: [usize; 7] = [1, 7, 100, 4095, 4096, 4097, 8191];
