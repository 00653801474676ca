//! # `lmba`: nearest hits close, nearest misses a margin farther away
//!
//! A large-margin metric with one weight per feature: it pulls the nearest hit of every row close and keeps the
//! nearest miss at least a margin farther away. It is intended for scaling features before a nearest-neighbor method.
//!
//! ## Formula
//!
//! In our reading of the source, the method is LMNN with one weight per feature. $h_i$ and $m_i$ are the differences
//! between row $i$ and its nearest hit and its nearest miss (of any other class), both found under the current $w$.
//! The method minimizes over $w$
//!
//! ```math
//! \mathop{\mathrm{mean}}_i \; \lVert w \circ h_i \rVert^2 + C \big[ 1 + \lVert w \circ h_i \rVert^2 - \lVert w \circ m_i \rVert^2 \big]_+
//! ```
//!
//! by gradient steps from $w = 1$, each halved until the objective decreases sufficiently. $C$ is `--margin-weight`.
//! The result is $w^2 / \max w^2 \in [0, 1]$. The objective is not convex: the search ends at a local minimum, or at
//! an edge where the neighbors change and no gradient step decreases the objective. The result does not depend on the
//! order of the columns: with missing values, where rounding may decide on which side of an edge a step ends, the
//! columns are first sorted by their values. The symbols are defined in [the overview](super#notation).
//!
//! ## Cost
//!
//! Time is one pass over all pairs, $n^2 p$, per tried step; memory is 8 bytes per value.
//!
//! ## When not to use it
//!
//! - Ranking weak features among much noise: the method fits few features to the borders between classes, whereas
//!   [`relieff`](super::relieff) averages over all rows.
//! - Proven optima: use [`mdm`](super::mdm).
//! - `--missing ignore`: it is refused, because the steps need every difference.
//! - P-values: the largest weight is 1 in every fit, for permuted targets too. A permutation test therefore finds
//!   nothing and is refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff) instead.
//!
//! ## Example
//!
//! The features x1 to x20 are equally relevant, and noise1 to noise10 are irrelevant.
//!
//! ```sh
//! basrelief synth twonorm --rows 400 --noise 10 --output twonorm.csv
//! basrelief rank twonorm.csv --target class --method lmba --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Lmba(C=1.0).fit(X, y).weights_`
//!
//! ## Source
//!
//! Y. Li and B.-L. Lu. Feature selection based on loss-margin of nearest neighbor classification.
//! Pattern Recognition 42(9), 1914-1921, 2009; as described by F. Hocke and T. Martinetz, 2013.

use std::cmp::Ordering;

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{GENOTYPE_DIFF, MAX_ITER, MISSING_COUNTED, RAMP, TOL};
use super::page::page;
use super::settings::settings;
use super::shared::{classes, warn_of_lone_rows, warn_of_no_convergence};
use super::simba::refuse_ignored_gaps;
use crate::data::{Classes, Table};
use crate::differences::{Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::neighbors::{
    LineScratch, NearestOptions, Neighbor, NeighborWeights, ReweightedRows, Ties,
};
use crate::options::{OptionInfo, OptionKind};
use crate::parallel;
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

settings! {
    /// Lmba (Li & Lu 2009, as Hocke & Martinetz 2013 describe it: derived from LMNN), in our reading:
    /// it pulls the nearest hit of every row close and keeps the nearest miss a margin farther away.
    ///
    /// It minimizes the mean over the rows of `||w o h||^2 + C [1 + ||w o h||^2 - ||w o m||^2]_+` over
    /// `w`, where `h` and `m` are the differences (`diff`) to the nearest hit and the nearest miss of
    /// any other class in the space of the current weights, `[.]_+` is the positive part and `o` the
    /// elementwise product. Tied neighbors have equal tie weights. Starting from `w = 1`, each
    /// iteration is a gradient step with fixed neighbors. The step is halved until the objective, with
    /// neighbors found anew, decreases sufficiently (Armijo), and doubled for the next iteration. The
    /// iteration ends when the weights `w^2 / max(w^2)`, in [0, 1], change by less than `tol`, or
    /// when no step lowers the objective. The objective is not convex; the result is a local minimum.
    ///
    /// A row that is alone in its class has no hit and is skipped. A missing value gets its expected or
    /// worst-case difference; `ignore` is refused. The weights do not depend on the order of the columns.
    /// The time is one pass over all pairs per tried step.
    ///
    /// # Errors
    /// A numeric target, a single class, options out of range, the policy `ignore` for missing values;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Lmba {
        /// Weight of the margins relative to the pull, from 1e-9 to 1e9.
        pub c: f64 = C,
        /// Maximum number of iterations, at least 1.
        pub max_iter: usize = MAX_ITER,
        /// The iteration ends when the weights change by less than this; above 0.
        pub tol: f64 = TOL,
        /// The differences between two rows; the metric is not used.
        pub space: SpaceOptions [
            missing, ramp, genotype_diff
        ],
    }
}

