//! One ring of 512 slots, each timer with the rounds it has still to wait
//!
//! The algorithm of Netty's `HashedWheelTimer` (scheme 6 of Varghese and Lauck), with
//! lists in a slab. It is kinder to a cancel than Netty, which leaves a cancelled
//! timer to its worker: here it is unlinked at once.

use slab::Slab;

use super::{Structure, Value};

/// A hashed wheel
#[derive(Debug)]
pub struct HashedWheel {
    nodes: Slab<Node>,
    /// The first and the last of each slot
    slots: Box<[Option<(usize, usize)>]>,
    elapsed: u64,
    next: u64,
}

#[derive(Debug)]
struct Node {
    number: u64,
    rounds: u64,
    slot: usize,
    previous: Option<usize>,
    next: Option<usize>,
    value: Value,
}

impl HashedWheel {
    fn take(&mut self, place: usize) -> Value {
        let node = self.nodes.remove(place);
        if let Some(previous) = node.previous {
            self.nodes[previous].next = node.next;
        }
        if let Some(next) = node.next {
            self.nodes[next].previous = node.previous;
        }
        let ends = self.slots[node.slot].expect("it held this node");
        let first = if ends.0 == place { node.next } else { Some(ends.0) };
        let last = if ends.1 == place { node.previous } else { Some(ends.1) };
        self.slots[node.slot] = first.zip(last);
        node.value
    }
}

impl Structure for HashedWheel {
    type Key = (u64, usize);

    const NAME: &'static str = "hashed wheel, rounds";

    fn new() -> Self {
        Self { nodes: Slab::new(), slots: [None; SLOTS].into(), elapsed: 0, next: 0 }
    }

    fn insert(&mut self, deadline: u64, value: Value) -> (u64, usize) {
        let number = self.next;
        self.next += 1;
        // The slot of this very tick is visited again a whole round later.
        let rounds = (deadline - self.elapsed - 1) / SLOTS as u64;
        let slot = usize::try_from(deadline % SLOTS as u64).expect("it is below 512");
        let previous = self.slots[slot].map(|(_, last)| last);
        let place = self.nodes.insert(Node { number, rounds, slot, previous, next: None, value });
        if let Some(previous) = previous {
            self.nodes[previous].next = Some(place);
        }
        let first = self.slots[slot].map_or(place, |(first, _)| first);
        self.slots[slot] = Some((first, place));
        (number, place)
    }

    fn cancel(&mut self, (number, place): (u64, usize)) -> Option<Value> {
        let is_live = self.nodes.get(place).is_some_and(|node| node.number == number);
        is_live.then(|| self.take(place))
    }

    fn expire(&mut self, now: u64, mut each: impl FnMut(Value)) {
        while self.elapsed < now {
            self.elapsed += 1;
            let slot = usize::try_from(self.elapsed % SLOTS as u64).expect("it is below 512");
            let mut visited = self.slots[slot].map(|(first, _)| first);
            while let Some(place) = visited {
                let node = &mut self.nodes[place];
                visited = node.next;
                match node.rounds.checked_sub(1) {
                    Some(rounds) => node.rounds = rounds,
                    None => each(self.take(place)),
                }
            }
        }
    }
}

const SLOTS: usize = 512;
