//! # `mdm`: a metric independent of the feature scales
//!
//! Maximum Distance Minimization finds the weights that minimize the ratio of the largest distance within a class to
//! the smallest distance between classes. The result does not depend on the scales of the features, and the optimum
//! is proven.
//!
//! ## Formula
//!
//! The weights solve a linear program over all pairs of rows, with $d_A$ the difference divided by the range of the
//! column:
//!
//! ```math
//! \min_{w \ge 0,\; r} r \quad\text{such that}\quad \sum_A w_A\,d_A(i, l)^2 \ge 1 \;\; (c_i \ne c_l), \qquad \sum_A w_A\,d_A(i, l)^2 \le r \;\; (c_i = c_l).
//! ```
//!
//! The program is infeasible if two identical rows belong to different classes. `--slack C` allows pairs of different
//! classes to be nearer than 1 at a price of $C$ times the shortfall. Weights are divided by the largest and lie in
//! $[0, 1]$. The symbols are defined in [the overview](super#notation).
//!
//! ## Cost
//!
//! The method is constraint generation: it solves a small program, passes over all pairs ($n^2 p$) to find those that
//! the solution violates most, adds them, and repeats until no pair is violated. The report contains the number of
//! rounds (`iterations`), the number of pairs in the program (`constraints`) and the proven distance to the optimum
//! (`relative_gap`). Memory grows with the rows and the pairs in the program, not with $n^2$. With up to 100 features
//! the program is solved by the simplex method, whose time grows with $p^4$. With more features it is solved by an
//! interior point method, which takes a few dozen matrix products of $c \min(c, p)\,p$ operations each for $c$ pairs.
//!
//! ## When not to use it
//!
//! - Noisy or overlapping classes: the few most extreme pairs determine the optimum. Means over rows
//!   ([`relieff`](super::relieff)) are robust, extremes are not.
//! - Missing values: they are refused.
//! - Outliers: a single row far from the rest of its class determines $r$.
//! - P-values: the largest weight is 1 in every fit, for permuted targets too. A permutation test therefore finds
//!   nothing and is refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff) instead.
//!
//! ## Example
//!
//! The class is the parity of two bits: exactly these two features are needed.
//!
//! ```sh
//! basrelief synth modulo-p --rows 300 --output parity.csv
//! basrelief rank parity.csv --target class --method mdm --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MDM().fit(X, y).weights_`
//!
//! ## Source
//!
//! F. Hocke and T. Martinetz. Feature weighting by maximum distance minimization. ICANN 2013, eqs 7 to
//! 9.

use std::ops::Range;

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::page::page;
use super::settings::settings;
use super::shared::classes;
use crate::data::Classes;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::solve::hinges::{HingeSums, Hinges, PROVEN, Side, minimize};
use crate::solve::linear_program::{Program, TIGHT, VIOLATED};
use crate::solve::scaled_points::{NearestMissFarthestHit, Points, squared_distance};
use crate::warning::Warning;
use crate::wording::setting;

/// Rows of different classes nearer than this (squared distance, each column divided by its range) count as
/// identical: they agree to 12 digits of every range.
const IDENTICAL: f64 = 1e-24;

/// Maximum number of passes over all pairs if violations have a price.
const MAX_SWEEPS: usize = 10_000;

