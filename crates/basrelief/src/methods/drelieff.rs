//! # `drelieff`: ReliefF that trusts its own estimates
//!
//! Double ReliefF: rows are visited one after the other, and the distances count every feature by what
//! it is worth so far. Features that turn out to be noise stop disturbing the search for neighbors.
//! For many irrelevant features.
//!
//! ## Formula
//!
//! After $t$ visited rows let $W_A^{(t)}$ be [ReliefF's](super::relieff#formula) mean over them. The next
//! row's neighbors are sought under
//!
//! ```math
//! d(i, j) = \sum_A \max\big(W_A^{(t)}, 0\big)\,\mathrm{diff}_A(i, j),
//! ```
//!
//! or under the plain distance while no weight is positive, as at the first row. Rows whose distances agree to ten
//! digits are equally near and share: where a program compares the numbers as they are, rounding chooses among
//! rows that are equally near, and as weights feed back one other neighbor changes all that follow. A plain version that
//! shares agrees to the last digit on random tables of numbers and of coarse steps; one that does not agrees on numbers
//! alone. The result is
//! $W^{(m)} \in [-1, 1]$. Rows are visited in an order drawn by `--seed`, so that the weights depend on
//! it (and on the order of the rows in the table). Symbols are those of [the
//! overview](super#notation).
//!
//! ## Cost
//!
//! Time $n^2 p$ (with `--samples m`: $m n p$), one row after the other: threads share the work inside a
//! row. Memory 8 bytes a value beside the table.
//!
//! ## When not to use it
//!
//! - Few rows: the first estimates are noise and are trusted at once; a relevant feature that starts
//!   badly has no way back. [`pdrelieff`](super::pdrelieff) trusts them little by little.
//! - Results that must not depend on a seed: [`relieff`](super::relieff), [`irelief`](super::irelief).
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
use crate::differences::{Metric, Space};
use crate::error::Result;
use crate::margins::MarginSums;
use crate::neighbors::{LineScratch, ReweightedRows};
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Double ReliefF (Prat & Belanche 2006, sec. 3): ReliefF, but neighbors are sought where
    /// features count by what they are worth so far.
    ///
    /// Rows are visited one by one in an order drawn by the seed. After `t` rows, `W_t[A]` is
    /// ReliefF's mean over those rows; the next row's distances are `sum_A max(W_t[A], 0) diff(A)`
    /// (squares of `diff` for the Euclidean metric; estimates up to 1e-12 are taken for 0). While no
    /// weight is positive, as at the first row, all features count alike. The result is `W_m`, in [-1, 1].
    ///
    /// The estimate depends on the order of the visits, and so on the seed and on the order of the
    /// rows in the table. The time is one row's distances to all rows per visit.
    ///
    /// # Errors
    /// The fit refuses: a real target, one class, options out of range; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct DReliefF {
        /// Neighbors, samples, ties and space.
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

/// Estimates up to here are 0 but for rounding, which must not decide who is near.
const NOISE: f64 = 1e-12;

/// ReliefF with feedback: a feature counts `b max(W[A], 0) + 1 - b` in the distance, where
/// `b = blend(share of the sampled rows seen)` in [0, 1]; 1 for all features when all are 0.
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

    // Rows lie class by class, so that each class is one range of places.
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
    warn_of_small_classes(classes, settings.n_neighbors, report);
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
    purpose: "ReliefF that seeks neighbors by its own estimates: many irrelevant features",
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

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Double ReliefF: neighbors are sought with the weights found so far.",
    description: &[
        "Rows are visited one by one in an order drawn by `random_state`; each one's neighbors \
         are those where features count by their weights from the rows before. Many irrelevant \
         features disturb the neighbors less. The result depends on the order.",
    ],
    see_also: &[("PDReliefF", "Trusts the estimates little by little; steadier on few rows.")],
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
        // The first feature tells the classes apart (0 and 1 at every miss, 0 at every hit), the
        // second does not; k = 1. With both features alike, and at the first row in any order, hits
        // are 0-1 and 2-3, and a row's miss is the one nearest in the second feature: 0-3 at 0, 1-2
        // at 0, so that the second feature gains 0 - 1 at the first row visited. From then on only
        // the first feature counts: both misses are tied and shared, (0 + 1)/2 - 1.
        let table = Table::new(vec![
            numeric("x", &[0.0, 0.0, 1.0, 1.0]),
            numeric("y", &[0.0, 1.0, 1.0, 0.0]),
        ])
        .unwrap();
        let target = classes(&[0, 0, 1, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings { n_neighbors: 1, ..NearestSettings::default() };
        for seed in 0..5 {
            let run = || run(1).with_seed(seed);
            let fitted = DReliefF { nearest: nearest.clone() }.fit_with(&problem, &run()).unwrap();
            assert_weights(fitted.model.weights(), &[1.0, (-1.0 - 3.0 * 0.5) / 4.0]);
        }
    }
}
