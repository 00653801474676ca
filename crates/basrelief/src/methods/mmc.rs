//! # `mmc`: far pairs as far as possible, near pairs at a fixed distance
//!
//! Mahalanobis metric for clustering: the metric that maximizes the sum of the distances of pairs of rows that should be
//! far apart, while the mean squared distance of pairs that should be near is 1. The method needs only pairs: in Python,
//! pairs can replace the classes.
//!
//! ## Formula
//!
//! With the near pairs $N$ and the far pairs $F$, the metric solves
//!
//! ```math
//! \max_{M \succeq 0} \sum_{(i, j) \in F} \sqrt{(x_i - x_j)^\top M (x_i - x_j)}, \qquad \frac{1}{|N|} \sum_{(i, j) \in N} (x_i - x_j)^\top M (x_i - x_j) \le 1 .
//! ```
//!
//! The problem is convex. The constraint holds with equality, so that $M = L^\top L$ minimizes
//! $\frac{1}{2} \log \sum_N d^2 - \log \sum_F d$, which L-BFGS does over $L$, in coordinates in which the near pairs vary
//! equally in all directions. With $G = \frac{1}{2} \sum_F (x_i - x_j)(x_i - x_j)^\top / d_{ij}$ in these coordinates and
//! its largest eigenvalue $\lambda$, the sum of the distances is at most $\sqrt{2 \lambda \sum_F d}$ for every
//! metric. The search stops when this bound is at most `--tol` above the sum (`relative_gap`). With
//! `--entries diagonal`, $M$ is diagonal: one weight per feature.
//!
//! `--constraints` pairs of each kind are drawn by the seed. The report's `objective` is the mean distance of the far
//! pairs. The components are the eigenvectors of $M$, the largest eigenvalue first; the metric often has a low rank.
//!
//! ## Cost
//!
//! An evaluation of the objective takes $2 c p^2 + p^3$ multiplications for $c$ pairs. With more features than rows, $n$
//! replaces $p$.
//!
//! ## When not to use it
//!
//! - Classes of several groups each: the near pairs then include rows of different groups, which cannot all be near.
//!   Use [`lmnn`](super::lmnn) or [`nca`](super::nca).
//! - Fewer near pairs than features: in some direction no near pair differs, and a ridge decides how far rows are
//!   there.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 300 --output waveform.csv
//! basrelief fit waveform.csv --target class --method mmc --scale standard --model mmc.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MMC(scale="standard").fit(X, y).get_mahalanobis_matrix()`
//!
//! ## Source
//!
//! E. P. Xing, A. Y. Ng, M. I. Jordan and S. Russell. Distance metric learning, with application to clustering with
//! side-information. Advances in Neural Information Processing Systems 15, 2003, 521-528.

use std::cell::Cell;

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Frame, Learn};
use super::log_det::squared_length;
use super::options::{MAX_ITER, TOL};
use super::page::page;
use super::ridge::{RIDGE, Ridge};
use super::row_pair::RowPair;
use super::row_pairs::{LearnFromPairs, N_CONSTRAINTS, OfPairs, PairCount, drawn};
use super::settings::settings;
use super::shared::{above_zero, at_least_one};
use crate::algebra::{add_outer, principal_axes, product, row_products, symmetric_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::margins::scatter::PairWeights;
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimize};
use crate::warning::Warning;
use crate::wording::setting;

/// Distances below this fraction of the root mean square are raised to it in the gradient, which is infinite at 0.
const LEAST_DISTANCE: f64 = 1e-9;

choices! {
    MetricEntries {
        All = "all",
        Diagonal = "diagonal",
    }
}

