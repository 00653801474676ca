//! Pull and hinge terms of large-margin nearest neighbors, summed exactly over all triples.
//!
//! A triple is a row, one of its target neighbors and a row of another class. Most triples are far from violated.
//! Pairs of rows of different classes that are near enough to violate a triple are found in single precision, with a
//! bound on the rounding error ([`Screen`]). Their distances and hinges are then computed in double precision.

use std::sync::{Mutex, MutexGuard};

use basrelief_kernels::{
    HINGE_LANES, HingePairs, HingeSide, HingeSums, Level, NEAR_LANES, NEAR_PANEL, NEAR_ROWS,
    NO_LIMIT, NearChunk, OfLimits, add_pairs_at, hinge_slopes, level, squared_distances_at,
};

use crate::algebra::{column_products, for_each_row, row_products};
use crate::csr::CsrGroups;
use crate::data::{DenseMatrix, squared_distance};
use crate::error::Result;
use crate::neighbors::{
    BlockParts, FoundPlaces, Screen, ScreenedRows, add_parts, in_chunks, inverse_unit,
};
use crate::parallel;
use crate::run::Run;
use crate::thresholds::{HINGE_ROWS, hinge_parts, scale_sample};

/// Rows ordered by class, and their target neighbors.
#[derive(Debug)]
pub(crate) struct Triples {
    values: DenseMatrix,
    /// For every row, the first row of a later class.
    later: Vec<usize>,
    /// The target neighbors of every row. A place is an index into the target neighbors of all rows.
    targets: CsrGroups<u32>,
    /// Per target neighbor, the places that contain it, and their rows.
    incoming: CsrGroups<(u32, u32)>,
    /// Number of groups of four that can contain the target neighbors of any row.
    fours: usize,
    mu: f64,
    /// The sums of the parts at the last map. Their memory is reused at the next map, because allocating it each time
    /// took up to a tenth of a fit.
    used: Mutex<Vec<PairSums>>,
}

/// The objective at a map, summed over all triples.
#[derive(Debug)]
pub(crate) struct ObjectiveSum {
    /// The objective.
    pub(crate) value: f64,
    /// The objective with hinges smoothed at their kinks; at least `value`.
    pub(crate) smooth: f64,
    /// Sum of the multipliers of the hinges, each between 0 and mu.
    pub(crate) multipliers: f64,
    /// `sum w_ij (v_i - v_j)` over the partners j of every row i. The weights are the slopes of the
    /// smooth objective with respect to the pairs' squared distances; v are the requested rows.
    pub(crate) moved: DenseMatrix,
}

/// Rows under the map, with the data that a search needs.
struct Mapped {
    values: DenseMatrix,
    /// Squared distances to the target neighbors.
    squares: Vec<f64>,
    /// Squared distance below which a row of another class matters; 0 without target neighbors.
    reach: Vec<f64>,
    width: f64,
}

/// Sums over the pairs of some rows with all later ones.
#[derive(Debug, Default)]
struct PairSums {
    hinges: HingeSums,
    /// Sums of the slopes per target neighbor, with the same number of entries for every row.
    pushed: Vec<OfLimits>,
    /// Sums of the slopes of every row.
    degrees: Vec<f64>,
    /// Sums of the other rows, weighted by the slopes.
    weighted: Vec<f64>,
}

impl PairSums {
    /// Sets all sums to zero, for `rows` rows.
    fn clear(&mut self, rows: usize, columns: usize, fours: usize) {
        self.hinges = HingeSums::default();
        self.pushed.clear();
        self.pushed.resize(rows * fours, [0.0; HINGE_LANES]);
        self.degrees.clear();
        self.degrees.resize(rows, 0.0);
        self.weighted.clear();
        self.weighted.resize(rows * columns, 0.0);
    }
}

/// Reused memory for the pairs of a row with the rows of a panel.
#[derive(Default)]
struct Scratch {
    squares: Vec<f64>,
    slopes: Vec<f64>,
    pushed: Vec<OfLimits>,
    /// Sums of the other rows, weighted by the slopes.
    weighted: Vec<f64>,
}

