//! # `sdml`: a sparse metric
//!
//! Sparse distance metric learning: a metric in which most pairs of features have no entry, from pairs
//! of rows that are near and pairs that are far. It is for more features than rows can tell apart, and
//! for reading which features belong together.
//!
//! ## Formula
//!
//! With the prior metric $M_0$ and the pairs drawn from the classes,
//!
//! ```math
//! \min_{M \succ 0} \mathrm{tr}(P M) - \log\det M + \lambda \sum_{i \ne j} |M_{ij}|, \qquad P = M_0^{-1} + \eta \, \overline{K_{ab} (x_a - x_b)(x_a - x_b)^\top},
//! ```
//!
//! the mean being over the pairs, $K = 1$ for rows of one class and $-1$ for others; $\eta$ is
//! `--balance`, $\lambda$ `--sparsity`. The paper has the sum over the pairs: its $\eta$ is ours over
//! their number. With a great $\eta$ the far pairs outweigh the prior, and no metric is the best:
//! `auto` takes 1/2, or half of the $\eta$ at which $P$ has an eigenvalue 0, if that is less.
//!
//! The prior decides. With `--prior covariance`, directions in which rows hardly differ count as much as any other, and
//! noise with them: 3-NN of standardized wdbc, wine and iris (5 folds, twice) has an accuracy of 0.89, 0.96 and 0.93, beside
//! 0.97, 0.96 and 0.95 of the features as they are, and needs a $\lambda$ near 1 to come back to these. With the default,
//! `identity`, it has 0.97, 0.97 and 0.96 for any $\lambda$ from 0.01 to 1. metric-learn has the same default; with it, its
//! SDML (0.7.0 with scikit-learn 1.5.2) ended with an error of its graphical lasso on these three tables.
//!
//! The problem is convex, and is solved by the alternating direction method of multipliers, with $P$
//! scaled to a diagonal of ones, until the duality gap proves the solution to `--tol` (`relative_gap`:
//! the gap per feature). The components are the eigenvectors of $M$, those of the greatest
//! eigenvalue first; entries of $M$ that are 0 are so up to rounding.
//!
//! ## Cost
//!
//! A step is an eigendecomposition, $p^3$; there are some dozens to some hundreds.
//!
//! ## When not to use it
//!
//! - Features in different units: $\lambda$ is the same for all of them. Use `--scale standard`.
//! - Features that may be rotated: the zeros are between features. [`itml`](super::itml) does not depend on
//!   the axes.
//! - Reduction to few components: nothing here asks the first ones to be the best.
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
use crate::algebra::{Eigen, product, row_products, symmetric_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// The weight of the pairs where nothing speaks against it.
const USUAL_BALANCE: f64 = 0.5;

/// Steps between two looks at the duality gap, and at the balance of the residuals.
const STEPS: usize = 10;

/// Eigenvalues of a loss with a diagonal of ones that are 0 but for rounding.
const ROUNDING: f64 = 1e-10;

/// How far apart the two residuals may be before the step size changes, and by what it does.
const UNBALANCED: f64 = 10.0;

settings! {
    /// Sparse distance metric learning (Qi, Tang, Zha, Chua & Zhang 2009): the metric of least LogDet
    /// divergence from a prior, with a loss over pairs of rows and a price of entries off the diagonal.
    ///
    /// The report's `objective` is the minimum; `relative_gap` is how far it can be from the optimum
    /// at most, per feature. Components are the metric's eigenvectors, the greatest eigenvalue first.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Sdml {
        /// Weight of the pairs against the prior; `None` for 1/2, or less where that would be too much.
        pub balance: Option<f64> = BALANCE by balance,
        /// Price of the entries off the diagonal.
        pub sparsity: f64 = SPARSITY,
        /// The metric to stay near to.
        pub prior: Prior = PRIOR,
        /// Pairs of each kind.
        pub n_constraints: PairCount = N_CONSTRAINTS by str::parse,
        /// Steps at most.
        pub max_iter: usize = MAX_ITER_SDML,
        /// The duality gap, per feature, at which to stop.
        pub tol: f64 = TOL_SDML,
    }
}

