//! Mean margins under many permutations of two classes at once: a pair's differences are computed
//! once, and added to the sums of all permutations.
//!
//! Features are processed in tiles, of 128 features with integer differences (complete genotypes,
//! categories and numbers with two or three equidistant values) or of 32 features of any kind. A row's differences to its neighbors become
//! tables of the sums of all subsets of five, so that the contribution to a permutation is looked
//! up. A feature belongs to one tile and rows come in a fixed order, so the sums do not depend on
//! the number of threads.

use std::num::NonZeroU64;

use basrelief_kernels::{
    Level, RealLanes, SLOTS_TOGETHER, SmallLanes, SubsetLanes, SubsetTable, level,
    whole_differences,
};

use super::permuted_counts::{TOGETHER, WholeFeature, counted_sums};
use super::permuted_pairs::{
    Labels, PARTS, RowSubsets, SubsetWeights, add_nearest_subsets, radius_subsets,
};
use super::plan::{TargetFacts, TargetRoute};
use crate::data::{self, Classes, Target};
use crate::differences::{BitCode, Feature, Form, ScaledBuffers, Space};
use crate::error::Result;
use crate::neighbors::{FixedNeighbors, NeighborWeights};
use crate::parallel;
use crate::run::Run;
use crate::thresholds::{SMALL_LEVELS, WORD_BYTES};

/// Bytes per permutation for a row's k nearest: about ten entries, and their offsets.
const NEAREST_BYTES: usize = 32;

/// How far rows count in addition to near ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Far {
    /// With the opposite sign of near rows.
    Difference,
    /// With the sign of near rows, but by one minus the difference.
    Similarity,
}

/// Per target, the mean margins of the features of a space: the mean difference to misses minus
/// that to hits, over the k nearest of each or all within a radius; `None` if some target or
/// feature is not supported. `whole` creates the space in which neighbors were found.
///
/// # Errors
/// [`crate::Error::Cancelled`]; too little memory.
pub(crate) fn permuted_margins<'s>(
    space: &Space<'_>,
    whole: &dyn Fn() -> Result<Space<'s>>,
    neighbors: &mut FixedNeighbors,
    far: Far,
    targets: &[Target],
    run: &Run,
) -> Result<Option<Vec<Vec<f64>>>> {
    let codes = codes_of(targets);
    let (even, greatest, words) = subset_sizes(neighbors, codes.as_deref());
    let nearest = matches!(neighbors, FixedNeighbors::Nearest(_));
    // Sums of a row's k nearest are small in every permutation; those of lists are added in pieces.
    let small = !nearest || greatest / PARTS <= SmallLanes::MOST_SMALL;
    let tiles = tiles(space, small);
    let facts = TargetFacts {
        two_classes: codes.is_some(),
        even,
        ignored: space
            .features()
            .iter()
            .any(|one| !one.missing_rows().is_empty() && one.table().is_none()),
        greatest,
        nearest,
        features: space.width(),
        whole: tiles.iter().all(|tile| tile.kind != TileKind::Real),
        sparse: (0..space.width()).any(|feature| space.sparse(feature).is_some()),
        forced: run.routes(),
    };
    let few = match facts.route() {
        TargetRoute::OneByOne => return Ok(None),
        TargetRoute::Tables => None,
        TargetRoute::Counts => Some(whole_features(space)),
    };
    let Some(codes) = codes else { return Ok(None) };
    let together = (WORD_BYTES / words.max(1) / 64 * 64).clamp(64, TOGETHER);
    let mut margins = Vec::with_capacity(targets.len());
    for codes in codes.chunks(together) {
        let labels = Labels::new(space.rows(), codes);
        let Some((subsets, scale, more)) =
            subsets_of(neighbors, few.as_deref(), &labels, whole, run)?
        else {
            return Ok(None);
        };
        let mut found = match subsets {
            Sums::Known(sums) => in_shares(space, sums),
            Sums::Of(subsets) => sums(space, &tiles, &subsets, &labels, run)?,
        };
        for (permutation, sums) in found.iter_mut().enumerate() {
            let more = match far {
                Far::Similarity => more.get(permutation).copied().unwrap_or(0.0),
                Far::Difference => 0.0,
            };
            for (feature, sum) in sums.iter_mut().enumerate() {
                let is_constant = space.features()[feature].rule.is_constant();
                *sum = if is_constant { 0.0 } else { (*sum + more) * scale };
            }
        }
        run.progress().advance(found.len() as u64);
        margins.extend(found);
    }
    Ok(Some(margins))
}

