//! Soft neighbors: every other row is a hit or a miss of a row, with a probability that decreases with distance.
//!
//! In a mapped space with squared distances `d_ij`, row i has the probabilities `beta_ij` of its hits and `alpha_ij`
//! of its misses, both proportional to `exp(-d_ij)` with the sum 1. The probability of a hit is
//! `p_i = hits / (hits + misses)`, with the sums of these exponentials. Methods use the scatter
//! `sum_ij w_ij (x_i - x_j) (x_i - x_j)' = X' (D - W - W') X`. The weights `w_ij` are a factor of row i times
//! `beta_ij` or `alpha_ij`; `D` contains the sums of the rows and columns of `W`.
//!
//! One block of rows at a time is compared with all rows, so that no matrix of rows x rows is stored. Distances come
//! from dot products; where these cancel, they are recomputed from differences. The smallest distance of every row,
//! to a hit and to a miss, is subtracted from its exponents. Terms that are then below 2^-60 are omitted. In a space
//! that separates the classes, these are nearly all terms.

use std::ops::Range;

use basrelief_kernels::{add_line, add_weighted_rows, exponentials, least, level, scale_and_drop};

use super::row_lines::RowLines;
use super::soft_pairs::{HitsAndMisses, PairPanels, TINY};
use crate::algebra::{add_block_product, column_products, product, row_products};
use crate::data::{Classes, DenseMatrix, squared_distance};
use crate::error::Result;
use crate::margins::scatter::symmetric;
use crate::neighbors::{BlockParts, KLeast, RankedDistance, add_parts};
use crate::run::Run;
use crate::thresholds::{DENSE_SHARE, LINE_DISTANCES, LINE_ROWS, PARTS, SPARED, takes_pairs};

/// Weights below 2^-60 add nothing to factors of up to 1.
pub(crate) const NEGLIGIBLE: f64 = 1.0 / (1_u64 << 60) as f64;

/// The probability that the soft neighbor of row i is a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HitProbability {
    /// Probability that the neighbor is a hit.
    pub(crate) hit: f64,
    /// Probability that it is a miss: `1 - hit` without cancellation.
    pub(crate) miss: f64,
    /// Logarithm of `hit`; minus infinity for a row that is alone in its class.
    pub(crate) log_hit: f64,
}

impl HitProbability {
    /// Creates the probabilities from the logarithm of the ratio of hits to misses.
    fn new(log_odds: f64) -> Self {
        let share = |log_odds: f64| 1.0 / (1.0 + (-log_odds).exp());
        let log_hit = if log_odds < 0.0 {
            log_odds - log_odds.exp().ln_1p()
        } else {
            -(-log_odds).exp().ln_1p()
        };
        Self { hit: share(log_odds), miss: share(-log_odds), log_hit }
    }
}

/// Factors of a row's hits and misses, at most 1. A row whose factors are below [`NEGLIGIBLE`] has no
/// effect; it is skipped if they are 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Factors {
    pub(crate) hits: f64,
    pub(crate) misses: f64,
}

impl Factors {
    /// The factors of a row without effect.
    const NONE: Self = Self { hits: 0.0, misses: 0.0 };
}

/// Statistics of the nearest rows in a mapped space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NeighborStats {
    /// Mean squared distance to the k-th nearest row.
    pub(crate) mean_squared_distance: f64,
    /// The median of these squared distances.
    pub(crate) median_squared_distance: f64,
    /// Number of rows whose nearest row is a hit; a tie with a miss counts one half.
    pub(crate) nearest_hits: f64,
}

/// Rows of several classes, class by class.
#[derive(Debug)]
pub(crate) struct SoftRows {
    values: DenseMatrix,
    blocks: Vec<Block>,
}

/// Rows of one class, and the range of all rows of this class.
#[derive(Debug, Clone)]
struct Block {
    rows: Range<usize>,
    class: Range<usize>,
}

/// Sums of the weights of some rows.
struct WeightSums {
    probabilities: Vec<HitProbability>,
    /// Per set: the sums of the weights per row, `D`, and the weighted sums of rows, `W X`, row by row.
    sets: Vec<(Vec<f64>, Vec<f64>)>,
}