/// Reads `auto`, which is `None`, or a number above 0.
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
        // Entries are between features.
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
        // Constant features have no part in any distance.
        let (least, greatest) = values.extremes();
        let varying: Vec<usize> =
            (0..values.columns()).filter(|&column| least[column] < greatest[column]).collect();
        let rows = values.iter().flat_map(|row| varying.iter().map(|&column| row[column]));
        let rows = DenseMatrix::new(rows.collect(), values.rows(), varying.len());
        let balance = match self.balance {
            Some(balance) => balance,
            None => {
                usual_balance(&row_products(&rows, &self.prior.map(&rows, run)?, run)?, pairs, run)?
            }
        };
        let loss = self.loss(&rows, pairs, balance, run)?;
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
    /// `P`: what the prior and the pairs ask for.
    fn loss(
        &self,
        rows: &DenseMatrix,
        pairs: &[RowPair],
        balance: f64,
        run: &Run,
    ) -> Result<DenseMatrix> {
        let mut loss = self.prior.inverse(rows, run)?;
        add_pairs(&mut loss, rows, pairs, balance);
        Ok(loss)
    }
}

/// Adds the mean over pairs of the outer products of their differences, those of far rows with a minus.
fn add_pairs(sum: &mut DenseMatrix, rows: &DenseMatrix, pairs: &[RowPair], weight: f64) {
    let mut difference = Vec::with_capacity(rows.columns());
    for pair in pairs {
        pair.difference(rows, &mut difference);
        let own = weight / pairs.len() as f64 * pair.sign();
        for (i, step) in difference.iter().enumerate() {
            let entries = sum.row_mut(i).iter_mut().zip(&difference);
            entries.for_each(|(entry, other)| *entry += own * step * other);
        }
    }
}

/// The weight of the pairs of rows whose prior is the identity: half of that at which `P` has an
/// eigenvalue 0, if that is less than the usual one.
fn usual_balance(rows: &DenseMatrix, pairs: &[RowPair], run: &Run) -> Result<f64> {
    let mut far = DenseMatrix::zeros(rows.columns(), rows.columns());
    add_pairs(&mut far, rows, pairs, -1.0);
    let most = symmetric_eigen(&far, run)?.values.first().copied().unwrap_or(0.0);
    Ok(if most > 0.0 { USUAL_BALANCE.min(0.5 / most) } else { USUAL_BALANCE })
}

/// A log-determinant problem with a price of the entries off the diagonal, scaled to a diagonal of ones.
struct Problem {
    /// `P`, scaled.
    loss: DenseMatrix,
    /// Roots of the diagonal that it had.
    units: Vec<f64>,
    /// The price of an entry between two features of unit 1.
    sparsity: f64,
}

/// A point of the search, and what it proves.
struct Proof {
    objective: f64,
    /// How far the objective may be from the optimum.
    gap: f64,
}

impl Problem {
    /// From `P` and the price.
    ///
    /// # Errors
    /// An entry of the diagonal that is not above 0, so that there is no least objective.
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

    /// The price of an entry, in the scaled problem.
    fn price(&self, i: usize, j: usize) -> f64 {
        if i == j { 0.0 } else { self.sparsity / (self.units[i] * self.units[j]) }
    }

    /// The minimum, in the units of the features.
    ///
    /// # Errors
    /// There is none; [`Error::Cancelled`].
    fn solve(&self, settings: &Sdml, report: &mut Report, run: &Run) -> Result<DenseMatrix> {
        let size = self.loss.rows();
        let mut step = 1.0;
        let mut sparse = DenseMatrix::identity(size);
        // The multipliers over the step.
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
            // What only has to go on has a loss without negative eigenvalues, or some proof.
            let least = symmetric_eigen(&self.loss, run)?.values.last().copied().unwrap_or(0.0);
            if relative.is_none() && least < -ROUNDING {
                return Err(unbounded());
            }
            let so_far = relative.map_or("nothing is proven of the metric".to_string(), |gap| {
                format!("the metric is proven to be within {gap:.1e} per feature of the optimum")
            });
            report.warnings.push(Warning::new(
                "not-converged",
                format!(
                    "after {steps} steps {so_far}: raise {} for a better map",
                    setting("max_iter", None)
                ),
            ));
        }
        // The units are taken back.
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

