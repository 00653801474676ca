//! # `lmnn`: large margins with a full metric
//!
//! The large-margin nearest-neighbor metric (LMNN) pulls every row to its target neighbors (the nearest rows of its
//! class) and keeps rows of other classes a margin farther away. Unlike [`d-lmnn`](super::d_lmnn), which only weights
//! the features, it also forms linear combinations of them. The map is intended for k-NN or, with few components, for
//! plotting the classes.
//!
//! ## Formula
//!
//! The target neighbors $T(i)$ of row $i$ are its $k$ nearest rows of the same class by Euclidean distance
//! in the input space. With $D_L(i, j) = \lVert L (x_i - x_j) \rVert^2$, the map solves
//!
//! ```math
//! \min_L \; (1 - \mu) \sum_i \sum_{j \in T(i)} D_L(i, j) + \mu \sum_i \sum_{j \in T(i)} \sum_{l:\, c_l \ne c_i} \big[ 1 + D_L(i, j) - D_L(i, l) \big]_+ .
//! ```
//!
//! The problem is convex in $M = L^\top L$. If the number of components equals that of the dimensions, a search over
//! $L$ reaches the same optimum. With fewer components the result is a local optimum, and `init` specifies the start
//! of the search. Rows of a class with $k$ rows or fewer have fewer target neighbors. A row without target neighbors
//! still counts as a row of another class for other rows. The rows of the returned $L$ are orthogonal, in order of
//! decreasing length.
//!
//! ## Cost
//!
//! The hinges are smoothed over a width around their kinks, L-BFGS minimizes the smooth objective, and the width
//! shrinks until the smoothing has no effect. The search works in units in which the scatter of target neighbors is
//! isotropic, and rescales its start optimally; neither changes the optimum. A row far from all others makes one
//! direction of the start so long that the objective is hardly below its value at $L = 0$. The directions are then
//! set to equal length if this lowers the objective. If a search over all components stops where the gradient
//! predicts a much lower objective, it continues along the directions of descent.
//!
//! No triple is excluded. Every evaluation scans all pairs of rows of different classes in single precision, with a
//! bound on the rounding errors, and recomputes the pairs that may belong to a violated triple in double precision.
//! The reported objective is the exact objective over all triples at the returned map. No $n \times n$ matrix is
//! stored, and neither are pairs. The work is divided among up to one thread per 512 rows, at most 16. Each thread
//! has separate sums of the size of the mapped rows; if 16 of these take more than a quarter of a gigabyte, fewer
//! threads are used, but at least four.
//!
//! `--solver convex` searches over all components, adds directions of descent, and proves the optimum by weak
//! duality: the slopes of the smoothed hinges are multipliers of a lower bound, and `relative_gap` reports how far
//! the objective may be above it. Smoothed hinges do not give tight bounds, because their slopes change faster the
//! less they are smoothed. From a small width on, hinges far from their kinks are therefore fixed as violated or
//! satisfied, and an interior point method solves the semidefinite program of the remaining ones, up to some
//! thousands. This is repeated from the new solution until the gap is at most `--tol`. A step costs a matrix product
//! of these hinges in $p (p + 1) / 2$ dimensions; there are about one hundred steps, and the gap reaches about 1e-8.
//! With more than 70 columns the hinges are smoothed to the end, and the bound is less tight. If the target neighbors
//! do not differ in all dimensions, or with $\mu = 1$, the bound assumes that the trace of the optimum is at most ten
//! times the trace found. If the bound then exceeds the objective, the assumption is wrong: `relative_gap` is not
//! reported, and `converged` is false. The returned map consists of the first components of this metric.
//!
//! ## When not to use it
//!
//! - Many noise features: the target neighbors are found only once, with equal weights of all features.
//! - Features in different units, on which the pull and the target neighbors depend: use `--scale standard`.
//! - $\mu = 0$: the optimal map is 0.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth twonorm --rows 200 --noise 5 --output twonorm.csv
//! basrelief fit twonorm.csv --target class --method lmnn --components 2 --model lmnn.basrelief
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.LMNN(2, n_neighbors=3).fit_transform(X, y)`
//!
//! ## Source
//!
//! K. Q. Weinberger and L. K. Saul. Distance metric learning for large margin nearest neighbor
//! classification. JMLR 10, 207-244, 2009; in the notation of F. Hocke and T. Martinetz. Feature
//! weighting by maximum distance minimization. ICANN 2013, eqs 3 to 6.

use super::info::{MapMethodInfo, PythonText, build};
use super::learn::{Coordinates, Directions, Learn};
use super::options::{MAX_ITER, MU, TARGET_NEIGHBORS, TOL};
use super::page::page;
use super::settings::settings;
use super::shared::{above_zero, at_least_one};
use super::start::{INIT, Start};
use crate::algebra::{
    Eigen, Singular, column_products, principal_axes, product, singular, symmetric_eigen,
};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::margins::scatter::{PairWeights, symmetric};
use crate::objectives::lmnn_hinges::Triples;
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimize};
use crate::solve::metric_program::MetricProgram;
use crate::thresholds::{DECOMPOSED_ENTRIES, KINK_METRIC_ENTRIES, kinks_at_a_time};
use crate::warning::Warning;
use crate::wording::setting;

settings! {
    /// Large-margin nearest neighbors (Weinberger & Saul 2009; Hocke & Martinetz 2013, eqs 3 to 6):
    /// `min (1 - mu) sum_{i,j} D(i,j) + mu sum_{i,j,l} [1 + D(i,j) - D(i,l)]_+` with
    /// `D(i,j) = |L (x_i - x_j)|^2`. Here j runs over the target neighbors of row i (its `n_neighbors`
    /// nearest rows of the same class in the input space, the first of equally distant rows) and l over
    /// all rows of other classes.
    ///
    /// Rows of a class with `n_neighbors` rows or fewer have fewer target neighbors. A row without target
    /// neighbors still counts as a row of another class for other rows. The hinges are smoothed at their
    /// kinks, and L-BFGS minimizes the smooth objective, with widths that shrink until the smoothing has
    /// no effect. No triple is excluded: the report's `objective` is the exact objective of the map with
    /// all components. The rows of `L` are orthogonal, in order of decreasing length.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lmnn {
        /// Number of target neighbors per row, at least 1.
        pub n_neighbors: usize = TARGET_NEIGHBORS,
        /// Weight of the violations, in [0, 1]; the pull has the weight `1 - mu`.
        pub mu: f64 = MU,
        /// The start of the search.
        pub init: Start = INIT,
        /// The space that is searched.
        pub solver: Solver = SOLVER,
        /// Maximum number of iterations, at least 1.
        pub max_iter: usize = MAX_ITER_LMNN,
        /// Relative tolerance, above 0: the search ends when the smoothing of the hinges (with the convex
        /// solver, the relative gap) is at most this fraction of the objective.
        pub tol: f64 = TOL_LMNN,
    }
}

/// The space that LMNN searches.
///
/// ```
/// use basrelief::methods::{Lmnn, Solver};
///
/// let method = Lmnn::new().solver(Solver::Convex);
/// assert_eq!(method.solver, Solver::Convex);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Solver {
    /// Matrices with the requested number of components; the result is a local optimum unless these are all.
    #[default]
    LowRank,
    /// Metrics of any rank, of which the first components of the best one are returned; `relative_gap` in
    /// the report proves its optimality by a lower bound.
    Convex,
}

