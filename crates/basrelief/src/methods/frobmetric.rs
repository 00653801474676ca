//! # `frobmetric`: a metric from comparisons of distances
//!
//! A large-margin metric from relative comparisons: rows $a$ and $b$ should be nearer to each other than rows $c$ and
//! $d$. The problem uses the hinge loss of [`lmnn`](super::lmnn), is convex and has a unique solution, and the solution
//! is proven. The method needs only comparisons: in Python, triplets or quadruplets of rows can replace the classes.
//!
//! ## Formula
//!
//! For comparison $t$, let $A_t = (c - d)(c - d)^\top - (a - b)(a - b)^\top$. Then $\langle A_t, M \rangle$ is the
//! difference of the two squared distances under the metric $M$, which solves
//!
//! ```math
//! \min_{M \succeq 0} \overline{[1 - \langle A_t, M \rangle]_+} + \frac{\lambda}{2} \lVert M \rVert_F^2,
//! ```
//!
//! where the overline denotes the mean over the comparisons. $\lambda$ is `--regularization` times the mean of
//! $\lVert A_t \rVert_F^2$, so that the result does not depend on the unit of the features. The problem is strictly
//! convex. The method solves the dual problem,
//!
//! ```math
//! \max_{0 \le u \le 1} \bar u - \frac{1}{2 \lambda} \lVert [\overline{u_t A_t}]_+ \rVert_F^2, \qquad M = \frac{1}{\lambda} [\overline{u_t A_t}]_+,
//! ```
//!
//! where $[\cdot]_+$ sets negative eigenvalues to 0, by accelerated projected gradient steps with restarts. It stops
//! when the duality gap, relative to the objective, is at most `--tol` (`relative_gap`).
//!
//! From classes, the method makes comparisons for every row: each of its `--neighbors` nearest rows of its class should
//! be nearer than each of its `--neighbors` nearest rows of other classes, by Euclidean distance. The components are
//! the eigenvectors of $M$ with positive eigenvalues, the largest eigenvalue first.
//!
//! ## Cost
//!
//! A step takes $c p + n p^2 + p^3$ operations for $c$ comparisons. A fit takes hundreds of steps, and more for smaller
//! $\lambda$.
//!
//! ## When not to use it
//!
//! - Features in different units: use `--scale standard`.
//! - Many rows with classes: [`lmnn`](super::lmnn) considers all impostors and is faster.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method frobmetric --scale standard --model frob.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.FrobMetric(scale="standard").fit(X, y).get_mahalanobis_matrix()`
//!
//! ## Source
//!
//! C. Shen, J. Kim, F. Liu, L. Wang and A. van den Hengel. Efficient dual approach to distance metric learning. IEEE
//! Transactions on Neural Networks and Learning Systems 25, 2014, 394-406; its sum over the comparisons is a mean here.
//! The solver: A. Beck and M. Teboulle. A fast iterative shrinkage-thresholding algorithm for linear inverse problems. SIAM
//! Journal on Imaging Sciences 2, 2009, 183-202, with the restarts of B. O'Donoghue and E. Candès. Adaptive restart for
//! accelerated gradient schemes. Foundations of Computational Mathematics 15, 2015, 715-732.

use std::collections::HashMap;

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::{MAX_ITER, TARGET_NEIGHBORS, TOL};
use super::page::page;
use super::row_comparison::RowComparison;
use super::row_comparisons::{LearnFromComparisons, OfComparisons, compared};
use super::settings::settings;
use super::shared::{above_zero, at_least_one};
use crate::algebra::{Eigen, row_products, symmetric_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::margins::scatter::PairWeights;

use crate::options::{OptionInfo, OptionKind};
use crate::parallel;
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// Number of steps between two evaluations of the duality gap.
const STEPS: usize = 10;

/// Number of pairs of rows whose distances are one task.
const PAIRS_OF_TASK: usize = 256;

/// Number of power iterations for the largest eigenvalue of the quadratic part of the dual.
const POWER_STEPS: usize = 30;

/// Safety factor of the step length: power iteration approaches the largest eigenvalue from below.
const CAUTION: f64 = 1.1;

settings! {
    /// A large-margin metric from comparisons of distances (Shen, Kim, Liu, Wang & van den Hengel 2014): minimizes the
    /// mean hinge loss of the comparisons plus the squared Frobenius norm of the metric.
    ///
    /// In the report, `objective` is the minimum, and `relative_gap` bounds its distance to the optimum, relative to
    /// the objective. The components are the eigenvectors of the metric, the largest eigenvalue first.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct FrobMetric {
        /// Number of nearest rows of the same class, and of other classes, that the comparisons of a row consist of.
        pub n_neighbors: usize = TARGET_NEIGHBORS,
        /// Weight of the squared norm of the metric, in a unit that does not depend on that of the features.
        pub regularization: f64 = REGULARIZATION,
        /// Maximum number of steps.
        pub max_iter: usize = MAX_ITER_FROBMETRIC,
        /// Relative duality gap at which to stop.
        pub tol: f64 = TOL_FROBMETRIC,
    }
}