settings! {
    /// Maximum Distance Minimization (Hocke & Martinetz 2013, eqs 7 to 9): `min r` over `w >= 0` with
    /// `sum_A w_A d_A(i, l)^2 >= 1` for all rows of different classes and `<= r` for all rows of the
    /// same class. The solution minimizes the ratio of the largest squared distance within a class to the
    /// smallest between classes, and does not depend on the scales of the columns.
    ///
    /// `d_A` is the difference divided by the range of the column (genotypes: half the difference in allele
    /// copies; categories: 0 or 1), so that weights of differently scaled columns are comparable. Weights are
    /// divided by the largest weight and lie in [0, 1]. Identical columns get equal parts of one weight.
    /// Distances under the weights are `sqrt(sum_A w_A d_A^2)`. In the report, `objective` is `r` (with
    /// `slack`: `r + C sum xi`), `iterations` is the number of rounds, `constraints` is the number of pairs in
    /// the program, and `relative_gap` is the proven distance to the optimum of the program over *all* pairs.
    ///
    /// The program is solved by constraint generation: it starts from the nearest miss and the farthest hit of
    /// every row, and each round adds the most violated pairs of every row, until no pair is violated by
    /// more than 1e-10. Memory grows with the rows and the pairs in the program, not with the square of the rows.
    ///
    /// The paper's program (`slack: None`) is infeasible if rows of different classes are identical, and is
    /// then refused. A price C gives the same optimum whenever that optimum is at most C: the multipliers of
    /// the pairs of different classes sum to `r`, so that none reaches the price and no pair pays it. If `r`
    /// would exceed C, or rows of different classes are identical (these pay under any weights; a warning
    /// names them), many pairs are violated. All pairs are then streamed repeatedly, and `iterations` counts
    /// the passes.
    ///
    /// # Errors
    /// A numeric target, a single class, no two rows of the same class, missing values, identical rows of
    /// different classes (without slack), a slack price that is not above 0;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Mdm {
        /// `None`: rows of different classes must differ. `Some(C)`, C > 0: pairs of different classes may be
        /// nearer than 1, at a price of `C` times the shortfall.
        pub slack: Option<f64> = SLACK by parse_slack,
    }
}

impl WeighFeatures for Mdm {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        if let Some(price) = self.slack {
            parse_slack(&price.to_string()).map_err(|reason| {
                Error::option(SLACK.name, reason, "use a price above 0, or none")
            })?;
        }
        run.check()?;
        let classes = classes(problem, INFO.name)?;
        if classes.counts().iter().all(|&count| count == 1) {
            return Err(Error::data(
                "no two rows are of the same class",
                "mdm needs distances within a class: provide more rows of each class",
            ));
        }
        let points = Points::new(problem.table(), classes, INFO.name)?;
        run.progress().start("linear program", points.panels());
        let first = points.extremes(&vec![1.0; points.features()], run)?;
        run.progress().finish();
        let contradictions = contradictions(&points, classes.codes(), &first);
        let found = run.install(|| {
            let priced = |price, start: Vec<f64>, report: &mut Report| {
                let pairs = PricedPairs::new(&points, classes, price);
                let found = minimize(&pairs, start, MAX_SWEEPS, run)?;
                report.add_minimum(&found);
                Ok(found.u[..points.features()].to_vec())
            };
            match (self.slack, contradictions) {
                (None, Some(problem)) => Err(Error::data(
                    problem,
                    format!(
                        "exclude one row of each pair, or set a price for such pairs: {}",
                        setting(SLACK.name, Some("1000"))
                    ),
                )),
                (None, None) => Search::new(&points).run(&first, report, run),
                (Some(price), Some(problem)) => {
                    let message = format!("{problem} (each adds {price} to the objective)");
                    report.warnings.push(Warning::new("contradictory-rows", message));
                    priced(price, even_start(&points), report)
                }
                (Some(price), None) => {
                    let mut own = Report::default();
                    let found = Search::new(&points).run(&first, &mut own, run);
                    match found {
                        Ok(weights) if own.objective.is_some_and(|r| r <= price) => {
                            own.warnings.splice(..0, report.warnings.drain(..));
                            *report = own;
                            Ok(weights)
                        }
                        // Starts from the solution without a price, so that the result is never worse.
                        Ok(mut weights) => {
                            weights.push(own.objective.unwrap_or(1.0));
                            priced(price, weights, report)
                        }
                        Err(Error::Cancelled) => Err(Error::Cancelled),
                        Err(_) => priced(price, even_start(&points), report),
                    }
                }
            }
        })?;
        if found.iter().all(|weight| *weight == 0.0) {
            report.warnings.push(Warning::new(
                "no-weight",
                format!("all weights are 0 at the optimum: raise {}", setting(SLACK.name, None)),
            ));
        }
        Ok(points.spread(&found, problem.table().width()))
    }
}

/// The program with the constraints found so far.
struct Search<'p> {
    points: &'p Points,
    program: Program,
    /// Buffer for one row of the program: one coefficient per feature, and the coefficient of r.
    row: Vec<f64>,
}

