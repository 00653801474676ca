//! Exact search for the nearest rows of one set to the rows of another.

use std::ops::Range;

use basrelief_kernels::{LANES, NEAR_LANES, NEAR_ROWS, NearChunk, NumberRule, TILE, level, panels};

use crate::csr::CsrGroups;
use crate::data::DenseMatrix;
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::neighbors::{
    BlockParts, FoundPlaces, KLeast, PartSink, PointPanels, RankedDistance, Screen, ScreenedRows,
    inverse_unit, sweep_parts,
};
use crate::order::ascending;
use crate::run::Run;

/// Query rows that are processed together.
const QUERY_ROWS: usize = 64;

/// Reference rows that are compared with them at a time, a multiple of [`NEAR_LANES`].
const REFERENCE_ROWS: usize = 512;

/// Smallest number of reference rows at a time, used until there are enough neighbors: their
/// distances bound those of all later candidates. A multiple of [`NEAR_LANES`].
const FIRST_ROWS: usize = 2 * NEAR_LANES;

/// Single-precision numbers that stay in the first-level cache while all query rows of a block are
/// processed: 32 kB.
const CACHED_NUMBERS: usize = 1 << 13;

/// The reference rows of an exact k-nearest-neighbor search, as coordinates without missing values.
///
/// The distance of two rows is the sum over the columns, in their order, of `|x - y|` (Manhattan),
/// the square root of the sum of `(x - y)^2` (Euclidean), the sum of `|x - y| / (|x| + |y|)`
/// (Canberra) or the largest `|x - y|` (Chebyshev), in double precision. Among rows at equal
/// distances, those with the smaller row numbers rank first. Euclidean distances are first computed
/// in single precision; the exact distance is computed for every row that may be among the nearest
/// by a bound on the rounding error. Rows are stored in the order of their distance to the mean, so
/// that the triangle inequality excludes entire blocks.
#[derive(Debug)]
pub struct ExactKnn<'a> {
    rows: &'a DenseMatrix,
    metric: Metric,
    /// 1 over a power of two near the largest value: squares neither overflow nor underflow.
    inverse: f64,
    finite: bool,
    prepared: Prepared,
}

#[derive(Debug)]
enum Prepared {
    Manhattan(PointPanels),
    Euclidean(ByLength),
    /// Columns of the reference rows, for metrics without kernels.
    Columns(DenseMatrix),
}

/// Rows in single precision, in the order of their distance to the mean.
#[derive(Debug)]
struct ByLength {
    screen: Screen,
    /// Row numbers in that order.
    order: Vec<u32>,
    /// Their distances from the mean.
    lengths: Vec<f64>,
}

/// The nearest reference rows of every query row, the nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestRows {
    count: usize,
    rows: Vec<u32>,
    distances: Vec<f64>,
}

impl NearestRows {
    /// Number of rows found for each query row.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Row numbers and distances of the rows nearest to the query row with this index.
    ///
    /// # Panics
    /// If `query` is out of range.
    pub fn neighbors(&self, query: usize) -> (&[u32], &[f64]) {
        let range = query * self.count..(query + 1) * self.count;
        (&self.rows[range.clone()], &self.distances[range])
    }

    /// All row numbers and all distances: `count` per query row.
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>) {
        (self.rows, self.distances)
    }
}