impl Learn for FrobMetric {
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
        let comparisons = compared(coordinates, self.n_neighbors, report, run)?;
        self.learn_from(coordinates, &comparisons, report, run)
    }

    fn with_comparisons(&self, comparisons: Vec<RowComparison>) -> Option<Box<dyn Learn>> {
        Some(Box::new(OfComparisons { method: *self, comparisons }))
    }
}

impl LearnFromComparisons for FrobMetric {
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        comparisons: &[RowComparison],
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        above_zero(&REGULARIZATION, self.regularization)?;
        at_least_one(&MAX_ITER_FROBMETRIC, self.max_iter)?;
        above_zero(&TOL_FROBMETRIC, self.tol)?;
        let Eigen { values, mut vectors } =
            Dual::new(coordinates.values(), comparisons, self.regularization)?
                .solve(self, report, run)?;
        if values.is_empty() {
            report.warnings.push(Warning::new(
                "no-positive-margin",
                "in no direction are the far rows farther apart than the near rows: the map has no components",
            ));
        }
        for (row, value) in values.iter().enumerate() {
            let root = value.sqrt();
            vectors.row_mut(row).iter_mut().for_each(|entry| *entry *= root);
        }
        Ok(Directions { matrix: vectors, eigenvalues: values, discriminant_power: None })
    }
}

/// The dual problem.
struct Dual<'r> {
    rows: &'r DenseMatrix,
    /// The distinct pairs of rows.
    pairs: Vec<(u32, u32)>,
    /// For every comparison, the indices of the near pair and of the far pair.
    sides: Vec<(usize, usize)>,
    /// The weight of the squared norm.
    price: f64,
}

/// A metric, given by its positive eigenvalues and their eigenvectors, and bounds of the optimum.
struct Proof {
    metric: Eigen,
    /// The objective of the metric, an upper bound.
    primal: f64,
    /// The dual objective of the multipliers, a lower bound.
    dual: f64,
}

