//! Search for near rows in single precision that misses none.
//!
//! [`Screen`] contains the proof of the bound on the rounding error.

use basrelief_kernels::{
    Level, NEAR_LANES, NEAR_PANEL, NEAR_ROWS, NearChunk, NearPlaces, SoughtPanel, SoughtRows,
    find_near_pairs,
};

use crate::data::DenseMatrix;
use crate::order::ascending;

/// Rows farther from the mean than this, in units near the largest value, exceed single precision.
const FARTHEST: f64 = 1e15;

/// Rows relative to their mean, in single precision, with half their squared lengths.
///
/// All values are in units of a power of two near the largest one, so that squares do not overflow. For two rows `x` and
/// `y` with halves `h` and `k` of their squared lengths, half the squared distance is `h + k - x.y`. The row `x` is far
/// from `y` where the sum `x.y - k` is below `h` minus the reach.
///
/// *Single precision.* Let `u = 2^-24`. Every coordinate and every half has a relative error of at most `u`. A sum of
/// `width` products and `-k`, in any order and fused or not, adds `width + 1` errors relative to the sizes of its terms.
/// These sizes add up to at most `|x| |y| + k`, and thus to at most `h + 2k`. So the sum is off by less than
/// `(width + 4) u (h + 2k)`, and the difference of half and reach by `2u` of either. To cover this, halves are reduced by
/// a share of `2 (width + 8) u`, and reaches are raised by a share of 1e-6. A product that underflows is off by less than
/// the smallest normal number; the reach includes `width + 2` of these.
///
/// *Double precision.* Subtracting the mean rounds every coordinate by less than two units in the last place of the
/// operands. The distance as the caller defines it, a sum of `width` squares, is off by `width + 2` units in the last
/// place. Let `size` be the length of the row plus three times that of a row of the largest values; it exceeds the
/// distance of any two rows. Both errors are below `(width + 16)` units of `size^2`, which the reach includes.
///
/// Rows with NaN, and rows that exceed single precision, are near to all rows.
#[derive(Debug)]
pub(crate) struct Screen {
    width: usize,
    /// 1 over the unit.
    inverse: f64,
    mean: Vec<f64>,
    /// The length of a row of the largest values.
    largest: f64,
    /// Coordinate k of the rows of chunk c is at `c * width + k`.
    points: Vec<NearChunk>,
    halves: Vec<NearChunk>,
}

/// Query rows for the rows of a [`Screen`].
#[derive(Debug, Default)]
pub(crate) struct ScreenedRows {
    values: Vec<f32>,
    halves: Vec<f32>,
}

impl Screen {
    /// Prepares the units and the mean of the rows, given their [`inverse_unit`]. The rows follow by [`Screen::fill`].
    pub(crate) fn new(rows: &DenseMatrix, inverse: f64) -> Self {
        let mut mean = rows.means();
        mean.iter_mut().for_each(|mean| *mean = if mean.is_finite() { *mean } else { 0.0 });
        let (low, high) = rows.extremes();
        let square = |(low, high): (&f64, &f64)| (low.abs().max(high.abs()) * inverse).powi(2);
        let largest = low.iter().zip(&high).map(square).sum::<f64>().sqrt();
        // With NaN all rows are near.
        let largest = if largest.is_nan() { f64::INFINITY } else { largest };
        let (points, halves) = (Vec::new(), Vec::new());
        Self { width: rows.columns(), inverse, mean, largest, points, halves }
    }

    /// Sets the rows to be searched.
    pub(crate) fn fill(&mut self, rows: &ScreenedRows) {
        let chunks = rows.halves.len().div_ceil(NEAR_LANES);
        self.points = vec![[0.0; NEAR_LANES]; chunks * self.width];
        for (row, values) in rows.values.chunks_exact(self.width.max(1)).enumerate() {
            let chunk = &mut self.points[row / NEAR_LANES * self.width..][..self.width];
            chunk.iter_mut().zip(values).for_each(|(point, &v)| point[row % NEAR_LANES] = v);
        }
        self.halves = in_chunks(rows.halves.iter().copied());
    }

    /// The length of a row relative to the mean, in units.
    pub(crate) fn length(&self, row: &[f64]) -> f64 {
        self.relative(row).map(|value| value * value).sum::<f64>().sqrt()
    }

