//! # `relief-margin`: Relief as a weighted metric
//!
//! Relief read as a solution: the weights, at least 0 and of unit length, under which rows are on
//! average as much nearer to their hits than to their misses as can be. Use it where the weights are to
//! scale the features (for nearest neighbors, say) and not only to rank them.
//!
//! ## Formula
//!
//! With $z_A$ the mean over all rows of the difference to the $k$ nearest misses of any other class
//! less that to the $k$ nearest hits (both averaged), the maximizer of $w^\top z$ over $w \ge 0$,
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
//! beside the packed table: at most $8 (4k + 64)$ bytes per row and class, never $n^2$.
//!
//! ## When not to use it
//!
//! - To see how bad the bad features are: all of them get 0. [`relief-e`](super::relief_e) shows the signs.
//! - Many noise features: the neighbors of the unweighted space mislead it. [`irelief`](super::irelief)
//!   seeks them again under its weights.
//! - For p-values: in every fit, under permuted targets too, the length of the weights is 1, so that tests find
//!   nothing and are refused. Test [`relief-e`](super::relief_e) or [`relieff`](super::relieff).
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
use super::shared::{NearestSettings, hit_miss_steps, share_hits_and_misses, space_options};
use super::targets::Sharing;
use crate::error::Result;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// Relief as the maximizer of the mean margin (Sun & Wu 2008, sec. 2; Wang et al. 2011, sec.
    /// 3.2): `z` is the statistic of RELIEF-E (k neighbors averaged), `w = z+ / ||z+||` its positive
    /// part of unit Euclidean norm. Weights are in [0, 1]; no positive entry gives zeros and a
    /// warning.
    ///
    /// # Errors
    /// The fit refuses: a real target, one class, options out of range; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReliefMargin {
        /// Neighbors, samples, ties and space.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, metric, ties, missing, ramp, genotype_diff
        ],
    }
}

impl WeighFeatures for ReliefMargin {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let steps = hit_miss_steps(problem, &self.nearest, INFO.name, report, run)?;
        let margins = steps.fit(problem.covariates(), report, run)?;
        Ok(positive_part_of_unit_norm(margins, report))
    }

    fn share<'p>(&self, problem: &Problem<'p>, run: &Run) -> Result<Sharing<'p>> {
        Ok(match share_hits_and_misses(problem, &self.nearest, INFO.name, run)? {
            Sharing::Shared(shared) => Sharing::Shared(shared.followed_by(|margins| {
                positive_part_of_unit_norm(margins, &mut Report::default())
            })),
            refit @ Sharing::FitForEachTarget(_) => refit,
        })
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

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "Relief as the solution of a margin problem: non-negative weights of unit length.",
    description: &[
        "The mean difference to the nearest misses (of any other class) less that to the nearest \
         hits is cut at 0 and scaled to Euclidean length 1. If no feature has a positive mean, all \
         weights are 0, with a warning.",
    ],
    weights: ", of unit Euclidean norm",
    reports: &["neighbor_search_", "plan_"],
    see_also: &[("ReliefE", "The same statistic as it is, negative values included.")],
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
