//! Per-feature sums of weighted differences over pairs of a row and its neighbour.
//!
//! Features are taken in tiles of sixteen: a tile's values lie row by row in one small buffer, so
//! that a pair costs two cache lines and a few vector instructions. Where many neighbours weigh the
//! same, their differences are added first, genotypes as bits and missing values as if they were 0.
//! A feature belongs to one tile and pairs come in a fixed order, so the sums do not depend on the
//! number of threads.

use rayon::prelude::*;

use basrelief_kernels::{LANES, RUN_WIDTH, level, sum_runs};

use super::genotypes::{GenotypeBuffer, genotype_tiles};
use super::runs::Runs;
use super::shares::{self, ShareBuffer, Touching};
use crate::data::{ColumnBuffers, TOGETHER};
use crate::error::Result;
use crate::neighbors::{PairSource, Rule, Space, code_missing};
use crate::run::Run;

/// Features per tile.
const WIDTH: usize = RUN_WIDTH;

/// Pairs held at a time.
const BATCH: usize = 1 << 20;

/// Runs whose sums are weighed at a time.
const RUNS_AT_ONCE: usize = 32;

/// Rows whose pairs one task lists, at most, and tasks that a batch makes, at least; neither depends
/// on the number of threads.
const ROWS_PER_TASK: usize = 64;
const LEAST_TASKS: usize = 8;

/// Several weighted sums of differences per feature; what [`row_means`] gives is described there.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginSums<const SUMS: usize> {
    /// Per sum and feature: the weighted differences.
    pub sums: [Vec<f64>; SUMS],
    /// Per sum and feature: the weight of the pairs that were left out because a value is missing
    /// and the policy is to ignore it; 0 under the other policies.
    pub skipped: [Vec<f64>; SUMS],
    /// Per sum: the weight of all pairs.
    pub totals: [f64; SUMS],
}

impl<const SUMS: usize> MarginSums<SUMS> {
    /// Sums over no pair yet.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            sums: std::array::from_fn(|_| vec![0.0; width]),
            skipped: std::array::from_fn(|_| vec![0.0; width]),
            totals: [0.0; SUMS],
        }
    }

    /// Adds one pair to one sum.
    pub(crate) fn add(&mut self, space: &Space<'_>, sum: usize, i: usize, j: usize, weight: f64) {
        self.totals[sum] += weight;
        for feature in 0..space.width() {
            match space.difference(feature, i, j) {
                Some(difference) => self.sums[sum][feature] += weight * difference,
                None => self.skipped[sum][feature] += weight,
            }
        }
    }

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
/// `weigh(row, group, neighbour row, neighbour weight)` says what a pair counts in each sum.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn margin_sums<const SUMS: usize>(
    space: &Space<'_>,
    source: &dyn PairSource,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    run: &Run,
) -> Result<MarginSums<SUMS>> {
    add_up(space, source, Terms { means: false, jumps: &[] }, weigh, run)
}

/// As [`margin_sums`], but of every row and sum the mean difference over the row's pairs that know
/// the feature: `sums` are sums of means, `totals` count the rows that have a pair, and `skipped`
/// those none of whose pairs knows the feature.
///
/// `jumps` has a share of the range per feature: a numeric difference beyond it counts 1. Empty
/// leaves the differences as they are.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn row_means<const SUMS: usize>(
    space: &Space<'_>,
    source: &dyn PairSource,
    jumps: &[f64],
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    run: &Run,
) -> Result<MarginSums<SUMS>> {
    add_up(space, source, Terms { means: true, jumps }, weigh, run)
}

/// What is added up.
#[derive(Clone, Copy)]
struct Terms<'t> {
    /// A row's mean over its pairs instead of the pairs themselves.
    means: bool,
    /// Per feature, the share of its range beyond which a numeric difference counts 1; or empty.
    jumps: &'t [f64],
}

