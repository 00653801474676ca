//! # `lsml`: a metric close to a prior that satisfies comparisons
//!
//! Least squared-residual metric learning: among all metrics, the one closest to a prior under which rows $a$ and $b$ are
//! nearer to each other than rows $c$ and $d$. The metric keeps all dimensions. The method needs only comparisons: in
//! Python, triplets or quadruplets of rows can replace the classes.
//!
//! ## Formula
//!
//! With the prior metric $M_0$, comparisons $t$ with weights $w_t$ of sum 1, and the distances $d_M$ under $M$, the
//! metric solves
//!
//! ```math
//! \min_{M \succ 0} \mathrm{tr}(M M_0^{-1}) - \log\det(M M_0^{-1}) - p + \sum_t w_t [d_M(a_t, b_t) - d_M(c_t, d_t)]_+^2 .
//! ```
//!
//! The problem is convex, and its solution is unique. L-BFGS minimizes the objective over $L$ with $M = L^\top L$,
//! starting from the prior, until the duality gap relative to the objective is at most `--tol` (`relative_gap`). The loss
//! of the comparisons is proportional to the scale of $M$, so that with its gradient $H$ the value
//! $\log\det(I + H)$ bounds the optimum from below, for rows whose prior is the identity.
//!
//! From classes, `--constraints` pairs of rows of the same class and as many pairs of rows of different classes are drawn
//! by the seed, and compared one by one, with equal weights. The components are the eigenvectors of $M$, the largest
//! eigenvalue first.
//!
//! ## Cost
//!
//! An evaluation of the objective takes $4 c p^2 + p^3$ multiplications for $c$ comparisons. With more features than
//! rows, $n$ replaces $p$.
//!
//! ## When not to use it
//!
//! - Features in different units with the Euclidean prior: use `--scale standard`, or `--prior covariance`.
//! - A few comparisons that must hold: the loss is 0 as soon as a comparison is satisfied, and a comparison that is
//!   slightly violated hardly counts. [`frobmetric`](super::frobmetric) requires a margin.
//! - Reduction to few components: the objective does not favor the first components.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method lsml --scale standard --model lsml.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.LSML(scale="standard").fit(X, y).get_mahalanobis_matrix()`
//!
//! ## Source
//!
//! E. Y. Liu, Z. Guo, X. Zhang, V. Jojic and W. Wang. Metric learning from relative comparisons by minimizing squared
//! residual. IEEE International Conference on Data Mining 2012, 978-983.

use rand::seq::SliceRandom;

use super::info::{MapMethodInfo, PythonText, Task, build};
use super::learn::{Coordinates, Directions, Learn};
use super::log_det::{DistanceLoss, Limits, Loss, directions, squared_length};
use super::options::{MAX_ITER, TOL};
use super::page::page;
use super::row_comparison::RowComparison;
use super::row_pair::row_difference;
use super::row_pairs::{N_CONSTRAINTS, PRIOR, PairCount, Prior, drawn};
use super::settings::settings;
use crate::algebra::add_outer;
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::options::OptionInfo;
use crate::random::{RandomStream, generator};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Least squared-residual metric learning (Liu, Guo, Zhang, Jojic & Wang 2012): the metric that minimizes the LogDet
    /// divergence from a prior plus the mean squared violation of comparisons of distances.
    ///
    /// In the report, `objective` is the minimum, and `relative_gap` bounds its distance to the optimum, relative to the
    /// objective. The components are the eigenvectors of the metric, the largest eigenvalue first.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lsml {
        /// The metric to stay close to.
        pub prior: Prior = PRIOR,
        /// Number of comparisons drawn from the classes.
        pub n_constraints: PairCount = N_CONSTRAINTS by str::parse,
        /// Maximum number of iterations.
        pub max_iter: usize = MAX_ITER_LSML,
        /// Relative duality gap at which to stop.
        pub tol: f64 = TOL_LSML,
    }
}

impl Learn for Lsml {
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
        let (near, mut far): (Vec<_>, Vec<_>) =
            drawn(coordinates, self.n_constraints, run)?.into_iter().partition(|pair| pair.alike);
        // Pairs are drawn in the order of their rows.
        far.shuffle(&mut generator(run.seed(), RandomStream::RowComparisons));
        let pairs = near.iter().zip(&far);
        let comparisons = pairs.map(|(near, far)| RowComparison { near: near.rows, far: far.rows });
        self.learn_from(coordinates, &comparisons.collect::<Vec<_>>(), None, report, run)
    }

    fn takes_start(&self) -> bool {
        true
    }

    fn with_comparisons(&self, comparisons: Vec<RowComparison>) -> Option<Box<dyn Learn>> {
        Some(Box::new(OfComparisons { method: *self, comparisons, weights: None }))
    }

    fn with_weighted_comparisons(
        &self,
        comparisons: Vec<RowComparison>,
        weights: Vec<f64>,
    ) -> Option<Box<dyn Learn>> {
        Some(Box::new(OfComparisons { method: *self, comparisons, weights: Some(weights) }))
    }
}

