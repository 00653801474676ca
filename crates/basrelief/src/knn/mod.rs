//! k nearest neighbors from one set of rows to another, in any coordinates, and what they predict.

mod exact;
mod predict;
mod vote;

pub use exact::{ExactKnn, NearestRows};
pub(crate) use exact::{inverse_unit, nearest_of_class};
pub use predict::KNearestNeighbors;
pub(crate) use vote::Vote;
pub use vote::VoteWeights;
