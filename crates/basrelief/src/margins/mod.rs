//! Step three of five, **margins**: what is added up over pairs of a row and its neighbor.

mod bit_counts;
mod pair_lists;
mod permuted_counts;
mod permuted_pairs;
mod permuted_sums;
mod plan;
pub(crate) mod scatter;
mod sums;

pub use permuted_sums::BY_TARGET;
pub(crate) use permuted_sums::{Far, permuted_margins};
pub use plan::{BY_ROW, LOOKED_UP, SumPlan, WEIGHED};
pub use sums::{MarginSums, margin_sums, row_means};