    /// The indices of the rows from the nearest to the mean to the farthest, and their lengths.
    pub(crate) fn by_length(&self, rows: &DenseMatrix) -> (Vec<u32>, Vec<f64>) {
        let lengths: Vec<f64> = rows.iter().map(|row| self.length(row)).collect();
        let order: Vec<u32> = ascending(&lengths).into_iter().map(|row| row as u32).collect();
        let sorted = order.iter().map(|&row| lengths[row as usize]).collect();
        (order, sorted)
    }

    /// A row relative to the mean, in units.
    fn relative<'r>(&'r self, row: &'r [f64]) -> impl Iterator<Item = f64> + 'r {
        let inverse = self.inverse;
        row.iter().zip(&self.mean).map(move |(value, mean)| value * inverse - mean * inverse)
    }

    /// Rows in single precision.
    pub(crate) fn round<'r>(&self, rows: impl Iterator<Item = &'r [f64]>) -> ScreenedRows {
        let less = (self.width + 8) as f64 * f64::from(f32::EPSILON);
        let mut rounded = ScreenedRows::default();
        for row in rows {
            let length = self.length(row);
            if length > FARTHEST {
                rounded.values.resize(rounded.values.len() + self.width, 0.0);
                rounded.halves.push(f32::NEG_INFINITY);
                continue;
            }
            rounded.values.extend(self.relative(row).map(|value| value as f32));
            rounded.halves.push((length * length / 2.0 * (1.0 - less)) as f32);
        }
        rounded
    }

    /// The reach of a row with this length: half a squared distance in units, plus the bound on its error.
    pub(crate) fn reach(&self, square: f64, length: f64) -> f32 {
        (square / 2.0 * (1.0 + 1e-6) + self.double_rounding(length)) as f32
    }

    /// Bound on the error of the squared distances of a row with this length in double precision, and on underflow in
    /// single precision.
    pub(crate) fn double_rounding(&self, length: f64) -> f64 {
        let size = length + 3.0 * self.largest;
        (self.width + 16) as f64 * f64::EPSILON * size * size
            + (self.width + 2) as f64 * f64::from(f32::MIN_POSITIVE)
    }

    /// Finds the rows that may be near to up to [`NEAR_ROWS`] query rows from `first` on, among up to [`NEAR_PANEL`] rows
    /// from `start` on, a multiple of [`NEAR_LANES`]. Returns the number of places for each query row; a place is the
    /// distance from `start`. Two rows are near if one of them reaches the other: `reach` gives the reach of a query row,
    /// `of_panel` has those of the panel's rows. Places and query rows beyond the last row are meaningless.
    pub(crate) fn find(
        &self,
        level: Level,
        queries: &ScreenedRows,
        first: usize,
        reach: impl Fn(usize) -> f32,
        (start, of_panel): (usize, &[NearChunk]),
        found: &mut NearPlaces,
    ) -> [usize; NEAR_ROWS] {
        let last = queries.halves.len() - 1;
        let own: [usize; NEAR_ROWS] = std::array::from_fn(|place| (first + place).min(last));
        let rows = SoughtRows {
            rows: own.map(|row| &queries.values[row * self.width..][..self.width]),
            halves: own.map(|row| queries.halves[row]),
            reaches: own.map(reach),
        };
        let chunks = start / NEAR_LANES..start / NEAR_LANES + of_panel.len();
        let panel = SoughtPanel {
            points: &self.points[chunks.start * self.width..chunks.end * self.width],
            halves: &self.halves[chunks],
            reaches: of_panel,
        };
        find_near_pairs(level, rows, panel, found)
    }
}

/// Reused memory for the places that [`Screen::find`] returns.
#[derive(Debug)]
pub(crate) struct FoundPlaces(pub(crate) NearPlaces);

impl Default for FoundPlaces {
    fn default() -> Self {
        Self([[0; NEAR_PANEL]; NEAR_ROWS])
    }
}

/// 1 over the largest power of two that does not exceed the largest value; 1 for zeros.
pub(crate) fn inverse_unit(rows: &DenseMatrix) -> f64 {
    let greatest = rows.values().iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if !greatest.is_normal() {
        return 1.0;
    }
    // The inverses of the largest powers are below the smallest normal number, but still exact.
    2.0_f64.powi(-(greatest.log2().floor() as i32).clamp(-1022, 1022))
}

