//! # `nca`: neighborhood components
//!
//! Neighborhood components analysis maximizes the probability that a randomly drawn neighbor, with near rows more
//! probable, has the same class as the row. With two or three components, the map is suitable for plots and for a
//! fast nearest-neighbor classifier.
//!
//! ## Formula
//!
//! Row $i$ draws row $j \ne i$ with probability $p_{ij} \propto e^{-\lVert L (x_i - x_j) \rVert^2}$, and
//! $p_i$ is the sum of $p_{ij}$ over the rows of its class. `--objective sum` maximizes $\sum_i p_i$,
//! and `--objective log` maximizes $\sum_i \log p_i$, both by L-BFGS. The gradient of the former is
//!
//! ```math
//! \frac{\partial}{\partial L} \sum_i p_i = 2 L \sum_i p_i (1 - p_i) \sum_j (\alpha_{ij} - \beta_{ij}) (x_i - x_j)(x_i - x_j)^\top,
//! ```
//!
//! where $\alpha_{ij}$ and $\beta_{ij}$ are the conditional probabilities of drawing $j$ among the misses and among
//! the hits of row $i$. The map is rotated to its principal axes, in order of decreasing length; the eigenvalues are
//! those of $L^\top L$. The report contains the sum (`objective`), the `iterations`, and whether the search
//! `converged`.
//!
//! The search starts from `--init`: `lda` (within-class covariance 1), `pca` (orthonormal components), or `identity`
//! (the features themselves, or the principal components if the features are linearly dependent or not fewer than the
//! rows). It ends at a local maximum near the start.
//!
//! ## Cost
//!
//! An evaluation visits every pair of rows twice, each time for both rows. With $c$ components, a visit takes one
//! exponential and $2 c$ operations, and the second visit $4 c$ operations more. Exponentials below $2^{-60}$ of the
//! largest of both rows are skipped, which saves most of the work once the classes are separated. The number of
//! evaluations is slightly above that of iterations. Memory grows with $n p$ and includes $16 n (c + 1)$ numbers for
//! the sums; no $n \times n$ matrix is stored. Features beyond the number of rows do not increase the cost of an
//! evaluation.
//!
//! ## When not to use it
//!
//! - Features in very different units: scale them, or start from `lda`. If all rows are far from each other under
//!   $L$, the probabilities are 0 or 1 and the objective is flat (`log` is not).
//! - Few rows and many features: many maps separate the classes perfectly, and all of them are maxima. Use few
//!   components.
//! - Rows that are alone in their class: $p_i = 0$ for every map; a warning names the classes.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 400 --output waves.csv
//! basrelief fit waves.csv --target class --method nca --components 2 --model waves.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.NCA(2, scale="standard").fit_transform(X, y)`
//!
//! ## Source
//!
//! J. Goldberger, S. Roweis, G. Hinton and R. Salakhutdinov. Neighbourhood components analysis.
//! Advances in Neural Information Processing Systems 17, 2005.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::{MAX_ITER, TOL_OBJECTIVE};
use super::page::page;
use super::settings::settings;
use super::shared::{
    above_zero, at_least_one, refuse_lone_rows_only, warn_of_growth, warn_of_lone_rows,
};
use super::start::{INIT, Start};
use crate::algebra::principal_axes;
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::objectives::soft_neighbors::{Factors, HitProbability, NEGLIGIBLE, SoftRows};
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimize};
use crate::warning::Warning;
use crate::wording::setting;

settings! {
    /// Neighborhood components analysis (Goldberger, Roweis, Hinton & Salakhutdinov 2005): the map that
    /// maximizes the probability that a randomly drawn neighbor, with near rows more probable, has the
    /// same class as the row.
    ///
    /// Row i draws row j with probability `p_ij`, proportional to `exp(-||L (x_i - x_j)||^2)`;
    /// `p_i` is the sum of `p_ij` over the rows of its class. L-BFGS maximizes `sum p_i` or
    /// `sum log p_i`; the report's `objective` is that sum. The result is a local maximum and depends on
    /// the start.
    ///
    /// The map is rotated to its principal axes, in order of decreasing length, and the eigenvalues are
    /// those of its metric `L'L`. A row that is alone in its class has `p_i = 0` for every map; it counts
    /// only as a neighbor of other rows.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Nca {
        /// The objective function.
        pub objective: NcaObjective = OBJECTIVE,
        /// The start of the search.
        pub init: Start = INIT,
        /// Maximum number of iterations, at least 1.
        pub max_iter: usize = MAX_ITER_NCA,
        /// Smallest relative change of the objective per iteration, above 0; a smaller change ends the search.
        pub tol: f64 = TOL_OBJECTIVE,
    }
}

/// The objective of NCA.
///
/// ```
/// use basrelief::methods::{Nca, NcaObjective};
///
/// let method = Nca::new().objective(NcaObjective::Log);
/// assert_eq!(method.objective, NcaObjective::Log);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NcaObjective {
    /// `sum p_i`: the expected number of rows that draw a row of their class.
    #[default]
    Sum,
    /// `sum log p_i`: the log likelihood; a row surrounded by other classes has a large effect.
    Log,
}

