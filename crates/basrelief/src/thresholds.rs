//! The thresholds between alternative ways to compute a result, and the sizes of batches and
//! blocks, with their reasons.
//!
//! The plans read them. They do not affect which neighbors are found, or the sums and minima that
//! are computed. Blocks and parts depend only on the data, never on the number of threads, so that
//! sums have one order.

use basrelief_kernels::TILE;

// --- Routes to neighbors -------------------------------------------------------------------------

/// K-d trees are used from this number of query rows on (fewer do not repay building them), and up
/// to this number of columns.
pub(crate) const LEAST_SAMPLED: usize = 1000;

pub(crate) const MOST_COLUMNS: usize = 7;

/// Smallest number of rows of a class per neighbor for which trees are faster, by number of
/// columns. A query visits a fraction of a class that grows with the number of neighbors, and fast
/// with the columns.
pub(crate) fn rows_per_neighbor(columns: usize) -> usize {
    match columns {
        0..=4 => 50,
        5 => 500,
        6 => 2500,
        _ => 25_000,
    }
}

/// Number of rounded distances from packed rows that cost as much as one exact distance of a single
/// pair: the exact distance computes all pairs of two panels, and a rounded one costs a quarter.
pub(crate) const EXACT_PAIR: usize = 4 * TILE;

/// Bytes up to which the distances of all pairs, and the marks of all pairs, are stored: the
/// distances of 4096 rows. Above that, marks are stored if there is room for them, and distances if
/// they also take at most this multiple of the packed rows, which is the case for many columns.
pub(crate) const ALWAYS_KEPT: u64 = 1 << 26;

pub(crate) const KEPT_BESIDE_ROWS: u64 = 2;

/// As [`ALWAYS_KEPT`], for the distances of a sparse table: those of 1024 rows. More are stored if they take at most this
/// part of the packed rows, because a sparse table is small, and its sums take longer than its distances.
pub(crate) const ALWAYS_KEPT_OF_SPARSE: u64 = 1 << 22;

pub(crate) const KEPT_PART_OF_SPARSE: u64 = 4;

/// Largest number of groups, near and far, for which pairs are given once for both directions:
/// every group of a row has a separate number.
pub(crate) const MOST_LISTS: usize = 64;

/// One row in 8, or one pair in 64, may be ambiguous with rounded distances: an exact distance
/// costs as much as a dozen rounded ones.
pub(crate) const ROWS_UNDECIDED: usize = 8;

pub(crate) const PAIRS_UNDECIDED: usize = 64;

/// A sparse column is packed and summed by its entries if at most one row in 4 has one. An entry takes as much memory as
/// one and a half dense numbers, and pairs of entries are slower than vectors of dense numbers.
pub(crate) const STORED_SHARE: usize = 4;

/// Bytes of the weights of all pairs of some rows, in sums over the entries of sparse columns: as many rows at a time as
/// fit, so that the entries are read a few times only.
pub(crate) const PAIR_LINE_BYTES: usize = 1 << 25;

/// The smallest number of groups of rows in these sums, each of which reads the entries once. Larger groups would save
/// little time, and their weights would take more memory than the entries of a small table.
pub(crate) const LEAST_PASSES: usize = 8;

// --- Batches of pairs ----------------------------------------------------------------------------

/// Number of pairs per batch for sums over pairs. The larger batch is for pairs that come once for
/// both directions, and for differences that are counted as bits, which cost little compared with
/// reading the columns for every batch.
pub(crate) const BATCH: usize = 1 << 20;

pub(crate) const LARGE_BATCH: usize = 1 << 22;

// --- Sums of differences -------------------------------------------------------------------------

/// Smallest average number of neighbors of a row with equal weights for which their differences are
/// counted as bits; for fewer, weighting them one by one is faster.
pub(crate) const PAIRS_PER_RUN: usize = 4;

/// Rows whose pairs are inspected for equal weights.
pub(crate) const ROWS_LOOKED_AT: usize = 64;

