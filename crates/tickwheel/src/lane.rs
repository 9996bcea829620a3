/// Which timers go first
///
/// A lane is a set of shards of its own: what is armed in one never waits behind
/// what is due in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Fired first in every turn of the driver, see [`Timer::critical`](crate::Timer::critical)
    Critical,
    /// All others
    Normal,
}