/// The inputs of the sums over pairs.
struct Summed<'s> {
    triples: &'s Triples,
    mapped: &'s Mapped,
    /// The limits of the rows' hinges, the squared distances below which they have a slope, with the same number for
    /// every row.
    limits: Vec<OfLimits>,
    /// The rows that the pairs' weights move.
    moving: &'s DenseMatrix,
    /// The mapped rows in single precision, for finding those of violated triples.
    screen: Screen,
    sought: ScreenedRows,
    reaches: Vec<NearChunk>,
    level: Level,
}

impl<'s> Summed<'s> {
    fn new(triples: &'s Triples, mapped: &'s Mapped, moving: &'s DenseMatrix) -> Self {
        let inverse = inverse_unit(&mapped.values);
        let mut screen = Screen::new(&mapped.values, inverse);
        let sought = screen.round(mapped.values.iter());
        screen.fill(&sought);
        let reaches = mapped
            .values
            .iter()
            .zip(&mapped.reach)
            .map(|(row, reach)| screen.reach(reach * inverse * inverse, screen.length(row)));
        let reaches = in_chunks(reaches);
        let limits = triples.limits(mapped);
        Self { triples, mapped, limits, moving, screen, sought, reaches, level: level() }
    }
}

impl Triples {
    /// Creates the triples from rows ordered by class, the class codes in this order, and every row's
    /// target neighbors as positions in this order.
    pub(crate) fn new(values: DenseMatrix, codes: &[u32], near: &[Vec<u32>], mu: f64) -> Self {
        let rows = values.rows();
        let mut later = vec![rows; rows];
        for row in (0..rows.saturating_sub(1)).rev() {
            later[row] = if codes[row] == codes[row + 1] { later[row + 1] } else { row + 1 };
        }
        let mut targets = CsrGroups::default();
        near.iter().for_each(|near| targets.push_group(near.iter().copied()));
        let owners = near.iter().enumerate().flat_map(|(row, near)| near.iter().map(move |_| row));
        let places = targets.items().iter().zip(owners).enumerate();
        let incoming = CsrGroups::new(
            rows,
            places.map(|(place, (&target, row))| (target as usize, (place as u32, row as u32))),
        );
        Self {
            values,
            later,
            targets,
            incoming,
            fours: near.iter().map(Vec::len).max().unwrap_or(0).div_ceil(HINGE_LANES),
            mu,
            used: Mutex::default(),
        }
    }

    /// The objective at a map `L`, with hinges smoothed over `width` around their kinks.
    pub(crate) fn evaluate(
        &self,
        map: &DenseMatrix,
        width: f64,
        run: &Run,
    ) -> Result<ObjectiveSum> {
        self.sum(map, width, false, run)
    }

