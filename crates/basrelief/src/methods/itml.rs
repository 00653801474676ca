//! # `itml`: a metric that satisfies distance bounds
//!
//! Information-theoretic metric learning: among all metrics under which pairs of rows of the same class are near and
//! pairs of different classes are far, it finds the one closest to a prior metric. The metric keeps all dimensions. The
//! method needs only pairs: in Python, pairs can replace the classes.
//!
//! ## Formula
//!
//! With the prior metric $A_0$ and a bound $\xi^0$ for every pair ($u$ for pairs that should be near, $l$ for pairs
//! that should be far), the metric solves
//!
//! ```math
//! \min_{A \succeq 0,\, \xi} D(A, A_0) + \gamma \sum_c D(\xi_c, \xi^0_c), \qquad (x_i - x_j)^\top A (x_i - x_j) \le \xi_c \text{ (near)}, \ \ge \xi_c \text{ (far)},
//! ```
//!
//! where $D(A, B) = \mathrm{tr}(A B^{-1}) - \log\det(A B^{-1}) - p$. The problem is convex, and its solution is
//! unique. The optimal $\xi_c$ follows from the distance $d$ of the pair under $A$: it is $d$ if $d$ violates the
//! bound, otherwise the bound. The remaining objective is smooth in $A = L^\top L$. L-BFGS minimizes it over $L$,
//! starting from the prior, until the duality gap relative to the objective is at most `--tol` (`relative_gap`).
//! Cyclic projections (algorithm 1 of the paper) have the same limit, but need thousands of iterations if many bounds
//! are active. Their step $\alpha = \min(\lambda, \frac{\delta}{2} (\frac{1}{p} - \frac{\gamma}{\xi}))$ is a projection only for
//! $\gamma = 1$.
//!
//! `--constraints` pairs of each kind are drawn by the seed. Unless `--bounds` specifies them, $u$ and $l$ are the 5th
//! and the 95th percentile of the squared distances under the prior, computed from all pairs of rows, or from the pairs
//! of 1000 rows drawn by the seed if there are more. The components are the eigenvectors of $A$, the largest eigenvalue
//! first.
//!
//! ## Cost
//!
//! An evaluation of the objective takes $2 c p^2 + p^3$ multiplications for $c$ pairs. With more features than rows,
//! $n$ replaces $p$.
//!
//! ## When not to use it
//!
//! - Features in different units with the Euclidean prior: use `--scale standard`, or
//!   `--prior covariance`.
//! - Reduction to few components: the objective does not favor the first components. Use [`nca`](super::nca) or
//!   [`lfda`](super::lfda).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method itml --scale standard --model itml.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.ITML(scale="standard").fit(X, y).get_mahalanobis_matrix()`
//!
//! ## Source
//!
//! J. V. Davis, B. Kulis, P. Jain, S. Sra and I. S. Dhillon. Information-theoretic metric learning. ICML
//! 2007, 209-216.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::log_det::{DistanceLoss, Limits, Loss, directions, squared_length};
use super::options::{MAX_ITER, TOL};
use super::page::page;
use super::row_pair::RowPair;
use super::row_pairs::{LearnFromPairs, N_CONSTRAINTS, OfPairs, PRIOR, PairCount, Prior, drawn};
use super::settings::settings;
use crate::algebra::add_outer;
use crate::data::{DenseMatrix, squared_distance};
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::random::{RandomStream, generator, sample};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

/// Maximum number of rows whose pairwise distances determine the bounds.
const MOST_ROWS: usize = 1000;

/// Quantiles of the squared distances that serve as bounds.
const PERCENTILES: [f64; 2] = [0.05, 0.95];

settings! {
    /// Information-theoretic metric learning (Davis, Kulis, Jain, Sra & Dhillon 2007): among all metrics
    /// that satisfy the bounds of given pairs, up to slack, the one with the smallest LogDet divergence from a
    /// prior.
    ///
    /// In the report, `objective` is the divergence of the metric plus `gamma` times the divergence of the final
    /// bounds, and `relative_gap` bounds its distance to the optimum, relative to the objective. The components are the
    /// eigenvectors of the metric, the largest eigenvalue first.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Itml {
        /// Weight of bound violations: the larger, the less slack.
        pub gamma: f64 = GAMMA,
        /// Upper bound of the squared distance of near pairs, and lower bound of that of far pairs; `None` for
        /// percentiles.
        pub bounds: Option<(f64, f64)> = BOUNDS by bounds,
        /// The metric to stay close to.
        pub prior: Prior = PRIOR,
        /// Number of pairs of each kind.
        pub n_constraints: PairCount = N_CONSTRAINTS by str::parse,
        /// Maximum number of iterations.
        pub max_iter: usize = MAX_ITER_ITML,
        /// Relative duality gap at which to stop.
        pub tol: f64 = TOL_ITML,
    }
}