/// Whether all neighbors of a group have equal weights, the largest sum of a row in units of 1 /
/// [`PARTS`], and the bytes of the words of all rows, for targets of two classes.
fn subset_sizes(neighbors: &FixedNeighbors, codes: Option<&[&[u32]]>) -> (bool, usize, usize) {
    match neighbors {
        FixedNeighbors::Nearest(orders) => {
            let options = orders.options();
            let smallest = codes.into_iter().flatten().map(|codes| {
                let second = codes.iter().filter(|code| **code == 1).count();
                second.min(codes.len() - second)
            });
            let enough = smallest.min().is_none_or(|smallest| smallest > options.k);
            let even = options.weights == NeighborWeights::Uniform && enough;
            (even, 2 * PARTS * options.k, orders.iter().len() * NEAREST_BYTES)
        }
        FixedNeighbors::Radius(marks) => {
            let sizes = marks.sizes();
            let words = sizes.iter().map(|size| 2 + size.div_ceil(SLOTS_TOGETHER)).sum::<usize>();
            (marks.are_even(), 2 * sizes.into_iter().max().unwrap_or(0), 8 * words)
        }
    }
}

/// The neighbors of all rows as subsets, or the sums over them where features are few; the factor
/// that turns sums into means; and for far rows the sums to add per permutation. Returns `None` if
/// some order is too short although it already contains every row.
fn subsets_of<'s>(
    neighbors: &mut FixedNeighbors,
    few: Option<&[WholeFeature]>,
    labels: &Labels,
    whole: &dyn Fn() -> Result<Space<'s>>,
    run: &Run,
) -> Result<Option<(Sums, f64, Vec<f64>)>> {
    let rows = neighbors.rows();
    let orders = match neighbors {
        FixedNeighbors::Nearest(orders) => orders,
        FixedNeighbors::Radius(marks) => {
            let (subsets, more) = radius_subsets(marks, labels, run)?;
            return Ok(Some((Sums::Of(subsets), 1.0 / rows as f64, more)));
        }
    };
    let scale = 1.0 / (orders.options().k * rows) as f64;
    let mut subsets = Vec::new();
    loop {
        let short = match few {
            Some(few) => match counted_sums(few, orders, labels, run)? {
                Ok(sums) => return Ok(Some((Sums::Known(sums), scale, Vec::new()))),
                Err(short) => short,
            },
            None => add_nearest_subsets(&mut subsets, orders, labels, run)?,
        };
        if short.is_empty() {
            let subsets = subsets.into_iter().flatten().collect();
            return Ok(Some((Sums::Of(subsets), scale, Vec::new())));
        }
        if orders.any_whole(&short) {
            return Ok(None);
        }
        orders.lengthen_for_permutations(&short, &whole()?, run)?;
    }
}

/// Converts sums of integer differences to fractions of the range: a difference of two copies is 1.
fn in_shares(space: &Space<'_>, mut sums: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for (feature, one) in space.features().iter().enumerate() {
        if TileKind::of_whole(one) == Some(TileKind::Copies) {
            sums.iter_mut().for_each(|sums| sums[feature] *= 0.5);
        }
    }
    sums
}

/// Sums that are already known, or the subsets to add up.
enum Sums {
    Known(Vec<Vec<f64>>),
    Of(Vec<RowSubsets>),
}

