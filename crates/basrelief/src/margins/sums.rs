//! Per-feature sums of weighted differences over pairs of a row and its neighbour.
//!
//! Features are taken in tiles of sixteen: a tile's values lie row by row in one small buffer, so
//! that a pair costs two cache lines and a few vector instructions. Where many neighbours weigh the
//! same, their differences are added first, genotypes as bits; where pairs can be had with both
//! directions at once, their differences are taken once. Missing values are added as if they were 0.
//! A feature belongs to one tile and pairs come in a fixed order, so the sums do not depend on the
//! number of threads.

use rayon::prelude::*;

use basrelief_kernels::{RUN_WIDTH, RowTile, Weighed, add_weighted_runs, level, sum_runs};

use super::genotypes::{GenotypeBuffer, GenotypeTile, genotype_tiles};
use super::marked::{MarkedBuffer, MarkedPairs};
use super::pairs::{PairList, Pairs};
use super::runs::Runs;
use super::shares::{self, ShareBuffer, Touching};
use crate::error::Result;
use crate::neighbors::{
    Feature, PairSource, Rule, Space, TileBuffers, TileColumns, code_missing, fill_tiles,
};
use crate::run::Run;

/// Features per tile.
const WIDTH: usize = RUN_WIDTH;

/// Tiles that go through the pairs together, at most, and the bytes that these may take: a good part of
/// the second cache.
const GROUP: usize = 8;
const GROUP_BYTES: usize = 1 << 21;

/// Rows whose pairs tell whether all come in runs.
const SAMPLED: usize = 64;

/// Runs whose sums are weighed at a time.
const RUNS_AT_ONCE: usize = 32;

/// Tiles, and pairs per row, from which on the weights of every row's pairs are worth adding up.
const TILES_WORTH: usize = 4;
const PAIRS_WORTH: usize = 8;

/// A difference that is so small a part of the two values is taken itself: as the rest of others it
/// would have lost more than three of its digits.
const LOST: f64 = 1.0 / 1024.0;

/// Ranges of numbers whose differences can be added up as they are, without overflow or loss.
const PLAIN_RANGES: std::ops::Range<f64> = 1e-200..1e200;

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
/// `weigh(row, group, neighbour row, neighbour weight)` says what a pair counts in each sum. It is also
/// asked about rows that are not neighbours, at the weight 0, and what it then says does not count.
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
    let by_row = Pairs::ByRow(source);
    // Whether pairs weigh the same, for which genotypes are counted as bits; a row's mean weighs its
    // pairs one by one.
    let some_rows = 0..source.len().min(SAMPLED);
    let in_runs = !terms.means && Runs::worth(&by_row.list(some_rows, &weigh, run)?);
    let bits = if in_runs { genotype_tiles(space) } else { Vec::new() };
    let mut is_bits = vec![false; space.width()];
    bits.iter().flat_map(|tile| &tile.features).for_each(|&feature| is_bits[feature] = true);
    let numbers = tiles(space, terms, |feature| !is_bits[feature]);
    // Features whose missing values are coded where differences are added up by kernels.
    let with_shares: Vec<usize> = (0..space.width())
        .filter(|&feature| space.features()[feature].table.is_some())
        .filter(|&feature| kind_of(space, terms, feature).is_some_and(|kind| kind.is_plain()))
        .filter(|_| !terms.means)
        .collect();
    let (marked, with_shares): (Vec<usize>, Vec<usize>) =
        with_shares.into_iter().partition(|&feature| {
            let table = space.features()[feature].table.as_ref();
            let has_few_cases = table.is_some_and(|table| table.has_few_cases());
            is_bits[feature] && has_few_cases && MarkedPairs::new(space.rows()).is_some()
        });
    let for_bits_only = numbers.is_empty() && with_shares.is_empty();
    let symmetric = if terms.means || for_bits_only { None } else { source.symmetric() };
    let work: Vec<(Pairs<'_>, Work)> = match symmetric {
        Some(pairs) => {
            let others = Work { numbers, with_shares, ..Work::default() };
            let of_bits = Work { bits, marked, ..Work::default() };
            let of_bits = (!of_bits.bits.is_empty()).then_some((by_row, of_bits));
            of_bits.into_iter().chain([(Pairs::Symmetric(pairs), others)]).collect()
        }
        None => vec![(by_row, Work { bits, marked, numbers, with_shares })],
    };
    let steps = work.iter().map(|(pairs, work)| pairs.batches().len() * work.features());
    run.progress().start("adding up margins", steps.sum::<usize>() as u64);
    let mut result = MarginSums::new(space.width());
    for (pairs, work) in work {
        // All work is over the same pairs.
        result.totals = [0.0; SUMS];
        // Pairs of both directions hardly ever weigh the same.
        let in_runs = in_runs && matches!(pairs, Pairs::ByRow(_));
        let mut marked = if work.marked.is_empty() { None } else { MarkedPairs::new(space.rows()) };
        for batch in pairs.batches() {
            let lists = pairs.list(batch, &weigh, run)?;
            for list in &lists {
                for (total, list) in result.totals.iter_mut().zip(list) {
                    *total += match terms.means {
                        true => list.rows.len() as f64,
                        false => list.weights.iter().sum::<f64>(),
                    };
                }
            }
            work.add(space, terms, &lists, in_runs, &mut marked, &mut result, run)?;
        }
        if let Some(pairs) = marked.filter(|pairs| !pairs.is_empty()) {
            let (features, buffer) = (&work.marked, MarkedBuffer::default);
            add_shares(space, features, &mut result, run, buffer, |buffer, features| {
                buffer.sums(space, features, &pairs)
            })?;
        }
    }
    run.progress().finish();
    Ok(result)
}