/// Relative floor of the eigenvalues of the target neighbors' scatter: eigenvalues below this fraction of the largest
/// are raised to it before the rows are rescaled by the scatter.
const LEAST_SCATTER: f64 = 1e-8;

/// A map whose objective exceeds this fraction of the objective at the zero map is hardly better than no map.
const FLAT: f64 = 0.9;

/// A search has stopped before the optimum if the gradient predicts a decrease above this fraction of the objective.
const UNFINISHED: f64 = 0.05;

/// Initial width of the kinks, the factor by which it shrinks, and the smallest width.
const WIDTH: (f64, f64, f64) = (1.0, 0.1, 1e-9);

/// Relative amount by which rounding may raise a lower bound above the value.
const BOUND_ROUNDING: f64 = 1e-9;

/// Maximum number of times that directions are added at one width.
const ROUNDS: usize = 20;

/// Below this width of the kinks, the convex solver optimizes the hinges at their kinks without smoothing.
const FINISH: f64 = 0.02;

/// Maximum number of times that kinks are determined at one width, and how many of these may bring no improvement.
const FINISHES: usize = 12;
const IDLE: usize = 2;

impl Learn for Lmnn {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn takes_start(&self) -> bool {
        true
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.check()?;
        let rows = coordinates.values();
        let codes = coordinates.classes()?.codes();
        let near = self.target_neighbors(coordinates, run)?;
        let size = match self.solver {
            Solver::LowRank => components,
            Solver::Convex => rows.columns(),
        };
        let start = self.init.matrix(coordinates, size, report, run)?;
        let units = Units::new(rows, &near, run)?;

