//! Pair-distance kernels: plain slices in and out, no knowledge of tables or methods.
//!
//! # The one layout
//! Rows are packed in *panels* of [`LANES`] rows, feature-major inside a panel:
//! `panels[(panel * features + feature) * LANES + lane]`. One packing serves as either side of a
//! block. A kernel takes two runs of panels and **adds** to a tiled result:
//! `out[((i * b_panels + j) * LANES + row) * LANES + column]` for panel `i` of `a` and `j` of `b`.
//!
//! # Bits
//! A lane is a row, never a part of a sum: every pair's sum runs over the features in order, so the
//! result has the same bits for every instruction set, blocking and thread count, and for the pairs
//! (i, j) and (j, i).
//!
//! # Dispatch
//! [`level`] finds the widest instruction set once; the environment variable `BASRELIEF_SIMD`
//! (`portable`, `avx2`, `avx512`) forces one. Kernels are ordinary generic Rust, compiled once
//! per level, or intrinsics where the compiler's choice was measured to be poor: of nested loops of
//! eight it likes to make vectors for AVX-512 that are gathered lane by lane. `unsafe` are only the
//! call of a level that was found to be there, loads, stores and casts of whole vectors, and
//! [`Mapped`].
//!
//! # Large arrays
//! [`Mapped`] is a slice in memory of large pages, or in a file where packed rows are too many to be
//! held.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bit_counts;
mod bit_rules;
mod bits;
mod carry_save;
mod cases;
mod codes;
mod columns;
mod dispatch;
mod genotype_codes;
mod hinges;
mod hit_walk;
mod kth_smallest;
mod list_changes;
mod mapped;
mod marks;
mod moments;
mod near_pairs;
#[cfg(target_arch = "x86_64")]
mod nibbles;
mod numbers;
mod order;
mod packed_genotypes;
mod rounded;
mod row_differences;
mod running;
mod runs;
mod soft;
mod soft_pairs;
mod subsets;
mod threshold_masks;
mod whole;

pub use bit_counts::{MASK_WORDS, PermutationCounts, PermutationMask};
pub use bit_rules::BitRule;
pub use bits::{MISSING_BYTE, add_bit_differences, add_common_bits, code_planes, genotype_planes};
pub use carry_save::{COUNTED, COUNTED_WORDS, MOST_COUNTED, add_counts, sum_differences};
pub use cases::{
    CASE_PLANES, CASE_ROWS, CaseBlock, FEW_CASES, RoundedCases, add_cases, add_rounded_cases,
    unpack_cases, weigh_cases,
};
pub use codes::{MISSING_CODE, add_mismatches};
pub use columns::{
    Reaches, Reaching, Scales, add_deviations, find_missing, put_columns, put_lines, scale_numbers,
    take_columns,
};
pub use dispatch::{Level, LevelError, VARIABLE, chosen_level, level};
pub use genotype_codes::{count_common, find_code, genotype_codes, mark_code};
pub use hinges::{HINGE_LANES, HingePairs, HingeSide, HingeSums, NO_LIMIT, OfLimits, hinge_slopes};
pub use hit_walk::{HitWalk, OpenCounts, SHARES, Share};
pub use kth_smallest::{KTH_WIDTH, bound_of_least, kth_least};
pub use list_changes::{
    ChangeLists, ChangeSums, FactorsOf, ListDifferences, ListFactors, NO_UNIT, PAIR_SUMS,
    RepeatedPair, add_list_changes, squares_of_repeated,
};
pub use mapped::{Mapped, Plain, address_space_limit};
pub use marks::{MARKS, MOST_LINES, add_marked, weigh_lines};
pub use moments::{Moments, finite_moments};
pub use near_pairs::{
    NEAR_LANES, NEAR_PANEL, NEAR_ROWS, NearChunk, NearPlaces, SoughtPanel, SoughtRows,
    add_pairs_at, find_near_pairs, squared_distances_at,
};
pub use numbers::{NumberRule, RampRule, add_numbers};
pub use order::NumberOrder;
pub use packed_genotypes::{
    GENOTYPES, PairSums, count_packed_genotypes, genotype_bit, genotype_deviations,
    mark_missing_genotypes, pair_products, pair_sums,
};
pub use rounded::{
    MOST_ROUNDED, Rounding, Roundings, add_rounded_lines, round_rows, rounded_distances,
};
pub use row_differences::{
    LineRule, add_difference_products, add_to_rows, add_weighted_differences,
};
pub use running::{mean_differences, running_sums};
pub use runs::{RUN_WIDTH, RowTile, Weighed, add_pair_differences, add_weighted_runs};
pub use soft::{
    FARTHEST, add_line, add_weighted_rows, exponentials, least, scale_and_drop, squared_distances,
};
pub use soft_pairs::{
    GREATEST_LIMIT, OfChunk, OfPairs, OfRows, PAIR_CHUNKS, PAIR_LANES, PAIR_ROWS, PairMoves,
    PairPanel, PairRows, add_pairs, move_pairs, nearest_apart, pair_exponentials,
};
pub use subsets::{
    Fraction, Lookups, Multiple, RealLanes, SLOTS_TOGETHER, SmallLanes, SubsetLanes, SubsetTable,
    TotalLanes, WholeLanes, look_up, turn_bits, whole_differences,
};
pub use threshold_masks::{Side, find_below, find_beside};
pub use whole::{MOST_WHOLE, add_greater_whole, round_rows_to_whole, round_to_whole};

/// Rows per panel.
pub const LANES: usize = 8;

/// Numbers in the result tile of two panels.
pub const TILE: usize = LANES * LANES;

/// Panels needed for that many rows.
pub const fn panels(rows: usize) -> usize {
    rows.div_ceil(LANES)
}

/// The sum of the parts of a sum, a power of two: the upper half is added to the lower one until one is
/// left, whatever the instruction set.
#[inline(always)]
fn add_parts<const PARTS: usize>(mut parts: [f64; PARTS]) -> f64 {
    let mut width = PARTS / 2;
    while width > 0 {
        for part in 0..width {
            parts[part] += parts[part + width];
        }
        width /= 2;
    }
    parts[0]
}

/// Checks the shapes of a kernel call; `per_row` is the number of elements a row has.
///
/// Returns the numbers of panels of `a` and `b`.
fn check_shapes<T>(a: &[T], b: &[T], per_row: usize, out: &[f64]) -> (usize, usize) {
    let per_panel = per_row * LANES;
    if per_panel == 0 {
        return (0, 0);
    }
    let (a_panels, b_panels) = (a.len() / per_panel, b.len() / per_panel);
    assert_eq!(a.len(), a_panels * per_panel, "whole panels on the left");
    assert_eq!(b.len(), b_panels * per_panel, "whole panels on the right");
    assert_eq!(out.len(), a_panels * b_panels * TILE, "one tile per pair of panels");
    (a_panels, b_panels)
}