impl<'p> Search<'p> {
    fn new(points: &'p Points) -> Self {
        let features = points.features();
        let mut costs = vec![0.0; features];
        costs.push(1.0);
        Self { points, program: Program::new(costs), row: vec![0.0; features + 1] }
    }

    /// Adds the constraint of a pair; returns whether it is new.
    fn add(&mut self, i: u32, j: u32, same: bool) -> bool {
        let features = self.row.len() - 1;
        let (i, j) = (i.min(j), i.max(j));
        self.points.squares(i, j, &mut self.row[..features]);
        if same {
            self.row[..features].iter_mut().for_each(|square| *square = -*square);
            self.row[features] = 1.0;
            self.program.push((i, j), &self.row, 0.0)
        } else {
            self.row[features] = 0.0;
            self.program.push((i, j), &self.row, 1.0)
        }
    }

    /// Solves the program, starting from `first`, the extreme pairs when all weights are 1.
    fn run(
        &mut self,
        first: &[NearestMissFarthestHit],
        report: &mut Report,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let features = self.points.features();
        let (mut near, mut far, mut misses, mut hits) = (0.0, 0.0, 0.0_f64, 0.0_f64);
        for found in first {
            if let Some((other, square)) = found.miss {
                (near, misses) = (near + square, misses + 1.0);
                self.add(found.row, other, false);
            }
            if let Some((other, square)) = found.hit {
                (far, hits) = (far + square, hits + 1.0);
                self.add(found.row, other, true);
            }
        }
        // Equal weights under which about half of the constraints so far are violated.
        let unit = if near > 0.0 { misses / near } else { 1.0 };
        let mut u = vec![unit; features];
        u.push(far * unit / hits.max(1.0));

        let mut best = (f64::INFINITY, vec![0.0; features]);
        let mut bound = 0.0_f64;
        let mut rounds = 0;
        loop {
            rounds += 1;
            u = self.program.optimum(&u, run)?;
            let multipliers = self.program.multipliers(&mut u, TIGHT);
            bound = bound.max(self.bound(multipliers));
            run.progress().start("linear program", self.points.panels());
            let weights = &u[..features];
            let found = self.points.extremes(weights, run)?;
            run.progress().finish();
            let value = ratio(&found);
            if value < best.0 {
                best = (value, weights.to_vec());
            }
            if !self.add_violated(&found, u[features]) {
                break;
            }
        }
        let gap = if best.0 > 0.0 { ((best.0 - bound) / best.0).max(0.0) } else { 0.0 };
        report.iterations = Some(rounds);
        report.constraints = Some(self.program.len());
        report.objective = Some(best.0);
        report.relative_gap = Some(gap);
        report.converged = Some(gap <= PROVEN);
        if gap > PROVEN {
            report.warnings.push(Warning::new(
                "not-converged",
                format!(
                    "the weights are proven only to be within {gap:.1e} of the optimum: rows of \
                     different classes are too similar for a smaller gap",
                ),
            ));
        }
        Ok(best.1)
    }

    /// Adds the violated pairs of every row; returns whether any was new.
    fn add_violated(&mut self, found: &[NearestMissFarthestHit], r: f64) -> bool {
        let mut any = false;
        for row in found {
            if let Some((other, square)) = row.miss
                && square < 1.0 - VIOLATED
            {
                any |= self.add(row.row, other, false);
            }
            if let Some((other, square)) = row.hit
                && square > r * (1.0 + VIOLATED)
            {
                any |= self.add(row.row, other, true);
            }
        }
        any
    }

