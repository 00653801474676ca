//! A weighting that goes round, as data: weights give margins, which are added up over blocks of rows, and
//! margins give the next weights. A fit takes one step after the other; [`crate::distribute`] has the blocks
//! computed on many machines in between.

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

/// A method whose weights come from margins under the weights before, again and again.
pub trait Reweigh {
    /// Iterations at most.
    fn most_iterations(&self) -> usize;

    /// What the iterations need of a problem.
    ///
    /// # Errors
    /// What the method says of its options and of the target.
    fn reweighting<'p>(&self, problem: &Problem<'p>) -> Result<Reweighting<'p>>;
}

/// What iterations need of a problem, and how the margins of some rows are added up.
pub struct Reweighting<'p> {
    /// The features.
    pub(crate) table: &'p Table<'p>,
    /// The classes that differences to missing values are expected by, and their number.
    pub(crate) conditional: (&'p [u32], usize),
    /// How two rows differ.
    pub(crate) space: SpaceOptions,
    /// All rows; blocks are cut of this order.
    pub(crate) order: Vec<u32>,
    /// Rows of a block, which follow from the data.
    pub(crate) block_rows: usize,
    /// Iterations at most.
    pub(crate) most_iterations: usize,
    /// The change of the weights that ends the iteration.
    pub(crate) tol: f64,
    /// What is told at the end beside the weights.
    pub(crate) warnings: Vec<Warning>,
    /// The sums of some blocks.
    pub(crate) sums: SumsOfBlocks<'p>,
}

/// The differences to hits, and to misses, of the rows of some blocks, from the space of all rows, which stand
/// there in the order given, under weights.
pub(crate) type SumsOfBlocks<'p> = Box<
    dyn Fn(&Space<'_>, Vec<u32>, &[f64], Range<usize>, &Run) -> Result<Vec<MarginSums<2>>>
        + Send
        + Sync
        + 'p,
>;

impl Reweighting<'_> {
    /// The space of a table that has some of the columns, or all.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn space_of<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        Space::new(table, Some(self.conditional), self.space, run)
    }

    /// The space of all rows in the order that blocks are cut of, from a table of them and what
    /// [`features_of`](Space::features_of) tells of them.
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

    /// The last iteration, with the weights to give as the result.
    pub(crate) fn ended(&self, iteration: Iteration) -> Iteration {
        iteration.ended(self.tol)
    }

    /// What is told of the last iteration.
    pub(crate) fn told(&self, iteration: &Iteration) -> Report {
        let mut report = Report::default();
        iteration.tell(self.tol, &mut report);
        report.warnings.extend(self.warnings.iter().cloned());
        report
    }
}

/// How far an iteration is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Iteration {
    weights: Vec<f64>,
    /// The change of the weights in every iteration so far.
    changes: Vec<f64>,
    /// The mean expected margin that gave the weights.
    objective: f64,
    /// The weights one iteration earlier and the margin that gave them, where all rows are taken together.
    before: Option<(Vec<f64>, f64)>,
    /// How far the weights are from those two iterations earlier; infinite where these are not known.
    change_of_two: f64,
}

impl Iteration {
    /// Before the first iteration: uniform weights of unit norm on the features that differ anywhere.
    pub(crate) fn start(space: &Space<'_>) -> Self {
        let mut weights = vec![1.0; space.width()];
        for feature in space.constant_features() {
            weights[feature] = 0.0;
        }
        let count: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= count.max(1.0).sqrt());
        Self::new(weights, Vec::new(), 0.0, None)
    }

    /// After some iterations, of which the last but one gave the weights and the objective `before`.
    pub(crate) fn new(
        weights: Vec<f64>,
        changes: Vec<f64>,
        objective: f64,
        before: Option<(Vec<f64>, f64)>,
    ) -> Self {
        Self { weights, changes, objective, before, change_of_two: f64::INFINITY }
    }

    /// Whether the entries of an iteration after the first one fit together and have `width` features.
    pub(crate) fn is_consistent(&self, width: usize) -> bool {
        let before = self.before.as_ref().map(|(weights, _)| weights.len());
        self.weights.len() == width && before == Some(width) && !self.changes.is_empty()
    }

    /// The weights of all features.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weights one iteration earlier, and the mean expected margin that gave them.
    pub(crate) fn before(&self) -> Option<(&[f64], f64)> {
        self.before.as_ref().map(|(weights, objective)| (weights.as_slice(), *objective))
    }

    /// Iterations done.
    pub(crate) fn done(&self) -> usize {
        self.changes.len()
    }

    fn last_change(&self) -> f64 {
        self.changes.last().copied().unwrap_or(f64::INFINITY)
    }

    fn is_nothing(&self) -> bool {
        self.weights.iter().all(|weight| *weight == 0.0)
    }

    /// Whether the weights alternate between two vectors: against the distance of the two, two iterations
    /// change less than `tol`.
    ///
    /// Weights that swing as they converge also come near to those two iterations earlier, but every
    /// swing is shorter than the one before. Where two iterations change so little, they would need
    /// more than `1 / tol` iterations to converge.
    fn alternates(&self, tol: f64) -> bool {
        self.last_change() >= tol && self.change_of_two < tol * self.last_change()
    }

    /// Whether another iteration follows, of at most so many.
    pub(crate) fn goes_on(&self, most: usize, tol: f64) -> bool {
        let gave_up = self.done() > 0 && self.is_nothing();
        self.done() < most && self.last_change() >= tol && !gave_up && !self.alternates(tol)
    }

    /// The next iteration, from the mean margins of all rows under these weights.
    pub(crate) fn step(self, margins: &[f64]) -> Self {
        let weights = positive_part_of_unit_norm(margins.to_vec(), &mut Report::default());
        let change_of_two =
            self.before().map_or(f64::INFINITY, |(earlier, _)| distance(earlier, &weights));
        let before = Some((self.weights.clone(), self.objective));
        Self { before, change_of_two, ..self.to(weights, margins) }
    }

    /// The next iteration, with weights that these margins gave.
    pub(crate) fn to(mut self, weights: Vec<f64>, margins: &[f64]) -> Self {
        self.changes.push(distance(&self.weights, &weights));
        self.objective = weights.iter().zip(margins).map(|(weight, margin)| weight * margin).sum();
        self.weights = weights;
        self
    }

    /// The same with no weight at all.
    pub(crate) fn without_weights(mut self) -> Self {
        self.weights.fill(0.0);
        self
    }

    /// With the weights to give as the result: of two vectors that alternate those that have the greater
    /// objective, whichever came last.
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

    /// What is told at the end.
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
                    "after {} iterations the weights alternate between two vectors, whose distance is \
                     {change:.3e}, and more iterations change nothing: these are the weights of the \
                     greater objective, and a sigma that is large enough converges",
                    self.done()
                ),
            ));
        } else if change >= tol {
            let advice = "a larger sigma, tol or max_iter helps";
            warn_of_no_convergence(self.done(), change, tol, advice, report);
        }
    }
}

/// The Euclidean distance of two vectors of weights.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The mean margins of so many rows, from the sums of all blocks.
pub(crate) fn mean_margins(sums: &MarginSums<2>, rows: f64) -> Vec<f64> {
    (0..sums.sums[0].len())
        .map(|feature| (sums.completed(1, feature) - sums.completed(0, feature)) / rows)
        .collect()
}

/// The sums of blocks together, which are added in their order.
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
