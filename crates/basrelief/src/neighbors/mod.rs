//! Step two of five, **neighbours**: in which space they are sought, and who counts.

mod candidates;
mod defined;
mod gaps;
mod grid;
mod memory;
mod nearest;
mod number_shares;
mod options;
mod radius;
mod rounded;
mod rounded_shares;
mod search;
mod shares;
mod space;
mod squares;
mod strips;
mod sweep;
mod swept;
mod symmetric;
mod tree;
mod weighted;
mod words;

pub(crate) use gaps::GapTable;
pub use memory::list_bytes;
pub(crate) use memory::{BATCH, SYMMETRIC_BATCH};
pub use nearest::{
    Grouping, Linked, NearestOptions, Neighbor, Neighborhoods, PairSource, SymmetricPairs,
};
pub use options::{GenotypeDiff, Metric, MissingPolicy, NeighborWeights, Ramp, SpaceOptions, Ties};
pub use radius::{RadiusNeighbors, RadiusRule};
pub use search::NeighborSearch;
pub(crate) use shares::{Counted, ShareRule};
pub use space::Space;
pub(crate) use space::{Feature, Rule};
pub(crate) use strips::{TileBuffers, TileColumns, fill_tiles};
pub(crate) use sweep::{code_missing, copy_square, round};
pub(crate) use weighted::{CHUNK, DifferenceSums, LineScratch, WeightedRows, Weighting};