/// The values of all features with integer differences, in their units.
fn whole_features(space: &Space<'_>) -> Vec<WholeFeature> {
    let mut values = Vec::new();
    let one = |feature: usize| {
        let is_mismatch = space.features()[feature].rule.form() == Form::Mismatch;
        let kind = if is_mismatch { TileKind::Mismatch } else { TileKind::Copies };
        space.copy_scaled(feature, &mut values);
        WholeFeature {
            values: values.iter().map(|&value| kind.whole(value)).collect(),
            is_mismatch,
        }
    };
    (0..space.width()).map(one).collect()
}

/// The codes of targets of two classes each.
fn codes_of(targets: &[Target]) -> Option<Vec<&[u32]>> {
    let codes = targets
        .iter()
        .map(|target| target.as_classes().filter(|classes| classes.len() == 2).map(Classes::codes));
    codes.collect()
}

/// How the differences of a tile are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TileKind {
    /// Integers, of copies of an allele and of numbers with two or three equidistant values: in units of 1/2.
    Copies,
    /// Integers: 0 and 1.
    Mismatch,
    /// Real numbers: differences of numbers, or to missing values.
    Real,
}

impl TileKind {
    /// The kind of a feature with integer differences; `None` for other features.
    fn of_whole(feature: &Feature<'_>) -> Option<Self> {
        if !feature.missing_rows().is_empty() {
            return None;
        }
        let steps = feature.rule.number().and_then(|number| number.steps).map(NonZeroU64::get);
        match (feature.rule.form(), feature.rule.bit_code(), steps) {
            (_, Some(BitCode::Dosage), _) | (Form::Absolute, _, Some(1 | 2)) => Some(Self::Copies),
            // Codes of categories are small numbers.
            (Form::Mismatch, ..) if feature.rule.greatest() <= SMALL_LEVELS => Some(Self::Mismatch),
            _ => None,
        }
    }

    /// A scaled value of a feature with integer differences, in their unit. Numbers on a grid are rounded to it.
    fn whole(self, value: f64) -> u8 {
        (if self == Self::Copies { 2.0 * value } else { value }).round() as u8
    }
}

/// Some features of one kind.
struct Tile {
    kind: TileKind,
    features: Vec<usize>,
}

/// All features in tiles; `small` is whether a row's sums of integer differences are small.
fn tiles(space: &Space<'_>, small: bool) -> Vec<Tile> {
    let kind_of = |feature: usize| {
        let one = &space.features()[feature];
        let whole = TileKind::of_whole(one).filter(|_| small);
        (!one.rule.is_constant()).then(|| whole.unwrap_or(TileKind::Real))
    };
    let of_kind = |kind| {
        let features = (0..space.width()).filter(move |&feature| kind_of(feature) == Some(kind));
        let features: Vec<usize> = features.collect();
        let lanes = if kind == TileKind::Real { RealLanes::LANES } else { SmallLanes::LANES };
        let tiles = features.chunks(lanes);
        tiles.map(|features| Tile { kind, features: features.to_vec() }).collect::<Vec<_>>()
    };
    [TileKind::Copies, TileKind::Mismatch, TileKind::Real].into_iter().flat_map(of_kind).collect()
}

/// Per permutation and feature, the sum of differences.
fn sums(
    space: &Space<'_>,
    tiles: &[Tile],
    rows: &[RowSubsets],
    labels: &Labels,
    run: &Run,
) -> Result<Vec<Vec<f64>>> {
    // Few permutations leave more room for others.
    let found = run.install(|| {
        parallel::try_map_with(tiles, |memory: &mut Memory, tile| {
            run.check()?;
            Ok(match tile.kind {
                TileKind::Real => memory.real.sums(space, tile, rows, labels.permutations()),
                _ => memory.whole.sums(space, tile, rows, labels.permutations()),
            })
        })
    })?;
    let mut sums = vec![vec![0.0; space.width()]; labels.permutations()];
    for (tile, found) in tiles.iter().zip(found) {
        let width = tile.features.len();
        let unit = if tile.kind == TileKind::Copies { 0.5 } else { 1.0 };
        for (sums, found) in sums.iter_mut().zip(found.chunks_exact(width)) {
            for (&feature, sum) in tile.features.iter().zip(found) {
                sums[feature] = sum * unit;
            }
        }
    }
    Ok(sums)
}

