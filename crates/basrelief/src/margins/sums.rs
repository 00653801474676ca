//! Per-feature sums of weighted differences over pairs of a row and its neighbor.
//!
//! Features are processed in tiles of sixteen: a tile's values lie row by row in one small buffer,
//! so that a pair costs two cache lines and a few vector instructions. Where many neighbors have
//! equal weights, differences are counted as bits; where a source gives each pair once for both
//! directions, its differences are computed once. In sparse columns, only entries are visited. Missing values are added as if they were 0, and
//! corrected afterwards. A feature belongs to one tile and pairs come in a fixed order, so the sums
//! do not depend on the number of threads.

use std::ops::Range;

use basrelief_kernels::{RowTile, Weighed, add_weighted_runs, level};

use super::bit_counts::{BitBuffer, BitTile, bit_tiles};
use super::missing_sums::{CorrectionBuffer, IncidentPairs};
use super::pair_bits::{PairBits, PairBitsBuffer};
use super::pair_lists::Pairs;
use super::plan::{Corrected, Facts, FeatureFacts, SumPlan, Way};
use super::sparse_sums::SparseSums;
use super::tiles::{Lanes, Terms, Tile, TileBuffer, TileKind, WIDTH, kind_of, tiles};
use crate::differences::{Space, code_missing};
use crate::error::Result;
use crate::neighbors::{PairList, PairSource, Runs, TileBuffers};
use crate::parallel;
use crate::run::Run;
use crate::thresholds::{BATCH, LARGE_BATCH, MOST_WEIGHTS, ROWS_LOOKED_AT, features_together};

/// Several weighted sums of differences per feature; [`row_means`] describes what it stores here.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginSums<const SUMS: usize> {
    /// Per sum and feature: the weighted differences.
    pub sums: [Vec<f64>; SUMS],
    /// Per sum and feature: the weight of the pairs that were excluded because a value is missing
    /// and the policy is to ignore it; 0 under the other policies.
    pub skipped: [Vec<f64>; SUMS],
    /// Per sum: the weight of all pairs.
    pub totals: [f64; SUMS],
    /// How the differences were added up.
    pub plan: SumPlan,
}

impl<const SUMS: usize> MarginSums<SUMS> {
    /// Sums over no pairs yet.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            sums: std::array::from_fn(|_| vec![0.0; width]),
            skipped: std::array::from_fn(|_| vec![0.0; width]),
            totals: [0.0; SUMS],
            plan: SumPlan::default(),
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

    /// The weight of the pairs included in a feature's sum.
    pub fn counted(&self, sum: usize, feature: usize) -> f64 {
        self.totals[sum] - self.skipped[sum][feature]
    }

    /// The sum that a feature would have if no pair had been excluded: scaled up to the weight of
    /// all pairs; 0 if every pair was excluded.
    pub fn completed(&self, sum: usize, feature: usize) -> f64 {
        let value = self.sums[sum][feature];
        if self.skipped[sum][feature] == 0.0 {
            return value;
        }
        let counted = self.counted(sum, feature);
        // Weights of pairs are sums of at most a few thousand fractions: the counted weight of a
        // feature whose pairs were all skipped is rounding error.
        if counted <= self.totals[sum] * 1e-12 { 0.0 } else { value / counted * self.totals[sum] }
    }
}

/// Adds up, for every feature, the differences of all pairs of a sampled row and its neighbor.
///
/// `weigh(row, group, neighbor row, neighbor weight)` returns the weight of a pair in each sum. It
/// is also called for rows that are not neighbors, with weight 0; its result is then ignored. Weights of rows multiply
/// those of their pairs.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn margin_sums<const SUMS: usize>(
    space: &Space<'_>,
    source: &dyn PairSource,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    run: &Run,
) -> Result<MarginSums<SUMS>> {
    margin_sums_of(space, 0..space.width(), source, weigh, run)
}

