use arbitrary::{Result, Unstructured};
use tickwheel_core::Tick;

use crate::{
    edges::EDGE_AND_OVERFLOW_BITS,
    history::{Burst, Choice, Jump, Operation, When, beside},
    pair::Pair,
};

/// A history of a wheel beside its oracle
///
/// # Panics
///
/// When they disagree.
pub fn wheel(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let Ok(start) = start(&mut bytes) else { return };
    let mut pair = Pair::starting_at(start);
    let mut room = MOST;
    while room > 0 && !bytes.is_empty() {
        let Ok(operation) = operation(&mut bytes) else { break };
        room = room.saturating_sub(weight(operation));
        pair.apply(operation);
        pair.agree();
    }
    pair.finish();
}

fn start(bytes: &mut Unstructured<'_>) -> Result<Tick> {
    Ok(match bytes.int_in_range(0..=3)? {
        0 => Tick::ZERO,
        1 => {
            let (bits, multiple) = (edge_bits(bytes)?, bytes.int_in_range(0..=3)?);
            beside(1u64.wrapping_shl(bits).wrapping_mul(multiple), bytes.int_in_range(-300..=300)?)
        }
        2 => Tick::MAX.saturating_sub(bytes.int_in_range(0..=1000)?),
        _ => Tick::new(bytes.arbitrary()?),
    })
}

fn operation(bytes: &mut Unstructured<'_>) -> Result<Operation> {
    Ok(match bytes.int_in_range(0..=15)? {
        0..=3 => Operation::Insert(burst(bytes)?),
        4 => Operation::Cancel(choice(bytes)?),
        5 => Operation::CancelAll,
        6 | 7 => Operation::Reset(choice(bytes)?, when(bytes)?),
        8 => Operation::UseStale(choice(bytes)?, when(bytes)?),
        9..=11 => Operation::Step(jump(bytes)?),
        12 => Operation::PollUntilIdle(jump(bytes)?),
        13 => Operation::Reserve(bytes.int_in_range(0..=200)?),
        14 => Operation::ShrinkToFit,
        _ if bytes.arbitrary()? => Operation::Clear,
        _ => Operation::Drain(bytes.int_in_range(0..=7)?),
    })
}

fn burst(bytes: &mut Unstructured<'_>) -> Result<Burst> {
    let count = if bytes.arbitrary()? { 1 } else { bytes.int_in_range(2..=99)? };
    let apart = if bytes.arbitrary()? { bytes.int_in_range(0..=3)? } else { magnitude(bytes)? };
    Ok(Burst { first: when(bytes)?, count, apart })
}

fn when(bytes: &mut Unstructured<'_>) -> Result<When> {
    Ok(match bytes.int_in_range(0..=5)? {
        0 => When::Past(bytes.int_in_range(0..=399)?),
        1 => When::Ahead(bytes.int_in_range(0..=299)?),
        2 => When::Ahead(magnitude(bytes)?),
        3 => When::Edge {
            bits: edge_bits(bytes)?,
            multiple: bytes.int_in_range(1..=3)?,
            offset: bytes.int_in_range(-2..=2)?,
        },
        4 => When::BeforeTheLast(bytes.int_in_range(0..=2)?),
        _ => When::Tie(choice(bytes)?),
    })
}

fn jump(bytes: &mut Unstructured<'_>) -> Result<Jump> {
    Ok(match bytes.int_in_range(0..=6)? {
        0 => Jump::Stay,
        1 => Jump::Back(magnitude(bytes)?),
        2 => Jump::Ahead(bytes.int_in_range(1..=299)?),
        3 => Jump::Ahead(magnitude(bytes)?),
        4 => Jump::Edge { bits: edge_bits(bytes)?, offset: bytes.int_in_range(-1..=1)? },
        5 => Jump::NextWake(bytes.int_in_range(-1..=1)?),
        _ => Jump::NextDeadline(bytes.int_in_range(-1..=1)?),
    })
}

fn choice(bytes: &mut Unstructured<'_>) -> Result<Choice> {
    Ok(Choice(bytes.arbitrary::<u16>()?.into()))
}

fn magnitude(bytes: &mut Unstructured<'_>) -> Result<u64> {
    let smaller = bytes.int_in_range(0..=63)?;
    Ok(bytes.arbitrary::<u64>()? >> smaller)
}

fn edge_bits(bytes: &mut Unstructured<'_>) -> Result<u32> {
    bytes.choose(&EDGE_AND_OVERFLOW_BITS).copied()
}

/// How much longer it makes the comparison after each operation to come
fn weight(operation: Operation) -> u64 {
    match operation {
        Operation::Insert(burst) => burst.count,
        _ => 1,
    }
}

/// So many operations and timers are a history
const MOST: u64 = 500;
