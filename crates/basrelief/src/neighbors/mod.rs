//! Step two of five, **neighbours**: in which space they are sought, and who counts.

mod gaps;
mod grid;
mod nearest;
mod options;
mod space;
mod sweep;

pub use nearest::{Grouping, NearestOptions, Neighbor, Neighborhoods};
pub use options::{GenotypeDiff, Metric, MissingPolicy, NeighborWeights, Ramp, SpaceOptions, Ties};
pub(crate) use space::Rule;
pub use space::Space;