/// As [`margin_sums`], but only for some features, in ascending order; the sums of the others are 0.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn margin_sums_of<const SUMS: usize>(
    space: &Space<'_>,
    features: impl Iterator<Item = usize>,
    source: &dyn PairSource,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    run: &Run,
) -> Result<MarginSums<SUMS>> {
    let terms = Terms { means: false, jumps: &[] };
    match space.row_weights() {
        None => add_up(space, features, source, terms, weigh, run),
        Some(weights) => {
            let weigh = |row: u32, group: usize, neighbor: u32, weight: f64| {
                weigh(row, group, neighbor, weight).map(|count| weights[row as usize] * count)
            };
            add_up(space, features, source, terms, weigh, run)
        }
    }
}

/// As [`margin_sums`], but each row contributes to each sum its mean difference over those of its
/// pairs in which the feature is known: `sums` are sums of means, `totals` count the rows that have
/// a pair, and `skipped` counts the rows with no pair in which the feature is known.
///
/// `jumps` contains a fraction of the range per feature: a numeric difference above it counts as 1.
/// An empty slice leaves the differences unchanged. Weights of rows are not supported.
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
    add_up(space, 0..space.width(), source, Terms { means: true, jumps }, weigh, run)
}

fn add_up<const SUMS: usize>(
    space: &Space<'_>,
    features: impl Iterator<Item = usize>,
    source: &dyn PairSource,
    terms: Terms<'_>,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    run: &Run,
) -> Result<MarginSums<SUMS>> {
    let by_row = Pairs::ByRow(source);
    let some_rows = 0..source.len().min(ROWS_LOOKED_AT);
    let (pairs, runs) = Runs::count(&by_row.list(some_rows, &weigh, run)?);
    let (rows, means, forced) = (space.rows(), terms.means, run.routes());
    let facts = Facts { rows, pairs, runs, means, forced };
    let mut plan = SumPlan::default();
    let (mut counted, mut others) = (Vec::new(), Vec::new());
    let (mut sparse, mut by_bits, mut looked_up) = (Vec::new(), Vec::new(), Vec::new());
    for feature in features {
        let Some((way, corrected)) = facts.way(feature_facts(space, terms, feature)) else {
            continue;
        };
        plan.add(way, corrected);
        match way {
            Way::Counted => &mut counted,
            Way::Sparse => &mut sparse,
            Way::Weighed | Way::Apart => &mut others,
        }
        .push(feature);
        match corrected {
            Some(Corrected::ByBits) => by_bits.push(feature),
            Some(Corrected::LookedUp) => looked_up.push(feature),
            None => {}
        }
    }
    let (bits, numbers) = (bit_tiles(space, &counted), tiles(space, terms, &others));
    let wants_undirected = facts.undirected(!numbers.is_empty() || !looked_up.is_empty());
    let undirected = if wants_undirected { source.undirected() } else { None };
    plan.undirected = undirected.is_some();
    let work: Vec<(Pairs<'_>, Work)> = match undirected {
        Some(pairs) => {
            let others = Work { numbers, looked_up, ..Work::default() };
            let of_bits = Work { bits, by_bits, sparse, ..Work::default() };
            let is_work = !of_bits.bits.is_empty() || !of_bits.sparse.is_empty();
            let of_bits = is_work.then_some((by_row, of_bits));
            of_bits.into_iter().chain([(Pairs::Undirected(pairs), others)]).collect()
        }
        None => vec![(by_row, Work { bits, by_bits, sparse, numbers, looked_up })],
    };
    let steps = work.iter().map(|(pairs, work)| work.batches(pairs).len() * work.features());
    run.progress().start("adding up margins", steps.sum::<usize>() as u64);
    let mut result = MarginSums::new(space.width());
    for (pairs, work) in work {
        // All entries cover the same pairs.
        result.totals = [0.0; SUMS];
        let mut entries = SparseSums::new(space, &work.sparse, run);
        let mut marked = if work.by_bits.is_empty() { None } else { PairBits::new(rows) };
        for batch in work.batches(&pairs) {
            let lists = pairs.list(batch, &weigh, run)?;
            add_totals(&lists, terms, &mut result.totals);
            entries.add(&lists, run)?;
            run.progress().advance(work.sparse.len() as u64);
            work.add(space, terms, &facts, &lists, &mut marked, &mut result, run)?;
        }
        for (&feature, sums) in work.sparse.iter().zip(entries.finish(run)) {
            (0..SUMS).for_each(|sum| result.sums[sum][feature] += sums[sum]);
        }
        if let Some(pairs) = marked.filter(|pairs| !pairs.is_empty()) {
            let sums = |buffer: &mut PairBitsBuffer, features: &[usize]| {
                buffer.sums(space, features, &pairs)
            };
            add_corrections(space, &work.by_bits, &mut result, run, sums)?;
        }
    }
    run.progress().finish();
    plan.fallback = result.plan.fallback.take();
    result.plan = plan;
    Ok(result)
}

