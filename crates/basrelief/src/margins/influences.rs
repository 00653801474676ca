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

use crate::differences::{Form, Space};
use crate::error::Result;
use crate::neighbors::{Neighbor, PairSource};
use crate::run::Run;

/// Features whose influences are computed together.
const WIDTH: usize = 8;

/// Rows whose pairs one task lists; it does not depend on the number of threads.
const ROWS_PER_TASK: usize = 64;

type Lanes = [f64; WIDTH];

/// The rows or groups of rows that were sampled independently.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units<'u> {
    /// The unit of every row of the table.
    pub(crate) of_rows: &'u [u32],
    /// The number of units, at least 2.
    pub(crate) count: usize,
}

/// The derivatives of a weight by each of its sums, and by the total weight of the pairs of each sum.
pub(crate) type Slopes<const SUMS: usize> = [[f64; 2]; SUMS];

/// Computes the variance of every feature's weight over samples of units of the same size.
///
/// `weigh(row, group, neighbor row, neighbor weight)` returns the weight of a pair in each sum, as in
/// [`margin_sums`](super::margin_sums). The weight is a function of the sums over all pairs and of their total weights;
/// `slopes(sums, totals)` returns its derivatives. Differences must be known for all pairs.
///
/// Source: B. Efron and C. Stein. The jackknife estimate of variance. Annals of Statistics 9, 586-596, 1981.
///
/// # Errors
/// The pairs do not fit into memory; [`crate::Error::Cancelled`].
pub(crate) fn influence_variances<const SUMS: usize>(
    space: &Space<'_>,
    source: &dyn PairSource,
    units: Units<'_>,
    weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
    slopes: impl Fn([f64; SUMS], [f64; SUMS]) -> Slopes<SUMS> + Sync,
    run: &Run,
) -> Result<Vec<f64>> {
    let pairs = Pairs::<SUMS>::new(space, source, units, weigh, run)?;
    let tiles = tiles(space);
    run.progress().start("computing intervals", space.width() as u64);
    let found = run.install(|| {
        tiles
            .par_iter()
            .map_init(Buffer::default, |buffer, tile| {
                run.check()?;
                buffer.fill(space, tile);
                let variances = buffer.variances(space, tile, &pairs, units, &slopes);
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

/// How the differences of a tile are computed; all its features are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TileKind {
    Absolute,
    Mismatch,
    /// By the feature's rule, pair by pair, with its treatment of missing values.
    Other,
}

/// Up to [`WIDTH`] features of one kind.
struct Tile {
    kind: TileKind,
    features: Vec<usize>,
}

/// Groups the features that are not constant into tiles.
fn tiles(space: &Space<'_>) -> Vec<Tile> {
    let kind_of = |feature: usize| {
        let feature = &space.features()[feature];
        match feature.rule.form() {
            Form::Nothing => None,
            Form::Absolute if feature.missing_rows.is_empty() => Some(TileKind::Absolute),
            Form::Mismatch if feature.missing_rows.is_empty() => Some(TileKind::Mismatch),
            _ => Some(TileKind::Other),
        }
    };
    let of_kind = |kind| {
        let features = (0..space.width()).filter(|&feature| kind_of(feature) == Some(kind));
        let features: Vec<usize> = features.collect();
        let tiles = features.chunks(WIDTH);
        tiles.map(|features| Tile { kind, features: features.to_vec() }).collect::<Vec<_>>()
    };
    [TileKind::Absolute, TileKind::Mismatch, TileKind::Other]
        .into_iter()
        .flat_map(of_kind)
        .collect()
}

/// A query row and one of its neighbors.
#[derive(Debug, Clone, Copy)]
struct Pair<const SUMS: usize> {
    row: u32,
    neighbor: u32,
    /// The index of the list of neighbors.
    list: u32,
    /// The share of the neighbor in the weight of the list.
    share: f64,
    /// The share of the rows of other units than the neighbor's.
    rest: f64,
    /// The weight in each sum.
    counts: [f64; SUMS],
}

/// All pairs, and the order in which those of two units follow each other.
struct Pairs<const SUMS: usize> {
    /// Row by row, and list by list.
    pairs: Vec<Pair<SUMS>>,
    /// Per list of neighbors, its row.
    lists: Vec<u32>,
    /// The indices of the pairs, sorted by their two units.
    order: Vec<u32>,
    /// The ranges of `order` with the pairs of the same two units, in either direction.
    blocks: Vec<Range<u32>>,
    /// The total weight of all pairs in each sum.
    totals: [f64; SUMS],
    /// Per list, the total weight of its pairs in each sum.
    list_totals: Vec<[f64; SUMS]>,
    /// Per row, its fraction of all query rows, or of their weight; 0 for other rows.
    fractions: Vec<f64>,
}

impl<const SUMS: usize> Pairs<SUMS> {
    /// Lists all pairs of a source.
    ///
    /// # Errors
    /// The pairs do not fit into memory; [`crate::Error::Cancelled`].
    fn new(
        space: &Space<'_>,
        source: &dyn PairSource,
        units: Units<'_>,
        weigh: impl Fn(u32, usize, u32, f64) -> [f64; SUMS] + Sync,
        run: &Run,
    ) -> Result<Self> {
        let row_weights = space.row_weights();
        let expected: usize = (0..source.len()).map(|place| source.expected_pairs(place)).sum();
        let bytes = expected * (2 * size_of::<Pair<SUMS>>() + 3 * size_of::<u32>());
        run.memory().claim(
            bytes as u64,
            "computing intervals of the weights",
            "use fewer neighbors or fewer rows",
        )?;
        let starts: Vec<usize> = (0..source.len()).step_by(ROWS_PER_TASK).collect();
        let listed = run.install(|| {
            let list = |&start: &usize| {
                run.check()?;
                let (mut pairs, mut lists) = (Vec::new(), Vec::new());
                let mut shares = vec![0.0; units.count];
                let places = start..(start + ROWS_PER_TASK).min(source.len());
                source.visit(places, &mut |row, group, neighbors| {
                    let own = row_weights.map_or(1.0, |weights| weights[row as usize]);
                    let all: f64 = neighbors.iter().map(|neighbor| neighbor.weight).sum();
                    let unit = |neighbor: &Neighbor| units.of_rows[neighbor.row as usize] as usize;
                    neighbors.iter().for_each(|own| shares[unit(own)] += own.weight / all);
                    let known = neighbors.iter().filter(|neighbor| neighbor.weight != 0.0);
                    pairs.extend(known.map(|neighbor| {
                        Pair {
                            row,
                            neighbor: neighbor.row,
                            list: lists.len() as u32,
                            share: neighbor.weight / all,
                            rest: 1.0 - shares[unit(neighbor)],
                            counts: weigh(row, group, neighbor.row, neighbor.weight)
                                .map(|count| own * count),
                        }
                    }));
                    neighbors.iter().for_each(|own| shares[unit(own)] = 0.0);
                    lists.push(row);
                });
                Ok((pairs, lists))
            };
            starts.par_iter().map(list).collect::<Result<Vec<(Vec<Pair<SUMS>>, Vec<u32>)>>>()
        })?;
        let (mut pairs, mut lists) = (Vec::new(), Vec::new());
        for (mut of_task, rows) in listed {
            let before = lists.len() as u32;
            of_task.iter_mut().for_each(|pair| pair.list += before);
            pairs.append(&mut of_task);
            lists.extend(rows);
        }
        let (mut totals, mut list_totals) = ([0.0; SUMS], vec![[0.0; SUMS]; lists.len()]);
        for pair in &pairs {
            for sum in 0..SUMS {
                totals[sum] += pair.counts[sum];
                list_totals[pair.list as usize][sum] += pair.counts[sum];
            }
        }
        let mut fractions = vec![0.0; space.rows()];
        for &row in &lists {
            fractions[row as usize] = row_weights.map_or(1.0, |weights| weights[row as usize]);
        }
        let all: f64 = fractions.iter().sum();
        fractions.iter_mut().for_each(|fraction| *fraction /= all);
        let units_of = |&index: &u32| {
            let Pair { row, neighbor, .. } = pairs[index as usize];
            let [own, other] = [row, neighbor].map(|row| units.of_rows[row as usize]);
            (own.min(other), own.max(other))
        };
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        run.install(|| order.par_sort_unstable_by_key(|index| (units_of(index), *index)));
        let mut blocks = Vec::new();
        let mut first = 0;
        for block in order.chunk_by(|a, b| units_of(a) == units_of(b)) {
            blocks.push(first..first + block.len() as u32);
            first += block.len() as u32;
        }
        Ok(Self { pairs, lists, order, blocks, totals, list_totals, fractions })
    }
}

/// Reused memory of one worker.
#[derive(Default)]
struct Buffer {
    values: Vec<Lanes>,
    column: Vec<f64>,
}

impl Buffer {
    /// Replaces the values by those of a tile, row by row.
    fn fill(&mut self, space: &Space<'_>, tile: &Tile) {
        self.values.clear();
        self.values.resize(space.rows(), [0.0; WIDTH]);
        if tile.kind == TileKind::Other {
            return;
        }
        for (lane, &feature) in tile.features.iter().enumerate() {
            space.copy_scaled(feature, &mut self.column);
            let values = self.values.iter_mut().zip(&self.column);
            values.for_each(|(out, value)| out[lane] = *value);
        }
    }

    /// The variances of a tile whose values are in the buffer.
    fn variances<const SUMS: usize>(
        &self,
        space: &Space<'_>,
        tile: &Tile,
        pairs: &Pairs<SUMS>,
        units: Units<'_>,
        slopes: &impl Fn([f64; SUMS], [f64; SUMS]) -> Slopes<SUMS>,
    ) -> Lanes {
        let values = &self.values;
        let both = |pair: &Pair<SUMS>| [pair.row, pair.neighbor].map(|row| &values[row as usize]);
        match tile.kind {
            TileKind::Absolute => variances(pairs, units, slopes, |pair| {
                let [own, other] = both(pair);
                std::array::from_fn(|lane| (own[lane] - other[lane]).abs())
            }),
            TileKind::Mismatch => variances(pairs, units, slopes, |pair| {
                let [own, other] = both(pair);
                std::array::from_fn(|lane| f64::from(u8::from(own[lane] != other[lane])))
            }),
            TileKind::Other => variances(pairs, units, slopes, |pair| {
                let mut differences = [0.0; WIDTH];
                for (out, &feature) in differences.iter_mut().zip(&tile.features) {
                    let [own, other] = [pair.row, pair.neighbor].map(|row| row as usize);
                    // The caller refuses tables with pairs of unknown difference.
                    *out = space.difference(feature, own, other).unwrap_or(f64::NAN);
                }
                differences
            }),
        }
    }
}

/// The variances of the features of a tile; `difference` returns those of a pair.
fn variances<const SUMS: usize>(
    pairs: &Pairs<SUMS>,
    units: Units<'_>,
    slopes: &impl Fn([f64; SUMS], [f64; SUMS]) -> Slopes<SUMS>,
    difference: impl Fn(&Pair<SUMS>) -> Lanes,
) -> Lanes {
    let mut of_lists = vec![[[0.0; WIDTH]; SUMS]; pairs.lists.len()];
    for pair in &pairs.pairs {
        let differences = difference(pair);
        for (out, count) in of_lists[pair.list as usize].iter_mut().zip(pair.counts) {
            for lane in 0..WIDTH {
                out[lane] += count * differences[lane];
            }
        }
    }
    let mut sums = [[0.0; WIDTH]; SUMS];
    for of_list in &of_lists {
        for (sum, of_list) in sums.iter_mut().zip(of_list) {
            for lane in 0..WIDTH {
                sum[lane] += of_list[lane];
            }
        }
    }
    // Per sum, the slopes of all lanes by the sum and by its total.
    let mut by_sum = [[0.0; WIDTH]; SUMS];
    let mut by_total = [[0.0; WIDTH]; SUMS];
    for lane in 0..WIDTH {
        for (sum, [slope, of_total]) in
            slopes(sums.map(|sum| sum[lane]), pairs.totals).into_iter().enumerate()
        {
            (by_sum[sum][lane], by_total[sum][lane]) = (slope, of_total);
        }
    }
    // Pairs and lists in the linear form of the weight.
    let linear = |sums: &[Lanes; SUMS], totals: &[f64; SUMS]| -> Lanes {
        let mut value = [0.0; WIDTH];
        for sum in 0..SUMS {
            for lane in 0..WIDTH {
                value[lane] +=
                    by_sum[sum][lane] * sums[sum][lane] + by_total[sum][lane] * totals[sum];
            }
        }
        value
    };
    let of_lists: Vec<Lanes> = of_lists
        .iter()
        .zip(&pairs.list_totals)
        .map(|(sums, totals)| linear(sums, totals))
        .collect();
    let of_pair = |pair: &Pair<SUMS>| -> Lanes {
        let mut value = [0.0; WIDTH];
        // The rows of a single unit in a list have no others to replace.
        if pair.rest < 1e-9 {
            return value;
        }
        let differences = difference(pair);
        let of_list = &of_lists[pair.list as usize];
        for sum in 0..SUMS {
            for lane in 0..WIDTH {
                let slope = by_sum[sum][lane] * differences[lane] + by_total[sum][lane];
                value[lane] += pair.counts[sum] * slope;
            }
        }
        // As a neighbor, a row replaces the mean of the other units in the list.
        for lane in 0..WIDTH {
            value[lane] = (value[lane] - pair.share * of_list[lane]) / pair.rest;
        }
        value
    };
    let total = linear(&sums, &pairs.totals);
    let mut influences = vec![[0.0; WIDTH]; units.count];
    for (row, of_list) in pairs.lists.iter().zip(&of_lists) {
        add(&mut influences[units.of_rows[*row as usize] as usize], of_list, 1.0);
    }
    for (unit, fraction) in units.of_rows.iter().zip(&pairs.fractions) {
        add(&mut influences[*unit as usize], &total, -fraction);
    }
    let mut of_pairs = [0.0; WIDTH];
    for block in &pairs.blocks {
        let (mut of_block, mut is_between) = ([0.0; WIDTH], false);
        for &index in &pairs.order[block.start as usize..block.end as usize] {
            let pair = &pairs.pairs[index as usize];
            let value = of_pair(pair);
            let [own, other] = [pair.row, pair.neighbor].map(|row| units.of_rows[row as usize]);
            add(&mut influences[other as usize], &value, 1.0);
            add(&mut of_block, &value, 1.0);
            is_between = own != other;
        }
        if is_between {
            for lane in 0..WIDTH {
                of_pairs[lane] += of_block[lane] * of_block[lane];
            }
        }
    }
    let mut squares = [0.0; WIDTH];
    for influence in &influences {
        for lane in 0..WIDTH {
            squares[lane] += influence[lane] * influence[lane];
        }
    }
    let count = units.count as f64;
    std::array::from_fn(|lane| {
        let jackknife = squares[lane] * count / (count - 1.0);
        (jackknife - of_pairs[lane]).max(jackknife / 2.0)
    })
}

fn add(sum: &mut Lanes, value: &Lanes, times: f64) {
    for lane in 0..WIDTH {
        sum[lane] += times * value[lane];
    }
}
