//! # `mdm`: a metric whatever the scales
//!
//! Maximum Distance Minimization: the weights under which the greatest distance within a class is as
//! small as can be beside the smallest distance between classes. It does not depend on the features'
//! scales, and its optimum is proven.
//!
//! ## Formula
//!
//! A linear program over all pairs of rows, with $d_A$ the difference over the column's range:
//!
//! ```math
//! \min_{w \ge 0,\; r} r \quad\text{such that}\quad \sum_A w_A\,d_A(i, l)^2 \ge 1 \;\; (c_i \ne c_l), \qquad \sum_A w_A\,d_A(i, l)^2 \le r \;\; (c_i = c_l).
//! ```
//!
//! Two rows of different classes that are identical make this impossible. `--slack C` lets pairs of
//! different classes be nearer than 1 at the price of $C$ times what they lack. Weights are divided by
//! the greatest: $[0, 1]$. Symbols are those of [the overview](super#notation).
//!
//! ## Cost
//!
//! Constraint generation: a small program, then one look at all pairs ($n^2 p$) for the pairs it
//! violates most, and so on until there is none; the report has the rounds (`iterations`), the pairs
//! kept (`constraints`) and the proven distance to the optimum (`relative_gap`). Memory grows with the
//! rows and the pairs kept, never with $n^2$. Up to 100 features the program takes the simplex method, whose
//! time grows with $p^4$; beyond it takes an interior point method, a few dozen products of the pairs kept,
//! $c \min(c, p)\,p$ each for $c$ pairs.
//!
//! ## When not to use it
//!
//! - Noisy or overlapping classes: single pairs, the most extreme, decide the optimum. Means over rows
//!   ([`relieff`](super::relieff)) are robust, extremes are not.
//! - Missing values: refused.
//! - One row of one class as far away as the data go: it alone sets $r$.
//! - For p-values: in every fit, under permuted targets too, the largest weight is 1, so that tests find
//!   nothing and are refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff).
//!
//! ## Example
//!
//! Two bits whose parity is the class: exactly these two are needed.
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

/// Rows of different classes nearer than this (squared, each column over its range) count as
/// identical: 12 digits of every range.
const IDENTICAL: f64 = 1e-24;

/// Passes over all pairs at most, where violations have a price.
const MAX_SWEEPS: usize = 10_000;

settings! {
    /// Maximum Distance Minimization (Hocke & Martinetz 2013, eqs 7 to 9): `min r` over `w >= 0` with
    /// `sum_A w_A d_A(i, l)^2 >= 1` for all rows of different classes and `<= r` for all rows of the
    /// same class. It makes the ratio of the largest squared distance within a class to the smallest
    /// between classes as small as it can be, and does not depend on the columns' scales.
    ///
    /// `d_A` is the difference over the column's range (half the copies of a genotype, 0 or 1 of a
    /// category), so that weights of differently scaled columns can be compared; they are divided by
    /// the largest and lie in [0, 1]. Identical columns share their weight. Distances under the
    /// weights are `sqrt(sum_A w_A d_A^2)`. The report's `objective` is `r` (with `slack`:
    /// `r + C sum xi`), `iterations` the rounds, `constraints` the pairs kept, and `relative_gap` the
    /// proven distance to the optimum of the program over *all* pairs.
    ///
    /// The program is solved by constraint generation: it starts from every row's nearest miss and
    /// farthest hit, and each round adds every row's most violated pair until none is violated by
    /// more than 1e-10. Memory grows with the rows and the pairs kept, never with their square.
    ///
    /// The paper's program (`slack: None`) has no solution where rows of different classes are
    /// identical, and is then refused. A price C gives the same optimum wherever that is at most C:
    /// the multipliers of the pairs of different classes sum to `r`, so that none reaches the price
    /// and none pays it. Where `r` would be above C, or rows of different classes are identical (these
    /// pay whatever the weights are; a warning names them), violated pairs are many: all pairs are
    /// streamed, again and again, and `iterations` counts the passes.
    ///
    /// # Errors
    /// The fit refuses: a real target, one class, no two rows of a class, missing values, identical rows of
    /// different classes (without slack), a slack price that is not above 0;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Mdm {
        /// `None`: rows of different classes must differ. `Some(C)`, C > 0: pairs nearer than 1 are
        /// allowed, at `C` times what they lack.
        pub slack: Option<f64> = SLACK by parse_slack,
    }
}

impl WeighFeatures for Mdm {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        if let Some(price) = self.slack {
            parse_slack(&price.to_string()).map_err(|reason| {
                Error::option(SLACK.name, reason, "give a price above 0, or none")
            })?;
        }
        run.check()?;
        let classes = classes(problem, INFO.name)?;
        if classes.counts().iter().all(|&count| count == 1) {
            return Err(Error::data(
                "no two rows are of the same class",
                "mdm needs distances within a class: give more rows of each class",
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
                        "leave one of each out, or give a price for such pairs: {}",
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
                        // From there on, so that paying is never worse than not paying.
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
                format!("no weights are better than all 0: raise {}", setting(SLACK.name, None)),
            ));
        }
        Ok(points.spread(&found, problem.table().width()))
    }
}

