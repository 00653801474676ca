//! An iterative weighting method, described as data: weights give margins, the margins are summed
//! over blocks of rows, and the sums give the next weights. A fit runs the steps in sequence;
//! [`crate::distribute`] computes the blocks on many machines in between.

use std::mem;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Problem;
use super::positive_part::{no_positive_margin, positive_part_of_unit_norm};
use super::shared::warn_of_no_convergence;
use crate::data::Table;
use crate::differences::{Feature, Space, SpaceOptions};
use crate::error::Result;
use crate::margins::MarginSums;
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

/// An iterative weighting method: each iteration computes weights from the margins under the
/// previous weights.
pub trait Reweigh {
    /// The maximum number of iterations.
    fn most_iterations(&self) -> usize;

    /// Describes the iterations for a problem.
    ///
    /// # Errors
    /// Options or a target that the method refuses.
    fn reweighting<'p>(&self, problem: &Problem<'p>) -> Result<Reweighting<'p>>;
}

/// The iterations for a problem: its data, and how the margins of blocks of rows are summed.
pub struct Reweighting<'p> {
    /// The features.
    pub(crate) table: &'p Table<'p>,
    /// The classes on which expected differences to missing values are conditioned, and their
    /// number.
    pub(crate) conditional: (&'p [u32], usize),
    /// How two rows differ.
    pub(crate) space: SpaceOptions,
    /// All rows; blocks are consecutive parts of this order.
    pub(crate) order: Vec<u32>,
    /// Rows per block, determined by the data.
    pub(crate) block_rows: usize,
    /// The maximum number of iterations.
    pub(crate) most_iterations: usize,
    /// The change of the weights below which the iteration has converged.
    pub(crate) tol: f64,
    /// Warnings to report with the weights.
    pub(crate) warnings: Vec<Warning>,
    /// Computes the sums of some blocks.
    pub(crate) sums: SumsOfBlocks<'p>,
}

/// Computes the summed differences to hits and to misses of the rows of some blocks, under given
/// weights. The space contains all rows in the given order.
pub(crate) type SumsOfBlocks<'p> = Box<
    dyn Fn(&Space<'_>, Vec<u32>, &[f64], Range<usize>, &Run) -> Result<Vec<MarginSums<2>>>
        + Send
        + Sync
        + 'p,
>;

impl Reweighting<'_> {
    /// The space of a table with some or all of the columns.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn space_of<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        Space::new(table, Some(self.conditional), self.space, run)
    }

    /// The space of all rows in the order of the blocks, from a table in this order and the result
    /// of [`features_of`](Space::features_of).
    pub(crate) fn space_in_order<'t>(
        &self,
        table: &'t Table<'t>,
        features: Vec<Feature<'t>>,
    ) -> Space<'t> {
        let codes: Vec<u32> =
            self.order.iter().map(|&row| self.conditional.0[row as usize]).collect();
        Space::of_features(table, Some(&codes), self.space, features)
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.order.len().div_ceil(self.block_rows)
    }

    /// Whether another iteration follows.
    pub(crate) fn goes_on(&self, iteration: &Iteration) -> bool {
        iteration.goes_on(self.most_iterations, self.tol)
    }

    /// Replaces the weights of the last iteration by those of the result.
    pub(crate) fn ended(&self, iteration: Iteration) -> Iteration {
        iteration.ended(self.tol)
    }

    /// The report after the last iteration.
    pub(crate) fn told(&self, iteration: &Iteration) -> Report {
        let mut report = Report::default();
        iteration.tell(self.tol, &mut report);
        report.warnings.extend(self.warnings.iter().cloned());
        report
    }
}

/// The state after some iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Iteration {
    weights: Vec<f64>,
    /// The change of the weights in every iteration so far.
    changes: Vec<f64>,
    /// The mean expected margin from which the weights were computed.
    objective: f64,
    /// The previous weights and their objective, if all rows are processed together.
    before: Option<(Vec<f64>, f64)>,
    /// The distance of the weights from those two iterations earlier; infinite if these are not
    /// known.
    change_of_two: f64,
}