/// For every row, the nearest other rows of its class, the nearest first: `count` of them, or
/// all if the class has fewer. Ties go to the first rows.
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
    for members in (0..classes).map(|class| members.group(class)).filter(|own| own.len() > 1) {
        let own = rows.select_rows(members);
        let count = count.min(members.len() - 1);
        let found = ExactKnn::new(&own, metric).nearest_others(count, run)?;
        for (place, &row) in members.iter().enumerate() {
            let (places, _) = found.neighbors(place);
            near[row] = places.iter().map(|&place| members[place as usize] as u32).collect();
        }
    }
    Ok(near)
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
            Metric::Manhattan => Prepared::Manhattan(PointPanels::new(rows.iter(), rows.columns())),
            Metric::Euclidean => Prepared::Euclidean(ByLength::new(rows, inverse)),
            _ => Prepared::Columns(rows.transposed()),
        };
        let finite = rows.values().iter().all(|value| value.is_finite());
        Self { rows, metric, inverse, finite, prepared }
    }

    /// The `count` nearest reference rows of each query row.
    ///
    /// # Errors
    /// A `count` of 0 or above the number of rows; rows of another length, or with values that are
    /// not finite; [`Error::Cancelled`].
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
            "give at least 1 and at most the number of rows",
        ))
    }

    fn search(
        &self,
        queries: &DenseMatrix,
        count: usize,
        others: bool,
        run: &Run,
    ) -> Result<NearestRows> {
        let order = match &self.prepared {
            Prepared::Manhattan(_) | Prepared::Columns(_) => (0..queries.rows() as u32).collect(),
            // Rows at similar distances from the mean can exclude the same blocks.
            Prepared::Euclidean(rows) => rows.screen.by_length(queries).0,
        };
        let asked = Asked { knn: self, queries, order: &order, count, others };
        let blocks = order.chunks(QUERY_ROWS);
        let blocks = BlockParts::each(blocks.len()).with_rows(blocks.map(<[u32]>::len));
        let references = self.rows.rows().div_ceil(REFERENCE_ROWS);
        let progress = run.progress();
        progress.start("nearest rows", order.len() as u64);
        let found = match &self.prepared {
            Prepared::Manhattan(rows) => {
                sweep_parts(&blocks, |_| 0..references, |block| asked.manhattan(rows, block), run)
            }
            Prepared::Columns(columns) => {
                sweep_parts(&blocks, |_| 0..references, |block| asked.columns(columns, block), run)
            }
            Prepared::Euclidean(rows) => sweep_parts(
                &blocks,
                |block| rows.outwards(asked.middle(block)),
                |block| asked.euclidean(rows, block),
                run,
            ),
        }?;
        progress.finish();
        let mut rows = vec![0; order.len() * count];
        let mut distances = vec![0.0; order.len() * count];
        for (own, found) in order.iter().zip(found.iter().flat_map(|block| block.chunks(count))) {
            let start = *own as usize * count;
            for (place, near) in (start..).zip(found) {
                rows[place] = near.row;
                distances[place] = match self.prepared {
                    Prepared::Euclidean(_) => near.distance.sqrt() / self.inverse,
                    _ => near.distance,
                };
            }
        }
        Ok(NearestRows { count, rows, distances })
    }
}

impl ByLength {
    fn new(rows: &DenseMatrix, inverse: f64) -> Self {
        let mut screen = Screen::new(rows, inverse);
        let (order, lengths) = screen.by_length(rows);
        let sorted = screen.round(order.iter().map(|&row| rows.row(row as usize)));
        screen.fill(&sorted);
        Self { screen, order, lengths }
    }

    /// The blocks of reference rows, ordered by how far their distances to the mean are from that
    /// of `row`.
    fn outwards(&self, row: &[f64]) -> Vec<usize> {
        let length = self.screen.length(row);
        let blocks = 0..self.order.len().div_ceil(REFERENCE_ROWS);
        ascending(&blocks.map(|block| self.gap(block, length)).collect::<Vec<f64>>())
    }

    fn block(&self, block: usize) -> Range<usize> {
        block * REFERENCE_ROWS..((block + 1) * REFERENCE_ROWS).min(self.order.len())
    }

    /// Lower bound on the difference between the lengths of a block's rows and `length`.
    fn gap(&self, block: usize, length: f64) -> f64 {
        let rows = self.block(block);
        let (least, greatest) = (self.lengths[rows.start], self.lengths[rows.end - 1]);
        (least - length).max(length - greatest).max(0.0)
    }
}

/// One search: the neighbors of all query rows.
#[derive(Clone, Copy)]
struct Asked<'s> {
    knn: &'s ExactKnn<'s>,
    queries: &'s DenseMatrix,
    /// Query rows in the order of their blocks.
    order: &'s [u32],
    count: usize,
    /// Whether the query rows are the reference rows. Then a row is not its own neighbor.
    others: bool,
}