        // The rows sorted by class, in the units of the search.
        let mut order: Vec<usize> = (0..rows.rows()).collect();
        order.sort_by_key(|&row| codes[row]);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at as u32);
        let sorted = product(&rows.select_rows(&order), &units.into, run)?;
        let codes: Vec<u32> = order.iter().map(|&row| codes[row]).collect();
        let near: Vec<Vec<u32>> = order
            .iter()
            .map(|&row| near[row].iter().map(|&target| place[target as usize]).collect())
            .collect();
        let triples = Triples::new(sorted, &codes, &near, self.mu);
        let start = usable_start(product(&start, &units.out, run)?, &triples, run)?;

        let (columns, unit) = (rows.columns(), units.unit);
        let search = Search { lmnn: self, triples, size, columns, unit, run };
        let found = search.minimize(start, units.exact, report)?;
        let matrix = principal_axes(&product(&found, &units.into, run)?, run)?;
        Ok(Directions { matrix, eigenvalues: Vec::new(), discriminant_power: None })
    }
}

/// Returns the map multiplied by the factor that minimizes the objective, and the objective there as a fraction of
/// that at the zero map; both are estimated on a sample of rows.
fn best_scaled(mut map: DenseMatrix, triples: &Triples, run: &Run) -> Result<(DenseMatrix, f64)> {
    let (scale, share) = triples.best_scale(&map, run)?;
    map.values_mut().iter_mut().for_each(|entry| *entry *= scale.sqrt());
    Ok((map, share))
}

/// The start in the units of the search, at its best scale. If this is hardly better than no map, the directions are
/// set to equal length, provided that this lowers the objective on the sample: a row far from all others makes one
/// direction so long that the others start near 0, where the objective is flat in them.
fn usable_start(start: DenseMatrix, triples: &Triples, run: &Run) -> Result<DenseMatrix> {
    let (start, share) = best_scaled(start, triples, run)?;
    if share <= FLAT {
        return Ok(start);
    }
    let Singular { left, right, .. } = singular(&start, run)?;
    let (even, even_share) = best_scaled(product(&left, &right, run)?, triples, run)?;
    Ok(if even_share < share { even } else { start })
}

/// The units of the search, in which the target neighbors' scatter is isotropic.
struct Units {
    /// Multiplied from the right, transforms rows into these units and maps back to the original units.
    into: DenseMatrix,
    /// Multiplied from the right, transforms maps into these units.
    out: DenseMatrix,
    /// Whether the scatter is exactly that of the data, with no eigenvalue raised.
    exact: bool,
    /// The scatter in these units, equal in all directions.
    unit: f64,
}