/// Parses `auto`, which is `None`, or two numbers `NEAR:FAR`.
fn bounds(text: &str) -> std::result::Result<Option<(f64, f64)>, String> {
    if text == "auto" {
        return Ok(None);
    }
    let parts: Vec<Option<f64>> = text.split(':').map(|part| part.parse().ok()).collect();
    match parts[..] {
        [Some(near), Some(far)] if near > 0.0 && near < far && far.is_finite() => {
            Ok(Some((near, far)))
        }
        _ => Err(format!("`{text}` is neither `auto` nor NEAR:FAR with 0 < NEAR < FAR")),
    }
}

impl Learn for Itml {
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

impl LearnFromPairs for Itml {
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        pairs: &[RowPair],
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let make = |rows: DenseMatrix, report: &mut Report| self.bounded(rows, pairs, report, run);
        let limits = Limits { max_iter: self.max_iter, tol: self.tol };
        directions(coordinates, self.prior, make, limits, report, run)
    }
}

impl Itml {
    /// Returns the loss of the pairs of rows whose prior is the identity.
    fn bounded(
        &self,
        rows: DenseMatrix,
        pairs: &[RowPair],
        report: &mut Report,
        run: &Run,
    ) -> Result<Bounded> {
        let bounds = match self.bounds {
            Some(bounds) => bounds,
            None => percentiles(&rows, run)?,
        };
        let differs =
            |pair: &RowPair| rows.row(pair.rows.0 as usize) != rows.row(pair.rows.1 as usize);
        let (pairs, same): (Vec<RowPair>, Vec<RowPair>) =
            pairs.iter().partition(|pair| differs(pair));
        let same = same.iter().filter(|pair| !pair.alike).count();
        if same > 0 {
            report.warnings.push(Warning::new(
                "equal-rows",
                format!(
                    "{same} pairs of rows of different classes are identical: no metric can separate them"
                ),
            ));
        }
        Ok(Bounded { rows, pairs, bounds, gamma: self.gamma })
    }
}

/// The slack of the pairs whose bounds are violated.
struct Bounded {
    rows: DenseMatrix,
    pairs: Vec<RowPair>,
    bounds: (f64, f64),
    gamma: f64,
}

impl DistanceLoss for Bounded {
    fn add(&self, map: &DenseMatrix, gradient: &mut DenseMatrix) -> Loss {
        let (mut slack, mut beyond) = (0.0, 0.0);
        let mut difference = Vec::with_capacity(self.rows.columns());
        for pair in &self.pairs {
            pair.difference(&self.rows, &mut difference);
            let distance = squared_length(map, &difference);
            let bound = if pair.alike { self.bounds.0 } else { self.bounds.1 };
            if pair.sign() * (distance - bound) <= 0.0 {
                continue;
            }
            let ratio = distance / bound;
            slack += ratio - ratio.ln() - 1.0;
            beyond += ratio - 1.0;
            add_outer(gradient, &difference, self.gamma * (1.0 / bound - 1.0 / distance));
        }
        Loss { value: self.gamma * slack, beyond_dual: self.gamma * beyond }
    }
}

/// Returns the bounds: percentiles of the squared distances between rows that differ.
fn percentiles(rows: &DenseMatrix, run: &Run) -> Result<(f64, f64)> {
    let count = rows.rows().min(MOST_ROWS);
    let mut generator = generator(run.seed(), RandomStream::SampledRows);
    let looked_at = sample(rows.rows() as u32, count as u32, &mut generator);
    let mut squares = Vec::with_capacity(count * (count - 1) / 2);
    for (place, &first) in looked_at.iter().enumerate() {
        let distance =
            |&second: &u32| squared_distance(rows.row(first as usize), rows.row(second as usize));
        squares.extend(looked_at[place + 1..].iter().map(distance).filter(|square| *square > 0.0));
    }
    squares.sort_unstable_by(f64::total_cmp);
    let Some(last) = squares.len().checked_sub(1) else {
        return Err(Error::data("no two rows differ", "provide rows that differ"));
    };
    // Linear interpolation between order statistics, the most common definition.
    let at = |share: f64| {
        let place = share * last as f64;
        let (below, rest) = (place.floor() as usize, place.fract());
        squares[below] + rest * (squares[(below + 1).min(last)] - squares[below])
    };
    Ok((at(PERCENTILES[0]), at(PERCENTILES[1])))
}

