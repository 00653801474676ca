//! The nearest rows of one set to the rows of another, exactly.

use basrelief_kernels::{LANES, Level, NumberRule, TILE, add_numbers, find_at_most, level, panels};
use rayon::prelude::*;

use crate::algebra::subtract_row_products;
use crate::csr::CsrGroups;
use crate::data::DenseMatrix;
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::run::Run;

/// Query rows that are answered together.
const QUERY_BLOCK: usize = 64;

/// Reference rows that they are compared with together: their products fill half of the second cache.
const REFERENCE_BLOCK: usize = 512;

/// Query rows that are farther from the mean than this, in units near the greatest value of the reference
/// rows, are beyond single precision.
const FARTHEST: f64 = 1e15;

/// Rounding to single precision, at most, as a share.
const UNIT: f64 = 1.0 / (1 << 24) as f64;

/// The reference rows of an exact k-nearest-neighbor search, as coordinates without missing values.
///
/// The distance of two rows is the sum over the columns, in their order, of `|x - y|` (Manhattan),
/// or the root of the sum of `(x - y)^2` (Euclidean), in double precision; of rows at one distance
/// those that come first are the nearer. Euclidean distances are first looked through in single
/// precision, as products of matrices; whoever may be among the nearest, by a bound on the
/// rounding, gets the distance as it is defined. Rows are kept in the order of their distance to
/// the mean, so that whole blocks are too far by the triangle inequality.
#[derive(Debug)]
pub struct ExactKnn<'a> {
    rows: &'a DenseMatrix,
    metric: Metric,
    /// 1 over a power of two near the greatest value: squares neither overflow nor vanish.
    inverse: f64,
    finite: bool,
    prepared: Prepared,
}

#[derive(Debug)]
enum Prepared {
    /// Panels of the kernels.
    Manhattan(Vec<f64>),
    Euclidean(Screen),
}

/// Rows relative to their mean, in single precision, from the nearest to the mean to the farthest.
#[derive(Debug)]
struct Screen {
    mean: Vec<f64>,
    /// Row numbers in that order.
    order: Vec<u32>,
    values: Vec<f32>,
    /// Half the squared lengths.
    halves: Vec<f32>,
    lengths: Vec<f64>,
    /// The length of a row of the greatest values: what rounding in double precision goes by.
    greatest: f64,
}

/// The nearest reference rows of every query row, the nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestRows {
    count: usize,
    rows: Vec<u32>,
    distances: Vec<f64>,
}

impl NearestRows {
    /// Rows found for each query row.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Row numbers and distances of what is nearest to the query row at that place.
    ///
    /// # Panics
    /// No such place.
    pub fn of(&self, query: usize) -> (&[u32], &[f64]) {
        let range = query * self.count..(query + 1) * self.count;
        (&self.rows[range.clone()], &self.distances[range])
    }

    /// Row numbers of all, and distances of all: `count` for every query row.
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>) {
        (self.rows, self.distances)
    }
}

/// The nearest other rows of every row's class, the nearest first, as many as there are up to `count`; of equally
/// far ones the first.
///
/// # Errors
/// Numbers that are not finite; [`Error::Cancelled`].
pub(crate) fn nearest_of_class(
    rows: &DenseMatrix,
    metric: Metric,
    codes: &[u32],
    count: usize,
    run: &Run,
) -> Result<Vec<Vec<u32>>> {
    let classes = codes.iter().max().map_or(0, |&code| code as usize + 1);
    let by_class = codes.iter().enumerate().map(|(row, &code)| (code as usize, row));
    let members = CsrGroups::new(classes, by_class);
    let mut near = vec![Vec::new(); rows.rows()];
    for members in (0..classes).map(|class| members.of(class)).filter(|own| own.len() > 1) {
        let own = rows.select_rows(members);
        let count = count.min(members.len() - 1);
        let found = ExactKnn::new(&own, metric).nearest_others(count, run)?;
        for (place, &row) in members.iter().enumerate() {
            let (places, _) = found.of(place);
            near[row] = places.iter().map(|&place| members[place as usize] as u32).collect();
        }
    }
    Ok(near)
}

/// Who may be among the nearest of one row.
#[derive(Debug, Clone)]
struct Candidates {
    wanted: usize,
    /// Least and greatest value that the distance may have (in whatever grows with it), and place.
    found: Vec<(f64, f64, u32)>,
    /// `wanted` candidates are at most this far.
    bound: f64,
    /// So many are looked through when there are as many: twice what was left the last time.
    most: usize,
}