/// The program as far as it is known.
struct Search<'p> {
    points: &'p Points,
    program: Program,
    /// A row of the program: one coefficient per feature, and that of r.
    row: Vec<f64>,
}

impl<'p> Search<'p> {
    fn new(points: &'p Points) -> Self {
        let features = points.features();
        let mut costs = vec![0.0; features];
        costs.push(1.0);
        Self { points, program: Program::new(costs), row: vec![0.0; features + 1] }
    }

    /// Adds the constraint of a pair; says whether it is new.
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

    /// Solves the program from a sweep with all weights 1.
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
        // Equal weights under which about half of the rows known so far are violated.
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
                    "the weights are proven to be within {gap:.1e} of the optimum only: rows of \
                     different classes are too similar for more",
                ),
            ));
        }
        Ok(best.1)
    }

    /// Adds every row's violated pairs; says whether there was a new one.
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

    /// The lower bound that multipliers prove: with those of the same-class rows scaled to sum 1,
    /// the others may be as large as keeps `sum lambda D <= sum mu D` in every feature.
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

/// Names the first ten pairs of identical rows of different classes, if there are any.
fn contradictions(
    points: &Points,
    codes: &[u32],
    found: &[NearestMissFarthestHit],
) -> Option<String> {
    // Their number may be large: only the first few are kept.
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
             weights can part them: rows {}{more}",
            shown.join(", "),
        )
    })
}

/// Greatest squared distance within a class over the least between classes: scaled so that the
/// nearest miss is at 1, a value that the program can take.
fn ratio(found: &[NearestMissFarthestHit]) -> f64 {
    let far = found.iter().filter_map(|row| row.hit).fold(0.0_f64, |most, hit| most.max(hit.1));
    let near = found
        .iter()
        .filter_map(|row| row.miss)
        .fold(f64::INFINITY, |least, miss| least.min(miss.1));
    if near > 0.0 { far / near } else { f64::INFINITY }
}

/// The program with a price on misses nearer than 1: the unknowns are the weights and r.
struct PricedPairs<'p> {
    points: &'p Points,
    classes: &'p Classes,
    price: f64,
    costs: Vec<f64>,
    reached: Vec<f64>,
}

/// Price of a hit farther than r. The multipliers of these sum to the cost of r, which is 1: at a
/// price above that none pays to be violated.
const HIT_PRICE: f64 = 2.0;

/// Equal weights, and an r of 1.
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
    /// Weighted coordinates, their number, and r.
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
        // A weight times a square within a class is at most r, and r at most the value.
        let most = |&square: &f64| if square > 0.0 { value / square } else { 10.0 * greatest };
        self.reached.iter().map(most).chain([value]).collect()
    }
}

/// `slack`: price of a violated constraint of `mdm`; the default is so high that it changes
/// nothing unless the optimum is above it (see [`Mdm`]).
static SLACK: OptionInfo = OptionInfo {
    name: "slack",
    flag: "slack",
    kind: OptionKind::Text { grammar: "none|C", check: |text| parse_slack(text).map(drop) },
    default: "1000",
    help: "Price of rows of different classes being nearer than 1: none forbids it, a number C \
           adds C times how much they are",
};

/// Reads `none` or a price above 0.
fn parse_slack(text: &str) -> std::result::Result<Option<f64>, String> {
    if text == "none" {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(price) if price > 0.0 && price.is_finite() => Ok(Some(price)),
        Ok(price) => Err(format!("{price} is no finite number above 0")),
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
    cost: "n² p a round",
    range: (0.0, 1.0),
    purpose: "a metric whatever the scales: classes far apart, each one close together",
    source: "Hocke & Martinetz 2013",
    options: &[&SLACK],
    choose: &[&SLACK],
    documentation: page!("mdm.rs"),
    python: Some(&PYTHON),
    build: weighing::<Mdm>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Maximum Distance Minimization: a metric that holds classes together and apart.",
    description: &[
        "The weights make the greatest squared distance within a class as small as it can be \
         against the smallest between classes, so that they do not depend on the columns' scales. \
         They solve a linear program over all pairs of rows, and its optimum is proven. Distances \
         under the weights are ``sqrt(sum(weights_ * difference**2))`` with every difference over \
         its column's range. Missing values are an error.",
    ],
    weights: ", the greatest 1",
    reports: &["n_iter_", "converged_", "objective_", "n_constraints_", "relative_gap_"],
    iterations: ": rounds, or passes over all pairs where violations are paid for",
    see_also: &[("Lmba", "Looks at nearest rows instead of the extreme ones.")],
    notes: &["Strong duality makes the default `slack` harmless: the multipliers of the pairs of \
         different classes sum to the objective, so that none reaches a price above it and no pair \
         pays."],
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
