//! # `relieff`: the standard choice
//!
//! Ranks features by whether they differ between near rows of different classes and agree between
//! near rows of the same class. Because distances use all features, it also detects features that
//! matter only through interactions. Start here if the target has classes.
//!
//! Choose the number of neighbors deliberately. More neighbors reduce noise, but blur interactions:
//! compare several, such as `--neighbors 5,10,20,40`. With 1600 rows of SNPs, 100 worked well.
//!
//! ## Formula
//!
//! For a row $R$ of class $c$, let $H_1, \dots, H_k$ be the $k$ nearest rows of the same class
//! (hits) and $M_1(C), \dots, M_k(C)$ those of each other class $C$ (misses). The mean is over all
//! rows, or over the sampled rows:
//!
//! ```math
//! W_A = \mathop{\mathrm{mean}}_R \Big[ \sum_{C \ne c} \frac{P(C)}{1 - P(c)} \; \frac1k \sum_{j=1}^k \mathrm{diff}_A(R, M_j(C)) \;-\; \frac1k \sum_{j=1}^k \mathrm{diff}_A(R, H_j) \Big]
//! ```
//!
//! Weights are in $[-1, 1]$; those of irrelevant features are near or below 0. A class with fewer
//! than $k$ other rows contributes all of them, with a warning. With `--neighbor-weights rank`, a
//! neighbor has the weight $\exp(-(\text{rank}/\sigma)^2)$, scaled to sum 1, instead of $1/k$.
//! Symbols are those of [the overview](super#notation).
//!
//! ## Several numbers of neighbors
//!
//! `--neighbors 5,10,20,50,100` computes the weights for each of these numbers from one search. The weight of a feature is the
//! largest of them, so that features with local effects and features with broad effects are both found. The ranking shows the number with
//! the largest weight, JSON and CSV contain the weights for all numbers, and a page draws them. The largest of several weights is biased
//! upwards: do not compare it with 0. Its p-values (`--permutations`) are valid, because the maximum is computed in
//! every permutation, too. `rrelieff` and `survival-relief` accept lists, too.
//!
//! ## Unlabeled rows
//!
//! With `--unlabeled`, the rows $R$, $H_j$ and $M_j(C)$ and the proportions $P(C)$ are those of labeled rows, because an unlabeled
//! row is in no class. Unlabeled rows count in the ranges of the features. `docs/targets.md` compares this with other methods.
//!
//! ## Cost
//!
//! Time $n^2 p$ (with `--samples m`: $m n p$): every pair of rows is compared once, in blocks. Memory
//! in addition to the packed table: at most $8 (4k + 64)$ bytes per row and class, never $n^2$.
//!
//! ## When not to use it
//!
//! - Thousands of features, if you look for interactions: neighbors become nearly random. Wrap it in
//!   [`turf`](super::turf) or [`vls`](super::vls). Main effects are still found, and can be tested.
//! - A numeric target: use [`rrelieff`](super::rrelieff).
//! - You do not want to choose $k$: use [`multisurf`](super::multisurf).
//! - Redundant features: two copies of a feature get the same weight, and neither is removed.
//!
//! ## Example
//!
//! P1 and P2 determine the class together; neither has an effect alone.
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method relieff --neighbors 50 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.ReliefF(n_neighbors=50).fit(X, y).weights_`
//!
//! ## Source
//!
//! I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. ECML 1994, 171-182. Several numbers of neighbors: B. A. McKinney
//! et al. ReliefSeq: a gene-wise adaptive-K nearest-neighbor feature selection tool. PLoS ONE 8, e81527, 2013.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{N_SAMPLES, NEIGHBOR_COUNTS, NEIGHBOR_WEIGHTS};
use super::page::page;
use super::settings::settings;
use super::shared::{
    MeanMarginSlopes, NearestSettings, classes, mean_margins, space_options, warn_of_small_classes,
};
use super::steps::{Steps, Stepwise, WeighedPairs};
use crate::differences::Space;
use crate::error::Result;
use crate::margins::{Far, Influencing, SumPlan, influence_variances, margin_sums};
use crate::neighbors::{Grouping, PairSource};
use crate::report::Report;
use crate::run::Run;

settings! {
    /// ReliefF (Kononenko 1994): the mean difference to a row's k nearest misses of each other
    /// class, weighted by the class priors, minus the mean difference to its k nearest hits.
    ///
    /// `W[A] = mean over sampled rows R of sum_{C != class(R)} P(C)/(1 - P(class(R))) mean_j diff(A,
    /// R, M_j(C)) - mean_j diff(A, R, H_j)`, in [-1, 1]. A class with fewer than k other rows
    /// contributes all of them.
    ///
    /// # Errors
    /// The fit refuses a numeric target, one class, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReliefF {
        /// Neighbors, samples, ties and space.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, neighbor_weights, metric, ties, missing, ramp, genotype_diff
        ],
    }
}

