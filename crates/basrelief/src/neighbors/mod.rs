//! Step two of five, **neighbors**: the space of the distances, and which rows count as neighbors.

mod bit_columns;
mod block_driver;
mod block_order;
mod block_scales;
mod corrections;
mod eligible;
mod exact_pairs;
mod fixed;
mod generic_rows;
mod job;
mod k_least;
mod k_nearest;
mod kd_tree;
mod lists;
mod marked;
mod marks;
mod neighborhoods;
mod options;
mod packed_rows;
mod pair_runs;
mod pairs;
mod plan;
mod quantized_rows;
mod radius;
mod read_rows;
mod reweighted_rows;
mod rounded_corrections;
mod rounded_lines;
mod rounded_numbers;
mod row_blocks;
mod screen;
mod tiles;
mod within_radius;

pub use crate::differences::{GenotypeDiff, Metric, MissingPolicy, Ramp, Space, SpaceOptions};
pub(crate) use bit_columns::{BitColumns, copy_square};
pub(crate) use block_driver::{BlockParts, PartSink, add_parts, sweep_parts};
pub(crate) use block_scales::{BlockFactors, with_blocks};
pub(crate) use fixed::{FixedNeighbors, NearestOrders, end_of_tied};
pub(crate) use job::{Found, Measured, NeighborRule, RadiusFrom, SearchJob};
pub(crate) use k_least::{KLeast, RankedDistance};
pub(crate) use marks::{Marks, set_bits};
pub use neighborhoods::Neighborhoods;
pub use options::{NeighborWeights, RadiusRule, Ties};
pub(crate) use pair_runs::{PairList, Runs};
pub(crate) use pairs::Entry;
pub use pairs::{Grouping, NearestOptions, Neighbor, PairBatch, PairSource, UndirectedPairs};
pub use plan::{NearestRoute, NeighborSearch, RadiusRoute, SearchPlan};
pub(crate) use read_rows::{TileBuffers, TileColumns, fill_tiles};
pub(crate) use reweighted_rows::{
    CHUNK, DifferenceSums, LineScratch, ReweightedRows, WeightedLine, Weighting,
};
pub(crate) use row_blocks::{ROWS_OF_BLOCK_UNIT, RowBlocks, rows_of_block};
pub(crate) use screen::{FoundPlaces, Screen, ScreenedRows, in_chunks, inverse_unit};
pub(crate) use tiles::PointPanels;
pub(crate) use within_radius::RadiusMarks;
pub use within_radius::RadiusNeighbors;
