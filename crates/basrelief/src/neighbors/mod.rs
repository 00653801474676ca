//! Step two of five, **neighbours**: in which space they are sought, and who counts.

mod options;

pub use options::{GenotypeDiff, Metric, MissingPolicy, NeighborWeights, Ramp, SpaceOptions, Ties};