/// Maximum number of times a step is halved.
const HALVINGS: usize = 40;

/// Smallest accepted decrease of the objective, as a fraction of the decrease that the gradient predicts.
const ARMIJO: f64 = 1e-4;

/// Number of rows whose gradients one task sums.
const ROWS: usize = 32;

impl WeighFeatures for Lmba {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let refuse = |name: &str, value: String, takes: &str| {
            Err(Error::option(name, format!("{value} is out of range"), format!("use {takes}")))
        };
        if !(1e-9..=1e9).contains(&self.c) {
            return refuse(C.name, self.c.to_string(), "a number from 1e-9 to 1e9");
        }
        if self.tol.is_nan() || self.tol <= 0.0 {
            return refuse(TOL.name, self.tol.to_string(), "a number above 0");
        }
        if self.max_iter == 0 {
            return refuse(MAX_ITER.name, "0".to_string(), "at least 1");
        }
        refuse_ignored_gaps(INFO.name, self.space)?;
        let classes = classes(problem, INFO.name)?;
        let table = problem.table();
        if table.columns().iter().all(|column| column.missing() == 0) {
            return self.weigh_columns(table, classes, report, run);
        }
        let order = by_values(table);
        let found = self.weigh_columns(&table.select_columns(&order), classes, report, run)?;
        let mut weights = vec![0.0; found.len()];
        order.into_iter().zip(found).for_each(|(column, weight)| weights[column] = weight);
        Ok(weights)
    }
}

