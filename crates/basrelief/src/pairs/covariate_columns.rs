//! Covariates as columns of the models of pairs, and rows with equal covariates.

use std::collections::HashMap;

use super::basis::{Basis, standardize};
use crate::data::Covariates;
use crate::solve::regression::covariate_columns;

/// Rows with equal covariates are counted together if this many rows have the same covariates on average.
const ROWS_OF_A_PATTERN: usize = 32;

/// Covariates as columns of a model.
#[derive(Debug)]
pub(super) struct CovariateColumns {
    /// Uncorrelated columns with mean 0 and variance 1 over all rows. Together with a constant they span the same space
    /// as the covariates: numbers and genotypes unchanged, categories as an indicator per category except the first.
    /// Columns that depend on others are omitted.
    pub(super) columns: Vec<Vec<f64>>,
    /// The rows with equal covariates; `None` if most rows differ.
    pub(super) patterns: Option<Patterns>,
}

/// The distinct combinations of covariates.
#[derive(Debug)]
pub(super) struct Patterns {
    /// The combination of every row.
    pub(super) of_rows: Vec<u32>,
    /// A row of every combination.
    pub(super) examples: Vec<u32>,
}

impl CovariateColumns {
    pub(super) fn new(covariates: &Covariates<'_>) -> Self {
        let rows = covariates.table().rows();
        let mut basis = Basis::default();
        basis.add(vec![1.0; rows]);
        for column in covariates.table().columns() {
            for mut values in covariate_columns(column) {
                standardize(&mut values);
                basis.add(values);
            }
        }
        let length = (rows as f64).sqrt();
        let scaled = |mut column: Vec<f64>| {
            column.iter_mut().for_each(|value| *value *= length);
            column
        };
        let columns: Vec<Vec<f64>> = basis.columns.into_iter().skip(1).map(scaled).collect();
        let patterns = Patterns::new(&columns, rows);
        Self { columns, patterns }
    }

    /// Removes from a target what a linear model of the covariates explains of it. All residuals are 0 if only rounding
    /// errors remain.
    pub(super) fn residuals(&self, target: &[f64]) -> Vec<f64> {
        let rows = target.len();
        let mut basis = Basis::default();
        basis.add(vec![1.0; rows]);
        self.columns.iter().for_each(|column| basis.add(column.clone()));
        basis.residual(target.to_vec()).unwrap_or_else(|| vec![0.0; rows])
    }
}

impl Patterns {
    fn new(columns: &[Vec<f64>], rows: usize) -> Option<Self> {
        let most = rows / ROWS_OF_A_PATTERN;
        let mut found = HashMap::new();
        let (mut of_rows, mut examples) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let key: Vec<u64> = columns.iter().map(|column| column[row].to_bits()).collect();
            let pattern = *found.entry(key).or_insert_with(|| {
                examples.push(row as u32);
                examples.len() as u32 - 1
            });
            if examples.len() > most {
                return None;
            }
            of_rows.push(pattern);
        }
        Some(Self { of_rows, examples })
    }
}
