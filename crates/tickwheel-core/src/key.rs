use core::num::NonZeroU32;

/// The name of one timer in one [`Wheel`](crate::Wheel)
///
/// It stays the name of that timer alone: once the timer has expired or was
/// cancelled the key is unknown for ever, even when its place is used again.
/// Eight bytes, and so is `Option<TimerKey>`.
///
/// A key given to another wheel than the one that made it is a mistake that
/// cannot be noticed: it may be unknown there or name a stranger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerKey {
    index: Index,
    generation: Generation,
}

impl TimerKey {
    pub(crate) fn new(index: Index, generation: Generation) -> Self {
        Self { index, generation }
    }

    #[inline]
    pub(crate) fn index(self) -> Index {
        self.index
    }

    #[inline]
    pub(crate) fn generation(self) -> Generation {
        self.generation
    }
}

/// The place of a node in the store
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Index(u32);

impl Index {
    pub(crate) const fn new(index: u32) -> Self {
        Self(index)
    }

    #[inline]
    pub(crate) const fn get(self) -> u32 {
        self.0
    }
}

/// Tells apart the timers that use one place one after the other
///
/// Never zero, so that `Option<TimerKey>` needs no extra room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Generation(NonZeroU32);

impl Generation {
    pub(crate) const FIRST: Self = Self(NonZeroU32::MIN);

    /// The next one, or `None` when they are used up
    #[inline]
    pub(crate) fn next(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }

    /// One that has `left` successors
    #[cfg(test)]
    pub(crate) fn with_successors(left: u32) -> Self {
        Self(NonZeroU32::new(u32::MAX - left).expect("fewer successors than there are generations"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_takes_eight_bytes_with_and_without_an_option() {
        assert_eq!(size_of::<TimerKey>(), 8);
        assert_eq!(size_of::<Option<TimerKey>>(), 8);
    }

    #[test]
    fn generations_end_instead_of_repeating() {
        let last = Generation::with_successors(0);
        assert_eq!(last.next(), None);
        assert_eq!(Generation::with_successors(1).next(), Some(last));
    }
}
