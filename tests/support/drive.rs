//! The ways in which a caller drives a wheel

use tickwheel_core::{Expired, Step, Tick, Wheel};

/// Everything that is due at `now`, in the order in which it expires
pub fn expire<T>(wheel: &mut Wheel<T>, now: u64) -> Vec<T> {
    std::iter::from_fn(|| wheel.poll_expired(Tick::new(now))).map(|expired| expired.value).collect()
}

/// Visits the wheel when it asks for it and at no other time, until nothing is armed
///
/// Says for each timer at what tick it expired.
pub fn follow_wakes<T>(wheel: &mut Wheel<T>) -> Vec<(u64, Expired<T>)> {
    let mut seen = Vec::new();
    while let Some(wake) = wheel.next_wake() {
        let before = (wheel.elapsed(), wheel.len());
        while let Some(expired) = wheel.poll_expired(wake) {
            seen.push((wake.get(), expired));
        }
        assert!(before != (wheel.elapsed(), wheel.len()), "a visit at {wake} came to nothing");
    }
    seen
}

/// How many steps it took, and what expired in them
#[derive(Debug)]
pub struct Steps<T> {
    /// Those that only moved timers
    pub moving: usize,
    /// What the others took out, in order
    pub expired: Vec<Expired<T>>,
}

/// Steps until nothing is due
pub fn step_until_idle<T>(wheel: &mut Wheel<T>, now: u64) -> Steps<T> {
    let mut steps = Steps { moving: 0, expired: Vec::new() };
    loop {
        match wheel.step(Tick::new(now)) {
            Step::Expired(expired) => steps.expired.push(expired),
            Step::More => steps.moving += 1,
            Step::Idle => return steps,
        }
    }
}

/// Steps until timers are being moved: more than one step's worth must share the slot visited next
///
/// # Panics
///
/// When something expires first, or nothing needs to be moved.
pub fn step_into_a_cascade<T>(wheel: &mut Wheel<T>, now: u64) {
    assert!(matches!(wheel.step(Tick::new(now)), Step::More), "nothing to move before {now}");
    assert!(wheel.elapsed() < Tick::new(now), "one step moved all there was");
}
