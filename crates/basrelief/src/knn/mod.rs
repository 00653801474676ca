//! k nearest neighbors from one set of rows to another, in any coordinates, and predictions from
//! them.

mod exact;
mod predict;
mod vote;

pub(crate) use exact::nearest_of_class;
pub use exact::{ExactKnn, NearestRows};
pub use predict::KNearestNeighbors;
pub(crate) use vote::Vote;
pub use vote::VoteWeights;
