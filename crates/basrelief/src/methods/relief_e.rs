//! # `relief-e`: Relief for any number of classes
//!
//! Relief with the nearest miss taken from all other classes together. The margin methods
//! ([`relief-margin`](super::relief_margin), [`irelief`](super::irelief)) use its statistic.
//!
//! ## Formula
//!
//! Let $H$ be the nearest row of $R$'s class and $M$ the nearest row of any other class. Then
//!
//! ```math
//! W_A = \mathop{\mathrm{mean}}_R \big[ \mathrm{diff}_A(R, M) - \mathrm{diff}_A(R, H) \big] \in [-1, 1].
//! ```
//!
//! Symbols are those of [the overview](super#notation).
//!
//! ## Cost
//!
//! Time $n^2 p$ (with `--samples m`: $m n p$): every pair of rows is compared once, in blocks. Memory
//! in addition to the packed table: at most 544 bytes per row and class, never $n^2$.
//!
//! ## When not to use it
//!
//! - Several classes, two of which are close: all misses come from the close class, and features
//!   that separate the other classes are not detected. [`relieff`](super::relieff) uses misses of
//!   every other class.
//! - Noisy data: one neighbor is not enough; [`relieff`](super::relieff) uses several.
//!
//! ## Example
//!
//! Three classes of noisy waves; the middle points separate them.
//!
//! ```sh
//! basrelief synth waveform --rows 400 --output waves.csv
//! basrelief rank waves.csv --target class --method relief-e --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.ReliefE().fit(X, y).weights_`
//!
//! ## Source
//!
//! I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. ECML 1994, 171-182.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::N_SAMPLES;
use super::page::page;
use super::settings::settings;
use super::shared::{NearestSettings, hit_miss_steps, space_options};
use super::steps::{Steps, Stepwise};
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// RELIEF-E (Kononenko 1994): Relief for any number of classes. The nearest miss is the nearest
    /// row of any other class. Weights are in [-1, 1].
    ///
    /// # Errors
    /// The fit refuses a numeric target, one class, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReliefE {
        /// Samples, ties and space; `n_neighbors` is 1.
        pub nearest: NearestSettings [
            n_samples, metric, ties, missing, ramp, genotype_diff
        ] = { n_neighbors: vec![1] },
    }
}

impl Stepwise for ReliefE {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        hit_miss_steps(problem, &self.nearest, INFO.name, report, run)
    }
}

impl WeighFeatures for ReliefE {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relief-e",
    class: "ReliefE",
    task: Task::Classes,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "Relief for any number of classes: the nearest miss is of any other class",
    source: "Kononenko 1994",
    options: space_options![&N_SAMPLES],
    choose: &[],
    documentation: page!("relief_e.rs"),
    python: Some(&PYTHON),
    build: weighing::<ReliefE>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Relief for several classes: the nearest miss is the nearest row of any other class.",
    description: &["Also known as Relief-E. Except for the misses, it is :class:`Relief`."],
    reports: &["neighbor_search_", "plan_"],
    see_also: &[("ReliefF", "Neighbors from every other class, weighted by the class priors.")],
    references: &[
        "I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. European \
         Conference on Machine Learning, 171-182, 1994.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import ReliefE",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> ReliefE(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::{assert_weights, run, three_classes};

    #[test]
    fn relief_e_takes_the_nearest_miss_of_any_class() {
        // Misses minus hits: 0.2 - 0.1, 0.1 - 0.1, 0.1 - 0.4, 0.4 - 0.4, 0.4: mean 0.04.
        let (table, target) = three_classes();
        let problem = Problem::new(&table, &target).unwrap();
        let fitted = ReliefE::default().fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[0.04]);
    }
}
