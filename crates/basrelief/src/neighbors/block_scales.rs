//! The scales of blocks of features: by which number the sum of a block's differences is divided in distances.

use std::ops::Range;
use std::sync::Arc;

use basrelief_kernels::{Moments, TILE};

use super::block_driver::{BlockDistances, BlockPairs, Blocks, sweep};
use super::marks::MARKED_ROWS;
use super::packed_rows::{PackedRows, Scratch};
use super::radius::PairMoments;
use crate::data::{BlockScale, FeatureSet, Roles, Table};
use crate::differences::{Space, SpaceOptions, SumOf};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::wording::{quoted, setting};

/// The factors of blocks of features in distances.
#[derive(Debug, Clone)]
pub(crate) struct BlockFactors {
    /// One per block: 1 divided by its scale.
    pub(crate) of_blocks: Vec<f64>,
    /// One per feature; `None` if all are 1.
    pub(crate) of_features: Option<Arc<[f64]>>,
}

impl BlockFactors {
    /// The factors of the blocks in the roles of a table, if there are blocks. They do not depend on the target:
    /// differences to missing values are expected over all rows here, not over those of a class.
    ///
    /// # Errors
    /// A metric whose distances are not sums of differences; a block with the same difference between any two rows, if
    /// the scale is the variance; [`Error::Cancelled`].
    pub(crate) fn new(
        table: &Table<'_>,
        options: SpaceOptions,
        roles: Roles<'_>,
        run: &Run,
    ) -> Result<Option<Self>> {
        let Some(blocks) = roles.blocks() else { return Ok(None) };
        if options.metric.fold().sum() != Some(SumOf::Differences) {
            return Err(Error::option(
                "blocks",
                format!(
                    "distances of the {} metric are not sums of differences, of which blocks have a part",
                    options.metric.title()
                ),
                format!("use {}", setting("metric", Some("manhattan"))),
            ));
        }
        let factor = |set: &FeatureSet| -> Result<f64> {
            Ok(1.0 / scale(set, blocks.scale(), table, (options, roles), run)?)
        };
        let of_blocks = blocks.sets().iter().map(factor).collect::<Result<Vec<f64>>>()?;
        let of_features = blocks.of_features(&of_blocks);
        let has_factors = of_features.iter().any(|factor| *factor != 1.0);
        Ok(Some(Self { of_blocks, of_features: has_factors.then_some(of_features) }))
    }
}

/// Returns the space with the factors of blocks in distances.
pub(crate) fn with_blocks<'t>(space: Space<'t>, factors: Option<&BlockFactors>) -> Space<'t> {
    space.with_factors(factors.and_then(|factors| factors.of_features.clone()))
}

/// The scale of a block; 1 if its rows do not differ.
fn scale(
    set: &FeatureSet,
    scale: BlockScale,
    table: &Table<'_>,
    (options, roles): (SpaceOptions, Roles<'_>),
    run: &Run,
) -> Result<f64> {
    if scale == BlockScale::Size {
        return Ok(set.features.len() as f64);
    }
    let own = table.select_columns(&set.features);
    let space = Space::with_masses(&own, None, options, roles.masses(), run)?;
    let (largest, spread) = differences_of_pairs(&space, run)?;
    match scale {
        _ if largest == 0.0 => Ok(1.0),
        BlockScale::Variance if spread.squares <= largest * largest * spread.count * 1e-20 => {
            Err(Error::option(
                "block_scale",
                format!(
                    "any two rows differ by the same amount in block {}, so that the variance of its difference is 0",
                    quoted(&set.name)
                ),
                format!(
                    "use {} or {}",
                    setting("block_scale", Some("size")),
                    setting("block_scale", Some("max"))
                ),
            ))
        }
        BlockScale::Variance => Ok(spread.squares / spread.count),
        BlockScale::Size | BlockScale::Max => Ok(largest),
    }
}

/// The largest distance in a space, and mean and spread of the distances of all pairs of rows, without those that have no
/// distance because no feature is known in both rows.
fn differences_of_pairs(space: &Space<'_>, run: &Run) -> Result<(f64, Moments)> {
    let order = (0..space.rows() as u32).collect();
    let rows = UnroundedRows(PackedRows::new(space, order, run)?);
    let blocks = Blocks { rows: space.rows(), size: MARKED_ROWS };
    let pairs = BlockPairs::upper(blocks.count(), blocks);
    let sink = PairMoments::new(&rows.0, blocks, &pairs);
    let _ = sweep(&rows, blocks, &pairs, "measuring blocks of features", &sink, run)?;
    let joined = |(spread, largest): (Moments, f64), (more, other): (Moments, f64)| {
        (spread.merged(more), largest.max(other))
    };
    let (mut spread, largest) = sink.into_found().fold((Moments::default(), 0.0), joined);
    let unit = rows.0.unit();
    (spread.mean, spread.squares) = (spread.mean / unit, spread.squares / (unit * unit));
    Ok((largest / unit, spread))
}

/// Packed rows whose distances are not rounded.
struct UnroundedRows<'s>(PackedRows<'s>);

impl BlockDistances for UnroundedRows<'_> {
    type Distance = f64;
    type Scratch = Scratch;

    fn bytes(&self, rows: usize) -> u64 {
        self.0.bytes(rows)
    }

    fn block(&self, a: Range<usize>, b: Range<usize>, out: &mut Vec<f64>, scratch: &mut Scratch) {
        out.clear();
        out.resize(a.len() * b.len() * TILE, 0.0);
        self.0.add_unrounded(a, b, out, scratch);
    }
}