impl<'r> Dual<'r> {
    /// Prepares the dual problem of some comparisons.
    ///
    /// # Errors
    /// All compared distances are equal under every metric, or not finite.
    fn new(
        rows: &'r DenseMatrix,
        comparisons: &[RowComparison],
        regularization: f64,
    ) -> Result<Self> {
        let mut places = HashMap::new();
        let mut pairs = Vec::new();
        let mut place_of = |(first, second): (u32, u32)| {
            let pair = (first.min(second), first.max(second));
            *places.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() - 1
            })
        };
        let sides: Vec<(usize, usize)> = comparisons
            .iter()
            .map(|comparison| (place_of(comparison.near), place_of(comparison.far)))
            .collect();
        let difference = |pair: (u32, u32)| {
            let sides = rows.row(pair.0 as usize).iter().zip(rows.row(pair.1 as usize));
            sides.map(|(a, b)| a - b).collect::<Vec<f64>>()
        };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // The squared Frobenius norm of `c c' - d d'`.
        let squared_norm = |&(near, far): &(usize, usize)| {
            let (near, far) = (difference(pairs[near]), difference(pairs[far]));
            let apart = product(&near, &far);
            product(&near, &near).powi(2) + product(&far, &far).powi(2) - 2.0 * apart * apart
        };
        let unit = sides.iter().map(squared_norm).sum::<f64>() / sides.len() as f64;
        let price = regularization * unit;
        if !price.is_normal() {
            return Err(Error::data(
                "the compared distances are equal under every metric, or are not finite numbers",
                "provide rows that differ, in units in which their differences are near 1",
            ));
        }
        Ok(Self { rows, pairs, sides, price })
    }

    /// Returns the eigenpairs of the mean of `u_t A_t`.
    fn mean(&self, multipliers: &[f64], run: &Run) -> Result<Eigen> {
        let mut weights = vec![0.0; self.pairs.len()];
        for (&(near, far), multiplier) in self.sides.iter().zip(multipliers) {
            weights[near] -= multiplier;
            weights[far] += multiplier;
        }
        let share = 1.0 / self.sides.len() as f64;
        let weighed = self.pairs.iter().zip(&weights).filter(|(_, weight)| **weight != 0.0);
        let weighed: Vec<(u32, u32, f64)> =
            weighed.map(|(&(i, j), weight)| (i, j, share * weight)).collect();
        symmetric_eigen(&PairWeights::new(self.rows.rows(), &weighed).scatter(self.rows), run)
    }

    /// Returns `<A_t, M>` for all comparisons, given the eigenpairs of the matrix M.
    fn margins(&self, matrix: &Eigen, run: &Run) -> Result<Vec<f64>> {
        let places = row_products(self.rows, &matrix.vectors, run)?;
        let length = |&(i, j): &(u32, u32)| {
            let sides = places.row(i as usize).iter().zip(places.row(j as usize));
            sides.zip(&matrix.values).map(|((a, b), value)| value * (a - b) * (a - b)).sum::<f64>()
        };
        let lengths_of = |pairs: &[(u32, u32)]| pairs.iter().map(length).collect::<Vec<f64>>();
        let lengths = parallel::map(self.pairs.chunks(PAIRS_OF_TASK), lengths_of).concat();
        Ok(self.sides.iter().map(|&(near, far)| lengths[far] - lengths[near]).collect())
    }

    /// Returns the metric that belongs to the multipliers.
    fn metric(&self, multipliers: &[f64], run: &Run) -> Result<Eigen> {
        let Eigen { mut values, mut vectors } = self.mean(multipliers, run)?;
        let greatest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let least = greatest * f64::EPSILON * values.len() as f64;
        values.truncate(values.iter().take_while(|&&value| value > least).count());
        vectors.truncate(values.len());
        values.iter_mut().for_each(|value| *value /= self.price);
        Ok(Eigen { values, vectors })
    }

    /// Returns the metric that belongs to the multipliers, with both objectives.
    fn proof(&self, multipliers: &[f64], run: &Run) -> Result<Proof> {
        let metric = self.metric(multipliers, run)?;
        let count = self.sides.len() as f64;
        let norm = metric.values.iter().map(|value| value * value).sum::<f64>();
        let lack = |margin: &f64| (1.0 - margin).max(0.0);
        let lacking = self.margins(&metric, run)?.iter().map(lack).sum::<f64>() / count;
        let primal = lacking + self.price / 2.0 * norm;
        let dual = multipliers.iter().sum::<f64>() / count - self.price / 2.0 * norm;
        Ok(Proof { metric, primal, dual })
    }

    /// Estimates the Lipschitz constant of the gradient: the largest eigenvalue of `u -> <A_t, mean(u)>`, divided by
    /// the weight of the norm.
    fn steepness(&self, run: &Run) -> Result<f64> {
        let mut vector = vec![1.0; self.sides.len()];
        let mut greatest = 0.0;
        for _ in 0..POWER_STEPS {
            run.check()?;
            let image = self.margins(&self.mean(&vector, run)?, run)?;
            let length = image.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            if length <= 0.0 {
                break;
            }
            let before = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            greatest = length / before;
            vector = image.iter().map(|entry| entry / length).collect();
        }
        Ok(greatest / self.price)
    }

    /// Solves the dual problem and returns the metric with the smallest objective.
    fn solve(&self, settings: &FrobMetric, report: &mut Report, run: &Run) -> Result<Eigen> {
        let progress = run.progress();
        progress.start("steps", settings.max_iter as u64);
        let step = 1.0 / (CAUTION * self.steepness(run)?).max(f64::MIN_POSITIVE);
        let mut point = vec![0.5; self.sides.len()];
        let mut ahead = point.clone();
        let mut momentum = 1.0_f64;
        let mut best = self.proof(&point, run)?;
        let gap = |best: &Proof| (best.primal - best.dual).max(0.0) / best.primal;
        let mut steps = 0;
        while steps < settings.max_iter && gap(&best) > settings.tol {
            run.check()?;
            let margins = self.margins(&self.metric(&ahead, run)?, run)?;
            let next: Vec<f64> = ahead
                .iter()
                .zip(&margins)
                .map(|(own, margin)| (own + step * (1.0 - margin)).clamp(0.0, 1.0))
                .collect();
            let turned: f64 = ahead
                .iter()
                .zip(&next)
                .zip(&point)
                .map(|((ahead, next), point)| (ahead - next) * (next - point))
                .sum();
            if turned > 0.0 {
                momentum = 1.0;
            }
            let grown = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
            let share = (momentum - 1.0) / grown;
            let pairs = next.iter().zip(&point);
            ahead = pairs.map(|(next, point)| next + share * (next - point)).collect();
            (point, momentum) = (next, grown);
            steps += 1;
            progress.advance(1);
            if steps % STEPS == 0 || steps == settings.max_iter {
                let found = self.proof(&point, run)?;
                best.dual = best.dual.max(found.dual);
                if found.primal < best.primal {
                    (best.metric, best.primal) = (found.metric, found.primal);
                }
            }
        }
        progress.finish();
        let (left, converged) = (gap(&best), gap(&best) <= settings.tol);
        if !converged {
            report.warnings.push(Warning::new(
                "not-converged",
                format!(
                    "after {steps} steps the relative duality gap is {left:.1e}: raise {} for a better \
                     map, or {}",
                    setting("max_iter", None),
                    setting("regularization", None)
                ),
            ));
        }
        (report.iterations, report.converged) = (Some(steps), Some(converged));
        (report.objective, report.relative_gap) = (Some(best.primal), Some(left));
        Ok(best.metric)
    }
}