/// The features whose differences are added up over some pairs.
#[derive(Default)]
struct Work {
    /// Genotypes, whose differences are counted as bits.
    bits: Vec<GenotypeTile>,
    /// All others.
    numbers: Vec<Tile>,
    /// Features the shares of whose missing values are added: genotypes of few cases, for which pairs may
    /// be marked, and others.
    marked: Vec<usize>,
    with_shares: Vec<usize>,
}

impl Work {
    /// Number of features.
    fn features(&self) -> usize {
        let bits = self.bits.iter().map(|tile| tile.features.len());
        bits.chain(self.numbers.iter().map(|tile| tile.features.len())).sum()
    }

    /// Adds the pairs of some lists to the result, but for the shares for which `pairs` takes them.
    fn add<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        terms: Terms<'_>,
        lists: &[[PairList; SUMS]],
        in_runs: bool,
        pairs: &mut Option<MarkedPairs>,
        result: &mut MarginSums<SUMS>,
        run: &Run,
    ) -> Result<()> {
        let runs_by = |make: fn(&PairList) -> Runs| {
            let of_lists = |lists: &[PairList; SUMS]| lists.each_ref().map(make);
            run.install(|| lists.par_iter().map(of_lists).collect::<Vec<_>>())
        };
        let mut is_marked = false;
        if !self.bits.is_empty() {
            let runs = runs_by(Runs::by_weight);
            is_marked = pairs.as_mut().is_some_and(|pairs| pairs.take(&runs));
            self.add_bits(space, &runs, result, run)?;
        }
        if !self.numbers.is_empty() {
            let form = if in_runs {
                Form::Runs(runs_by(Runs::cut))
            } else if self.numbers.iter().filter(|tile| tile.has_greater(space, terms)).count()
                < TILES_WORTH
            {
                Form::Pairs
            } else {
                touching_weights(lists, space.rows()).map_or(Form::Pairs, Form::Greater)
            };
            add_tiles(space, &self.numbers, terms, lists, &form, result, run)?;
        }
        let marked = if is_marked { &[][..] } else { &self.marked };
        let others = [marked, &self.with_shares].concat();
        if others.is_empty() {
            return Ok(());
        }
        let touching: [Touching; SUMS] = std::array::from_fn(|sum| {
            Touching::new(space.rows(), lists.iter().map(|lists| &lists[sum]))
        });
        add_shares(space, &others, result, run, ShareBuffer::default, |buffer, features| {
            buffer.sums(space, features, &touching)
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
            self.bits
                .par_iter()
                .map_init(GenotypeBuffer::default, |buffer, tile| {
                    run.check()?;
                    buffer.fill(space, tile);
                    let sums = buffer.add_up(tile, runs);
                    run.progress().advance(tile.features.len() as u64);
                    Ok(sums)
                })
                .collect::<Result<Vec<_>>>()
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

/// Adds what the missing values of some features add to their sums; `sums` says it of features that
/// are looked at together, one after the other.
fn add_shares<const SUMS: usize, B: Send>(
    space: &Space<'_>,
    features: &[usize],
    result: &mut MarginSums<SUMS>,
    run: &Run,
    buffer: impl Fn() -> B + Sync + Send,
    sums: impl Fn(&mut B, &[usize]) -> Vec<[f64; SUMS]> + Sync + Send,
) -> Result<()> {
    let together = run.share_of(features.len(), shares::together(space.rows()));
    let shares = run.install(|| {
        features
            .par_chunks(together)
            .map_init(buffer, |buffer, features| {
                run.check()?;
                Ok(sums(buffer, features))
            })
            .collect::<Result<Vec<Vec<[f64; SUMS]>>>>()
    })?;
    for (&feature, shares) in features.iter().zip(shares.into_iter().flatten()) {
        for (sum, share) in shares.into_iter().enumerate() {
            result.sums[sum][feature] += share;
        }
    }
    Ok(())
}

/// How the pairs of some lists are added up.
enum Form<const SUMS: usize> {
    /// In runs, each of which is weighed once: the pairs of the lists once more.
    Runs(Vec<[Runs; SUMS]>),
    /// Pair by pair.
    Pairs,
    /// Pair by pair, the greater of two values in place of their difference: per sum and row, what all
    /// pairs that the row is in weigh.
    Greater([Vec<f64>; SUMS]),
}

/// Per sum and row: the weights of all pairs that a row is in, as one row or the other. `None` where
/// there are few pairs, or some weigh less than nothing.
fn touching_weights<const SUMS: usize>(
    lists: &[[PairList; SUMS]],
    rows: usize,
) -> Option<[Vec<f64>; SUMS]> {
    let pairs: usize = lists.iter().flatten().map(|list| list.weights.len()).sum();
    if pairs < PAIRS_WORTH * rows {
        return None;
    }
    let mut totals = std::array::from_fn(|_| vec![0.0; rows]);
    let mut least = f64::INFINITY;
    for lists in lists {
        for (totals, list) in totals.iter_mut().zip(lists) {
            for (row, neighbors, weights) in list.rows() {
                let mut own = 0.0;
                for (&neighbor, &weight) in neighbors.iter().zip(weights) {
                    least = least.min(weight);
                    own += weight;
                    totals[neighbor as usize] += weight;
                }
                totals[row as usize] += own;
            }
        }
    }
    (least >= 0.0).then_some(totals)
}

/// Adds the pairs of some lists in some tiles to the result, tiles of coded values in the form given.
fn add_tiles<const SUMS: usize>(
    space: &Space<'_>,
    tiles: &[Tile],
    terms: Terms<'_>,
    lists: &[[PairList; SUMS]],
    form: &Form<SUMS>,
    result: &mut MarginSums<SUMS>,
    run: &Run,
) -> Result<()> {
    let together = (GROUP_BYTES / (size_of::<RowTile>() * space.rows())).clamp(1, GROUP);
    let tile_sums = run.install(|| {
        tiles
            .par_chunks(run.share_of(tiles.len(), together))
            .map_init(GroupBuffer::default, |buffer, tiles| {
                run.check()?;
                let way = |tile: &Tile| Way::of(tile, space, terms, form);
                let mut sums = Vec::with_capacity(tiles.len());
                for tiles in tiles.chunk_by(|a, b| way(a) == way(b)) {
                    sums.extend(buffer.add_up(space, tiles, way(&tiles[0]), terms, lists, form));
                    let features = tiles.iter().map(|tile| tile.features.len() as u64);
                    run.progress().advance(features.sum());
                }
                Ok(sums)
            })
            .collect::<Result<Vec<Vec<TileSums<SUMS>>>>>()
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

/// How the differences of a tile are taken; all its features are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TileKind {
    Absolute,
    Ramped,
    Jumping,
    Mismatch,
}

impl TileKind {
    /// Whether the kernels have it.
    fn is_plain(self) -> bool {
        matches!(self, TileKind::Absolute | TileKind::Mismatch)
    }
}

/// How the difference of a feature is taken, unless there is none.
fn kind_of(space: &Space<'_>, terms: Terms<'_>, feature: usize) -> Option<TileKind> {
    match space.features()[feature].rule {
        Rule::Inert => None,
        Rule::Number { .. } if !terms.jumps.is_empty() => Some(TileKind::Jumping),
        Rule::Number { .. } if space.options().ramp.is_some() => Some(TileKind::Ramped),
        Rule::Number { .. } | Rule::Copies => Some(TileKind::Absolute),
        Rule::Mismatch { .. } => Some(TileKind::Mismatch),
    }
}

/// Up to sixteen features of one kind.
struct Tile {
    kind: TileKind,
    features: Vec<usize>,
}

impl Tile {
    /// Whether missing values, if any, are coded, and made up for by their shares: not where pairs
    /// are left out. Differences of coded values are for kernels to add up.
    fn is_coded(&self, space: &Space<'_>, terms: Terms<'_>) -> bool {
        !terms.means
            && self.kind.is_plain()
            && self.features.iter().all(|&feature| {
                let feature = &space.features()[feature];
                feature.gaps.is_empty() || feature.table.is_some()
            })
    }

    /// Whether the greater of two values can stand for their difference.
    fn has_greater(&self, space: &Space<'_>, terms: Terms<'_>) -> bool {
        self.kind == TileKind::Absolute && self.is_coded(space, terms)
    }

    /// The ranges of complete numbers whose differences are added up as they are, and then divided by
    /// them; `None` where values have to be scaled first.
    fn ranges(&self, space: &Space<'_>) -> Option<Lanes> {
        let mut ranges = [1.0; WIDTH];
        for (out, &feature) in ranges.iter_mut().zip(&self.features) {
            match &space.features()[feature] {
                Feature { rule: Rule::Number { range, .. }, gaps, .. }
                    if self.kind == TileKind::Absolute
                        && gaps.is_empty()
                        && PLAIN_RANGES.contains(range) =>
                {
                    *out = *range;
                }
                _ => return None,
            }
        }
        Some(ranges)
    }
}

/// Some features in tiles.
fn tiles(space: &Space<'_>, terms: Terms<'_>, wanted: impl Fn(usize) -> bool) -> Vec<Tile> {
    [TileKind::Absolute, TileKind::Ramped, TileKind::Jumping, TileKind::Mismatch]
        .into_iter()
        .flat_map(|kind| {
            let features: Vec<usize> = (0..space.width())
                .filter(|&feature| wanted(feature))
                .filter(|&feature| kind_of(space, terms, feature) == Some(kind))
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

/// The sums of a row's pairs in one tile.
struct RowSums {
    sums: Lanes,
    skipped: Lanes,
}

impl RowSums {
    /// Turns the sums of pairs that weigh `total` into means, and what was skipped into 1 where that
    /// is everything, else 0.
    fn average(&mut self, total: f64) {
        for lane in 0..WIDTH {
            let known = total - self.skipped[lane];
            let nothing = known <= total * 1e-12;
            self.skipped[lane] = f64::from(u8::from(nothing));
            self.sums[lane] = if nothing { 0.0 } else { self.sums[lane] / known };
        }
    }
}

/// The values of one tile, row by row.
#[derive(Default)]
struct TileBuffer {
    values: Vec<RowTile>,
    /// Per row, a bit per lane whose value is missing; empty when none is.
    gaps: Vec<u16>,
}

/// Some tiles that are alike, in memory that is used again.
#[derive(Default)]
struct GroupBuffer {
    tiles: Vec<TileBuffer>,
    columns: TileBuffers,
    of_runs: RunBuffer,
}

/// The sums of some runs, and where these end.
#[derive(Default)]
struct RunBuffer {
    sums: Vec<Lanes>,
    ends: Vec<usize>,
}

/// How the pairs of a tile are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// One by one, with all that may be amiss.
    Apart,
    /// By kernels, run by run or pair by pair; missing values are taken for 0, and what is amiss is not
    /// added here.
    Runs,
    Weighed(Weighed),
}

impl Way {
    fn of<const SUMS: usize>(
        tile: &Tile,
        space: &Space<'_>,
        terms: Terms<'_>,
        form: &Form<SUMS>,
    ) -> Self {
        match form {
            _ if !tile.is_coded(space, terms) => Way::Apart,
            Form::Runs(_) => Way::Runs,
            _ if tile.kind == TileKind::Mismatch => Way::Weighed(Weighed::Mismatch),
            Form::Greater(_) => Way::Weighed(Weighed::Greater),
            Form::Pairs => Way::Weighed(Weighed::Difference),
        }
    }
}

impl GroupBuffer {
    /// The sums of some tiles whose pairs are added up in one way.
    fn add_up<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        tiles: &[Tile],
        way: Way,
        terms: Terms<'_>,
        lists: &[[PairList; SUMS]],
        form: &Form<SUMS>,
    ) -> Vec<TileSums<SUMS>> {
        let Self { tiles: buffers, columns, of_runs } = self;
        buffers.resize_with(tiles.len().max(buffers.len()), TileBuffer::default);
        let buffers = &mut buffers[..tiles.len()];
        let ranges_of = |tile: &Tile| match way {
            // Scaled values are not negative.
            Way::Weighed(Weighed::Greater) => None,
            _ => tile.ranges(space),
        };
        TileBuffer::fill(buffers, space, tiles, |tile| ranges_of(tile).is_none(), columns);
        for buffer in &mut *buffers {
            if way != Way::Apart && !buffer.gaps.is_empty() {
                buffer.values.iter_mut().for_each(|row| code_missing(&mut row.0));
            }
        }
        let mut found = match (way, form) {
            (Way::Weighed(Weighed::Greater), Form::Greater(totals)) => {
                add_greater(buffers, lists, totals)
            }
            (Way::Weighed(weighed), _) => add_weighted(buffers, weighed, lists),
            (Way::Runs, Form::Runs(runs)) => {
                let with_kind = buffers.iter().zip(tiles);
                let mismatch = |tile: &Tile| tile.kind == TileKind::Mismatch;
                with_kind.map(|(b, tile)| of_runs.add_up(b, mismatch(tile), runs)).collect()
            }
            _ => {
                let with_tile = buffers.iter().zip(tiles);
                with_tile.map(|(buffer, tile)| buffer.add_up(space, tile, lists, terms)).collect()
            }
        };
        for (found, tile) in found.iter_mut().zip(tiles) {
            if let Some(ranges) = ranges_of(tile) {
                for sums in &mut found.sums {
                    sums.iter_mut().zip(&ranges).for_each(|(sum, range)| *sum /= range);
                }
            }
        }
        found
    }
}

impl RunBuffer {
    /// The differences of a tile, added up run by run, and then weighed.
    fn add_up<const SUMS: usize>(
        &mut self,
        tile: &TileBuffer,
        mismatch: bool,
        lists: &[[Runs; SUMS]],
    ) -> TileSums<SUMS> {
        let mut result = TileSums::default();
        for lists in lists {
            for (list, sums) in lists.iter().zip(&mut result.sums) {
                self.add(tile, mismatch, list, sums);
            }
        }
        result
    }

    fn add(&mut self, tile: &TileBuffer, mismatch: bool, list: &Runs, sums: &mut Lanes) {
        // Few runs at a time, whose sums stay in the cache with the values.
        for start in (0..list.rows.len()).step_by(RUNS_AT_ONCE) {
            let runs = start..(start + RUNS_AT_ONCE).min(list.rows.len());
            self.sums.resize(runs.len(), [0.0; WIDTH]);
            let (rows, others) = list.part(runs.clone(), &mut self.ends);
            let (ends, out) = (&self.ends, &mut self.sums);
            sum_runs(level(), mismatch, &tile.values, rows, ends, others, out);
            for (differences, weight) in out.iter().zip(&list.weights[runs]) {
                for (sum, difference) in sums.iter_mut().zip(differences) {
                    *sum += weight * difference;
                }
            }
        }
    }
}

/// What is weighed pair by pair, of several tiles.
fn add_weighted<const SUMS: usize>(
    tiles: &[TileBuffer],
    weighed: Weighed,
    lists: &[[PairList; SUMS]],
) -> Vec<TileSums<SUMS>> {
    let values: Vec<&[RowTile]> = tiles.iter().map(|tile| &tile.values[..]).collect();
    let mut sums: [Vec<Lanes>; SUMS] = std::array::from_fn(|_| vec![[0.0; WIDTH]; tiles.len()]);
    // All tiles go through a list while it is in the cache.
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

/// Differences, which are twice the greater of two values without both; `totals` are the weights of
/// all pairs that a row is in. Values and weights are not negative.
fn add_greater<const SUMS: usize>(
    tiles: &[TileBuffer],
    lists: &[[PairList; SUMS]],
    totals: &[Vec<f64>; SUMS],
) -> Vec<TileSums<SUMS>> {
    let mut found = add_weighted(tiles, Weighed::Greater, lists);
    for (found, tile) in found.iter_mut().zip(tiles) {
        let mut lost = [[false; WIDTH]; SUMS];
        for ((sums, totals), lost) in found.sums.iter_mut().zip(totals).zip(&mut lost) {
            let mut both = [0.0; WIDTH];
            for (row, total) in tile.values.iter().zip(totals) {
                both.iter_mut().zip(row.0).for_each(|(both, value)| *both += total * value);
            }
            for ((sum, both), lost) in sums.iter_mut().zip(both).zip(lost) {
                *sum = 2.0 * *sum - both;
                *lost = *sum < LOST * both;
            }
        }
        if lost.as_flattened().contains(&true) {
            let differences = add_weighted(std::slice::from_ref(tile), Weighed::Difference, lists);
            let differences = differences[0].sums.as_flattened();
            let sums = found.sums.as_flattened_mut().iter_mut();
            for ((sum, difference), lost) in sums.zip(differences).zip(lost.as_flattened()) {
                if *lost {
                    *sum = *difference;
                }
            }
        }
    }
    found
}

impl TileBuffer {
    /// The values of some tiles, `scaled` or as they are.
    fn fill(
        buffers: &mut [Self],
        space: &Space<'_>,
        tiles: &[Tile],
        scaled: impl Fn(&Tile) -> bool,
        columns: &mut TileBuffers,
    ) {
        let of_tiles: Vec<TileColumns<'_>> = tiles
            .iter()
            .map(|tile| TileColumns { features: &tile.features, scaled: scaled(tile) })
            .collect();
        let mut values: Vec<_> = buffers.iter_mut().map(|buffer| &mut buffer.values).collect();
        fill_tiles(space, &of_tiles, &mut values, columns);
        for (buffer, tile) in buffers.iter_mut().zip(tiles) {
            buffer.gaps.clear();
            for (lane, &feature) in tile.features.iter().enumerate() {
                let gaps = &space.features()[feature].gaps;
                if !gaps.is_empty() {
                    buffer.gaps.resize(space.rows(), 0);
                    for &row in gaps {
                        buffer.gaps[row as usize] |= 1 << lane;
                    }
                }
            }
        }
    }

    fn add_up<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        lists: &[[PairList; SUMS]],
        terms: Terms<'_>,
    ) -> TileSums<SUMS> {
        let means = terms.means;
        match (tile.kind, space.options().ramp) {
            (TileKind::Mismatch, _) => {
                self.add(space, tile, lists, means, |_, a, b| f64::from(u8::from(a != b)))
            }
            (TileKind::Ramped, Some(ramp)) => {
                self.add(space, tile, lists, means, |_, a, b| ramp.apply((a - b).abs()))
            }
            (TileKind::Jumping, _) => {
                let mut jumps = [f64::INFINITY; WIDTH];
                for (jump, &feature) in jumps.iter_mut().zip(&tile.features) {
                    *jump = terms.jumps[feature];
                }
                self.add(space, tile, lists, means, |lane: usize, a, b| {
                    let difference: f64 = (a - b).abs();
                    if difference > jumps[lane] { 1.0 } else { difference }
                })
            }
            _ => self.add(space, tile, lists, means, |_, a, b| (a - b).abs()),
        }
    }

    #[inline]
    fn add<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        lists: &[[PairList; SUMS]],
        means: bool,
        difference: impl Fn(usize, f64, f64) -> f64,
    ) -> TileSums<SUMS> {
        let mut result = TileSums::<SUMS>::default();
        for (sum, list) in lists.iter().flat_map(|lists| lists.iter().enumerate()) {
            for (row, neighbors, weights) in list.rows() {
                let own = self.values[row as usize].0;
                let mut of_row = RowSums { sums: [0.0; WIDTH], skipped: [0.0; WIDTH] };
                for (&neighbor, &weight) in neighbors.iter().zip(weights) {
                    let other = &self.values[neighbor as usize].0;
                    let mut differences = [0.0; WIDTH];
                    for lane in 0..WIDTH {
                        differences[lane] = difference(lane, own[lane], other[lane]);
                    }
                    if !self.gaps.is_empty() {
                        let rows = [row as usize, neighbor as usize];
                        let skipped = &mut of_row.skipped;
                        self.fill_gaps(space, tile, rows, weight, &mut differences, skipped);
                    }
                    for lane in 0..WIDTH {
                        of_row.sums[lane] += weight * differences[lane];
                    }
                }
                if means {
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

    /// Puts the differences to missing values where they belong, and adds the weight of a pair that
    /// is left out.
    fn fill_gaps(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        [row, neighbor]: [usize; 2],
        weight: f64,
        differences: &mut Lanes,
        skipped: &mut Lanes,
    ) {
        let missing = self.gaps[row] | self.gaps[neighbor];
        if missing == 0 {
            return;
        }
        for (lane, &feature) in tile.features.iter().enumerate() {
            if missing >> lane & 1 == 0 {
                continue;
            }
            differences[lane] = match &space.features()[feature].table {
                Some(table) => space.gap_difference(table, row, self.values[row].0[lane], neighbor),
                None => {
                    skipped[lane] += weight;
                    0.0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Numbers, Table};
    use crate::neighbors::SpaceOptions;

    /// As rests of the greater values, differences are as right as when they are taken one by one,
    /// and nothing where there is none.
    #[test]
    fn what_the_greater_values_lose_is_made_good() {
        const ROWS: u32 = 24;
        // Random; nearly always the greatest; the same in every pair; half of the pairs apart by 1e-5.
        let value = |feature: u32, row: u32| match (feature, row) {
            (_, 0) => 0.0,
            (_, 1) => 1.0,
            (0..3, _) => f64::from(row * 13 + feature * 29).sin().abs(),
            (3, _) => f64::from(u8::from(row != 7)),
            (4, _) => 0.75,
            _ => 0.5 + f64::from(row % 2) * 1e-5,
        };
        let columns = (0..6).map(|feature| {
            let values: Vec<f64> = (0..ROWS).map(|row| value(feature, row)).collect();
            Column::numeric(format!("f{feature}"), Numbers::Contiguous(values.into())).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let space = Space::new(&table, None, SpaceOptions::default(), &run).unwrap();
        let mut list = PairList::default();
        for row in 2..ROWS - 1 {
            list.neighbors.extend(row + 1..ROWS);
            list.weights
                .extend((row + 1..ROWS).map(|other| f64::from(1 + (row * other) % 5) / 7.0));
            list.rows.push(row);
            list.ends.push(list.neighbors.len());
        }
        let lists = [[list]];
        let tile = Tile { kind: TileKind::Absolute, features: (0..6).collect() };
        let mut tiles = [TileBuffer::default()];
        let scaled = |_: &Tile| true;
        TileBuffer::fill(&mut tiles, &space, &[tile], scaled, &mut TileBuffers::default());
        let totals = touching_weights(&lists, ROWS as usize).unwrap();
        let [found] = add_greater(&tiles, &lists, &totals)[0].sums;
        let [wanted] = add_weighted(&tiles, Weighed::Difference, &lists)[0].sums;
        assert_eq!(found[4], 0.0);
        assert!(wanted[3] > 0.0 && wanted[5] > 0.0);
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() <= 1e-12 * wanted, "{found} for {wanted}");
        }
        // Where some pairs count against others, sums of the two values tell nothing.
        let [[list]] = lists;
        let weights = list.weights.iter().map(|weight| weight - 0.5).collect();
        assert!(touching_weights(&[[PairList { weights, ..list }]], ROWS as usize).is_none());
    }
}
