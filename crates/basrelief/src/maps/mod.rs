//! Step five of five, **map**: the results. Whatever is downstream of a fit (ranking, tables,
//! files) takes a map and does not know which method made it.

mod separability;
mod weights;

pub use separability::{accumulated_separability, separability};
pub use weights::FeatureWeights;
