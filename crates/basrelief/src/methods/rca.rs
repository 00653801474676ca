//! # `rca`: discounts how rows of a class differ
//!
//! Relevant component analysis with the classes as chunklets: directions in which rows of one class
//! differ much count little. It keeps all dimensions, unlike [`lda`](super::lda).
//!
//! ## Formula
//!
//! $M = C^{-1}$ with the mean covariance within the classes,
//! $C = \frac{1}{n} \sum_i (x_i - m_{c_i})(x_i - m_{c_i})'$. The components are the generalized
//! eigenvectors of the total covariance against $C$: the first ones are the best reduction.
//!
//! ## Cost
//!
//! $n p^2 + p^3$; with more features than rows, $n^2 p$. Features that depend on others, and features beyond the number of rows, are taken out first: the
//! method works in the span of the rows, where nothing is lost.
//!
//! ## When not to use it
//!
//! - Many noise features: they are whitened too, and count as much as any other.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method rca --components 2 --model rca.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.RCA(2).fit(X, y).get_mahalanobis_matrix()`, or `fit_chunks(X, chunks)` with the number of every row's chunk,
//! below 0 for rows of none.
//!
//! ## Source
//!
//! A. Bar-Hillel, T. Hertz, N. Shental and D. Weinshall. Learning a Mahalanobis metric from equivalence
//! constraints. JMLR 6, 937-965, 2005.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::page::page;
use super::ridge::{RIDGE, Ridge};
use super::settings::settings;
use crate::algebra::gram;
use crate::error::Result;
use crate::margins::scatter::within_classes;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Relevant component analysis (Shental et al. 2002; Bar-Hillel et al. 2005) with the classes as
    /// chunklets: the metric is the inverse of the mean covariance within the classes (over n), so
    /// that directions in which rows of a class differ count little.
    ///
    /// Components are ordered by the total variance along them, in units of that within the classes:
    /// these are the eigenvalues, at least 1 without a ridge; the first `n_components` are Bar-Hillel's optimal
    /// reduction.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Rca {
        /// What is added to the covariance within the classes.
        pub ridge: Ridge = RIDGE by str::parse,
    }
}

impl Learn for Rca {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn takes_chunks(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let values = coordinates.values();
        let mut total = gram(values, run)?;
        let mut within = within_classes(values, coordinates.classes()?, run)?;
        for scatter in [&mut total, &mut within] {
            scatter.values_mut().iter_mut().for_each(|entry| *entry /= values.rows() as f64);
        }
        let name = "the covariance within the classes";
        let found = self.ridge.eigen(&total, &within, name, report, run)?;
        Ok(Directions {
            matrix: found.vectors,
            eigenvalues: found.values,
            discriminant_power: None,
        })
    }
}

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "rca",
    class: "RCA",
    supervised: true,
    cost: "n p² + p³",
    purpose: "a metric that discounts how rows of a class differ: the whitened spread within classes",
    source: "Bar-Hillel et al. 2005",
    options: &[&RIDGE],
    choose: &[],
    documentation: page!("rca.rs"),
    python: Some(&PYTHON),
    build: build::<Rca>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Relevant component analysis: discounts directions in which rows of a class differ.",
    description: &["The metric is the inverse of the mean covariance within the classes."],
    reports: &["ridge_"],
    references: &[
        "A. Bar-Hillel, T. Hertz, N. Shental and D. Weinshall. Learning a Mahalanobis metric from \
         equivalence constraints. Journal of Machine Learning Research 6, 937-965, 2005.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import RCA",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> RCA(2).fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};
