//! What must come and when, said by one ordered map for each lane

use std::collections::{BTreeMap, BTreeSet};

use tickwheel::{Lane, Metrics};
use tickwheel_core::Tick;
use tickwheel_tests::oracle::{Oracle, Sequence};

/// A timer of a story; they are numbered as they are made
pub(crate) type Name = usize;

/// All that is armed
#[derive(Debug, Default)]
pub(crate) struct Model {
    lanes: [Ordered; 2],
    armed: BTreeMap<Name, Armed>,
    pub(crate) books: Books,
}

/// The timers of a lane whose order is promised
#[derive(Debug, Default)]
struct Ordered {
    oracle: Oracle,
    /// By sequence
    names: Vec<Name>,
}

#[derive(Clone, Copy, Debug)]
struct Armed {
    lane: Lane,
    tick: Tick,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Ordered(Sequence),
    /// It was due when it was armed or moved, and comes when the driver does
    AtOnce,
}

/// What the timer must have counted
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) registered: u64,
    pub(crate) fired: u64,
    pub(crate) cancelled: u64,
    pub(crate) reset: u64,
    pub(crate) refused: u64,
    pub(crate) callback_panics: u64,
}

impl Model {
    /// Armed at the tick `now`
    pub(crate) fn arm(&mut self, name: Name, lane: Lane, tick: Tick, now: Tick) {
        self.books.registered += 1;
        let place = if tick <= now {
            Place::AtOnce
        } else {
            let Ordered { oracle, names } = &mut self.lanes[lane as usize];
            names.push(name);
            Place::Ordered(oracle.insert(tick, now))
        };
        let before = self.armed.insert(name, Armed { lane, tick, place });
        assert!(before.is_none(), "{name} is armed twice");
    }

    /// Moved in its place
    pub(crate) fn moved(&mut self, name: Name, tick: Tick, now: Tick) {
        let Armed { lane, place, .. } = self.armed[&name];
        let place = match place {
            Place::Ordered(sequence) if tick > now => {
                assert!(self.lanes[lane as usize].oracle.reset(sequence, tick, now));
                place
            }
            // One that was due has no promised place among those it is tied with now either.
            Place::AtOnce if tick > now => {
                let Ordered { oracle, names } = &mut self.lanes[lane as usize];
                names.push(name);
                let sequence = oracle.insert(tick, now);
                assert!(oracle.reset(sequence, tick, now));
                Place::Ordered(sequence)
            }
            Place::Ordered(_) | Place::AtOnce => {
                self.forget(lane, place);
                Place::AtOnce
            }
        };
        self.armed.insert(name, Armed { lane, tick, place });
    }

    /// Taken out before its time; whether it was armed
    pub(crate) fn cancel(&mut self, name: Name) -> bool {
        let is_armed = self.take(name).is_some();
        self.books.cancelled += u64::from(is_armed);
        is_armed
    }

    /// Its deadline was seen to have passed, by whoever looked; whether it was armed
    pub(crate) fn see(&mut self, name: Name) -> bool {
        let is_armed = self.take(name).is_some();
        self.books.fired += u64::from(is_armed);
        is_armed
    }

    /// The driver has fired it, at the tick `now`; says its lane and tick
    pub(crate) fn fire(&mut self, name: Name, now: Tick) -> (Lane, Tick) {
        let armed = self.armed.get(&name);
        let &Armed { lane, tick, place } =
            armed.unwrap_or_else(|| panic!("{name} fired and was not armed"));
        assert!(tick <= now, "{name} fired at {now}, before {tick}");
        if let Place::Ordered(sequence) = place {
            let Ordered { oracle, names } = &self.lanes[lane as usize];
            let may_be_next = oracle.may_expire_next();
            let expected: BTreeSet<_> =
                may_be_next.iter().map(|other| names[other.place()]).collect();
            assert!(may_be_next.contains(&sequence), "{name} fired before {expected:?}");
        }
        self.see(name);
        (lane, tick)
    }

    pub(crate) fn is_armed(&self, name: Name) -> bool {
        self.armed.contains_key(&name)
    }

    pub(crate) fn pending(&self) -> usize {
        self.armed.len()
    }

    pub(crate) fn pending_in(&self, lane: Lane) -> usize {
        self.armed.values().filter(|armed| armed.lane == lane).count()
    }

    /// Those due at a tick for which this holds
    pub(crate) fn due(&self, is_due: impl Fn(Tick) -> bool) -> Vec<Name> {
        let due = self.armed.iter().filter(|(_, armed)| is_due(armed.tick));
        due.map(|(&name, _)| name).collect()
    }

    fn take(&mut self, name: Name) -> Option<Armed> {
        let armed = self.armed.remove(&name)?;
        self.forget(armed.lane, armed.place);
        Some(armed)
    }

    fn forget(&mut self, lane: Lane, place: Place) {
        if let Place::Ordered(sequence) = place {
            assert!(self.lanes[lane as usize].oracle.remove(sequence).is_some());
        }
    }
}

impl Books {
    /// Each count is what it must be
    pub(crate) fn assert_are(&self, metrics: &Metrics) {
        let Self { registered, fired, cancelled, reset, refused, callback_panics } = *self;
        assert_eq!(
            [registered, fired, cancelled, reset, refused, callback_panics],
            [
                metrics.registered,
                metrics.fired,
                metrics.cancelled,
                metrics.reset,
                metrics.refused,
                metrics.callback_panics,
            ],
            "registered, fired, cancelled, reset, refused, panics: expected and counted"
        );
    }
}
