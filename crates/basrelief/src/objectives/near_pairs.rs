//! Rows in single precision, among which near pairs are sought: none is missed.

use basrelief_kernels::{
    Level, NEAR_LANES, NEAR_PANEL, NEAR_ROWS, NearChunk, NearPlaces, SoughtPanel, SoughtRows,
    find_near_pairs,
};

use crate::data::DenseMatrix;
use crate::knn::inverse_unit;

/// Rows in single precision, with half their squared lengths and half the squared
/// distances that are near to them.
///
/// Half a squared distance is `halves[i] + halves[j]` less the product of the rows. A sum of `width` products is off
/// by less than `width + 2` units of the last place of the rows' lengths multiplied, and thus of their halves; so
/// much is taken off the halves beforehand, and more for what is rounded beside. All is in units of a power of two
/// near the greatest value, so that squares do not overflow; where they vanish beside it, a sum is off by less than
/// `width + 2` of the least normal numbers, which are added to what is near.
#[derive(Debug)]
pub(super) struct NearPairs {
    rows: usize,
    width: usize,
    values: Vec<f32>,
    /// The same chunk by chunk: coordinate k of chunk c is at `c * width + k`.
    points: Vec<NearChunk>,
    halves: Vec<NearChunk>,
    reaches: Vec<NearChunk>,
}

impl NearPairs {
    /// From rows and the squared distances that are near to each.
    pub(super) fn new(rows: &DenseMatrix, reaches: &[f64]) -> Self {
        let width = rows.columns();
        let inverse = inverse_unit(rows);
        let less = (width + 8) as f64 * f64::from(f32::EPSILON);
        let values: Vec<f32> = rows.values().iter().map(|value| (value * inverse) as f32).collect();
        let square = |row: &[f64]| row.iter().map(|value| (value * inverse).powi(2)).sum::<f64>();
        let halves = in_chunks(rows.iter().map(|row| square(row) / 2.0 * (1.0 - less)));
        let least = (width + 2) as f64 * f64::from(f32::MIN_POSITIVE);
        let half = |reach: f64| reach * inverse * inverse / 2.0 * (1.0 + 1e-6) + least;
        let reaches = in_chunks(reaches.iter().map(|reach| half(*reach)));
        let mut points = vec![[0.0; NEAR_LANES]; rows.rows().div_ceil(NEAR_LANES) * width];
        for (row, values) in values.chunks_exact(width.max(1)).enumerate() {
            let chunk = &mut points[row / NEAR_LANES * width..][..width];
            chunk.iter_mut().zip(values).for_each(|(point, &v)| point[row % NEAR_LANES] = v);
        }
        Self { rows: rows.rows(), width, values, points, halves, reaches }
    }

    /// Finds the rows that may be near to up to [`NEAR_ROWS`] rows from `first` on, among up to [`NEAR_PANEL`] from
    /// `start` on, a multiple of [`NEAR_LANES`]: how many for each, and how far from there. Beyond the last row there
    /// may be more of either, which are none.
    pub(super) fn find(
        &self,
        level: Level,
        first: usize,
        start: usize,
        found: &mut NearPlaces,
    ) -> [usize; NEAR_ROWS] {
        let (halves, reaches) = (self.halves.as_flattened(), self.reaches.as_flattened());
        let own: [usize; NEAR_ROWS] =
            std::array::from_fn(|place| (first + place).min(self.rows - 1));
        let rows = SoughtRows {
            rows: own.map(|row| &self.values[row * self.width..][..self.width]),
            halves: own.map(|row| halves[row]),
            reaches: own.map(|row| reaches[row]),
        };
        let chunk = start / NEAR_LANES;
        let chunks = chunk..(chunk + NEAR_PANEL / NEAR_LANES).min(self.halves.len());
        let panel = SoughtPanel {
            points: &self.points[chunks.start * self.width..chunks.end * self.width],
            halves: &self.halves[chunks.clone()],
            reaches: &self.reaches[chunks],
        };
        find_near_pairs(level, rows, panel, found)
    }
}

/// Numbers in chunks of single precision, the last of which ends with zeros.
fn in_chunks(values: impl ExactSizeIterator<Item = f64>) -> Vec<NearChunk> {
    let mut chunks = vec![[0.0; NEAR_LANES]; values.len().div_ceil(NEAR_LANES)];
    let places = chunks.as_flattened_mut().iter_mut().zip(values);
    places.for_each(|(place, value)| *place = value as f32);
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Pairs that are found, with the greater of both rows' reaches at least their squared distance.
    fn found(level: Level, rows: &DenseMatrix, reaches: &[f64]) -> Vec<Vec<usize>> {
        let pairs = NearPairs::new(rows, reaches);
        let mut places = [[0; NEAR_PANEL]; NEAR_ROWS];
        let mut found = vec![Vec::new(); rows.rows()];
        for first in (0..rows.rows()).step_by(NEAR_ROWS) {
            for start in (0..rows.rows()).step_by(NEAR_PANEL) {
                let counts = pairs.find(level, first, start, &mut places);
                for (own, (count, places)) in counts.into_iter().zip(&places).enumerate() {
                    let others = places[..count].iter().map(|&at| start + usize::from(at));
                    if let Some(found) = found.get_mut(first + own) {
                        found.extend(others.filter(|&other| other < rows.rows()));
                    }
                }
            }
        }
        found
    }

    /// Whatever the size of the rows, no pair at its reach is missed, and few others are found.
    #[test]
    fn no_pair_within_its_reach_is_missed() {
        let (count, width) = (1100, 11);
        // The first row may be so far away that squares of the others vanish beside its own.
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

    /// Numbers that are none are near to all: they are looked at as they are.
    #[test]
    fn what_is_no_number_is_found() {
        let rows = DenseMatrix::new(vec![1.0, f64::NAN, 5.0], 3, 1);
        // Squares of the second ones are no numbers.
        let large = DenseMatrix::new(vec![1e155, 1e155, -1e155], 3, 1);
        for level in levels() {
            assert_eq!(found(level, &rows, &[0.1; 3])[1], [0, 1, 2]);
            assert_eq!(found(level, &large, &[0.1; 3])[1], [0, 1]);
        }
    }
}