/// `regularization`: the weight of the norm.
static REGULARIZATION: OptionInfo = OptionInfo {
    name: "regularization",
    flag: "regularization",
    kind: OptionKind::Positive,
    default: "0.01",
    help: "Weight of the metric's squared norm; the larger it is, the closer the metric is to the \
           average of all comparisons",
};

static MAX_ITER_FROBMETRIC: OptionInfo = OptionInfo {
    default: "5000",
    help: "Maximum number of steps; reaching it causes a warning",
    ..MAX_ITER
};

static TOL_FROBMETRIC: OptionInfo =
    OptionInfo { help: "Relative duality gap at which to stop, a proven bound", ..TOL };

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "frobmetric",
    class: "FrobMetric",
    supervised: true,
    cost: "c p + n p² + p³ per step, c comparisons",
    purpose: "a large-margin metric from comparisons: given rows are nearer than others",
    source: "Shen et al. 2014",
    options: &[&TARGET_NEIGHBORS, &REGULARIZATION, &MAX_ITER_FROBMETRIC, &TOL_FROBMETRIC],
    choose: &[&TARGET_NEIGHBORS, &REGULARIZATION],
    documentation: page!("frobmetric.rs"),
    python: Some(&PYTHON),
    build: build::<FrobMetric>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "A large-margin metric from relative comparisons of distances.",
    description: &[
        "The metric minimizes the mean hinge loss of the comparisons plus the squared Frobenius norm of \
         its matrix. The problem is convex, its solution is unique, and the optimum is proven.",
    ],
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    references: &[
        "C. Shen, J. Kim, F. Liu, L. Wang and A. van den Hengel. Efficient dual approach to distance \
         metric learning. IEEE Transactions on Neural Networks and Learning Systems 25, 394-406, 2014.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import FrobMetric",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> FrobMetric(2, scale=\"standard\").fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: with one feature, the comparison requires `(9 - 1) m >= 1`, so that `A = 8` and the weight of the norm
    /// is `64 r`. The minimum of `[1 - 8 m]_+ + 32 r m^2` lies at the kink, `m = 1 / 8`, as long as the slope of the norm
    /// there is at most 8, that is `r <= 1`; otherwise it lies at `m = 1 / (8 r)`.
    #[test]
    fn one_comparison_of_one_feature_is_solved_by_hand() {
        let rows = Coordinates::new(DenseMatrix::new(vec![0.0, 1.0, 3.0], 3, 1), None);
        let comparison = [RowComparison::of_triplet(0, 1, 2)];
        let run = Run::new(Some(1)).unwrap();
        for (regularization, expected) in [(0.25, 0.125), (1.0, 0.125), (4.0, 0.03125)] {
            let method = FrobMetric { regularization, tol: 1e-12, ..FrobMetric::default() };
            let mut report = Report::default();
            let found = method.learn_from(&rows, &comparison, &mut report, &run).unwrap();
            assert_eq!(report.converged, Some(true));
            assert!((found.eigenvalues[0] - expected).abs() < 1e-9, "{:?}", found.eigenvalues);
            let objective = (1.0 - 8.0 * expected) + 32.0 * regularization * expected * expected;
            assert!((report.objective.unwrap() - objective).abs() < 1e-9);
        }
        let contrary = [RowComparison::of_triplet(0, 2, 1)];
        let mut report = Report::default();
        let none = FrobMetric::default().learn_from(&rows, &contrary, &mut report, &run).unwrap();
        assert!(none.eigenvalues.is_empty() && report.objective == Some(1.0), "{report:?}");
        assert_eq!(report.warnings[0].code(), "no-positive-margin");
    }
}
