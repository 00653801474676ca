//! # `ldm`: weighted principal components
//!
//! Local distance metric: every principal component gets a weight, chosen so that among nearby rows those of the same
//! class are close together and those of other classes far apart. There is one parameter per component, so the method
//! needs few rows.
//!
//! ## Formula
//!
//! With $z$ the principal component scores of the rows, the weights solve
//!
//! ```math
//! \max_{\gamma \ge 0} \sum_i \log \frac{\mathrm{same}_i}{\mathrm{same}_i + \mathrm{different}_i}, \qquad d_{ij}^2 = \sum_a \gamma_a (z_{ia} - z_{ja})^2,
//! ```
//!
//! where $\mathrm{same}_i$ and $\mathrm{different}_i$ are the sums of $e^{-d_{ij}^2}$ over the other rows
//! of the same class and over the rows of other classes. Row $a$ of the map is $\sqrt{\gamma_a}$ times component $a$,
//! sorted by decreasing weight; the eigenvalues are the weights. The search (L-BFGS over $\sqrt{\gamma_a}$) starts
//! from equal weights under which the mean squared distance to the seventh neighbor is 1, so that the common unit of
//! the features does not matter. (If a few rows far from all others raise that mean above 1000 times the median, the
//! median is used instead.)
//!
//! This is our reading of the source: the objective is maximized directly. If the weights can separate the classes
//! perfectly, no weights attain the supremum 0, and the weights would grow without bound. The search then ends when
//! their norm exceeds $10^6$ times the initial norm, or when the mean logarithm exceeds $-10^{-9}$. The warning
//! `separable` reports which of the two occurred, and `converged` is false.
//!
//! ## Cost
//!
//! Each evaluation visits all pairs: $2 n^2 p$ multiplications for the distances and at most the same number for the
//! gradient. Memory is proportional to $n p$; no $n \times n$ matrix is stored.
//!
//! ## When not to use it
//!
//! - The classes differ along directions that are not principal components: [`gi-relief`](super::gi_relief) and
//!   [`nca`](super::nca) rotate the axes.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 400 --output waves.csv
//! basrelief fit waves.csv --target class --method ldm --components 3 --model waves.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.LDM(2).fit_transform(X, y)`
//!
//! ## Source
//!
//! L. Yang, R. Jin, R. Sukthankar and Y. Liu. An efficient algorithm for local distance metric learning.
//! AAAI 2006.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::{MAX_ITER, TOL_OBJECTIVE};
use super::page::page;
use super::settings::settings;
use super::shared::{
    above_zero, at_least_one, refuse_lone_rows_only, warn_of_growth, warn_of_lone_rows,
};
use crate::algebra::row_products;
use crate::error::{Error, Result};
use crate::objectives::soft_neighbors::{
    Factors, HitProbability, NEGLIGIBLE, NeighborStats, SoftRows,
};
use crate::order::descending;
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimize};
use crate::warning::Warning;

/// The neighbor whose distance sets the scale of the initial metric.
const WIDTH_NEIGHBOR: usize = 7;

/// Largest allowed norm of the weights, as a multiple of the initial norm.
const MOST_NORM: f64 = 1e6;

settings! {
    /// Local distance metric (after Yang, Jin, Sukthankar & Liu 2006): the principal components,
    /// weighted so that nearby rows of the same class are close together and nearby rows of other
    /// classes far apart.
    ///
    /// With `z` the principal component scores and `d_ij^2 = sum_a gamma_a (z_ia - z_ja)^2`,
    /// `gamma >= 0` maximizes `sum_i log(same_i / (same_i + different_i))`, where `same_i` and
    /// `different_i` are the sums of `exp(-d_ij^2)` over the other rows of the same class and over the
    /// rows of other classes. Row a of the map is `sqrt(gamma_a)` times component a, sorted by
    /// decreasing weight, and the eigenvalues are the weights. The report's `objective` is that sum.
    ///
    /// The search starts from equal weights under which the mean squared distance to the seventh
    /// neighbor is 1, so that units do not matter. If the weights can separate the classes perfectly,
    /// they grow without bound while the sum approaches 0. The search then ends with a warning when
    /// their norm exceeds 10^6 times the initial norm, or when the mean logarithm exceeds -1e-9.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Ldm {
        /// Maximum number of iterations, at least 1.
        pub max_iter: usize = MAX_ITER,
        /// Smallest relative change of the objective per iteration, above 0; a smaller change ends the search.
        pub tol: f64 = TOL_OBJECTIVE,
    }
}