impl Learn for Nca {
    fn name(&self) -> &'static str {
        INFO.name
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
        at_least_one(&MAX_ITER_NCA, self.max_iter)?;
        above_zero(&TOL_OBJECTIVE, self.tol)?;
        let classes = coordinates.classes()?;
        refuse_lone_rows_only(classes)?;
        warn_of_lone_rows(classes, "has no hit and contributes nothing to the objective", report);
        let values = coordinates.values();
        let start = self.init.matrix(coordinates, components, report, run)?;
        let rows = SoftRows::new(values, classes);
        let problem = Problem { rows: &rows, components, objective: self.objective, run };
        let stop = Stop::on_level_ground(self.max_iter, self.tol);
        run.progress().start(
            "neighborhoods",
            rows.looks(components).saturating_mul((self.max_iter as u64).saturating_add(1)),
        );
        let found = minimize(&problem, start.into_values(), stop, run)?;
        run.progress().finish();
        report.iterations = Some(found.iterations);
        report.converged = Some(found.converged);
        report.objective = Some(-found.value);
        // Only the start was evaluated.
        if found.evaluations == 1 {
            report.warnings.push(Warning::new(
                "flat",
                format!(
                    "at the start every row draws one class with probability 1, so the objective is flat \
                     there and the start is returned: use {}, fewer components ({}), another {}, or {}",
                    setting("scale", Some("standard")),
                    setting("n_components", None),
                    setting("init", None),
                    setting("objective", Some("log"))
                ),
            ));
        } else if !found.converged {
            warn_of_growth(found.iterations, self.max_iter, report);
        }
        let matrix =
            principal_axes(&DenseMatrix::new(found.point, components, values.columns()), run)?;
        let eigenvalues = matrix.iter().map(|row| row.iter().map(|entry| entry * entry).sum());
        Ok(Directions { eigenvalues: eigenvalues.collect(), matrix, discriminant_power: None })
    }
}

/// `-sum p_i` or `-sum log p_i`, with its gradient.
struct Problem<'a> {
    rows: &'a SoftRows,
    components: usize,
    objective: NcaObjective,
    run: &'a Run,
}

impl Objective for Problem<'_> {
    fn evaluate(&self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        let matrix =
            DenseMatrix::new(point.to_vec(), self.components, self.rows.values().columns());
        let weigh = |p: HitProbability| {
            let factor = match self.objective {
                NcaObjective::Sum => p.hit * p.miss,
                NcaObjective::Log if p.hit > 0.0 || p.log_hit.is_finite() => p.miss,
                NcaObjective::Log => 0.0,
            };
            let factor = if factor < NEGLIGIBLE { 0.0 } else { factor };
            Factors { hits: factor, misses: -factor }
        };
        let (mut gradient, probabilities) = self.rows.mapped_scatter(&matrix, &weigh, self.run)?;
        gradient.values_mut().iter_mut().for_each(|slope| *slope *= 2.0);
        let value: f64 = match self.objective {
            NcaObjective::Sum => probabilities.iter().map(|p| p.hit).sum(),
            NcaObjective::Log => {
                probabilities.iter().map(|p| p.log_hit).filter(|log| log.is_finite()).sum()
            }
        };
        Ok((-value, gradient.into_values()))
    }

    /// The unit of squared distances is 1, and so is that of steps.
    fn first_step(&self, _start: &[f64]) -> f64 {
        1.0
    }
}

choices! {
    NcaObjective {
        Sum = "sum",
        Log = "log",
    }
}

/// `objective`: the objective of `nca`.
static OBJECTIVE: OptionInfo = OptionInfo {
    name: "objective",
    flag: "objective",
    kind: OptionKind::Choice(NcaObjective::WORDS),
    default: "sum",
    help: "Maximize the sum over rows of the probability of a neighbor of the same class, or of its \
           logarithm",
};

/// `max_iter` of `nca`.
static MAX_ITER_NCA: OptionInfo = OptionInfo { default: "50", ..MAX_ITER };

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "nca",
    class: "NCA",
    supervised: true,
    cost: "n² c + n p c per iteration",
    purpose: "maximizes the probability of a neighbor of the same class: few components, plots",
    source: "Goldberger, Roweis, Hinton & Salakhutdinov 2005",
    options: &[&OBJECTIVE, &INIT, &MAX_ITER_NCA, &TOL_OBJECTIVE],
    choose: &[],
    documentation: page!("nca.rs"),
    python: Some(&PYTHON),
    build: build::<Nca>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Neighborhood components analysis: maximizes the probability of a neighbor of the \
              same class.",
    reports: &["n_iter_", "converged_", "objective_"],
    references: &[
        "J. Goldberger, S. Roweis, G. Hinton and R. Salakhutdinov. Neighbourhood components \
         analysis. Advances in Neural Information Processing Systems 17, 513-520, 2005.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import NCA",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> NCA(2, scale=\"standard\").fit(X, y).objective_ > 177",
        "True",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0;
        let values = DenseMatrix::new((0..60 * 4).map(value).collect(), 60, 4);
        // The last row is alone in its class.
        let codes: Vec<u32> = (0..60).map(|row| if row == 59 { 2 } else { row % 2 }).collect();
        let classes = Classes::from_codes(&codes, &["a", "b", "c"].map(String::from)).unwrap();
        let rows = SoftRows::new(&values, &classes);
        let run = Run::new(Some(1)).unwrap();
        for objective in [NcaObjective::Sum, NcaObjective::Log] {
            for components in [1, 4] {
                let problem = Problem { rows: &rows, components, objective, run: &run };
                let point: Vec<f64> = (0..components * 4).map(|k| value(k + 3)).collect();
                let (_, gradient) = problem.evaluate(&point).unwrap();
                for (k, slope) in gradient.iter().enumerate() {
                    let at = |step: f64| {
                        let mut moved = point.clone();
                        moved[k] += step;
                        problem.evaluate(&moved).unwrap().0
                    };
                    let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!((slope - expected).abs() < 1e-7, "{objective:?}: {slope} {expected}");
                }
            }
        }
    }
}