impl<'s> Asked<'s> {
    fn block(self, block: usize) -> &'s [u32] {
        let start = block * QUERY_ROWS;
        &self.order[start..(start + QUERY_ROWS).min(self.order.len())]
    }

    /// The row in the middle of a block.
    fn middle(self, block: usize) -> &'s [f64] {
        let own = self.block(block);
        self.queries.row(own[own.len() / 2] as usize)
    }

    fn rows(self, block: usize) -> impl ExactSizeIterator<Item = &'s [f64]> {
        self.block(block).iter().map(move |&row| self.queries.row(row as usize))
    }

    fn manhattan(self, reference: &'s PointPanels, block: usize) -> ManhattanSink<'s> {
        let own = PointPanels::new(self.rows(block), self.queries.columns());
        ManhattanSink { nearest: Nearest::new(self, block), own, reference }
    }

    fn columns(self, reference: &'s DenseMatrix, block: usize) -> ColumnsSink<'s> {
        ColumnsSink { nearest: Nearest::new(self, block), reference }
    }

    fn euclidean(self, reference: &'s ByLength, block: usize) -> EuclideanSink<'s> {
        let sought = reference.screen.round(self.rows(block));
        let lengths = self.rows(block).map(|row| reference.screen.length(row)).collect();
        EuclideanSink { nearest: Nearest::new(self, block), reference, sought, lengths }
    }
}

/// The nearest rows found so far for a block of query rows.
struct Nearest<'s> {
    asked: Asked<'s>,
    /// The query rows.
    own: &'s [u32],
    lists: KLeast<RankedDistance>,
}

impl<'s> Nearest<'s> {
    fn new(asked: Asked<'s>, block: usize) -> Self {
        let own = asked.block(block);
        let mut lists = KLeast::new(own.len(), asked.count, &[asked.knn.rows.rows()]);
        for query in 0..own.len() {
            // An empty list cannot overflow.
            let _ = lists.begin([query, 0], (&[], &[]), RankedDistance::default());
        }
        Self { asked, own, lists }
    }

    /// A distance above which a row cannot be among the neighbors of a query row.
    fn bound(&self, query: usize) -> f64 {
        self.lists.bound([query, 0]).distance
    }

    #[inline]
    fn offer(&mut self, query: usize, distance: f64, row: u32) {
        let is_itself = self.asked.others && row == self.own[query];
        if !is_itself && self.lists.offer([query, 0], RankedDistance { distance, row }, row) {
            self.sift(query);
        }
    }

    /// Tightens the bound of a query row when its candidates exceed the neighbors by half.
    fn tighten(&mut self, query: usize) {
        let count = self.asked.count;
        if self.lists.candidates([query, 0]).len() >= count + count / 2 + 4 {
            self.sift(query);
        }
    }

    fn sift(&mut self, query: usize) {
        // Ranked distances are never tied, so a list never overflows.
        let _ = self.lists.sift([query, 0], RankedDistance::default());
    }

    /// The nearest rows of all query rows.
    fn finish(mut self) -> Vec<RankedDistance> {
        let mut found = Vec::with_capacity(self.own.len() * self.asked.count);
        for query in 0..self.own.len() {
            self.sift(query);
            let start = found.len();
            found.extend_from_slice(self.lists.candidates([query, 0]));
            found[start..].sort_unstable_by(RankedDistance::compare);
        }
        found
    }
}

struct ManhattanSink<'s> {
    nearest: Nearest<'s>,
    own: PointPanels,
    reference: &'s PointPanels,
}

impl PartSink for ManhattanSink<'_> {
    type Buffers = Vec<[f64; TILE]>;
    type Found = Vec<RankedDistance>;

    fn take(&mut self, (_, other): (usize, usize), tiles: &mut Vec<[f64; TILE]>) {
        let rows = self.nearest.asked.knn.rows.rows();
        let first = other * REFERENCE_ROWS / LANES;
        let range = first..panels(rows).min(first + REFERENCE_ROWS / LANES);
        let (width, queries) = (range.len(), self.nearest.own.len());
        let rule = NumberRule::default();
        self.own.distances(0..panels(queries), self.reference, range, rule, tiles);
        for query in 0..queries {
            for (panel, tile) in (first..).zip(&tiles[query / LANES * width..][..width]) {
                let line = &tile.as_chunks::<LANES>().0[query % LANES];
                let bound = self.nearest.bound(query);
                if line.iter().all(|distance| *distance > bound) {
                    continue;
                }
                for (row, &distance) in (panel * LANES..rows).zip(line) {
                    self.nearest.offer(query, distance, row as u32);
                }
            }
        }
    }

    fn finish(self) -> Vec<RankedDistance> {
        self.nearest.finish()
    }
}

/// Distances of any metric, column by column.
struct ColumnsSink<'s> {
    nearest: Nearest<'s>,
    /// Columns of the reference rows.
    reference: &'s DenseMatrix,
}

