//! Variances of weights by the infinitesimal jackknife: the influence of every row, or of every group of rows,
//! on a function of [sums over pairs](super::margin_sums).
//!
//! A row influences a weight as a query row, by its own pairs, and as a neighbor of other query rows, where it
//! replaces the mean of their neighbors from other units. The second part is as large as the first: the variance of the query rows
//! alone is up to four times too small.
//!
//! The jackknife counts the variance of single pairs twice, once for each row of a pair (Efron & Stein 1981). It
//! is therefore reduced by the sum of squares over pairs of rows, and by one half at most, which is what remains if
//! all variance is that of pairs.

use std::mem::size_of;
use std::ops::Range;

use rayon::prelude::*;

use super::tiles::{Lanes, Terms, Tile, TileBuffer, TileKind, WIDTH, tiles};
use crate::differences::Space;
use crate::error::Result;
use crate::neighbors::{Neighbor, PairSource, TileBuffers};
use crate::run::Run;

/// Rows whose pairs one task lists; it does not depend on the number of threads.
const ROWS_PER_TASK: usize = 64;

/// The rows or groups of rows that were sampled independently.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units<'u> {
    /// The unit of every row of the table.
    pub(crate) of_rows: &'u [u32],
    /// The number of units, at least 2.
    pub(crate) count: usize,
}

/// The derivatives of a weight, a function of sums over pairs and of the total weights of the pairs in each sum.
pub(crate) trait Slopes<const SUMS: usize>: Sync {
    /// Whether the weight depends on the total weights.
    const BY_TOTALS: bool;

    /// The derivatives by the sums, which depend on the total weights alone.
    fn by_sums(&self, totals: [f64; SUMS]) -> [f64; SUMS];

    /// The derivatives by the total weights.
    fn by_totals(&self, sums: [f64; SUMS], totals: [f64; SUMS]) -> [f64; SUMS];
}

/// Computes the variance of every feature's weight over samples of as many units.
///
/// `weigh(row, group, neighbor row, neighbor weight)` returns the weight of a pair in each sum, as in
/// [`margin_sums`](super::margin_sums). The weight is a function of the sums over all pairs and of their total weights,
/// with these `slopes`. Differences must be known for all pairs.
///
/// Source: B. Efron and C. Stein. The jackknife estimate of variance. Annals of Statistics 9, 586-596, 1981.
///
/// # Errors
/// The pairs do not fit into memory; [`crate::Error::Cancelled`].
pub(crate) fn influence_variances<const SUMS: usize, S: Slopes<SUMS>>(
    space: &Space<'_>,
    source: &dyn PairSource,
    units: Units<'_>,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    slopes: &S,
    run: &Run,
) -> Result<Vec<f64>> {
    let pairs = Pairs::<SUMS>::new(space, source, units, weigh, slopes, run)?;
    of_tiles(space, &Listed { pairs, slopes }, run)
}

/// What computes the variances of the features of a tile.
pub(super) trait OfTile: Sync {
    /// The variances of the features of a tile; `difference` returns those of two rows.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    fn variances(
        &self,
        memory: &mut Memory,
        difference: impl Fn([usize; 2]) -> Lanes,
        run: &Run,
    ) -> Result<Lanes>;
}

/// Computes the variances of all features, tile by tile. Differences must be known for all pairs.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn of_tiles(space: &Space<'_>, of_tile: &impl OfTile, run: &Run) -> Result<Vec<f64>> {
    let all: Vec<usize> = (0..space.width()).collect();
    let tiles = tiles(space, Terms { means: false, jumps: &[] }, &all);
    run.progress().start("computing intervals", space.width() as u64);
    let found = run.install(|| {
        tiles
            .par_iter()
            .map_init(Buffer::default, |buffer, tile| {
                run.check()?;
                buffer.fill(space, tile);
                let variances = buffer.variances(space, tile, of_tile, run)?;
                run.progress().advance(tile.features.len() as u64);
                Ok(variances)
            })
            .collect::<Result<Vec<Lanes>>>()
    })?;
    run.progress().finish();
    let mut variances = vec![0.0; space.width()];
    for (tile, found) in tiles.iter().zip(found) {
        tile.features.iter().zip(found).for_each(|(&feature, found)| variances[feature] = found);
    }
    Ok(variances)
}