impl Candidates {
    fn new(wanted: usize) -> Self {
        let most = 2 * wanted + 32;
        Self { wanted, found: Vec::new(), bound: f64::INFINITY, most }
    }

    /// Drops who cannot be among the nearest, where there are many. Of distances that are exact only
    /// the first rows at the bound are kept.
    fn shrink(&mut self, exact: bool) {
        if self.found.len() < self.most {
            return;
        }
        let last = self.wanted - 1;
        self.found.select_nth_unstable_by(last, |a, b| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2)));
        let bound = self.found[last].1;
        self.bound = bound;
        if exact {
            self.found.truncate(self.wanted);
        } else {
            self.found.retain(|candidate| candidate.0 <= bound);
        }
        self.most = (2 * self.wanted + 32).max(2 * self.found.len());
    }
}

impl<'a> ExactKnn<'a> {
    /// Prepares the search.
    ///
    /// # Panics
    /// 2^32 rows or more.
    pub fn new(rows: &'a DenseMatrix, metric: Metric) -> Self {
        assert!(u32::try_from(rows.rows()).is_ok(), "row numbers are 32 bits");
        let inverse = inverse_unit(rows);
        let prepared = match metric {
            Metric::Manhattan => Prepared::Manhattan(packed(rows, 0..rows.rows())),
            Metric::Euclidean => Prepared::Euclidean(Screen::new(rows, inverse)),
        };
        let finite = rows.values().iter().all(|value| value.is_finite());
        Self { rows, metric, inverse, finite, prepared }
    }

    /// The `count` nearest reference rows of each query row.
    ///
    /// # Errors
    /// More neighbors than rows, or none; rows of another length, or with what is no finite number;
    /// [`Error::Cancelled`].
    pub fn nearest(&self, queries: &DenseMatrix, count: usize, run: &Run) -> Result<NearestRows> {
        self.check(count, self.rows.rows())?;
        if !queries.values().iter().all(|value| value.is_finite()) {
            return Err(not_finite());
        }
        if queries.columns() != self.rows.columns() {
            return Err(Error::data(
                format!("rows of {} columns, not {}", queries.columns(), self.rows.columns()),
                "give the columns of the known rows",
            ));
        }
        self.search(queries, count, false, run)
    }

    /// The `count` nearest other rows of each reference row.
    ///
    /// # Errors
    /// As [`ExactKnn::nearest`].
    pub fn nearest_others(&self, count: usize, run: &Run) -> Result<NearestRows> {
        self.check(count, self.rows.rows().saturating_sub(1))?;
        self.search(self.rows, count, true, run)
    }

    fn check(&self, count: usize, available: usize) -> Result<()> {
        if !self.finite {
            return Err(not_finite());
        }
        if (1..=available).contains(&count) {
            return Ok(());
        }
        Err(Error::option(
            "n_neighbors",
            format!("{count} neighbors of {available} rows to choose from"),
            "give at least 1 and at most as many as there are rows",
        ))
    }

    fn search(
        &self,
        queries: &DenseMatrix,
        count: usize,
        others: bool,
        run: &Run,
    ) -> Result<NearestRows> {
        let mut order: Vec<u32> = (0..queries.rows() as u32).collect();
        let mut lengths = Vec::new();
        if let Prepared::Euclidean(screen) = &self.prepared {
            // Rows as far from the mean as each other share the blocks that are too far.
            lengths = queries.iter().map(|row| screen.length(row, self.inverse)).collect();
            order.sort_by(|&a, &b| lengths[a as usize].total_cmp(&lengths[b as usize]));
        }
        let level = level();
        let progress = run.progress();
        progress.start("nearest rows", order.len() as u64);
        let blocks: Vec<Vec<(f64, u32)>> = run.install(|| {
            let block = |block: &[u32]| {
                run.check()?;
                let candidates = Candidates::new(count + usize::from(others));
                let candidates = vec![candidates; block.len()];
                let found = match &self.prepared {
                    Prepared::Manhattan(packed) => {
                        self.manhattan(packed, queries, block, candidates, level)
                    }
                    Prepared::Euclidean(screen) => {
                        let lengths: Vec<f64> =
                            block.iter().map(|&row| lengths[row as usize]).collect();
                        self.euclidean(screen, queries, block, &lengths, candidates, level)
                    }
                };
                progress.advance(block.len() as u64);
                let mut nearest = Vec::with_capacity(block.len() * count);
                for (&own, mut found) in block.iter().zip(found) {
                    found.retain(|&(_, row)| !others || row != own);
                    found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    nearest.extend_from_slice(&found[..count]);
                }
                Ok(nearest)
            };
            order.par_chunks(QUERY_BLOCK).map(block).collect::<Result<_>>()
        })?;
        progress.finish();
        let mut rows = vec![0; order.len() * count];
        let mut distances = vec![0.0; order.len() * count];
        for (own, found) in order.iter().zip(blocks.iter().flat_map(|block| block.chunks(count))) {
            let start = *own as usize * count;
            for (place, &(distance, row)) in (start..).zip(found) {
                rows[place] = row;
                distances[place] = match self.metric {
                    Metric::Manhattan => distance,
                    Metric::Euclidean => distance.sqrt() / self.inverse,
                };
            }
        }
        Ok(NearestRows { count, rows, distances })
    }