/// Adds the weights of the pairs of every sum, or the number of rows if means are summed.
fn add_totals<const SUMS: usize>(
    lists: &[[PairList; SUMS]],
    terms: Terms<'_>,
    totals: &mut [f64; SUMS],
) {
    for list in lists {
        for (total, list) in totals.iter_mut().zip(list) {
            *total += match terms.means {
                true => list.rows.len() as f64,
                false => list.weights.iter().sum::<f64>(),
            };
        }
    }
}

/// Whether any feature needs more than counts of bits over pairs of equal weight. If so, pairs are
/// taken once for both directions where a source offers them that way.
pub(crate) fn has_more_than_bits(space: &Space<'_>, run: &Run) -> bool {
    let facts = Facts { rows: space.rows(), pairs: 1, runs: 0, means: false, forced: run.routes() };
    let terms = Terms { means: false, jumps: &[] };
    (0..space.width()).any(|feature| {
        let way = facts.way(feature_facts(space, terms, feature));
        way.is_some_and(|way| {
            !matches!(way, (Way::Counted, None | Some(Corrected::ByBits)) | (Way::Sparse, None))
        })
    })
}

/// The facts that decide how a feature's differences are added up.
fn feature_facts(space: &Space<'_>, terms: Terms<'_>, index: usize) -> FeatureFacts {
    let feature = &space.features()[index];
    let kind = kind_of(space, terms, index);
    FeatureFacts {
        is_constant: kind.is_none(),
        is_plain: kind.is_some_and(TileKind::is_plain),
        is_bits: feature.rule.bit_code().is_some(),
        is_sparse: space.sparse(index).is_some(),
        is_ignored: !feature.missing_rows().is_empty() && feature.table().is_none(),
        has_table: feature.table().is_some(),
        has_small_table: feature.table().is_some_and(|table| table.is_small()),
    }
}

/// The features whose differences are added up over a set of pairs.
#[derive(Default)]
struct Work {
    /// Features whose differences are counted as bits.
    bits: Vec<BitTile>,
    /// Sparse features.
    sparse: Vec<usize>,
    /// All other features.
    numbers: Vec<Tile>,
    /// Features whose missing values are corrected by bits of pairs, and those corrected from
    /// tables.
    by_bits: Vec<usize>,
    looked_up: Vec<usize>,
}

impl Work {
    /// The batches in which the pairs are processed.
    fn batches(&self, pairs: &Pairs<'_>) -> Vec<Range<usize>> {
        let only_bits = self.numbers.is_empty() && self.looked_up.is_empty();
        let is_cheap = only_bits || matches!(pairs, Pairs::Undirected(_));
        pairs.batches(if is_cheap { LARGE_BATCH } else { BATCH })
    }

    /// Number of features.
    fn features(&self) -> usize {
        let bits = self.bits.iter().map(|tile| tile.features.len());
        let others = bits.chain(self.numbers.iter().map(|tile| tile.features.len()));
        others.sum::<usize>() + self.sparse.len()
    }

