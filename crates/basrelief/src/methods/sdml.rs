//! # `sdml`: a sparse metric
//!
//! Sparse distance metric learning: learns a metric in which most pairs of features have no entry,
//! from pairs of rows that should be near and pairs that should be far apart. It suits data with
//! too few rows to distinguish all features, and it shows which features are related.
//!
//! ## Formula
//!
//! With the prior metric $M_0$ and the pairs drawn from the classes,
//!
//! ```math
//! \min_{M \succ 0} \mathrm{tr}(P M) - \log\det M + \lambda \sum_{i \ne j} |M_{ij}|, \qquad P = M_0^{-1} + \eta \, \overline{K_{ab} (x_a - x_b)(x_a - x_b)^\top},
//! ```
//!
//! The mean is over the pairs; $K = 1$ for rows of the same class and $-1$ for others; $\eta$ is
//! `--balance`, and $\lambda$ is `--sparsity`. The paper uses the sum over the pairs: its $\eta$ is
//! ours divided by their number. If $\eta$ is large, the far pairs outweigh the prior and the
//! problem has no solution: `auto` uses 1/2, or half of the $\eta$ at which $P$ has an eigenvalue
//! 0, if that is smaller.
//!
//! The result depends strongly on the prior. With `--prior covariance`, directions in which rows
//! hardly differ count as much as any other, and so does their noise: 3-NN of standardized wdbc,
//! wine and iris (5 folds, twice) has an accuracy of 0.89, 0.96 and 0.93, compared with 0.97, 0.96
//! and 0.95 on the unmapped features, and needs a $\lambda$ near 1 to reach these again. With the
//! default, `identity`, it has 0.97, 0.97 and 0.96 for any $\lambda$ from 0.01 to 1. metric-learn
//! has the same default; with it, its SDML (0.7.0 with scikit-learn 1.5.2) stopped with an error of
//! its graphical lasso on these three tables.
//!
//! The problem is convex. It is solved by the alternating direction method of multipliers, with $P$
//! scaled to unit diagonal, until the duality gap per feature (`relative_gap`) proves the solution
//! to `--tol`. The components are the eigenvectors of $M$, in descending order of eigenvalues;
//! entries of $M$ that are 0 are so up to rounding.
//!
//! ## Cost
//!
//! A step is an eigendecomposition, $p^3$; a fit takes dozens to hundreds of steps.
//!
//! ## When not to use it
//!
//! - Features in different units: a single $\lambda$ applies to all of them. Use
//!   `--scale standard`.
//! - Features that may be rotated: the sparsity depends on the axes. [`itml`](super::itml) does not
//!   depend on them.
//! - Reduction to few components: the objective does not favor the first components.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method sdml --scale standard --model sdml.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.SDML(scale="standard").fit(X, y).get_mahalanobis_matrix()`
//!
//! ## Source
//!
//! G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua and H.-J. Zhang. An efficient sparse metric learning in
//! high-dimensional space via l1-penalized log-determinant regularization. ICML 2009, 841-848. The
//! solver: S. Boyd, N. Parikh, E. Chu, B. Peleato and J. Eckstein. Distributed optimization and
//! statistical learning via the alternating direction method of multipliers. Foundations and Trends in
//! Machine Learning 3, 2011, section 6.5.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Frame, Learn};
use super::options::{MAX_ITER, TOL};
use super::page::page;
use super::row_pair::RowPair;
use super::row_pairs::{LearnFromPairs, N_CONSTRAINTS, OfPairs, PRIOR, PairCount, Prior, drawn};
use super::settings::settings;
use crate::algebra::{Eigen, add_outer, product, row_products, symmetric_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// The default weight of the pairs.
const USUAL_BALANCE: f64 = 0.5;

/// Steps between two evaluations of the duality gap and of the balance of the residuals.
const STEPS: usize = 10;

/// Eigenvalues of a loss with unit diagonal below this size are 0 up to rounding.
const ROUNDING: f64 = 1e-10;

/// The ratio of the two residuals beyond which the step size changes.
const UNBALANCED: f64 = 10.0;

settings! {
    /// Sparse distance metric learning (Qi, Tang, Zha, Chua & Zhang 2009): the metric that
    /// minimizes the LogDet divergence from a prior, plus a loss over pairs of rows and a penalty
    /// on off-diagonal entries.
    ///
    /// The report's `objective` is the minimum; `relative_gap` is an upper bound on its distance
    /// from the optimum, per feature. Components are the metric's eigenvectors, in descending order
    /// of eigenvalues.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Sdml {
        /// Weight of the pairs relative to the prior; `None` for 1/2, or less if 1/2 is too large.
        pub balance: Option<f64> = BALANCE by balance,
        /// Penalty on the off-diagonal entries.
        pub sparsity: f64 = SPARSITY,
        /// The metric to which the learned metric stays close.
        pub prior: Prior = PRIOR,
        /// Number of pairs of each kind.
        pub n_constraints: PairCount = N_CONSTRAINTS by str::parse,
        /// Maximum number of steps.
        pub max_iter: usize = MAX_ITER_SDML,
        /// The duality gap per feature at which to stop.
        pub tol: f64 = TOL_SDML,
    }
}