/// Numbers in chunks; the last chunk is padded with zeros.
pub(crate) fn in_chunks(values: impl ExactSizeIterator<Item = f32>) -> Vec<NearChunk> {
    let mut chunks = vec![[0.0; NEAR_LANES]; values.len().div_ceil(NEAR_LANES)];
    chunks.as_flattened_mut().iter_mut().zip(values).for_each(|(place, value)| *place = value);
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Returns the pairs found with `reaches` as the maximum squared distance of every row.
    fn found(level: Level, rows: &DenseMatrix, reaches: &[f64]) -> Vec<Vec<usize>> {
        let inverse = inverse_unit(rows);
        let mut screen = Screen::new(rows, inverse);
        let sought = screen.round(rows.iter());
        screen.fill(&sought);
        let reaches: Vec<f32> = rows
            .iter()
            .zip(reaches)
            .map(|(row, reach)| screen.reach(reach * inverse * inverse, screen.length(row)))
            .collect();
        let in_chunks = in_chunks(reaches.iter().copied());
        let mut places = FoundPlaces::default();
        let mut found = vec![Vec::new(); rows.rows()];
        for first in (0..rows.rows()).step_by(NEAR_ROWS) {
            for (panel, of_panel) in in_chunks.chunks(NEAR_PANEL / NEAR_LANES).enumerate() {
                let start = panel * NEAR_PANEL;
                let reach = |row: usize| reaches[row];
                let panel = (start, of_panel);
                let counts = screen.find(level, &sought, first, reach, panel, &mut places.0);
                for (own, (count, places)) in counts.into_iter().zip(&places.0).enumerate() {
                    let others = places[..count].iter().map(|&at| start + usize::from(at));
                    if let Some(found) = found.get_mut(first + own) {
                        found.extend(others.filter(|&other| other < rows.rows()));
                    }
                }
            }
        }
        found
    }

    /// Rows of any size: no pair at its reach is missed, and few others are found.
    #[test]
    fn no_pair_within_its_reach_is_missed() {
        let (count, width) = (1100, 11);
        // The first row may be so far away that squares of the others vanish next to its square.
        for (size, offset, away) in [
            (1.0, 0.0, 1.0),
            (1.0, 3e3, 1.0),
            (1e-150, 0.0, 1.0),
            (1e150, 0.0, 1.0),
            (1.0, 0.0, 1e20),
            (1.0, 0.0, 1e21),
            (1.0, 0.0, 1e30),
        ] {
            let value = |k: usize| {
                let value = ((k * 7919 + 13) % 1009) as f64 / 7.0 + offset * ((k % 2) as f64);
                size * if k < width { away * value } else { value }
            };
            let rows = DenseMatrix::new((0..count * width).map(value).collect(), count, width);
            let square =
                |i: usize, j: usize| crate::data::squared_distance(rows.row(i), rows.row(j));
            for other in [17, 1099] {
                // Every row reaches to one other, exactly.
                let reaches: Vec<f64> =
                    (0..count).map(|row| square(row, (row + other) % count)).collect();
                let near = |row: usize| -> Vec<usize> {
                    let reach = |other: usize| reaches[row].max(reaches[other]);
                    (0..count).filter(|&other| square(row, other) <= reach(other)).collect()
                };
                let near: Vec<Vec<usize>> = (0..count).map(near).collect();
                for level in levels() {
                    let found = found(level, &rows, &reaches);
                    for (row, (found, near)) in found.iter().zip(&near).enumerate() {
                        let missed = near.iter().find(|near| found.binary_search(near).is_err());
                        let what = format!("{} row {row} of size {size}, {away}", level.name());
                        assert_eq!(missed, None, "{what}");
                        let more = found.len() - near.len();
                        assert!(offset > 0.0 || away > 1.0 || more <= 2, "{more} more: {what}");
                    }
                }
            }
        }
    }

    /// NaN is near to all rows, so that exact distances are computed.
    #[test]
    fn nan_is_found() {
        let rows = DenseMatrix::new(vec![1.0, f64::NAN, 5.0], 3, 1);
        // The squares of these overflow.
        let large = DenseMatrix::new(vec![1e155, 1e155, -1e155], 3, 1);
        for level in levels() {
            assert_eq!(found(level, &rows, &[0.1; 3])[1], [0, 1, 2]);
            assert_eq!(found(level, &large, &[0.1; 3])[1], [0, 1]);
        }
    }
}