settings! {
    /// Mahalanobis metric for clustering (Xing, Ng, Jordan & Russell 2003): the metric that maximizes the sum of the
    /// distances of far pairs, while the mean squared distance of near pairs is 1.
    ///
    /// In the report, `objective` is the mean distance of the far pairs, and `relative_gap` bounds its distance to the
    /// optimum, relative to the objective. The components are the eigenvectors of the metric, the largest eigenvalue
    /// first.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Mmc {
        /// The entries of the metric that are learned.
        pub entries: MetricEntries = ENTRIES,
        /// Number of pairs of each kind.
        pub n_constraints: PairCount = N_CONSTRAINTS by str::parse,
        /// The ridge added to the scatter of the near pairs.
        pub ridge: Ridge = RIDGE by str::parse,
        /// Maximum number of iterations.
        pub max_iter: usize = MAX_ITER_MMC,
        /// Relative distance to the optimum at which to stop.
        pub tol: f64 = TOL_MMC,
    }
}

/// The entries of a metric that are learned; the others are 0.
///
/// ```
/// use basrelief::methods::{MetricEntries, Mmc};
///
/// let method = Mmc::new().entries(MetricEntries::Diagonal);
/// assert_eq!(method.entries, MetricEntries::Diagonal);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricEntries {
    /// All entries.
    #[default]
    All,
    /// The diagonal: one weight per feature.
    Diagonal,
}

impl Learn for Mmc {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn frame(&self) -> Frame {
        match self.entries {
            MetricEntries::All => Frame::Either,
            MetricEntries::Diagonal => Frame::Features,
        }
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

impl LearnFromPairs for Mmc {
    fn learn_from(
        &self,
        coordinates: &Coordinates<'_>,
        pairs: &[RowPair],
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        at_least_one(&MAX_ITER_MMC, self.max_iter)?;
        above_zero(&TOL_MMC, self.tol)?;
        let rows = coordinates.values();
        let scatter = |alike: bool| {
            let of_kind = pairs.iter().filter(|pair| pair.alike == alike);
            let weight = 1.0 / of_kind.clone().count() as f64;
            let weighted: Vec<(u32, u32, f64)> =
                of_kind.map(|pair| (pair.rows.0, pair.rows.1, weight)).collect();
            PairWeights::new(rows.rows(), &weighted).scatter(rows)
        };
        let (mut near, mut far) = (scatter(true), scatter(false));
        for (alike, kind) in [(true, "near"), (false, "far")] {
            let differs =
                |pair: &&RowPair| rows.row(pair.rows.0 as usize) != rows.row(pair.rows.1 as usize);
            if !pairs.iter().filter(differs).any(|pair| pair.alike == alike) {
                return Err(Error::data(
                    format!("there are no {kind} pairs of different rows"),
                    "mmc learns from near and far pairs: provide both",
                ));
            }
        }
        if self.entries == MetricEntries::Diagonal {
            for matrix in [&mut near, &mut far] {
                for i in 0..matrix.rows() {
                    let own = matrix.row(i)[i];
                    matrix.row_mut(i).fill(0.0);
                    matrix.row_mut(i)[i] = own;
                }
            }
        }
        // In the coordinates of `whitening`, the near pairs vary equally in all directions.
        let name = "the scatter of the near pairs";
        let whitening = match self.entries {
            MetricEntries::All => self.ridge.eigen(&far, &near, name, report, run)?.vectors,
            MetricEntries::Diagonal => self.ridge.diagonal_root(&near, name, report)?,
        };
        let rows = row_products(rows, &whitening, run)?;
        let far = pairs.iter().filter(|pair| !pair.alike).copied().collect();
        let map = self.farthest(rows, far, report, run)?;
        let matrix = principal_axes(&product(&map, &whitening, run)?, run)?;
        let eigenvalues = matrix.iter().map(|row| row.iter().map(|entry| entry * entry).sum());
        Ok(Directions { eigenvalues: eigenvalues.collect(), matrix, discriminant_power: None })
    }
}

impl Mmc {
    /// Returns the map of norm 1 under which the pairs have the largest mean distance.
    fn farthest(
        &self,
        rows: DenseMatrix,
        pairs: Vec<RowPair>,
        report: &mut Report,
        run: &Run,
    ) -> Result<DenseMatrix> {
        let size = rows.columns();
        let is_diagonal = self.entries == MetricEntries::Diagonal;
        let last = Cell::new((f64::NAN, f64::INFINITY));
        let problem = Spread { rows, pairs, is_diagonal, tol: self.tol, last, run };
        // The bound decides; otherwise stop only when nothing changes.
        let stop = Stop {
            max_iter: self.max_iter,
            change: f64::EPSILON,
            gradient: 0.0,
            steepness: f64::INFINITY,
        };
        let root = (1.0 / size as f64).sqrt();
        let start = match self.entries {
            MetricEntries::Diagonal => vec![root; size],
            MetricEntries::All => {
                let mut start = DenseMatrix::identity(size).into_values();
                start.iter_mut().for_each(|entry| *entry *= root);
                start
            }
        };
        let found = minimize(&problem, start, stop, run)?;
        let gap = problem.relative_gap(&found.point, found.value)?;
        let converged = gap <= self.tol;
        if !converged {
            report.warnings.push(Warning::new(
                "not-converged",
                format!(
                    "after {} iterations the objective is proven to be within {gap:.1e} of the optimum: raise {} for a \
                     better map",
                    found.iterations,
                    setting("max_iter", None)
                ),
            ));
        }
        (report.iterations, report.converged) = (Some(found.iterations), Some(converged));
        (report.objective, report.relative_gap) = (Some((-found.value).exp()), Some(gap));
        let mut map = problem.map(&found.point);
        let norm = map.values().iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        map.values_mut().iter_mut().for_each(|entry| *entry /= norm);
        Ok(map)
    }
}

/// The logarithm of the norm of a map minus that of the mean distance of the pairs under it.
struct Spread<'a> {
    rows: DenseMatrix,
    pairs: Vec<RowPair>,
    is_diagonal: bool,
    tol: f64,
    /// The value and the relative gap of the last evaluated point.
    last: Cell<(f64, f64)>,
    run: &'a Run,
}

impl Spread<'_> {
    /// The map of a point: its entries, or its diagonal.
    fn map(&self, point: &[f64]) -> DenseMatrix {
        let size = self.rows.columns();
        if !self.is_diagonal {
            return DenseMatrix::new(point.to_vec(), size, size);
        }
        let mut map = DenseMatrix::zeros(size, size);
        point.iter().enumerate().for_each(|(k, &entry)| map.row_mut(k)[k] = entry);
        map
    }