/// Parses `auto`, which is `None`, or a number above 0.
fn balance(text: &str) -> std::result::Result<Option<f64>, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(Some(number)),
        Ok(number) => Err(format!("{number} is not above 0 and finite")),
        Err(_) if text == "auto" => Ok(None),
        Err(_) => Err(format!("`{text}` is neither `auto` nor a number")),
    }
}

impl Learn for Sdml {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn frame(&self) -> Frame {
        // The penalty is on entries between features.
        Frame::Features
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let pairs = drawn(coordinates, self.n_constraints, run)?;
        self.learn_from(coordinates, &pairs, report, run)
    }

    fn takes_start(&self) -> bool {
        true
    }

    fn with_pairs(&self, pairs: Vec<RowPair>) -> Option<Box<dyn Learn>> {
        Some(Box::new(OfPairs { method: *self, pairs }))
    }
}

impl LearnFromPairs for Sdml {
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        pairs: &[RowPair],
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let values = coordinates.values();
        let given = coordinates.start();
        // Constant features do not contribute to any distance, but a given prior may relate them to others.
        let (least, greatest) = values.extremes();
        let varies = |&column: &usize| given.is_some() || least[column] < greatest[column];
        let varying: Vec<usize> = (0..values.columns()).filter(varies).collect();
        let rows = values.iter().flat_map(|row| varying.iter().map(|&column| row[column]));
        let rows = DenseMatrix::new(rows.collect(), values.rows(), varying.len());
        let balance = match self.balance {
            Some(balance) => balance,
            None => {
                let map = match given {
                    Some(given) => given.clone(),
                    None => self.prior.map_of(&rows, run)?,
                };
                usual_balance(&row_products(&rows, &map, run)?, pairs, run)?
            }
        };
        let loss = self.loss(&rows, (pairs, given), balance, run)?;
        let metric = Problem::new(&loss, self.sparsity)?.solve(self, report, run)?;
        let Eigen { values: lengths, vectors } = symmetric_eigen(&metric, run)?;
        let mut matrix = DenseMatrix::zeros(varying.len(), values.columns());
        for (row, length) in lengths.iter().enumerate() {
            let root = length.max(0.0).sqrt();
            for (&column, entry) in varying.iter().zip(vectors.row(row)) {
                matrix.row_mut(row)[column] = root * entry;
            }
        }
        Ok(Directions { matrix, eigenvalues: lengths, discriminant_power: None })
    }
}

impl Sdml {
    /// The matrix `P` of the prior and the pairs.
    fn loss(
        &self,
        rows: &DenseMatrix,
        (pairs, given): (&[RowPair], Option<&DenseMatrix>),
        balance: f64,
        run: &Run,
    ) -> Result<DenseMatrix> {
        let mut loss = self.prior.inverse(rows, given, run)?;
        add_pairs(&mut loss, rows, pairs, balance);
        Ok(loss)
    }
}

