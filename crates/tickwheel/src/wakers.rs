use std::{array, collections::VecDeque, task::Waker};

use crate::guarded::guarded;

/// The wakers that one look at a shard may take out, to be called after unlocking
#[derive(Debug)]
pub(crate) struct Wakers {
    list: [Option<Waker>; ROOM],
    len: usize,
    room: usize,
}

impl Wakers {
    /// For as many, within what there can be at once
    pub(crate) fn new(room: usize) -> Self {
        Self { list: array::from_fn(|_| None), len: 0, room: room.min(ROOM) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn room(&self) -> usize {
        self.room - self.len
    }

    pub(crate) fn push(&mut self, waker: Waker) {
        self.list[self.len] = Some(waker);
        self.len += 1;
    }

    /// As many as there is room for; says how many that were
    pub(crate) fn take_from(&mut self, left: &mut VecDeque<Waker>) -> usize {
        let count = left.len().min(self.room());
        left.drain(..count).for_each(|waker| self.push(waker));
        count
    }

    /// Calls them in order, whatever one of them does; says how many panicked
    pub(crate) fn wake_all(&mut self) -> u64 {
        let mut panics = 0;
        for waker in self.list[..self.len].iter_mut().filter_map(Option::take) {
            // A waker is user code. When one panics the others must still be woken,
            // and the panic hook has told of it.
            panics += u64::from(guarded(|| waker.wake()).is_err());
        }
        self.len = 0;
        panics
    }
}

/// How many there may be
///
/// As many leave a wheel before the first of them is called, so as few can be
/// called though their timer was dropped meanwhile.
const ROOM: usize = 32;
