//! Rows in single precision, among which near ones are sought: none is missed.

use std::ops::Range;

use crate::algebra::subtract_row_products;
use crate::data::DenseMatrix;

/// Squared lengths of rows that single precision holds with room to spare, at most.
const LONGEST: f64 = 1e30;

/// Rows in single precision, with half their squared lengths.
///
/// Half a squared distance is `halves[i] + halves[j]` less the product of the rows. A sum of `width` products is off by
/// less than `width + 2` units of the last place of the rows' lengths multiplied, and thus of their halves; so
/// much is taken off the halves beforehand, and more for what is rounded beside.
#[derive(Debug)]
pub(super) struct SingleRows {
    width: usize,
    values: Vec<f32>,
    /// Half the squared lengths, a little less.
    pub(super) halves: Vec<f32>,
}

impl SingleRows {
    /// From rows and their squared lengths; `None` where these are beyond single precision.
    pub(super) fn new(rows: &DenseMatrix, squares: &[f64]) -> Option<Self> {
        let longest =
            squares.iter().fold(0.0, |most, &square| if square <= most { most } else { square });
        if longest.is_nan() || longest > LONGEST {
            return None;
        }
        let width = rows.columns();
        let less = (width + 8) as f64 * f64::from(f32::EPSILON);
        Some(Self {
            width,
            values: rows.values().iter().map(|&value| value as f32).collect(),
            halves: squares.iter().map(|square| (square / 2.0 * (1.0 - less)) as f32).collect(),
        })
    }

    /// What half a squared distance may be at most, a little more, so that rounding excludes no pair.
    pub(super) fn half_reach(square: f64) -> f32 {
        (square / 2.0 * (1.0 + 1e-6)) as f32
    }

    /// Half the squared distances of a block of rows to those of a panel, a little less, and less `halves` of the
    /// block's own rows.
    pub(super) fn half_distances(
        &self,
        block: &Range<usize>,
        panel: &Range<usize>,
        out: &mut Vec<f32>,
    ) {
        out.clear();
        block.clone().for_each(|_| out.extend_from_slice(&self.halves[panel.clone()]));
        subtract_row_products(self.rows(block), self.rows(panel), self.width, out);
    }

    fn rows(&self, rows: &Range<usize>) -> &[f32] {
        &self.values[rows.start * self.width..rows.end * self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What half a squared distance is in single precision never exceeds what it is.
    #[test]
    fn no_pair_within_its_reach_is_missed() {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 7.0 + 3e3 * ((k % 2) as f64);
        let rows = DenseMatrix::new((0..40 * 11).map(value).collect(), 40, 11);
        let squares: Vec<f64> = rows.iter().map(|row| row.iter().map(|v| v * v).sum()).collect();
        let single = SingleRows::new(&rows, &squares).unwrap();
        let mut lines = Vec::new();
        single.half_distances(&(0..40), &(0..40), &mut lines);
        for (i, line) in lines.chunks_exact(40).enumerate() {
            for (j, &half) in line.iter().enumerate() {
                let square = crate::data::squared_distance(rows.row(i), rows.row(j));
                assert!(half <= SingleRows::half_reach(square) - single.halves[i], "{i} {j}");
            }
        }
        assert!(SingleRows::new(&rows, &[f64::NAN; 40]).is_none());
        assert!(SingleRows::new(&rows, &[1e31; 40]).is_none());
    }
}
