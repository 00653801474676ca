//! Every threshold between two ways to compute the same, and the sizes of what is held at a time, with their reasons.
//!
//! The plans read them. None changes what is found, summed or minimized. Blocks and parts depend on the data alone, never
//! on the threads, so that sums have one order.

use basrelief_kernels::TILE;

// --- Routes to neighbors ----------------------------------------------------------------------------

/// K-d trees are used from this number of query rows on, which repays building them, and up to this number of columns.
pub(crate) const LEAST_SAMPLED: usize = 1000;

pub(crate) const MOST_COLUMNS: usize = 7;

/// Rows of a class per neighbor from which on trees are faster, by number of columns. A query visits a part of a class
/// that grows with the number of neighbors, and fast with the columns.
pub(crate) fn rows_per_neighbor(columns: usize) -> usize {
    match columns {
        0..=4 => 50,
        5 => 500,
        6 => 2500,
        _ => 25_000,
    }
}

/// Pairs of all rows that cost as much as one exact distance of a pair where rows are packed: it takes all
/// pairs of two panels, and rounded ones cost a quarter.
pub(crate) const EXACT_PAIR: usize = 4 * TILE;

/// Bytes up to which the distances of all pairs, and the marks of all, are kept: distances of 4096 rows. Beyond,
/// marks are kept where there is room for them, and distances if they also take at most this multiple of
/// the packed rows: these have many columns.
pub(crate) const ALWAYS_KEPT: u64 = 1 << 26;

pub(crate) const KEPT_BESIDE_ROWS: u64 = 2;

/// Groups, near and far, up to which pairs are shown once for both directions: a row's groups have a
/// number each.
pub(crate) const MOST_LISTS: usize = 64;

/// One row in 8, or one pair in 64, may be ambiguous with rounded distances: an exact distance
/// costs as much as a dozen of the others.
pub(crate) const ROWS_UNDECIDED: usize = 8;

pub(crate) const PAIRS_UNDECIDED: usize = 64;

// --- Pairs that are taken at a time -----------------------------------------------------------------

/// Pairs that sums over pairs take at a time; and where they come once for both directions, or their differences are
/// counted as bits, which costs little compared with reading the columns for every batch.
pub(crate) const BATCH: usize = 1 << 20;

pub(crate) const LARGE_BATCH: usize = 1 << 22;

// --- Sums of differences ----------------------------------------------------------------------------

/// Neighbors of a row with equal weights, on average, from which on their differences are counted as
/// bits; below, they are better weighed one by one.
pub(crate) const PAIRS_PER_RUN: usize = 4;

/// Rows whose pairs are inspected for equal weights.
pub(crate) const ROWS_LOOKED_AT: usize = 64;

/// Tiles of features that go through the pairs together, at most, and the bytes that these may take: a
/// good part of the second cache.
pub(crate) const TILES_TOGETHER: usize = 8;

pub(crate) const TILES_BYTES: usize = 1 << 21;

/// Different weights that the pairs of a row may have in a sum for their bits to be counted.
pub(crate) const MOST_WEIGHTS: usize = 4;

/// Words of bits that are counted while one pair is looked up, and words of a row that are read meanwhile.
pub(crate) const WORDS_OF_PAIR: usize = 2;

/// Features of whole differences, at most, whose sums for many targets are counted as bits of targets:
/// further, tables of subsets take less.
pub(crate) const FEW_WHOLE_FEATURES: usize = 48;

/// Sums of whole differences of a row are held in 16 bits.
pub(crate) const MOST_SUM: usize = i16::MAX as usize;

/// Bytes of the words of all rows, at most, unless 64 permutations take more.
pub(crate) const WORD_BYTES: usize = 1 << 26;

/// Levels of categories that are compared as small numbers.
pub(crate) const SMALL_LEVELS: f64 = 127.0;

// --- Missing values ---------------------------------------------------------------------------------

/// Classes with missing values of a feature, up to which its corrections are rounded: each has a line of
/// its own.
pub(crate) const ROUNDED_CLASSES: usize = 8;

/// Lines up to which a column of many different values has them row by row.
pub(crate) const LINE_CLASSES: usize = 4;

/// Features of few cases that are read together: a block of each, and its corrections, stay in the second
/// cache.
pub(crate) const SMALL_TOGETHER: usize = 2048;

/// Classes up to which rows are counted as bits.
pub(crate) const MARKED_CLASSES: usize = 8;

/// Different values up to which a value's case is found by looking at all of them.
pub(crate) const FEW_VALUES: usize = 8;

/// Number of features whose missing values are corrected together, for a number of rows: their cases, which
/// rows with many pairs read, stay in the second cache, unless rows are many.
pub(crate) fn features_together(rows: usize) -> usize {
    ((1 << 20) / rows.max(1)).clamp(64, 1024)
}

