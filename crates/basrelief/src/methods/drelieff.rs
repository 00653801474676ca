//! # `drelieff`: ReliefF that trusts its own estimates
//!
//! Double ReliefF visits the rows one after the other and weights every feature in the distance by its current
//! estimate. Features that turn out to be noise stop disturbing the neighbor search. The method is intended for data
//! with many irrelevant features.
//!
//! ## Formula
//!
//! Let $W_A^{(t)}$ be the mean that [ReliefF](super::relieff#formula) computes over the first $t$ visited rows. The
//! neighbors of the next row are the nearest ones under the distance
//!
//! ```math
//! d(i, j) = \sum_A \max\big(W_A^{(t)}, 0\big)\,\mathrm{diff}_A(i, j),
//! ```
//!
//! The unweighted distance is used while no weight is positive, as at the first row. The result is
//! $W^{(m)} \in [-1, 1]$ after all $m$ visits. The order of the visits is drawn by `--seed`, so that the weights
//! depend on the seed and on the order of the rows in the table. The symbols are defined in [the
//! overview](super#notation).
//!
//! Distances that agree to ten digits count as ties, and tied rows share their weight. An exact comparison would let
//! rounding errors choose among tied rows. Because the weights feed back into the distances, one different neighbor
//! then changes all later weights. A naive implementation with this rule agrees to the last digit on random tables of
//! continuous and of coarsely rounded numbers. A naive implementation without it agrees on continuous numbers only.
//!
//! ## Cost
//!
//! The time is $n^2 p$ (with `--samples m`: $m n p$). Rows are visited one after the other; threads share the work
//! within a row. Memory is 8 bytes per value, in addition to the table.
//!
//! ## When not to use it
//!
//! - Few rows: the first estimates are noise and have full effect at once. A relevant feature with a poor first
//!   estimate cannot recover. [`pdrelieff`](super::pdrelieff) gives the estimates influence gradually.
//! - Results that must not depend on a seed: use [`relieff`](super::relieff) or [`irelief`](super::irelief).
//! - P-values of single features: neighbors depend on the weights of all features, so that next to strong effects, features
//!   without an effect can be significant. Test [`multisurf`](super::multisurf) or [`relieff`](super::relieff).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method drelieff --neighbors 20 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.DReliefF(n_neighbors=20, random_state=0).fit(X, y).weights_`
//!
//! ## Source
//!
//! G. Prat and L. Belanche. Double Relief with progressive weighting function. 2006, section 3.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{
    GENOTYPE_DIFF, METRIC_OF_WEIGHTS, MISSING, N_NEIGHBORS, N_SAMPLES, NEIGHBOR_WEIGHTS, RAMP, TIES,
};
use super::page::page;
use super::settings::settings;
use super::shared::{NearestSettings, classes, warn_of_small_classes};
use crate::data::Roles;
use crate::differences::{Metric, Space};
use crate::error::Result;
use crate::margins::MarginSums;
use crate::neighbors::{LineScratch, ReweightedRows};
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Double ReliefF (Prat & Belanche 2006, sec. 3): ReliefF whose distances weight the features by their current
    /// estimates.
    ///
    /// Rows are visited one by one in an order drawn by the seed. After `t` rows, `W_t[A]` is the mean that
    /// ReliefF computes over these rows. The distances of the next row are `sum_A max(W_t[A], 0) diff(A)`
    /// (squares of `diff` for the Euclidean metric; estimates up to 1e-12 are treated as 0). While no
    /// weight is positive, as at the first row, all features have equal weight. The result is `W_m`, in [-1, 1].
    ///
    /// The estimate depends on the order of the visits, and therefore on the seed and on the order of the
    /// rows in the table. Each visit computes the distances of one row to all rows.
    ///
    /// # Errors
    /// A numeric target, a single class, options out of range; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct DReliefF {
        /// Neighbors, sampled rows, ties, and the differences between rows.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, neighbor_weights, metric, ties, missing, ramp, genotype_diff
        ],
    }
}

impl WeighFeatures for DReliefF {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let blend = |seen: f64| f64::from(u8::from(seen > 0.0));
        feedback_weights(problem, &self.nearest, INFO.name, blend, report, run)
    }
}

/// Estimates up to this value are treated as 0, so that rounding errors do not influence the distances.
const NOISE: f64 = 1e-12;

