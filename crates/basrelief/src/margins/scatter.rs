//! Scatter matrices of weighted pairs of rows.

use rayon::prelude::*;

use crate::algebra::{column_products, gram};
use crate::csr::CsrGroups;
use crate::data::{Classes, DenseMatrix};
use crate::neighbors::PairSource;

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

    /// From neighbors: `signs[group]` times the weight of each.
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
        let width = values.columns();
        // With y_i = sum_j w_ij (x_i - x_j) the sum is X' Y. The differences are taken before they
        // are weighed, so that near rows far from the origin lose nothing.
        let mut moved = DenseMatrix::zeros(values.rows(), width);
        if width == 0 {
            return DenseMatrix::zeros(0, 0);
        }
        moved.values_mut().par_chunks_mut(width).enumerate().for_each(|(row, sum)| {
            let own = values.row(row);
            for &(partner, weight) in self.partners.of(row) {
                for ((sum, own), other) in sum.iter_mut().zip(own).zip(values.row(partner as usize))
                {
                    *sum += weight * (own - other);
                }
            }
        });
        symmetric(column_products(values, &moved))
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

/// The rows less the mean of their class: what the classes do not explain.
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
pub(crate) fn within_classes(values: &DenseMatrix, classes: &Classes) -> DenseMatrix {
    gram(&class_deviations(values, classes))
}

/// `sum n_c m_c m_c'` over the classes, for rows of mean 0.
pub(crate) fn between_classes(values: &DenseMatrix, classes: &Classes) -> DenseMatrix {
    let mut means = class_means(values, classes);
    for (code, &count) in classes.counts().iter().enumerate() {
        means.row_mut(code).iter_mut().for_each(|mean| *mean *= (count as f64).sqrt());
    }
    gram(&means)
}

/// The mean of a matrix and its transpose: what rounding makes of a symmetric matrix, mended.
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
    }
}