    /// Distances and rows of who may be among the nearest.
    fn manhattan(
        &self,
        reference: &[f64],
        queries: &DenseMatrix,
        block: &[u32],
        mut candidates: Vec<Candidates>,
        level: Level,
    ) -> Vec<Vec<(f64, u32)>> {
        let features = queries.columns();
        let own = packed(&queries.select_rows(&places(block)), 0..block.len());
        let step = REFERENCE_BLOCK / 2;
        let mut tiles = vec![0.0; panels(QUERY_BLOCK) * panels(step) * TILE];
        for start in (0..self.rows.rows()).step_by(step) {
            let end = (start + step).min(self.rows.rows());
            let beside = panels(end - start);
            let reference = &reference[start * features..(start + beside * LANES) * features];
            let tiles = &mut tiles[..panels(block.len()) * beside * TILE];
            tiles.fill(0.0);
            add_numbers(level, NumberRule::default(), &own, reference, features, &[], tiles);
            for (i, candidates) in candidates.iter_mut().enumerate() {
                let first = (i / LANES * beside * LANES + i % LANES) * LANES;
                for panel in 0..beside {
                    let line = &tiles[first + panel * TILE..][..LANES];
                    for (lane, &distance) in line.iter().enumerate() {
                        let row = start + panel * LANES + lane;
                        if distance <= candidates.bound && row < end {
                            candidates.found.push((distance, distance, row as u32));
                        }
                    }
                }
                candidates.shrink(true);
            }
        }
        let found = |candidates: Candidates| {
            candidates.found.into_iter().map(|(distance, _, row)| (distance, row)).collect()
        };
        candidates.into_iter().map(found).collect()
    }

    /// Squared distances (in units of the inverse) and rows of who may be among the nearest.
    fn euclidean(
        &self,
        screen: &Screen,
        queries: &DenseMatrix,
        block: &[u32],
        lengths: &[f64],
        mut candidates: Vec<Candidates>,
        level: Level,
    ) -> Vec<Vec<(f64, u32)>> {
        let width = queries.columns();
        let mut own = Vec::with_capacity(block.len() * width);
        for &row in block {
            own.extend(screen.relative(queries.row(row as usize), self.inverse).map(|v| v as f32));
        }
        // What is farther than single precision can tell is compared with all rows below.
        for (candidates, &length) in candidates.iter_mut().zip(lengths) {
            if length > FARTHEST {
                candidates.bound = f64::NEG_INFINITY;
            }
        }
        let mut tile = vec![0.0_f32; block.len() * REFERENCE_BLOCK];
        let mut places = Vec::new();
        let blocks = screen.order.len().div_ceil(REFERENCE_BLOCK);
        let middle = lengths[lengths.len() / 2];
        let start = screen.lengths.partition_point(|&length| length < middle) / REFERENCE_BLOCK;
        // Outwards from those as far from the mean as the query rows.
        let (mut below, mut above) = (start.min(blocks), start.min(blocks));
        loop {
            let left = below.checked_sub(1).map(|b| (b, screen.gap(b, lengths)));
            let right = (above < blocks).then(|| (above, screen.gap(above, lengths)));
            let (part, gaps) = match (left, right) {
                (None, None) => break,
                (Some(one), None) | (None, Some(one)) => one,
                (Some(one), Some(two)) => {
                    let middle = block.len() / 2;
                    if one.1[middle] < two.1[middle] { one } else { two }
                }
            };
            if part < below {
                below = part;
            } else {
                above = part + 1;
            }
            let range =
                part * REFERENCE_BLOCK..((part + 1) * REFERENCE_BLOCK).min(screen.order.len());
            let farthest = screen.lengths[range.end - 1];
            let reach = |own: f64| screen.rounding(own, farthest, width);
            let is_near = |((candidates, gap), own): ((&Candidates, &f64), &f64)| {
                gap * gap * (1.0 - 1e-9) <= 2.0 * (candidates.bound + reach(*own)) + own * own
            };
            if !candidates.iter().zip(&gaps).zip(lengths).any(is_near) {
                continue;
            }
            let count = range.len();
            let tile = &mut tile[..block.len() * count];
            for line in tile.chunks_exact_mut(count) {
                line.copy_from_slice(&screen.halves[range.clone()]);
            }
            let reference = &screen.values[range.start * width..range.end * width];
            subtract_row_products(&own, reference, width, tile);
            let lines = tile.chunks_exact(count).zip(lengths);
            for (candidates, (line, &own)) in candidates.iter_mut().zip(lines) {
                let reach = reach(own);
                places.clear();
                find_at_most(level, line, above_as_single(candidates.bound + reach), &mut places);
                candidates.found.extend(places.iter().map(|&place| {
                    let value = f64::from(line[place as usize]);
                    (value - reach, value + reach, range.start as u32 + place)
                }));
                candidates.shrink(false);
            }
        }
        let exact = |((candidates, &own), &length): ((Candidates, &u32), &f64)| {
            let own = queries.row(own as usize);
            let one =
                |row: u32| (squared_distance(own, self.rows.row(row as usize), self.inverse), row);
            if length > FARTHEST {
                return screen.order.iter().map(|&row| one(row)).collect();
            }
            let places = candidates.found.into_iter().map(|(_, _, place)| place);
            places.map(|place| one(screen.order[place as usize])).collect()
        };
        candidates.into_iter().zip(block).zip(lengths).map(exact).collect()
    }
}

