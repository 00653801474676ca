//! Step three of five, **margins**: what is added up over pairs of a row and its neighbour.

mod genotypes;
mod marked;
mod pairs;
mod runs;
pub(crate) mod scatter;
mod shares;
mod sums;

pub use sums::{MarginSums, margin_sums, row_means};
