//! TuRF: drop the worst features and weigh the rest again.

use super::options::{DROP, KEEP};
use super::wrappers::{Heard, WeighFeatures, WrapperInfo};
use super::{Problem, Settings};
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

/// How far the weights of dropped features lie apart, as a share of the spread of the weights
/// that were kept.
const STEP: f64 = 0.01;

/// Registry entry.
///
/// TuRF (Moore & White 2007): each round the share `drop` of the features left, those of least
/// weight, are dropped (at least one) and the rest weighed again, until `keep` are left. With
/// fewer noise features the neighbours are nearer in what matters.
///
/// The weights are those of the last round. A feature that was dropped keeps the rank of its
/// round: its weight is below that of all features that stayed longer, in the order of its own
/// round, by steps of 1 % of the last round's spread; these weights rank, they do not measure.
pub(crate) static INFO: WrapperInfo = WrapperInfo {
    name: "turf",
    purpose: "drops the worst features round by round: hundreds to thousands of features",
    source: "Moore & White 2007",
    options: &[&DROP, &KEEP],
    weigh,
};

fn weigh(
    settings: &Settings,
    inner: &dyn WeighFeatures,
    problem: &Problem<'_>,
    report: &mut Report,
    run: &Run,
) -> Result<Vec<f64>> {
    let (drop, keep) = (settings.number(&DROP)?, settings.count(&KEEP)?);
    let mut left: Vec<usize> = (0..problem.table().width()).collect();
    // Features in the order they were dropped, the first dropped first.
    let mut dropped: Vec<usize> = Vec::new();
    let mut heard = Heard::default();
    let mut first = Report::default();
    let mut weights = inner.weigh(problem, &mut first, run)?;
    heard.add(first);
    let mut rounds = 0;
    while left.len() > keep.max(1) {
        let wanted = ((left.len() as f64 * drop).floor() as usize).max(1);
        let count = wanted.min(left.len() - keep.max(1));
        // Worst first; of equal weights the last columns go first.
        let mut order: Vec<usize> = (0..left.len()).collect();
        order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(b.cmp(&a)));
        let (worst, rest) = order.split_at(count);
        dropped.extend(worst.iter().map(|&place| left[place]));
        let mut rest: Vec<usize> = rest.iter().map(|&place| left[place]).collect();
        rest.sort_unstable();
        left = rest;
        let table = problem.table().select_columns(&left);
        let mut round = Report::default();
        weights = inner.weigh(&Problem::new(&table, problem.target())?, &mut round, run)?;
        heard.add(round);
        rounds += 1;
    }
    heard.tell("rounds", report);
    report.iterations = Some(rounds);
    let greatest = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    let spread = if greatest > least { greatest - least } else { 1.0 };
    let mut result = vec![0.0; problem.table().width()];
    for (&feature, &weight) in left.iter().zip(&weights) {
        result[feature] = weight;
    }
    for (step, &feature) in dropped.iter().rev().enumerate() {
        result[feature] = least - STEP * spread * (step + 1) as f64;
    }
    Ok(result)
}
