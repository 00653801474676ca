//! Which way sums over pairs of rows and the programs of learned metrics take, and the sizes of their blocks: every
//! threshold of `objectives` and of the solvers above, with its reason.
//!
//! None of them changes what is summed or minimized. Blocks and parts depend on the data alone, never on the threads, so that sums
//! have one order.

/// Parts with separate sums, at most, whatever the number of threads. More threads than this have no work.
pub(super) const PARTS: usize = 16;

/// Most rows of a block that meets all rows at a time: more make products of matrices no faster.
pub(super) const LINE_ROWS: usize = 256;

/// Distances of such a block, about: 4 MB, which the last cache holds.
pub(super) const LINE_DISTANCES: usize = 1 << 19;

/// A sum over at least this share of all rows is a product of matrices, which takes zeros along; below, pairs one by one
/// take less time.
pub(super) const DENSE_SHARE: f64 = 0.15;

/// Whether sums under a map visit every pair once, for both of its rows, or every row with all rows. From 28 components
/// plus a quarter of the columns on, products of matrices are faster than pairs.
pub(super) fn takes_pairs(components: usize, columns: usize) -> bool {
    const PRODUCTS: usize = 112;
    4 * components <= columns + PRODUCTS
}

/// A squared distance is computed anew from differences if less than this share of the squared lengths is left of the
/// products and the lengths matter. The remaining digits are then right to 1e-11.
pub(super) const CANCELLED: f64 = 1.0 / 65536.0;

/// Squared distances below it are right to 1e-11 of 1, not of themselves, unless the lengths are above
/// `SPARED / CANCELLED`: in an exponent no more is needed.
pub(super) const SPARED: f64 = 0.25;

/// Every 64th row is compared with all rows to bound the distances to their nearest rows, which costs 1/64 of a pass.
pub(super) const SAMPLED: usize = 64;

/// Rows of a block whose hinges are added up before the next panel: their sums stay in the first cache.
pub(super) const HINGE_ROWS: usize = 32;

/// Number of parts in which hinges are added up, from the number of rows and of the numbers in the sums of a part.
///
/// A part is worth its sums from 512 rows on. All parts together have at most 2^25 numbers, which are 256 MB, unless
/// these leave less than four parts.
pub(super) fn hinge_parts(rows: usize, numbers: usize) -> usize {
    const PART_ROWS: usize = 512;
    const PART_NUMBERS: usize = 1 << 25;
    const LEAST_PARTS: usize = 4;
    let room = (PART_NUMBERS / numbers.max(1)).clamp(LEAST_PARTS, PARTS);
    (rows / PART_ROWS).clamp(1, room)
}

/// Number of rows whose triples determine the best scale of a map: about 2^18 pairs of a row and another.
pub(super) fn scale_sample(rows: usize) -> usize {
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
