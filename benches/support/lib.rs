//! What the benchmarks share: peers, rounds in turns and what they say, numbers that look
//! random, and futures polled by hand

pub mod delay_queues;
pub mod in_turns;
pub mod machine;
pub mod quartiles;
pub mod queues;
pub mod structures;

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

/// A small generator of numbers (Sebastiano Vigna's `SplitMix64`): the same ones in each run
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// One that begins with this seed
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Polls a future once where it is, as a task would
pub fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
