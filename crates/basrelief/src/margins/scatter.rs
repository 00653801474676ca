//! Scatter matrices of weighted pairs of rows.

use crate::algebra::{add_block_column_products, gram};
use crate::csr::CsrGroups;
use crate::data::{Classes, DenseMatrix};
use crate::error::Result;
use crate::neighbors::PairSource;
use crate::parallel;
use crate::run::Run;

/// Columns per block of a scatter matrix. Products are computed for two blocks at a time, so that
/// their bits do not depend on the other columns.
pub(crate) const SCATTER_COLUMNS: usize = 64;

/// Rows whose products are added up at a time.
const ROWS: usize = 2048;

/// Rows whose differences one task adds up.
const ROWS_OF_TASK: usize = 256;

/// Weights of pairs of rows, few per row; the weight of a pair does not depend on its order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairWeights {
    /// Partner and weight, by row and then by partner.
    partners: CsrGroups<(u32, f64)>,
}

impl PairWeights {
    /// From pairs in any order; the weights of a pair given several times, in either order, add up.
    pub(crate) fn new(rows: usize, pairs: &[(u32, u32, f64)]) -> Self {
        let both = pairs.iter().flat_map(|&(i, j, weight)| {
            [(i, j), (j, i)].map(|(own, other)| (own as usize, (other, weight)))
        });
        let mut partners = CsrGroups::new(rows, both);
        // By partner, so that equal pairs meet; the sort is stable, so that bits do not change.
        for row in 0..rows {
            partners.of_mut(row).sort_by_key(|&(partner, _)| partner);
        }
        Self { partners }
    }

    /// Weights of neighbors: `signs[group]` times the weight of each.
    pub(crate) fn of_neighbors(rows: usize, source: &dyn PairSource, signs: &[f64]) -> Self {
        let mut pairs = Vec::new();
        source.visit(0..source.len(), &mut |row, group, neighbors| {
            pairs.extend(neighbors.iter().map(|near| (row, near.row, signs[group] * near.weight)));
        });
        Self::new(rows, &pairs)
    }

    /// `sum w_ij (x_i - x_j) (x_i - x_j)'` over all pairs given: a symmetric matrix, columns x
    /// columns.
    pub(crate) fn scatter(&self, values: &DenseMatrix) -> DenseMatrix {
        let blocks = column_blocks(values);
        let all: Vec<&DenseMatrix> = blocks.iter().collect();
        let of_block = |right: usize| self.tiles(&all[..=right], all[right]);
        // The last blocks have the most work.
        let tiles: Vec<Vec<DenseMatrix>> = parallel::map((0..blocks.len()).rev(), of_block);
        let mut scatter = Scatter::new(values.columns());
        for (right, tiles) in (0..blocks.len()).rev().zip(tiles) {
            for (left, tile) in tiles.into_iter().enumerate() {
                scatter.put((left * SCATTER_COLUMNS, right * SCATTER_COLUMNS), tile);
            }
        }
        scatter.into_matrix()
    }

    /// The tiles of the scatter matrix at the rows of each block in `left` and the columns of the
    /// block `right`. The bits of a tile depend only on its two blocks.
    pub(crate) fn tiles(&self, left: &[&DenseMatrix], right: &DenseMatrix) -> Vec<DenseMatrix> {
        // With y_i = sum_j w_ij (x_i - x_j) the sum is X' Y. The differences are computed before
        // they are weighted, so that near rows far from the origin lose no precision.
        let width = right.columns();
        let mut tiles: Vec<DenseMatrix> =
            left.iter().map(|left| DenseMatrix::zeros(left.columns(), width)).collect();
        let mut moved = vec![0.0; ROWS.min(right.rows()) * width];
        for start in (0..right.rows()).step_by(ROWS) {
            let rows = start..(start + ROWS).min(right.rows());
            let moved = &mut moved[..rows.len() * width];
            let tasks = moved.chunks_mut(ROWS_OF_TASK * width);
            let tasks = tasks.zip(rows.clone().step_by(ROWS_OF_TASK));
            parallel::for_each(tasks, |(sums, first)| {
                for (row, sum) in (first..).zip(sums.chunks_mut(width)) {
                    self.add_differences(right, row, sum);
                }
            });
            for (left, tile) in left.iter().zip(&mut tiles) {
                let own = &left.values()[rows.start * left.columns()..rows.end * left.columns()];
                add_block_column_products(own, moved, width, tile.values_mut());
            }
        }
        tiles
    }