/// Adds `weight` times the mean over pairs of the outer products of their differences, with a
/// negative sign for far pairs.
fn add_pairs(sum: &mut DenseMatrix, rows: &DenseMatrix, pairs: &[RowPair], weight: f64) {
    let mut difference = Vec::with_capacity(rows.columns());
    for pair in pairs {
        pair.difference(rows, &mut difference);
        add_outer(sum, &difference, weight / pairs.len() as f64 * pair.sign());
    }
}

/// The default weight of the pairs for rows whose prior is the identity: half of the weight at
/// which `P` has an eigenvalue 0, if that is less than [`USUAL_BALANCE`].
fn usual_balance(rows: &DenseMatrix, pairs: &[RowPair], run: &Run) -> Result<f64> {
    let mut far = DenseMatrix::zeros(rows.columns(), rows.columns());
    add_pairs(&mut far, rows, pairs, -1.0);
    let most = symmetric_eigen(&far, run)?.values.first().copied().unwrap_or(0.0);
    Ok(if most > 0.0 { USUAL_BALANCE.min(0.5 / most) } else { USUAL_BALANCE })
}

/// A log-determinant problem with a penalty on off-diagonal entries, scaled to unit diagonal.
struct Problem {
    /// `P`, scaled.
    loss: DenseMatrix,
    /// Square roots of the original diagonal.
    units: Vec<f64>,
    /// The penalty on an entry between two features of unit 1.
    sparsity: f64,
}

/// The objective at a point of the search, and a bound on its distance from the optimum.
struct Proof {
    objective: f64,
    /// Upper bound on the distance of the objective from the optimum.
    gap: f64,
}

impl Problem {
    /// Creates the problem from `P` and the penalty.
    ///
    /// # Errors
    /// A diagonal entry that is not above 0, so that the objective has no minimum.
    fn new(loss: &DenseMatrix, sparsity: f64) -> Result<Self> {
        let units: Vec<f64> = (0..loss.rows()).map(|i| loss.row(i)[i].sqrt()).collect();
        if units.iter().any(|unit| unit.is_nan() || *unit <= 0.0) {
            return Err(unbounded());
        }
        let mut loss = loss.clone();
        for (i, own) in units.iter().enumerate() {
            let entries = loss.row_mut(i).iter_mut().zip(&units);
            entries.for_each(|(entry, other)| *entry /= own * other);
        }
        Ok(Self { loss, units, sparsity })
    }

    /// The penalty on an entry, in the scaled problem.
    fn price(&self, i: usize, j: usize) -> f64 {
        if i == j { 0.0 } else { self.sparsity / (self.units[i] * self.units[j]) }
    }