/// Largest number of tiles of features that are processed together, and the bytes that they may
/// take: a large part of the second-level cache.
pub(crate) const TILES_TOGETHER: usize = 8;

pub(crate) const TILES_BYTES: usize = 1 << 21;

/// Largest number of different weights of a row's pairs in a sum for which corrections are counted
/// as bits.
pub(crate) const MOST_WEIGHTS: usize = 4;

/// Words of bits that are counted in the time of looking up one pair; also, words of a row that are
/// read in that time.
pub(crate) const WORDS_OF_PAIR: usize = 2;

/// Largest number of features with integer differences whose sums for many targets are counted as
/// bits of targets; for more, tables of subsets take less time.
pub(crate) const FEW_WHOLE_FEATURES: usize = 48;

/// Number of searches for a few lists of nearest rows that are too short for some permutation. The next
/// search extends all lists, because it costs as much as a few of these.
pub(crate) const FEW_SEARCHES: usize = 3;

/// Sums of integer differences of a row are stored in 16 bits.
pub(crate) const MOST_SUM: usize = i16::MAX as usize;

/// Largest number of bytes for the words of all rows, unless 64 permutations take more.
pub(crate) const WORD_BYTES: usize = 1 << 26;

/// Largest number of levels of categories that are compared as small numbers.
pub(crate) const SMALL_LEVELS: f64 = 127.0;

// --- Missing values ------------------------------------------------------------------------------

/// Largest number of classes with missing values of a feature for which its corrections are
/// rounded: each class has a separate line.
pub(crate) const ROUNDED_CLASSES: usize = 8;

/// Largest number of classes with missing values for which a column of many distinct values stores
/// its corrections row by row.
pub(crate) const LINE_CLASSES: usize = 4;

/// Number of features of few cases that are read together: a block of each, and its corrections,
/// stay in the second-level cache.
pub(crate) const SMALL_TOGETHER: usize = 2048;

/// Largest number of classes whose rows are counted as bits.
pub(crate) const MARKED_CLASSES: usize = 8;

/// Largest number of distinct values for which a value's case is found by comparing it with all of
/// them.
pub(crate) const FEW_VALUES: usize = 8;

/// Number of features whose missing values are corrected together, for a number of rows: their
/// cases, which rows with many pairs read, stay in the second-level cache, unless there are many
/// rows.
pub(crate) fn features_together(rows: usize) -> usize {
    ((1 << 20) / rows.max(1)).clamp(64, 1024)
}

/// A row's pairs are spread over all rows if they contain at least one row in four.
pub(crate) const SPREAD: usize = 4;

/// Units whose influences on weights are computed where rows have many neighbors: standard errors then have a standard
/// error of about 3 % of their own.
pub(crate) const MOST_UNITS: usize = 500;

/// Largest coefficient of variation of a variance that is estimated from so few units. Where it is larger, such as for
/// rare variants, few of the units have most of the influence, and up to [`MOST_UNITS_OF_FEW`] are used.
pub(crate) const MOST_VARIATION: f64 = 0.3;

/// See [`MOST_VARIATION`].
pub(crate) const MOST_UNITS_OF_FEW: usize = 4000;

/// Neighbors of a list that is used whole, even if its row is not in the sample of units: the sample may contain
/// too few of them for their mean.
pub(crate) const FEW_NEIGHBORS: usize = 100;

/// Pairs of units with several pairs of rows of which products of changes are computed: a sample, if there are more and
/// more than [`MOST_UNITS`] units.
pub(crate) const MOST_REPEATED: usize = 4096;

// --- Objectives and solvers ----------------------------------------------------------------------

/// Largest number of parts with separate sums, whatever the number of threads. More threads have no
/// work.
pub(crate) const PARTS: usize = 16;

/// Largest number of rows of a block that is compared with all rows at a time: larger blocks do not
/// make the matrix products faster.
pub(crate) const LINE_ROWS: usize = 256;

