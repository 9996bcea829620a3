use crate::geometry::{LISTS, Slot};

/// Which slots hold timers: one bit each
#[derive(Clone, Debug)]
pub(crate) struct Occupancy {
    words: [u64; WORDS],
}

impl Occupancy {
    pub(crate) const EMPTY: Self = Self { words: [0; WORDS] };

    #[inline]
    pub(crate) fn set(&mut self, slot: Slot) {
        let (word, bit) = position(slot);
        self.words[word] |= bit;
    }

    #[inline]
    pub(crate) fn clear(&mut self, slot: Slot) {
        let (word, bit) = position(slot);
        self.words[word] &= !bit;
    }

    pub(crate) fn contains(&self, slot: Slot) -> bool {
        let (word, bit) = position(slot);
        self.words[word] & bit != 0
    }

    /// The lowest slot that is set
    #[inline]
    pub(crate) fn first(&self) -> Option<Slot> {
        let word = self.words.iter().position(|&bits| bits != 0)?;
        Some(Slot::new(word * BITS + self.words[word].trailing_zeros() as usize))
    }

    /// The slots that are set, lowest first
    pub(crate) fn iter(&self) -> impl Iterator<Item = Slot> {
        self.words.iter().enumerate().flat_map(|(word, &bits)| {
            core::iter::successors((bits != 0).then_some(bits), |&bits| {
                let rest = bits & (bits - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |bits| Slot::new(word * BITS + bits.trailing_zeros() as usize))
        })
    }
}

#[inline]
fn position(slot: Slot) -> (usize, u64) {
    let number = slot.number();
    (number / BITS, 1 << (number % BITS))
}

const BITS: usize = u64::BITS as usize;
const WORDS: usize = LISTS.div_ceil(BITS);

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn first_and_iter_follow_the_numbers() {
        let mut occupancy = Occupancy::EMPTY;
        assert_eq!(occupancy.first(), None);
        for number in [543, 0, 64, 63, 511] {
            occupancy.set(Slot::new(number));
        }
        let numbers: Vec<_> = occupancy.iter().map(Slot::number).collect();
        assert_eq!(numbers, [0, 63, 64, 511, 543]);
        occupancy.clear(Slot::new(0));
        assert_eq!(occupancy.first(), Some(Slot::new(63)));
        assert!(occupancy.contains(Slot::new(64)));
        assert!(!occupancy.contains(Slot::new(0)));
    }
}