/// The columns sorted by their values. Expected differences to missing values are not exactly representable. In
/// another column order, nearly equal distances would be rounded differently, and the descent could end on the other
/// side of an edge.
fn by_values(table: &Table<'_>) -> Vec<usize> {
    let columns = table.columns();
    let compare = |a: usize, b: usize| {
        let pairs = (0..table.rows()).map(|row| (columns[a].value(row), columns[b].value(row)));
        pairs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

impl Lmba {
    fn weigh_columns(
        &self,
        table: &Table<'_>,
        classes: &Classes,
        report: &mut Report,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let codes = classes.codes();
        let space = Space::new(table, Some((codes, classes.len())), self.space, run)?;
        let mut order: Vec<u32> = (0..table.rows() as u32).collect();
        order.sort_by_key(|&row| codes[row as usize]);
        let mut own_class = Vec::with_capacity(order.len());
        for &count in classes.counts() {
            let first = own_class.len();
            own_class.resize(first + count, (first, first + count));
        }
        let rows = ReweightedRows::new(&space, order, true, run)?;
        let objective = Objective { c: self.c, space: &space, rows, own_class };
        let weights = run.install(|| self.descend(&objective, report, run))?;
        warn_of_lone_rows(classes, "has no hit and does not count", report);
        Ok(weights)
    }

    fn descend(
        &self,
        objective: &Objective<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let mut w = vec![1.0; objective.rows.width()];
        for feature in objective.space.constant_features() {
            w[feature] = 0.0;
        }
        let mut here = objective.at(&w, run)?;
        let mut weights = normalized(&w);
        let (mut step, mut iterations, mut change) = (None, 0, 0.0);
        run.progress().start("descending", self.max_iter as u64);
        while iterations < self.max_iter {
            let gradient: Vec<f64> =
                w.iter().zip(&here.slopes).map(|(w, slope)| 2.0 * w * slope).collect();
            let norm: f64 = gradient.iter().map(|g| g * g).sum();
            let steepest = here.slopes.iter().fold(0.0, |most, slope| f64::max(most, slope.abs()));
            iterations += 1;
            change = 0.0;
            if norm == 0.0 {
                break;
            }
            // The first step changes the weight of the feature with the steepest slope by half.
            let mut length: f64 = step.unwrap_or(0.25 / steepest);
            let mut found = None;
            for _ in 0..HALVINGS {
                let next: Vec<f64> = w.iter().zip(&gradient).map(|(w, g)| w - length * g).collect();
                let there = objective.at(&next, run)?;
                if there.value <= here.value - ARMIJO * length * norm {
                    found = Some((next, there));
                    break;
                }
                length *= 0.5;
            }
            let Some((next, there)) = found else { break };
            let before = std::mem::replace(&mut weights, normalized(&next));
            (w, here, step) = (next, there, Some(2.0 * length));
            let square = |pair: (&f64, &f64)| (pair.0 - pair.1) * (pair.0 - pair.1);
            change = before.iter().zip(&weights).map(square).sum::<f64>().sqrt();
            run.progress().advance(1);
            if change < self.tol {
                break;
            }
        }
        run.progress().finish();
        let converged = change < self.tol;
        report.iterations = Some(iterations);
        report.converged = Some(converged);
        report.last_change = Some(change);
        report.objective = Some(here.value);
        if !converged {
            let advice = "increase max_iter or tol";
            warn_of_no_convergence(iterations, change, self.tol, advice, report);
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            report.warnings.push(Warning::new(
                "no-positive-margin",
                "every weight is 0: no feature differs between rows, or the pull exceeds the margins everywhere",
            ));
        }
        Ok(weights)
    }
}

/// Returns `w^2 / max(w^2)`, or zeros if all entries are 0.
fn normalized(w: &[f64]) -> Vec<f64> {
    let largest = w.iter().fold(0.0, |most, w| f64::max(most, w.abs()));
    let ratio = |w: &f64| if largest > 0.0 { (w / largest) * (w / largest) } else { 0.0 };
    w.iter().map(ratio).collect()
}

/// The objective function.
struct Objective<'a> {
    c: f64,
    space: &'a Space<'a>,
    rows: ReweightedRows<'a>,
    /// For every position, the start and end of the positions of the same class.
    own_class: Vec<(usize, usize)>,
}

/// The value, and its derivatives with respect to the squares of `w` for fixed neighbors.
struct Value {
    value: f64,
    slopes: Vec<f64>,
}

/// Buffers of one worker, reused between rows.
#[derive(Default)]
struct Scratch {
    line: LineScratch,
    distances: Vec<f64>,
    candidates: Vec<(f64, u32)>,
    found: Vec<Neighbor>,
}

impl Objective<'_> {
    fn at(&self, w: &[f64], run: &Run) -> Result<Value> {
        let n = self.rows.len();
        let squares: Vec<f64> = w.iter().map(|w| w * w).collect();
        let weighting = self.rows.weighting(&squares);
        let of_rows = |scratch: &mut Scratch, start: usize| {
            run.check()?;
            let mut sum = Value { value: 0.0, slopes: vec![0.0; w.len()] };
            for own in start..(start + ROWS).min(n) {
                let Scratch { line, distances, .. } = scratch;
                self.rows.tied_distances(&weighting, own, line, distances);
                self.add_row(own, &squares, scratch, &mut sum);
            }
            Ok(sum)
        };
        let parts = parallel::try_map_with((0..n).step_by(ROWS), of_rows)?;
        let mut total = Value { value: 0.0, slopes: vec![0.0; w.len()] };
        for part in parts {
            total.value += part.value / n as f64;
            for (sum, slope) in total.slopes.iter_mut().zip(part.slopes) {
                *sum += slope / n as f64;
            }
        }
        Ok(total)
    }

    fn add_row(&self, own: usize, squares: &[f64], scratch: &mut Scratch, sum: &mut Value) {
        let (from, to) = self.own_class[own];
        let hits = self.squared_differences(own, from..to, scratch);
        let others = (0..from).chain(to..self.rows.len());
        let misses = self.squared_differences(own, others, scratch);
        let (Some(hits), Some(misses)) = (hits, misses) else { return };
        let norm = |differences: &[f64]| -> f64 {
            differences.iter().zip(squares).map(|(d, square)| d * square).sum()
        };
        let pull = norm(&hits);
        let hinge = 1.0 + pull - norm(&misses);
        let active = if hinge > 0.0 { self.c } else { 0.0 };
        sum.value += pull + active * hinge;
        for (feature, slope) in sum.slopes.iter_mut().enumerate() {
            *slope += (1.0 + active) * hits[feature] - active * misses[feature];
        }
    }

    /// Per feature, the mean squared difference to the nearest rows among the given positions.
    fn squared_differences(
        &self,
        own: usize,
        places: impl Iterator<Item = usize>,
        scratch: &mut Scratch,
    ) -> Option<Vec<f64>> {
        let options = NearestOptions { k: 1, ties: Ties::Share, weights: NeighborWeights::Uniform };
        let Scratch { distances, candidates, found, .. } = scratch;
        self.rows.nearest(distances, own, places, options, candidates, found);
        if found.is_empty() {
            return None;
        }
        let row = self.rows.order()[own] as usize;
        let mut means = vec![0.0; self.rows.width()];
        for neighbor in &scratch.found {
            for (feature, mean) in means.iter_mut().enumerate() {
                let other = neighbor.row as usize;
                let difference = self.space.difference(feature, row, other).unwrap_or(0.0);
                *mean += neighbor.weight * difference * difference;
            }
        }
        Some(means)
    }
}

