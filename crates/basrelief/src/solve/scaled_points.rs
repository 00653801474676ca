//! The rows of a table as points, and their squared differences under feature weights.

use std::collections::HashMap;
use std::ops::Range;

use basrelief_kernels::{LANES, NumberRule, TILE};

use crate::data::{Classes, Column, Table, list};
use crate::error::{Error, Result};
use crate::neighbors::{BlockParts, PointPanels, add_parts};
use crate::run::Run;
use crate::wording;

/// Panels of rows per block.
const BLOCK_PANELS: usize = 16;

/// The rows of a complete table as points: numbers divided by their range, genotypes by 2, and one
/// coordinate per level of a category, so that the squared difference of a feature is the sum over
/// its coordinates.
#[derive(Debug)]
pub(crate) struct Points {
    /// Row-major, `rows x coordinates`.
    values: Vec<f64>,
    /// Index of the distinct feature that every coordinate belongs to.
    owner: Vec<usize>,
    /// Features of the table that every distinct feature represents (copies are merged).
    members: Vec<Vec<usize>>,
    /// Weight of every distinct feature in the table's own distance: 1, or the square of its range
    /// relative to the widest if the table is in one unit. Coordinates are nevertheless divided by
    /// their own ranges: a program with ranges of very different sizes cannot be solved to
    /// convergence.
    units: Vec<f64>,
    /// Row of the table at every position: class by class, each padded to complete panels.
    places: Vec<u32>,
    /// Class of every panel.
    panel_class: Vec<u32>,
    width: usize,
}

/// The smallest and the largest known value; infinity and its negative if there is none.
fn extent(values: &[f64]) -> (f64, f64) {
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max))
}

/// The largest range of any column.
fn widest(table: &Table<'_>) -> f64 {
    let mut values = Vec::new();
    table.columns().iter().fold(0.0, |widest, column| {
        column.copy_values(&mut values);
        let (least, greatest) = extent(&values);
        widest.max(greatest - least)
    })
}

/// The coordinates of a complete column and the square of its unit; `widest` is the widest range of
/// all columns if the table is in one unit.
///
/// # Errors
/// An infinite range.
fn coordinates(
    column: &Column<'_>,
    values: &[f64],
    widest: Option<f64>,
) -> Result<(Vec<Vec<f64>>, f64)> {
    if let Some(categories) = column.categories() {
        let mut levels: Vec<f64> = (0..categories.levels().len())
            .map(|level| level as f64)
            .filter(|level| values.contains(level))
            .collect();
        // Two levels need one coordinate; more levels need one each, with half the square.
        let height = if levels.len() == 2 { 1.0 } else { 0.5_f64.sqrt() };
        if levels.len() == 2 {
            levels.pop();
        }
        let one = |level: f64| {
            let at = |value: &f64| if *value == level { height } else { 0.0 };
            values.iter().map(at).collect()
        };
        return Ok((levels.into_iter().map(one).collect(), 1.0));
    }
    let shares = |(least, range): (f64, f64)| -> Vec<f64> {
        values.iter().map(|value| (value - least) / range).collect()
    };
    if let Some(declared) = column.declared_range() {
        return Ok((vec![shares(declared)], 1.0));
    }
    let (least, greatest) = extent(values);
    let range = greatest - least;
    if range.is_infinite() {
        return Err(Error::data(
            format!(
                "column `{}`: values from {least:e} to {greatest:e}: their range is not a finite number",
                column.name()
            ),
            "rescale the column",
        ));
    }
    // The squares of smaller fractions would underflow.
    let unit = widest.map_or(1.0, |widest| (range / widest).max(1e-140).powi(2));
    Ok((vec![shares((least, range))], unit))
}

/// The rows of every class side by side, each class padded to complete panels with its last row,
/// and the class of every panel.
fn places_by_class(classes: &Classes) -> (Vec<u32>, Vec<u32>) {
    let (mut places, mut panel_class) = (Vec::new(), Vec::new());
    for class in 0..classes.len() as u32 {
        let members = classes.codes().iter().enumerate().filter(|(_, code)| **code == class);
        places.extend(members.map(|(row, _)| row as u32));
        while !places.len().is_multiple_of(LANES) {
            places.push(places[places.len() - 1]);
        }
        panel_class.resize(places.len() / LANES, class);
    }
    (places, panel_class)
}