/// The method with the comparisons from which it learns, and their weights.
struct OfComparisons {
    method: Lsml,
    comparisons: Vec<RowComparison>,
    weights: Option<Vec<f64>>,
}

impl Learn for OfComparisons {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn task(&self) -> Option<Task> {
        None
    }

    fn takes_start(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let weights = self.weights.as_deref();
        self.method.learn_from(coordinates, &self.comparisons, weights, report, run)
    }
}

impl Lsml {
    /// Learns from comparisons with weights, or with equal weights.
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        comparisons: &[RowComparison],
        weights: Option<&[f64]>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let total = weights.map_or(comparisons.len() as f64, |weights| weights.iter().sum());
        let weight = |place: usize| weights.map_or(1.0, |weights| weights[place]) / total;
        let weighted = comparisons.iter().enumerate().map(|(place, own)| (*own, weight(place)));
        let comparisons = weighted.collect();
        let make = |rows, _: &mut Report| Ok(Residuals { rows, comparisons });
        let limits = Limits { max_iter: self.max_iter, tol: self.tol };
        directions(coordinates, self.prior, make, limits, report, run)
    }
}

/// The squared residuals of the violated comparisons.
struct Residuals {
    rows: DenseMatrix,
    /// The comparisons with their weights.
    comparisons: Vec<(RowComparison, f64)>,
}

impl DistanceLoss for Residuals {
    fn add(&self, map: &DenseMatrix, gradient: &mut DenseMatrix) -> Loss {
        let mut value = 0.0;
        let (mut near, mut far) = (Vec::new(), Vec::new());
        for (comparison, weight) in &self.comparisons {
            row_difference(comparison.near, &self.rows, &mut near);
            row_difference(comparison.far, &self.rows, &mut far);
            let near_distance = squared_length(map, &near).sqrt();
            let far_distance = squared_length(map, &far).sqrt();
            // Equal far rows are at distance 0 under every metric.
            if near_distance <= far_distance || far_distance == 0.0 {
                if near_distance > 0.0 && far_distance == 0.0 {
                    value += weight * near_distance * near_distance;
                    add_outer(gradient, &near, *weight);
                }
                continue;
            }
            value += weight * (near_distance - far_distance).powi(2);
            add_outer(gradient, &near, weight * (1.0 - far_distance / near_distance));
            add_outer(gradient, &far, weight * (1.0 - near_distance / far_distance));
        }
        // The loss is proportional to the metric: its dual part is 0.
        Loss { value, beyond_dual: value }
    }
}

static MAX_ITER_LSML: OptionInfo = OptionInfo { default: "1000", ..MAX_ITER };

static TOL_LSML: OptionInfo =
    OptionInfo { help: "Relative duality gap at which to stop, a proven bound", ..TOL };

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "lsml",
    class: "LSML",
    supervised: true,
    cost: "c p² + p³ per iteration, c comparisons",
    purpose: "the metric closest to a prior under which given pairs are nearer than other pairs",
    source: "Liu et al. 2012",
    options: &[&PRIOR, &N_CONSTRAINTS, &MAX_ITER_LSML, &TOL_LSML],
    choose: &[],
    documentation: page!("lsml.rs"),
    python: Some(&PYTHON),
    build: build::<Lsml>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Least squared-residual metric learning: close to a prior, with comparisons of distances.",
    description: &[
        "Among all metrics, the one that minimizes the LogDet divergence from a prior plus the mean squared violation \
         of the comparisons. `fit_triplets` and `fit_quadruplets` learn from comparisons instead of classes.",
    ],
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    references: &[
        "E. Y. Liu, Z. Guo, X. Zhang, V. Jojic and W. Wang. Metric learning from relative comparisons by minimizing \
         squared residual. IEEE International Conference on Data Mining, 978-983, 2012.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import LSML",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> LSML(scale=\"standard\").fit(X, y).get_mahalanobis_matrix().shape",
        "(13, 13)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;

    #[test]
    fn one_violated_comparison_halves_the_metric() {
        // The near rows are 2 apart and the far rows 1: the loss is (2 sqrt(m) - sqrt(m))^2 = m, and
        // m - ln(m) - 1 + m is least at m = 1/2.
        let table = Table::from_row_major(&[0.0, 2.0, 3.0], 3, &["x"]).unwrap();
        let comparison = RowComparison { near: (0, 1), far: (1, 2) };
        let settings = INFO.settings(&[("tol", "1e-12")]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let fitted = INFO.fit_comparisons(&table, vec![comparison], &settings, &run).unwrap();
        let distance = fitted.model.distance(&[0.0], &[1.0]);
        assert!((distance * distance - 0.5).abs() < 1e-5, "{distance}");
        assert!((fitted.report.objective.unwrap() - 2.0_f64.ln()).abs() < 1e-9);
    }
}
