//! # `relief`: the original Relief
//!
//! Uses one nearest row of the same class and one of the other class. It is included for
//! comparison, and because later methods are defined in terms of it.
//!
//! ## Formula
//!
//! Let $H$ be the nearest row of $R$'s class and $M$ the nearest row of the other class. Then
//!
//! ```math
//! W_A = \mathop{\mathrm{mean}}_R \big[ \mathrm{diff}_A(R, M) - \mathrm{diff}_A(R, H) \big] \in [-1, 1].
//! ```
//!
//! Rows at equal distance share one neighbor's weight. Symbols are those of [the
//! overview](super#notation).
//!
//! ## Cost
//!
//! Time $n^2 p$ (with `--samples m`: $m n p$): every pair of rows is compared once, in blocks. Memory
//! in addition to the packed table: at most 544 bytes per row and class, never $n^2$.
//!
//! ## When not to use it
//!
//! - Almost always: one neighbor is noisy. [`relieff`](super::relieff) uses several.
//! - More than two classes, which are refused: use [`relief-e`](super::relief_e) or
//!   [`relieff`](super::relieff).
//!
//! ## Example
//!
//! Features x1 to x20 are equally relevant; noise1 to noise10 are irrelevant.
//!
//! ```sh
//! basrelief synth twonorm --rows 400 --noise 10 --output twonorm.csv
//! basrelief rank twonorm.csv --target class --method relief --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Relief().fit(X, y).weights_`
//!
//! ## Source
//!
//! K. Kira and L. A. Rendell. A practical approach to feature selection. Machine Learning 1992,
//! 249-256.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::N_SAMPLES;
use super::page::page;
use super::relieff::ReliefF;
use super::settings::settings;
use super::shared::{NearestSettings, classes, space_options};
use super::steps::{Steps, Stepwise};
use crate::error::{Error, Result};
use crate::report::Report;
use crate::run::Run;
use crate::wording::method;

settings! {
    /// Relief (Kira & Rendell 1992) for two classes: the difference to a row's nearest miss minus
    /// the difference to its nearest hit, averaged over the sampled rows; in [-1, 1].
    ///
    /// # Errors
    /// The fit refuses a numeric target, one class or more than two, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Relief {
        /// Samples, ties and space; `n_neighbors` is 1.
        pub nearest: NearestSettings [
            n_samples, metric, ties, missing, ramp, genotype_diff
        ] = { n_neighbors: vec![1] },
    }
}

impl Stepwise for Relief {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let count = classes(problem, INFO.name)?.len();
        if count > 2 {
            return Err(Error::data(
                format!("the target has {count} classes, but relief requires two"),
                format!("use {} or {}", method("relieff"), method("relief-e")),
            ));
        }
        // ReliefF with one neighbor.
        ReliefF { nearest: self.nearest.clone() }.steps(problem, report, run)
    }
}

impl WeighFeatures for Relief {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relief",
    class: "Relief",
    task: Task::TwoClasses,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "the original: one nearest hit and one nearest miss, two classes",
    source: "Kira & Rendell 1992",
    options: space_options![&N_SAMPLES],
    choose: &[],
    documentation: page!("relief.rs"),
    python: Some(&PYTHON),
    build: weighing::<Relief>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Relief for two classes, with one nearest hit and one nearest miss per row.",
    description: &[
        "A feature's weight is the mean difference between a row and its nearest row of the other \
         class (*miss*), minus the mean difference to its nearest row of the same class (*hit*). \
         Differences are scaled to [0, 1] by the feature's range.",
    ],
    reports: &["neighbor_search_", "plan_"],
    see_also: &[
        ("ReliefF", "Several neighbors and classes; more stable, the usual choice."),
        ("ReliefE", "One neighbor, several classes."),
    ],
    references: &[
        "K. Kira and L. A. Rendell. A practical approach to feature selection. Proceedings of the \
         9th International Workshop on Machine Learning, 249-256, 1992.",
    ],
    examples: &[
        ">>> from basrelief import Relief",
        ">>> X = [[0.0, 3.0], [0.1, 1.0], [1.0, 2.9], [0.9, 1.1]]",
        ">>> Relief().fit(X, [\"a\", \"a\", \"b\", \"b\"]).ranking_",
        "array([1, 2])",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::methods::testing::{assert_weights, classes, numeric, run};

    #[test]
    fn relief_on_four_rows() {
        // Scaled rows (0,0) (1/4,1) of class 0 and (3/4,1) (1,0) of class 1. Nearest misses: 0-3 at
        // distance 1 and 1-2 at 1/2. The first feature gains 1 - 1/4 for rows 0 and 3 and 1/2 - 1/4
        // for rows 1 and 2; the second loses 1 at every row.
        let table = Table::new(vec![
            numeric("x", &[0.0, 1.0, 3.0, 4.0]),
            numeric("y", &[0.0, 2.0, 2.0, 0.0]),
        ])
        .unwrap();
        let target = classes(&[0, 0, 1, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let fitted = Relief::default().fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[0.5, -1.0]);
        assert!(fitted.report.warnings.is_empty(), "{:?}", fitted.report.warnings);
    }
}