    /// The minimum, in the units of the features.
    ///
    /// # Errors
    /// The objective has no minimum; [`Error::Cancelled`].
    fn solve(&self, settings: &Sdml, report: &mut Report, run: &Run) -> Result<DenseMatrix> {
        let size = self.loss.rows();
        let mut step = 1.0;
        let mut sparse = DenseMatrix::identity(size);
        // The multipliers divided by the step size.
        let mut dual = DenseMatrix::zeros(size, size);
        let progress = run.progress();
        progress.start("steps", settings.max_iter as u64);
        let (mut steps, mut proof) = (0, None::<Proof>);
        let is_proven = |proof: &Option<Proof>| {
            proof.as_ref().is_some_and(|p| p.gap <= settings.tol * size as f64)
        };
        while steps < settings.max_iter && !is_proven(&proof) {
            run.check()?;
            let dense = self.definite(&sparse, &dual, step, run)?;
            let (mut primal, mut moved) = (0.0, 0.0);
            for i in 0..size {
                for j in 0..size {
                    let wanted = dense.row(i)[j] + dual.row(i)[j];
                    let own = shrunk(wanted, self.price(i, j) / step);
                    primal += (dense.row(i)[j] - own).powi(2);
                    moved += (step * (own - sparse.row(i)[j])).powi(2);
                    sparse.row_mut(i)[j] = own;
                    dual.row_mut(i)[j] = wanted - own;
                }
            }
            steps += 1;
            progress.advance(1);
            if steps % STEPS == 0 || steps == settings.max_iter {
                proof = self.proof(&sparse, &dual, step, run)?;
                let ratio = (primal / moved).sqrt();
                let factor = match ratio {
                    _ if ratio > UNBALANCED => 2.0,
                    _ if ratio < 1.0 / UNBALANCED => 0.5,
                    _ => 1.0,
                };
                step *= factor;
                dual.values_mut().iter_mut().for_each(|entry| *entry /= factor);
            }
        }
        progress.finish();
        let relative = proof.as_ref().map(|proof| proof.gap / size as f64);
        let converged = is_proven(&proof);
        if !converged {
            // If only more steps are needed, the loss has no negative eigenvalues, or there is some
            // bound.
            let least = symmetric_eigen(&self.loss, run)?.values.last().copied().unwrap_or(0.0);
            if relative.is_none() && least < -ROUNDING {
                return Err(unbounded());
            }
            let so_far = relative
                .map_or("the distance from the optimum is unknown".to_string(), |gap| {
                    format!("the objective is at most {gap:.1e} per feature above the optimum")
                });
            report.warnings.push(Warning::new(
                "not-converged",
                format!(
                    "after {steps} steps {so_far}: increase {} for a better map",
                    setting("max_iter", None)
                ),
            ));
        }
        // Undo the scaling.
        let of_units = 2.0 * self.units.iter().map(|unit| unit.ln()).sum::<f64>();
        report.objective = proof.map(|proof| proof.objective + of_units);
        report.relative_gap = relative;
        (report.iterations, report.converged) = (Some(steps), Some(converged));
        if log_determinant(&sparse, run)?.is_none() {
            sparse = self.definite(&sparse, &dual, step, run)?;
        }
        for (i, own) in self.units.iter().enumerate() {
            let entries = sparse.row_mut(i).iter_mut().zip(&self.units);
            entries.for_each(|(entry, other)| *entry /= own * other);
        }
        Ok(sparse)
    }

    /// The minimizer of the smooth part plus the quadratic penalty on the distance from
    /// `sparse - dual`.
    fn definite(
        &self,
        sparse: &DenseMatrix,
        dual: &DenseMatrix,
        step: f64,
        run: &Run,
    ) -> Result<DenseMatrix> {
        let mut target = sparse.clone();
        let parts = dual.values().iter().zip(self.loss.values());
        for (entry, (dual, loss)) in target.values_mut().iter_mut().zip(parts) {
            *entry = step * (*entry - dual) - loss;
        }
        let Eigen { values, vectors } = symmetric_eigen(&target, run)?;
        let mut scaled = vectors.clone();
        for (row, value) in values.iter().enumerate() {
            // The positive root of `step x^2 - value x - 1`, computed without cancellation.
            let root = (value * value + 4.0 * step).sqrt();
            let length =
                if *value > 0.0 { (value + root) / (2.0 * step) } else { 2.0 / (root - value) };
            scaled.row_mut(row).iter_mut().for_each(|entry| *entry *= length);
        }
        product(&vectors.transposed(), &scaled, run)
    }

    /// The objective of the sparse matrix and its gap to the dual objective; `None` if the matrix
    /// of either is not positive definite.
    fn proof(
        &self,
        sparse: &DenseMatrix,
        dual: &DenseMatrix,
        step: f64,
        run: &Run,
    ) -> Result<Option<Proof>> {
        let Some(log_det) = log_determinant(sparse, run)? else { return Ok(None) };
        let mut covariance = self.loss.clone();
        let entries = covariance.values_mut().iter_mut().zip(dual.values());
        entries.for_each(|(entry, dual)| *entry += step * dual);
        let Some(of_dual) = log_determinant(&covariance, run)? else { return Ok(None) };
        let mut linear = 0.0;
        for i in 0..sparse.rows() {
            for j in 0..sparse.rows() {
                let own = sparse.row(i)[j];
                linear += self.loss.row(i)[j] * own + self.price(i, j) * own.abs();
            }
        }
        let objective = linear - log_det;
        let gap = objective - (of_dual + sparse.rows() as f64);
        Ok(Some(Proof { objective, gap: gap.max(0.0) }))
    }
}