impl PartSink for ColumnsSink<'_> {
    type Buffers = Vec<f64>;
    type Found = Vec<RankedDistance>;

    fn take(&mut self, (_, other): (usize, usize), totals: &mut Vec<f64>) {
        let Asked { knn, queries, .. } = self.nearest.asked;
        let first = other * REFERENCE_ROWS;
        let range = first..knn.rows.rows().min(first + REFERENCE_ROWS);
        for query in 0..self.nearest.own.len() {
            let own = queries.row(self.nearest.own[query] as usize);
            totals.clear();
            totals.resize(range.len(), 0.0);
            for (value, column) in own.iter().zip(self.reference.iter()) {
                knn.metric.join_coordinates(*value, &column[range.clone()], (1.0, 1.0), totals);
            }
            for (row, &distance) in range.clone().zip(&*totals) {
                self.nearest.offer(query, distance, row as u32);
            }
        }
    }

    fn finish(self) -> Vec<RankedDistance> {
        self.nearest.finish()
    }
}

/// Uses squared distances, in units of the inverse.
struct EuclideanSink<'s> {
    nearest: Nearest<'s>,
    reference: &'s ByLength,
    sought: ScreenedRows,
    /// The query rows' distances from the mean.
    lengths: Vec<f64>,
}

/// Reference rows have no reach: only the query rows decide which rows are near.
const NO_REACH: [NearChunk; REFERENCE_ROWS / NEAR_LANES] =
    [[f32::NEG_INFINITY; NEAR_LANES]; REFERENCE_ROWS / NEAR_LANES];

/// Reused memory of one worker.
#[derive(Default)]
struct EuclideanBuffers {
    found: FoundPlaces,
    /// Positions of query rows in their block, and reference rows that may be near them.
    candidates: Vec<(usize, u32)>,
}

impl PartSink for EuclideanSink<'_> {
    type Buffers = EuclideanBuffers;
    type Found = Vec<RankedDistance>;

    fn wants(&self, (_, other): (usize, usize)) -> bool {
        let mut lengths = self.lengths.iter().enumerate();
        lengths.any(|(query, &length)| {
            let gap = self.reference.gap(other, length);
            let rounding = 2.0 * self.reference.screen.double_rounding(length);
            gap * gap * (1.0 - 1e-9) <= self.nearest.bound(query) + rounding
        })
    }

    fn take(&mut self, (_, other): (usize, usize), buffers: &mut EuclideanBuffers) {
        let range = self.reference.block(other);
        let cached = CACHED_NUMBERS / self.nearest.asked.queries.columns().max(1);
        let cached = (cached / NEAR_LANES * NEAR_LANES).clamp(FIRST_ROWS, REFERENCE_ROWS);
        let mut start = range.start;
        while start < range.end {
            let queries = 0..self.nearest.own.len();
            let is_open = queries.clone().any(|query| self.nearest.bound(query).is_infinite());
            let step = if is_open { FIRST_ROWS } else { cached };
            let places = start..range.end.min(start + step);
            start = places.end;
            for first in queries.clone().step_by(NEAR_ROWS) {
                self.screen(first, places.clone(), buffers);
            }
            self.compare(&mut buffers.candidates);
            queries.for_each(|query| self.nearest.tighten(query));
        }
    }

    fn finish(self) -> Vec<RankedDistance> {
        self.nearest.finish()
    }
}

impl EuclideanSink<'_> {
    /// Adds the candidates for a few query rows among some positions of reference rows.
    fn screen(&self, first: usize, places: Range<usize>, buffers: &mut EuclideanBuffers) {
        let Self { nearest, reference, sought, lengths } = self;
        let screen = &reference.screen;
        let reach = |query: usize| screen.reach(nearest.bound(query), lengths[query]);
        let panel = (places.start, &NO_REACH[..places.len().div_ceil(NEAR_LANES)]);
        let found = &mut buffers.found.0;
        let counts = screen.find(level(), sought, first, reach, panel, found);
        for ((query, count), near) in (first..nearest.own.len()).zip(counts).zip(&*found) {
            let rows = near[..count].iter().map(|&place| places.start + usize::from(place));
            // A chunk may have more positions than there are rows.
            let rows = rows.map_while(|place| reference.order.get(place));
            buffers.candidates.extend(rows.map(|&row| (query, row)));
        }
    }

    /// Offers the exact distances of all candidates.
    fn compare(&mut self, candidates: &mut Vec<(usize, u32)>) {
        let Asked { knn, queries, .. } = self.nearest.asked;
        for some in candidates.chunks(AT_ONCE) {
            // Repeats the last pair to fill up.
            let pairs: [(usize, u32); AT_ONCE] =
                std::array::from_fn(|at| some[at.min(some.len() - 1)]);
            let own = pairs.map(|(query, _)| queries.row(self.nearest.own[query] as usize));
            let others = pairs.map(|(_, row)| knn.rows.row(row as usize));
            let distances = squared_distances(own, others, knn.inverse);
            for (&(query, row), distance) in some.iter().zip(distances) {
                self.nearest.offer(query, distance, row);
            }
        }
        candidates.clear();
    }
}