    /// Adds the pairs of some lists to the result, except corrections that are deferred because
    /// `pairs` accepts these pairs.
    fn add<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        terms: Terms<'_>,
        facts: &Facts<'_>,
        lists: &[[PairList; SUMS]],
        pairs: &mut Option<PairBits>,
        result: &mut MarginSums<SUMS>,
        run: &Run,
    ) -> Result<()> {
        let mut are_taken = false;
        if !self.bits.is_empty() {
            let of_lists = |lists: &[PairList; SUMS]| lists.each_ref().map(Runs::new);
            let runs = run.install(|| parallel::map(lists, of_lists));
            are_taken = pairs.as_mut().is_some_and(|pairs| {
                let (count, of_runs) = Runs::count(lists);
                let worth = facts.bits_are_worth(count, of_runs, pairs.words());
                worth && pairs.take(&runs, MOST_WEIGHTS)
            });
            if pairs.is_some() && !are_taken {
                result.plan.fallback = Some(
                    "corrections by bits of pairs were given up for tables: some rows have few pairs, or \
                     pairs of many different weights"
                        .to_string(),
                );
            }
            self.add_bits(space, &runs, result, run)?;
        }
        if !self.numbers.is_empty() {
            add_tiles(space, &self.numbers, terms, facts, lists, result, run)?;
        }
        let by_bits = if are_taken { &[][..] } else { &self.by_bits };
        let others = [by_bits, &self.looked_up].concat();
        if others.is_empty() {
            return Ok(());
        }
        let incident: [IncidentPairs; SUMS] = std::array::from_fn(|sum| {
            IncidentPairs::new(space.rows(), lists.iter().map(|lists| &lists[sum]))
        });
        add_corrections(space, &others, result, run, |buffer: &mut CorrectionBuffer, features| {
            buffer.sums(space, features, &incident)
        })
    }

    fn add_bits<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        runs: &[[Runs; SUMS]],
        result: &mut MarginSums<SUMS>,
        run: &Run,
    ) -> Result<()> {
        let counted = run.install(|| {
            parallel::try_map_with(&self.bits, |buffer: &mut BitBuffer, tile| {
                run.check()?;
                buffer.fill(space, tile);
                let sums = buffer.add_up(tile, runs);
                run.progress().advance(tile.features.len() as u64);
                Ok(sums)
            })
        })?;
        for (tile, sums) in self.bits.iter().zip(counted) {
            for (lane, &feature) in tile.features.iter().enumerate() {
                for sum in 0..SUMS {
                    result.sums[sum][feature] += sums[sum][lane];
                }
            }
        }
        Ok(())
    }
}

/// Adds the corrections for the missing values of some features; `sums` computes those of a group
/// of features, in order.
fn add_corrections<const SUMS: usize, B: Default>(
    space: &Space<'_>,
    features: &[usize],
    result: &mut MarginSums<SUMS>,
    run: &Run,
    sums: impl Fn(&mut B, &[usize]) -> Vec<[f64; SUMS]> + Sync,
) -> Result<()> {
    let together = run.share_of(features.len(), features_together(space.rows()));
    let corrections = run.install(|| {
        parallel::try_map_with(features.chunks(together), |buffer: &mut B, features| {
            run.check()?;
            Ok(sums(buffer, features))
        })
    })?;
    for (&feature, corrections) in features.iter().zip(corrections.into_iter().flatten()) {
        for (sum, correction) in corrections.into_iter().enumerate() {
            result.sums[sum][feature] += correction;
        }
    }
    Ok(())
}

