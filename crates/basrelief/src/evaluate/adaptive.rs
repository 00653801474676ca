//! Discriminant adaptive nearest neighbors: a separate metric around every row to be classified.

use super::knn_loss_grid::RowCoordinates;
use crate::algebra::{Eigen, add_outer, product, symmetric_eigen};
use crate::data::{DenseMatrix, Target};
use crate::error::Result;
use crate::knn::{Vote, VoteWeights};
use crate::methods::options::DANN_NEIGHBORS;
use crate::options::{OptionInfo, OptionKind, OptionValue, Settings};
use crate::order::ascending;
use crate::parallel;
use crate::run::Run;

/// Name as a method.
pub(crate) const ADAPTIVE_NAME: &str = "dann-local";

/// Eigenvalues of a within-class scatter below this fraction of their mean are raised to it.
const FLOOR: f64 = 1e-6;

static EPSILON: OptionInfo = OptionInfo {
    name: "epsilon",
    flag: "epsilon",
    kind: OptionKind::Positive,
    default: "1",
    help: "Added to the between-class scatter in sphered coordinates: larger values keep neighborhoods rounder",
};

static ROUNDS: OptionInfo = OptionInfo {
    name: "rounds",
    flag: "rounds",
    kind: OptionKind::Count { least: 1 },
    default: "1",
    help: "Number of iterations: each finds the neighborhood and learns a new metric from it",
};

/// Its options, in the order shown.
pub(crate) static ADAPTIVE_OPTIONS: &[&OptionInfo] = &[&DANN_NEIGHBORS, &EPSILON, &ROUNDS];

/// The local adaptive classifier of Hastie & Tibshirani (1996).
///
/// The rows nearest to a row x give the pooled within-class covariance `W` and the covariance `B` of their class
/// means, all with equal weights (as in Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, section
/// 13.4.2). The metric around x is `W^-1/2 (W^-1/2 B W^-1/2 + epsilon I) W^-1/2`: distances are short along
/// directions in which the classes do not differ. The k rows nearest to x in this metric vote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    /// Number of rows of a neighborhood, at least 2; `None` for a fifth of the rows, but at least 50.
    pub neighborhood: Option<usize>,
    /// Above 0.
    pub epsilon: f64,
    /// At least 1.
    pub rounds: usize,
}

impl Default for Adaptive {
    fn default() -> Self {
        Self { neighborhood: None, epsilon: 1.0, rounds: 1 }
    }
}

impl Adaptive {
    pub(crate) fn from_settings(settings: &Settings) -> Result<Self> {
        let neighborhood = match settings.get(&DANN_NEIGHBORS)? {
            OptionValue::Text(text) => text.parse().ok(),
            _ => None,
        };
        let (epsilon, rounds) = (settings.number(&EPSILON)?, settings.count(&ROUNDS)?);
        Ok(Self { neighborhood, epsilon, rounds })
    }

    /// The sums of the losses for each of the numbers of neighbors.
    pub(crate) fn losses(
        &self,
        target: &Target,
        known: RowCoordinates<'_>,
        tested: RowCoordinates<'_>,
        counts: &[usize],
        run: &Run,
    ) -> Result<Vec<f64>> {
        let one = |(place, &row): (usize, &usize)| {
            run.check()?;
            let own = tested.coordinates.row(place);
            let map = self.map_around(target, known, own, run)?;
            let mapped = differences(known.coordinates, own, map.as_ref(), run)?;
            let most = counts.last().copied().unwrap_or(1);
            let mut vote = Vote::new(target, VoteWeights::Uniform);
            let mut losses = Vec::with_capacity(counts.len());
            let order = ascending(&mapped);
            for (neighbors, &near) in (1..).zip(order.iter().take(most)) {
                vote.add(known.rows[near], mapped[near].sqrt());
                if counts.contains(&neighbors) {
                    losses.push(vote.loss(row));
                }
            }
            losses.resize(counts.len(), vote.loss(row));
            Ok(losses)
        };
        let all = run.install(|| parallel::try_map(tested.rows.iter().enumerate(), one))?;
        let mut sums = vec![0.0; counts.len()];
        for losses in all {
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        }
        Ok(sums)
    }