/// The extreme pairs of a row with rows after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestMissFarthestHit {
    /// Row of the table.
    pub(crate) row: u32,
    /// Nearest row of another class, if there is one, and its squared distance.
    pub(crate) miss: Option<(u32, f64)>,
    /// Farthest row of the same class.
    pub(crate) hit: Option<(u32, f64)>,
}

impl Points {
    /// Scales the columns.
    ///
    /// # Errors
    /// Missing values (the error names the columns), an infinite range.
    pub(crate) fn new(table: &Table<'_>, classes: &Classes, method: &str) -> Result<Self> {
        let mut with_gaps = Vec::new();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let (mut owner, mut units) = (Vec::new(), Vec::new());
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut seen: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut values = Vec::new();
        let widest = table.is_in_one_unit().then(|| widest(table));
        for (feature, column) in table.columns().iter().enumerate() {
            values.clear();
            column.copy_values(&mut values);
            let (least, greatest) = extent(&values);
            // Constant and empty columns have no differences.
            if least >= greatest {
                continue;
            }
            if values.iter().any(|value| value.is_nan()) {
                with_gaps.push(column.name());
                continue;
            }
            let (mut own, unit) = coordinates(column, &values, widest)?;
            // In one unit, columns that differ only in their units are not copies.
            let values = own.iter().flatten().chain([&unit]);
            let bits: Vec<u64> = values.map(|value| value.to_bits()).collect();
            match seen.get(&bits) {
                Some(&original) => members[original].push(feature),
                None => {
                    seen.insert(bits, members.len());
                    owner.extend(own.iter().map(|_| members.len()));
                    columns.append(&mut own);
                    members.push(vec![feature]);
                    units.push(unit);
                }
            }
        }
        if !with_gaps.is_empty() {
            return Err(Error::data(
                format!(
                    "{method} needs complete data, but values are missing (NaN) in: {}",
                    list(&with_gaps)
                ),
                format!(
                    "fill them in, leave out those rows or columns, or use {}, which handles them",
                    wording::method("relieff")
                ),
            ));
        }
        let (width, mut values) = (columns.len(), vec![0.0; table.rows() * columns.len()]);
        for (coordinate, column) in columns.iter().enumerate() {
            let places = values.iter_mut().skip(coordinate).step_by(width);
            places.zip(column).for_each(|(place, value)| *place = *value);
        }
        let (places, panel_class) = places_by_class(classes);
        Ok(Self { values, owner, members, units, places, panel_class, width })
    }

    /// Number of distinct features that are not constant.
    pub(crate) fn features(&self) -> usize {
        self.members.len()
    }

    /// Coordinates of a row.
    pub(crate) fn row(&self, row: u32) -> &[f64] {
        &self.values[row as usize * self.width..][..self.width]
    }

    /// The coordinates with a nonzero weight, and the square roots of the weights.
    fn used(&self, weights: &[f64]) -> Vec<(usize, f64)> {
        self.owner
            .iter()
            .enumerate()
            .filter(|(_, owner)| weights[**owner] > 0.0)
            .map(|(coordinate, &owner)| (coordinate, weights[owner].sqrt()))
            .collect()
    }

    /// Equal weights under which squared distances are near 1: the mean squared difference of a
    /// feature over its range is about 1/6.
    pub(crate) fn even_weights(&self) -> Vec<f64> {
        vec![6.0 / self.features().max(1) as f64; self.features()]
    }

    /// Weights under which distances are those of the table's own units.
    pub(crate) fn own_units(&self) -> &[f64] {
        &self.units
    }

    /// Every row's coordinates with a nonzero weight, times its square root, so that their squared
    /// differences sum to squared distances. Row-major, with the number of coordinates.
    pub(crate) fn weighted(&self, weights: &[f64]) -> (Vec<f64>, usize) {
        let used = self.used(weights);
        let rows = self.values.chunks_exact(self.width.max(1));
        let values = rows.flat_map(|row| used.iter().map(|&(at, scale)| row[at] * scale)).collect();
        (values, used.len())
    }

    /// Squared difference of two rows, feature by feature.
    pub(crate) fn squares(&self, i: u32, j: u32, out: &mut [f64]) {
        out.fill(0.0);
        for ((x, y), &owner) in self.row(i).iter().zip(self.row(j)).zip(&self.owner) {
            out[owner] += (x - y) * (x - y);
        }
    }