/// ReliefF with feedback: the weight of a feature in the distance is `b max(W[A], 0) + 1 - b`, where
/// `b = blend(fraction of the sampled rows visited)` is in [0, 1]. If the weights of all features are 0, all are set
/// to 1.
///
/// # Errors
/// See [`classes`], [`NearestSettings::sample`]; [`crate::Error::Cancelled`].
pub(crate) fn feedback_weights(
    problem: &Problem<'_>,
    settings: &NearestSettings,
    method: &str,
    blend: impl Fn(f64) -> f64 + Sync,
    report: &mut Report,
    run: &Run,
) -> Result<Vec<f64>> {
    let classes = classes(problem, method)?;
    let codes = classes.codes();
    let mut visits = settings.sample(problem.rows(), run, report)?;
    random::shuffle(&mut visits, &mut random::generator(run.seed(), RandomStream::VisitingOrder));
    let space = Space::new(problem.table(), Some((codes, classes.len())), settings.space, run)?;

    // The rows are sorted by class, so that each class is one contiguous range of places.
    let mut order: Vec<u32> = (0..problem.rows() as u32).collect();
    order.sort_by_key(|&row| codes[row as usize]);
    let mut place_of = vec![0; order.len()];
    for (place, &row) in order.iter().enumerate() {
        place_of[row as usize] = place;
    }
    let mut ends = vec![0];
    for count in classes.counts() {
        ends.push(ends[ends.len() - 1] + count);
    }
    let square = settings.space.metric == Metric::Euclidean;
    let rows = ReweightedRows::new(&space, order, square, run)?;

    let shares = classes.shares();
    let mut sums = MarginSums::<2>::new(space.width());
    let mut weights = vec![0.0; space.width()];
    run.progress().start("visiting rows", visits.len() as u64);
    run.install(|| -> Result<()> {
        let mut scratch = LineScratch::default();
        let (mut distances, mut candidates, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut counts = vec![0.0; space.width()];
        for (seen, &row) in visits.iter().enumerate() {
            run.check()?;
            let blend = blend(seen as f64 / visits.len() as f64);
            for (count, weight) in counts.iter_mut().zip(&weights) {
                let positive = if *weight > NOISE { *weight } else { 0.0 };
                *count = blend * positive + (1.0 - blend);
            }
            if counts.iter().all(|count| *count == 0.0) {
                counts.fill(1.0);
            }
            let own = place_of[row as usize];
            rows.tied_distances(&rows.weighting(&counts), own, &mut scratch, &mut distances);
            let own_class = codes[row as usize] as usize;
            for class in 0..classes.len() {
                let places = ends[class]..ends[class + 1];
                let options = settings.nearest();
                rows.nearest(&distances, own, places, options, &mut candidates, &mut found);
                let (sum, share) = if class == own_class {
                    (0, 1.0)
                } else {
                    (1, shares[class] / (1.0 - shares[own_class]))
                };
                for neighbor in &found {
                    let weight = neighbor.weight * share;
                    sums.add(&space, sum, row as usize, neighbor.row as usize, weight);
                }
            }
            let seen = (seen + 1) as f64;
            for (feature, weight) in weights.iter_mut().enumerate() {
                *weight = (sums.completed(1, feature) - sums.completed(0, feature)) / seen;
            }
            run.progress().advance(1);
        }
        Ok(())
    })?;
    run.progress().finish();
    warn_of_small_classes(classes, Roles::default(), settings.most_neighbors(), report);
    Ok(weights)
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "drelieff",
    class: "DReliefF",
    task: Task::Classes,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "ReliefF with distances weighted by its own estimates: many irrelevant features",
    source: "Prat & Belanche 2006, section 3",
    options: &[
        &N_NEIGHBORS,
        &N_SAMPLES,
        &NEIGHBOR_WEIGHTS,
        &METRIC_OF_WEIGHTS,
        &TIES,
        &MISSING,
        &RAMP,
        &GENOTYPE_DIFF,
    ],
    choose: &[&N_NEIGHBORS],
    documentation: page!("drelieff.rs"),
    python: Some(&PYTHON),
    build: weighing::<DReliefF>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Double ReliefF: distances are weighted by the estimates so far.",
    description: &[
        "Rows are visited one by one in an order drawn by `random_state`. The distances of each row \
         weight the features by the estimates from the rows before, so that irrelevant features \
         disturb the neighbor search less. The result depends on the order of the visits.",
    ],
    see_also: &[(
        "PDReliefF",
        "Gives the estimates influence gradually; more stable with few rows.",
    )],
    references: &[
        "G. Prat and L. A. Belanche. Double Relief with progressive weighting function. Technical \
         report, Technical University of Catalonia, 2006.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import DReliefF",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> DReliefF(n_features_to_select=5, random_state=0).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::methods::testing::{assert_weights, classes, numeric, run};

    #[test]
    fn double_relieff_forgets_what_does_not_help() {
        // The first feature separates the classes (difference 1 to every miss, 0 to every hit), the
        // second does not; k = 1. At the first visited row both features have equal weight. The hits
        // are then 0-1 and 2-3, and the miss of a row is the nearest one in the second feature: 0-3
        // and 1-2, both at 0, so that the second feature changes by 0 - 1. Afterwards only the first
        // feature has a positive weight: both misses are tied and share their weight, (0 + 1)/2 - 1.
        let table = Table::new(vec![
            numeric("x", &[0.0, 0.0, 1.0, 1.0]),
            numeric("y", &[0.0, 1.0, 1.0, 0.0]),
        ])
        .unwrap();
        let target = classes(&[0, 0, 1, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings { n_neighbors: vec![1], ..NearestSettings::default() };
        for seed in 0..5 {
            let run = || run(1).with_seed(seed);
            let fitted = DReliefF { nearest: nearest.clone() }.fit_with(&problem, &run()).unwrap();
            assert_weights(fitted.model.weights(), &[1.0, (-1.0 - 3.0 * 0.5) / 4.0]);
        }
    }
}
