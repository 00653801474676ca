//! Large-margin nearest neighbours with a diagonal metric.

use std::ops::Range;

use rayon::prelude::*;

use super::options::{MAX_SWEEPS, MU, TARGET_NEIGHBORS};
use super::shared::{at_least_one, classes};
use super::{MethodInfo, Problem, Task};
use crate::error::{Error, Result};
use crate::maps::FeatureWeights;
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::solve::hinges::{HingeSums, Hinges, Side, minimise};
use crate::solve::pairs::{Points, squared_distance};
use crate::warning::Warning;

/// Large-margin nearest neighbours restricted to feature weights (Hocke & Martinetz 2013, eqs 3 to
/// 6 with a diagonal matrix; Weinberger & Saul 2009): over `w >= 0`,
/// `min (1 - mu) sum_{i,j} D(i,j) + mu sum_{i,j,l} [1 + D(i,j) - D(i,l)]_+` with
/// `D = sum_A w_A d_A^2`, j the target neighbours of row i (its `n_neighbors` nearest rows of the
/// same class) and l all rows of other classes.
///
/// `d_A` is the difference over the column's range (half the copies of a genotype, 0 or 1 of a
/// category). Target neighbours are fixed by the Euclidean distance of these, equally far rows by
/// their order in the table. Weights are divided by the largest and lie in [0, 1]; identical
/// columns share theirs. The report's `objective` is that of the undivided weights, `iterations`
/// the passes over all triples, and `relative_gap` the proven distance to the optimum.
///
/// This is a linear program with a row per triple, most of which are violated at the optimum where
/// classes overlap; they are streamed, not kept. A pass costs `n^2` distances over the features
/// with a weight and `n k` more per violated triple's feature; a few hundred passes suffice. With
/// `mu = 1` nothing pulls: where the classes can be parted every large enough metric is an optimum,
/// and one of them is returned; the proof then assumes that an optimum has no weight above ten
/// times the greatest found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DLmnn {
    /// Target neighbours of a row, at least 1.
    pub n_neighbors: usize,
    /// Weight of the violations, in [0, 1]; the pull has `1 - mu`.
    pub mu: f64,
    /// Most passes, at least 1.
    pub max_iter: usize,
}

impl Default for DLmnn {
    fn default() -> Self {
        Self { n_neighbors: 3, mu: 0.5, max_iter: 10_000 }
    }
}

impl DLmnn {
    /// Fits the weights.
    ///
    /// # Errors
    /// A real target, one class, no two rows of a class, missing values, options out of range;
    /// [`crate::Error::Cancelled`].
    pub fn fit(&self, problem: &Problem<'_>, run: &Run) -> Result<Fitted<FeatureWeights>> {
        INFO.timed(problem, run, |report| self.weights(problem, report, run))
    }

    fn weights(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        if !(0.0..=1.0).contains(&self.mu) {
            return Err(Error::option(MU.name, format!("found {}", self.mu), "give 0 to 1"));
        }
        at_least_one(&TARGET_NEIGHBORS, self.n_neighbors)?;
        at_least_one(&MAX_SWEEPS, self.max_iter)?;
        run.check()?;
        let classes = classes(problem, INFO.name)?;
        if classes.counts().iter().all(|&count| count == 1) {
            return Err(Error::data(
                "no two rows are of the same class",
                "d-lmnn needs neighbours within a class: give more rows of each class",
            ));
        }
        let points = Points::new(problem.table(), classes, INFO.name)?;
        let found = run.install(|| {
            let targets = target_neighbors(&points, classes.codes(), self.n_neighbors, run)?;
            let triples = Triples::new(&points, classes.codes(), targets, self.mu);
            minimise(&triples, points.even_weights(), self.max_iter, run)
        })?;
        report.add_minimum(&found);
        if found.u.iter().all(|weight| *weight == 0.0) {
            report.warnings.push(Warning::new(
                "no-weight",
                "no weights are better than all 0: give a greater mu",
            ));
        }
        Ok(points.spread(&found.u, problem.table().width()))
    }
}

/// Every row's nearest rows of its class; equally far rows in the table's order.
fn target_neighbors(points: &Points, codes: &[u32], k: usize, run: &Run) -> Result<Vec<Vec<u32>>> {
    let (rows, width) = points.weighted(points.own_units());
    let row = |row: usize| &rows[row * width..][..width];
    (0..codes.len())
        .into_par_iter()
        .map(|i| {
            run.check()?;
            let own = row(i);
            let mut near: Vec<(f64, u32)> = (0..codes.len())
                .filter(|&j| j != i && codes[j] == codes[i])
                .map(|j| (squared_distance(own, row(j)), j as u32))
                .collect();
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            Ok(near.into_iter().take(k).map(|(_, j)| j).collect())
        })
        .collect()
}