/// A row's pairs are spread over all rows from one row in four on.
pub(crate) const SPREAD: usize = 4;

// --- Objectives and solvers --------------------------------------------------------------------------

/// Parts with separate sums, at most, whatever the number of threads. More threads than this have no work.
pub(crate) const PARTS: usize = 16;

/// Most rows of a block that meets all rows at a time: more make products of matrices no faster.
pub(crate) const LINE_ROWS: usize = 256;

/// Distances of such a block, about: 4 MB, which the last cache holds.
pub(crate) const LINE_DISTANCES: usize = 1 << 19;

/// A sum over at least this share of all rows is a product of matrices, which takes zeros along; below, pairs one by one
/// take less time.
pub(crate) const DENSE_SHARE: f64 = 0.15;

/// Whether sums under a map visit every pair once, for both of its rows, or every row with all rows. From 28 components
/// plus a quarter of the columns on, products of matrices are faster than pairs.
pub(crate) fn takes_pairs(components: usize, columns: usize) -> bool {
    const PRODUCTS: usize = 112;
    4 * components <= columns + PRODUCTS
}

/// A squared distance is computed anew from differences if less than this share of the squared lengths is left of the
/// products and the lengths matter. The remaining digits are then right to 1e-11.
pub(crate) const CANCELLED: f64 = 1.0 / 65536.0;

/// Squared distances below it are right to 1e-11 of 1, not of themselves, unless the lengths are above
/// `SPARED / CANCELLED`: in an exponent no more is needed.
pub(crate) const SPARED: f64 = 0.25;

/// Every 64th row is compared with all rows to bound the distances to their nearest rows, which costs 1/64 of a pass.
pub(crate) const SAMPLED: usize = 64;

/// Rows of a block whose hinges are added up before the next panel: their sums stay in the first cache.
pub(crate) const HINGE_ROWS: usize = 32;

/// Number of parts in which hinges are added up, from the number of rows and of the numbers in the sums of a part.
///
/// A part is worth its sums from 512 rows on. All parts together have at most 2^25 numbers, which are 256 MB, unless
/// these leave less than four parts.
pub(crate) fn hinge_parts(rows: usize, numbers: usize) -> usize {
    const PART_ROWS: usize = 512;
    const PART_NUMBERS: usize = 1 << 25;
    const LEAST_PARTS: usize = 4;
    let room = (PART_NUMBERS / numbers.max(1)).clamp(LEAST_PARTS, PARTS);
    (rows / PART_ROWS).clamp(1, room)
}

/// Number of rows whose triples determine the best scale of a map: about 2^18 pairs of a row and another.
pub(crate) fn scale_sample(rows: usize) -> usize {
    const TRIPLES: usize = 1 << 18;
    (TRIPLES / rows.max(1)).clamp(8, 64)
}

/// Features up to which all weights of d-lmnn are unknowns of one smooth function; beyond, those worth a weight are
/// generated. The time of the first grows with the fourth power of the features.
pub(crate) const SMOOTH_UNKNOWNS: usize = 100;

/// Entries of a program of generated hinges and unknowns, at most: 128 MB. Beyond it classes overlap so much that hinges
/// are better streamed.
pub(crate) const GENERATED_ENTRIES: usize = 1 << 24;

/// Unknowns up to which a vertex of a linear program is found by the simplex method, and multipliers by least squares:
/// the time of both grows with the fourth power of the unknowns. Beyond, an interior point method finds both.
pub(crate) const SIMPLEX_UNKNOWNS: usize = 100;

/// Entries up to which the differences of LMNN's target neighbors are decomposed themselves, where their scatter has
/// eigenvalues that rounding hides in it, but not in the differences: 128 MB.
pub(crate) const DECOMPOSED_ENTRIES: usize = 1 << 24;

/// Entries of a metric up to which the convex solver of LMNN finishes it by the hinges at their kinks: its steps take a
/// factor of a matrix of as many rows, of 50 MB at most.
pub(crate) const KINK_METRIC_ENTRIES: usize = 2500;

/// Number of hinges at their kinks in one program, for a metric with these entries: three per entry or, where their
/// products take less than about a second, up to 20,000.
pub(crate) fn kinks_at_a_time(entries: usize) -> usize {
    const MOST_KINKS: usize = 20_000;
    const WORK: usize = 1_000_000_000;
    (3 * entries).max((WORK / (entries * entries)).min(MOST_KINKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_as_many_as_rows_and_room_allow() {
        let parts = |rows: usize, columns: usize| hinge_parts(rows, rows * columns);
        assert_eq!(parts(0, 5), 1);
        assert_eq!(parts(1100, 55), 2);
        assert_eq!(parts(20_000, 55), 16);
        assert_eq!(parts(100_000, 55), 6);
        assert_eq!(parts(100_000, 1000), 4);
    }
}
