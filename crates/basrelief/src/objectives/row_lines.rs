//! Squared distances of a block of rows to all rows, one line per row of the block.

use std::ops::Range;

use basrelief_kernels::{Level, level, squared_distances};

use crate::algebra::block_row_products;
use crate::data::{DenseMatrix, squared_distance};
use crate::thresholds::CANCELLED;

/// Rows whose distances to all rows are computed from dot products. Where these cancel (a distance is below
/// [`CANCELLED`] times the squared lengths), distances are recomputed from differences.
pub(crate) struct RowLines<'a> {
    values: &'a DenseMatrix,
    /// Squared length of every row.
    lengths: Vec<f64>,
    spared: f64,
    level: Level,
}

impl<'a> RowLines<'a> {
    /// Prepares the rows. The error of a distance is at most 1e-11 of the distance plus 1e-11 of `spared`.
    pub(crate) fn new(values: &'a DenseMatrix, spared: f64) -> Self {
        let lengths =
            values.iter().map(|row| row.iter().map(|value| value * value).sum()).collect();
        Self { values, lengths, spared, level: level() }
    }

    /// The rows.
    pub(crate) fn values(&self) -> &'a DenseMatrix {
        self.values
    }

    /// Replaces `lines` by the squared distances of some rows to all rows; the distance of a row to itself is `own`.
    pub(crate) fn fill(&self, rows: Range<usize>, own: f64, lines: &mut Vec<f64>) {
        let (count, width) = (self.values.rows(), self.values.columns());
        lines.resize(rows.len() * count, 0.0);
        let block = &self.values.values()[rows.start * width..rows.end * width];
        block_row_products(-2.0, block, self.values.values(), width, lines);
        for (row, line) in rows.zip(lines.chunks_exact_mut(count)) {
            let (length, spared) = (self.lengths[row], self.spared);
            if squared_distances(self.level, length, &self.lengths, CANCELLED, spared, line) {
                for (other, value) in line.iter_mut().enumerate() {
                    if *value + spared < CANCELLED * (length + self.lengths[other]) {
                        *value = squared_distance(self.values.row(row), self.values.row(other));
                    }
                }
            }
            line[row] = own;
        }
    }
}