/// A query row and one of its neighbors.
#[derive(Debug, Clone, Copy)]
struct Pair<const SUMS: usize> {
    neighbor: u32,
    /// The index of the list of neighbors.
    list: u32,
    /// The weight in the linear form of the feature's weight, without its part by the totals.
    weight: f64,
    /// As a neighbor, a row replaces the mean of the neighbors from other units: the factors of its own difference and of
    /// the list.
    replaces: [f64; 2],
    /// The weight in each sum.
    counts: [f64; SUMS],
    /// The change of the total weight of each sum by this replacement.
    changes: [f64; SUMS],
}

/// The neighbors of a row in one group.
#[derive(Debug, Clone)]
struct List {
    row: u32,
    pairs: Range<usize>,
}

/// All pairs, list by list.
struct Pairs<'u, const SUMS: usize> {
    units: Units<'u>,
    pairs: Vec<Pair<SUMS>>,
    lists: Vec<List>,
    /// Copies of the pairs of two units that have several pairs, in either direction, with their rows: block by block.
    repeated: Vec<(u32, Pair<SUMS>)>,
    /// The number of pairs of every block.
    blocks: Vec<u32>,
    /// The total weight of all pairs in each sum.
    totals: [f64; SUMS],
    /// Per unit, its fraction of the query rows, or of their weight.
    fractions: Vec<f64>,
    /// Per unit, its influence on the total weight of each sum.
    influences: Vec<[f64; SUMS]>,
    /// Per two sums, the sum of products of the changes of their totals by two units.
    changes: [[f64; SUMS]; SUMS],
}

/// The pairs of some rows, with the numbers of the lists from 0.
type Found<const SUMS: usize> = (Vec<Pair<SUMS>>, Vec<(u32, usize)>);

impl<'u, const SUMS: usize> Pairs<'u, SUMS> {
    /// Lists all pairs of a source.
    ///
    /// # Errors
    /// The pairs do not fit into memory; [`crate::Error::Cancelled`].
    fn new(
        space: &Space<'_>,
        source: &dyn PairSource,
        units: Units<'u>,
        weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
        slopes: &impl Slopes<SUMS>,
        run: &Run,
    ) -> Result<Self> {
        let expected: usize = (0..source.len()).map(|place| source.expected_pairs(place)).sum();
        let bytes = expected * (2 * size_of::<Pair<SUMS>>() + 3 * size_of::<u32>());
        run.memory().claim(
            bytes as u64,
            "computing intervals of the weights",
            "use fewer neighbors or fewer rows",
        )?;
        let row_weights = space.row_weights();
        let row_weight = |row: u32| row_weights.map_or(1.0, |weights| weights[row as usize]);
        let starts: Vec<usize> = (0..source.len()).step_by(ROWS_PER_TASK).collect();
        let listed = run.install(|| {
            let list = |&start: &usize| {
                run.check()?;
                let places = start..(start + ROWS_PER_TASK).min(source.len());
                Ok(list_pairs(source, places, units, |row, group, neighbor, weight| {
                    weigh(row, group, neighbor, weight).map(|count| row_weight(row) * count)
                }))
            };
            starts.par_iter().map(list).collect::<Result<Vec<Found<SUMS>>>>()
        })?;
        let (mut pairs, mut lists) = (Vec::new(), Vec::new());
        for (of_task, of_rows) in listed {
            let before = lists.len() as u32;
            let mut first = pairs.len();
            for (row, length) in of_rows {
                lists.push(List { row, pairs: first..first + length });
                first += length;
            }
            pairs.extend(of_task.into_iter().map(|pair| Pair { list: before + pair.list, ..pair }));
        }
        let mut totals = [0.0; SUMS];
        for pair in &pairs {
            totals.iter_mut().zip(pair.counts).for_each(|(total, count)| *total += count);
        }
        let by_sums = slopes.by_sums(totals);
        for pair in &mut pairs {
            pair.weight = pair.counts.iter().zip(by_sums).map(|(count, slope)| count * slope).sum();
            pair.replaces[0] *= pair.weight;
        }
        let mut of_rows = vec![0.0; space.rows()];
        lists.iter().for_each(|list| of_rows[list.row as usize] = row_weight(list.row));
        let all: f64 = of_rows.iter().sum();
        let mut fractions = vec![0.0; units.count];
        for (&unit, of_row) in units.of_rows.iter().zip(&of_rows) {
            fractions[unit as usize] += of_row / all;
        }
        let (repeated, blocks) = repeated(&pairs, &lists, units, run);
        let mut found = Self {
            units,
            pairs,
            lists,
            repeated,
            blocks,
            totals,
            influences: fractions.iter().map(|own| totals.map(|total| -own * total)).collect(),
            fractions,
            changes: [[0.0; SUMS]; SUMS],
        };
        found.add_totals();
        Ok(found)
    }