impl Units {
    fn new(rows: &DenseMatrix, near: &[Vec<u32>], run: &Run) -> Result<Self> {
        let pairs: Vec<(u32, u32, f64)> = near
            .iter()
            .enumerate()
            .flat_map(|(row, near)| near.iter().map(move |&target| (row as u32, target, 1.0)))
            .collect();
        let scatter = PairWeights::new(rows.rows(), &pairs).scatter(rows);
        let mut axes = symmetric_eigen(&scatter, run)?;
        let least = axes.values[0] * LEAST_SCATTER;
        let mut exact = axes.values.iter().all(|&value| value >= least && value > 0.0);
        if !exact && let Some((found, count)) = resolved(rows, &pairs, least, run)? {
            exact = count == found.values.len();
            axes = found;
        } else {
            axes.values.iter_mut().for_each(|value| *value = value.max(least));
        }
        let Eigen { values, vectors } = axes;
        let power = |exponent: f64| {
            let mut scaled = vectors.clone();
            for (row, &value) in values.iter().enumerate() {
                let value = if values[0] > 0.0 { value / values[0] } else { 1.0 };
                scaled.row_mut(row).iter_mut().for_each(|entry| *entry *= value.powf(exponent));
            }
            column_products(&vectors, &scaled, run)
        };
        Ok(Self { into: power(-0.5)?, out: power(0.5)?, exact, unit: values[0] })
    }
}

/// The eigenpairs of the scatter of some pairs of rows, computed from the singular values of their differences, and
/// the number of eigenvalues that are not rounding errors; the others are set to `least`. `None` if no eigenvalue
/// counted is below `least`, or if there are too few or too many differences.
fn resolved(
    rows: &DenseMatrix,
    pairs: &[(u32, u32, f64)],
    least: f64,
    run: &Run,
) -> Result<Option<(Eigen, usize)>> {
    let columns = rows.columns();
    if pairs.len() < columns || pairs.len().saturating_mul(columns) > DECOMPOSED_ENTRIES {
        return Ok(None);
    }
    let mut differences = DenseMatrix::zeros(pairs.len(), columns);
    for (at, &(i, j, _)) in pairs.iter().enumerate() {
        let both = rows.row(i as usize).iter().zip(rows.row(j as usize));
        let out = differences.row_mut(at).iter_mut();
        out.zip(both).for_each(|(out, (a, b))| *out = a - b);
    }
    let Singular { values: lengths, right: vectors, .. } = singular(&differences, run)?;
    let rounding = lengths[0] * f64::EPSILON * pairs.len() as f64;
    let count = lengths.iter().take_while(|&&length| length > rounding).count();
    let square = |length: &f64| length * length;
    if !lengths[..count].iter().map(square).any(|value| value < least) {
        return Ok(None);
    }
    let mut values: Vec<f64> = lengths.iter().map(square).collect();
    values[count..].fill(least);
    Ok(Some((Eigen { values, vectors }, count)))
}

impl Lmnn {
    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.mu) {
            return Err(Error::option(
                MU.name,
                format!("found {}", self.mu),
                "use a value from 0 to 1",
            ));
        }
        at_least_one(&TARGET_NEIGHBORS, self.n_neighbors)?;
        at_least_one(&MAX_ITER_LMNN, self.max_iter)?;
        above_zero(&TOL_LMNN, self.tol)
    }

    /// The target neighbors of every row.
    fn target_neighbors(&self, coordinates: &Coordinates<'_>, run: &Run) -> Result<Vec<Vec<u32>>> {
        if coordinates.classes()?.counts().iter().all(|&count| count <= 1) {
            return Err(Error::data(
                "no two rows are of the same class",
                "lmnn needs neighbors within a class: provide more rows of each class",
            ));
        }
        coordinates.nearest_of_class(self.n_neighbors, run)
    }
}

/// The search for a map.
struct Search<'s> {
    lmnn: &'s Lmnn,
    triples: Triples,
    /// Number of rows of the map.
    size: usize,
    /// Number of columns of the map.
    columns: usize,
    /// The scatter of target neighbors is this multiple of the identity, if it is exact.
    unit: f64,
    run: &'s Run,
}

/// The objective with smoothed hinges.
struct Rounded<'s> {
    search: &'s Search<'s>,
    width: f64,
}

impl Objective for Rounded<'_> {
    fn evaluate(&self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        let Search { triples, run, .. } = self.search;
        let sum = triples.evaluate(&self.search.matrix(point.to_vec()), self.width, run)?;
        let gradient = triples.gradient(&sum, run)?;
        Ok((sum.smooth, gradient))
    }
}

