//! Per-feature sums of weighted differences over pairs of a row and its neighbour.
//!
//! Features are taken in tiles of eight: a tile's values lie row by row in one small buffer, so
//! that a pair costs two cache lines and a few vector instructions. A feature belongs to one tile
//! and pairs come in a fixed order, so the sums do not depend on the number of threads.

use rayon::prelude::*;

use crate::error::Result;
use crate::neighbors::{NeighborWeights, Neighborhoods, Rule, Space};
use crate::run::Run;

/// Features per tile.
const WIDTH: usize = 8;

/// Pairs held at a time.
const BATCH: usize = 1 << 20;

/// Rows whose pairs one task lists.
const ROWS_PER_TASK: usize = 64;

/// What a pair of a row and its neighbour counts in each of the two sums.
pub type PairWeights = [f64; 2];

/// Two weighted sums of differences per feature.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginSums {
    /// Per sum and feature: the weighted differences.
    pub sums: [Vec<f64>; 2],
    /// Per sum and feature: the weight of the pairs that were left out because a value is missing
    /// and the policy is to ignore it; 0 under the other policies.
    pub skipped: [Vec<f64>; 2],
    /// Per sum: the weight of all pairs.
    pub totals: PairWeights,
}

impl MarginSums {
    /// The weight that counted for a feature.
    pub fn counted(&self, sum: usize, feature: usize) -> f64 {
        self.totals[sum] - self.skipped[sum][feature]
    }

    /// The sum that a feature would have if no pair had been left out: scaled up to the weight of
    /// all pairs; 0 when every pair was left out.
    pub fn completed(&self, sum: usize, feature: usize) -> f64 {
        let value = self.sums[sum][feature];
        if self.skipped[sum][feature] == 0.0 {
            return value;
        }
        let counted = self.counted(sum, feature);
        // Weights of pairs are sums of a few thousand fractions at most: what is left of a fully
        // skipped feature is rounding.
        if counted <= self.totals[sum] * 1e-12 { 0.0 } else { value / counted * self.totals[sum] }
    }
}

/// Adds up, for every feature, the differences of all pairs of a sampled row and its neighbour.
///
/// `weigh(row, group, neighbour row, neighbour weight)` says what a pair counts.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn margin_sums(
    space: &Space<'_>,
    neighborhoods: &Neighborhoods<'_>,
    weights: NeighborWeights,
    weigh: impl Fn(u32, usize, u32, f64) -> PairWeights + Sync,
    run: &Run,
) -> Result<MarginSums> {
    let width = space.width();
    let tiles = tiles(space);
    let mut result = MarginSums {
        sums: [vec![0.0; width], vec![0.0; width]],
        skipped: [vec![0.0; width], vec![0.0; width]],
        totals: [0.0; 2],
    };
    let batches = batches(neighborhoods);
    run.progress().start("adding up margins", (batches.len() * tiles.len()) as u64);
    for batch in batches {
        let starts: Vec<usize> = batch.clone().step_by(ROWS_PER_TASK).collect();
        let chunks = run.install(|| {
            starts
                .par_iter()
                .map(|&start| {
                    run.check()?;
                    let rows = start..(start + ROWS_PER_TASK).min(batch.end);
                    list_pairs(neighborhoods, rows, weights, &weigh)
                })
                .collect::<Result<Vec<PairList>>>()
        })?;
        for chunk in &chunks {
            for pair in &chunk.pairs {
                result.totals[0] += pair.weights[0];
                result.totals[1] += pair.weights[1];
            }
        }
        let tile_sums = run.install(|| {
            tiles
                .par_iter()
                .map_init(TileBuffer::default, |buffer, tile| {
                    run.check()?;
                    buffer.fill(space, tile);
                    let sums = buffer.add_up(space, tile, &chunks);
                    run.progress().advance(1);
                    Ok(sums)
                })
                .collect::<Result<Vec<TileSums>>>()
        })?;
        for (tile, sums) in tiles.iter().zip(tile_sums) {
            for (lane, &feature) in tile.features.iter().enumerate() {
                for channel in 0..2 {
                    result.sums[channel][feature] += sums.sums[channel][lane];
                    result.skipped[channel][feature] += sums.skipped[channel][lane];
                }
            }
        }
    }
    run.progress().finish();
    Ok(result)
}

/// One pair: the neighbour and what the pair counts.
struct Pair {
    neighbor: u32,
    weights: PairWeights,
}

/// The pairs of some rows.
#[derive(Default)]
struct PairList {
    /// Row of the table and the end of its pairs.
    rows: Vec<(u32, usize)>,
    pairs: Vec<Pair>,
}

/// Ranges of sampled rows with a bounded number of pairs each.
fn batches(neighborhoods: &Neighborhoods<'_>) -> Vec<std::ops::Range<usize>> {
    let mut batches = Vec::new();
    let (mut first, mut pairs) = (0, 0);
    for place in 0..neighborhoods.len() {
        let expected = neighborhoods.expected_neighbors(place);
        if pairs + expected > BATCH && place > first {
            batches.push(first..place);
            (first, pairs) = (place, 0);
        }
        pairs += expected;
    }
    batches.push(first..neighborhoods.len());
    batches
}