/// `C`: weight of the margins of `lmba`.
static C: OptionInfo = OptionInfo {
    name: "C",
    flag: "margin-weight",
    kind: OptionKind::Number { least: 1e-9, most: 1e9 },
    default: "1",
    help: "Weight of the margins relative to the pull of the nearest hits",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "lmba",
    class: "Lmba",
    task: Task::Classes,
    scale: WeightScale::LargestIsOne,
    interactions: true,
    missing: true,
    cost: "n² p per iteration",
    range: (0.0, 1.0),
    purpose: "pulls the nearest hit close and keeps the nearest miss a margin away",
    source: "Li & Lu 2009, after Hocke & Martinetz 2013",
    options: &[&C, &MAX_ITER, &TOL, &MISSING_COUNTED, &RAMP, &GENOTYPE_DIFF],
    choose: &[&C],
    documentation: page!("lmba.rs"),
    python: Some(&PYTHON),
    build: weighing::<Lmba>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Lmba: pulls the nearest hit close and keeps the nearest miss a margin away.",
    description: &[
        "Gradient steps on the hinge loss of the nearest hit and miss of every row, found in the \
         weighted space.",
    ],
    weights: ", scaled so that the largest is 1",
    reports: &["n_iter_", "converged_", "objective_"],
    see_also: &[("ReliefMargin", "Finds the nearest rows only once, in closed form.")],
    references: &[
        "Y. Li and B.-L. Lu. Feature selection based on loss-margin of nearest neighbor \
         classification. Pattern Recognition 42(9), 1914-1921, 2009.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import Lmba",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> Lmba(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::{assert_weights, classes, has_warning, numeric, run};

    #[test]
    fn the_order_of_columns_with_missing_values_does_not_matter() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64
        };
        let codes: Vec<u32> = (0..60).map(|row| row % 3).collect();
        let columns: Vec<Vec<f64>> = (0..7)
            .map(|column| {
                let shifted = |&code: &u32| if column < 3 { 0.4 * f64::from(code) } else { 0.0 };
                let value = |code| if next() < 0.15 { f64::NAN } else { next() + shifted(code) };
                codes.iter().map(value).collect()
            })
            .collect();
        let weigh = |order: &[usize]| {
            let named = order.iter().map(|&k| numeric(&format!("f{k}"), &columns[k]));
            let table = Table::new(named.collect()).unwrap();
            let target = classes(&codes);
            let fitted = Lmba { max_iter: 200, ..Lmba::default() }
                .fit_with(&Problem::new(&table, &target).unwrap(), &run(1))
                .unwrap();
            let mut weights = vec![0.0; order.len()];
            order.iter().zip(fitted.model.weights()).for_each(|(&k, &weight)| weights[k] = weight);
            (weights, fitted.report.objective, fitted.report.converged)
        };
        let expected = weigh(&[0, 1, 2, 3, 4, 5, 6]);
        for order in [[6, 5, 4, 3, 2, 1, 0], [3, 0, 6, 1, 5, 2, 4], [1, 2, 3, 4, 5, 6, 0]] {
            assert_eq!(weigh(&order), expected, "{order:?}");
        }
    }

    #[test]
    fn lmba_keeps_what_makes_the_margin() {
        // The first feature differs at every miss, the second only between hits. Hits (0, 1) cost v2,
        // misses are at v1 or v1 + v2; the minimum 0 has v2 = 0 and v1 at least 1: the weights tend to
        // (1, 0). One iteration from (1, 1): hits (0, 1), misses (1, 0), so that the hinge is 1 and
        // the slopes are (-1, 2); the step 1/8 changes the second to 1/2 and the first to 5/4.
        let table = Table::new(vec![
            numeric("x", &[0.0, 0.0, 1.0, 1.0]),
            numeric("y", &[0.0, 1.0, 1.0, 0.0]),
        ])
        .unwrap();
        let target = classes(&[0, 0, 1, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let fitted = Lmba { max_iter: 1, ..Lmba::default() }.fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[1.0, (0.5_f64 / 1.25).powi(2)]);
        // Hits at 1/4, tied misses at 25/16: pull 1/4, no hinge.
        assert!((fitted.report.objective.unwrap() - 0.25).abs() < 1e-15);
        assert!(has_warning(&fitted.report.warnings, "not-converged"));
        let fitted = Lmba::default().fit_with(&problem, &run(1)).unwrap();
        assert!(fitted.model.weights()[0] == 1.0 && fitted.model.weights()[1] < 1e-5);
        assert_eq!(fitted.report.converged, Some(true));
        let error =
            Lmba { c: f64::NAN, ..Lmba::default() }.fit_with(&problem, &run(1)).unwrap_err();
        assert!(error.to_string().contains("option C"), "{error}");
    }
}