    /// Squared difference of rows `i` and `far` minus that of `i` and `near`, feature by feature.
    pub(crate) fn squares_beyond(&self, i: u32, far: u32, near: u32, out: &mut [f64]) {
        out.fill(0.0);
        let rows = self.row(i).iter().zip(self.row(far)).zip(self.row(near));
        for (((x, far), near), &owner) in rows.zip(&self.owner) {
            out[owner] += (x - far) * (x - far) - (x - near) * (x - near);
        }
    }

    /// A squared difference of every feature that two rows of the same class attain; for features
    /// of one coordinate it is the largest.
    pub(crate) fn reached_within(&self, codes: &[u32], classes: usize) -> Vec<f64> {
        let mut reached = vec![0.0_f64; self.members.len()];
        for (coordinate, &owner) in self.owner.iter().enumerate() {
            let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); classes];
            for (row, &code) in codes.iter().enumerate() {
                let value = self.row(row as u32)[coordinate];
                let (low, high) = &mut ranges[code as usize];
                (*low, *high) = (low.min(value), high.max(value));
            }
            for (low, high) in ranges.into_iter().filter(|(low, high)| low < high) {
                reached[owner] = reached[owner].max((high - low) * (high - low));
            }
        }
        reached
    }

    /// Weights of the table's features, in its own units: copies share a weight, and the largest
    /// weight is 1.
    pub(crate) fn spread(&self, weights: &[f64], features: usize) -> Vec<f64> {
        let mut all = vec![0.0; features];
        for ((members, unit), weight) in self.members.iter().zip(&self.units).zip(weights) {
            for &feature in members {
                all[feature] = weight / unit / members.len() as f64;
            }
        }
        let largest = all.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            all.iter_mut().for_each(|weight| *weight /= largest);
        }
        all
    }

    /// Every row's extreme pairs with the rows that come after it, by class and row: every pair is
    /// visited once. Returns the rows in that order.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn extremes(
        &self,
        weights: &[f64],
        run: &Run,
    ) -> Result<Vec<NearestMissFarthestHit>> {
        let (values, width) = self.weighted(weights);
        let rows = self.places.iter().map(|&row| &values[row as usize * width..][..width]);
        let packed = PointPanels::new(rows, width);
        let panels = self.panel_class.len();
        let blocks = panels.div_ceil(BLOCK_PANELS);
        let places = |block| block * BLOCK_PANELS..panels.min((block + 1) * BLOCK_PANELS);
        let found = add_parts(
            &BlockParts::each(blocks).with_rows((0..blocks).map(|block| places(block).len())),
            |block| block..blocks,
            |block| vec![Running::default(); places(block).len() * LANES],
            |found, (block, other), tiles| {
                self.take(&packed, places(block), places(other), tiles, found);
            },
            run,
        )?;
        let place = |place: u32| self.places[place as usize];
        Ok(found
            .into_iter()
            .flatten()
            .zip(&self.places)
            .map(|(running, &row)| NearestMissFarthestHit {
                row,
                miss: running.near.0.is_finite().then(|| (place(running.near.1), running.near.0)),
                hit: (running.far.0 > 0.0).then(|| (place(running.far.1), running.far.0)),
            })
            .enumerate()
            // Padding repeats the last row of a class.
            .filter(|(at, found)| *at == 0 || self.places[at - 1] != found.row)
            .map(|(_, found)| found)
            .collect())
    }

    /// Processes the squared distances of some panels to others.
    fn take(
        &self,
        packed: &PointPanels,
        own: Range<usize>,
        others: Range<usize>,
        tiles: &mut Vec<[f64; TILE]>,
        found: &mut [Running],
    ) {
        let rule = NumberRule { square: true, ..NumberRule::default() };
        packed.distances(own.clone(), packed, others.clone(), rule, tiles);
        let (class, lines) = (&self.panel_class, tiles.chunks_exact(others.len()));
        for ((panel, tiles), found) in own.zip(lines).zip(found.chunks_exact_mut(LANES)) {
            // Visits every pair once, from the panel that comes first.
            for (beside, tile) in others.clone().zip(tiles).filter(|(beside, _)| *beside >= panel) {
                let same = class[panel] == class[beside];
                for (running, values) in found.iter_mut().zip(tile.as_chunks::<LANES>().0) {
                    running.take(same, values, (beside * LANES) as u32);
                }
            }
        }
    }

    /// Rows of later classes than that of `row` that are nearer than a squared distance, with equal
    /// feature weights.
    pub(crate) fn misses_below(&self, row: u32, codes: &[u32], below: f64) -> Vec<u32> {
        let own = codes[row as usize];
        let near = |other: &u32| squared_distance(self.row(row), self.row(*other)) < below;
        (0..codes.len() as u32).filter(|&other| codes[other as usize] > own).filter(near).collect()
    }

    /// Number of panels of rows, the unit of progress.
    pub(crate) fn panels(&self) -> u64 {
        self.panel_class.len() as u64
    }
}

