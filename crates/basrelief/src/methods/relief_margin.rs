//! # `relief-margin`: Relief as a weighted metric
//!
//! Relief as the solution of an optimization problem: the non-negative weights of unit length that
//! maximize the mean margin, that is, how much nearer rows are to their hits than to their misses.
//! Use it if the weights are to scale the features (for example for nearest neighbors) and not only
//! to rank them.
//!
//! ## Formula
//!
//! Let $z_A$ be the mean over all rows of the average difference to the $k$ nearest misses (of any
//! other class) minus that to the $k$ nearest hits. The maximizer of $w^\top z$ over $w \ge 0$,
//! $\lVert w \rVert_2 = 1$ is
//!
//! ```math
//! w = \frac{z^+}{\lVert z^+ \rVert_2}, \qquad z^+_A = \max(z_A, 0).
//! ```
//!
//! If no entry of $z$ is positive, all weights are 0, with a warning. Symbols are those of [the
//! overview](super#notation).
//!
//! ## Cost
//!
//! Time $n^2 p$ (with `--samples m`: $m n p$): every pair of rows is compared once, in blocks. Memory
//! in addition to the packed table: at most $8 (4k + 64)$ bytes per row and class, never $n^2$.
//!
//! ## When not to use it
//!
//! - If you need the size of negative weights: here they are all 0. [`relief-e`](super::relief_e)
//!   keeps the signs.
//! - Many noise features: the neighbors in the unweighted space are unreliable.
//!   [`irelief`](super::irelief) updates the neighbors under its weights.
//! - For p-values: the weights have length 1 in every fit, for permuted targets too. Permutation
//!   tests would find nothing and are refused. Test [`relief-e`](super::relief_e) or
//!   [`relieff`](super::relieff) instead.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth waveform --rows 400 --output waves.csv
//! basrelief rank waves.csv --target class --method relief-margin --neighbors 5 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.ReliefMargin(n_neighbors=5).fit(X, y).weights_`
//!
//! ## Source
//!
//! Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SIAM International Conference on Data
//! Mining 2008, section 2.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{N_SAMPLES, ONE_NEIGHBOR};
use super::page::page;
use super::positive_part::positive_part_of_unit_norm;
use super::settings::settings;
use super::shared::{NearestSettings, hit_miss_steps, space_options};
use super::steps::{ForTargets, Steps, Stepwise};
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Relief as the maximizer of the mean margin (Sun & Wu 2008, sec. 2; Wang et al. 2011, sec.
    /// 3.2): `z` is the statistic of RELIEF-E (averaged over k neighbors), and `w = z+ / ||z+||` is
    /// its positive part, scaled to unit Euclidean norm. Weights are in [0, 1]. If no entry is
    /// positive, all weights are 0, with a warning.
    ///
    /// # Errors
    /// The fit refuses a numeric target, one class, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReliefMargin {
        /// Neighbors, samples, ties and space.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, metric, ties, missing, ramp, genotype_diff
        ],
    }
}

/// The margins, before their positive part is scaled.
impl Stepwise for ReliefMargin {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        hit_miss_steps(problem, &self.nearest, INFO.name, report, run)
    }
}

impl WeighFeatures for ReliefMargin {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let margins = self.steps(problem, report, run)?.fit(problem, report, run)?;
        Ok(positive_part_of_unit_norm(margins, report))
    }

    fn for_targets(&self) -> Option<ForTargets<'_>> {
        let finish = |margins| positive_part_of_unit_norm(margins, &mut Report::default());
        Some(ForTargets { steps: self, finish: Some(finish) })
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relief-margin",
    class: "ReliefMargin",
    task: Task::Classes,
    scale: WeightScale::LengthIsOne,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (0.0, 1.0),
    purpose: "Relief as a weighted metric: the positive margins, scaled to unit length",
    source: "Sun & Wu 2008, section 2",
    options: space_options![&ONE_NEIGHBOR, &N_SAMPLES],
    choose: &[&ONE_NEIGHBOR],
    documentation: page!("relief_margin.rs"),
    python: Some(&PYTHON),
    build: weighing::<ReliefMargin>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Relief as the solution of a margin problem: non-negative weights of unit length.",
    description: &[
        "The mean difference to the nearest misses (of any other class) minus that to the nearest \
         hits is truncated at 0 and scaled to Euclidean length 1. If no feature has a positive mean, all \
         weights are 0, with a warning.",
    ],
    weights: ", of unit Euclidean norm",
    reports: &["neighbor_search_", "plan_"],
    see_also: &[("ReliefE", "The unscaled statistic, including negative values.")],
    references: &[
        "Y. Sun and D. Wu. A RELIEF based feature extraction algorithm. SIAM International \
         Conference on Data Mining, 188-195, 2008.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import ReliefMargin",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> weights = ReliefMargin().fit(X, y).weights_",
        ">>> round(float((weights**2).sum()), 12)",
        "1.0",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::{assert_weights, run, three_classes};

    #[test]
    fn a_single_positive_margin_becomes_one() {
        // The statistic of RELIEF-E is 0.04.
        let (table, target) = three_classes();
        let problem = Problem::new(&table, &target).unwrap();
        let fitted = ReliefMargin::default().fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[1.0]);
    }
}
