//! Step three of five, **margins**: sums of feature differences over pairs of a row and its
//! neighbor.

mod bit_counts;
mod influences;
mod missing_sums;
mod pair_bits;
mod pair_lists;
mod permuted_counts;
mod permuted_pairs;
mod permuted_sums;
mod plan;
mod range_variance;
pub(crate) mod scatter;
mod sparse_sums;
mod sums;
mod tiles;

pub(crate) use influences::{Influencing, Slopes, Units, influence_variances};
pub(crate) use permuted_sums::{Far, permuted_margins};
pub use plan::SumPlan;
pub(crate) use plan::UNDIRECTED;
pub(crate) use range_variance::range_variances;
pub(crate) use sums::has_more_than_bits;
pub(crate) use sums::margin_sums_of;
pub use sums::{MarginSums, margin_sums, row_means};