fn add_up<const SUMS: usize>(
    space: &Space<'_>,
    source: &dyn PairSource,
    terms: Terms<'_>,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    run: &Run,
) -> Result<MarginSums<SUMS>> {
    let width = space.width();
    let genotype_tiles = genotype_tiles(space);
    let as_bits: Vec<usize> =
        genotype_tiles.iter().flat_map(|tile| tile.features.iter().copied()).collect();
    let other_tiles = tiles(space, terms, &as_bits);
    let all_tiles = tiles(space, terms, &[]);
    // Features whose missing values are coded where runs are added up.
    let with_shares: Vec<usize> = all_tiles
        .iter()
        .filter(|tile| tile.takes_runs(space))
        .flat_map(|tile| tile.features.iter().copied())
        .filter(|&feature| space.features()[feature].table.is_some())
        .collect();
    let mut result = MarginSums::new(width);
    let batches = batches(source);
    let steps = batches.len() * (genotype_tiles.len() + other_tiles.len());
    run.progress().start("adding up margins", steps as u64);
    for batch in batches {
        // Rows with many pairs make batches of few rows, which should be several tasks all the same.
        let per_task = (batch.len() / LEAST_TASKS).next_multiple_of(LANES);
        let per_task = per_task.clamp(LANES, ROWS_PER_TASK);
        let starts: Vec<usize> = batch.clone().step_by(per_task).collect();
        let chunks = run.install(|| {
            starts
                .par_iter()
                .map(|&start| {
                    run.check()?;
                    let rows = start..(start + per_task).min(batch.end);
                    Ok(list_pairs(source, rows, &weigh))
                })
                .collect::<Result<Vec<PairList<SUMS>>>>()
        })?;
        for chunk in &chunks {
            if terms.means {
                chunk.rows().for_each(|(_, pairs)| {
                    let weights = weight_of(pairs);
                    for sum in 0..SUMS {
                        result.totals[sum] += f64::from(u8::from(weights[sum] > 0.0));
                    }
                });
                continue;
            }
            for pair in &chunk.pairs {
                for sum in 0..SUMS {
                    result.totals[sum] += pair.weights[sum];
                }
            }
        }
        // A row's mean weighs its pairs one by one.
        let in_runs = !terms.means && run.install(|| Runs::worth(&chunks));
        let runs_by = |make: fn(&PairList<SUMS>) -> Runs<SUMS>, tiles: usize| {
            let wanted = in_runs && tiles > 0;
            wanted.then(|| run.install(|| chunks.par_iter().map(make).collect::<Vec<_>>()))
        };
        if let Some(runs) = runs_by(Runs::by_weight, genotype_tiles.len()) {
            let counted = run.install(|| {
                genotype_tiles
                    .par_iter()
                    .map_init(GenotypeBuffer::default, |buffer, tile| {
                        run.check()?;
                        buffer.fill(space, tile);
                        let sums = buffer.add_up(tile, &runs);
                        run.progress().advance(1);
                        Ok(sums)
                    })
                    .collect::<Result<Vec<_>>>()
            })?;
            for (tile, sums) in genotype_tiles.iter().zip(counted) {
                for (lane, &feature) in tile.features.iter().enumerate() {
                    for sum in 0..SUMS {
                        result.sums[sum][feature] += sums[sum][lane];
                    }
                }
            }
        }
        let tiles = if in_runs { &other_tiles } else { &all_tiles };
        let cut = runs_by(Runs::cut, tiles.len());
        let tile_sums = run.install(|| {
            tiles
                .par_iter()
                .map_init(TileBuffer::default, |buffer, tile| {
                    run.check()?;
                    buffer.fill(space, tile);
                    let sums = match &cut {
                        Some(runs) if tile.takes_runs(space) => buffer.add_runs(tile, runs),
                        _ => buffer.add_up(space, tile, &chunks, terms),
                    };
                    run.progress().advance(1);
                    Ok(sums)
                })
                .collect::<Result<Vec<TileSums<SUMS>>>>()
        })?;
        for (tile, sums) in tiles.iter().zip(tile_sums) {
            for (lane, &feature) in tile.features.iter().enumerate() {
                for sum in 0..SUMS {
                    result.sums[sum][feature] += sums.sums[sum][lane];
                    result.skipped[sum][feature] += sums.skipped[sum][lane];
                }
            }
        }
        if in_runs && !with_shares.is_empty() {
            let touching = Touching::new(space.rows(), &chunks);
            let shares = run.install(|| {
                with_shares
                    .par_chunks(run.share_of(with_shares.len(), shares::TOGETHER))
                    .map_init(ShareBuffer::default, |buffer, features| {
                        run.check()?;
                        Ok(buffer.sums(space, features, &touching))
                    })
                    .collect::<Result<Vec<Vec<[f64; SUMS]>>>>()
            })?;
            for (&feature, shares) in with_shares.iter().zip(shares.into_iter().flatten()) {
                for (sum, share) in shares.into_iter().enumerate() {
                    result.sums[sum][feature] += share;
                }
            }
        }
    }
    run.progress().finish();
    Ok(result)
}