    /// Replaces a sum by the weighted differences of a row to its partners.
    fn add_differences(&self, values: &DenseMatrix, row: usize, sum: &mut [f64]) {
        sum.fill(0.0);
        let own = values.row(row);
        for &(partner, weight) in self.partners.group(row) {
            for ((sum, own), other) in sum.iter_mut().zip(own).zip(values.row(partner as usize)) {
                *sum += weight * (own - other);
            }
        }
    }
}

/// The columns of a matrix in blocks of [`SCATTER_COLUMNS`], each with all rows.
pub(crate) fn column_blocks(values: &DenseMatrix) -> Vec<DenseMatrix> {
    let of_block = |start: usize| {
        let end = (start + SCATTER_COLUMNS).min(values.columns());
        let numbers = values.iter().flat_map(|row| &row[start..end]).copied().collect();
        DenseMatrix::new(numbers, values.rows(), end - start)
    };
    parallel::map((0..values.columns()).step_by(SCATTER_COLUMNS), of_block)
}

/// A scatter matrix that is assembled from tiles.
#[derive(Debug)]
pub(crate) struct Scatter(DenseMatrix);

impl Scatter {
    /// A zero matrix with this number of columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self(DenseMatrix::zeros(columns, columns))
    }

    /// Stores a tile with its first entry at (row, column), and its transpose below the diagonal. A
    /// tile on the diagonal is made exactly symmetric.
    ///
    /// # Panics
    /// If the tile extends beyond the matrix, or lies below the diagonal.
    pub(crate) fn put(&mut self, (row, column): (usize, usize), tile: DenseMatrix) {
        assert!(row <= column, "the tiles below the diagonal are those above");
        let tile = if row == column { symmetric(tile) } else { tile };
        for (at, entries) in (row..).zip(tile.iter()) {
            self.0.row_mut(at)[column..column + entries.len()].copy_from_slice(entries);
            for (other, entry) in (column..).zip(entries) {
                self.0.row_mut(other)[at] = *entry;
            }
        }
    }

    /// The complete matrix.
    pub(crate) fn into_matrix(self) -> DenseMatrix {
        self.0
    }
}

/// The mean row of every class.
pub(crate) fn class_means(values: &DenseMatrix, classes: &Classes) -> DenseMatrix {
    let mut means = DenseMatrix::zeros(classes.len(), values.columns());
    for (row, &code) in values.iter().zip(classes.codes()) {
        means.row_mut(code as usize).iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    for (code, &count) in classes.counts().iter().enumerate() {
        means.row_mut(code).iter_mut().for_each(|sum| *sum /= count as f64);
    }
    means
}

/// The rows minus the mean of their class: the variation within the classes.
pub(crate) fn class_deviations(values: &DenseMatrix, classes: &Classes) -> DenseMatrix {
    let means = class_means(values, classes);
    let mut rest = values.clone();
    for (row, &code) in classes.codes().iter().enumerate() {
        let mean = means.row(code as usize);
        rest.row_mut(row).iter_mut().zip(mean).for_each(|(value, mean)| *value -= mean);
    }
    rest
}

/// `sum (x_i - m_c) (x_i - m_c)'` with the mean `m_c` of the row's class: the scatter within the
/// classes.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn within_classes(
    values: &DenseMatrix,
    classes: &Classes,
    run: &Run,
) -> Result<DenseMatrix> {
    gram(&class_deviations(values, classes), run)
}

