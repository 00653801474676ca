//! # `lmba`: nearest hit near, nearest miss a margin away
//!
//! A large-margin metric with one weight per feature: every row's nearest hit is pulled near, and its
//! nearest miss kept at least a margin farther away. For scaling features before nearest neighbors.
//!
//! ## Formula
//!
//! Our reading, in which it is LMNN with one weight per feature. With $h_i$ and $m_i$ the differences
//! of row $i$ to its nearest hit and its nearest miss of any other class, both sought under the current
//! $w$, minimize over $w$
//!
//! ```math
//! \mathop{\mathrm{mean}}_i \; \lVert w \circ h_i \rVert^2 + C \big[ 1 + \lVert w \circ h_i \rVert^2 - \lVert w \circ m_i \rVert^2 \big]_+
//! ```
//!
//! by gradient steps from $w = 1$, each halved until the objective falls enough. The result is
//! $w^2 / \max w^2 \in [0, 1]$. The objective is not convex: it is a local minimum, or an edge where
//! neighbors change and no step down the gradient helps. The order of the columns does not matter: with
//! missing values they are taken in an order of their values, as rounding may decide which side of an edge a step
//! ends on. $C$ is `--margin-weight`. Symbols are those of [the overview](super#notation).
//!
//! ## Cost
//!
//! Time one look at all pairs, $n^2 p$, per step that is tried; memory 8 bytes a value.
//!
//! ## When not to use it
//!
//! - To rank weak features among much noise: it fits few features to the borders between classes.
//!   [`relieff`](super::relieff) averages over all rows.
//! - Where the optimum must be proven: [`mdm`](super::mdm).
//! - `--missing ignore`: refused, since the steps need every difference.
//! - For p-values: in every fit, under permuted targets too, the largest weight is 1, so that tests find
//!   nothing and are refused. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff).
//!
//! ## Example
//!
//! x1 to x20 all matter alike, noise1 to noise10 do not.
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

use rayon::prelude::*;

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
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

settings! {
    /// Lmba (Li & Lu 2009, as Hocke & Martinetz 2013 describe it: derived from LMNN), in our reading:
    /// pull every row's nearest hit near and keep its nearest miss a margin away.
    ///
    /// It minimizes the mean over the rows of `||w o h||^2 + C [1 + ||w o h||^2 - ||w o m||^2]_+` over
    /// `w`, where `h` and `m` are the differences (`diff`) to the nearest hit and the nearest miss of
    /// any other class in the space of the current weights, `[.]_+` is the positive part and `o` the
    /// product per feature; of neighbors equally far, each counts its share. From `w = 1`, an
    /// iteration goes down the gradient with the neighbors as they are, by a step that is halved
    /// until the objective, its neighbors sought anew, falls enough (Armijo), and is doubled for the
    /// next. It has converged when the weights `w^2 / max(w^2)`, in [0, 1], change less than `tol`, or
    /// when no step lowers the objective, which is not convex: the result is a local minimum.
    ///
    /// A row that is alone in its class has no hit and does not count. Missing values count by their
    /// expected or worst difference; `ignore` is refused. Weights do not depend on the order of the columns. The time is one look at all pairs per step
    /// that is tried.
    ///
    /// # Errors
    /// The fit refuses: a real target, one class, options out of range, the policy `ignore` for missing values;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Lmba {
        /// Weight of the margins against the pull, from 1e-9 to 1e9.
        pub c: f64 = C,
        /// Iterations at most, at least 1.
        pub max_iter: usize = MAX_ITER,
        /// Change of the weights that ends the iteration, above 0.
        pub tol: f64 = TOL,
        /// How two rows differ; the metric is not used.
        pub space: SpaceOptions [
            missing, ramp, genotype_diff
        ],
    }
}

/// Halvings of a step before it is given up.
const HALVINGS: usize = 40;

/// Share of the decrease that the gradient promises that a step must reach.
const ARMIJO: f64 = 1e-4;

/// Rows whose gradients one task adds up.
const ROWS: usize = 32;