/// One pair: the neighbour and what the pair counts.
pub(super) struct Pair<const SUMS: usize> {
    pub(super) neighbor: u32,
    pub(super) weights: [f64; SUMS],
}

/// The pairs of some rows.
pub(super) struct PairList<const SUMS: usize> {
    /// Row of the table and the end of its pairs.
    ends: Vec<(u32, usize)>,
    pub(super) pairs: Vec<Pair<SUMS>>,
}

impl<const SUMS: usize> PairList<SUMS> {
    /// Every row of the table with its pairs.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &[Pair<SUMS>])> {
        let mut start = 0;
        self.ends.iter().map(move |&(row, end)| {
            let pairs = &self.pairs[start..end];
            start = end;
            (row, pairs)
        })
    }
}

/// What a row's pairs count in each sum.
fn weight_of<const SUMS: usize>(pairs: &[Pair<SUMS>]) -> [f64; SUMS] {
    std::array::from_fn(|sum| pairs.iter().map(|pair| pair.weights[sum]).sum())
}

/// Ranges of sampled rows with a bounded number of pairs each.
fn batches(source: &dyn PairSource) -> Vec<std::ops::Range<usize>> {
    let mut batches = Vec::new();
    let (mut first, mut pairs) = (0, 0);
    for place in 0..source.len() {
        let expected = source.expected_pairs(place);
        if pairs + expected > BATCH && place > first {
            batches.push(first..place);
            (first, pairs) = (place, 0);
        }
        pairs += expected;
    }
    batches.push(first..source.len());
    batches
}

fn list_pairs<const SUMS: usize>(
    source: &dyn PairSource,
    places: std::ops::Range<usize>,
    weigh: &(impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync),
) -> PairList<SUMS> {
    let mut list = PairList { ends: Vec::new(), pairs: Vec::new() };
    source.visit(places, &mut |row, group, neighbors| {
        list.pairs.extend(neighbors.iter().map(|neighbor| Pair {
            neighbor: neighbor.row,
            weights: weigh(row, group, neighbor.row, neighbor.weight),
        }));
        let end = list.pairs.len();
        match list.ends.last_mut() {
            Some(last) if last.0 == row => last.1 = end,
            _ => list.ends.push((row, end)),
        }
    });
    list
}

/// How the differences of a tile are taken; all its features are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TileKind {
    Absolute,
    Ramped,
    Jumping,
    Mismatch,
}

/// Up to sixteen features of one kind.
struct Tile {
    kind: TileKind,
    features: Vec<usize>,
}

impl Tile {
    /// Whether the differences can be added before they are weighed: not where pairs are left out.
    fn takes_runs(&self, space: &Space<'_>) -> bool {
        matches!(self.kind, TileKind::Absolute | TileKind::Mismatch)
            && self.features.iter().all(|&feature| {
                let feature = &space.features()[feature];
                feature.gaps.is_empty() || feature.table.is_some()
            })
    }
}