/// The hinges of all triples of a row, a target neighbour and a row of another class.
struct Triples<'p> {
    points: &'p Points,
    codes: &'p [u32],
    targets: Vec<Vec<u32>>,
    costs: Vec<f64>,
    mu: f64,
}

impl<'p> Triples<'p> {
    fn new(points: &'p Points, codes: &'p [u32], targets: Vec<Vec<u32>>, mu: f64) -> Self {
        let mut costs = vec![0.0; points.features()];
        let mut squares = costs.clone();
        for (i, near) in targets.iter().enumerate() {
            for &j in near {
                points.squares(i as u32, j, &mut squares);
                costs.iter_mut().zip(&squares).for_each(|(cost, d)| *cost += (1.0 - mu) * d);
            }
        }
        Self { points, codes, targets, costs, mu }
    }
}

impl Hinges for Triples<'_> {
    type Prepared = (Vec<f64>, usize);

    fn costs(&self) -> &[f64] {
        &self.costs
    }

    fn rows(&self) -> usize {
        self.codes.len()
    }

    fn prepare(&self, u: &[f64]) -> (Vec<f64>, usize) {
        self.points.weighted(u)
    }

    fn add(&self, rows: Range<usize>, (values, width): &(Vec<f64>, usize), sums: &mut HingeSums) {
        let row = |i: usize| &values[i * width..(i + 1) * width];
        let features = self.costs.len();
        let mut far = vec![0.0; features];
        let mut near: Vec<Near> = Vec::new();
        for i in rows {
            near.clear();
            near.extend(self.targets[i].iter().map(|&j| {
                let mut squares = vec![0.0; features];
                self.points.squares(i as u32, j, &mut squares);
                Near { square: squared_distance(row(i), row(j as usize)), squares, pushed: 0.0 }
            }));
            let farthest = near.iter().fold(0.0_f64, |most, near| most.max(near.square));
            for l in (0..self.codes.len()).filter(|&l| self.codes[l] != self.codes[i]) {
                let square = squared_distance(row(i), row(l));
                if 1.0 + farthest - square <= -sums.width() {
                    continue;
                }
                self.points.squares(i as u32, l as u32, &mut far);
                let mut pulled = 0.0;
                for near in &mut near {
                    match sums.hinge(1.0 + near.square - square, 1.0, self.mu) {
                        Side::Slack => {}
                        Side::Violated => {
                            pulled += self.mu;
                            near.pushed += self.mu;
                        }
                        Side::Breakpoint(breakpoint) => {
                            let squares = far.iter().zip(&near.squares);
                            let row: Vec<f64> = squares.map(|(far, near)| far - near).collect();
                            sums.breakpoint(breakpoint, &row);
                        }
                    }
                }
                sums.slope(pulled, &far);
            }
            for near in &near {
                sums.slope(-near.pushed, &near.squares);
            }
        }
    }

    fn most(&self, value: f64, u: &[f64]) -> Vec<f64> {
        let greatest = u.iter().copied().fold(0.0, f64::max);
        // The value is at least what any weight costs.
        let most = |&cost: &f64| if cost > 0.0 { value / cost } else { 10.0 * greatest };
        self.costs.iter().map(most).collect()
    }
}

/// A target neighbour of the row at hand.
struct Near {
    square: f64,
    squares: Vec<f64>,
    /// Sum of the multipliers of its violated triples.
    pushed: f64,
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "d-lmnn",
    task: Task::Classes,
    interactions: true,
    missing: false,
    cost: "n² p a pass",
    purpose: "a metric for k-NN: nearest rows of the same class nearer than all others",
    source: "Weinberger & Saul 2009, diagonal; Hocke & Martinetz 2013",
    options: &[&TARGET_NEIGHBORS, &MU, &MAX_SWEEPS],
    choose: &[&TARGET_NEIGHBORS, &MU],
    weigh: |problem, settings, report, run| {
        let d_lmnn = DLmnn {
            n_neighbors: settings.count(&TARGET_NEIGHBORS)?,
            mu: settings.number(&MU)?,
            max_iter: settings.count(&MAX_SWEEPS)?,
        };
        d_lmnn.weights(problem, report, run)
    },
};