/// The weights of a block of rows over all rows.
struct Weights<'w> {
    /// Row-major: rows of the block x all rows.
    values: &'w [f64],
    /// The sums of every row's weights, for hits and for misses.
    sums: Vec<Factors>,
    /// Whether many of the weights are not 0.
    dense: bool,
}

/// The probability of a row, and its weights divided by the sums of its exponentials, for hits and for misses.
/// Returns no weights if the row is too far from all others for these sums.
fn near_weights(
    [hits, misses]: HitsAndMisses<f64>,
    is_lone: bool,
    weigh: &impl Fn(HitProbability) -> Factors,
) -> (HitProbability, Option<HitsAndMisses<f64>>) {
    // An unknown sum is smaller than `TINY`.
    let log = |sum: f64| sum.max(TINY).ln();
    let log_hits = if is_lone { f64::NEG_INFINITY } else { log(hits) };
    let found = HitProbability::new(log_hits - log(misses));
    let factors = weigh(found);
    let weights = match (hits >= TINY || is_lone, misses >= TINY) {
        (true, true) => {
            let hits = if is_lone { 0.0 } else { factors.hits / hits };
            Some([hits, factors.misses / misses])
        }
        // The known sum is so much larger that the row has no effect.
        (false, true) | (true, false) if factors == Factors::NONE => Some([0.0; 2]),
        _ => None,
    };
    (found, weights)
}

impl SoftRows {
    /// Copies the rows in the order of their classes.
    pub(crate) fn new(values: &DenseMatrix, classes: &Classes) -> Self {
        let mut order: Vec<usize> = (0..values.rows()).collect();
        order.sort_by_key(|&row| classes.codes()[row]);
        let most = (LINE_DISTANCES / values.rows().max(1)).clamp(16, LINE_ROWS);
        let mut blocks = Vec::new();
        let mut start = 0;
        for own in order.chunk_by(|&a, &b| classes.codes()[a] == classes.codes()[b]) {
            let class = start..start + own.len();
            for first in class.clone().step_by(most) {
                let rows = first..(first + most).min(class.end);
                blocks.push(Block { rows, class: class.clone() });
            }
            start = class.end;
        }
        Self { values: values.select_rows(&order), blocks }
    }

    /// The rows, class by class.
    pub(crate) fn values(&self) -> &DenseMatrix {
        &self.values
    }

    /// The number of rows, the unit of progress.
    pub(crate) fn len(&self) -> u64 {
        self.values.rows() as u64
    }

    /// The number of rows that [`SoftRows::mapped_scatter`] visits in all passes, the unit of progress.
    pub(crate) fn looks(&self, components: usize) -> u64 {
        self.len() * if takes_pairs(components, self.values.columns()) { 2 } else { 1 }
    }

