//! VLS: weigh random subsets of the features.

use super::options::{ROUNDS, SUBSET_SIZE, TAKE};
use super::wrappers::{Heard, WeighFeatures, WrapperInfo};
use super::{Problem, Settings};
use crate::error::Result;
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;

/// Registry entry.
///
/// VLSRelief (Eppstein & Haake 2008): each round the features are dealt at random into subsets of
/// `size` (so that every feature is in exactly one), and every subset is weighed by itself. A
/// feature's weight is the greatest (`take=best`) or the mean (`take=mean`) of its weights over
/// the rounds. Features that matter only together must meet in a subset: two of p do so in about
/// a share `size / p` of the rounds.
pub(crate) static INFO: WrapperInfo = WrapperInfo {
    name: "vls",
    purpose: "weighs random subsets of the features: for thousands of features and more",
    source: "Eppstein & Haake 2008",
    options: &[&SUBSET_SIZE, &ROUNDS, &TAKE],
    weigh,
};

fn weigh(
    settings: &Settings,
    inner: &dyn WeighFeatures,
    problem: &Problem<'_>,
    report: &mut Report,
    run: &Run,
) -> Result<Vec<f64>> {
    let size = settings.count(&SUBSET_SIZE)?;
    let rounds = settings.count(&ROUNDS)?;
    let best = settings.text(&TAKE)? == "best";
    let width = problem.table().width();
    let mut generator = random::generator(run.seed(), RandomStream::FeatureSubsets);
    let mut heard = Heard::default();
    let quiet = run.part(run.seed());
    let parts = width.div_ceil(size);
    run.progress().start("weighing subsets", (rounds as u64).saturating_mul(parts as u64));
    let mut result = vec![if best { f64::NEG_INFINITY } else { 0.0 }; width];
    for _ in 0..rounds {
        let mut features: Vec<u32> = (0..width as u32).collect();
        random::shuffle(&mut features, &mut generator);
        for subset in features.chunks(size) {
            let mut subset: Vec<usize> = subset.iter().map(|&feature| feature as usize).collect();
            subset.sort_unstable();
            let table = problem.table().select_columns(&subset);
            let mut part = Report::default();
            let weights =
                inner.weigh(&Problem::new(&table, problem.target())?, &mut part, &quiet)?;
            heard.add(part);
            for (&feature, weight) in subset.iter().zip(weights) {
                if best {
                    result[feature] = result[feature].max(weight);
                } else {
                    result[feature] += weight / rounds as f64;
                }
            }
            run.progress().advance(1);
        }
    }
    run.progress().finish();
    heard.tell("subsets", report);
    report.iterations = Some(rounds);
    Ok(result)
}