impl Screen {
    fn new(rows: &DenseMatrix, inverse: f64) -> Self {
        let mut mean = rows.means();
        mean.iter_mut().for_each(|mean| *mean = if mean.is_finite() { *mean } else { 0.0 });
        let (least, greatest) = rows.extremes();
        let largest =
            |(least, greatest): (&f64, &f64)| (least.abs().max(greatest.abs()) * inverse).powi(2);
        let greatest = least.iter().zip(&greatest).map(largest).sum::<f64>().sqrt();
        let mut screen = Self {
            mean,
            order: (0..rows.rows() as u32).collect(),
            values: Vec::with_capacity(rows.values().len()),
            halves: Vec::with_capacity(rows.rows()),
            lengths: Vec::with_capacity(rows.rows()),
            greatest,
        };
        let lengths: Vec<f64> = rows.iter().map(|row| screen.length(row, inverse)).collect();
        screen.order.sort_by(|&a, &b| lengths[a as usize].total_cmp(&lengths[b as usize]));
        for &row in &screen.order {
            let values = rows.row(row as usize).iter().zip(&screen.mean);
            screen.values.extend(values.map(|(v, mean)| (v * inverse - mean * inverse) as f32));
            let length = lengths[row as usize];
            screen.lengths.push(length);
            screen.halves.push((length * length / 2.0) as f32);
        }
        screen
    }

    /// A row relative to the mean.
    fn relative<'r>(&'r self, row: &'r [f64], inverse: f64) -> impl Iterator<Item = f64> + 'r {
        row.iter().zip(&self.mean).map(move |(value, mean)| value * inverse - mean * inverse)
    }

    /// Its length.
    fn length(&self, row: &[f64], inverse: f64) -> f64 {
        self.relative(row, inverse).map(|value| value * value).sum::<f64>().sqrt()
    }

    /// By how much the lengths of rows and those of a block differ at least.
    fn gap(&self, block: usize, lengths: &[f64]) -> Vec<f64> {
        let last = ((block + 1) * REFERENCE_BLOCK).min(self.lengths.len()) - 1;
        let (least, greatest) = (self.lengths[block * REFERENCE_BLOCK], self.lengths[last]);
        lengths.iter().map(|&own| (least - own).max(own - greatest).max(0.0)).collect()
    }

    /// By how much half a squared distance, less half the squared length of the query row, may be
    /// wrong in single precision, for rows of these lengths.
    ///
    /// A sum of `width` products in any order is wrong by at most `width` roundings of the sum of
    /// their sizes, and each factor by one more; the mean is taken out in double precision.
    fn rounding(&self, own: f64, other: f64, width: usize) -> f64 {
        let share = (width + 8) as f64 * UNIT;
        if share > 0.1 || !own.is_finite() {
            return f64::INFINITY;
        }
        let size = own * other + other * other / 2.0;
        let double = 8.0 * f64::EPSILON * self.greatest * (own + other + self.greatest);
        // That of the distance as it is defined.
        let defined = (width + 8) as f64 * f64::EPSILON * (own + other).powi(2);
        1.2 * share * size + double + defined + width as f64 * f64::from(f32::MIN_POSITIVE)
    }
}