/// Soft thresholding: moves a number towards 0 by `by`, but not beyond 0.
fn shrunk(value: f64, by: f64) -> f64 {
    value.signum() * (value.abs() - by).max(0.0)
}

/// The logarithm of the determinant of a positive definite matrix; `None` for others.
fn log_determinant(matrix: &DenseMatrix, run: &Run) -> Result<Option<f64>> {
    let values = symmetric_eigen(matrix, run)?.values;
    Ok(values.iter().all(|value| *value > 0.0).then(|| values.iter().map(|v| v.ln()).sum()))
}

fn unbounded() -> Error {
    Error::option(
        BALANCE.name,
        "the pairs of rows that should be far apart outweigh the prior: the problem has no solution",
        format!(
            "decrease {}, increase {}, or use {}",
            setting(BALANCE.name, None),
            setting("sparsity", None),
            setting("prior", Some("covariance"))
        ),
    )
}

/// `balance`: the weight of the pairs.
static BALANCE: OptionInfo = OptionInfo {
    name: "balance",
    flag: "balance",
    kind: OptionKind::Text { grammar: "auto|X", check: |text| balance(text).map(drop) },
    default: "auto",
    help: "Weight of the mean over the pairs relative to the prior; auto: 0.5, or less if the problem \
           would have no solution",
};

/// `sparsity`: the penalty on entries between features.
static SPARSITY: OptionInfo = OptionInfo {
    name: "sparsity",
    flag: "sparsity",
    kind: OptionKind::Positive,
    default: "0.01",
    help: "Penalty on the metric's entries between features; larger values set more of them to 0",
};

static MAX_ITER_SDML: OptionInfo = OptionInfo {
    default: "1000",
    help: "Maximum number of steps; reaching it causes a warning",
    ..MAX_ITER
};