    /// The lower bound that follows from the multipliers. The multipliers mu of same-class pairs are scaled to sum 1,
    /// and the multipliers lambda of the other pairs by the largest factor with `sum lambda D <= sum mu D` in every
    /// feature.
    fn bound(&self, multipliers: Vec<(usize, f64)>) -> f64 {
        let features = self.row.len() - 1;
        let is_miss = |k: usize| self.program.bound(k) > 0.0;
        let total: f64 = multipliers.iter().filter(|(k, _)| !is_miss(*k)).map(|(_, v)| v).sum();
        if total <= 0.0 {
            return 0.0;
        }
        let mut within = vec![0.0; features];
        let mut between = vec![0.0; features];
        let mut value = 0.0;
        for &(k, multiplier) in &multipliers {
            let row = &self.program.coefficients(k)[..features];
            if is_miss(k) {
                value += multiplier;
                between.iter_mut().zip(row).for_each(|(sum, a)| *sum += multiplier * a);
            } else {
                within.iter_mut().zip(row).for_each(|(sum, a)| *sum -= multiplier / total * a);
            }
        }
        let scale = within
            .iter()
            .zip(&between)
            .filter(|(_, between)| **between > 0.0)
            .fold(f64::INFINITY, |least, (within, between)| least.min(within / between));
        if scale.is_finite() { value * scale } else { 0.0 }
    }
}

/// Describes the pairs of identical rows of different classes and lists the first ten; `None` if there are none.
fn contradictions(
    points: &Points,
    codes: &[u32],
    found: &[NearestMissFarthestHit],
) -> Option<String> {
    // There may be many pairs: only the first few are stored.
    const SHOWN: usize = 10;
    let mut first: Vec<(u32, u32)> = Vec::new();
    let mut count = 0;
    for row in found.iter().filter(|row| row.miss.is_some_and(|miss| miss.1 < IDENTICAL)) {
        let near = points.misses_below(row.row, codes, IDENTICAL);
        count += near.len();
        first.extend(near.iter().map(|&other| (row.row.min(other), row.row.max(other))));
        first.sort_unstable();
        first.truncate(SHOWN);
    }
    let shown: Vec<String> =
        first.iter().map(|(i, j)| format!("{} and {}", i + 1, j + 1)).collect();
    let pairs = if count == 1 { "1 pair".to_string() } else { format!("{count} pairs") };
    let more = if count > SHOWN { ", ..." } else { "" };
    let verb = if count == 1 { "is" } else { "are" };
    (count > 0).then(|| {
        format!(
            "{pairs} of rows of different classes {verb} identical in every feature, so that no \
             weights can separate them: rows {}{more}",
            shown.join(", "),
        )
    })
}

/// The ratio of the largest squared distance within a class to the smallest between classes. It is the objective of
/// the weights after scaling the nearest miss to 1.
fn ratio(found: &[NearestMissFarthestHit]) -> f64 {
    let far = found.iter().filter_map(|row| row.hit).fold(0.0_f64, |most, hit| most.max(hit.1));
    let near = found
        .iter()
        .filter_map(|row| row.miss)
        .fold(f64::INFINITY, |least, miss| least.min(miss.1));
    if near > 0.0 { far / near } else { f64::INFINITY }
}

/// The program with a price on misses nearer than 1; the variables are the weights and r.
struct PricedPairs<'p> {
    points: &'p Points,
    classes: &'p Classes,
    price: f64,
    costs: Vec<f64>,
    reached: Vec<f64>,
}

/// Price of a hit farther than r. The multipliers of these hits sum to the cost of r, which is 1; at a price above 1
/// no hit is violated at the optimum.
const HIT_PRICE: f64 = 2.0;

/// A start with equal weights and r = 1.
fn even_start(points: &Points) -> Vec<f64> {
    let mut start = points.even_weights();
    start.push(1.0);
    start
}

impl<'p> PricedPairs<'p> {
    fn new(points: &'p Points, classes: &'p Classes, price: f64) -> Self {
        let mut costs = vec![0.0; points.features()];
        costs.push(1.0);
        let reached = points.reached_within(classes.codes(), classes.len());
        Self { points, classes, price, costs, reached }
    }
}

