//! # `pca`: the directions of largest variance
//!
//! Principal component analysis does not use classes. It is the baseline for every supervised map, and the
//! rotation used by [`o-relief`](super::o_relief).
//!
//! ## Formula
//!
//! With the rows centered, $X' X / (n - 1) = V' \Lambda V$; the components are the rows of $V$, and the
//! eigenvalues are the variances along them.
//!
//! ## Cost
//!
//! $n p^2 + p^3$; with more features than rows, $n^2 p$. If features are linearly dependent or outnumber the rows,
//! the method works in the span of the rows, without loss.
//!
//! ## When not to use it
//!
//! - Separating classes: the direction of largest variance may be unrelated to the classes.
//! - Features in different units: use `--scale standard`.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method pca --components 2 --model pca.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.PCA(2).fit_transform(X)`
//!
//! ## Source
//!
//! K. Pearson. On lines and planes of closest fit to systems of points in space. Philosophical Magazine
//! 2, 559-572, 1901.

use super::info::{MapMethodInfo, PythonText, Task};
use super::learn::{Coordinates, Directions, Learn};
use super::page::page;
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

/// Principal component analysis: the orthonormal directions of largest variance. The eigenvalues
/// are the variances along them, with divisor n - 1.
///
/// [The page of this method](self): when to use it, formula, cost, limits and source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pca;

impl Pca {
    /// The method, which has no options.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Learn for Pca {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn task(&self) -> Option<Task> {
        None
    }

    fn takes_principal_coordinates(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        _report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let found = coordinates.principal(run)?;
        let degrees = coordinates.values().rows() as f64 - 1.0;
        let eigenvalues = found.values.iter().map(|value| value.max(0.0) / degrees).collect();
        Ok(Directions { matrix: found.vectors, eigenvalues, discriminant_power: None })
    }
}

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "pca",
    class: "PCA",
    supervised: false,
    cost: "n p² + p³",
    purpose: "the directions of largest variance, without classes: the baseline",
    source: "Pearson 1901; Hotelling 1933",
    options: &[],
    choose: &[],
    documentation: page!("pca.rs"),
    python: Some(&PYTHON),
    build: |_| Ok(Box::new(Pca)),
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Principal component analysis: the directions of largest variance.",
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import PCA",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> PCA(2, scale=\"standard\").fit_transform(X).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DenseMatrix, Table};
    use crate::methods::{MapSettings, fit_map};

    /// Constant columns get zero entries and do not change the other entries.
    #[test]
    fn constant_columns_have_no_part_in_the_components() {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 100.0;
        let fit = |rows: usize, columns: &[usize]| {
            let entry = |row: usize, column: usize| match column {
                1 | 4 => 5.0,
                column => value(row * 5 + column),
            };
            let values: Vec<f64> =
                (0..rows).flat_map(|row| columns.iter().map(move |&c| entry(row, c))).collect();
            let names: Vec<&str> = columns.iter().map(|&c| ["a", "b", "c", "d", "e"][c]).collect();
            let table = Table::from_row_major(&values, rows, &names).unwrap();
            let run = Run::new(Some(1)).unwrap();
            let fitted = fit_map(&Pca, &table, None, &MapSettings::default(), &run).unwrap();
            let rows = DenseMatrix::new(values.clone(), rows, columns.len());
            (fitted.model.transform(&rows, &run).unwrap(), fitted.report.rank)
        };
        // More rows than varying columns, and as many rows as varying columns.
        for (rows, dimensions) in [(30, 3), (3, 2)] {
            let (whole, rank) = fit(rows, &[0, 1, 2, 3, 4]);
            let (varying, _) = fit(rows, &[0, 2, 3]);
            assert_eq!((whole.columns(), rank), (dimensions, Some(dimensions)));
            for (found, expected) in whole.values().iter().zip(varying.values()) {
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}