static TOL_SDML: OptionInfo = OptionInfo {
    help: "Duality gap per feature at which to stop; it bounds the distance from the optimum",
    ..TOL
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "sdml",
    class: "SDML",
    supervised: true,
    cost: "c p² + p³, c pairs",
    purpose: "a sparse metric, learned from near and far pairs of rows",
    source: "Qi et al. 2009",
    options: &[&BALANCE, &SPARSITY, &PRIOR, &N_CONSTRAINTS, &MAX_ITER_SDML, &TOL_SDML],
    choose: &[&BALANCE, &SPARSITY],
    documentation: page!("sdml.rs"),
    python: Some(&PYTHON),
    build: build::<Sdml>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Sparse distance metric learning: the metric relates few pairs of features.",
    description: &[
        "The metric minimizes the LogDet divergence from a prior, plus a loss over pairs of rows \
         that should be near or far apart, and a penalty on every entry between two features.",
    ],
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    references: &[
        "G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua and H.-J. Zhang. An efficient sparse metric \
         learning in high-dimensional space via l1-penalized log-determinant regularization. \
         International Conference on Machine Learning, 841-848, 2009.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import SDML",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> SDML(scale=\"standard\").fit_transform(X, y).shape",
        "(178, 13)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> DenseMatrix {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
        let mut rows = DenseMatrix::new((0..50 * 5).map(number).collect(), 50, 5);
        // Two features are correlated, and one is in small units.
        for row in 0..50 {
            let line = rows.row_mut(row);
            line[1] += 0.8 * line[0];
            line[4] *= 0.1;
        }
        rows
    }

    fn pairs() -> Vec<RowPair> {
        let pair = |k: usize| RowPair {
            rows: (k as u32 % 25, 25 + (k * 7 % 25) as u32),
            alike: k.is_multiple_of(2),
        };
        (0..80).map(pair).collect()
    }

    /// The optimality conditions: the inverse of the metric differs from `P` by the penalty where
    /// the metric has an entry, and by less than the penalty where it has none.
    #[test]
    fn the_inverse_is_the_loss_up_to_the_price() {
        let run = Run::new(Some(1)).unwrap();
        let mut zeros = Vec::new();
        for (prior, sparsity) in [
            (Prior::Covariance, 0.001),
            (Prior::Covariance, 0.03),
            (Prior::Identity, 0.02),
            (Prior::Covariance, 10.0),
        ] {
            let settings =
                Sdml { prior, sparsity, tol: 1e-13, max_iter: 100_000, ..Sdml::default() };
            let loss =
                settings.loss(&rows(), (&pairs(), None), 0.5, &Run::new(Some(1)).unwrap()).unwrap();
            let mut report = Report::default();
            let problem = Problem::new(&loss, sparsity).unwrap();
            let metric = problem.solve(&settings, &mut report, &run).unwrap();
            assert_eq!(report.converged, Some(true), "{report:?}");
            let Eigen { values, vectors } = symmetric_eigen(&metric, &run).unwrap();
            let inverse = |i: usize, j: usize| {
                let terms = (0..5).map(|k| vectors.row(k)[i] * vectors.row(k)[j] / values[k]);
                terms.sum::<f64>()
            };
            let mut none = 0;
            for i in 0..5 {
                for j in 0..5 {
                    let (own, apart) = (metric.row(i)[j], inverse(i, j) - loss.row(i)[j]);
                    let unit = (loss.row(i)[i] * loss.row(j)[j]).sqrt();
                    if i == j {
                        assert!(apart.abs() < 1e-5 * unit, "{prior:?} {sparsity} {i} {apart}");
                    } else if own == 0.0 {
                        none += 1;
                        assert!(apart.abs() < sparsity + 1e-5 * unit, "{i} {j} {apart}");
                    } else {
                        let price = sparsity * own.signum();
                        assert!((apart - price).abs() < 1e-5 * unit, "{i} {j} {apart} {price}");
                    }
                }
            }
            zeros.push(none);
        }
        assert!(zeros[0] < zeros[1], "{zeros:?}");
        assert_eq!(zeros[3], 20, "a large penalty leaves only the diagonal");
    }

    #[test]
    fn the_usual_balance_leaves_half_of_the_prior() {
        let run = Run::new(Some(1)).unwrap();
        for prior in [Prior::Identity, Prior::Covariance] {
            let mut rows = rows();
            rows.values_mut().iter_mut().for_each(|value| *value *= 3.0);
            let settings = Sdml { prior, ..Sdml::default() };
            let far: Vec<RowPair> =
                pairs().into_iter().map(|pair| RowPair { alike: false, ..pair }).collect();
            let map = prior.map(&Coordinates::new(rows.clone(), None), &run).unwrap();
            let spherical = row_products(&rows, &map, &run).unwrap();
            let balance = usual_balance(&spherical, &far, &run).unwrap();
            assert!(balance < 0.5);
            let least = |balance: f64| {
                let loss = settings.loss(&rows, (&far, None), balance, &run).unwrap();
                *symmetric_eigen(&loss, &run).unwrap().values.last().unwrap()
            };
            assert!(least(balance) > 0.0 && least(2.0 * balance).abs() < 1e-9);
        }
    }

    #[test]
    fn far_pairs_that_outweigh_the_prior_are_refused() {
        let run = Run::new(Some(1)).unwrap();
        for (balance, sparsity) in [(1000.0, 0.01), (1.4, 1e-6)] {
            let far: Vec<RowPair> =
                pairs().into_iter().map(|pair| RowPair { alike: false, ..pair }).collect();
            let settings = Sdml { sparsity, prior: Prior::Identity, ..Sdml::default() };
            let loss =
                settings.loss(&rows(), (&far, None), balance, &Run::new(Some(1)).unwrap()).unwrap();
            let found = Problem::new(&loss, sparsity)
                .and_then(|problem| problem.solve(&settings, &mut Report::default(), &run));
            let said = found.unwrap_err().to_string();
            assert!(said.contains("outweigh the prior"), "{said}");
        }
    }
}