impl WeighFeatures for Lmba {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let refuse = |name: &str, value: String, takes: &str| {
            Err(Error::option(name, format!("{value} is out of range"), format!("give {takes}")))
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

/// The columns in an order that their values decide. Differences to missing values are no round numbers: in another
/// order of the columns distances that are all but equal would be rounded another way, and the descent would go down
/// another side of an edge.
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
            // At first, the feature of the steepest slope loses or gains half its weight.
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
            let advice = "a larger max_iter or tol helps";
            warn_of_no_convergence(iterations, change, self.tol, advice, report);
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            report.warnings.push(Warning::new(
                "no-positive-margin",
                "no feature differs between rows, or the pull wins everywhere: every weight is 0",
            ));
        }
        Ok(weights)
    }
}

/// `w^2 / max(w^2)`; zeros stay.
fn normalized(w: &[f64]) -> Vec<f64> {
    let largest = w.iter().fold(0.0, |most, w| f64::max(most, w.abs()));
    let ratio = |w: &f64| if largest > 0.0 { (w / largest) * (w / largest) } else { 0.0 };
    w.iter().map(ratio).collect()
}

/// The function that is minimized.
struct Objective<'a> {
    c: f64,
    space: &'a Space<'a>,
    rows: ReweightedRows<'a>,
    /// First place, and the place after the last, of the class of the row at every place.
    own_class: Vec<(usize, usize)>,
}

/// Value, and derivatives in the squares of `w` with the neighbors as they are.
struct Value {
    value: f64,
    slopes: Vec<f64>,
}

/// Reused memory of one worker.
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
        let starts: Vec<usize> = (0..n).step_by(ROWS).collect();
        let parts = starts
            .par_iter()
            .map_init(Scratch::default, |scratch, &start| {
                run.check()?;
                let mut sum = Value { value: 0.0, slopes: vec![0.0; w.len()] };
                for own in start..(start + ROWS).min(n) {
                    let Scratch { line, distances, .. } = scratch;
                    self.rows.tied_distances(&weighting, own, line, distances);
                    self.add_row(own, &squares, scratch, &mut sum);
                }
                Ok(sum)
            })
            .collect::<Result<Vec<Value>>>()?;
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

    /// Per feature, the mean squared difference to the nearest rows at those places.
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

/// `C`: weight of lmba's margins.
static C: OptionInfo = OptionInfo {
    name: "C",
    flag: "margin-weight",
    kind: OptionKind::Number { least: 1e-9, most: 1e9 },
    default: "1",
    help: "Weight of the margins against the pull of the nearest hits",
};

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "lmba",
    class: "Lmba",
    task: Task::Classes,
    scale: WeightScale::LargestIsOne,
    interactions: true,
    missing: true,
    cost: "n² p a round",
    range: (0.0, 1.0),
    purpose: "pulls the nearest hit near and keeps the nearest miss a margin away",
    source: "Li & Lu 2009, after Hocke & Martinetz 2013",
    options: &[&C, &MAX_ITER, &TOL, &MISSING_COUNTED, &RAMP, &GENOTYPE_DIFF],
    choose: &[&C],
    documentation: page!("lmba.rs"),
    python: Some(&PYTHON),
    build: weighing::<Lmba>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Lmba: pulls the nearest hit near and keeps the nearest miss a margin away.",
    description: &[
        "Gradient steps on the hinge loss of every row's nearest hit and miss, sought in the \
         weighted space.",
    ],
    weights: ", the greatest 1",
    reports: &["n_iter_", "converged_", "objective_"],
    see_also: &[("ReliefMargin", "One look at the nearest rows, in closed form.")],
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
        // The first feature makes every miss, the second only pulls hits apart. Hits (0, 1) cost v2,
        // misses are at v1 or v1 + v2; the minimum 0 has v2 = 0 and v1 at least 1: the weights tend to
        // (1, 0). One iteration from (1, 1): hits (0, 1), misses (1, 0), so that the hinge is 1 and
        // the slopes are (-1, 2); the step 1/8 takes the second to 1/2 and the first to 5/4.
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