impl Hinges for PricedPairs<'_> {
    /// The weighted coordinates, their number per row, and r.
    type Prepared = (Vec<f64>, usize, f64);

    fn costs(&self) -> &[f64] {
        &self.costs
    }

    fn rows(&self) -> usize {
        self.classes.codes().len()
    }

    fn prepare(&self, u: &[f64]) -> Self::Prepared {
        let (values, width) = self.points.weighted(u);
        (values, width, u[self.points.features()])
    }

    fn add(&self, rows: Range<usize>, (values, width, r): &Self::Prepared, sums: &mut HingeSums) {
        let codes = self.classes.codes();
        let row = |i: usize| &values[i * width..(i + 1) * width];
        let features = self.points.features();
        let mut coefficients = vec![0.0; features + 1];
        for i in rows {
            for j in i + 1..codes.len() {
                let square = squared_distance(row(i), row(j));
                let same = codes[i] == codes[j];
                let (short, bound, price) = if same {
                    (square - r, 0.0, HIT_PRICE)
                } else {
                    (1.0 - square, 1.0, self.price)
                };
                let side = sums.hinge(short, bound, price);
                if side == Side::Slack {
                    continue;
                }
                let squares = &mut coefficients[..features];
                self.points.squares(i as u32, j as u32, squares);
                if same {
                    squares.iter_mut().for_each(|square| *square = -*square);
                }
                coefficients[features] = f64::from(u8::from(same));
                match side {
                    Side::Breakpoint(breakpoint) => sums.breakpoint(breakpoint, &coefficients),
                    _ => sums.slope(price, &coefficients),
                }
            }
        }
    }

    fn most(&self, value: f64, u: &[f64]) -> Vec<f64> {
        let greatest = u.iter().copied().fold(0.0, f64::max);
        // A weight times a squared difference within a class is at most r, and r is at most the value.
        let most = |&square: &f64| if square > 0.0 { value / square } else { 10.0 * greatest };
        self.reached.iter().map(most).chain([value]).collect()
    }
}

/// `slack`: price of a violated constraint of `mdm`. The default has no effect unless the optimum exceeds it (see
/// [`Mdm`]).
static SLACK: OptionInfo = OptionInfo {
    name: "slack",
    flag: "slack",
    kind: OptionKind::Text { grammar: "none|C", check: |text| parse_slack(text).map(drop) },
    default: "1000",
    help: "Price of rows of different classes that are nearer than 1: none forbids them, a number C \
           adds C times the shortfall to the objective",
};

/// Reads `none` or a price above 0.
fn parse_slack(text: &str) -> std::result::Result<Option<f64>, String> {
    if text == "none" {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(price) if price > 0.0 && price.is_finite() => Ok(Some(price)),
        Ok(price) => Err(format!("{price} is not a finite number above 0")),
        Err(_) => Err(format!("`{text}` is neither `none` nor a number")),
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "mdm",
    class: "MDM",
    task: Task::Classes,
    scale: WeightScale::LargestIsOne,
    interactions: true,
    missing: false,
    cost: "n² p per round",
    range: (0.0, 1.0),
    purpose: "a metric independent of feature scales: compact classes, far apart",
    source: "Hocke & Martinetz 2013",
    options: &[&SLACK],
    choose: &[&SLACK],
    documentation: page!("mdm.rs"),
    python: Some(&PYTHON),
    build: weighing::<Mdm>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Maximum Distance Minimization: a metric with compact, well-separated classes.",
    description: &[
        "The weights minimize the ratio of the largest squared distance within a class to the \
         smallest between classes, and do not depend on the scales of the columns. They solve a \
         linear program over all pairs of rows, and the optimum is proven. The distance between two \
         rows is ``sqrt(sum(weights_ * difference**2))``, where each difference is divided by the \
         range of its column. Missing values are an error.",
    ],
    weights: ", scaled so that the largest is 1",
    reports: &["n_iter_", "converged_", "objective_", "n_constraints_", "relative_gap_"],
    iterations: ": rounds, or passes over all pairs if violations have a price",
    see_also: &[("Lmba", "Uses the nearest rows instead of the most extreme pairs.")],
    notes: &[
        "By strong duality the default `slack` has no effect unless the objective exceeds it: \
         the multipliers of the pairs of different classes sum to the objective, so that none \
         reaches a larger price and no pair pays it.",
    ],
    references: &[
        "J. Hocke and T. Martinetz. Feature weighting by maximum distance minimization. \
         International Conference on Artificial Neural Networks, 2013.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MDM",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> mdm = MDM(n_features_to_select=5).fit(X, y)",
        ">>> mdm.relative_gap_ < 1e-9",
        "True",
    ],
};