    /// Computes the influences of units on the totals, and the products of their changes.
    fn add_totals(&mut self) {
        for pair in &self.pairs {
            let row = self.lists[pair.list as usize].row;
            let [own, other] =
                [row, pair.neighbor].map(|row| self.units.of_rows[row as usize] as usize);
            for sum in 0..SUMS {
                self.influences[own][sum] += pair.counts[sum];
                self.influences[other][sum] += pair.changes[sum];
                for second in 0..SUMS {
                    self.changes[sum][second] += pair.changes[sum] * pair.changes[second];
                }
            }
        }
        let mut rest = &self.repeated[..];
        for &length in &self.blocks {
            let (block, after) = rest.split_at(length as usize);
            rest = after;
            let change = change_of_totals(block);
            for sum in 0..SUMS {
                for second in 0..SUMS {
                    let alone = block.iter().map(|(_, pair)| pair.changes);
                    let alone: f64 = alone.map(|changes| changes[sum] * changes[second]).sum();
                    self.changes[sum][second] += change[sum] * change[second] - alone;
                }
            }
        }
    }
}

/// The change of the totals by some pairs.
fn change_of_totals<const SUMS: usize>(block: &[(u32, Pair<SUMS>)]) -> [f64; SUMS] {
    let mut change = [0.0; SUMS];
    for (_, pair) in block {
        change.iter_mut().zip(pair.changes).for_each(|(sum, own)| *sum += own);
    }
    change
}

/// Lists the pairs of the rows at some places, and the row and the length of every list.
fn list_pairs<const SUMS: usize>(
    source: &dyn PairSource,
    places: Range<usize>,
    units: Units<'_>,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS],
) -> Found<SUMS> {
    let (mut pairs, mut lists) = (Vec::new(), Vec::new());
    let mut shares = vec![0.0; units.count];
    source.visit(places, &mut |row, group, neighbors| {
        let unit = |neighbor: &Neighbor| units.of_rows[neighbor.row as usize] as usize;
        let all: f64 = neighbors.iter().map(|neighbor| neighbor.weight).sum();
        neighbors.iter().for_each(|own| shares[unit(own)] += own.weight / all);
        let first = pairs.len();
        let mut totals = [0.0; SUMS];
        for neighbor in neighbors.iter().filter(|neighbor| neighbor.weight != 0.0) {
            let counts = weigh(row, group, neighbor.row, neighbor.weight);
            totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
            let rest = 1.0 - shares[unit(neighbor)];
            // The rows of a single unit in a list have no others to replace.
            let replaces =
                if rest < 1e-9 { [0.0; 2] } else { [1.0 / rest, neighbor.weight / all / rest] };
            pairs.push(Pair {
                neighbor: neighbor.row,
                list: lists.len() as u32,
                weight: 0.0,
                replaces,
                counts,
                changes: [0.0; SUMS],
            });
        }
        for pair in &mut pairs[first..] {
            let [own, of_list] = pair.replaces;
            pair.changes =
                std::array::from_fn(|sum| own * pair.counts[sum] - of_list * totals[sum]);
        }
        neighbors.iter().for_each(|own| shares[unit(own)] = 0.0);
        lists.push((row, pairs.len() - first));
    });
    (pairs, lists)
}

/// The pairs of two units that have several pairs, in either direction, with their rows: block by block, and the lengths
/// of the blocks.
fn repeated<const SUMS: usize>(
    pairs: &[Pair<SUMS>],
    lists: &[List],
    units: Units<'_>,
    run: &Run,
) -> (Vec<(u32, Pair<SUMS>)>, Vec<u32>) {
    let keys = |(index, pair): (u32, &Pair<SUMS>)| {
        let row = lists[pair.list as usize].row;
        let [own, other] = [row, pair.neighbor].map(|row| units.of_rows[row as usize]);
        (own.min(other), own.max(other), index)
    };
    let mut keys: Vec<(u32, u32, u32)> = (0..).zip(pairs).map(keys).collect();
    run.install(|| keys.par_sort_unstable());
    let (mut repeated, mut blocks) = (Vec::new(), Vec::new());
    let several = keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|block| block.len() > 1);
    for block in several {
        let pairs = block.iter().map(|key| pairs[key.2 as usize]);
        repeated.extend(pairs.map(|pair| (lists[pair.list as usize].row, pair)));
        blocks.push(block.len() as u32);
    }
    (repeated, blocks)
}