    /// Returns `L X' (D - W - W') X` in the space of the map `L` (one row per component), and the
    /// probabilities of all rows, class by class. `weigh` gives the factors of a row.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn mapped_scatter(
        &self,
        matrix: &DenseMatrix,
        weigh: &(impl Fn(HitProbability) -> Factors + Sync),
        run: &Run,
    ) -> Result<(DenseMatrix, Vec<HitProbability>)> {
        let mapped = row_products(&self.values, matrix, run)?;
        if !takes_pairs(matrix.rows(), self.values.columns()) {
            let (scatter, probabilities) = self.scatter(mapped, weigh, run)?;
            return Ok((product(matrix, &scatter, run)?, probabilities));
        }
        let classes = self.blocks.chunk_by(|a, b| a.class == b.class);
        let classes: Vec<Range<usize>> = classes.map(|blocks| blocks[0].class.clone()).collect();
        let pairs = PairPanels::new(&mapped, &classes);
        let sums = pairs.sums(run)?;
        let (mut probabilities, mut factors) = (Vec::new(), Vec::new());
        let mut far: Vec<Block> = Vec::new();
        for block in &self.blocks {
            for row in block.rows.clone() {
                let (found, weights) = near_weights(sums[row], block.class.len() == 1, weigh);
                probabilities.push(found);
                factors.push(weights.unwrap_or_default());
                match far.last_mut() {
                    _ if weights.is_some() => (),
                    // Consecutive rows are processed together.
                    Some(Block { rows, .. })
                        if rows.end == row && rows.start >= block.rows.start =>
                    {
                        rows.end += 1;
                    }
                    _ => far.push(Block { rows: row..row + 1, class: block.class.clone() }),
                }
            }
        }
        let moved = pairs.moves(&factors, run)?;
        let mut scatter = column_products(&moved, &self.values, run)?;
        if !far.is_empty() {
            let ([apart], found) = self.scatters::<1>(&mapped, &far, weigh, run)?;
            let more = product(matrix, &apart, run)?;
            scatter.values_mut().iter_mut().zip(more.values()).for_each(|(sum, more)| *sum += more);
            let rows = far.into_iter().flat_map(|block| block.rows);
            rows.zip(found).for_each(|(row, found)| probabilities[row] = found);
        }
        Ok((scatter, probabilities))
    }

    /// The scatter of the original rows, with all weights from the space of a map.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn scatter(
        &self,
        mapped: DenseMatrix,
        weigh: &(impl Fn(HitProbability) -> Factors + Sync),
        run: &Run,
    ) -> Result<(DenseMatrix, Vec<HitProbability>)> {
        let ([scatter], probabilities) = self.scatters::<1>(&mapped, &self.blocks, weigh, run)?;
        Ok((scatter, probabilities))
    }

    /// The scatters of the original rows: that of the hits' and that of the misses' probabilities.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn hit_and_miss_scatters(
        &self,
        mapped: DenseMatrix,
        run: &Run,
    ) -> Result<[DenseMatrix; 2]> {
        let weigh = |_| Factors { hits: 1.0, misses: 1.0 };
        Ok(self.scatters::<2>(&mapped, &self.blocks, &weigh, run)?.0)
    }

    /// Returns `X' (D - W - W') X` for the weights of some blocks, and the probabilities of their rows. With two
    /// sets, hits and misses are separate.
    fn scatters<const SETS: usize>(
        &self,
        mapped: &DenseMatrix,
        blocks: &[Block],
        weigh: &(impl Fn(HitProbability) -> Factors + Sync),
        run: &Run,
    ) -> Result<([DenseMatrix; SETS], Vec<HitProbability>)> {
        let (rows, width) = (self.values.rows(), self.values.columns());
        let lines = RowLines::new(mapped, SPARED);
        let parts = add_parts(
            &parts_of(blocks),
            |_| [0],
            |_| WeightSums {
                probabilities: Vec::new(),
                sets: vec![(vec![0.0; rows], Vec::new()); SETS],
            },
            |sums, (block, _), buffer| {
                let block = &blocks[block];
                let weights = weights(&lines, block, weigh, buffer, &mut sums.probabilities);
                for set in 0..SETS {
                    self.add_weights(
                        block,
                        &weights,
                        (SETS > 1).then_some(set),
                        &mut sums.sets[set],
                    );
                }
            },
            run,
        )?;
        let mut moved: [DenseMatrix; SETS] =
            std::array::from_fn(|_| DenseMatrix::zeros(rows, width));
        let mut of_blocks = blocks.iter().flat_map(|block| block.rows.clone());
        let mut probabilities = Vec::with_capacity(rows);
        for part in parts {
            let own: Vec<usize> = of_blocks.by_ref().take(part.probabilities.len()).collect();
            probabilities.extend(part.probabilities);
            for (moved, (degrees, products)) in moved.iter_mut().zip(part.sets) {
                // X' (D - W - W') X is the sum of X' (D / 2 - W) X and its transpose.
                for (&row, products) in own.iter().zip(products.chunks_exact(width.max(1))) {
                    let pairs = moved.row_mut(row).iter_mut().zip(products);
                    pairs.for_each(|(sum, part)| *sum -= part);
                }
                for (row, degree) in degrees.iter().enumerate() {
                    let pairs = moved.row_mut(row).iter_mut().zip(self.values.row(row));
                    pairs.for_each(|(sum, x)| *sum += 0.5 * degree * x);
                }
            }
        }
        for moved in &mut moved {
            let mut half = symmetric(column_products(&self.values, moved, run)?);
            half.values_mut().iter_mut().for_each(|value| *value *= 2.0);
            *moved = half;
        }
        Ok((moved, probabilities))
    }

    /// Adds the weights of a block to a set: those of hits, those of misses, or all.
    fn add_weights(
        &self,
        block: &Block,
        weights: &Weights<'_>,
        set: Option<usize>,
        (degrees, moved): &mut (Vec<f64>, Vec<f64>),
    ) {
        let (rows, width) = (self.values.rows(), self.values.columns());
        let (class, level) = (&block.class, level());
        let ranges = match set {
            None => [0..rows, 0..0],
            Some(0) => [class.clone(), 0..0],
            Some(_) => [0..class.start, class.end..rows],
        };
        let start = moved.len();
        moved.resize(start + block.rows.len() * width, 0.0);
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            let (added, lines) = (&mut moved[start..], weights.values.chunks(rows));
            if weights.dense {
                add_block_product(weights.values, &self.values, range.clone(), added);
            } else {
                let x = &self.values.values()[range.start * width..range.end * width];
                for (line, added) in lines.clone().zip(added.chunks_mut(width)) {
                    add_weighted_rows(level, &line[range.clone()], x, added);
                }
            }
            for line in lines {
                add_line(level, &line[range.clone()], &mut degrees[range.clone()]);
            }
        }
        for (degree, sums) in degrees[block.rows.clone()].iter_mut().zip(&weights.sums) {
            *degree += match set {
                None => sums.hits + sums.misses,
                Some(0) => sums.hits,
                Some(_) => sums.misses,
            };
        }
    }

    /// Statistics of the squared distance to the k-th nearest row in a mapped space, and the number of
    /// rows whose nearest row is a hit.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn neighbor_stats(
        &self,
        mapped: DenseMatrix,
        k: usize,
        run: &Run,
    ) -> Result<NeighborStats> {
        let rows = self.values.rows();
        let k = k.clamp(1, rows.saturating_sub(1).max(1));
        let lines = RowLines::new(&mapped, SPARED);
        // Sums of the squared distances and of the hits, and the distances.
        let parts = add_parts(
            &parts_of(&self.blocks),
            |_| [0],
            |_| ([0.0; 2], Vec::new(), KLeast::<RankedDistance>::new(1, k, &[rows])),
            |(sums, farthest, nearest), (block, _), values| {
                let Block { rows: own, class } = &self.blocks[block];
                lines.fill(own.clone(), f64::INFINITY, values);
                for (row, line) in own.clone().zip(values.chunks_exact(rows)) {
                    // Exact distances for these few, so that identical rows are at 0.
                    let exact = |place: usize| squared_distance(mapped.row(row), mapped.row(place));
                    let near = nearest.line(line).iter().map(|near| exact(near.row as usize));
                    let last = near.fold(0.0, f64::max);
                    farthest.push(last);
                    sums[0] += last;
                    let nearest = |range: Range<usize>| {
                        let least = least(level(), &line[range.clone()]);
                        let place = line[range.clone()].iter().position(|&value| value == least);
                        let place = place.filter(|_| least < f64::INFINITY);
                        place.map_or(f64::INFINITY, |place| exact(range.start + place))
                    };
                    let hit = nearest(class.clone());
                    let miss = nearest(0..class.start).min(nearest(class.end..rows));
                    sums[1] += if hit == miss { 0.5 } else { f64::from(u8::from(hit < miss)) };
                }
            },
            run,
        )?;
        let total = |at: usize| parts.iter().map(|(sums, ..)| sums[at]).sum::<f64>();
        let mut all: Vec<f64> = parts.iter().flat_map(|(_, own, _)| own.iter().copied()).collect();
        let middle = all.len() / 2;
        Ok(NeighborStats {
            mean_squared_distance: total(0) / rows as f64,
            median_squared_distance: *all.select_nth_unstable_by(middle, f64::total_cmp).1,
            nearest_hits: total(1),
        })
    }
}

