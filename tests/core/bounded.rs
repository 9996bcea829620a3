//! How much a wheel does at once

use tickwheel_core::{Step, Tick, Wheel};
use tickwheel_tests::drive::{expire, step_until_idle};

/// W11: a pause of 2^33 ticks costs the timers that came due, not the ticks
#[test]
fn catching_up_takes_time_in_proportion_to_the_timers() {
    let (pause, timers) = (1u64 << 33, 1000);
    for start in [0, 255, (1 << 32) - 1, (1 << 40) - 3] {
        let mut wheel = Wheel::starting_at(Tick::new(start));
        for number in 0..timers {
            // From one tick up to the whole pause, all orders of magnitude alike.
            let ahead = (pause - 1 - 7 * number) >> (number % 33);
            wheel.insert(Tick::new(start + ahead), number);
        }
        let steps = step_until_idle(&mut wheel, start + pause);

        assert_eq!(steps.expired.len(), 1000, "from {start}");
        assert!(steps.expired.is_sorted_by_key(|expired| expired.deadline), "from {start}");
        assert_eq!(wheel.elapsed(), Tick::new(start + pause));
        // Each falls through four levels and two lists beyond the ring at the most.
        assert!(steps.moving <= 6 * 1000, "{} steps from {start}", steps.moving);
    }
}

/// W7, W9, W13: a crowded slot is moved bit by bit, and every change in between is right
#[test]
fn a_slot_with_a_hundred_thousand_timers_is_not_one_step() {
    const CROWD: usize = 100_000;
    // More than a step does, and less than would be felt.
    const FEW: usize = 64;
    // Through one level, through all four, and from an overflow list through all four.
    let tick_on_each_level = (1 << 20) + (1 << 14) + (1 << 8) + 1;
    let crowded = [
        ((1 << 8) + 1, 1),
        ((1 << 26) + tick_on_each_level, 4),
        ((1 << 40) + (1 << 26) + tick_on_each_level, 5),
    ];
    for (deadline, levels) in crowded {
        let tick = Tick::new(deadline);
        let mut wheel = Wheel::new();
        let keys: Vec<_> = (0..CROWD).map(|number| wheel.insert(tick, number)).collect();
        let mut cancelled = vec![false; CROWD];
        let mut inserted = 0;
        let mut moving = 0;
        let first = loop {
            let (reached, armed) = (wheel.elapsed(), wheel.len());
            match wheel.step(tick.saturating_add(1)) {
                Step::More => moving += 1,
                Step::Expired(expired) => break expired.value,
                Step::Idle => panic!("{deadline} came and nothing expired"),
            }
            assert!(reached <= wheel.elapsed(), "time does not go back");
            assert_eq!(wheel.len(), armed, "a step that moves timers expires none");
            if moving % 50 == 0 {
                // One from among those moved first, and one from among those moved last.
                for victim in [moving, CROWD - moving] {
                    assert_eq!(wheel.cancel(keys[victim]), Some(victim));
                    cancelled[victim] = true;
                }
                wheel.reset(keys[0], Tick::MAX).expect("armed");
                wheel.insert(tick, CROWD + inserted);
                inserted += 1;
                let shortlived = wheel.insert(tick, 0);
                assert_eq!(wheel.cancel(shortlived), Some(0));
                assert!(wheel.next_wake() <= Some(tick));
            }
        };
        wheel.check_invariants();
        assert!(moving >= levels * CROWD / FEW, "{CROWD} timers were moved in {moving} steps");
        assert!(moving <= levels * CROWD / 8, "{CROWD} timers were moved in {moving} steps");

        let rest = expire(&mut wheel, deadline + 1);
        let survivors = (1..CROWD).filter(|&number| !cancelled[number]);
        let expected = survivors.chain(CROWD..CROWD + inserted);
        assert!(std::iter::once(first).chain(rest).eq(expected), "out of order at {deadline}");
        assert_eq!(expire(&mut wheel, u64::MAX), [0], "the one reset meanwhile");
    }
}

/// W11: a pause in which nothing came due is one step, however long, whoever waits beyond it
#[test]
fn time_in_which_nothing_is_due_costs_one_step() {
    let mut wheel = Wheel::new();
    for number in 0..1000 {
        wheel.insert(Tick::new(u64::MAX - number), ());
    }
    for now in [1, 1 << 8, 1 << 20, 1 << 33, 1 << 50, (1 << 63) - 1] {
        assert_eq!(wheel.step(Tick::new(now)), Step::Idle, "to {now}");
        assert_eq!(wheel.elapsed(), Tick::new(now));
    }
}