/// The least number of single precision at or above a number, or infinity.
fn above_as_single(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}

fn not_finite() -> Error {
    Error::data("coordinates that are no finite numbers have no distance", "rescale the columns")
}

/// 1 over the power of two at or below the greatest value; 1 for zeros.
pub(crate) fn inverse_unit(rows: &DenseMatrix) -> f64 {
    let greatest = rows.values().iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if !greatest.is_normal() {
        return 1.0;
    }
    // The inverses of the greatest powers are below the least normal number, but still exact.
    2.0_f64.powi(-(greatest.log2().floor() as i32).clamp(-1022, 1022))
}

/// The squared Euclidean distance in units of the inverse, summed in the order of the columns.
fn squared_distance(a: &[f64], b: &[f64], inverse: f64) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a * inverse - b * inverse).powi(2))
}

/// Rows in the kernels' panels; lanes without a row are 0.
fn packed(rows: &DenseMatrix, range: std::ops::Range<usize>) -> Vec<f64> {
    let features = rows.columns();
    let mut out = vec![0.0; panels(range.len()) * LANES * features];
    for (place, row) in range.enumerate() {
        let start = place / LANES * LANES * features + place % LANES;
        for (feature, &value) in rows.row(row).iter().enumerate() {
            out[start + feature * LANES] = value;
        }
    }
    out
}