    fn relative_gap(&self, point: &[f64], value: f64) -> Result<f64> {
        if self.last.get().0 != value {
            self.evaluate(point)?;
        }
        Ok(self.last.get().1)
    }
}

impl Objective for Spread<'_> {
    fn evaluate(&self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        self.run.check()?;
        let (size, map) = (self.rows.columns(), self.map(point));
        let squared_norm: f64 = point.iter().map(|entry| entry * entry).sum();
        let mut difference = Vec::with_capacity(size);
        let squares: Vec<f64> = self
            .pairs
            .iter()
            .map(|pair| {
                pair.difference(&self.rows, &mut difference);
                squared_length(&map, &difference)
            })
            .collect();
        let count = squares.len() as f64;
        let least = LEAST_DISTANCE * (squares.iter().sum::<f64>() / count).sqrt();
        let (mut sum, mut raised) = (0.0, 0.0);
        // The mean of the outer products, each divided by its distance.
        let mut scatter = DenseMatrix::zeros(size, size);
        for (pair, square) in self.pairs.iter().zip(&squares) {
            let distance = square.sqrt();
            sum += distance;
            raised += distance.max(least);
            pair.difference(&self.rows, &mut difference);
            add_outer(&mut scatter, &difference, 1.0 / (count * distance.max(least)));
        }
        let mean = sum / count;
        let largest = if self.is_diagonal {
            (0..size).map(|k| scatter.row(k)[k]).fold(0.0, f64::max)
        } else {
            symmetric_eigen(&scatter, self.run)?.values.first().copied().unwrap_or(0.0)
        };
        let bound = (squared_norm * largest * raised / count).sqrt();
        let value = squared_norm.ln() / 2.0 - mean.ln();
        self.last.set((value, (bound / mean - 1.0).max(0.0)));
        let pulled = product(&map, &scatter, self.run)?;
        let slope = |place: usize, pulled: f64| point[place] / squared_norm - pulled / mean;
        let gradient = if self.is_diagonal {
            (0..size).map(|k| slope(k, pulled.row(k)[k])).collect()
        } else {
            pulled.values().iter().enumerate().map(|(k, &pulled)| slope(k, pulled)).collect()
        };
        Ok((value, gradient))
    }

    fn is_enough(&self, point: &[f64], value: f64) -> bool {
        self.relative_gap(point, value).is_ok_and(|gap| gap <= self.tol)
    }
}