    /// The gradient of the smooth objective with respect to `L`.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn gradient(&self, sum: &ObjectiveSum, run: &Run) -> Result<Vec<f64>> {
        let mut gradient = column_products(&sum.moved, &self.values, run)?.into_values();
        gradient.iter_mut().for_each(|slope| *slope *= 2.0);
        Ok(gradient)
    }

    /// The objective and its gradient with respect to `M = L'L`, which is symmetric up to rounding.
    pub(crate) fn metric_gradient(
        &self,
        map: &DenseMatrix,
        width: f64,
        run: &Run,
    ) -> Result<(ObjectiveSum, DenseMatrix)> {
        let sum = self.sum(map, width, true, run)?;
        let gradient = column_products(&sum.moved, &self.values, run)?;
        Ok((sum, gradient))
    }

    fn map(&self, map: &DenseMatrix, width: f64, run: &Run) -> Result<Mapped> {
        let values = row_products(&self.values, map, run)?;
        let mut squares = vec![0.0; self.targets.items().len()];
        let mut reach = vec![0.0; values.rows()];
        for (row, reach) in reach.iter_mut().enumerate() {
            let targets = self.targets.group(row);
            if targets.is_empty() {
                continue;
            }
            let mut farthest = 0.0_f64;
            for (square, &target) in squares[self.targets.range(row)].iter_mut().zip(targets) {
                *square = squared_distance(values.row(row), values.row(target as usize));
                farthest = farthest.max(*square);
            }
            *reach = 1.0 + width / 2.0 + farthest;
        }
        Ok(Mapped { values, squares, reach, width })
    }

    /// `along`: whether the pairs' weights move the rows themselves, not the mapped ones.
    fn sum(&self, map: &DenseMatrix, width: f64, along: bool, run: &Run) -> Result<ObjectiveSum> {
        let mapped = self.map(map, width, run)?;
        let moving = if along { &self.values } else { &mapped.values };
        let rows = moving.rows();
        let summed = Summed::new(self, &mapped, moving);
        let blocks = rows.div_ceil(HINGE_ROWS);
        let numbers = rows * (moving.columns() + 1 + self.fours * HINGE_LANES);
        let parts = add_parts(
            // Blocks of the first rows are paired with more others than blocks of the last rows.
            &BlockParts::dealt(blocks, hinge_parts(rows, numbers)),
            |block| {
                let later = self.later[block * HINGE_ROWS] / NEAR_LANES * NEAR_LANES;
                (later..rows).step_by(NEAR_PANEL)
            },
            |_| {
                let mut sums = self.used().pop().unwrap_or_default();
                sums.clear(rows, moving.columns(), self.fours);
                sums
            },
            |sums, pair, buffers| summed.add(pair, sums, buffers),
            run,
        )?;
        let total = self.total(&mapped, moving, &parts);
        self.used().extend(parts);
        Ok(total)
    }

    fn used(&self) -> MutexGuard<'_, Vec<PairSums>> {
        parallel::lock(&self.used)
    }

    /// The sums of all parts, and the pull of target neighbors.
    fn total(&self, mapped: &Mapped, moving: &DenseMatrix, parts: &[PairSums]) -> ObjectiveSum {
        let (rows, columns) = (moving.rows(), moving.columns());
        let mut moved = DenseMatrix::zeros(rows, columns);
        let mut pushed = vec![0.0; self.targets.items().len()];
        let mut hinges = HingeSums::default();
        for part in parts {
            hinges.add(part.hinges);
            for row in 0..rows {
                let own = &part.pushed[row * self.fours..(row + 1) * self.fours];
                add(&mut pushed[self.targets.range(row)], own.as_flattened());
            }
            let weighted = part.weighted.chunks_exact(columns.max(1)).zip(&part.degrees);
            for (row, (weighted, degree)) in weighted.enumerate() {
                let pairs = moved.row_mut(row).iter_mut().zip(weighted).zip(moving.row(row));
                pairs.for_each(|((sum, other), own)| *sum -= self.mu * (degree * own - other));
            }
        }
        self.pull(moving, &pushed, &mut moved);
        let pull = (1.0 - self.mu) * mapped.squares.iter().sum::<f64>();
        ObjectiveSum {
            value: pull + self.mu * hinges.value,
            smooth: pull + self.mu * hinges.smooth,
            multipliers: self.mu * hinges.slope,
            moved,
        }
    }

    fn limits(&self, mapped: &Mapped) -> Vec<OfLimits> {
        let mut limits = vec![[NO_LIMIT; HINGE_LANES]; self.fours * self.later.len()];
        for (row, limits) in limits.chunks_exact_mut(self.fours.max(1)).enumerate() {
            let squares = &mapped.squares[self.targets.range(row)];
            let of_row = limits.as_flattened_mut().iter_mut().zip(squares);
            of_row.for_each(|(limit, square)| *limit = 1.0 + square + mapped.width / 2.0);
        }
        limits
    }

    /// Adds the pairs of rows and target neighbors.
    fn pull(&self, moving: &DenseMatrix, pushed: &[f64], moved: &mut DenseMatrix) {
        let weight = |place: usize| (1.0 - self.mu) + self.mu * pushed[place];
        let of_row = |row: usize, moved: &mut [f64]| {
            let own = moving.row(row);
            for (place, &target) in self.targets.range(row).zip(self.targets.group(row)) {
                add_difference(moved, weight(place), own, moving.row(target as usize));
            }
            for &(place, other) in self.incoming.group(row) {
                add_difference(moved, weight(place as usize), own, moving.row(other as usize));
            }
        };
        // Each pair is added to both of its rows.
        let pairs_per_row = 2 * self.targets.items().len() / moving.rows().max(1);
        for_each_row(moved, pairs_per_row * moving.columns(), &of_row);
    }

    /// The objective of the map that maps all rows to one point: every triple violates its margin by 1.
    pub(crate) fn value_without_map(&self) -> f64 {
        let (mut start, mut triples) = (0, 0);
        for class in self.later.chunk_by(|a, b| a == b) {
            let targets: usize =
                (start..start + class.len()).map(|row| self.targets.group(row).len()).sum();
            triples += targets * (self.later.len() - class.len());
            start += class.len();
        }
        self.mu * triples as f64
    }

    /// The rows, ordered by class.
    pub(crate) fn rows(&self) -> &DenseMatrix {
        &self.values
    }

    /// The triples at a map whose hinges are nearest to their kinks: about `most` of them, and only those within the
    /// margin.
    pub(crate) fn kinks(&self, map: &DenseMatrix, most: usize, run: &Run) -> Result<Kinks> {
        let mapped = self.map(map, 0.0, run)?;
        let counts = self.by_row(&mapped, run, |_, lack, counts: &mut Vec<usize>| {
            counts.resize(OCTAVES * PER_OCTAVE, 0);
            if let Some(count) = counts.get_mut(bin(lack)) {
                *count += 1;
            }
        })?;
        let mut sums = vec![0; OCTAVES * PER_OCTAVE];
        counts
            .iter()
            .flat_map(|row| row.iter().enumerate())
            .for_each(|(at, more)| sums[at] += more);
        // From the kink outwards, until there are more than `most`.
        let mut total = 0;
        let from = (0..sums.len()).rev().find(|&at| {
            total += sums[at];
            total > most
        });
        let octaves = from.map_or(0, |at| at + 1) as f64 / PER_OCTAVE as f64;
        let width = 2.0 * (-octaves).exp2();
        let found = self.by_row(&mapped, run, |triple, lack, found: &mut Vec<_>| {
            let slope = (lack / width + 0.5).clamp(0.0, 1.0);
            if slope > 0.0 && slope < 1.0 {
                found.push((triple, slope));
            }
        })?;
        let (triples, slopes) = found.into_iter().flatten().unzip();
        Ok(Kinks { width, triples, slopes })
    }

    /// Visits all triples with their shortfalls, row by row.
    fn by_row<T: Default + Send>(
        &self,
        mapped: &Mapped,
        run: &Run,
        take: impl Fn((u32, u32, u32), f64, &mut T) + Sync,
    ) -> Result<Vec<T>> {
        let rows = self.later.len();
        let Mapped { values, squares, .. } = mapped;
        let row = |found: &mut T, (row, _): (usize, usize), (): &mut ()| {
            let targets = self.targets.group(row);
            let others = (0..rows).filter(|&other| self.later[other] != self.later[row]);
            for other in others.filter(|_| !targets.is_empty()) {
                let square = squared_distance(values.row(row), values.row(other));
                for (own, &target) in squares[self.targets.range(row)].iter().zip(targets) {
                    take((row as u32, target, other as u32), 1.0 + own - square, found);
                }
            }
        };
        add_parts(&BlockParts::each(rows), |_| [0], |_| T::default(), row, run)
    }

    /// For a sample of rows, the factor of the squared distances that minimizes the objective, and the minimum as a
    /// fraction of the objective [without a map](Self::value_without_map).
    pub(crate) fn best_scale(&self, map: &DenseMatrix, run: &Run) -> Result<(f64, f64)> {
        let mapped = self.map(map, 0.0, run)?;
        let rows = self.later.len();
        let with_targets: Vec<usize> =
            (0..rows).filter(|&row| !self.targets.group(row).is_empty()).collect();
        let sample = scale_sample(rows);
        let (mut slope, mut violated) = (0.0, 0_usize);
        let mut least: Vec<f64> = Vec::new();
        for &row in with_targets.iter().step_by(with_targets.len().div_ceil(sample).max(1)) {
            let targets = &mapped.squares[self.targets.range(row)];
            slope += (1.0 - self.mu) * targets.iter().sum::<f64>();
            let own = |other: &usize| self.later[*other] == self.later[row];
            for other in (0..rows).filter(|other| !own(other)) {
                let square = squared_distance(mapped.values.row(row), mapped.values.row(other));
                for target in targets {
                    let margin = square - target;
                    if margin > 0.0 {
                        least.push(margin);
                    } else {
                        slope -= self.mu * margin;
                        violated += 1;
                    }
                }
            }
        }
        least.sort_unstable_by(f64::total_cmp);
        // As the factor decreases from large values, hinges become violated one after the other.
        let none = self.mu * (violated + least.len()) as f64;
        for margin in least {
            slope -= self.mu * margin;
            violated += 1;
            if slope <= 0.0 {
                let value = slope / margin + self.mu * violated as f64;
                return Ok((1.0 / margin, value / none));
            }
        }
        Ok((1.0, 1.0))
    }
}

