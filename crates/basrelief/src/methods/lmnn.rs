//! # `lmnn`: large margins with a full metric
//!
//! The large-margin nearest-neighbor metric: every row's target neighbors (nearest rows of its class)
//! are pulled near, and rows of other classes kept a margin farther away. Unlike
//! [`d-lmnn`](super::d_lmnn), which weighs the features one by one, it also turns them: a map that k-NN
//! works well in, or with few components a picture of the classes.
//!
//! ## Formula
//!
//! Target neighbors $T(i)$ of row $i$ are its $k$ nearest rows of the same class by Euclidean distance
//! in the input space. With $D_L(i, j) = \lVert L (x_i - x_j) \rVert^2$,
//!
//! ```math
//! \min_L \; (1 - \mu) \sum_i \sum_{j \in T(i)} D_L(i, j) + \mu \sum_i \sum_{j \in T(i)} \sum_{l:\, c_l \ne c_i} \big[ 1 + D_L(i, j) - D_L(i, l) \big]_+ .
//! ```
//!
//! In $M = L^\top L$ this is convex; with as many components as dimensions nothing is lost by searching
//! $L$. With fewer the result is a local optimum, and `init` says where the search starts. A class of
//! fewer rows has fewer target neighbors; a row without any keeps others away from nobody, but is kept
//! away. The rows of the $L$ returned are orthogonal, the longest first.
//!
//! ## Cost
//!
//! The hinges are rounded off over a width around their kinks, the smooth objective is minimized by
//! L-BFGS, and the width shrinks until rounding matters no more. The search works in units in which the
//! scatter of target neighbors is even, and starts from the best scale of its start; neither changes
//! the optimum. A row far from all others makes one direction of the start so long that the objective is hardly
//! below that of no map; its directions are then made equally long where this is better. A search of all components that stops where
//! the slope promises a much lower objective goes on in the directions in which it falls.
//!
//! No triple is left out. In every evaluation all pairs of rows of different classes are looked through in single
//! precision, with a bound on the rounding; those that are near enough for a violated triple are then computed in
//! double precision. The objective reported is the full one at the map returned. Nothing is $n \times n$, and pairs
//! are not kept. There is work for one thread per 512 rows, for 16 at most. Each has sums of its own, as large as the
//! mapped rows; where 16 of these take more than a quarter of a gigabyte there are fewer, and at least four.
//!
//! `--solver convex` searches all components, adds directions in which the objective still falls, and
//! proves the optimum by weak duality: the slopes of the rounded hinges are multipliers, and
//! `relative_gap` tells how far the objective may be above the bound they give. Rounded hinges prove
//! little in the end, as their slopes change the faster the less they are rounded. So from a small
//! width on, hinges far from their kinks are taken for what they are, violated or not, and the
//! semidefinite program of the others, up to some thousands, is solved by an interior point method; this is done
//! again from there until the proof is as good as `--tol`. A step costs a product of these hinges in
//! $p (p + 1) / 2$ dimensions; there are about a hundred, and proofs to some 1e-8. Beyond 70 columns
//! the hinges are rounded off to the end, and the proof is what that gives. Where the target
//! neighbors do not differ in all dimensions, or with $\mu = 1$, the bound assumes that the optimum's
//! trace is at most ten times that found; if the bound then exceeds the objective, the assumption is wrong: there
//! is no `relative_gap`, and `converged` is false. The components wanted are cut from that metric.
//!
//! ## When not to use it
//!
//! - Many noise features: target neighbors are sought once, with all features alike.
//! - Features in different units: the pull and the target neighbors depend on them; use
//!   `--scale standard`.
//! - With $\mu = 0$ the best map is 0.
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
    /// `D(i,j) = |L (x_i - x_j)|^2`, j the target neighbors of row i (its `n_neighbors` nearest rows of
    /// the same class in the input space, the first of equally far rows) and l all rows of other
    /// classes.
    ///
    /// A class of fewer rows has fewer target neighbors; a row without any keeps others away from
    /// nobody, but is kept away. The hinges are rounded off at their kinks and the smooth objective
    /// minimized by L-BFGS, over widths that shrink until rounding matters no more. No triple is ever
    /// left out: the report's `objective` is the full one at the map before components are cut off. The rows of `L` are
    /// orthogonal, the longest first.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Lmnn {
        /// Target neighbors of a row, at least 1.
        pub n_neighbors: usize = TARGET_NEIGHBORS,
        /// Weight of the violations, in [0, 1]; the pull has `1 - mu`.
        pub mu: f64 = MU,
        /// Where the search starts.
        pub init: Start = INIT,
        /// What is searched.
        pub solver: Solver = SOLVER,
        /// Most iterations, at least 1.
        pub max_iter: usize = MAX_ITER_LMNN,
        /// Share of the objective that the rounding of hinges (with the convex solver the gap of the
        /// proof) may leave open when the search ends, above 0.
        pub tol: f64 = TOL_LMNN,
    }
}