impl Stepwise for ReliefF {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let classes = classes(problem, INFO.name)?;
        let (codes, priors) = (classes.codes(), problem.roles().class_priors(classes)?);
        let of_variances = priors.clone();
        let sampled = self.nearest.sample(problem.rows(), run, report)?;
        warn_of_small_classes(classes, problem.roles(), self.nearest.most_neighbors(), report);
        Ok(Steps {
            table: problem.table(),
            sampled,
            // Space: how two rows differ, feature by feature; a missing value by its class.
            conditional: Some((codes, classes.len())),
            space: self.nearest.space,
            // Neighbors: the k nearest rows of every class, for each sampled row.
            grouping: Grouping::PerClass(codes, classes.len()),
            rule: self.nearest.rule(),
            profile: self.nearest.profile(),
            search: self.nearest.search,
            columns_apart: true,
            // Margins: the contributions of hits and misses, and the resulting weights.
            weigh: Box::new(move |space, neighbors, run| {
                margins(space, neighbors, codes, &priors, run).map(WeighedPairs::new)
            }),
            two_classes: Some(Far::Difference),
            variances: Some(Box::new(move |space, neighbors, units, run| {
                let weigh = pair_weights(codes, &of_variances);
                let slopes = MeanMarginSlopes { rows: neighbors.len() };
                let units = (units, Influencing::All);
                influence_variances(space, neighbors, units, weigh, &slopes, run)
            })),
        })
    }

    fn has_intervals(&self) -> bool {
        true
    }

    fn check_intervals(&self, _: &Problem<'_>) -> Result<()> {
        self.nearest.check_intervals()
    }
}

impl WeighFeatures for ReliefF {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// The weights from the neighbors of every row in every class: per feature, the mean difference to
/// misses, weighted by the priors of their classes, minus that to hits. `codes` are the classes of the rows.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn margins(
    space: &Space<'_>,
    neighbors: &dyn PairSource,
    codes: &[u32],
    priors: &[f64],
    run: &Run,
) -> Result<(Vec<f64>, SumPlan)> {
    let sums = margin_sums(space, neighbors, pair_weights(codes, priors), run)?;
    // Solve: in closed form, the mean difference to misses minus that to hits. The registry entry
    // turns the weights into the map.
    Ok((mean_margins(space, &sums, neighbors.len()), sums.plan))
}

/// The weights of a pair of a row and a neighbor of some class in the sums over hits and misses.
pub(super) fn pair_weights<'c>(
    codes: &'c [u32],
    priors: &'c [f64],
) -> impl Fn(u32, usize, u32, f64) -> [f64; 2] + Sync + 'c {
    move |row, class, _, weight| {
        let own = codes[row as usize] as usize;
        if class == own {
            [weight, 0.0]
        } else {
            [0.0, weight * priors[class] / (1.0 - priors[own])]
        }
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relieff",
    class: "ReliefF",
    task: Task::Classes,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "the standard choice: features that separate near rows of different classes",
    source: "Kononenko 1994",
    options: space_options![&NEIGHBOR_COUNTS, &N_SAMPLES, &NEIGHBOR_WEIGHTS],
    choose: &[&NEIGHBOR_COUNTS],
    documentation: page!("relieff.rs"),
    python: Some(&PYTHON),
    build: weighing::<ReliefF>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "ReliefF: features that separate near rows of different classes.",
    description: &[
        "For every row, the method finds the `n_neighbors` nearest rows of the same class (*hits*) \
         and of each other class (*misses*). A feature's weight is the mean difference to the \
         misses, weighted by the class priors, minus the mean difference to the hits. Differences \
         are scaled to [0, 1] by the feature's range. Because distances use all features, features \
         that matter only through interactions are found too.",
    ],
    reports: &["neighbor_search_", "plan_"],
    see_also: &[
        ("RReliefF", "For a numeric target."),
        ("MyopicReliefF", "Without neighbors; detects no interactions."),
    ],
    notes: &[
        "The time is proportional to rows ** 2 * n_features, or to n_samples * rows * n_features if \
         `n_samples` is given; the memory in addition to the \
         input is proportional to rows * n_neighbors * n_classes.",
    ],
    references: &[
        "I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. European \
         Conference on Machine Learning, 171-182, 1994.",
        "M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and \
         RReliefF. Machine Learning 53, 23-69, 2003.",
    ],
    examples: &[
        ">>> import numpy as np",
        ">>> from basrelief import ReliefF",
        ">>> rng = np.random.default_rng(0)",
        ">>> X = rng.normal(size=(200, 6))",
        ">>> y = np.where(X[:, 0] * X[:, 3] > 0, \"same\", \"opposite\")",
        ">>> selector = ReliefF(n_neighbors=10, n_features_to_select=2).fit(X, y)",
        ">>> selector.get_feature_names_out()",
        "array(['x0', 'x3'], dtype=object)",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::testing::{assert_weights, has_warning, run, three_classes};

    #[test]
    fn relieff_weighs_misses_by_the_classes_shares() {
        // P(a) = P(b) = 2/5, P(c) = 1/5; k = 1. Row by row, hit and weighted misses:
        // -0.1 + 2/3 0.2 + 1/3 1.0 = 11/30;  -0.1 + 2/3 0.1 + 1/3 0.9 = 8/30;
        // -0.4 + 2/3 0.1 + 1/3 0.8 = -2/30;  -0.4 + 2/3 0.5 + 1/3 0.4 = 2/30;
        // the only row of c: 1/2 0.9 + 1/2 0.4 = 19.5/30. Their mean is 77/300.
        let (table, target) = three_classes();
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings { n_neighbors: vec![1], ..NearestSettings::default() };
        let fitted = ReliefF { nearest }.fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[77.0 / 300.0]);
        assert!(has_warning(&fitted.report.warnings, "lone-rows"));
    }
}
