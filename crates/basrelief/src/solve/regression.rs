//! Linear and logistic regression of a target on covariates.

use super::nonnegative::dot;
use crate::algebra::{column_products, depend_on_others, solve_positive_definite};
use crate::data::{Column, ColumnKind, DenseMatrix, Values};
use crate::error::Result;
use crate::run::Run;

/// The columns of a design matrix: a column of ones, and columns that are not linear combinations of those before
/// them, with mean 0 and standard deviation 1.
pub(crate) struct Design {
    rows: usize,
    columns: Vec<Vec<f64>>,
}

impl Design {
    /// The column of ones.
    pub(crate) fn new(rows: usize) -> Self {
        Self { rows, columns: vec![vec![1.0; rows]] }
    }

    /// The number of columns.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Adds columns together, and returns true, unless one of them is a linear combination of others.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn add(&mut self, columns: Vec<Vec<f64>>, run: &Run) -> Result<bool> {
        let before = self.width();
        self.columns.extend(columns.into_iter().map(standardized));
        // With fewer rows than columns, some column is a linear combination of others.
        let is_new = self.width() <= self.rows && !depend_on_others(&self.matrix(), run)?;
        if !is_new {
            self.columns.truncate(before);
        }
        Ok(is_new)
    }

    /// The matrix, with a row per row of the data.
    pub(crate) fn matrix(&self) -> DenseMatrix {
        let mut matrix = DenseMatrix::zeros(self.rows, self.width());
        for row in 0..self.rows {
            let cells = matrix.row_mut(row).iter_mut().zip(&self.columns);
            cells.for_each(|(cell, column)| *cell = column[row]);
        }
        matrix
    }
}

/// The columns of a covariate in a design matrix: numbers and genotypes unchanged, categories as one indicator per level
/// that occurs, except the first.
pub(crate) fn covariate_columns(column: &Column<'_>) -> Vec<Vec<f64>> {
    let values: Vec<f64> = (0..column.len()).map(|row| column.value(row)).collect();
    match (column.kind(), column.values()) {
        (ColumnKind::Categorical, Values::Categorical(categories)) => {
            let of_level = |level: usize| -> Vec<f64> {
                values.iter().map(|&value| f64::from(u8::from(value == level as f64))).collect()
            };
            let is_there = |one: &Vec<f64>| one.contains(&1.0);
            (0..categories.levels().len()).map(of_level).filter(is_there).skip(1).collect()
        }
        _ => vec![values],
    }
}

fn standardized(mut values: Vec<f64>) -> Vec<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter_mut().for_each(|value| *value -= mean);
    let deviation = (values.iter().map(|value| value * value).sum::<f64>() / count).sqrt();
    values.iter_mut().for_each(|value| *value /= deviation);
    values
}

/// The fitted values `X b` of the least-squares fit of a target, in which the squares of rows are multiplied by their weights;
/// `None` if the residuals are 0 up to rounding.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn least_squares(
    design: &DenseMatrix,
    target: &[f64],
    weights: Option<&[f64]>,
    run: &Run,
) -> Result<Option<Vec<f64>>> {
    let weighted = weights.map(|weights| scaled_rows(design, weights));
    let weighted = weighted.as_ref().unwrap_or(design);
    let gram = column_products(weighted, design, run)?;
    let right: Vec<f64> = (0..design.columns())
        .map(|column| (0..design.rows()).map(|row| weighted.row(row)[column] * target[row]).sum())
        .collect();
    let Some(coefficients) = solve_positive_definite(|i, j| gram.row(i)[j], &right) else {
        return Ok(None);
    };
    let fitted = products(design, &coefficients);
    let mean = target.iter().sum::<f64>() / target.len() as f64;
    let left: f64 = target.iter().zip(&fitted).map(|(value, fit)| (value - fit).powi(2)).sum();
    let all: f64 = target.iter().map(|value| (value - mean).powi(2)).sum();
    // Otherwise, only rounding errors remain.
    Ok((left > 1e-20 * all).then_some(fitted))
}

/// A matrix with every row multiplied by its factor.
fn scaled_rows(matrix: &DenseMatrix, factors: &[f64]) -> DenseMatrix {
    let mut scaled = matrix.clone();
    for (row, factor) in factors.iter().enumerate() {
        scaled.row_mut(row).iter_mut().for_each(|value| *value *= factor);
    }
    scaled
}

/// The products of the rows of a design matrix with coefficients.
pub(crate) fn products(design: &DenseMatrix, coefficients: &[f64]) -> Vec<f64> {
    (0..design.rows()).map(|row| dot(design.row(row), coefficients)).collect()
}

/// Fits the logistic model of classes 0 and 1 to a design matrix, in which rows count by their weights. Returns the
/// coefficients of the log-odds of class 1; `None` if the covariates separate the classes completely.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn logistic(
    design: &DenseMatrix,
    ones: &[f64],
    weights: Option<&[f64]>,
    run: &Run,
) -> Result<Option<Vec<f64>>> {
    let column = |column| (0..design.rows()).map(|row| design.row(row)[column]).collect();
    // The first column is the constant.
    let columns: Vec<Vec<f64>> = (1..design.columns()).map(column).collect();
    let found = super::logistic::logistic(&columns, ones, weights, run)?;
    Ok(found.map(|found| [found.cells, found.covariates].concat()))
}