/// The features in tiles, but for some.
fn tiles(space: &Space<'_>, terms: Terms<'_>, without: &[usize]) -> Vec<Tile> {
    let mut wanted = vec![true; space.width()];
    without.iter().for_each(|&feature| wanted[feature] = false);
    let ramped = space.options().ramp.is_some();
    let jumping = !terms.jumps.is_empty();
    let kind_of = |rule: Rule| match rule {
        Rule::Inert => None,
        Rule::Number { .. } if jumping => Some(TileKind::Jumping),
        Rule::Number { .. } if ramped => Some(TileKind::Ramped),
        Rule::Number { .. } | Rule::Copies => Some(TileKind::Absolute),
        Rule::Mismatch { .. } => Some(TileKind::Mismatch),
    };
    [TileKind::Absolute, TileKind::Ramped, TileKind::Jumping, TileKind::Mismatch]
        .into_iter()
        .flat_map(|kind| {
            let features: Vec<usize> = (0..space.width())
                .filter(|&feature| wanted[feature])
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
struct TileSums<const SUMS: usize> {
    sums: [Lanes; SUMS],
    skipped: [Lanes; SUMS],
}

impl<const SUMS: usize> Default for TileSums<SUMS> {
    fn default() -> Self {
        Self { sums: [[0.0; WIDTH]; SUMS], skipped: [[0.0; WIDTH]; SUMS] }
    }
}

impl<const SUMS: usize> TileSums<SUMS> {
    fn add(&mut self, other: &Self) {
        for sum in 0..SUMS {
            for lane in 0..WIDTH {
                self.sums[sum][lane] += other.sums[sum][lane];
                self.skipped[sum][lane] += other.skipped[sum][lane];
            }
        }
    }

    /// Turns the sums of a row whose pairs weigh `totals` into means, and what was skipped into
    /// 1 where that is everything, else 0.
    fn average(&mut self, totals: [f64; SUMS]) {
        for (sum, total) in totals.into_iter().enumerate().filter(|(_, total)| *total > 0.0) {
            for lane in 0..WIDTH {
                let known = total - self.skipped[sum][lane];
                let nothing = known <= total * 1e-12;
                self.skipped[sum][lane] = f64::from(u8::from(nothing));
                self.sums[sum][lane] = if nothing { 0.0 } else { self.sums[sum][lane] / known };
            }
        }
    }
}

/// The values of one tile, row by row.
#[derive(Default)]
struct TileBuffer {
    values: Vec<Lanes>,
    /// Per row, a bit per lane whose value is missing; empty when none is.
    gaps: Vec<u16>,
    columns: ColumnBuffers,
    /// The sums of some runs, and where these end.
    of_runs: Vec<Lanes>,
    ends: Vec<usize>,
}

impl TileBuffer {
    /// Adds runs up; missing values are taken for 0, and what is amiss is not added here.
    fn add_runs<const SUMS: usize>(&mut self, tile: &Tile, lists: &[Runs<SUMS>]) -> TileSums<SUMS> {
        if !self.gaps.is_empty() {
            code_missing(self.values.as_flattened_mut());
        }
        let mut result = TileSums::default();
        let mismatch = tile.kind == TileKind::Mismatch;
        for list in lists {
            // Few runs at a time, whose sums stay in the cache with the values.
            let mut first = 0;
            for start in (0..list.rows.len()).step_by(RUNS_AT_ONCE) {
                let runs = start..(start + RUNS_AT_ONCE).min(list.rows.len());
                let last = list.ends[runs.end - 1];
                self.ends.clear();
                self.ends.extend(list.ends[runs.clone()].iter().map(|end| end - first));
                self.of_runs.resize(runs.len(), [0.0; WIDTH]);
                let (rows, others) = (&list.rows[runs.clone()], &list.neighbors[first..last]);
                let (values, out) = (&self.values, &mut self.of_runs);
                sum_runs(level(), mismatch, values, rows, &self.ends, others, out);
                for (differences, weights) in out.iter().zip(&list.weights[runs]) {
                    for (sums, weight) in result.sums.iter_mut().zip(weights) {
                        // Most runs count in one sum only.
                        if *weight != 0.0 {
                            for (sum, difference) in sums.iter_mut().zip(differences) {
                                *sum += weight * difference;
                            }
                        }
                    }
                }
                first = last;
            }
        }
        result
    }

    fn fill(&mut self, space: &Space<'_>, tile: &Tile) {
        self.values.clear();
        self.values.resize(space.rows(), [0.0; WIDTH]);
        self.gaps.clear();
        for (start, features) in (0..).step_by(TOGETHER).zip(tile.features.chunks(TOGETHER)) {
            let columns = space.copy_scaled_together(features, &mut self.columns);
            for (lane, column) in (start..).zip(columns) {
                for (values, value) in self.values.iter_mut().zip(column) {
                    values[lane] = *value;
                }
            }
        }
        for (lane, &feature) in tile.features.iter().enumerate() {
            let gaps = &space.features()[feature].gaps;
            if !gaps.is_empty() {
                self.gaps.resize(space.rows(), 0);
                for &row in gaps {
                    self.gaps[row as usize] |= 1 << lane;
                }
            }
        }
    }

    fn add_up<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        chunks: &[PairList<SUMS>],
        terms: Terms<'_>,
    ) -> TileSums<SUMS> {
        let means = terms.means;
        match (tile.kind, space.options().ramp) {
            (TileKind::Mismatch, _) => {
                self.add(space, tile, chunks, means, |_, a, b| f64::from(u8::from(a != b)))
            }
            (TileKind::Ramped, Some(ramp)) => {
                self.add(space, tile, chunks, means, |_, a, b| ramp.apply((a - b).abs()))
            }
            (TileKind::Jumping, _) => {
                let mut jumps = [f64::INFINITY; WIDTH];
                for (jump, &feature) in jumps.iter_mut().zip(&tile.features) {
                    *jump = terms.jumps[feature];
                }
                self.add(space, tile, chunks, means, |lane: usize, a, b| {
                    let difference: f64 = (a - b).abs();
                    if difference > jumps[lane] { 1.0 } else { difference }
                })
            }
            _ => self.add(space, tile, chunks, means, |_, a, b| (a - b).abs()),
        }
    }

    #[inline]
    fn add<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        chunks: &[PairList<SUMS>],
        means: bool,
        difference: impl Fn(usize, f64, f64) -> f64,
    ) -> TileSums<SUMS> {
        let mut result = TileSums::<SUMS>::default();
        for (row, pairs) in chunks.iter().flat_map(PairList::rows) {
            let own = self.values[row as usize];
            let mut of_row = TileSums::default();
            for pair in pairs {
                let other = &self.values[pair.neighbor as usize];
                let mut differences = [0.0; WIDTH];
                for lane in 0..WIDTH {
                    differences[lane] = difference(lane, own[lane], other[lane]);
                }
                if !self.gaps.is_empty() {
                    self.fill_gaps(space, tile, row, pair, &mut differences, &mut of_row);
                }
                for sum in 0..SUMS {
                    for lane in 0..WIDTH {
                        of_row.sums[sum][lane] += pair.weights[sum] * differences[lane];
                    }
                }
            }
            if means {
                of_row.average(weight_of(pairs));
            }
            result.add(&of_row);
        }
        result
    }

    /// Puts the differences to missing values where they belong.
    fn fill_gaps<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        row: u32,
        pair: &Pair<SUMS>,
        differences: &mut Lanes,
        result: &mut TileSums<SUMS>,
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
                    for sum in 0..SUMS {
                        result.skipped[sum][lane] += pair.weights[sum];
                    }
                    0.0
                }
            };
        }
    }
}