impl Summed<'_> {
    /// Adds up the pairs of a block of rows with those of later classes in the panel that starts at a row.
    fn add(
        &self,
        (block, start): (usize, usize),
        sums: &mut PairSums,
        (found, scratch): &mut (FoundPlaces, Scratch),
    ) {
        let Self { triples, screen, sought, reaches, level, .. } = self;
        let rows = triples.later.len();
        let (first, last) = (block * HINGE_ROWS, rows.min((block + 1) * HINGE_ROWS));
        let chunk = start / NEAR_LANES;
        let chunks = chunk..reaches.len().min(chunk + NEAR_PANEL / NEAR_LANES);
        let panel = (start, &reaches[chunks]);
        let reach = |row: usize| reaches[row / NEAR_LANES][row % NEAR_LANES];
        for four in (first..last).step_by(NEAR_ROWS) {
            let counts = screen.find(*level, sought, four, reach, panel, &mut found.0);
            for ((row, count), places) in (four..last).zip(counts).zip(&found.0) {
                // Only rows of later classes, up to the last row.
                let places = &places[..count];
                let before =
                    |end: usize| places.partition_point(|&place| start + usize::from(place) < end);
                let places = &places[before(triples.later[row])..before(rows)];
                if !places.is_empty() {
                    self.add_row(row, start, places, scratch, sums);
                }
            }
        }
    }

    /// Adds up the pairs of a row with the rows at some places of the panel that starts at a row.
    fn add_row(
        &self,
        row: usize,
        start: usize,
        places: &[u16],
        scratch: &mut Scratch,
        sums: &mut PairSums,
    ) {
        let Self { triples, mapped, limits, moving, level, .. } = self;
        let Scratch { squares, slopes, pushed, weighted } = scratch;
        squares.resize(places.len(), 0.0);
        slopes.resize(places.len(), 0.0);
        let panel = &mapped.values.values()[start * mapped.values.columns()..];
        squared_distances_at(*level, mapped.values.row(row), panel, places, squares);

        let fours = triples.fours;
        pushed.clear();
        pushed.resize(fours, [0.0; HINGE_LANES]);
        let own = row * fours..(row + 1) * fours;
        let of_row = HingeSide { limits: &limits[own.clone()], pushed };
        let panel = start * fours..;
        let of_panel =
            HingeSide { limits: &limits[panel.clone()], pushed: &mut sums.pushed[panel] };
        let (width, squares) = (mapped.width, &*squares);
        let pairs = HingePairs { width, squares, places, row: of_row, panel: of_panel, slopes };
        let found = hinge_slopes(*level, pairs);
        add(sums.pushed[own].as_flattened_mut(), pushed.as_flattened());
        sums.hinges.add(found);

        sums.degrees[row] += found.slope;
        let degrees = &mut sums.degrees[start..];
        let slopes_at = places.iter().zip(&*slopes);
        slopes_at.for_each(|(&place, slope)| degrees[usize::from(place)] += slope);
        let columns = moving.columns();
        weighted.clear();
        weighted.resize(columns, 0.0);
        let panel = start * columns..;
        let (others, of_others) = (&moving.values()[panel.clone()], &mut sums.weighted[panel]);
        add_pairs_at(*level, slopes, places, moving.row(row), others, weighted, of_others);
        add(&mut sums.weighted[row * columns..(row + 1) * columns], weighted);
    }
}