/// Reused memory of one worker.
#[derive(Default)]
struct Buffer {
    tile: TileBuffer,
    columns: TileBuffers,
    memory: Memory,
}

/// Reused memory for the sums of lists, the influences of units and the differences of a list.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) lists: Vec<Lanes>,
    pub(super) influences: Vec<Lanes>,
    differences: Vec<Lanes>,
}

impl Buffer {
    /// Replaces the values by those of a tile, scaled.
    fn fill(&mut self, space: &Space<'_>, tile: &Tile) {
        let Self { tile: values, columns, .. } = self;
        let (values, tile) = (std::slice::from_mut(values), std::slice::from_ref(tile));
        TileBuffer::fill(values, space, tile, &[None], columns);
    }

    /// The variances of a tile whose values are in the buffer.
    fn variances(
        &mut self,
        space: &Space<'_>,
        tile: &Tile,
        of_tile: &impl OfTile,
        run: &Run,
    ) -> Result<Lanes> {
        let Self { tile: TileBuffer { values, missing }, memory, .. } = self;
        let known = |[own, other]: [usize; 2]| -> Lanes {
            let (own, other) = (&values[own].0, &values[other].0);
            match tile.kind {
                TileKind::Absolute => absolute(own, other),
                TileKind::Mismatch => mismatches(own, other),
                TileKind::Other | TileKind::Jumping => {
                    let mut differences = [0.0; WIDTH];
                    for (lane, &feature) in tile.features.iter().enumerate() {
                        let rule = space.features()[feature].rule;
                        differences[lane] = rule.scaled_pair(own[lane], other[lane]);
                    }
                    differences
                }
            }
        };
        if !missing.is_empty() {
            let with_missing = |rows: [usize; 2]| {
                let mut differences = known(rows);
                let lost = missing[rows[0]] | missing[rows[1]];
                for (lane, &feature) in tile.features.iter().enumerate() {
                    if lost >> lane & 1 == 1 {
                        // The caller refuses tables in which such pairs are ignored.
                        differences[lane] =
                            space.difference(feature, rows[0], rows[1]).unwrap_or(f64::NAN);
                    }
                }
                differences
            };
            return of_tile.variances(memory, with_missing, run);
        }
        // The kind is known where the loops are compiled.
        match tile.kind {
            TileKind::Absolute => {
                let between = |[own, other]: [usize; 2]| absolute(&values[own].0, &values[other].0);
                of_tile.variances(memory, between, run)
            }
            TileKind::Mismatch => {
                let between =
                    |[own, other]: [usize; 2]| mismatches(&values[own].0, &values[other].0);
                of_tile.variances(memory, between, run)
            }
            TileKind::Other | TileKind::Jumping => of_tile.variances(memory, known, run),
        }
    }
}

/// All pairs, and how the weight of a feature depends on their sums.
struct Listed<'u, 's, const SUMS: usize, S> {
    pairs: Pairs<'u, SUMS>,
    slopes: &'s S,
}

impl<const SUMS: usize, S: Slopes<SUMS>> OfTile for Listed<'_, '_, SUMS, S> {
    fn variances(
        &self,
        memory: &mut Memory,
        difference: impl Fn([usize; 2]) -> Lanes,
        _: &Run,
    ) -> Result<Lanes> {
        Ok(variances(&self.pairs, self.slopes, memory, difference))
    }
}