fn list_pairs(
    neighborhoods: &Neighborhoods<'_>,
    rows: std::ops::Range<usize>,
    weights: NeighborWeights,
    weigh: &(impl Fn(u32, usize, u32, f64) -> PairWeights + Sync),
) -> Result<PairList> {
    let mut list = PairList::default();
    neighborhoods.visit(rows, weights, |row, group, neighbors| {
        if list.rows.last().is_none_or(|last| last.0 != row) {
            list.rows.push((row, list.pairs.len()));
        }
        list.pairs.extend(neighbors.iter().map(|neighbor| Pair {
            neighbor: neighbor.row,
            weights: weigh(row, group, neighbor.row, neighbor.weight),
        }));
        if let Some(last) = list.rows.last_mut() {
            last.1 = list.pairs.len();
        }
        Ok(())
    })?;
    Ok(list)
}

/// How the differences of a tile are taken; all its features are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TileKind {
    Absolute,
    Ramped,
    Mismatch,
}

/// Up to eight features of one kind.
struct Tile {
    kind: TileKind,
    features: Vec<usize>,
}

fn tiles(space: &Space<'_>) -> Vec<Tile> {
    let ramped = space.options().ramp.is_some();
    let kind_of = |rule: Rule| match rule {
        Rule::Inert => None,
        Rule::Number { .. } if ramped => Some(TileKind::Ramped),
        Rule::Number { .. } | Rule::Copies => Some(TileKind::Absolute),
        Rule::Mismatch { .. } => Some(TileKind::Mismatch),
    };
    [TileKind::Absolute, TileKind::Ramped, TileKind::Mismatch]
        .into_iter()
        .flat_map(|kind| {
            let features: Vec<usize> = (0..space.width())
                .filter(|&feature| kind_of(space.features()[feature].rule) == Some(kind))
                .collect();
            features
                .chunks(WIDTH)
                .map(|features| Tile { kind, features: features.to_vec() })
                .collect::<Vec<_>>()
        })
        .collect()
}

type Lanes = [f64; WIDTH];

/// The sums of one tile.
#[derive(Default)]
struct TileSums {
    sums: [Lanes; 2],
    skipped: [Lanes; 2],
}

/// The values of one tile, row by row.
#[derive(Default)]
struct TileBuffer {
    values: Vec<Lanes>,
    /// Per row, a bit per lane whose value is missing; empty when none is.
    gaps: Vec<u8>,
    column: Vec<f64>,
}

impl TileBuffer {
    fn fill(&mut self, space: &Space<'_>, tile: &Tile) {
        self.values.clear();
        self.values.resize(space.rows(), [0.0; WIDTH]);
        self.gaps.clear();
        for (lane, &feature) in tile.features.iter().enumerate() {
            space.copy_scaled(feature, &mut self.column);
            for (values, value) in self.values.iter_mut().zip(&self.column) {
                values[lane] = *value;
            }
            let gaps = &space.features()[feature].gaps;
            if !gaps.is_empty() {
                self.gaps.resize(space.rows(), 0);
                for &row in gaps {
                    self.gaps[row as usize] |= 1 << lane;
                }
            }
        }
    }

    fn add_up(&self, space: &Space<'_>, tile: &Tile, chunks: &[PairList]) -> TileSums {
        match (tile.kind, space.options().ramp) {
            (TileKind::Mismatch, _) => {
                self.add(space, tile, chunks, |a, b| f64::from(u8::from(a != b)))
            }
            (TileKind::Ramped, Some(ramp)) => {
                self.add(space, tile, chunks, |a, b| ramp.apply((a - b).abs()))
            }
            _ => self.add(space, tile, chunks, |a, b| (a - b).abs()),
        }
    }

    #[inline]
    fn add(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        chunks: &[PairList],
        difference: impl Fn(f64, f64) -> f64,
    ) -> TileSums {
        let mut result = TileSums::default();
        for chunk in chunks {
            let mut start = 0;
            for &(row, end) in &chunk.rows {
                let own = self.values[row as usize];
                let mut sums = [[0.0; WIDTH]; 2];
                for pair in &chunk.pairs[start..end] {
                    let other = &self.values[pair.neighbor as usize];
                    let mut differences = [0.0; WIDTH];
                    for lane in 0..WIDTH {
                        differences[lane] = difference(own[lane], other[lane]);
                    }
                    if !self.gaps.is_empty() {
                        self.fill_gaps(space, tile, row, pair, &mut differences, &mut result);
                    }
                    for lane in 0..WIDTH {
                        sums[0][lane] += pair.weights[0] * differences[lane];
                        sums[1][lane] += pair.weights[1] * differences[lane];
                    }
                }
                for lane in 0..WIDTH {
                    result.sums[0][lane] += sums[0][lane];
                    result.sums[1][lane] += sums[1][lane];
                }
                start = end;
            }
        }
        result
    }

    /// Puts the differences to missing values where they belong.
    fn fill_gaps(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        row: u32,
        pair: &Pair,
        differences: &mut Lanes,
        result: &mut TileSums,
    ) {
        let missing = self.gaps[row as usize] | self.gaps[pair.neighbor as usize];
        if missing == 0 {
            return;
        }
        for (lane, &feature) in tile.features.iter().enumerate() {
            if missing >> lane & 1 == 0 {
                continue;
            }
            let own = self.values[row as usize][lane];
            differences[lane] = match &space.features()[feature].table {
                Some(table) => {
                    space.gap_difference(table, row as usize, own, pair.neighbor as usize)
                }
                None => {
                    for channel in 0..2 {
                        result.skipped[channel][lane] += pair.weights[channel];
                    }
                    0.0
                }
            };
        }
    }
}