fn places(rows: &[u32]) -> Vec<usize> {
    rows.iter().map(|&row| row as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(rows: usize, columns: usize, seed: u64) -> DenseMatrix {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 23) as f64 - 1.0
        };
        DenseMatrix::new((0..rows * columns).map(|_| next()).collect(), rows, columns)
    }

    fn naive(
        reference: &DenseMatrix,
        own: &[f64],
        metric: Metric,
        skip: Option<usize>,
    ) -> Vec<(f64, u32)> {
        let mut all: Vec<(f64, u32)> = (0..reference.rows())
            .filter(|&row| Some(row) != skip)
            .map(|row| {
                let pairs = own.iter().zip(reference.row(row));
                let distance = match metric {
                    Metric::Manhattan => pairs.map(|(a, b)| (a - b).abs()).sum(),
                    Metric::Euclidean => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
                };
                (distance, row as u32)
            })
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all
    }

    fn assert_same(reference: &DenseMatrix, queries: &DenseMatrix, count: usize) {
        let run = Run::new(Some(2)).unwrap();
        for metric in [Metric::Manhattan, Metric::Euclidean] {
            let index = ExactKnn::new(reference, metric);
            let found = index.nearest(queries, count, &run).unwrap();
            for place in 0..queries.rows() {
                let expected = &naive(reference, queries.row(place), metric, None)[..count];
                let (rows, distances) = found.of(place);
                let rows: Vec<(f64, u32)> =
                    distances.iter().copied().zip(rows.iter().copied()).collect();
                assert_eq!(rows, expected, "{metric:?} row {place}");
            }
            if count < reference.rows() {
                let found = index.nearest_others(count, &run).unwrap();
                for place in 0..reference.rows() {
                    let expected = naive(reference, reference.row(place), metric, Some(place));
                    let rows: Vec<u32> = expected[..count].iter().map(|found| found.1).collect();
                    assert_eq!(found.of(place).0, rows, "{metric:?} own row {place}");
                }
            }
        }
    }

    #[test]
    fn finds_what_a_plain_search_finds() {
        for (rows, columns) in [(1, 1), (7, 3), (100, 5), (600, 20), (1300, 2), (515, 64)] {
            let reference = numbers(rows, columns, 1);
            let queries = numbers(70.min(rows * 2), columns, 2);
            assert_same(&reference, &queries, rows.min(5));
        }
        assert_same(&numbers(30, 4, 3), &numbers(5, 4, 4), 30);
    }

    #[test]
    fn ties_go_to_the_first_rows() {
        // A grid of few values: most distances are shared.
        let mut reference = numbers(700, 3, 5);
        reference.values_mut().iter_mut().for_each(|value| *value = (*value * 1.5).round());
        let queries = reference.select_rows(&[3, 500, 77]);
        assert_same(&reference, &queries, 9);
        assert_same(&DenseMatrix::zeros(40, 2), &DenseMatrix::zeros(3, 2), 4);
        assert_same(&DenseMatrix::zeros(40, 0), &DenseMatrix::zeros(3, 0), 4);
    }

    #[test]
    fn far_from_the_origin_and_at_any_scale() {
        for (scale, shift) in [(1.0, 1e7), (1e-3, 1e9), (1e200, 0.0), (1e-200, 0.0), (1e300, 1e300)]
        {
            let place = |rows: DenseMatrix| {
                let (count, columns) = (rows.rows(), rows.columns());
                let values = rows.values().iter().map(|value| value * scale + shift).collect();
                DenseMatrix::new(values, count, columns)
            };
            let (reference, queries) = (place(numbers(300, 4, 6)), place(numbers(20, 4, 7)));
            let run = Run::new(Some(1)).unwrap();
            let found =
                ExactKnn::new(&reference, Metric::Euclidean).nearest(&queries, 3, &run).unwrap();
            let inverse = inverse_unit(&reference);
            for i in 0..20 {
                let distance = |row: u32| {
                    squared_distance(queries.row(i), reference.row(row as usize), inverse)
                };
                let mut rows: Vec<u32> = (0..300).collect();
                rows.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
                assert_eq!(found.of(i).0, &rows[..3], "scale {scale} shift {shift}");
                assert!(found.of(i).1.iter().all(|distance| distance.is_finite()));
            }
        }
        // One row far away, and the rest near each other.
        let mut reference = numbers(600, 3, 8);
        reference.values_mut().iter_mut().for_each(|value| *value *= 1e-5);
        reference.row_mut(17).fill(1e6);
        assert_same(&reference, &numbers(10, 3, 9), 4);
    }

    #[test]
    fn rows_far_from_all_others_and_ties_by_rounding() {
        let mut reference = numbers(700, 2, 3);
        reference.values_mut().iter_mut().for_each(|value| *value *= 1e-5);
        for far in [1e10, 1e13, 1e20, 1e60, 1e300] {
            let queries = DenseMatrix::new(vec![far, -far, 0.5, far, 1e-6, 2e-6], 3, 2);
            assert_same(&reference, &queries, 4);
        }
        let mut with_outlier = numbers(600, 3, 4);
        with_outlier.row_mut(5).fill(1e60);
        assert_same(&with_outlier, &numbers(8, 3, 5), 3);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let (mut reference, run) = (numbers(5, 2, 1), Run::new(Some(1)).unwrap());
        let queries = DenseMatrix::new(vec![f64::INFINITY, 0.0], 1, 2);
        assert!(ExactKnn::new(&reference, Metric::Manhattan).nearest(&queries, 1, &run).is_err());
        reference.row_mut(2)[1] = f64::NAN;
        for metric in [Metric::Manhattan, Metric::Euclidean] {
            let index = ExactKnn::new(&reference, metric);
            assert!(index.nearest_others(1, &run).is_err());
        }
    }

    #[test]
    fn impossible_counts_are_refused() {
        let (reference, run) = (numbers(5, 2, 1), Run::new(Some(1)).unwrap());
        let index = ExactKnn::new(&reference, Metric::Euclidean);
        for error in [
            index.nearest(&reference, 6, &run),
            index.nearest(&reference, 0, &run),
            index.nearest_others(5, &run),
            index.nearest(&numbers(5, 3, 1), 1, &run),
        ] {
            assert!(error.is_err());
        }
    }

    #[test]
    fn the_nearest_of_a_class_are_those_among_its_rows() {
        let rows = numbers(40, 3, 5);
        // The last class has one row, and another no more than are wanted.
        let codes: Vec<u32> =
            (0..40).map(|row| [0, 1, 0, 2][row % 4] + u32::from(row == 39)).collect();
        let run = Run::new(Some(2)).unwrap();
        for metric in [Metric::Manhattan, Metric::Euclidean] {
            let near = nearest_of_class(&rows, metric, &codes, 10, &run).unwrap();
            for (row, near) in near.iter().enumerate() {
                let of_class = |other: &u32| codes[*other as usize] == codes[row];
                let all = naive(&rows, rows.row(row), metric, Some(row));
                let expected = all.into_iter().map(|(_, other)| other).filter(of_class).take(10);
                assert_eq!(*near, expected.collect::<Vec<_>>());
            }
            assert_eq!((near[39].len(), near[1].len()), (0, 9));
        }
    }
}
