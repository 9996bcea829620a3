//! A binary heap whose cancelled entries stay until they come up

use std::{cmp::Reverse, collections::BinaryHeap};

use slab::Slab;

use super::{Structure, Value};

/// std's `BinaryHeap` over a slab of values
///
/// Cancelling frees the value alone. When more than half of the heap is dead the dead
/// are swept out, or memory would grow without a bound.
#[derive(Debug)]
pub struct LazyHeap {
    heap: BinaryHeap<Reverse<(u64, u64, usize)>>,
    /// Each with its number, as its place may be used again while the heap still knows it
    values: Slab<(u64, Value)>,
    next: u64,
}

impl LazyHeap {
    fn sweep(&mut self) {
        let values = &self.values;
        self.heap.retain(|&Reverse((_, number, place))| is_live(values, number, place));
    }
}

fn is_live(values: &Slab<(u64, Value)>, number: u64, place: usize) -> bool {
    values.get(place).is_some_and(|&(of, _)| of == number)
}

impl Structure for LazyHeap {
    type Key = (u64, usize);

    const NAME: &'static str = "BinaryHeap, lazy deletion";

    fn new() -> Self {
        Self { heap: BinaryHeap::new(), values: Slab::new(), next: 0 }
    }

    fn insert(&mut self, deadline: u64, value: Value) -> (u64, usize) {
        let number = self.next;
        self.next += 1;
        let place = self.values.insert((number, value));
        self.heap.push(Reverse((deadline, number, place)));
        (number, place)
    }

    fn cancel(&mut self, (number, place): (u64, usize)) -> Option<Value> {
        if !is_live(&self.values, number, place) {
            return None;
        }
        let (_, value) = self.values.remove(place);
        if self.heap.len() > 2 * self.values.len() + 64 {
            self.sweep();
        }
        Some(value)
    }

    fn expire(&mut self, now: u64, mut each: impl FnMut(Value)) {
        while let Some(&Reverse((deadline, number, place))) = self.heap.peek() {
            let is_live = is_live(&self.values, number, place);
            if is_live && deadline > now {
                break;
            }
            self.heap.pop();
            if is_live {
                each(self.values.remove(place).1);
            }
        }
    }
}
