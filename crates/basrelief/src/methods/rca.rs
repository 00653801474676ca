//! # `rca`: down-weights variation within classes
//!
//! Relevant component analysis with the classes as chunklets: directions of large variation within
//! the classes get little weight. Unlike [`lda`](super::lda), it keeps all dimensions.
//!
//! ## Formula
//!
//! The metric is $M = C^{-1}$ with the mean within-class covariance
//! $C = \frac{1}{n} \sum_i (x_i - m_{c_i})(x_i - m_{c_i})'$. The components are the generalized
//! eigenvectors of the total covariance with respect to $C$; the first ones are the optimal
//! reduction.
//!
//! ## Cost
//!
//! $n p^2 + p^3$; with more features than rows, $n^2 p$. Linearly dependent features, and features
//! in excess of the number of rows, are removed first: the method works in the span of the rows,
//! which loses no information.
//!
//! ## When not to use it
//!
//! - Many noise features: they are whitened too, and count as much as the others.
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
//! `basrelief.RCA(2).fit(X, y).get_mahalanobis_matrix()`, or `fit_chunks(X, chunks)` with the chunk
//! number of every row (below 0 for rows without a chunk).
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
    /// Relevant component analysis (Shental et al. 2002; Bar-Hillel et al. 2005) with the classes
    /// as chunklets. The metric is the inverse of the mean within-class covariance (over n), so
    /// directions in which rows of a class vary get little weight.
    ///
    /// Components are ordered by the total variance along them, in units of the within-class
    /// variance. These ratios are the eigenvalues, at least 1 without a ridge. The first
    /// `n_components` are Bar-Hillel's optimal reduction.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Rca {
        /// The ridge added to the within-class covariance.
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
        let name = "the within-class covariance";
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
    purpose: "a metric that down-weights variation within classes: whitens the within-class covariance",
    source: "Bar-Hillel et al. 2005",
    options: &[&RIDGE],
    choose: &[],
    documentation: page!("rca.rs"),
    python: Some(&PYTHON),
    build: build::<Rca>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Relevant component analysis: down-weights directions in which rows of a class vary.",
    description: &["The metric is the inverse of the mean within-class covariance."],
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