impl Search<'_> {
    fn matrix(&self, point: Vec<f64>) -> DenseMatrix {
        DenseMatrix::new(point, self.size, self.columns)
    }

    /// Minimizes with shrinking widths of the kinks until the smoothing has no effect, or until the
    /// optimum is proven.
    fn minimize(
        &self,
        start: DenseMatrix,
        exact: bool,
        report: &mut Report,
    ) -> Result<DenseMatrix> {
        let Lmnn { solver, max_iter, tol, .. } = *self.lmnn;
        let best = Best { value: f64::INFINITY, bound: 0.0, map: start.clone() };
        let (width, left, finished) = (WIDTH.0, max_iter, f64::INFINITY);
        let mut now = Stage { map: start, width, left, rounds: 0, finished, best };
        let mut converged = false;
        while now.left > 0 && now.width > WIDTH.2 {
            let change = (tol / 10.0).max(1e-5 * now.width.powf(0.75));
            let to_the_end = solver == Solver::Convex && !self.is_finished_by_kinks();
            let change = if to_the_end { 1e-7 * change } else { change };
            // The gradient does not matter here: the next width continues the descent.
            let stop =
                Stop { max_iter: now.left, change, gradient: 1e-12, steepness: f64::INFINITY };
            let rounded = Rounded { search: self, width: now.width };
            let found = minimize(&rounded, now.map.into_values(), stop, self.run)?;
            now.left = now.left.saturating_sub(found.iterations.max(1));
            now.map = self.matrix(found.point);
            let verdict = match solver {
                Solver::LowRank => self.judge_low_rank(&mut now, exact)?,
                Solver::Convex => self.judge_convex(&mut now, exact)?,
            };
            let Verdict::At { is_done, again } = verdict else {
                converged = now.best.gap() <= tol;
                break;
            };
            converged = found.converged && is_done;
            if converged {
                break;
            }
            if !again {
                (now.width, now.rounds) = (now.width * WIDTH.1, 0);
            }
        }
        self.tell(&now, exact, converged, report);
        Ok(now.best.map)
    }

    /// Whether smoothing still has an effect at a minimum with the requested components, or the map lacks a
    /// direction.
    fn judge_low_rank(&self, now: &mut Stage, exact: bool) -> Result<Verdict> {
        let Stage { map, width, rounds, best, .. } = now;
        let (sum, gradient) = if self.size == self.columns {
            let (sum, gradient) = self.triples.metric_gradient(map, *width, self.run)?;
            (sum, Some(gradient))
        } else {
            (self.triples.evaluate(map, *width, self.run)?, None)
        };
        best.take(sum.value, map);
        if let Some(gradient) = gradient {
            let Eigen { values, vectors } = symmetric_eigen(&symmetric(gradient), self.run)?;
            let least = values.last().copied().unwrap_or(0.0).min(0.0);
            let promised = -self.most_trace(best, exact) * least;
            *rounds += 1;
            if promised > UNFINISHED * sum.value {
                let again = *rounds < ROUNDS && self.escape(map, *width, &values, &vectors)?;
                return Ok(Verdict::At { is_done: false, again });
            }
        }
        let is_done = sum.smooth - sum.value <= self.lmnn.tol * sum.value;
        Ok(Verdict::At { is_done, again: false })
    }

    /// Whether the optimum over all metrics is proven, or the map lacks a direction.
    fn judge_convex(&self, now: &mut Stage, exact: bool) -> Result<Verdict> {
        let tol = self.lmnn.tol;
        let Stage { map, width, left, rounds, finished, best } = now;
        let (sum, gradient) = self.triples.metric_gradient(map, *width, self.run)?;
        best.take(sum.value, map);
        let Eigen { values, vectors } = symmetric_eigen(&symmetric(gradient), self.run)?;
        let trace = self.most_trace(best, exact);
        let least = values.last().copied().unwrap_or(0.0);
        best.bounded(sum.multipliers + trace * least.min(0.0), exact);
        if *width < FINISH && best.gap() > tol && self.is_finished_by_kinks() {
            *left = self.finish(best, exact, *left)?;
            let is_idle = best.gap() > 0.5 * *finished;
            if best.gap() <= tol || is_idle {
                return Ok(Verdict::Over);
            }
            *finished = best.gap();
            *map = best.map.clone();
        }
        let rounding = (sum.value - sum.multipliers).max(tol * sum.value);
        *rounds += 1;
        let escaped = self.escape(map, *width, &values, &vectors)?;
        let again = escaped && *rounds < ROUNDS && -trace * least > 0.25 * rounding;
        Ok(Verdict::At { is_done: best.gap() <= tol, again })
    }

    /// Reports how the search ended.
    fn tell(&self, now: &Stage, exact: bool, converged: bool, report: &mut Report) {
        let Lmnn { solver, max_iter, mu, .. } = *self.lmnn;
        let Stage { left, best, .. } = now;
        // If rounding hides how target neighbors differ, a map hardly better than none may be far from the optimum.
        let is_hidden = !exact && mu < 1.0 && best.value > FLAT * self.triples.value_without_map();
        let converged = converged && !is_hidden;
        report.objective = Some(best.value);
        report.iterations = Some(max_iter - left);
        report.converged = Some(converged);
        let mut message =
            format!("the objective still changed after {} iterations", max_iter - left);
        if solver == Solver::Convex {
            report.relative_gap = Some(best.gap()).filter(|gap| gap.is_finite());
            if !(exact && mu < 1.0) {
                report.warnings.push(Warning::new(
                    "bound-assumed",
                    "the lower bound assumes that the trace of the optimal metric is at most ten times \
                     that of the metric found, because the target neighbors do not bound all directions",
                ));
            }
            message = match report.relative_gap {
                Some(gap) => format!("the optimum is proven only to a relative gap of {gap:.3e}"),
                None => {
                    "the optimum is not proven: its metric is larger than the lower bound assumes"
                        .to_string()
                }
            };
        }
        if is_hidden {
            let text = "the differences between near rows vary so much that rounding hides the small ones: exclude rows \
                        that are far from all others, or scale the columns";
            report.warnings.push(Warning::new("not-converged", text.to_string()));
        } else if !converged {
            let (tol, max_iter) = (setting("tol", None), setting("max_iter", None));
            message += &match solver {
                Solver::Convex if *left > 0 && !self.is_finished_by_kinks() => format!(
                    ": double precision does not allow a smaller gap with smoothed hinges, and the method without \
                     smoothing does not support so many columns: raise {tol}, or use fewer columns (pca, or a selection)"
                ),
                Solver::Convex if *left > 0 => {
                    format!(": double precision does not allow a smaller gap: raise {tol}")
                }
                _ => format!(": raise {max_iter} or {tol}"),
            };
            report.warnings.push(Warning::new("not-converged", message));
        }
    }

    /// Upper bound of the trace of the optimum. It follows from the pull if this bounds all directions; otherwise the
    /// trace is assumed to be at most ten times the trace found.
    fn most_trace(&self, best: &Best, exact: bool) -> f64 {
        let mu = self.lmnn.mu;
        if exact && mu < 1.0 {
            return best.value / ((1.0 - mu) * self.unit);
        }
        10.0 * best.map.values().iter().map(|entry| entry * entry).sum::<f64>()
    }

    /// Whether metrics are small enough for the program of the hinges at their kinks (see [`Search::finish`]).
    fn is_finished_by_kinks(&self) -> bool {
        self.columns * (self.columns + 1) / 2 <= KINK_METRIC_ENTRIES && self.lmnn.mu > 0.0
    }

    /// Improves the best metric without smoothing the hinges. Hinges far from their kinks are fixed as violated or
    /// satisfied, and the program of the others, each with a separate multiplier, is solved. This is repeated from
    /// the new metric until the multipliers prove the optimum or the gap no longer shrinks. Returns the remaining
    /// iterations.
    fn finish(&self, best: &mut Best, exact: bool, mut left: usize) -> Result<usize> {
        let Lmnn { mu, tol, .. } = *self.lmnn;
        let entries = self.columns * (self.columns + 1) / 2;
        let mut most = kinks_at_a_time(entries);
        let mut idle = 0;
        for _ in 0..FINISHES {
            if left == 0 {
                break;
            }
            let kinks = self.triples.kinks(&best.map, most, self.run)?;
            let (sum, gradient) = self.triples.metric_gradient(&best.map, kinks.width, self.run)?;
            let shares: Vec<f64> = kinks.slopes.iter().map(|slope| mu * slope).collect();
            let rest = sum.multipliers - shares.iter().sum::<f64>();
            let (found, bound) = {
                let costs = symmetric(gradient);
                let program = |costs| MetricProgram {
                    rows: self.triples.rows(),
                    triples: &kinks.triples,
                    costs,
                    price: mu,
                    scale: best.value,
                    tolerance: (0.01 * tol).max(1e-12),
                };
                // The gradient without the contributions of the hinges at their kinks.
                let mut costs_of_rest = program(&costs).sum(&shares, self.run)?;
                let entries = costs_of_rest.values_mut().iter_mut().zip(costs.values());
                entries.for_each(|(entry, cost)| *entry += cost);
                let program = program(&costs_of_rest);
                let size = best.map.values().iter().map(|entry| entry * entry).sum::<f64>();
                let found = program.solve(size / self.columns as f64, self.run)?;
                let Some(found) = found else { break };
                let slopes =
                    symmetric_eigen(&program.slopes(&found.multipliers, self.run)?, self.run)?;
                let least = slopes.values.last().copied().unwrap_or(0.0).min(0.0);
                let proven = rest + found.multipliers.iter().sum::<f64>();
                (found, proven + self.most_trace(best, exact) * least)
            };
            left = left.saturating_sub(found.steps.max(1));
            let before = (best.value, best.gap());
            best.bounded(bound, exact);
            self.towards(&found.metric, best)?;
            if best.gap() <= tol {
                break;
            }
            // The gap cannot close if hinges were fixed wrongly: more of them must be free.
            if best.value > before.0 * (1.0 - 1e-13) && best.gap() > 0.5 * before.1 {
                idle += 1;
                most *= 2;
            }
            if idle > IDLE {
                break;
            }
        }
        Ok(left)
    }

    /// Line search from the best metric towards another one; stops at the first step that lowers the objective.
    fn towards(&self, metric: &DenseMatrix, best: &mut Best) -> Result<()> {
        let from = column_products(&best.map, &best.map, self.run)?;
        let value = best.value;
        for share in [1.0, 0.5, 0.25, 0.1, 0.03, 0.01] {
            let between = from.values().iter().zip(metric.values());
            let between = between.map(|(from, to)| from + share * (to - from)).collect();
            let between = DenseMatrix::new(between, self.columns, self.columns);
            let Eigen { values, mut vectors } = symmetric_eigen(&between, self.run)?;
            for (row, value) in values.iter().enumerate() {
                let length = value.max(0.0).sqrt();
                vectors.row_mut(row).iter_mut().for_each(|entry| *entry *= length);
            }
            let there = self.triples.evaluate(&vectors, WIDTH.2, self.run)?.value;
            best.take(there, &vectors);
            if best.value < value {
                break;
            }
        }
        Ok(())
    }

    /// Adds the directions that a map lacks and in which the objective decreases; returns whether it added any.
    ///
    /// The gradient with respect to `L` vanishes in directions where `L` is 0, even if the gradient with respect to
    /// `L'L` does not.
    fn escape(
        &self,
        map: &mut DenseMatrix,
        width: f64,
        values: &[f64],
        vectors: &DenseMatrix,
    ) -> Result<bool> {
        let falls = values.iter().rev().take_while(|&&value| value < 0.0).count();
        if falls == 0 {
            return Ok(false);
        }
        let rows = self.columns - falls..self.columns;
        let before = self.triples.evaluate(map, width, self.run)?.smooth;
        let mean = map.values().iter().map(|entry| entry * entry).sum::<f64>() / self.size as f64;
        for factor in [1e-2, 1e-4, 1e-6, 1e-8] {
            let mut longer = map.values().to_vec();
            for row in rows.clone() {
                let scale = (factor * mean * values[row] / values[self.columns - 1]).sqrt();
                longer.extend(vectors.row(row).iter().map(|entry| scale * entry));
            }
            let longer = DenseMatrix::new(longer, self.size + falls, self.columns);
            let longer = principal_axes(&longer, self.run)?;
            if self.triples.evaluate(&longer, width, self.run)?.smooth < before {
                *map = longer;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The state of a search.
struct Stage {
    map: DenseMatrix,
    /// Width of the kinks.
    width: f64,
    /// Remaining iterations.
    left: usize,
    /// Number of times that directions were added at this width.
    rounds: usize,
    /// The gap after the last call of [`Search::finish`].
    finished: f64,
    best: Best,
}

/// The conclusion from a minimum at one width.
enum Verdict {
    /// Continuing brings no improvement.
    Over,
    /// Whether the map is good enough if the minimization converged, and whether to minimize again at this width with
    /// more directions. Otherwise the search continues with a smaller width.
    At { is_done: bool, again: bool },
}

/// The best map so far, and the best lower bound.
struct Best {
    value: f64,
    bound: f64,
    map: DenseMatrix,
}

impl Best {
    fn take(&mut self, value: f64, map: &DenseMatrix) {
        if value < self.value {
            (self.value, self.map) = (value, map.clone());
        }
    }

    /// Adds a lower bound. A bound that assumes the size of the optimum applies to the current map only.
    fn bounded(&mut self, bound: f64, exact: bool) {
        self.bound = if exact { self.bound.max(bound) } else { bound };
    }

    /// Upper bound of the relative distance of the value to the optimum; infinite if the bound lies above the value,
    /// so that its assumption is wrong.
    fn gap(&self) -> f64 {
        match self.value {
            value if self.bound > value * (1.0 + BOUND_ROUNDING) => f64::INFINITY,
            value if value > 0.0 => ((value - self.bound) / value).max(0.0),
            _ => 0.0,
        }
    }
}

choices! {
    Solver {
        LowRank = "low-rank",
        Convex = "convex",
    }
}

/// `solver` of `lmnn`.
static SOLVER: OptionInfo = OptionInfo {
    name: "solver",
    flag: "solver",
    kind: OptionKind::Choice(Solver::WORDS),
    default: "low-rank",
    help: "Learn a matrix with the requested components, or the best metric of any rank with a proof",
};

/// `max_iter` of `lmnn`.
static MAX_ITER_LMNN: OptionInfo = OptionInfo { default: "1000", ..MAX_ITER };

/// `tol` of `lmnn`.
static TOL_LMNN: OptionInfo = OptionInfo {
    default: "1e-5",
    help: "Relative tolerance of the objective: for the smoothing, or (convex solver) for the proven gap",
    ..TOL
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "lmnn",
    class: "LMNN",
    supervised: true,
    cost: "n² c + n p c per iteration",
    purpose: "a metric for k-NN: the nearest rows of the same class are nearer than other classes",
    source: "Weinberger & Saul 2009; Hocke & Martinetz 2013",
    options: &[&TARGET_NEIGHBORS, &MU, &INIT, &SOLVER, &MAX_ITER_LMNN, &TOL_LMNN],
    choose: &[&TARGET_NEIGHBORS, &MU],
    documentation: page!("lmnn.rs"),
    python: Some(&PYTHON),
    build: build::<Lmnn>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Large-margin nearest neighbors: rows of other classes are a margin farther away.",
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    see_also: &[(
        "DLMNN",
        "The same objective with one weight per feature; the optimum is proven.",
    )],
    references: &[
        "K. Q. Weinberger and L. K. Saul. Distance metric learning for large margin nearest \
         neighbor classification. Journal of Machine Learning Research 10, 207-244, 2009.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import LMNN",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> LMNN(2, scale=\"standard\").fit_transform(X, y).shape",
        "(178, 2)",
    ],
    ..PythonText::BLANK
};
