//! Random histories of a wheel: what is done to it, in which order, at what time

use proptest::prelude::*;
use tickwheel_core::Tick;

use crate::edges::EDGE_AND_OVERFLOW_BITS;

/// One thing that is done to a wheel
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Insert(Burst),
    Cancel(Choice),
    /// One by one, so that a slot empties while it is half moved
    CancelAll,
    Reset(Choice, When),
    /// Every question and change that takes a key, with one that is stale
    UseStale(Choice, When),
    Step(Jump),
    PollUntilIdle(Jump),
    Reserve(usize),
    ShrinkToFit,
    Clear,
    /// Takes this many out one by one and lets the rest go with the iterator
    Drain(usize),
}

/// One of several, however many there are
#[derive(Clone, Copy, Debug)]
pub struct Choice(pub usize);

impl Choice {
    /// Which one of these
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn of<T>(self, several: &[T]) -> &T {
        &several[self.0 % several.len()]
    }
}

fn choice() -> impl Strategy<Value = Choice> {
    any::<usize>().prop_map(Choice)
}

/// Any of them, the common ones more often
pub fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        60 => burst().prop_map(Operation::Insert),
        30 => choice().prop_map(Operation::Cancel),
        3 => Just(Operation::CancelAll),
        50 => (choice(), when()).prop_map(|(which, when)| Operation::Reset(which, when)),
        10 => (choice(), when()).prop_map(|(which, when)| Operation::UseStale(which, when)),
        120 => jump().prop_map(Operation::Step),
        30 => jump().prop_map(Operation::PollUntilIdle),
        6 => (0usize..200).prop_map(Operation::Reserve),
        6 => Just(Operation::ShrinkToFit),
        1 => Just(Operation::Clear),
        1 => (0usize..8).prop_map(Operation::Drain),
    ]
}

/// Timers inserted one after the other
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    /// The first one's deadline
    pub first: When,
    /// How many they are
    pub count: u64,
    /// From each deadline to the next
    pub apart: u64,
}

fn burst() -> impl Strategy<Value = Burst> {
    // A step moves 32 at the most, so it takes more of them to see a slot half moved.
    let count = prop_oneof![6 => Just(1), 2 => 2u64..6, 1 => 31u64..35, 1 => 64u64..100];
    let apart = prop_oneof![3 => Just(0u64), 3 => 1u64..4, 1 => magnitude()];
    (when(), count, apart).prop_map(|(first, count, apart)| Burst { first, count, apart })
}

/// A deadline
#[derive(Clone, Copy, Debug)]
pub enum When {
    Past(u64),
    Ahead(u64),
    /// About a multiple of 2^`bits`, counted from where the wheel is
    Edge {
        bits: u32,
        multiple: u64,
        offset: i64,
    },
    BeforeTheLast(u64),
    /// That of another timer
    Tie(Choice),
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![
        2 => (0u64..400).prop_map(When::Past),
        3 => (0u64..300).prop_map(When::Ahead),
        4 => magnitude().prop_map(When::Ahead),
        5 => (edge_bits(), 1u64..4, -2i64..3)
            .prop_map(|(bits, multiple, offset)| When::Edge { bits, multiple, offset }),
        1 => (0u64..3).prop_map(When::BeforeTheLast),
        4 => choice().prop_map(When::Tie),
    ]
}

/// What the clock shows at the next call
#[derive(Clone, Copy, Debug)]
pub enum Jump {
    Stay,
    Back(u64),
    Ahead(u64),
    /// To the next multiple of 2^`bits`, or beside it
    Edge {
        bits: u32,
        offset: i64,
    },
    /// To when the wheel wants a visit, or beside it
    NextWake(i64),
    /// To the earliest deadline, or beside it
    NextDeadline(i64),
}

fn jump() -> impl Strategy<Value = Jump> {
    prop_oneof![
        8 => Just(Jump::Stay),
        1 => magnitude().prop_map(Jump::Back),
        2 => (1u64..300).prop_map(Jump::Ahead),
        2 => magnitude().prop_map(Jump::Ahead),
        3 => (edge_bits(), -1i64..2).prop_map(|(bits, offset)| Jump::Edge { bits, offset }),
        4 => (-1i64..2).prop_map(Jump::NextWake),
        4 => (-1i64..2).prop_map(Jump::NextDeadline),
    ]
}

/// Any number of ticks, all orders of magnitude alike
fn magnitude() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(ticks, smaller)| ticks >> smaller)
}

fn edge_bits() -> impl Strategy<Value = u32> {
    prop::sample::select(&EDGE_AND_OVERFLOW_BITS[..])
}

/// The tick at which a wheel begins
pub fn start() -> impl Strategy<Value = Tick> {
    let beside_an_edge = (edge_bits(), 0u64..4, -300i64..300)
        .prop_map(|(bits, multiple, offset)| beside(multiple.wrapping_shl(bits), offset));
    prop_oneof![
        1 => Just(Tick::ZERO),
        6 => beside_an_edge,
        1 => (0u64..1000).prop_map(|left| Tick::MAX.saturating_sub(left)),
        1 => any::<u64>().prop_map(Tick::new),
    ]
}

/// A tick some ticks before or after another, or the first or last there is
pub fn beside(tick: u64, offset: i64) -> Tick {
    Tick::new(tick.saturating_add_signed(offset))
}