/// `sum n_c m_c m_c'` over the classes, for rows of mean 0.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn between_classes(
    values: &DenseMatrix,
    classes: &Classes,
    run: &Run,
) -> Result<DenseMatrix> {
    let mut means = class_means(values, classes);
    for (code, &count) in classes.counts().iter().enumerate() {
        means.row_mut(code).iter_mut().for_each(|mean| *mean *= (count as f64).sqrt());
    }
    gram(&means, run)
}

/// The mean of a matrix and its transpose; restores symmetry lost by rounding.
pub(crate) fn symmetric(mut matrix: DenseMatrix) -> DenseMatrix {
    for i in 0..matrix.rows() {
        for j in 0..i {
            let mean = (matrix.row(i)[j] + matrix.row(j)[i]) / 2.0;
            matrix.row_mut(i)[j] = mean;
            matrix.row_mut(j)[i] = mean;
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scatter_is_the_sum_of_outer_products() {
        let values = DenseMatrix::new((0..12).map(|k| f64::from(k * k % 7)).collect(), 4, 3);
        let pairs = [(0, 1, 0.5), (2, 1, -1.0), (1, 0, 0.25), (3, 0, 2.0)];
        let mut expected = DenseMatrix::zeros(3, 3);
        for (i, j, weight) in pairs {
            let d: Vec<f64> = values
                .row(i as usize)
                .iter()
                .zip(values.row(j as usize))
                .map(|(a, b)| a - b)
                .collect();
            for a in 0..3 {
                for b in 0..3 {
                    expected.row_mut(a)[b] += weight * d[a] * d[b];
                }
            }
        }
        assert_eq!(PairWeights::new(4, &pairs).scatter(&values), expected);
        assert_eq!(PairWeights::new(4, &[]).scatter(&values), DenseMatrix::zeros(3, 3));
        assert!(PairWeights::new(4, &[]).scatter(&DenseMatrix::zeros(4, 0)).values().is_empty());
    }

    /// Numbers that are the same on every machine.
    fn numbers(rows: usize, columns: usize) -> DenseMatrix {
        let number = |at: usize| (at as f64 * 0.754_877_666).fract() - 0.5;
        DenseMatrix::new((0..rows * columns).map(number).collect(), rows, columns)
    }

    /// More rows than are added up at a time, and blocks of which the last is narrow.
    #[test]
    fn a_tile_has_its_bits_beside_any_others() {
        const COLUMNS: usize = 2 * SCATTER_COLUMNS + 9;
        let rows = ROWS + 301;
        let values = numbers(rows, COLUMNS);
        let row = |at: usize| (at % rows) as u32;
        let pairs: Vec<(u32, u32, f64)> =
            (0..2 * rows).map(|at| (row(at), row(at * 7 + 1), (at % 5) as f64 - 1.7)).collect();
        let weights = PairWeights::new(rows, &pairs);
        let whole = weights.scatter(&values);
        let blocks = column_blocks(&values);
        let mut scatter = Scatter::new(COLUMNS);
        for (left, right) in [(1, 2), (0, 0), (2, 2), (0, 1), (1, 1), (0, 2)] {
            let tile = weights.tiles(&[&blocks[left]], &blocks[right]).swap_remove(0);
            scatter.put((left * SCATTER_COLUMNS, right * SCATTER_COLUMNS), tile);
        }
        assert!(scatter.into_matrix() == whole);
        for (a, b) in [(0, 0), (3, 100), (70, 71), (130, 5), (136, 136)] {
            let of_pair = |&(i, j, weight): &(u32, u32, f64)| {
                let (i, j) = (values.row(i as usize), values.row(j as usize));
                weight * (i[a] - j[a]) * (i[b] - j[b])
            };
            let sum: f64 = pairs.iter().map(of_pair).sum();
            assert!((whole.row(a)[b] - sum).abs() < 1e-9, "{a} {b}: {} {sum}", whole.row(a)[b]);
            assert_eq!(whole.row(a)[b].to_bits(), whole.row(b)[a].to_bits());
        }
    }
}
