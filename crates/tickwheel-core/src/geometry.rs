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
pub(crate) struct Slot(u16);

impl Slot {
    /// Holds what comes in already due while a cascade needs the whole of level 0
    pub(crate) const ASIDE: Self = Self(ASIDE);

    /// The slot with this number
    pub(crate) fn new(number: usize) -> Self {
        debug_assert!(number < LISTS);
        Self(u16::try_from(number).expect("there are fewer slots than a u16 can count"))
    }

    /// Where a deadline belongs in a wheel that has reached `elapsed`
    pub(crate) fn of(deadline: Tick, elapsed: Tick) -> Self {
        let (deadline, elapsed) = (deadline.get(), elapsed.get());
        debug_assert!(deadline >= elapsed, "a past deadline has no slot");
        // Equal ones differ nowhere; bit 0 then stands for level 0 as well.
        let bit = ((deadline ^ elapsed) | 1).ilog2();
        Self(match bit {
            0..NEAR_BITS => digit(deadline, 0, NEAR_SLOTS),
            NEAR_BITS..RING_BITS => {
                let level = (bit - NEAR_BITS) / FAR_BITS;
                far_slots_below(level) + digit(deadline, far_shift(level), FAR_SLOTS)
            }
            _ => RING_SLOTS + narrow(bit - RING_BITS),
        })
    }

    /// The first tick of the slot's range, in a wheel that has reached `elapsed`
    ///
    /// The wheel visits the slot then.
    pub(crate) fn start(self, elapsed: Tick) -> Tick {
        let (shift, width, digit) = match self.0 {
            near @ 0..NEAR_SLOTS => (0, NEAR_BITS, near),
            far @ NEAR_SLOTS..RING_SLOTS => {
                let level = u32::from((far - NEAR_SLOTS) / FAR_SLOTS);
                (far_shift(level), FAR_BITS, far - far_slots_below(level))
            }
            overflow => {
                debug_assert!(self != Self::ASIDE, "no time belongs to the list aside");
                (RING_BITS + u32::from(overflow - RING_SLOTS), 1, 1)
            }
        };
        let below = u64::MAX >> (u64::BITS - shift - width);
        Tick::new((elapsed.get() & !below) | (u64::from(digit) << shift))
    }

    /// Whether all timers in it have one and the same deadline (or came in already due)
    pub(crate) fn is_exact(self) -> bool {
        self.0 < NEAR_SLOTS || self == Self::ASIDE
    }

    pub(crate) fn number(self) -> usize {
        usize::from(self.0)
    }
}

/// A tick's digit in a number system of so many slots
fn digit(tick: u64, shift: u32, slots: u16) -> u16 {
    #[expect(clippy::cast_possible_truncation, reason = "the mask is below 2^16")]
    let digit = ((tick >> shift) & u64::from(slots - 1)) as u16;
    digit
}

/// How far level `1 + level` shifts its digit
const fn far_shift(level: u32) -> u32 {
    NEAR_BITS + level * FAR_BITS
}

/// How many slots there are below level `1 + level`
const fn far_slots_below(level: u32) -> u16 {
    NEAR_SLOTS + narrow(level) * FAR_SLOTS
}

const fn narrow(small: u32) -> u16 {
    debug_assert!(small < u64::BITS);
    #[expect(clippy::cast_possible_truncation, reason = "levels and bits number fewer than 64")]
    let small = small as u16;
    small
}

/// How many lists there are in all
pub(crate) const LISTS: usize = ASIDE as usize + 1;

const NEAR_BITS: u32 = 8;
const NEAR_SLOTS: u16 = 1 << NEAR_BITS;
const FAR_BITS: u32 = 6;
const FAR_SLOTS: u16 = 1 << FAR_BITS;
const FAR_LEVELS: u32 = 4;
const RING_BITS: u32 = far_shift(FAR_LEVELS);
const RING_SLOTS: u16 = far_slots_below(FAR_LEVELS);
const ASIDE: u16 = RING_SLOTS + narrow(u64::BITS - RING_BITS);

const _: () = assert!(RING_BITS == 32 && RING_SLOTS == 512 && ASIDE == 544);

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
