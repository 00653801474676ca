//! # `lda`: class means far apart in units of the spread
//!
//! Linear discriminant analysis, also called FDA: at most one component fewer than there are classes.
//!
//! ## Formula
//!
//! With the scatter within the classes $S_w$ and between them
//! $S_b = \sum_c n_c (m_c - m)(m_c - m)'$, both over $n - C$: generalized eigenvectors of
//! $S_b v = \lambda S_w v$ with $v' S_w v = 1$, so that the pooled covariance becomes the identity.
//! Where $S_w$ is singular, `--ridge auto` adds $10^{-6}$ of its mean diagonal, and says so.
//!
//! ## Cost
//!
//! $n p^2 + p^3$; with more features than rows, $n^2 p$. Features that depend on others, and features beyond the number of rows, are taken out first: the
//! method works in the span of the rows, where nothing is lost.
//!
//! ## When not to use it
//!
//! - Classes of several clusters, or around each other: use [`lfda`](super::lfda) or [`lfe`](super::lfe).
//! - More features than rows: the spread within the classes cannot be known, and the ridge decides.
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
    /// the class means lie farthest apart, measured in the spread within the classes.
    ///
    /// In the map's coordinates the pooled covariance within the classes (with n - C degrees of
    /// freedom for C classes) is the identity, and the eigenvalues are the scatter of the class means
    /// (`sum n_c m_c m_c' / (n - C)`) along the components. There are at most C - 1.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lda {
        /// What is added to the scatter within the classes.
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
                "every class has one row",
                "lda measures the spread within the classes: give classes of several rows",
            ));
        }
        let mut between = between_classes(values, classes, run)?;
        let mut within = within_classes(values, classes, run)?;
        for scatter in [&mut between, &mut within] {
            scatter.values_mut().iter_mut().for_each(|entry| *entry /= degrees as f64);
        }
        let name = "the scatter within the classes";
        let mut found = self.ridge.eigen(&between, &within, name, report, run)?;
        // The other eigenvalues are 0 but for rounding.
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
    purpose: "directions that part the class means best, in units of the spread within classes",
    source: "Fisher 1936; Rao 1948",
    options: &[&RIDGE],
    choose: &[],
    documentation: page!("lda.rs"),
    python: Some(&PYTHON),
    build: build::<Lda>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Linear discriminant analysis: the directions that part the class means best.",
    description: &[
        "The pooled covariance within the classes becomes the identity. There are at most as many \
         components as classes less one.",
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