/// Adds the pairs of some lists in some tiles to the result.
fn add_tiles<const SUMS: usize>(
    space: &Space<'_>,
    tiles: &[Tile],
    terms: Terms<'_>,
    facts: &Facts<'_>,
    lists: &[[PairList; SUMS]],
    result: &mut MarginSums<SUMS>,
    run: &Run,
) -> Result<()> {
    let together = facts.tiles_together(size_of::<RowTile>());
    let tile_sums = run.install(|| {
        let groups = tiles.chunks(run.share_of(tiles.len(), together));
        parallel::try_map_with(groups, |buffer: &mut GroupBuffer, tiles| {
            run.check()?;
            let weighed = |tile: &Tile| tile.weighed(space, terms);
            let mut sums = Vec::with_capacity(tiles.len());
            for tiles in tiles.chunk_by(|a, b| weighed(a) == weighed(b)) {
                sums.extend(buffer.add_up(space, tiles, weighed(&tiles[0]), terms, lists));
                let features = tiles.iter().map(|tile| tile.features.len() as u64);
                run.progress().advance(features.sum());
            }
            Ok(sums)
        })
    })?;
    for (tile, sums) in tiles.iter().zip(tile_sums.into_iter().flatten()) {
        for (lane, &feature) in tile.features.iter().enumerate() {
            for sum in 0..SUMS {
                result.sums[sum][feature] += sums.sums[sum][lane];
                result.skipped[sum][feature] += sums.skipped[sum][lane];
            }
        }
    }
    Ok(())
}

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

/// The sums of a row's pairs in one tile.
struct RowSums {
    sums: Lanes,
    skipped: Lanes,
}

impl RowSums {
    /// Turns the sums of pairs of total weight `total` into means, and the skipped weights into 1
    /// where all pairs were skipped, otherwise 0.
    fn average(&mut self, total: f64) {
        for lane in 0..WIDTH {
            let known = total - self.skipped[lane];
            let nothing = known <= total * 1e-12;
            self.skipped[lane] = f64::from(u8::from(nothing));
            self.sums[lane] = if nothing { 0.0 } else { self.sums[lane] / known };
        }
    }
}

/// Buffers for tiles of the same form, reused between calls.
#[derive(Default)]
struct GroupBuffer {
    tiles: Vec<TileBuffer>,
    columns: TileBuffers,
}

impl GroupBuffer {
    /// The sums of some tiles for which kernels add up the same `weighed` quantity.
    fn add_up<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        tiles: &[Tile],
        weighed: Option<Weighed>,
        terms: Terms<'_>,
        lists: &[[PairList; SUMS]],
    ) -> Vec<TileSums<SUMS>> {
        let Self { tiles: buffers, columns } = self;
        buffers.resize_with(tiles.len().max(buffers.len()), TileBuffer::default);
        let buffers = &mut buffers[..tiles.len()];
        let ranges: Vec<Option<Lanes>> = tiles.iter().map(|tile| tile.ranges(space)).collect();
        TileBuffer::fill(buffers, space, tiles, &ranges, columns);
        let mut found = match weighed {
            Some(weighed) => {
                for buffer in buffers.iter_mut().filter(|buffer| !buffer.missing.is_empty()) {
                    buffer.values.iter_mut().for_each(|row| code_missing(&mut row.0));
                }
                add_weighted(buffers, weighed, lists)
            }
            None => {
                let with_tile = buffers.iter().zip(tiles);
                with_tile.map(|(buffer, tile)| buffer.add_up(space, tile, lists, terms)).collect()
            }
        };
        for (found, ranges) in found.iter_mut().zip(ranges) {
            if let Some(ranges) = ranges {
                for sums in &mut found.sums {
                    sums.iter_mut().zip(&ranges).for_each(|(sum, range)| *sum /= range);
                }
            }
        }
        found
    }
}

