//! Soft regression: every row is predicted from all other rows, weighted by `exp(-d_ij)`.
//!
//! In a mapped space with squared distances `d_ij`, row i has the weights `p_ij`, proportional to `exp(-d_ij)` with the
//! sum 1 over the other rows, and the prediction `sum_j p_ij y_j`. With the error `e_i` of the prediction and
//! `w_ij = p_ij e_i (y_j - y_i - e_i)`, the gradient of `sum_i e_i^2` with respect to the map `L` is
//! `-4 L X' (D - W - W') X`; `D` contains the sums of the columns of `W`, whose rows have the sum 0.
//!
//! One block of rows at a time is compared with all rows, so that no matrix of rows x rows is stored. The smallest
//! distance of every row is subtracted from its exponents.

use std::ops::Range;

use basrelief_kernels::{add_line, exponentials, least, level};

use super::row_lines::RowLines;
use crate::algebra::{add_block_product, column_products, dot, product, row_products};
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::margins::scatter::symmetric;
use crate::neighbors::{BlockParts, add_parts};
use crate::run::Run;
use crate::thresholds::{LINE_DISTANCES, LINE_ROWS, PARTS, SPARED};

/// Rows with the numbers to predict.
#[derive(Debug)]
pub(crate) struct SoftRegression<'a> {
    values: &'a DenseMatrix,
    numbers: &'a [f64],
    blocks: Vec<Range<usize>>,
}

/// Sums over some rows.
struct Sums {
    squared_errors: f64,
    /// The sums of the columns of `W`.
    degrees: Vec<f64>,
    /// `W X`, row by row.
    moved: Vec<f64>,
}

impl<'a> SoftRegression<'a> {
    /// The rows, with one number each.
    pub(crate) fn new(values: &'a DenseMatrix, numbers: &'a [f64]) -> Self {
        let rows = values.rows();
        let most = (LINE_DISTANCES / rows.max(1)).clamp(16, LINE_ROWS);
        let blocks = (0..rows).step_by(most).map(|first| first..(first + most).min(rows)).collect();
        Self { values, numbers, blocks }
    }

    /// The rows.
    pub(crate) fn values(&self) -> &'a DenseMatrix {
        self.values
    }

    /// The number of rows, the unit of progress.
    pub(crate) fn len(&self) -> u64 {
        self.values.rows() as u64
    }

    /// Returns the sum of the squared errors under a map (one row per component), and its gradient.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn evaluate(&self, matrix: &DenseMatrix, run: &Run) -> Result<(f64, DenseMatrix)> {
        let (rows, width) = (self.values.rows(), self.values.columns());
        let mapped = row_products(self.values, matrix, run)?;
        let lines = RowLines::new(&mapped, SPARED);
        let lengths = self.blocks.iter().map(|block| block.len());
        let parts = add_parts(
            &BlockParts::consecutive(self.blocks.len(), PARTS).with_rows(lengths),
            |_| [0],
            |_| Sums { squared_errors: 0.0, degrees: vec![0.0; rows], moved: Vec::new() },
            |sums, (block, _), buffer| {
                self.add_block(&lines, self.blocks[block].clone(), buffer, sums)
            },
            run,
        )?;
        let mut squared_errors = 0.0;
        // `X' (D - W - W') X` is the sum of `X' (D / 2 - W) X` and its transpose.
        let mut half = DenseMatrix::zeros(rows, width);
        let mut row = 0;
        for part in parts {
            squared_errors += part.squared_errors;
            for moved in part.moved.chunks_exact(width.max(1)) {
                let entries = half.row_mut(row).iter_mut().zip(moved);
                entries.for_each(|(sum, moved)| *sum -= moved);
                row += 1;
            }
            for (row, degree) in part.degrees.iter().enumerate() {
                let entries = half.row_mut(row).iter_mut().zip(self.values.row(row));
                entries.for_each(|(sum, x)| *sum += 0.5 * degree * x);
            }
        }
        let scatter = symmetric(column_products(self.values, &half, run)?);
        let mut gradient = product(matrix, &scatter, run)?;
        // `symmetric` is the mean of a matrix and its transpose, half of their sum.
        gradient.values_mut().iter_mut().for_each(|slope| *slope *= -8.0);
        Ok((squared_errors, gradient))
    }

    /// Adds the rows of a block to the sums of its part.
    fn add_block(
        &self,
        lines: &RowLines<'_>,
        block: Range<usize>,
        buffer: &mut Vec<f64>,
        sums: &mut Sums,
    ) {
        let (rows, width) = (self.values.rows(), self.values.columns());
        lines.fill(block.clone(), f64::INFINITY, buffer);
        for (row, line) in block.clone().zip(buffer.chunks_exact_mut(rows)) {
            let nearest = least(level(), line);
            let (sum, _) = exponentials(level(), nearest, line);
            let predicted = dot(line, self.numbers) / sum;
            let error = predicted - self.numbers[row];
            sums.squared_errors += error * error;
            let factor = error / sum;
            let weights = line.iter_mut().zip(self.numbers);
            weights.for_each(|(weight, number)| *weight *= factor * (number - predicted));
            add_line(level(), line, &mut sums.degrees);
        }
        let start = sums.moved.len();
        sums.moved.resize(start + block.len() * width, 0.0);
        add_block_product(buffer, self.values, 0..rows, &mut sums.moved[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(k: usize) -> f64 {
        ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0
    }

    #[test]
    fn errors_are_those_of_the_definition() {
        let rows = 45;
        let values = DenseMatrix::new((0..rows * 3).map(value).collect(), rows, 3);
        let numbers: Vec<f64> = (0..rows).map(|row| 5.0 * value(row + 7)).collect();
        let map = DenseMatrix::new((0..6).map(|k| 2.0 * value(k + 100)).collect(), 2, 3);
        let run = Run::new(Some(2)).unwrap();
        let (found, _) = SoftRegression::new(&values, &numbers).evaluate(&map, &run).unwrap();
        let mapped = row_products(&values, &map, &run).unwrap();
        let mut expected = 0.0;
        for i in 0..rows {
            let (mut sum, mut weighted) = (0.0, 0.0);
            for j in (0..rows).filter(|&j| j != i) {
                let sides = mapped.row(i).iter().zip(mapped.row(j));
                let weight = (-sides.map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp();
                sum += weight;
                weighted += weight * numbers[j];
            }
            expected += (weighted / sum - numbers[i]).powi(2);
        }
        assert!((found - expected).abs() < 1e-10 * expected, "{found} {expected}");
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let rows = 60;
        let values = DenseMatrix::new((0..rows * 4).map(value).collect(), rows, 4);
        let numbers: Vec<f64> = (0..rows).map(|row| value(row + 7)).collect();
        let problem = SoftRegression::new(&values, &numbers);
        let run = Run::new(Some(1)).unwrap();
        for components in [1, 4] {
            let point: Vec<f64> = (0..components * 4).map(|k| value(k + 3)).collect();
            let at = |point: &[f64]| {
                problem.evaluate(&DenseMatrix::new(point.to_vec(), components, 4), &run).unwrap()
            };
            let (_, gradient) = at(&point);
            for (k, slope) in gradient.values().iter().enumerate() {
                let moved = |step: f64| {
                    let mut moved = point.clone();
                    moved[k] += step;
                    at(&moved).0
                };
                let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - expected).abs() < 1e-7, "{slope} {expected}");
            }
        }
    }
}