    /// The minimum of the smooth part near the sparse matrix less the multipliers.
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
            // The positive root of `step x^2 - value x - 1`, without a difference of near numbers.
            let root = (value * value + 4.0 * step).sqrt();
            let length =
                if *value > 0.0 { (value + root) / (2.0 * step) } else { 2.0 / (root - value) };
            scaled.row_mut(row).iter_mut().for_each(|entry| *entry *= length);
        }
        product(&vectors.transposed(), &scaled, run)
    }

    /// The objective of the sparse matrix and its gap to the dual objective; `None` where one of the two
    /// is not positive definite.
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

/// A number nearer to 0 by so much, and not beyond.
fn shrunk(value: f64, by: f64) -> f64 {
    value.signum() * (value.abs() - by).max(0.0)
}

/// The logarithm of the determinant of a positive definite matrix; `None` of others.
fn log_determinant(matrix: &DenseMatrix, run: &Run) -> Result<Option<f64>> {
    let values = symmetric_eigen(matrix, run)?.values;
    Ok(values.iter().all(|value| *value > 0.0).then(|| values.iter().map(|v| v.ln()).sum()))
}

fn unbounded() -> Error {
    Error::option(
        BALANCE.name,
        "the pairs of rows that shall be far outweigh the prior: there is no best metric",
        format!(
            "lower {}, raise {}, or use {}",
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
    help: "Weight of the mean over the pairs against the prior; auto: 0.5, or less where no metric \
           would be the best",
};

/// `sparsity`: the price of entries between features.
static SPARSITY: OptionInfo = OptionInfo {
    name: "sparsity",
    flag: "sparsity",
    kind: OptionKind::Positive,
    default: "0.01",
    help: "Price of the metric's entries between features: the greater, the more are 0",
};

static MAX_ITER_SDML: OptionInfo =
    OptionInfo { default: "1000", help: "Steps at most; reaching it is a warning", ..MAX_ITER };

static TOL_SDML: OptionInfo =
    OptionInfo { help: "Duality gap per feature at which to stop: a proof", ..TOL };

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "sdml",
    class: "SDML",
    supervised: true,
    cost: "c p² + p³, c pairs",
    purpose: "a sparse metric, from pairs of rows that are near or far",
    source: "Qi et al. 2009",
    options: &[&BALANCE, &SPARSITY, &PRIOR, &N_CONSTRAINTS, &MAX_ITER_SDML, &TOL_SDML],
    choose: &[&BALANCE, &SPARSITY],
    documentation: page!("sdml.rs"),
    python: Some(&PYTHON),
    build: build::<Sdml>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Sparse distance metric learning: few features are linked in the metric.",
    description: &[
        "The metric of least LogDet divergence from a prior, with a loss over pairs of rows that \
         are near or far, and a price of every entry between two features.",
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
        // Two features belong together, one is in small units.
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

    /// The conditions of the optimum: the inverse of the metric is `P`, but for the price where there
    /// is an entry, and for less than the price where there is none.
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
            let loss = settings.loss(&rows(), &pairs(), 0.5, &Run::new(Some(1)).unwrap()).unwrap();
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
        assert_eq!(zeros[3], 20, "a high price leaves the diagonal alone");
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
            let spherical = row_products(&rows, &prior.map(&rows, &run).unwrap(), &run).unwrap();
            let balance = usual_balance(&spherical, &far, &run).unwrap();
            assert!(balance < 0.5);
            let least = |balance: f64| {
                let loss = settings.loss(&rows, &far, balance, &run).unwrap();
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
            let loss = settings.loss(&rows(), &far, balance, &Run::new(Some(1)).unwrap()).unwrap();
            let found = Problem::new(&loss, sparsity)
                .and_then(|problem| problem.solve(&settings, &mut Report::default(), &run));
            let said = found.unwrap_err().to_string();
            assert!(said.contains("outweigh the prior"), "{said}");
        }
    }
}