/// Approximate number of distances of such a block: 4 MB, which fits into the last-level cache.
pub(crate) const LINE_DISTANCES: usize = 1 << 19;

/// A sum over at least this fraction of all rows is computed as a matrix product, which also
/// multiplies zeros; below, separate pairs take less time.
pub(crate) const DENSE_SHARE: f64 = 0.15;

/// Whether sums under a map visit every pair once, for both of its rows; otherwise they combine
/// every row with all rows. From 28 components plus a quarter of the columns on, matrix products
/// are faster than pairs.
pub(crate) fn takes_pairs(components: usize, columns: usize) -> bool {
    const PRODUCTS: usize = 112;
    4 * components <= columns + PRODUCTS
}

/// A squared distance is recomputed from differences if cancellation leaves less than this fraction
/// of the squared lengths, and the lengths matter. The remaining digits are then correct to 1e-11.
pub(crate) const CANCELLED: f64 = 1.0 / 65536.0;

/// Squared distances below this value are correct to an absolute error of 1e-11 instead of a
/// relative one, unless the lengths are above `SPARED / CANCELLED`: an exponent needs no more.
pub(crate) const SPARED: f64 = 0.25;

/// Every 64th row is compared with all rows to bound the distances to their nearest rows, which
/// costs 1/64 of a pass.
pub(crate) const SAMPLED: usize = 64;

/// Rows of a block whose hinges are added up before the next panel: their sums stay in the
/// first-level cache.
pub(crate) const HINGE_ROWS: usize = 32;

/// Number of parts in which hinges are added up, from the number of rows and the number of entries
/// in the sums of a part.
///
/// A part repays its sums from 512 rows on. All parts together have at most 2^25 entries, or 256
/// MB, unless this would allow fewer than four parts.
pub(crate) fn hinge_parts(rows: usize, numbers: usize) -> usize {
    const PART_ROWS: usize = 512;
    const PART_NUMBERS: usize = 1 << 25;
    const LEAST_PARTS: usize = 4;
    let room = (PART_NUMBERS / numbers.max(1)).clamp(LEAST_PARTS, PARTS);
    (rows / PART_ROWS).clamp(1, room)
}

/// Number of rows whose triples determine the best scale of a map: about 2^18 pairs of rows.
pub(crate) fn scale_sample(rows: usize) -> usize {
    const TRIPLES: usize = 1 << 18;
    (TRIPLES / rows.max(1)).clamp(8, 64)
}

/// Largest number of features for which all weights of d-lmnn are unknowns of one smooth function;
/// for more, the features with nonzero weights are generated. The time of the smooth function grows
/// with the fourth power of the features.
pub(crate) const SMOOTH_UNKNOWNS: usize = 100;

/// Largest number of entries of a program of generated hinges and unknowns: 128 MB. Above it,
/// classes overlap so much that streaming the hinges is faster.
pub(crate) const GENERATED_ENTRIES: usize = 1 << 24;

/// Largest number of unknowns for which a vertex of a linear program is found by the simplex
/// method, and multipliers by least squares: the time of both grows with the fourth power of the
/// unknowns. Above it, an interior point method finds both.
pub(crate) const SIMPLEX_UNKNOWNS: usize = 100;

/// Largest number of entries for which the differences of LMNN's target neighbors are decomposed
/// directly, if their scatter matrix has eigenvalues that are lost to rounding there but not in the
/// differences: 128 MB.
pub(crate) const DECOMPOSED_ENTRIES: usize = 1 << 24;

/// Largest number of entries of a metric for which the convex solver of LMNN finishes with the
/// hinges at their kinks: its steps factorize a matrix with as many rows as the metric has entries,
/// of at most 50 MB.
pub(crate) const KINK_METRIC_ENTRIES: usize = 2500;

/// Number of hinges at their kinks in one program, for a metric with these entries: three per entry
/// or, if their products take less than about a second, up to 20,000.
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
