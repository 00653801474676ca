//! Step three of five, **margins**: what is added up over pairs of a row and its neighbour.

mod sums;

pub use sums::{MarginSums, PairWeights, margin_sums};