impl Learn for Ldm {
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
        at_least_one(&MAX_ITER, self.max_iter)?;
        above_zero(&TOL_OBJECTIVE, self.tol)?;
        let classes = coordinates.classes()?;
        refuse_lone_rows_only(classes)?;
        warn_of_lone_rows(classes, "has no hit and counts only as a miss of other rows", report);
        let axes = coordinates.principal(run)?.vectors;
        let rows = SoftRows::new(&row_products(coordinates.values(), &axes, run)?, classes);
        let width = width(&rows.neighbor_stats(rows.values().clone(), WIDTH_NEIGHBOR, run)?);
        if width <= 0.0 {
            return Err(Error::data(
                format!(
                    "every row has {WIDTH_NEIGHBOR} identical rows, so the scale of distances is undefined"
                ),
                "remove duplicate rows",
            ));
        }
        // Weights are squares and therefore not negative.
        let start = vec![(1.0 / width).sqrt(); axes.rows()];
        let most = MOST_NORM * norm_of_squares(&start);
        let problem = Problem { rows: &rows, most, run };
        let stop = Stop::on_level_ground(self.max_iter, self.tol);
        run.progress().start(
            "neighborhoods",
            rows.len().saturating_mul((self.max_iter as u64).saturating_add(1)),
        );
        let found = minimize(&problem, start, stop, run)?;
        run.progress().finish();
        report.iterations = Some(found.iterations);
        report.converged = Some(found.converged && !found.enough);
        report.objective = Some(-found.value);
        if found.enough {
            let why = if norm_of_squares(&found.point) > most { "norm bound" } else { "optimum 0" };
            report.warnings.push(Warning::new(
                "separable",
                format!(
                    "the weights separate the classes perfectly and would grow without bound: the \
                     search ended at the {why}"
                ),
            ));
        } else if !found.converged {
            warn_of_growth(found.iterations, self.max_iter, report);
        }
        let weights: Vec<f64> = found.point.iter().map(|root| root * root).collect();
        let order = descending(&weights);
        let mut matrix = axes.select_rows(&order);
        for (row, &axis) in order.iter().enumerate() {
            let scale = found.point[axis].abs();
            matrix.row_mut(row).iter_mut().for_each(|entry| *entry *= scale);
        }
        let eigenvalues = order.iter().map(|&axis| weights[axis]).collect();
        Ok(Directions { matrix, eigenvalues, discriminant_power: None })
    }
}

/// A mean squared distance above this multiple of the median is dominated by a few distant rows.
const LED_BY_FEW: f64 = 1000.0;

/// The squared distance that the initial weights scale to 1: the mean, or the median if a few rows far from all
/// others dominate the mean. Such a mean would make the weights so small that the objective is flat in them.
fn width(stats: &NeighborStats) -> f64 {
    let (mean, median) = (stats.mean_squared_distance, stats.median_squared_distance);
    if median > 0.0 && mean > LED_BY_FEW * median { median } else { mean }
}

/// `-sum_i log p_i` as a function of the square roots of the weights, with its gradient.
struct Problem<'a> {
    rows: &'a SoftRows,
    most: f64,
    run: &'a Run,
}

impl Objective for Problem<'_> {
    fn evaluate(&self, roots: &[f64]) -> Result<(f64, Vec<f64>)> {
        let mut mapped = self.rows.values().clone();
        for row in 0..mapped.rows() {
            mapped.row_mut(row).iter_mut().zip(roots).for_each(|(value, root)| *value *= root);
        }
        let weigh = |p: HitProbability| {
            let counts = p.log_hit.is_finite() && p.miss >= NEGLIGIBLE;
            let factor = if counts { p.miss } else { 0.0 };
            Factors { hits: factor, misses: -factor }
        };
        let (scatter, probabilities) = self.rows.scatter(mapped, &weigh, self.run)?;
        let gradient =
            roots.iter().enumerate().map(|(a, root)| 2.0 * root * scatter.row(a)[a]).collect();
        let value: f64 =
            probabilities.iter().map(|p| p.log_hit).filter(|log| log.is_finite()).sum();
        Ok((-value, gradient))
    }

    fn is_enough(&self, roots: &[f64], value: f64) -> bool {
        norm_of_squares(roots) > self.most || value < 1e-9 * self.rows.len() as f64
    }
}

fn norm_of_squares(roots: &[f64]) -> f64 {
    roots.iter().map(|root| root.powi(4)).sum::<f64>().sqrt()
}

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "ldm",
    class: "LDM",
    supervised: true,
    cost: "n² p + n p² per iteration",
    purpose: "weighted principal components: one parameter per component",
    source: "Yang, Jin, Sukthankar & Liu 2006",
    options: &[&MAX_ITER, &TOL_OBJECTIVE],
    choose: &[],
    documentation: page!("ldm.rs"),
    python: Some(&PYTHON),
    build: build::<Ldm>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Local distance metric: principal axes weighted by how well they keep classes \
              together.",
    reports: &["n_iter_", "converged_", "objective_"],
    references: &[
        "L. Yang, R. Jin, R. Sukthankar and Y. Liu. An efficient algorithm for local distance \
         metric learning. AAAI Conference on Artificial Intelligence, 543-548, 2006.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import LDM",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> LDM(2, scale=\"standard\").fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, DenseMatrix};

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0;
        let values = DenseMatrix::new((0..60 * 3).map(value).collect(), 60, 3);
        let codes: Vec<u32> = (0..60).map(|row| row % 2).collect();
        let classes = Classes::from_codes(&codes, &["a", "b"].map(String::from)).unwrap();
        let rows = SoftRows::new(&values, &classes);
        let run = Run::new(Some(1)).unwrap();
        let problem = Problem { rows: &rows, most: 1e6, run: &run };
        let point = [0.7, -1.3, 2.0];
        let (_, gradient) = problem.evaluate(&point).unwrap();
        for (k, slope) in gradient.iter().enumerate() {
            let at = |step: f64| {
                let mut moved = point;
                moved[k] += step;
                problem.evaluate(&moved).unwrap().0
            };
            let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - expected).abs() < 1e-7, "{slope} {expected}");
        }
    }
}
