//! Work on the rows of a matrix, independent of each other.

use crate::data::DenseMatrix;
use crate::parallel;

/// Minimum number of operations of one task.
const OPERATIONS: usize = 1 << 13;

/// Calls `one` for every row and its number, on all threads. `operations` is the approximate number of operations per row.
pub(super) fn for_each_row(
    matrix: &mut DenseMatrix,
    operations: usize,
    one: &(dyn Fn(usize, &mut [f64]) + Sync),
) {
    let columns = matrix.columns();
    if columns == 0 {
        return;
    }
    let together = OPERATIONS.div_ceil(operations.max(1));
    let parts = matrix.values_mut().chunks_mut(together * columns);
    parallel::for_each(parts.enumerate(), |(part, rows)| {
        (part * together..)
            .zip(rows.chunks_mut(columns))
            .for_each(|(row, values)| one(row, values));
    });
}
