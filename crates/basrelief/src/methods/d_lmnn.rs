//! # `d-lmnn`: large margins by a linear program
//!
//! The large-margin nearest-neighbor metric (LMNN) with one weight per feature. It is the solution of a linear
//! program that pulls every row to its target neighbors (the nearest rows of its class) and keeps rows of other
//! classes a margin farther away. Unlike [`lmba`](super::lmba), it determines the target neighbors only once. It
//! finds the global optimum and proves it.
//!
//! ## Formula
//!
//! The target neighbors $T(i)$ of row $i$ are its $k$ nearest rows of the same class by the squared distance
//! $\sum_A \mathrm{diff}_A(i, j)^2$. Numeric differences are divided by the range of their column, so that units
//! do not matter. (The source uses the distance in the input space.) Among rows at equal distance, the first rows
//! of the table are taken. With $D_w(i, j) = \sum_A w_A \mathrm{diff}_A(i, j)^2$, the weights solve
//!
//! ```math
//! \min_{w \ge 0} \; (1 - \mu) \sum_i \sum_{j \in T(i)} D_w(i, j) + \mu \sum_i \sum_{j \in T(i)} \sum_{l:\, c_l \ne c_i} \big[ 1 + D_w(i, j) - D_w(i, l) \big]_+ .
//! ```
//!
//! With $\mu = 1$, the first term vanishes and nothing pulls. With $k = 1$ and $\mu = 1/2$, the optimum is that
//! of [`lmba`](super::lmba) with fixed neighbors. The symbols are defined in [the overview](super#notation).
//!
//! ## Cost
//!
//! If classes overlap, most triples $(i, j, l)$ are violated at the optimum. They are therefore not stored: every
//! pass streams over them. The hinges are smoothed at the kink, Newton's method minimizes the smooth sum, and the
//! width of the smoothing shrinks until a lower bound from the multipliers proves the optimum to 1e-9. A pass
//! computes $n^2$ distances and takes $p$ operations per violated triple. A Newton step takes at least $p^3$
//! operations. A fit takes a few hundred passes and steps. Memory does not grow with the number of triples.
//!
//! Tables with more than 100 features usually have few rows, few violated triples and few features with a positive
//! weight. They are solved by constraint and column generation: an interior point method solves the program with the
//! $v$ triples and the $a$ features added so far. One pass then adds triples that this solution violates, and the
//! multipliers determine features with negative reduced cost, which are added too. An iteration takes some dozens of
//! matrix products of $v\,a \min(v, a)$ operations each, one pass, and $v\,p$ operations. Ten to thirty iterations are
//! usual. If too many triples are violated for the program to fit in 128 MB, the streaming method above continues from
//! the current weights.
//!
//! ## When not to use it
//!
//! - Many noise features: the target neighbors are found only once, with equal weights of all features.
//! - Outliers: differences are divided by the range of the column, so that units do not matter. One extreme value
//!   then makes all other values of its column nearly equal. [`mdm`](super::mdm) does not depend on the scale of
//!   the columns.
//! - For rankings: features that the margins do not need have weight 0. With $\mu = 1$ and separable classes, many
//!   weight vectors are optimal, and one of them is returned.
//! - For p-values: the largest weight is 1 in every fit, for permuted targets too. Permutation tests would find nothing
//!   and are refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff) instead.
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
    /// Large-margin nearest neighbors with a diagonal metric (Hocke & Martinetz 2013, eqs 3 to 6;
    /// Weinberger & Saul 2009): over `w >= 0`,
    /// `min (1 - mu) sum_{i,j} D(i,j) + mu sum_{i,j,l} [1 + D(i,j) - D(i,l)]_+` with
    /// `D = sum_A w_A d_A^2`. Here j runs over the target neighbors of row i (its `n_neighbors` nearest rows of the
    /// same class) and l over all rows of other classes.
    ///
    /// `d_A` is the difference divided by the range of the column (genotypes: half the difference in allele copies;
    /// categories: 0 or 1). The target neighbors are the nearest rows by the Euclidean distance of these differences;
    /// ties are resolved by the order of the rows in the table. Weights are divided by the largest weight and lie in
    /// [0, 1]. Identical columns get equal parts of one weight. In the report, `objective` is the value for the
    /// undivided weights, `iterations` is the number of passes over all triples, and `relative_gap` is the proven
    /// distance to the optimum.
    ///
    /// This is a linear program with one row per triple. If classes overlap, most triples are violated at the
    /// optimum; they are streamed, not stored. A pass costs `n^2` distances over the features with a positive weight
    /// and `n k` operations more per feature of a violated triple; a few hundred passes suffice. With more than 100
    /// features, the program is solved by constraint and column generation in a few dozen passes. With `mu = 1`
    /// nothing pulls: if the classes are separable, every sufficiently large metric is optimal, and one of them is
    /// returned. The proof then assumes that some optimum has no weight above ten times the largest weight found.
    ///
    /// # Errors
    /// A numeric target, a single class, no two rows of the same class, missing values, options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct DLmnn {
        /// Number of target neighbors per row, at least 1.
        pub n_neighbors: usize = TARGET_NEIGHBORS,
        /// Weight of the violations, in [0, 1]; the pull has the weight `1 - mu`.
        pub mu: f64 = MU,
        /// Maximum number of passes, at least 1.
        pub max_iter: usize = MAX_SWEEPS,
    }
}