/// The parts of some blocks, each of which is compared with all rows.
fn parts_of(blocks: &[Block]) -> BlockParts {
    let rows = blocks.iter().map(|block| block.rows.len());
    BlockParts::consecutive(blocks.len(), PARTS).with_rows(rows)
}

/// Computes the weights of a block's rows, and appends their probabilities.
fn weights<'w>(
    lines: &RowLines<'_>,
    block: &Block,
    weigh: &impl Fn(HitProbability) -> Factors,
    values: &'w mut Vec<f64>,
    probabilities: &mut Vec<HitProbability>,
) -> Weights<'w> {
    lines.fill(block.rows.clone(), f64::INFINITY, values);
    let (mut kept, mut sums) = (0, Vec::with_capacity(block.rows.len()));
    for line in values.chunks_exact_mut(lines.values().rows()) {
        let (found, factors, more) = weigh_line(line, &block.class, weigh);
        probabilities.push(found);
        sums.push(factors);
        kept += more;
    }
    let dense = kept as f64 > DENSE_SHARE * values.len() as f64;
    Weights { values, sums, dense }
}

/// Replaces the squared distances of a row by its weights. Returns its probability, the sums of the weights, and the
/// number of nonzero weights.
fn weigh_line(
    line: &mut [f64],
    class: &Range<usize>,
    weigh: &impl Fn(HitProbability) -> Factors,
) -> (HitProbability, Factors, usize) {
    let (level, most) = (level(), (line.len() as f64).ln());
    let (before, rest) = line.split_at_mut(class.start);
    let (own, after) = rest.split_at_mut(class.len());
    let nearest_hit = least(level, own);
    let nearest_miss = least(level, before).min(least(level, after));
    // The largest exponential is 1, so that a sum is at least 1 if there is any.
    // The sums of exponentials are not computed if no values of them can give the row an effect.
    let apart = nearest_miss - nearest_hit;
    let nothing = |log_odds| weigh(HitProbability::new(log_odds)) == Factors::NONE;
    if (apart > most && nothing(apart - most)) || (apart < -most && nothing(apart + most)) {
        line.fill(0.0);
        return (HitProbability::new(apart), Factors::NONE, 0);
    }
    let (hits, _) = exponentials(level, nearest_hit.min(f64::MAX), own);
    let (first, _) = exponentials(level, nearest_miss, before);
    let (last, _) = exponentials(level, nearest_miss, after);
    let misses = first + last;
    let found =
        HitProbability::new((hits.ln() - nearest_hit.min(f64::MAX)) - (misses.ln() - nearest_miss));
    let factors = weigh(found);
    let factors = if hits == 0.0 { Factors { hits: 0.0, ..factors } } else { factors };
    let scale = |part: &mut [f64], factor: f64, sum: f64| {
        if factor == 0.0 {
            part.fill(0.0);
            return 0;
        }
        scale_and_drop(level, factor / sum, NEGLIGIBLE, part)
    };
    let kept = scale(own, factors.hits, hits)
        + scale(before, factors.misses, misses)
        + scale(after, factors.misses, misses);
    (found, factors, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three classes of different sizes, unordered, with duplicates.
    fn example(rows: usize, width: usize) -> (DenseMatrix, Classes) {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0;
        let mut values = DenseMatrix::new((0..rows * width).map(value).collect(), rows, width);
        let codes: Vec<u32> = (0..rows).map(|row| [0, 2, 1, 1, 0, 2, 2][row % 7]).collect();
        for row in (0..rows).step_by(11).skip(1) {
            let copy = values.row(row - 1).to_vec();
            values.row_mut(row).copy_from_slice(&copy);
        }
        let names = ["a", "b", "c"].map(String::from);
        (values, Classes::from_codes(&codes, &names).unwrap())
    }

    /// Alpha and beta of all pairs and the probability of a hit, by the definition.
    fn naive(mapped: &DenseMatrix, codes: &[u32]) -> (DenseMatrix, DenseMatrix, Vec<f64>) {
        let rows = mapped.rows();
        let (mut alpha, mut beta) =
            (DenseMatrix::zeros(rows, rows), DenseMatrix::zeros(rows, rows));
        let mut hits = Vec::new();
        for i in 0..rows {
            let square = |j: usize| -> f64 {
                let pairs = mapped.row(i).iter().zip(mapped.row(j));
                pairs.map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let others =
                |same: bool| (0..rows).filter(move |&j| j != i && (codes[i] == codes[j]) == same);
            // All exponents are shifted equally, so that the largest is 0.
            let fill = |same: bool, out: &mut DenseMatrix| -> f64 {
                let least = others(same).map(square).fold(f64::INFINITY, f64::min);
                let near = |j: usize| (least - square(j)).exp();
                let sum: f64 = others(same).map(near).sum();
                others(same).for_each(|j| out.row_mut(i)[j] = near(j) / sum);
                sum.ln() - least
            };
            let (hit, miss) = (fill(true, &mut beta), fill(false, &mut alpha));
            hits.push(1.0 / (1.0 + (miss - hit).exp()));
        }
        (alpha, beta, hits)
    }

    fn naive_scatter(values: &DenseMatrix, weights: &DenseMatrix) -> DenseMatrix {
        let mut sum = DenseMatrix::zeros(values.columns(), values.columns());
        for i in 0..values.rows() {
            for j in 0..values.rows() {
                let difference: Vec<f64> =
                    values.row(i).iter().zip(values.row(j)).map(|(a, b)| a - b).collect();
                for (a, x) in difference.iter().enumerate() {
                    for (b, y) in difference.iter().enumerate() {
                        sum.row_mut(a)[b] += weights.row(i)[j] * x * y;
                    }
                }
            }
        }
        sum
    }

    fn assert_near(a: &DenseMatrix, b: &DenseMatrix, what: &str) {
        let size = b.values().iter().fold(1e-300, |most: f64, value| most.max(value.abs()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() < 1e-10 * size, "{what}: {x} {y}");
        }
    }

    /// Covers few and many exponentials of 0, matrix products and sums over few rows, and rows of which some or all
    /// are too far from others for plain exponentials.
    const SCALES: [f64; 6] = [0.01, 1.0, 4.0, 12.0, 60.0, 150.0];

    #[test]
    fn sums_are_those_of_the_definition() {
        let run = Run::new(Some(2)).unwrap();
        let weigh = |p: HitProbability| Factors { hits: p.hit, misses: -p.miss };
        // The fourth has several panels of one class, and a sample that bounds the nearest; the last has
        // enough components for products of matrices.
        let cases = [(150, 6, 1), (150, 6, 2), (150, 6, 5), (1100, 6, 2), (60, 40, 40)];
        for (count, width, components) in cases {
            let (values, classes) = example(count, width);
            let rows = SoftRows::new(&values, &classes);
            assert_eq!(takes_pairs(components, width), components < 40);
            // All rows in the order of the classes.
            let mut codes = classes.codes().to_vec();
            codes.sort_unstable();
            for scale in SCALES {
                let what = format!("{count} rows, scale {scale}, {components} components");
                let entry = |k: usize| scale * ((k * 31 + 7) % 17) as f64 / 17.0 - scale * 0.4;
                let map: Vec<f64> =
                    (0..components * width).map(|k| entry(k) * 6.0 / width as f64).collect();
                let map = DenseMatrix::new(map, components, width);
                let mapped =
                    row_products(rows.values(), &map, &Run::new(Some(1)).unwrap()).unwrap();
                let (alpha, beta, hits) = naive(&mapped, &codes);
                let mut weights = DenseMatrix::zeros(count, count);
                for (i, hit) in hits.iter().enumerate() {
                    for j in 0..count {
                        let (a, b) = (alpha.row(i)[j], beta.row(i)[j]);
                        weights.row_mut(i)[j] = hit * b - (1.0 - hit) * a;
                    }
                }
                let expected = product(
                    &map,
                    &naive_scatter(rows.values(), &weights),
                    &Run::new(Some(1)).unwrap(),
                )
                .unwrap();
                let (found, probabilities) = rows.mapped_scatter(&map, &weigh, &run).unwrap();
                assert_near(&found, &expected, &what);
                for (p, hit) in probabilities.iter().zip(&hits) {
                    assert!((p.hit - hit).abs() < 1e-10, "{what}: {p:?} {hit}");
                    assert!((p.hit + p.miss - 1.0).abs() < 1e-15, "{what}: {p:?}");
                    assert!((p.log_hit.exp() - hit).abs() < 1e-10, "{what}: {p:?}");
                }
                let (whole, _) = rows.scatter(mapped.clone(), &weigh, &run).unwrap();
                assert_near(&whole, &naive_scatter(rows.values(), &weights), &what);
                let [of_hits, of_misses] = rows.hit_and_miss_scatters(mapped, &run).unwrap();
                assert_near(&of_hits, &naive_scatter(rows.values(), &beta), &what);
                assert_near(&of_misses, &naive_scatter(rows.values(), &alpha), &what);
            }
        }
    }

    #[test]
    fn neighbor_stats_are_those_of_sorted_distances() {
        let (values, classes) = example(90, 3);
        let rows = SoftRows::new(&values, &classes);
        let mut codes = classes.codes().to_vec();
        codes.sort_unstable();
        let run = Run::new(Some(1)).unwrap();
        for k in [1, 7, 500] {
            let (mut width, mut right) = (0.0, 0.0);
            for i in 0..90 {
                let mut near: Vec<(f64, bool)> = (0..90)
                    .filter(|&j| j != i)
                    .map(|j| {
                        let pairs = rows.values().row(i).iter().zip(rows.values().row(j));
                        (pairs.map(|(a, b)| (a - b) * (a - b)).sum(), codes[i] == codes[j])
                    })
                    .collect();
                let least = |same| {
                    let own = near.iter().filter(|near| near.1 == same);
                    own.fold(f64::INFINITY, |least, near| near.0.min(least))
                };
                let (hit, miss) = (least(true), least(false));
                right += if hit == miss { 0.5 } else { f64::from(u8::from(hit < miss)) };
                near.sort_by(|a, b| a.0.total_cmp(&b.0));
                width += near[k.min(89) - 1].0 / 90.0;
            }
            let found = rows.neighbor_stats(rows.values().clone(), k, &run).unwrap();
            assert!((found.mean_squared_distance - width).abs() < 1e-12, "{found:?} {width}");
            assert_eq!(found.nearest_hits, right);
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let (values, classes) = example(700, 5);
        let rows = SoftRows::new(&values, &classes);
        let weigh = |p: HitProbability| Factors { hits: p.hit * p.miss, misses: -p.hit };
        let results = [1, 2, 3].map(|threads| {
            let run = Run::new(Some(threads)).unwrap();
            SCALES.map(|scale| {
                let mut map = DenseMatrix::identity(5);
                map.values_mut().iter_mut().for_each(|value| *value *= scale);
                let mapped =
                    row_products(rows.values(), &map, &Run::new(Some(1)).unwrap()).unwrap();
                let whole = run.install(|| rows.mapped_scatter(&map, &weigh, &run)).unwrap();
                map.truncate(2);
                let few = run.install(|| rows.mapped_scatter(&map, &weigh, &run)).unwrap();
                let stats = run.install(|| rows.neighbor_stats(mapped, 7, &run)).unwrap();
                (whole, few, stats)
            })
        });
        assert_eq!(results[0], results[1]);
        assert_eq!(results[0], results[2]);
    }

    /// Far from the origin, dot products are too inaccurate for near rows.
    #[test]
    fn distances_that_cancel_are_computed_anew() {
        let mut values = DenseMatrix::zeros(8, 2);
        for row in 0..8 {
            let side = if row < 4 { 1e7 } else { -1e7 };
            values.row_mut(row).copy_from_slice(&[side + (row % 4) as f64, side]);
        }
        let classes = Classes::from_labels(&["a", "b", "a", "b", "a", "b", "a", "b"]);
        let rows = SoftRows::new(&values, &classes);
        let run = Run::new(Some(1)).unwrap();
        let weigh = |_| Factors { hits: 1.0, misses: 1.0 };
        let (_, probabilities) = rows.scatter(rows.values().clone(), &weigh, &run).unwrap();
        // The first of four rows in a line at distance 1 has a hit at 2 and misses at 1 and 3.
        let hit = (-4.0_f64).exp();
        let expected = hit / (hit + (-1.0_f64).exp() + (-9.0_f64).exp());
        assert!(
            (probabilities[0].hit - expected).abs() < 1e-12,
            "{:?} {expected}",
            probabilities[0]
        );
        assert_eq!(
            rows.neighbor_stats(rows.values().clone(), 1, &run).unwrap().mean_squared_distance,
            1.0
        );
    }
}