/// Reused memory of one worker.
#[derive(Default)]
struct Memory {
    whole: TileMemory<SmallLanes>,
    real: TileMemory<RealLanes>,
}

/// Reused memory for tiles of one type of lanes.
struct TileMemory<L: SubsetLanes> {
    read: ScaledBuffers,
    /// Row by row.
    values: Vec<L>,
    differences: Vec<L>,
    tables: Vec<SubsetTable<L>>,
    /// Per permutation: the sum of terms of weight 1, first in small sums; the sum of terms in
    /// units of 1 / [`PARTS`]; and the total.
    small: Vec<L>,
    sums: Vec<L::Sums>,
    parts: Vec<L::Sums>,
    totals: Vec<L::Totals>,
}

impl<L: SubsetLanes> Default for TileMemory<L> {
    fn default() -> Self {
        Self {
            read: ScaledBuffers::default(),
            values: Vec::new(),
            differences: Vec::new(),
            tables: Vec::new(),
            small: Vec::new(),
            sums: Vec::new(),
            parts: Vec::new(),
            totals: Vec::new(),
        }
    }
}

/// Lanes that can be filled with differences.
trait Differences: SubsetLanes {
    /// Stores a lane's value, scaled as the space scales it.
    fn put(&mut self, lane: usize, value: f64, kind: TileKind);

    /// Computes the differences of a row to others.
    fn differences(
        level: Level,
        space: &Space<'_>,
        tile: &Tile,
        values: &[Self],
        row: u32,
        others: &[u32],
        out: &mut Vec<Self>,
    );
}

impl Differences for SmallLanes {
    fn put(&mut self, lane: usize, value: f64, kind: TileKind) {
        self.0[lane] = kind.whole(value) as i8;
    }

    fn differences(
        level: Level,
        _: &Space<'_>,
        tile: &Tile,
        values: &[Self],
        row: u32,
        others: &[u32],
        out: &mut Vec<Self>,
    ) {
        whole_differences(level, tile.kind == TileKind::Mismatch, values, row, others, out);
    }
}

impl Differences for RealLanes {
    fn put(&mut self, lane: usize, value: f64, _: TileKind) {
        self.0[lane] = value;
    }

    fn differences(
        _: Level,
        space: &Space<'_>,
        tile: &Tile,
        values: &[Self],
        row: u32,
        others: &[u32],
        out: &mut Vec<Self>,
    ) {
        let own = values[row as usize].0;
        let features = tile.features.iter().map(|&feature| &space.features()[feature]);
        let features: Vec<_> = features.collect();
        let is_plain =
            |one: &&Feature<'_>| one.rule.form() == Form::Absolute && one.missing_rows().is_empty();
        out.clear();
        out.extend(others.iter().map(|&other| {
            let of_other = values[other as usize].0;
            Self(std::array::from_fn(|lane| (own[lane] - of_other[lane]).abs()))
        }));
        // Features with other rules or with missing values, one after the other.
        let (mut line, mut differences) = (Vec::new(), Vec::new());
        for (lane, one) in features.iter().enumerate().filter(|(_, one)| !is_plain(one)) {
            line.clear();
            line.extend(others.iter().map(|&other| values[other as usize].0[lane]));
            one.rule.line(own[lane], &line, &mut differences);
            for ((out, &other), &difference) in out.iter_mut().zip(others).zip(&differences) {
                out.0[lane] = match one.table() {
                    Some(table) if difference.is_nan() => {
                        space.missing_difference(table, row as usize, own[lane], other as usize)
                    }
                    _ => difference,
                };
            }
        }
    }
}

