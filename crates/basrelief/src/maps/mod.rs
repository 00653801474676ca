//! Step five of five, **map**: the results. Code downstream of a fit (ranking, tables, files) takes
//! a map and does not depend on the method that produced it.

mod kernel;
mod linear;
mod map;
mod separability;
mod tiles;
mod weights;

pub use kernel::KernelMap;
pub use linear::LinearMap;
pub(crate) use linear::fix_signs;
pub use map::Map;
pub(crate) use weights::ranks_of;
pub use weights::{FeatureRanking, RankBy, largest_weight, without_rounding};