/// `gamma`: the weight of the slack.
static GAMMA: OptionInfo = OptionInfo {
    name: "gamma",
    flag: "gamma",
    kind: OptionKind::Positive,
    default: "1",
    help: "Weight of bound violations: the larger, the less slack",
};

/// `bounds`: the squared distances that count as near and as far.
static BOUNDS: OptionInfo = OptionInfo {
    name: "bounds",
    flag: "bounds",
    kind: OptionKind::Text { grammar: "auto|NEAR:FAR", check: |text| bounds(text).map(drop) },
    default: "auto",
    help: "Upper bound of the squared distance of near pairs, and lower bound of that of far pairs; \
           auto: the 5th and the 95th percentile",
};

static MAX_ITER_ITML: OptionInfo = OptionInfo { default: "1000", ..MAX_ITER };

static TOL_ITML: OptionInfo =
    OptionInfo { help: "Relative duality gap at which to stop, a proven bound", ..TOL };

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "itml",
    class: "ITML",
    supervised: true,
    cost: "c p² + p³ per iteration, c pairs",
    purpose: "the metric closest to a prior under which given pairs are near or far",
    source: "Davis et al. 2007",
    options: &[&GAMMA, &BOUNDS, &PRIOR, &N_CONSTRAINTS, &MAX_ITER_ITML, &TOL_ITML],
    choose: &[&GAMMA, &N_CONSTRAINTS],
    documentation: page!("itml.rs"),
    python: Some(&PYTHON),
    build: build::<Itml>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Information-theoretic metric learning: close to a prior, with pairs near or far.",
    description: &[
        "Among all metrics under which pairs of rows of the same class are near and pairs of \
         different classes are far, up to slack, this is the one with the smallest LogDet divergence \
         from a prior metric.",
    ],
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    references: &[
        "J. V. Davis, B. Kulis, P. Jain, S. Sra and I. S. Dhillon. Information-theoretic metric \
         learning. International Conference on Machine Learning, 209-216, 2007.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import ITML",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> ITML(scale=\"standard\").fit_transform(X, y).shape",
        "(178, 13)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::super::log_det::assert_slopes;
    use super::*;

    /// Two rows with one feature: the solution by hand for a pair that should be near.
    #[test]
    fn one_pair_of_one_feature() {
        let run = Run::new(Some(1)).unwrap();
        let rows = Coordinates::new(DenseMatrix::new(vec![0.0, 2.0], 2, 1), None);
        let pair = RowPair { rows: (0, 1), alike: true };
        let mut report = Report::default();
        let mut learn = |near: f64| {
            let (bounds, prior) = (Some((near, 9.0)), Prior::Identity);
            let itml = Itml { gamma: 3.0, tol: 1e-12, bounds, prior, ..Itml::default() };
            let found = itml.learn_from(&rows, &[pair], &mut report, &run).unwrap();
            (found.eigenvalues[0], report.converged, report.objective)
        };
        let (found, converged, _) = learn(1.0);
        // a - log a + 3 (4 a - log 4 a): 1 - 1/a + 3 (4 - 1/a) = 0.
        assert!((found - 4.0 / 13.0).abs() < 1e-5, "{found}");
        assert_eq!(converged, Some(true));
        // If the pair satisfies its bound, it has no effect, and the prior is the solution.
        let (found, _, objective) = learn(5.0);
        assert_eq!((found, objective), (1.0, Some(0.0)));
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
        let rows = DenseMatrix::new((0..40 * 3).map(number).collect(), 40, 3);
        let pair = |k: usize| RowPair {
            rows: (k as u32 % 20, 20 + (k * 7 % 20) as u32),
            alike: !k.is_multiple_of(3),
        };
        let pairs: Vec<RowPair> = (0..60).map(pair).collect();
        let loss = Bounded { rows, pairs, bounds: (0.3, 2.0), gamma: 0.7 };
        let point: Vec<f64> =
            (0..9).map(|k| number(k + 5) + f64::from(u8::from(k % 4 == 0))).collect();
        assert_slopes(&loss, 3, &point);
    }

    #[test]
    fn bounds_are_two_numbers_in_order() {
        assert_eq!(bounds("auto"), Ok(None));
        assert_eq!(bounds("0.5:2"), Ok(Some((0.5, 2.0))));
        for text in ["", "1", "2:1", "0:1", "1:1", "1:x", "1:2:3", "1:inf"] {
            assert!(bounds(text).is_err(), "{text}");
        }
    }
}
