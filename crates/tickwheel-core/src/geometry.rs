use crate::Tick;

/// A list of timers, numbered so that the order of the numbers is the order in time
///
/// | numbers | what | ticks in one slot |
/// |---|---|---|
/// | 0 to 255 | level 0 | 1 |
/// | 256 to 511 | levels 1 to 4, 64 slots each | 2^8, 2^14, 2^20, 2^26 |
/// | 512 to 543 | overflow, one list for each bit beyond the ring | 2^32, 2^33, … 2^63 |
/// | 544 | aside, see [`Slot::ASIDE`] | – |
///
/// Read a tick as digits of 8, 6, 6, 6 and 6 bits, low first, and then of one
/// bit each. A deadline belongs in the slot of the highest digit in which it
/// differs from the tick the wheel has reached. That digit is larger than the
/// wheel's own, and all higher digits agree: so every slot of a level comes
/// before every slot of the next, no slot wraps around, and equal deadlines
/// share a slot at every moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

impl Slot {
    /// Holds what comes in already due while a cascade needs the whole of level 0
    pub(crate) const ASIDE: Self = Self(ASIDE);

    /// The slot with this number
    #[inline]
    pub(crate) fn new(number: usize) -> Self {
        debug_assert!(number < LISTS);
        Self(u32::try_from(number).expect("there are fewer slots than a u32 can count"))
    }

    /// Where a deadline belongs in a wheel that has reached `elapsed`
    #[inline]
    pub(crate) fn of(deadline: Tick, elapsed: Tick) -> Self {
        let (deadline, elapsed) = (deadline.get(), elapsed.get());
        debug_assert!(deadline >= elapsed, "a past deadline has no slot");
        // Equal ones differ nowhere; bit 0 then stands for level 0 as well.
        let bit = ((deadline ^ elapsed) | 1).ilog2() as usize;
        let level = &LEVEL_OF_BIT[bit];
        Self(level.first + level.digit(deadline))
    }

    /// The first tick of the slot's range, in a wheel that has reached `elapsed`
    ///
    /// The wheel visits the slot then.
    #[inline]
    pub(crate) fn start(self, elapsed: Tick) -> Tick {
        debug_assert!(self != Self::ASIDE, "no time belongs to the list aside");
        let level = &LEVELS[match self.0 {
            0..NEAR_SLOTS => 0,
            far @ NEAR_SLOTS..RING_SLOTS => 1 + (far - NEAR_SLOTS) / FAR_SLOTS,
            overflow => RING_LEVELS + (overflow - RING_SLOTS),
        } as usize];
        let below = u64::MAX >> (u64::BITS - level.shift - level.width);
        let digit = u64::from(self.0 - level.first);
        Tick::new((elapsed.get() & !below) | (digit << level.shift))
    }

    /// Whether all timers in it have one and the same deadline (or came in already due)
    #[inline]
    pub(crate) fn is_exact(self) -> bool {
        self.0 < NEAR_SLOTS || self == Self::ASIDE
    }

    #[inline]
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// The slots of one digit
#[derive(Clone, Copy)]
struct Level {
    /// Where the digit's bits begin, and how many they are
    shift: u32,
    width: u32,
    mask: u32,
    /// The number of the slot for digit 0
    first: u32,
}

impl Level {
    #[inline]
    fn digit(&self, tick: u64) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no digit is wider than 8 bits, and the mask keeps no more"
        )]
        let shifted = (tick >> self.shift) as u32;
        shifted & self.mask
    }
}

const NEAR_SLOTS: u32 = 256;
const FAR_SLOTS: u32 = 64;
const RING_LEVELS: u32 = 5;
const RING_BITS: u32 = 32;
pub(crate) const RING_SLOTS: u32 = 512;
const OVERFLOW_LISTS: u32 = 32;
const ASIDE: u32 = RING_SLOTS + OVERFLOW_LISTS;
const LEVEL_COUNT: u32 = RING_LEVELS + OVERFLOW_LISTS;
const COUNT: usize = LEVEL_COUNT as usize;