/// What LMNN searches.
///
/// ```
/// use basrelief::methods::{Lmnn, Solver};
///
/// let method = Lmnn::new().solver(Solver::Convex);
/// assert_eq!(method.solver, Solver::Convex);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Solver {
    /// A matrix of the components wanted; a local optimum unless these are all.
    #[default]
    LowRank,
    /// The best metric of any rank, of which the first components are returned; `relative_gap` in
    /// the report proves it by a lower bound.
    Convex,
}

/// Eigenvalues of the scatter of target neighbors below this share of the greatest are raised to
/// it, before the rows are measured in its units.
const LEAST_SCATTER: f64 = 1e-8;

/// Share of the objective without a map above which a map is hardly better than none.
const FLAT: f64 = 0.9;

/// Share of the objective that moving in some direction promises at least, by the slope, where a search has
/// stopped before the optimum.
const UNFINISHED: f64 = 0.05;

/// First width of the kinks, the factor by which it shrinks, and the least.
const WIDTH: (f64, f64, f64) = (1.0, 0.1, 1e-9);

/// Share of the value up to which rounding may raise a lower bound above it.
const BOUND_ROUNDING: f64 = 1e-9;

/// Times that directions are added at a width.
const ROUNDS: usize = 20;

/// Width of the kinks from which on the convex solver takes hinges at their kinks for what they are.
const FINISH: f64 = 0.02;

/// Times that kinks are sought anew at a width, and how many of them may gain nothing.
const FINISHES: usize = 12;
const IDLE: usize = 2;

impl Learn for Lmnn {
    fn name(&self) -> &'static str {
        INFO.name
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

        // Rows by class, in the units of the search.
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

/// A map times the factor that makes the objective least, and the share of the objective without a map that is
/// left there; both for a sample of rows.
fn best_scaled(mut map: DenseMatrix, triples: &Triples, run: &Run) -> Result<(DenseMatrix, f64)> {
    let (scale, share) = triples.best_scale(&map, run)?;
    map.values_mut().iter_mut().for_each(|entry| *entry *= scale.sqrt());
    Ok((map, share))
}

/// The start in the units of the search, at its best scale. If that is hardly better than no map at all, its
/// directions are made equally long where this is better for the sample: a row far from all others makes one
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

/// The units of the search: those in which the target neighbors' scatter is even.
struct Units {
    /// Takes rows there from the right, and maps back.
    into: DenseMatrix,
    /// Takes maps there.
    out: DenseMatrix,
    /// Whether the scatter is that of the data, without an eigenvalue raised.
    exact: bool,
    /// The scatter there, of every direction.
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

/// The eigenpairs of the scatter of some pairs of rows from the singular values of their differences, and how
/// many of them are not rounding; those that are, are raised to `least`. `None` where none of the others is below
/// `least`, or the differences are too many.
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
            return Err(Error::option(MU.name, format!("found {}", self.mu), "give 0 to 1"));
        }
        at_least_one(&TARGET_NEIGHBORS, self.n_neighbors)?;
        at_least_one(&MAX_ITER_LMNN, self.max_iter)?;
        above_zero(&TOL_LMNN, self.tol)
    }

    /// Every row's nearest rows of its class.
    fn target_neighbors(&self, coordinates: &Coordinates<'_>, run: &Run) -> Result<Vec<Vec<u32>>> {
        if coordinates.classes()?.counts().iter().all(|&count| count <= 1) {
            return Err(Error::data(
                "no two rows are of the same class",
                "lmnn needs neighbors within a class: give more rows of each class",
            ));
        }
        coordinates.nearest_of_class(self.n_neighbors, run)
    }
}

/// The search for a map.
struct Search<'s> {
    lmnn: &'s Lmnn,
    triples: Triples,
    /// Rows of the map.
    size: usize,
    /// Its columns.
    columns: usize,
    /// The scatter of target neighbors is this times the identity, where it is exact.
    unit: f64,
    run: &'s Run,
}