/// The variances of the features of a tile; `difference` returns those of two rows.
fn variances<const SUMS: usize, S: Slopes<SUMS>>(
    pairs: &Pairs<'_, SUMS>,
    slopes: &S,
    memory: &mut Memory,
    difference: impl Fn([usize; 2]) -> Lanes,
) -> Lanes {
    let Memory { lists, influences, differences } = memory;
    let unit = |row: u32| pairs.units.of_rows[row as usize] as usize;
    influences.clear();
    influences.resize(pairs.units.count, [0.0; WIDTH]);
    lists.clear();
    // Sums of the linear form without its part by totals, which is the same for all features but for a factor: squares
    // of changes by two units, and their products with those of the totals.
    let (mut total, mut sums) = ([0.0; WIDTH], [[0.0; WIDTH]; SUMS]);
    let (mut squares, mut products) = ([0.0; WIDTH], [[0.0; WIDTH]; SUMS]);
    for List { row, pairs: range } in &pairs.lists {
        let of_list = &pairs.pairs[range.clone()];
        let mut list = [0.0; WIDTH];
        differences.clear();
        for pair in of_list {
            let own = difference([*row as usize, pair.neighbor as usize]);
            add(&mut list, &own, pair.weight);
            if S::BY_TOTALS {
                for (sum, count) in sums.iter_mut().zip(pair.counts) {
                    add(sum, &own, count);
                }
            }
            differences.push(own);
        }
        for (pair, own) in of_list.iter().zip(&*differences) {
            let [of_own, of_list] = pair.replaces;
            let influence = &mut influences[unit(pair.neighbor)];
            let mut change = [0.0; WIDTH];
            for lane in 0..WIDTH {
                change[lane] = of_own * own[lane] - of_list * list[lane];
                influence[lane] += change[lane];
                squares[lane] += change[lane] * change[lane];
            }
            if S::BY_TOTALS {
                for (product, of_total) in products.iter_mut().zip(pair.changes) {
                    add(product, &change, of_total);
                }
            }
        }
        add(&mut influences[unit(*row)], &list, 1.0);
        add(&mut total, &list, 1.0);
        lists.push(list);
    }
    // Two units with several pairs change the weight by the sum of these pairs.
    let mut rest = &pairs.repeated[..];
    for &length in &pairs.blocks {
        let (block, after) = rest.split_at(length as usize);
        rest = after;
        let of_totals = change_of_totals(block);
        let mut all = [0.0; WIDTH];
        for (row, pair) in block {
            let own = difference([*row as usize, pair.neighbor as usize]);
            let list = &lists[pair.list as usize];
            let [of_own, of_list] = pair.replaces;
            let mut change = [0.0; WIDTH];
            for lane in 0..WIDTH {
                change[lane] = of_own * own[lane] - of_list * list[lane];
                all[lane] += change[lane];
                squares[lane] -= change[lane] * change[lane];
            }
            if S::BY_TOTALS {
                for (product, of_total) in products.iter_mut().zip(pair.changes) {
                    add(product, &change, -of_total);
                }
            }
        }
        for lane in 0..WIDTH {
            squares[lane] += all[lane] * all[lane];
        }
        if S::BY_TOTALS {
            for (product, of_total) in products.iter_mut().zip(of_totals) {
                add(product, &all, of_total);
            }
        }
    }
    let mut by_totals = [[0.0; WIDTH]; SUMS];
    if S::BY_TOTALS {
        for lane in 0..WIDTH {
            let slopes = slopes.by_totals(sums.map(|sum| sum[lane]), pairs.totals);
            by_totals.iter_mut().zip(slopes).for_each(|(out, slope)| out[lane] = slope);
        }
    }
    let mut jackknife = [0.0; WIDTH];
    for ((influence, fraction), of_totals) in
        influences.iter_mut().zip(&pairs.fractions).zip(&pairs.influences)
    {
        add(influence, &total, -fraction);
        for (slopes, of_total) in by_totals.iter().zip(of_totals) {
            add(influence, slopes, *of_total);
        }
        for lane in 0..WIDTH {
            jackknife[lane] += influence[lane] * influence[lane];
        }
    }
    std::array::from_fn(|lane| {
        let mut of_pairs = squares[lane];
        for sum in 0..SUMS {
            of_pairs += 2.0 * by_totals[sum][lane] * products[sum][lane];
            for second in 0..SUMS {
                let slope = by_totals[sum][lane] * by_totals[second][lane];
                of_pairs += slope * pairs.changes[sum][second];
            }
        }
        without_doubled(jackknife[lane], of_pairs, pairs.units.count)
    })
}

/// The variance of a weight from the sum of the squared influences of so many units, without the variance of pairs that
/// it counts twice.
#[inline]
pub(super) fn without_doubled(influences: f64, of_pairs: f64, units: usize) -> f64 {
    let count = units as f64;
    let jackknife = influences * count / (count - 1.0);
    (jackknife - of_pairs).max(jackknife / 2.0)
}

#[inline]
fn absolute(own: &Lanes, other: &Lanes) -> Lanes {
    let mut differences = [0.0; WIDTH];
    for lane in 0..WIDTH {
        differences[lane] = (own[lane] - other[lane]).abs();
    }
    differences
}

#[inline]
fn mismatches(own: &Lanes, other: &Lanes) -> Lanes {
    let mut differences = [0.0; WIDTH];
    for lane in 0..WIDTH {
        differences[lane] = if own[lane] == other[lane] { 0.0 } else { 1.0 };
    }
    differences
}

#[inline]
pub(super) fn add(sum: &mut Lanes, value: &Lanes, times: f64) {
    for lane in 0..WIDTH {
        sum[lane] += times * value[lane];
    }
}