fn not_finite() -> Error {
    Error::data("coordinates must be finite", "rescale the columns")
}

/// Squared Euclidean distances computed at once: one sum waits for its last addition, several sums
/// overlap.
const AT_ONCE: usize = 4;

/// The squared Euclidean distances of pairs of rows in units of the inverse, each summed in the
/// order of the columns.
fn squared_distances(
    own: [&[f64]; AT_ONCE],
    others: [&[f64]; AT_ONCE],
    inverse: f64,
) -> [f64; AT_ONCE] {
    let width = own[0].len();
    let (own, others) = (own.map(|row| &row[..width]), others.map(|row| &row[..width]));
    let mut sums = [0.0; AT_ONCE];
    for column in 0..width {
        for pair in 0..AT_ONCE {
            let difference = own[pair][column] * inverse - others[pair][column] * inverse;
            sums[pair] += difference * difference;
        }
    }
    sums
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
                    Metric::Canberra => {
                        let part = |(a, b): (&f64, &f64)| match a == b {
                            true => 0.0,
                            false => (a - b).abs() / (a.abs() + b.abs()),
                        };
                        pairs.map(part).sum()
                    }
                    Metric::Chebyshev => pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
                };
                (distance, row as u32)
            })
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all
    }

    fn assert_same(reference: &DenseMatrix, queries: &DenseMatrix, count: usize) {
        let run = Run::new(Some(2)).unwrap();
        for metric in Metric::ALL {
            let index = ExactKnn::new(reference, metric);
            let found = index.nearest(queries, count, &run).unwrap();
            for place in 0..queries.rows() {
                let expected = &naive(reference, queries.row(place), metric, None)[..count];
                let (rows, distances) = found.neighbors(place);
                let rows: Vec<(f64, u32)> =
                    distances.iter().copied().zip(rows.iter().copied()).collect();
                assert_eq!(rows, expected, "{metric:?} row {place}");
            }
            if count < reference.rows() {
                let found = index.nearest_others(count, &run).unwrap();
                for place in 0..reference.rows() {
                    let expected = naive(reference, reference.row(place), metric, Some(place));
                    let rows: Vec<u32> = expected[..count].iter().map(|found| found.1).collect();
                    assert_eq!(found.neighbors(place).0, rows, "{metric:?} own row {place}");
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
        // A grid of few values: most distances occur several times.
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
                    squared_distances(
                        [queries.row(i); AT_ONCE],
                        [reference.row(row as usize); AT_ONCE],
                        inverse,
                    )[0]
                };
                let mut rows: Vec<u32> = (0..300).collect();
                rows.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
                assert_eq!(found.neighbors(i).0, &rows[..3], "scale {scale} shift {shift}");
                assert!(found.neighbors(i).1.iter().all(|distance| distance.is_finite()));
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
        for metric in Metric::ALL {
            let index = ExactKnn::new(&reference, metric);
            assert!(index.nearest_others(1, &run).is_err());
        }
    }

    #[test]
    fn rows_without_columns_are_all_at_distance_0() {
        let (rows, run) = (DenseMatrix::zeros(5, 0), Run::new(Some(1)).unwrap());
        for metric in [Metric::Manhattan, Metric::Euclidean] {
            let found = ExactKnn::new(&rows, metric).nearest_others(2, &run).unwrap();
            assert_eq!(
                (found.neighbors(0), found.neighbors(4)),
                ((&[1, 2][..], &[0.0; 2][..]), (&[0, 1][..], &[0.0; 2][..]))
            );
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
        // The last class has one row, and another has no more than the requested number.
        let codes: Vec<u32> =
            (0..40).map(|row| [0, 1, 0, 2][row % 4] + u32::from(row == 39)).collect();
        let run = Run::new(Some(2)).unwrap();
        for metric in Metric::ALL {
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
