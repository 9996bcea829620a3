//! Where a wheel changes level, and what lies about it

/// A tick whose number has this many zero bits at its end begins a slot of the next level
pub const EDGE_BITS: [u32; 5] = [8, 14, 20, 26, 32];

/// As [`EDGE_BITS`], and some of the one-bit steps beyond the ring
pub const EDGE_AND_OVERFLOW_BITS: [u32; 9] = [8, 14, 20, 26, 32, 33, 36, 40, 63];

/// One distance inside the reach of each level and of some overflow lists
///
/// Beside each a level is entered from its bottom, its middle and its top.
pub fn distances() -> impl Iterator<Item = u64> {
    let levels = [(0, 8), (8, 14), (14, 20), (20, 26), (26, 32), (32, 33), (36, 40), (62, 63)];
    levels.into_iter().flat_map(|(low, high)| {
        let (bottom, top) = (1u64 << low, (1u64 << high) - 1);
        [bottom, bottom + 5 * (bottom / 8) + 7, top]
    })
}

/// Multiples of the size of each level: the ticks at which a wheel cascades
pub fn edges() -> impl Iterator<Item = u64> {
    EDGE_BITS.into_iter().flat_map(|bits| {
        [1u64, 2, 3, 5, 63, 64, 65, 255, 256, 257].map(|multiple| multiple << bits)
    })
}