    /// Returns a map whose Euclidean distances from `own` are those of the metric around it, or `None`
    /// if the rows of its neighborhood do not differ.
    fn map_around(
        &self,
        target: &Target,
        known: RowCoordinates<'_>,
        own: &[f64],
        run: &Run,
    ) -> Result<Option<DenseMatrix>> {
        let classes = target.classes(ADAPTIVE_NAME)?;
        let (count, width) = (known.coordinates.rows(), known.coordinates.columns());
        let size = self.neighborhood.unwrap_or((count / 5).max(50)).min(count);
        let mut map: Option<DenseMatrix> = None;
        for _ in 0..self.rounds {
            let squares = differences(known.coordinates, own, map.as_ref(), run)?;
            let order = ascending(&squares);
            let near = &order[..size];
            let mut shares = vec![0.0; classes.len()];
            let mut means = DenseMatrix::zeros(classes.len(), width);
            for &row in near {
                let code = classes.codes()[known.rows[row]] as usize;
                shares[code] += 1.0;
                let values = means.row_mut(code).iter_mut().zip(known.coordinates.row(row));
                values.for_each(|(mean, value)| *mean += value);
            }
            let total = size as f64;
            let mut mean = vec![0.0; width];
            for (code, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                for (all, sum) in mean.iter_mut().zip(means.row_mut(code)) {
                    *all += *sum / total;
                    *sum /= share;
                }
            }
            let (mut within, mut between) =
                (DenseMatrix::zeros(width, width), DenseMatrix::zeros(width, width));
            for &row in near {
                let code = classes.codes()[known.rows[row]] as usize;
                let values = known.coordinates.row(row).iter().zip(means.row(code));
                let apart: Vec<f64> = values.map(|(value, mean)| value - mean).collect();
                add_outer(&mut within, &apart, 1.0 / total);
            }
            for (code, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                let apart: Vec<f64> =
                    means.row(code).iter().zip(&mean).map(|(own, all)| own - all).collect();
                add_outer(&mut between, &apart, share / total);
            }
            let Some(sphering) = inverse_root(&within, run)? else { return Ok(map) };
            let Eigen { values, mut vectors } = symmetric_eigen(
                &product(&product(&sphering, &between, run)?, &sphering, run)?,
                run,
            )?;
            for (k, value) in values.iter().enumerate() {
                let root = (value.max(0.0) + self.epsilon).sqrt();
                vectors.row_mut(k).iter_mut().for_each(|entry| *entry *= root);
            }
            map = Some(product(&vectors, &sphering, run)?);
        }
        Ok(map)
    }
}

/// The squared distances of rows from one row, under a map.
fn differences(
    rows: &DenseMatrix,
    own: &[f64],
    map: Option<&DenseMatrix>,
    run: &Run,
) -> Result<Vec<f64>> {
    let mut apart = rows.clone();
    for row in 0..apart.rows() {
        apart.row_mut(row).iter_mut().zip(own).for_each(|(value, own)| *value -= own);
    }
    let mapped = match map {
        None => apart,
        Some(map) => product(&apart, &map.transposed(), run)?,
    };
    Ok(mapped.iter().map(|row| row.iter().map(|value| value * value).sum()).collect())
}

/// `W^-1/2`, with small eigenvalues raised to the floor; `None` if `W` is 0.
fn inverse_root(within: &DenseMatrix, run: &Run) -> Result<Option<DenseMatrix>> {
    let Eigen { values, vectors } = symmetric_eigen(within, run)?;
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    if mean.is_nan() || mean <= 0.0 {
        return Ok(None);
    }
    let mut scaled = vectors.clone();
    for (k, value) in values.iter().enumerate() {
        let root = value.max(FLOOR * mean).sqrt();
        scaled.row_mut(k).iter_mut().for_each(|entry| *entry /= root);
    }
    Ok(Some(product(&vectors.transposed(), &scaled, run)?))
}