impl Iteration {
    /// The state before the first iteration: uniform weights of unit norm on the features that are
    /// not constant.
    pub(crate) fn start(space: &Space<'_>) -> Self {
        let mut weights = vec![1.0; space.width()];
        for feature in space.constant_features() {
            weights[feature] = 0.0;
        }
        let count: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= count.max(1.0).sqrt());
        Self::new(weights, Vec::new(), 0.0, None)
    }

    /// The state after some iterations; `before` contains the previous weights and their objective.
    pub(crate) fn new(
        weights: Vec<f64>,
        changes: Vec<f64>,
        objective: f64,
        before: Option<(Vec<f64>, f64)>,
    ) -> Self {
        Self { weights, changes, objective, before, change_of_two: f64::INFINITY }
    }

    /// Whether the fields of a state after the first iteration are consistent and have `width`
    /// features.
    pub(crate) fn is_consistent(&self, width: usize) -> bool {
        let before = self.before.as_ref().map(|(weights, _)| weights.len());
        self.weights.len() == width && before == Some(width) && !self.changes.is_empty()
    }

    /// The weights of all features.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The previous weights, and the mean expected margin from which they were computed.
    pub(crate) fn before(&self) -> Option<(&[f64], f64)> {
        self.before.as_ref().map(|(weights, objective)| (weights.as_slice(), *objective))
    }

    /// The number of completed iterations.
    pub(crate) fn done(&self) -> usize {
        self.changes.len()
    }

    fn last_change(&self) -> f64 {
        self.changes.last().copied().unwrap_or(f64::INFINITY)
    }

    fn is_nothing(&self) -> bool {
        self.weights.iter().all(|weight| *weight == 0.0)
    }

    /// Whether the weights alternate between two vectors: their change over two iterations is less
    /// than `tol` times the distance of the two vectors.
    ///
    /// Weights that oscillate while they converge also come near to those two iterations earlier,
    /// but every oscillation is smaller than the one before. With so small a change over two
    /// iterations, they would need more than `1 / tol` iterations to converge.
    fn alternates(&self, tol: f64) -> bool {
        self.last_change() >= tol && self.change_of_two < tol * self.last_change()
    }

    /// Whether another iteration follows, up to `most` iterations.
    pub(crate) fn goes_on(&self, most: usize, tol: f64) -> bool {
        let gave_up = self.done() > 0 && self.is_nothing();
        self.done() < most && self.last_change() >= tol && !gave_up && !self.alternates(tol)
    }

    /// The next state, from the mean margins of all rows under these weights.
    pub(crate) fn step(self, margins: &[f64]) -> Self {
        let weights = positive_part_of_unit_norm(margins.to_vec(), &mut Report::default());
        let change_of_two =
            self.before().map_or(f64::INFINITY, |(earlier, _)| distance(earlier, &weights));
        let before = Some((self.weights.clone(), self.objective));
        Self { before, change_of_two, ..self.to(weights, margins) }
    }

    /// The next state, with weights computed from these margins.
    pub(crate) fn to(mut self, weights: Vec<f64>, margins: &[f64]) -> Self {
        self.changes.push(distance(&self.weights, &weights));
        self.objective = weights.iter().zip(margins).map(|(weight, margin)| weight * margin).sum();
        self.weights = weights;
        self
    }

    /// Sets all weights to 0.
    pub(crate) fn without_weights(mut self) -> Self {
        self.weights.fill(0.0);
        self
    }

    /// Replaces the weights by those of the result: if they alternate between two vectors, the
    /// vector with the larger objective, whichever came last.
    pub(crate) fn ended(mut self, tol: f64) -> Self {
        let alternates = self.alternates(tol);
        if let Some((weights, objective)) = &mut self.before
            && alternates
            && *objective > self.objective
        {
            mem::swap(&mut self.weights, weights);
            mem::swap(&mut self.objective, objective);
        }
        self
    }

    /// Adds the outcome of the iterations to the report.
    pub(crate) fn tell(&self, tol: f64, report: &mut Report) {
        let (change, nothing) = (self.last_change(), self.is_nothing());
        report.iterations = Some(self.done());
        report.converged = Some(change < tol && !nothing);
        report.objective = Some(self.objective);
        report.last_change = Some(change);
        report.changes.clone_from(&self.changes);
        if nothing {
            report.warnings.push(no_positive_margin());
        } else if self.alternates(tol) {
            report.warnings.push(Warning::new(
                "alternates",
                format!(
                    "after {} iterations the weights alternate between two vectors at distance \
                     {change:.3e}, so more iterations do not help; the result is the vector with \
                     the larger objective; a larger sigma converges",
                    self.done()
                ),
            ));
        } else if change >= tol {
            let advice = "increase sigma, tol or max_iter";
            warn_of_no_convergence(self.done(), change, tol, advice, report);
        }
    }
}

/// The Euclidean distance of two weight vectors.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The mean margins of `rows` rows, from the sums of all blocks.
pub(crate) fn mean_margins(sums: &MarginSums<2>, rows: f64) -> Vec<f64> {
    (0..sums.sums[0].len())
        .map(|feature| (sums.completed(1, feature) - sums.completed(0, feature)) / rows)
        .collect()
}

/// The total of the sums of blocks, added in block order.
pub(crate) fn added(
    width: usize,
    blocks: impl IntoIterator<Item = MarginSums<2>>,
) -> MarginSums<2> {
    let mut all = MarginSums::new(width);
    for block in blocks {
        for place in 0..2 {
            all.totals[place] += block.totals[place];
            let add = |(sum, part): (&mut f64, &f64)| *sum += part;
            all.sums[place].iter_mut().zip(&block.sums[place]).for_each(add);
            all.skipped[place].iter_mut().zip(&block.skipped[place]).for_each(add);
        }
    }
    all
}
