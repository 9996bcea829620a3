use core::fmt;

/// A point in time, counted in ticks from wherever the caller's clock began
///
/// The wheel knows no other time. How long a tick lasts is the caller's affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(u64);

impl Tick {
    /// The first tick
    pub const ZERO: Self = Self(0);
    /// The last tick
    pub const MAX: Self = Self(u64::MAX);

    /// The tick with this number
    #[inline]
    pub const fn new(ticks: u64) -> Self {
        Self(ticks)
    }

    /// The tick's number
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The tick this many ticks later, or [`Tick::MAX`] where there is none
    pub const fn saturating_add(self, ticks: u64) -> Self {
        Self(self.0.saturating_add(ticks))
    }

    /// The tick this many ticks later, if there is one
    pub const fn checked_add(self, ticks: u64) -> Option<Self> {
        match self.0.checked_add(ticks) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The tick this many ticks earlier, or [`Tick::ZERO`] where there is none
    pub const fn saturating_sub(self, ticks: u64) -> Self {
        Self(self.0.saturating_sub(ticks))
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_stops_at_both_ends() {
        assert_eq!(Tick::MAX.saturating_add(1), Tick::MAX);
        assert_eq!(Tick::MAX.checked_add(1), None);
        assert_eq!(Tick::new(2).checked_add(3), Some(Tick::new(5)));
        assert_eq!(Tick::new(2).saturating_sub(3), Tick::ZERO);
    }
}
