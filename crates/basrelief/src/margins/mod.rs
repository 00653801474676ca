//! Step three of five, **margins**: what is added up over pairs of a row and its neighbor.

mod bit_counts;
mod pair_lists;
mod plan;
pub(crate) mod scatter;
mod sums;

pub use plan::{BY_ROW, LOOKED_UP, SumPlan, WEIGHED};
pub use sums::{MarginSums, margin_sums, row_means};