/// The objective with rounded hinges.
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

    /// Minimizes over shrinking widths of the kinks until rounding does not matter, or until the
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
            // A steeper place is left to the next width.
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

    /// Whether rounding matters at a minimum of the components wanted, or the map lacks a direction.
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

    /// Whether the optimum of all metrics is proven, or the map lacks a direction.
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
        // Where rounding hides how target neighbors differ, a map hardly better than none may be far from the optimum.
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
                    "the proof assumes that no optimum is over ten times as large as the metric \
                     found: the target neighbors do not measure all directions",
                ));
            }
            message = match report.relative_gap {
                Some(gap) => format!("the optimum is proven to {gap:.3e} of it only"),
                None => "no bound proves the optimum, which is larger than assumed".to_string(),
            };
        }
        if is_hidden {
            let text = "the differences of near rows are so unequal that rounding hides the small ones: leave out rows \
                        that are far from all others, or scale the columns";
            report.warnings.push(Warning::new("not-converged", text.to_string()));
        } else if !converged {
            let (tol, max_iter) = (setting("tol", None), setting("max_iter", None));
            message += &match solver {
                Solver::Convex if *left > 0 && !self.is_finished_by_kinks() => format!(
                    ": double precision does not hold more of hinges that are rounded off, and metrics of so many \
                     columns are not finished without: raise {tol}, or use fewer columns (pca, or chosen ones)"
                ),
                Solver::Convex if *left > 0 => {
                    format!(": double precision holds no more: raise {tol}")
                }
                _ => format!(": raise {max_iter} or {tol}"),
            };
            report.warnings.push(Warning::new("not-converged", message));
        }
    }

    /// What the trace of the optimum is at most: bounded by its pull where this measures all directions, else taken to
    /// be at most ten times that found.
    fn most_trace(&self, best: &Best, exact: bool) -> f64 {
        let mu = self.lmnn.mu;
        if exact && mu < 1.0 {
            return best.value / ((1.0 - mu) * self.unit);
        }
        10.0 * best.map.values().iter().map(|entry| entry * entry).sum::<f64>()
    }

    /// Whether metrics are small enough to be finished by the hinges at their kinks.
    fn is_finished_by_kinks(&self) -> bool {
        self.columns * (self.columns + 1) / 2 <= KINK_METRIC_ENTRIES && self.lmnn.mu > 0.0
    }

    /// Goes on from the best metric without rounding hinges off. Those far from their kinks are taken for what they are
    /// there, violated or not; the program of the others, each with a multiplier of its own, is solved to the end; and
    /// so on from there, until the multipliers prove the optimum or nothing is gained. Returns the iterations left.
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
                // Without the shares that the hinges at their kinks have in the slope.
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
            // Hinges that were taken for violated, or not, and are not so, leave the gap open.
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

    /// Goes from the best metric towards another as far as the objective falls.
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

    /// Adds the directions that a map lacks and in which the objective falls; whether there are
    /// any.
    ///
    /// The gradient by `L` vanishes in directions where `L` does, whatever that by `L'L` is.
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

/// Where a search is.
struct Stage {
    map: DenseMatrix,
    /// Of the kinks.
    width: f64,
    /// Iterations that are left.
    left: usize,
    /// How often directions were added at this width.
    rounds: usize,
    /// The gap when kinks were last taken for what they are.
    finished: f64,
    best: Best,
}

/// What a minimum at a width says.
enum Verdict {
    /// Nothing is gained by going on.
    Over,
    /// Whether the map is good enough where the minimum converged, and whether there are more directions at this width.
    /// Without these a narrower one is next.
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

    /// Takes a lower bound. One that assumes how large the optimum is holds for the map of now at most.
    fn bounded(&mut self, bound: f64, exact: bool) {
        self.bound = if exact { self.bound.max(bound) } else { bound };
    }

    /// How far the value may be above the optimum, as a share of it; infinite where the bound lies above the
    /// value, so that what it assumes is wrong.
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
    help: "Learn a matrix of the components wanted, or the best metric of all with a proof",
};

/// `max_iter` of `lmnn`.
static MAX_ITER_LMNN: OptionInfo = OptionInfo { default: "1000", ..MAX_ITER };

/// `tol` of `lmnn`.
static TOL_LMNN: OptionInfo = OptionInfo {
    default: "1e-5",
    help: "Share of the objective that rounding, or with the convex solver the proof, may leave open",
    ..TOL
};

/// Registry entry.
pub(crate) static INFO: MapMethodInfo = MapMethodInfo {
    name: "lmnn",
    class: "LMNN",
    supervised: true,
    cost: "n² c + n p c an iteration",
    purpose: "a metric for k-NN: nearest rows of the same class nearer than all others",
    source: "Weinberger & Saul 2009; Hocke & Martinetz 2013",
    options: &[&TARGET_NEIGHBORS, &MU, &INIT, &SOLVER, &MAX_ITER_LMNN, &TOL_LMNN],
    choose: &[&TARGET_NEIGHBORS, &MU],
    documentation: page!("lmnn.rs"),
    python: Some(&PYTHON),
    build: build::<Lmnn>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Large-margin nearest neighbors: rows of other classes a margin farther than near \
              rows.",
    reports: &["n_iter_", "converged_", "objective_", "relative_gap_"],
    see_also: &[("DLMNN", "The same with a weight per feature, its optimum proven.")],
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