/// `entries`: the entries of the metric that are learned.
static ENTRIES: OptionInfo = OptionInfo {
    name: "entries",
    flag: "entries",
    kind: OptionKind::Choice(MetricEntries::WORDS),
    default: "all",
    help: "Entries of the metric that are learned: all, or those of a diagonal matrix, one weight per feature",
};

static MAX_ITER_MMC: OptionInfo = OptionInfo { default: "1000", ..MAX_ITER };

static TOL_MMC: OptionInfo = OptionInfo {
    default: "1e-4",
    help: "Distance to the optimum at which to stop, relative to the objective, a proven bound",
    ..TOL
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "mmc",
    class: "MMC",
    supervised: true,
    cost: "c p² + p³ per iteration, c pairs",
    purpose: "a metric that moves far pairs apart while near pairs stay at distance 1",
    source: "Xing, Ng, Jordan & Russell 2003",
    options: &[&ENTRIES, &N_CONSTRAINTS, &RIDGE, &MAX_ITER_MMC, &TOL_MMC],
    choose: &[],
    documentation: page!("mmc.rs"),
    python: Some(&PYTHON),
    build: build::<Mmc>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Mahalanobis metric for clustering: far pairs as far as possible, near pairs at distance 1.",
    description: &[
        "The metric maximizes the sum of the distances of the far pairs, while the mean squared distance of the near \
         pairs is 1. `fit_pairs` learns from pairs instead of classes.",
    ],
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_", "ridge_"],
    references: &[
        "E. P. Xing, A. Y. Ng, M. I. Jordan and S. Russell. Distance metric learning, with application to clustering \
         with side-information. Advances in Neural Information Processing Systems 15, 521-528, 2003.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MMC",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> MMC(scale=\"standard\").fit(X, y).get_mahalanobis_matrix().shape",
        "(13, 13)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;

    #[test]
    fn equal_parts_for_features_of_equal_use() {
        // The near rows differ by 1 in both features, one far pair in each: sqrt(v) + sqrt(w) is largest for v + w = 1
        // where both are 1/2.
        let rows = [0.0, 0.0, 1.0, 1.0, 5.0, 0.0, 0.0, 5.0];
        let table = Table::from_row_major(&rows, 4, &["x", "y"]).unwrap();
        let pair = |first, second, alike| RowPair { rows: (first, second), alike };
        let pairs = vec![pair(0, 1, true), pair(0, 2, false), pair(0, 3, false)];
        let settings = INFO.settings(&[("entries", "diagonal"), ("tol", "1e-9")]).unwrap();
        let run = Run::new(Some(1)).unwrap();
        let fitted = INFO.fit_pairs(&table, pairs, &settings, &run).unwrap();
        for unit in [[1.0, 0.0], [0.0, 1.0]] {
            let distance = fitted.model.distance(&[0.0, 0.0], &unit);
            assert!((distance * distance - 0.5).abs() < 1e-4, "{distance}");
        }
        assert!((fitted.report.objective.unwrap() - 5.0 * 0.5_f64.sqrt()).abs() < 1e-6);
    }
}