impl<L: Differences> TileMemory<L> {
    /// The sums of a tile, by permutation and feature.
    fn sums(
        &mut self,
        space: &Space<'_>,
        tile: &Tile,
        rows: &[RowSubsets],
        permutations: usize,
    ) -> Vec<f64> {
        let level = level();
        self.fill(space, tile);
        self.clear_sums(permutations);
        let Self { values, differences, tables, small, sums, parts, totals, .. } = self;
        let (one, part, none) = (
            vec![1.0; permutations],
            vec![1.0 / PARTS as f64; permutations],
            vec![0.0; permutations],
        );
        let take = |sums: &mut [L::Sums], parts: &mut [L::Sums], totals: &mut [L::Totals]| {
            L::take_sums(level, (sums, &one), (&L::NO_TOTALS, &none), totals);
            L::take_sums(level, (parts, &part), (&L::NO_TOTALS, &none), totals);
        };
        // The largest possible value of any sum so far.
        let (mut of_small, mut of_sums) = (0, 0);
        for RowSubsets { row, others, weights } in rows {
            let chunks = others.chunks(SLOTS_TOGETHER);
            match weights {
                SubsetWeights::Even { subsets, k } => {
                    if of_small + 2 * k > L::MOST_SMALL {
                        L::take_small(level, small, sums);
                        of_small = 0;
                    }
                    if of_sums + 2 * PARTS * k > L::MOST {
                        take(sums, parts, totals);
                        of_sums = 0;
                    }
                    of_small += 2 * k;
                    of_sums += 2 * PARTS * k;
                    for (others, subsets) in chunks.zip(subsets) {
                        L::differences(level, space, tile, values, *row, others, differences);
                        L::fill_tables(level, differences, true, tables);
                        L::add_lookups(level, tables, &subsets.lookups, &subsets.entries, small);
                        L::add_multiples(level, tables, &subsets.multiples, parts);
                        L::add_fractions(level, tables, &subsets.fractions, totals);
                    }
                }
                SubsetWeights::Scaled { words, hits, all } => {
                    let mut of_all = L::NO_TOTALS;
                    for (others, words) in chunks.zip(words) {
                        L::differences(level, space, tile, values, *row, others, differences);
                        // No subset has a larger sum than all rows together.
                        let most = L::add_all(level, differences, &mut of_all);
                        if of_small + most > L::MOST_SMALL {
                            L::take_small(level, small, sums);
                            of_small = 0;
                        }
                        of_small += most;
                        L::fill_tables(level, differences, false, tables);
                        L::add_words(level, tables, words, small);
                    }
                    L::take_small(level, small, sums);
                    of_small = 0;
                    L::take_sums(level, (sums, hits), (&of_all, all), totals);
                }
            }
        }
        L::take_small(level, small, sums);
        take(sums, parts, totals);
        let width = tile.features.len();
        totals.iter().flat_map(|total| total.as_ref()[..width].iter().copied()).collect()
    }

    /// Sets the sums of every permutation to zero.
    fn clear_sums(&mut self, permutations: usize) {
        self.small.clear();
        self.small.resize(permutations, L::NONE);
        for lanes in [&mut self.sums, &mut self.parts] {
            lanes.clear();
            lanes.resize(permutations, L::NO_SUMS);
        }
        self.totals.clear();
        self.totals.resize(permutations, L::NO_TOTALS);
    }

    /// Reads the values of a tile.
    fn fill(&mut self, space: &Space<'_>, tile: &Tile) {
        self.values.clear();
        self.values.resize(space.rows(), L::NONE);
        for (first, features) in
            (0..).step_by(data::TOGETHER).zip(tile.features.chunks(data::TOGETHER))
        {
            let columns = space.copy_scaled_together(features, &mut self.read);
            for (lane, column) in (first..).zip(columns) {
                for (row, &value) in self.values.iter_mut().zip(&*column) {
                    row.put(lane, value, tile.kind);
                }
            }
        }
    }
}