impl WeighFeatures for DLmnn {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        if !(0.0..=1.0).contains(&self.mu) {
            return Err(Error::option(
                MU.name,
                format!("found {}", self.mu),
                "use a value from 0 to 1",
            ));
        }
        at_least_one(&TARGET_NEIGHBORS, self.n_neighbors)?;
        at_least_one(&MAX_SWEEPS, self.max_iter)?;
        run.check()?;
        let classes = classes(problem, INFO.name)?;
        if classes.counts().iter().all(|&count| count == 1) {
            return Err(Error::data(
                "no two rows are of the same class",
                "d-lmnn needs neighbors within a class: provide more rows of each class",
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
                format!("all weights are 0 at the optimum: raise {}", setting("mu", None)),
            ));
        }
        Ok(points.spread(&found.u, problem.table().width()))
    }
}

/// The hinges of all triples: a row, one of its target neighbors, and a row of another class.
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
        // The objective is at least the cost of any single weight.
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

/// A target neighbor of the current row.
struct Near {
    square: f64,
    squares: Vec<f64>,
    /// Sum of the multipliers of the violated triples that contain it.
    pushed: f64,
}

/// `max_iter` of `d-lmnn`: the maximum number of passes over all triples.
static MAX_SWEEPS: OptionInfo = OptionInfo {
    name: "max_iter",
    flag: "max-iter",
    kind: OptionKind::Count { least: 1 },
    default: "10000",
    help: "Maximum number of passes; if it is reached, a warning reports the distance to the optimum",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "d-lmnn",
    class: "DLMNN",
    task: Task::Classes,
    scale: WeightScale::LargestIsOne,
    interactions: true,
    missing: false,
    cost: "n² p per pass",
    range: (0.0, 1.0),
    purpose: "a metric for k-NN: the nearest rows of the same class are nearer than other classes",
    source: "Weinberger & Saul 2009, diagonal; Hocke & Martinetz 2013",
    options: &[&TARGET_NEIGHBORS, &MU, &MAX_SWEEPS],
    choose: &[&TARGET_NEIGHBORS, &MU],
    documentation: page!("d_lmnn.rs"),
    python: Some(&PYTHON),
    build: weighing::<DLmnn>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Large-margin nearest neighbors with a diagonal metric (D-LMNN).",
    description: &[
        "Every row pulls its nearest rows of the same class and keeps rows of other classes a \
         margin farther away. The weights solve a linear program over all such triples, and the \
         optimum is proven. The distance between two rows is ``sqrt(sum(weights_ * \
         difference**2))``, where each difference is divided by the range of its column. Missing \
         values are an error.",
    ],
    weights: ", scaled so that the largest is 1",
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    iterations: ": passes over all triples",
    see_also: &[
        ("MDM", "Does not depend on the scale of the columns."),
        ("Lmba", "Finds the nearest rows in the space of its weights, and accepts missing values."),
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
