//! # `euclidean`: the unchanged features
//!
//! The identity map: distances are Euclidean, in the units chosen by `--scale`. It is the baseline for every
//! learned metric. With `--kernel` it gives the distances of the kernel space (kernel k-NN).
//!
//! ## Formula
//!
//! $z = x$ after centering. With `--scale`, each feature is divided by its standard deviation or range.
//!
//! ## Cost
//!
//! One pass over the data. The map is stored as a diagonal, in memory and in model files. The full matrix is built only
//! on request.
//!
//! ## When not to use it
//!
//! - Features in different units without `--scale`: the feature with the widest range dominates the distances.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth twonorm --rows 200 --output twonorm.csv
//! basrelief fit twonorm.csv --target class --method euclidean --scale standard --model euclidean.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Euclidean(scale="standard").fit_transform(X)`
//!
//! ## Source
//!
//! The definition of the Euclidean distance.

use super::info::{MapMethodInfo, PythonText, Task};
use super::learn::{Coordinates, Directions, Frame, Learn};
use super::page::page;
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

/// The identity map: distances are Euclidean, in the chosen units. With a kernel, these are the distances of the
/// kernel space (kernel k-NN).
///
/// [The page of this method](self): when to use it, formula, cost, limits and source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Euclidean;

impl Euclidean {
    /// Returns the method, which has no options.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Learn for Euclidean {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn task(&self) -> Option<Task> {
        None
    }

    fn frame(&self) -> Frame {
        Frame::Features
    }

    fn takes_features_as_they_are(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        _report: &mut Report,
        _run: &Run,
    ) -> Result<Directions> {
        Ok(Directions {
            matrix: DenseMatrix::identity(coordinates.values().columns()),
            eigenvalues: Vec::new(),
            discriminant_power: None,
        })
    }
}

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "euclidean",
    class: "Euclidean",
    supervised: false,
    cost: "n p",
    purpose: "the identity map of the features, optionally scaled: the baseline for every metric",
    source: "the identity",
    options: &[],
    choose: &[],
    documentation: page!("euclidean.rs"),
    python: Some(&PYTHON),
    build: |_| Ok(Box::new(Euclidean)),
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "The identity map of the features: the baseline for every learned metric.",
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import Euclidean",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> Euclidean(scale=\"range\").fit_transform(X).shape",
        "(178, 13)",
    ],
    ..PythonText::BLANK
};
