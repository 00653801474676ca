//! # `mlkr`: a map for predicting a number
//!
//! Metric learning for kernel regression: the map whose distances predict a numeric target best. Every row is predicted
//! from all other rows, near rows counting more. It is the counterpart of [`nca`](super::nca) for a numeric target, and
//! with two components it is suitable for plots.
//!
//! ## Formula
//!
//! The prediction of row $i$ is the mean of the numbers of all other rows, with weights that decrease with the distance:
//!
//! ```math
//! \hat y_i = \frac{\sum_{j \ne i} k_{ij} y_j}{\sum_{j \ne i} k_{ij}}, \qquad k_{ij} = e^{-\lVert L (x_i - x_j) \rVert^2}.
//! ```
//!
//! L-BFGS minimizes the leave-one-out error $\sum_i (\hat y_i - y_i)^2$ over $L$. With $e_i = \hat y_i - y_i$ and
//! $p_{ij} = k_{ij} / \sum_l k_{il}$, its gradient is
//!
//! ```math
//! -4 L \sum_{ij} p_{ij} \, e_i \, (y_j - \hat y_i) (x_i - x_j)(x_i - x_j)^\top.
//! ```
//!
//! The map is rotated to its principal axes, in order of decreasing length; the eigenvalues are those of $L^\top L$.
//! The report contains the sum of the squared errors (`objective`), the `iterations`, and whether the search
//! `converged`.
//!
//! The search starts from `--init`: `pca` (orthonormal components) or `identity` (the features themselves). It ends at a
//! local minimum near the start.
//!
//! ## Cost
//!
//! An evaluation visits every pair of rows once, with $c$ operations and one exponential for the weight, and $p$
//! operations for the gradient. The number of evaluations is slightly above that of iterations. Memory grows with
//! $n p$; no $n \times n$ matrix is stored.
//!
//! ## When not to use it
//!
//! - Features in very different units: use `--scale standard`. If all rows are far from each other under $L$, every row is
//!   predicted from its nearest row alone, and the objective is flat.
//! - Many features and few rows: the map fits noise. Use few components.
//! - Ranking features: use [`rrelieff`](super::rrelieff).
//!
//! ## Example
//!
//! The target is the sum of two features modulo 5, treated as a number.
//!
//! ```sh
//! basrelief synth modulo-p --rows 400 --modulus 5 --output sums.csv
//! basrelief fit sums.csv --target class --method mlkr --components 2 --model sums.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MLKR(2, scale="standard").fit_transform(X, y)`
//!
//! ## Source
//!
//! K. Q. Weinberger and G. Tesauro. Metric learning for kernel regression. AISTATS 2007, 612-619.

use super::info::{MapMethodInfo, PythonText, Task, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::{MAX_ITER, TOL_OBJECTIVE};
use super::page::page;
use super::settings::settings;
use super::shared::{above_zero, at_least_one, warn_of_growth};
use super::start::{INIT, Start};
use crate::algebra::principal_axes;
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::objectives::soft_regression::SoftRegression;
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimize};
use crate::warning::Warning;
use crate::wording::setting;

settings! {
    /// Metric learning for kernel regression (Weinberger & Tesauro 2007): the map that minimizes the squared errors of
    /// predicting the numeric target of every row from all other rows, with near rows counting more.
    ///
    /// The prediction of row i is the mean of the numbers of the other rows j with the weights
    /// `exp(-||L (x_i - x_j)||^2)`. L-BFGS minimizes the sum of the squared errors, the report's `objective`. The
    /// result is a local minimum and depends on the start.
    ///
    /// The map is rotated to its principal axes, in order of decreasing length, and the eigenvalues are those of its
    /// metric `L'L`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Mlkr {
        /// The start of the search: all but [`Start::Lda`], which requires classes.
        pub init: Start = INIT_MLKR,
        /// Maximum number of iterations, at least 1.
        pub max_iter: usize = MAX_ITER_MLKR,
        /// Smallest relative change of the objective per iteration, above 0; a smaller change ends the search.
        pub tol: f64 = TOL_OBJECTIVE,
    }
}

impl Learn for Mlkr {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn task(&self) -> Option<Task> {
        Some(Task::Regression)
    }

