//! A pair of rows that should be near each other or far apart.

use crate::data::DenseMatrix;

/// Two rows, and whether they should be near each other or far apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowPair {
    /// Their positions, which differ.
    pub rows: (u32, u32),
    /// Whether they should be near each other.
    pub alike: bool,
}

impl RowPair {
    /// 1 for rows that should be near each other, -1 for others.
    pub(super) fn sign(self) -> f64 {
        if self.alike { 1.0 } else { -1.0 }
    }

    /// Replaces `out` by the difference of the two rows.
    pub(super) fn difference(self, values: &DenseMatrix, out: &mut Vec<f64>) {
        row_difference(self.rows, values, out);
    }
}

/// Replaces `out` by the difference of two rows.
pub(super) fn row_difference(rows: (u32, u32), values: &DenseMatrix, out: &mut Vec<f64>) {
    let sides = values.row(rows.0 as usize).iter().zip(values.row(rows.1 as usize));
    out.clear();
    out.extend(sides.map(|(a, b)| a - b));
}
