//! Rules for counting two words of bit planes, and the positions of the counts in a tile.

use crate::LANES;

/// Words per pass over a block.
pub(crate) const CHUNK: usize = 64;

/// Rules of the kernels: those of [`BitRule`], and the bits set in both of two single planes.
pub(crate) const COPIES: u8 = 0;
pub(crate) const SQUARED_COPIES: u8 = 1;
pub(crate) const MISMATCH: u8 = 2;
pub(crate) const MISMATCH_OF_FOUR: u8 = 3;
pub(crate) const COMMON: u8 = 4;

/// The planes of what the kernels count, without that of known values.
pub(crate) const fn value_planes(rule: u8) -> usize {
    match rule {
        COMMON => 1,
        MISMATCH_OF_FOUR => 4,
        _ => 2,
    }
}

/// How the difference of two values in bits counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitRule {
    /// The number of allele copies that differ: 0, 1 or 2.
    Copies,
    /// The square of that number: 0, 1 or 4.
    SquaredCopies,
    /// 1 if they differ: genotypes, or codes in two planes.
    Mismatch,
    /// 1 if they differ: codes in four planes.
    MismatchOfFour,
}

impl BitRule {
    /// The planes of a value: 2 or 4.
    pub const fn planes(self) -> usize {
        match self {
            Self::Copies | Self::SquaredCopies | Self::Mismatch => 2,
            Self::MismatchOfFour => 4,
        }
    }
}

/// The counts of a tile, row by row.
pub(crate) type Counts = [[u64; LANES]; LANES];

/// Adds `weight` times the counts, numbers below 2^52, to their places.
#[inline(always)]
pub(crate) fn add_counts(counts: &Counts, weight: f64, tile: &mut [f64]) {
    // The number 2^52, of which the last bits are a count, less 2^52.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    for (sum, count) in tile.iter_mut().zip(counts.as_flattened()) {
        *sum += weight * (f64::from_bits(WHOLE.to_bits() | count) - WHOLE);
    }
}