    fn takes_start(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        at_least_one(&MAX_ITER_MLKR, self.max_iter)?;
        above_zero(&TOL_OBJECTIVE, self.tol)?;
        let columns = coordinates.values().columns();
        let start = self.init.matrix(coordinates, components, report, run)?;
        let rows = SoftRegression::new(coordinates.values(), coordinates.numbers()?);
        let problem = Problem { rows: &rows, components, run };
        let stop = Stop::on_level_ground(self.max_iter, self.tol);
        run.progress().start(
            "neighborhoods",
            rows.len().saturating_mul((self.max_iter as u64).saturating_add(1)),
        );
        let found = minimize(&problem, start.into_values(), stop, run)?;
        run.progress().finish();
        report.iterations = Some(found.iterations);
        report.converged = Some(found.converged);
        report.objective = Some(found.value);
        // Only the start was evaluated, and its errors are not 0.
        if found.evaluations == 1 && found.value > 0.0 {
            report.warnings.push(Warning::new(
                "flat",
                format!(
                    "at the start every row is predicted from its nearest row alone, so the objective is flat \
                     there and the start is returned: use {}, fewer components ({}), or another {}",
                    setting("scale", Some("standard")),
                    setting("n_components", None),
                    setting("init", None),
                ),
            ));
        } else if !found.converged {
            warn_of_growth(found.iterations, self.max_iter, report);
        }
        let matrix = principal_axes(&DenseMatrix::new(found.point, components, columns), run)?;
        let eigenvalues = matrix.iter().map(|row| row.iter().map(|entry| entry * entry).sum());
        Ok(Directions { eigenvalues: eigenvalues.collect(), matrix, discriminant_power: None })
    }
}

/// The sum of the squared errors, with its gradient.
struct Problem<'a> {
    rows: &'a SoftRegression<'a>,
    components: usize,
    run: &'a Run,
}

impl Objective for Problem<'_> {
    fn evaluate(&self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        let columns = self.rows.values().columns();
        let matrix = DenseMatrix::new(point.to_vec(), self.components, columns);
        let (value, gradient) = self.rows.evaluate(&matrix, self.run)?;
        Ok((value, gradient.into_values()))
    }

    /// The unit of squared distances is 1, and so is that of steps.
    fn first_step(&self, _start: &[f64]) -> f64 {
        1.0
    }
}

/// `init` of `mlkr`, which has no classes.
static INIT_MLKR: OptionInfo = OptionInfo {
    kind: OptionKind::Choice(&["auto", "identity", "pca"]),
    help: "Start of the search; auto: pca for fewer components than dimensions, otherwise identity",
    ..INIT
};

/// `max_iter` of `mlkr`.
static MAX_ITER_MLKR: OptionInfo = OptionInfo { default: "1000", ..MAX_ITER };

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "mlkr",
    class: "MLKR",
    supervised: true,
    cost: "n² p per iteration",
    purpose: "minimizes the error of predicting a numeric target from near rows: few components, plots",
    source: "Weinberger & Tesauro 2007",
    options: &[&INIT_MLKR, &MAX_ITER_MLKR, &TOL_OBJECTIVE],
    choose: &[],
    documentation: page!("mlkr.rs"),
    python: Some(&PYTHON),
    build: build::<Mlkr>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Metric learning for kernel regression: predicts a numeric target from near rows.",
    reports: &["n_iter_", "converged_", "objective_"],
    references: &[
        "K. Q. Weinberger and G. Tesauro. Metric learning for kernel regression. International \
         Conference on Artificial Intelligence and Statistics, 612-619, 2007.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_diabetes",
        ">>> from basrelief import MLKR",
        ">>> X, y = load_diabetes(return_X_y=True)",
        ">>> MLKR(2, scale=\"standard\").fit_transform(X, y).shape",
        "(442, 2)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Table, Target};

    #[test]
    fn two_rows_predict_each_other() {
        let table = Table::from_row_major(&[0.0, 3.0], 2, &["x"]).unwrap();
        let target = Target::real(vec![1.0, 5.0]).unwrap();
        let fitted = Mlkr::new().fit(&table, &target).unwrap();
        // Each is predicted to be the other, whatever the map: 2 (5 - 1)^2.
        assert_eq!(fitted.report.objective, Some(32.0));
        let classes = Target::Classes(crate::data::Classes::from_labels(&["a", "b"]));
        let error = Mlkr::new().fit(&table, &classes).unwrap_err().to_string();
        assert!(error.contains("mlkr needs a numeric target"), "{error}");
    }

    #[test]
    fn the_feature_of_the_target_gets_the_longest_direction() {
        // SplitMix64, from -1 to 1.
        let value = |k: usize| {
            let mixed = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            ((mixed ^ (mixed >> 31)) >> 11) as f64 / 2.0_f64.powi(52) - 1.0
        };
        let rows: Vec<f64> = (0..120 * 3).map(value).collect();
        let table = Table::from_row_major(&rows, 120, &["noise", "used", "other"]).unwrap();
        let numbers = rows.chunks(3).map(|row| 3.0 * row[1]).collect();
        let target = Target::real(numbers).unwrap();
        let fitted = Mlkr::new().fit(&table, &target).unwrap();
        let reach = |at: usize| {
            let mut unit = [0.0; 3];
            unit[at] = 1.0;
            fitted.model.distance(&[0.0; 3], &unit)
        };
        assert!(reach(1) > 5.0 * reach(0) && reach(1) > 5.0 * reach(2));
    }
}
