//! # `d-lmnn`: large margins by a linear program
//!
//! The large-margin nearest-neighbor metric with one weight per feature, as a linear program: every
//! row's target neighbors (nearest rows of its class) are pulled near, and rows of other classes kept
//! a margin farther away. Unlike [`lmba`](super::lmba) it fixes the target neighbors once, and reaches the
//! global optimum, which it proves.
//!
//! ## Formula
//!
//! Target neighbors $T(i)$ of row $i$ are its $k$ nearest rows of the same class by the Euclidean distance
//! of the differences below: $\sum_A \mathrm{diff}_A(i, j)^2$, in which numbers are divided by their ranges, so
//! that units do not matter. (The source takes the distance in the input space.) Of equally far rows the first
//! count. With $D_w(i, j) = \sum_A w_A \mathrm{diff}_A(i, j)^2$,
//!
//! ```math
//! \min_{w \ge 0} \; (1 - \mu) \sum_i \sum_{j \in T(i)} D_w(i, j) + \mu \sum_i \sum_{j \in T(i)} \sum_{l:\, c_l \ne c_i} \big[ 1 + D_w(i, j) - D_w(i, l) \big]_+ .
//! ```
//!
//! With $\mu = 1$ there is no pull. With $k = 1$ and $\mu = 1/2$ the optimum is that of
//! [`lmba`](super::lmba) for neighbors held fixed. Symbols are those of [the
//! overview](super#notation).
//!
//! ## Cost
//!
//! Where classes overlap most triples $(i, j, l)$ are violated at the optimum, so no program keeps
//! them: every pass streams over them. Their hinges are rounded off at the kink, Newton's method
//! minimizes the smooth sum, and the rounding shrinks until a lower bound from the multipliers proves
//! the optimum to 1e-9. A pass costs $n^2$ distances and $p$ per violated triple, a step $p^3$ and
//! more; there are a few hundred of both. Memory does not grow with the triples.
//!
//! With more than 100 features rows are mostly few, and so are violated triples and features with a
//! weight. Both are generated: an interior point method solves the program of the $v$ triples found
//! violated so far over the $a$ features that were worth it so far; a pass adds triples that this
//! violates, and the multipliers add features that bring more than they cost. A round costs some
//! dozens of products, $v\,a \min(v, a)$ each, one pass and $v\,p$; there are ten to thirty. Where so many
//! triples are violated that the program would not fit in 128 MB, the way above goes on from there.
//!
//! ## When not to use it
//!
//! - Many noise features: target neighbors are sought once, with all features alike.
//! - Outliers: differences are over a column's range, so that its unit does not matter, but one far value
//!   makes all others of its column alike. [`mdm`](super::mdm) is the same whatever columns are divided by.
//! - To rank: what the margins do not need gets 0. With $\mu = 1$ and classes that can be parted,
//!   many weights are optimal, and one of them is returned.
//! - For p-values: in every fit, under permuted targets too, the largest weight is 1, so that tests find
//!   nothing and are refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth twonorm --rows 200 --noise 5 --output twonorm.csv
//! basrelief rank twonorm.csv --target class --method d-lmnn --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.DLMNN(n_neighbors=3, mu=0.5).fit(X, y).weights_`
//!
//! ## Source
//!
//! F. Hocke and T. Martinetz. Feature weighting by maximum distance minimization. ICANN 2013, eqs 3 to
//! 6, with a diagonal metric; after K. Q. Weinberger and L. K. Saul. Distance metric learning for large
//! margin nearest neighbor classification. JMLR 10, 207-244, 2009.

use std::ops::Range;

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{MU, TARGET_NEIGHBORS};
use super::page::page;
use super::settings::settings;
use super::shared::{at_least_one, classes};
use crate::data::DenseMatrix;
use crate::differences::Metric;
use crate::error::{Error, Result};
use crate::knn::nearest_of_class;
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::solve::generated::{self, Name, NamedHinges};
use crate::solve::hinges::{HingeSums, Hinges, PROVEN, Side, minimize};
use crate::solve::scaled_points::{Points, squared_distance};
use crate::thresholds::SMOOTH_UNKNOWNS;
use crate::warning::Warning;
use crate::wording::setting;

settings! {
    /// Large-margin nearest neighbors restricted to feature weights (Hocke & Martinetz 2013, eqs 3 to
    /// 6 with a diagonal matrix; Weinberger & Saul 2009): over `w >= 0`,
    /// `min (1 - mu) sum_{i,j} D(i,j) + mu sum_{i,j,l} [1 + D(i,j) - D(i,l)]_+` with
    /// `D = sum_A w_A d_A^2`, j the target neighbors of row i (its `n_neighbors` nearest rows of the
    /// same class) and l all rows of other classes.
    ///
    /// `d_A` is the difference over the column's range (half the copies of a genotype, 0 or 1 of a
    /// category). Target neighbors are fixed by the Euclidean distance of these, equally far rows by
    /// their order in the table. Weights are divided by the largest and lie in [0, 1]; identical
    /// columns share theirs. The report's `objective` is that of the undivided weights, `iterations`
    /// the passes over all triples, and `relative_gap` the proven distance to the optimum.
    ///
    /// This is a linear program with a row per triple, most of which are violated at the optimum where
    /// classes overlap; they are streamed, not kept. A pass costs `n^2` distances over the features
    /// with a weight and `n k` more per violated triple's feature; a few hundred passes suffice. Of more
    /// than 100 features, those worth a weight and the triples violated are generated, in a few dozen passes. With
    /// `mu = 1` nothing pulls: where the classes can be parted every large enough metric is an optimum,
    /// and one of them is returned; the proof then assumes that an optimum has no weight above ten
    /// times the greatest found.
    ///
    /// # Errors
    /// The fit refuses: a real target, one class, no two rows of a class, missing values, options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct DLmnn {
        /// Target neighbors of a row, at least 1.
        pub n_neighbors: usize = TARGET_NEIGHBORS,
        /// Weight of the violations, in [0, 1]; the pull has `1 - mu`.
        pub mu: f64 = MU,
        /// Most passes, at least 1.
        pub max_iter: usize = MAX_SWEEPS,
    }
}