/// How many lists there are in all
pub(crate) const LISTS: usize = ASIDE as usize + 1;

/// The ring's five levels, then one for each overflow list
const LEVELS: [Level; COUNT] = {
    let mut levels = [Level { shift: 0, width: 8, mask: 0xff, first: 0 }; COUNT];
    let mut number = 1;
    while number < LEVEL_COUNT {
        let below = levels[number as usize - 1];
        let in_ring = number < RING_LEVELS;
        let width = if in_ring { 6 } else { 1 };
        levels[number as usize] = Level {
            shift: below.shift + below.width,
            width,
            mask: (1 << width) - 1,
            // An overflow digit is never 0, so that only one slot is needed for it.
            first: if in_ring {
                below.first + (1 << below.width)
            } else {
                RING_SLOTS - 1 + (number - RING_LEVELS)
            },
        };
        number += 1;
    }
    levels
};

/// The level of the digit that a bit of a tick belongs to
const LEVEL_OF_BIT: [Level; u64::BITS as usize] = {
    let mut level_of_bit = [LEVELS[0]; u64::BITS as usize];
    let mut number = 0;
    while number < COUNT {
        let level = LEVELS[number];
        let mut bit = level.shift;
        while bit < level.shift + level.width {
            level_of_bit[bit as usize] = level;
            bit += 1;
        }
        number += 1;
    }
    level_of_bit
};

const _: () = {
    assert!(LEVELS[RING_LEVELS as usize].shift == RING_BITS);
    assert!(LEVELS[1].first == NEAR_SLOTS && LEVELS[2].first == NEAR_SLOTS + FAR_SLOTS);
    assert!(LEVELS[RING_LEVELS as usize].first + 1 == RING_SLOTS);
    assert!(LEVELS[COUNT - 1].shift + LEVELS[COUNT - 1].width == u64::BITS);
    assert!(LEVELS[COUNT - 1].first + 1 == ASIDE - 1);
};

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn ticks_of_interest() -> Vec<u64> {
        let mut ticks = Vec::from([0, 1, 37, 255]);
        for bit in [8, 14, 20, 26, 32, 40, 63] {
            for multiple in [1u64, 2, 3] {
                let edge = multiple.wrapping_shl(bit);
                ticks.extend([edge.wrapping_sub(1), edge, edge.wrapping_add(1)]);
            }
        }
        ticks.extend([u64::MAX - 1, u64::MAX]);
        ticks.sort_unstable();
        ticks.dedup();
        ticks
    }

    #[test]
    fn a_slot_starts_after_elapsed_and_not_after_the_deadline() {
        for &elapsed in &ticks_of_interest() {
            for &deadline in ticks_of_interest().iter().filter(|&&d| d > elapsed) {
                let (elapsed, deadline) = (Tick::new(elapsed), Tick::new(deadline));
                let start = Slot::of(deadline, elapsed).start(elapsed);
                assert!(elapsed < start && start <= deadline, "{elapsed} {deadline}");
            }
        }
    }

    #[test]
    fn the_order_of_slots_is_the_order_in_time() {
        for &elapsed in &ticks_of_interest() {
            let later: Vec<_> = ticks_of_interest()
                .into_iter()
                .filter(|&deadline| deadline >= elapsed)
                .map(|deadline| Slot::of(Tick::new(deadline), Tick::new(elapsed)))
                .collect();
            assert!(later.is_sorted(), "from {elapsed}");
        }
    }

    #[test]
    fn levels_begin_where_the_table_says() {
        let from_zero = |deadline| Slot::of(Tick::new(deadline), Tick::ZERO).number();
        assert_eq!(from_zero(255), 255);
        assert_eq!(from_zero(1 << 8), 256 + 1);
        assert_eq!(from_zero(1 << 14), 320 + 1);
        assert_eq!(from_zero(1 << 20), 384 + 1);
        assert_eq!(from_zero(1 << 26), 448 + 1);
        assert_eq!(from_zero((1 << 32) - 1), 511);
        assert_eq!(from_zero(1 << 32), 512);
        assert_eq!(from_zero(u64::MAX), 543);
    }
}
