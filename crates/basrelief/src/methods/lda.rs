//! # `lda`: class means far apart relative to the within-class spread
//!
//! Linear discriminant analysis, also called Fisher discriminant analysis (FDA). For $C$ classes the map has at most
//! $C - 1$ components.
//!
//! ## Formula
//!
//! $S_w$ is the within-class scatter and $S_b = \sum_c n_c (m_c - m)(m_c - m)'$ the between-class scatter, both
//! divided by $n - C$. The components are the generalized eigenvectors of $S_b v = \lambda S_w v$ with
//! $v' S_w v = 1$, so that the pooled covariance becomes the identity. If $S_w$ is singular, `--ridge auto` adds
//! $10^{-6}$ of its mean diagonal and reports it.
//!
//! ## Cost
//!
//! $n p^2 + p^3$; with more features than rows, $n^2 p$. If features are linearly dependent or outnumber the rows,
//! the method works in the span of the rows, without loss.
//!
//! ## When not to use it
//!
//! - Classes that consist of several clusters or surround each other: use [`lfda`](super::lfda) or
//!   [`lfe`](super::lfe).
//! - More features than rows: the within-class scatter cannot be estimated, and the result depends on the ridge.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method lda --components 2 --model lda.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.LDA().fit_transform(X, y)`
//!
//! ## Source
//!
//! R. A. Fisher. The use of multiple measurements in taxonomic problems. Annals of Eugenics 7, 179-188,
//! 1936. C. R. Rao. The utilization of multiple measurements in problems of biological classification.
//! Journal of the Royal Statistical Society B 10, 159-203, 1948.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::page::page;
use super::ridge::{RIDGE, Ridge};
use super::settings::settings;
use crate::error::{Error, Result};
use crate::margins::scatter::{between_classes, within_classes};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Linear discriminant analysis (Fisher 1936; Rao 1948), also called FDA: the directions in which
    /// the class means are farthest apart relative to the within-class spread.
    ///
    /// In the map's coordinates the pooled within-class covariance (with n - C degrees of
    /// freedom for C classes) is the identity, and the eigenvalues are the scatter of the class means
    /// (`sum n_c m_c m_c' / (n - C)`) along the components. There are at most C - 1 components.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lda {
        /// The ridge added to the within-class scatter.
        pub ridge: Ridge = RIDGE by str::parse,
    }
}

impl Learn for Lda {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let (values, classes) = (coordinates.values(), coordinates.classes()?);
        let degrees = values.rows() - classes.len();
        if degrees == 0 {
            return Err(Error::data(
                "every class has only one row",
                "lda estimates the within-class scatter: provide classes with at least two rows",
            ));
        }
        let mut between = between_classes(values, classes, run)?;
        let mut within = within_classes(values, classes, run)?;
        for scatter in [&mut between, &mut within] {
            scatter.values_mut().iter_mut().for_each(|entry| *entry /= degrees as f64);
        }
        let name = "the within-class scatter";
        let mut found = self.ridge.eigen(&between, &within, name, report, run)?;
        // The other eigenvalues are 0 up to rounding.
        let kept = classes.len() - 1;
        found.vectors.truncate(kept);
        found.values.truncate(kept);
        Ok(Directions {
            matrix: found.vectors,
            eigenvalues: found.values,
            discriminant_power: None,
        })
    }
}

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "lda",
    class: "LDA",
    supervised: true,
    cost: "n p² + p³",
    purpose: "directions that best separate the class means, relative to the within-class spread",
    source: "Fisher 1936; Rao 1948",
    options: &[&RIDGE],
    choose: &[],
    documentation: page!("lda.rs"),
    python: Some(&PYTHON),
    build: build::<Lda>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Linear discriminant analysis: the directions that best separate the class means.",
    description: &[
        "The pooled within-class covariance becomes the identity. The number of components is at \
         most the number of classes minus one.",
    ],
    reports: &["ridge_"],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import LDA",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> LDA().fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};