impl WeighFeatures for DLmnn {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
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
                "d-lmnn needs neighbors within a class: give more rows of each class",
            ));
        }
        let points = Points::new(problem.table(), classes, INFO.name)?;
        let found = run.install(|| {
            let (values, width) = points.weighted(points.own_units());
            let rows = DenseMatrix::new(values, classes.codes().len(), width);
            let (codes, k) = (classes.codes(), self.n_neighbors);
            let targets = nearest_of_class(&rows, Metric::Euclidean, codes, k, run)?;
            let triples = Triples::new(&points, classes.codes(), targets, self.mu);
            let narrow = points.features() <= SMOOTH_UNKNOWNS || self.mu == 0.0 || self.mu == 1.0;
            if narrow {
                return minimize(&triples, points.even_weights(), self.max_iter, run);
            }
            let first = generated::minimize(&triples, points.even_weights(), self.max_iter, run)?;
            if first.relative_gap() <= PROVEN || first.sweeps >= self.max_iter {
                return Ok(first);
            }
            let left = self.max_iter - first.sweeps;
            Ok(minimize(&triples, first.u.clone(), left, run)?.after(first))
        })?;
        report.add_minimum(&found);
        if found.u.iter().all(|weight| *weight == 0.0) {
            report.warnings.push(Warning::new(
                "no-weight",
                format!("no weights are better than all 0: raise {}", setting("mu", None)),
            ));
        }
        Ok(points.spread(&found.u, problem.table().width()))
    }
}

/// The hinges of all triples of a row, a target neighbor and a row of another class.
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

impl NamedHinges for Triples<'_> {
    fn price(&self) -> f64 {
        self.mu
    }

    fn violated(
        &self,
        i: usize,
        (values, width): &(Vec<f64>, usize),
        found: &mut Vec<(f64, Name)>,
    ) {
        let row = |i: usize| &values[i * width..(i + 1) * width];
        let near = |&j: &u32| (j, squared_distance(row(i), row(j as usize)));
        let near: Vec<(u32, f64)> = self.targets[i].iter().map(near).collect();
        let farthest = near.iter().fold(0.0_f64, |most, (_, square)| most.max(*square));
        for l in (0..self.codes.len()).filter(|&l| self.codes[l] != self.codes[i]) {
            let square = squared_distance(row(i), row(l));
            if square >= 1.0 + farthest {
                continue;
            }
            let lacks =
                near.iter().map(|(j, near)| (1.0 + near - square, (i as u32, *j, l as u32)));
            found.extend(lacks.filter(|(lack, _)| *lack > 0.0));
        }
    }

    fn coefficients(&self, (i, j, l): Name, out: &mut [f64]) {
        self.points.squares_beyond(i, l, j, out);
    }
}

/// A target neighbor of the row at hand.
struct Near {
    square: f64,
    squares: Vec<f64>,
    /// Sum of the multipliers of its violated triples.
    pushed: f64,
}

/// `max_iter` of `d-lmnn`: passes over all triples.
static MAX_SWEEPS: OptionInfo = OptionInfo {
    name: "max_iter",
    flag: "max-iter",
    kind: OptionKind::Count { least: 1 },
    default: "10000",
    help: "Most passes; if they do not suffice, a warning says how near the optimum is",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "d-lmnn",
    class: "DLMNN",
    task: Task::Classes,
    scale: WeightScale::LargestIsOne,
    interactions: true,
    missing: false,
    cost: "n² p a pass",
    range: (0.0, 1.0),
    purpose: "a metric for k-NN: nearest rows of the same class nearer than all others",
    source: "Weinberger & Saul 2009, diagonal; Hocke & Martinetz 2013",
    options: &[&TARGET_NEIGHBORS, &MU, &MAX_SWEEPS],
    choose: &[&TARGET_NEIGHBORS, &MU],
    documentation: page!("d_lmnn.rs"),
    python: Some(&PYTHON),
    build: weighing::<DLmnn>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Large-margin nearest neighbors with a diagonal metric (D-LMNN).",
    description: &[
        "Every row pulls its nearest rows of the same class and keeps rows of other classes a \
         margin farther away than these. The weights solve a linear program over all such triples, \
         and its optimum is proven. Distances under the weights are ``sqrt(sum(weights_ * \
         difference**2))`` with every difference over its column's range. Missing values are an \
         error.",
    ],
    weights: ", the greatest 1",
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    iterations: ": passes over all triples",
    see_also: &[
        ("MDM", "Is the same whatever columns are divided by."),
        (
            "Lmba",
            "Looks at the nearest rows in the space of its weights, and takes missing values.",
        ),
    ],
    references: &[
        "K. Q. Weinberger and L. K. Saul. Distance metric learning for large margin nearest \
         neighbor classification. Journal of Machine Learning Research 10, 207-244, 2009.",
        "J. Hocke and T. Martinetz. Feature weighting by maximum distance minimization. \
         International Conference on Artificial Neural Networks, 2013.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import DLMNN",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> DLMNN(n_features_to_select=5).fit(X, y).relative_gap_ < 1e-9",
        "True",
    ],
    ..PythonText::BLANK
};