/// Halvings of the distance from a kink that are counted separately, and the bins of each.
const OCTAVES: usize = 48;
const PER_OCTAVE: usize = 4;

/// The bin of a distance from a kink below 1; beyond all bins for larger distances.
fn bin(lack: f64) -> usize {
    let octaves = -lack.abs().log2() * PER_OCTAVE as f64;
    if octaves < 0.0 { usize::MAX } else { (octaves as usize).min(OCTAVES * PER_OCTAVE - 1) }
}

/// The hinges near their kinks: triples of a row, its target neighbor and a row of another class, with the slopes of
/// the hinges smoothed over the width. Only slopes other than 0 and 1 are included.
#[derive(Debug)]
pub(crate) struct Kinks {
    pub(crate) width: f64,
    pub(crate) triples: Vec<(u32, u32, u32)>,
    pub(crate) slopes: Vec<f64>,
}

/// `sum += weight (a - b)`.
#[inline]
fn add_difference(sum: &mut [f64], weight: f64, a: &[f64], b: &[f64]) {
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
        *sum += weight * (a - b);
    }
}

fn add(sum: &mut [f64], more: &[f64]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers.
    fn number(k: usize) -> f64 {
        ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.4
    }

    /// The smooth objective and the objective, summed over every triple.
    fn naive(
        rows: &DenseMatrix,
        codes: &[u32],
        near: &[Vec<u32>],
        map: &DenseMatrix,
        width: f64,
    ) -> (f64, f64) {
        let square = |i: usize, j: usize| -> f64 {
            let part = |line: &[f64]| -> f64 {
                line.iter().zip(rows.row(i)).zip(rows.row(j)).map(|((l, a), b)| l * (a - b)).sum()
            };
            map.iter().map(|line| part(line).powi(2)).sum()
        };
        let (mut smooth, mut value) = (0.0, 0.0);
        for (i, near) in near.iter().enumerate() {
            for &j in near {
                let own = square(i, j as usize);
                smooth += 0.7 * own;
                value += 0.7 * own;
                for l in (0..rows.rows()).filter(|&l| codes[l] != codes[i]) {
                    let margin = 1.0 + own - square(i, l);
                    value += 0.3 * margin.max(0.0);
                    smooth += 0.3
                        * if margin.abs() < width / 2.0 {
                            (margin + width / 2.0).powi(2) / (2.0 * width)
                        } else {
                            margin.max(0.0)
                        };
                }
            }
        }
        (smooth, value)
    }

    #[test]
    fn sums_and_slopes_are_those_of_every_triple_wherever_the_map_goes() {
        compare_with_naive(1.0);
        compare_with_naive(3.5);
    }

    /// With more rows than a part and a panel, and more target neighbors than lanes.
    #[test]
    fn parts_and_panels_add_up_to_every_triple_with_any_threads() {
        let (count, width) = (2 * 512 + NEAR_PANEL + 77, 3);
        let codes: Vec<u32> = (0..count).map(|row| (row / 700) as u32).collect();
        let values = (0..count * width).map(|k| 3.0 * number(k) + f64::from(codes[k / width]));
        let rows = DenseMatrix::new(values.collect(), count, width);
        let near: Vec<Vec<u32>> = (0..count)
            .map(|row| {
                let first = row / 700 * 700;
                let class = (first..count.min(first + 700)).filter(|&other| other != row);
                class.skip(row % 40).take(HINGE_LANES + row % 3).map(|j| j as u32).collect()
            })
            .collect();
        let triples = Triples::new(rows.clone(), &codes, &near, 0.3);
        let map = DenseMatrix::new((0..2 * width).map(|k| 2.0 * number(k + 5)).collect(), 2, width);
        let [(sum, metric), (same, other)] = [1, 3].map(|threads| {
            triples.metric_gradient(&map, 0.5, &Run::new(Some(threads)).unwrap()).unwrap()
        });
        assert_eq!((sum.value, sum.smooth, &sum.moved), (same.value, same.smooth, &same.moved));
        assert_eq!(metric, other);
        let none = triples.value_without_map();
        let zeros = DenseMatrix::zeros(2, width);
        let (_, wanted) = naive(&rows, &codes, &near, &zeros, 0.5);
        // The naive sum adds 15 million terms one after the other.
        assert!((none / wanted - 1.0).abs() < 1e-8, "{none} {wanted}");
        let (smooth, value) = naive(&rows, &codes, &near, &map, 0.5);
        assert!((sum.smooth - smooth).abs() < 1e-11 * smooth, "{} {smooth}", sum.smooth);
        assert!((sum.value - value).abs() < 1e-11 * value, "{} {value}", sum.value);
        let run = Run::new(Some(1)).unwrap();
        let gradient = crate::algebra::product(&map, &metric, &run).unwrap();
        for (entry, slope) in gradient.values().iter().enumerate() {
            let at = |step: f64| {
                let mut map = map.clone();
                map.values_mut()[entry] += step;
                triples.evaluate(&map, 0.5, &run).unwrap().smooth
            };
            let found = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((2.0 * slope - found).abs() < 1e-4 * found.abs().max(1.0), "{slope} {found}");
        }
    }

    /// With this few rows the sample contains all of them.
    #[test]
    fn the_share_at_the_best_scale_is_that_of_every_triple() {
        let (count, width) = (40, 3);
        let codes: Vec<u32> = (0..count).map(|row| (row / 25) as u32).collect();
        let values = (0..count * width).map(|k| number(k) + f64::from(codes[k / width]));
        let rows = DenseMatrix::new(values.collect(), count, width);
        let same =
            |row: usize| (0..count).filter(move |&other| other != row && other / 25 == row / 25);
        let near: Vec<Vec<u32>> =
            (0..count).map(|row| same(row).take(2).map(|j| j as u32).collect()).collect();
        let triples = Triples::new(rows.clone(), &codes, &near, 0.3);
        let map = |factor: f64| {
            let entries = (0..2 * width).map(|k| factor * number(k + 5)).collect();
            DenseMatrix::new(entries, 2, width)
        };
        let (scale, share) = triples.best_scale(&map(1.0), &Run::new(Some(1)).unwrap()).unwrap();
        let value = |scale: f64| naive(&rows, &codes, &near, &map(scale.sqrt()), 0.5).1;
        let own = value(scale);
        assert!((own / triples.value_without_map() - share).abs() < 1e-9, "{share}");
        assert!(own < 0.95 * triples.value_without_map(), "{share}");
        assert!(own <= value(1.1 * scale) && own <= value(0.9 * scale));
    }

    /// Compares the sums with naive ones for classes separated by `apart`.
    fn compare_with_naive(apart: f64) {
        let (count, width) = (150, 3);
        let codes: Vec<u32> = (0..count).map(|row| (row / 60) as u32).collect();
        let values: Vec<f64> = (0..count * width)
            .map(|k| 3.0 * number(k) + apart * f64::from(codes[k / width]))
            .collect();
        let rows = DenseMatrix::new(values, count, width);
        // The last row has no target neighbors.
        let near: Vec<Vec<u32>> = (0..count)
            .map(|row| {
                let same = (0..count).filter(|&other| other != row && codes[other] == codes[row]);
                same.skip(row % 5)
                    .take(if row + 1 == count { 0 } else { 2 })
                    .map(|j| j as u32)
                    .collect()
            })
            .collect();
        let run = Run::new(Some(1)).unwrap();
        let triples = Triples::new(rows.clone(), &codes, &near, 0.3);
        let mut map =
            DenseMatrix::new((0..2 * width).map(|k| 2.0 * number(k + 5)).collect(), 2, width);
        let kink = 0.5;
        for round in 0..40 {
            // Decreasing steps, then a large one.
            let step = if round == 30 { 2.0 } else { 0.3 * 0.7_f64.powi(round) };
            for (k, entry) in map.values_mut().iter_mut().enumerate() {
                *entry += step * number(k + 100 * round as usize);
            }
            let sum = triples.evaluate(&map, kink, &run).unwrap();
            let (smooth, value) = naive(&rows, &codes, &near, &map, kink);
            assert!((sum.smooth - smooth).abs() < 1e-11 * smooth, "{} {smooth}", sum.smooth);
            assert!((sum.value - value).abs() < 1e-11 * value, "{} {value}", sum.value);
            if round % 10 != 0 {
                continue;
            }
            let gradient = triples.gradient(&sum, &run).unwrap();
            for (entry, slope) in gradient.iter().enumerate() {
                let at = |step: f64| {
                    let mut map = map.clone();
                    map.values_mut()[entry] += step;
                    naive(&rows, &codes, &near, &map, kink).0
                };
                let found = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - found).abs() < 1e-4 * found.abs().max(1.0), "{slope} {found}");
            }
            let (_, metric) = triples.metric_gradient(&map, kink, &run).unwrap();
            let other = crate::algebra::product(&map, &metric, &run).unwrap();
            for (slope, other) in gradient.iter().zip(other.values()) {
                assert!((slope - 2.0 * other).abs() < 1e-8 * slope.abs().max(1.0));
            }
        }
    }
}