/// The sums of several tiles, weighted pair by pair by the kernels.
fn add_weighted<const SUMS: usize>(
    tiles: &[TileBuffer],
    weighed: Weighed,
    lists: &[[PairList; SUMS]],
) -> Vec<TileSums<SUMS>> {
    let values: Vec<&[RowTile]> = tiles.iter().map(|tile| &tile.values[..]).collect();
    let mut sums: [Vec<Lanes>; SUMS] = std::array::from_fn(|_| vec![[0.0; WIDTH]; tiles.len()]);
    // All tiles process a list while it is in the cache.
    for lists in lists {
        for (list, sums) in lists.iter().zip(&mut sums) {
            let PairList { rows, ends, neighbors, weights } = list;
            add_weighted_runs(level(), weighed, &values, rows, ends, neighbors, weights, sums);
        }
    }
    let of_tile = |tile: usize| TileSums {
        sums: sums.each_ref().map(|sums| sums[tile]),
        ..TileSums::default()
    };
    (0..tiles.len()).map(of_tile).collect()
}

/// Reused memory for the differences of a row.
#[derive(Default)]
struct LineMemory {
    values: Vec<f64>,
    line: Vec<f64>,
    differences: Vec<Lanes>,
}

impl TileBuffer {
    /// Adds up differences pair by pair, by the rule of each feature.
    fn add_up<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        lists: &[[PairList; SUMS]],
        terms: Terms<'_>,
    ) -> TileSums<SUMS> {
        let mut result = TileSums::<SUMS>::default();
        let mut memory = LineMemory::default();
        for (sum, list) in lists.iter().flat_map(|lists| lists.iter().enumerate()) {
            for (row, neighbors, weights) in list.rows() {
                self.fill_differences(space, tile, terms, (row, neighbors), &mut memory);
                let mut of_row = RowSums { sums: [0.0; WIDTH], skipped: [0.0; WIDTH] };
                let of_pairs = memory.differences.iter_mut().zip(neighbors.iter().zip(weights));
                for (differences, (&neighbor, &weight)) in of_pairs {
                    if !self.missing.is_empty() {
                        let rows = [row as usize, neighbor as usize];
                        let skipped = &mut of_row.skipped;
                        self.fill_missing(space, tile, rows, weight, differences, skipped);
                    }
                    for lane in 0..WIDTH {
                        of_row.sums[lane] += weight * differences[lane];
                    }
                }
                if terms.means {
                    of_row.average(weights.iter().sum());
                }
                for lane in 0..WIDTH {
                    result.sums[sum][lane] += of_row.sums[lane];
                    result.skipped[sum][lane] += of_row.skipped[lane];
                }
            }
        }
        result
    }

    /// Replaces the differences in the memory by those of a row to its neighbors; entries that
    /// involve missing values are unspecified.
    fn fill_differences(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        terms: Terms<'_>,
        (row, neighbors): (u32, &[u32]),
        memory: &mut LineMemory,
    ) {
        let LineMemory { values, line, differences } = memory;
        let own = self.values[row as usize].0;
        differences.clear();
        differences.resize(neighbors.len(), [0.0; WIDTH]);
        for (lane, &feature) in tile.features.iter().enumerate() {
            values.clear();
            values.extend(neighbors.iter().map(|&other| self.values[other as usize].0[lane]));
            space.features()[feature].rule.line(own[lane], values, line);
            if tile.kind == TileKind::Jumping {
                let jump = terms.jumps[feature];
                line.iter_mut().filter(|one| **one > jump).for_each(|one| *one = 1.0);
            }
            differences.iter_mut().zip(&*line).for_each(|(out, one)| out[lane] = *one);
        }
    }

    /// Fills in the differences to missing values, and adds the weights of excluded pairs to
    /// `skipped`.
    fn fill_missing(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        [row, neighbor]: [usize; 2],
        weight: f64,
        differences: &mut Lanes,
        skipped: &mut Lanes,
    ) {
        let missing = self.missing[row] | self.missing[neighbor];
        if missing == 0 {
            return;
        }
        for (lane, &feature) in tile.features.iter().enumerate() {
            if missing >> lane & 1 == 0 {
                continue;
            }
            differences[lane] = match space.features()[feature].table() {
                Some(table) => {
                    space.missing_difference(table, row, self.values[row].0[lane], neighbor)
                }
                None => {
                    skipped[lane] += weight;
                    0.0
                }
            };
        }
    }
}