/// Sum of the squared differences in the order of the features; bitwise equal to the result for
/// panels of rows.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[derive(Debug, Clone, Copy)]
struct Running {
    near: (f64, u32),
    far: (f64, u32),
}

impl Default for Running {
    fn default() -> Self {
        Self { near: (f64::INFINITY, 0), far: (0.0, 0) }
    }
}

impl Running {
    /// Processes the squared distances to the rows of a panel; ties go to the first row.
    #[inline]
    fn take(&mut self, same: bool, values: &[f64; LANES], first: u32) {
        if same {
            let most = values.iter().copied().fold(self.far.0, f64::max);
            if most > self.far.0 {
                let lane = values.iter().position(|value| *value == most).unwrap_or(0);
                self.far = (most, first + lane as u32);
            }
        } else {
            let least = values.iter().copied().fold(self.near.0, f64::min);
            if least < self.near.0 {
                let lane = values.iter().position(|value| *value == least).unwrap_or(0);
                self.near = (least, first + lane as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Target;
    use crate::methods::{DLmnn, Mdm, Problem};

    /// Two classes in three columns, whose ranges are multiplied by `factors`.
    fn table(factors: [f64; 3]) -> (Vec<f64>, Target) {
        let mut state = 5_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64
        };
        let labels: Vec<&str> = (0..40).map(|row| ["a", "b"][row % 2]).collect();
        let mut values: Vec<f64> = (0..120).map(|_| next()).collect();
        for (row, values) in values.chunks_exact_mut(3).enumerate() {
            values[row % 2] += 0.8;
            values.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
        }
        (values, Target::Classes(Classes::from_labels(&labels)))
    }

    /// The weights of `mdm` or `d-lmnn`, with proof of optimality.
    fn weights(factors: [f64; 3], mdm: bool, one_unit: bool) -> Vec<f64> {
        let (values, target) = table(factors);
        let table = Table::from_row_major(&values, 40, &["x", "y", "z"]).unwrap();
        let table = if one_unit { table.in_one_unit() } else { table };
        let problem = Problem::new(&table, &target).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let fitted = match mdm {
            true => Mdm::default().fit_with(&problem, &run),
            false => DLmnn { mu: 0.5, ..DLmnn::default() }.fit_with(&problem, &run),
        };
        let fitted = fitted.unwrap();
        assert_eq!(fitted.report.converged, Some(true));
        fitted.model.weights().to_vec()
    }

    #[test]
    fn weights_in_one_unit_give_the_same_metric_whatever_the_units() {
        let (even, uneven) = ([1.0; 3], [1.0, 1e6, 1e-3]);
        let (first, second) = (weights(even, true, true), weights(uneven, true, true));
        let terms: Vec<f64> = second.iter().zip(uneven).map(|(w, f)| w * f * f).collect();
        let greatest = terms.iter().copied().fold(0.0, f64::max);
        for (first, term) in first.iter().zip(&terms) {
            assert!((first - term / greatest).abs() < 1e-6, "{first:?} {terms:?}");
        }
        // Target neighbors are those in the one unit: the column with the million-fold range
        // decides.
        let near_in_y = weights(uneven, false, true);
        let terms: Vec<f64> = near_in_y.iter().zip(uneven).map(|(w, f)| w * f * f).collect();
        let over_ranges = weights(uneven, false, false);
        let share = |terms: &[f64]| terms[1] / terms.iter().sum::<f64>();
        assert!((share(&terms) - share(&over_ranges)).abs() > 1e-3, "{terms:?} {over_ranges:?}");
    }
}
