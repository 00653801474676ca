//! # `surf`: all rows within a radius
//!
//! ReliefF without a number of neighbors to choose: all rows nearer than the mean distance of all
//! pairs are neighbors. It supports classes and numeric targets.
//!
//! `--compat skrebate` follows the documented rules of scikit-rebate instead, so that its numbers can
//! be reproduced; see [below](#as-scikit-rebate).
//!
//! ## Formula
//!
//! Let $T$ be the mean distance over the $n(n-1)/2$ pairs of rows, $H(R)$ the rows of $R$'s class
//! $c$ nearer than $T$, and $M_C(R)$ those of another class $C$. Then
//!
//! ```math
//! W_A = \mathop{\mathrm{mean}}_R \Big[ \sum_{C \ne c} \frac{P(C)}{1 - P(c)} \mathop{\mathrm{mean}}_{M \in M_C(R)} \mathrm{diff}_A(R, M) \;-\; \mathop{\mathrm{mean}}_{H \in H(R)} \mathrm{diff}_A(R, H) \Big].
//! ```
//!
//! A group without rows adds 0. Weights are in $[-1, 1]$.
//!
//! For a numeric target, the weight is [RReliefF's ratio](super::rrelieff#formula) over the near
//! rows. Symbols are those of [the overview](super#notation).
//!
//! ## As scikit-rebate
//!
//! With `--compat skrebate` (Python: `compat="skrebate"`), the weights follow the documented rules
//! of scikit-rebate 0.8.4. Its radius includes every row's distance 0 to itself, so it is smaller
//! by a factor of $(n-1)/n$. The other rules:
//!
//! - All near misses of a row have equal weight, whatever their class.
//! - A feature missing in either row is excluded from the pair's distance, which is divided by the
//!   number of remaining features, and from the row's means (use `--missing ignore`). A row in
//!   which the value itself is missing counts as 0.
//! - If numeric and categorical features are mixed, a numeric difference above the standard
//!   deviation counts as 1 in the weight, but not in the distance.
//! - For a numeric target, a hit is a row whose target differs by less than the standard deviation;
//!   every other row is a miss.
//!
//! Errors of scikit-rebate are not reproduced: the halved radius if values are missing, the weight
//! of categories in the distances of complete mixed data, the factor for several classes that gives
//! weights outside $[-1, 1]$, and numeric targets of up to ten values, for which every row is a
//! miss. Columns have the kinds that you declare. The option refuses settings for which
//! scikit-rebate has no rule: the Euclidean metric, a ramp, additive genotypes.
//!
//! ## Cost
//!
//! Time $n^2 p$ twice, once for the radius and once for the neighbors (with `--samples m`: $m n p$
//! for the neighbors; the radius always uses all pairs). A row's distances are computed on demand
//! and not stored: the memory in addition to the packed table is a line of $n$ distances per
//! thread.
//!
//! ## When not to use it
//!
//! - Data with dense and sparse regions: one radius does not suit all rows. Use
//!   [`multisurf`](super::multisurf), which has one per row.
//! - Fine structure in many rows: about half of all rows are neighbors, which blurs it. Use
//!   [`relieff`](super::relieff) with few neighbors.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method surf --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.SURF().fit(X, y).weights_`
//!
//! ## Source
//!
//! C. S. Greene, N. M. Penrod, J. Kiralis and J. H. Moore. Spatially uniform ReliefF (SURF) for
//! computationally-efficient filtering of gene-gene interactions. BioData Mining 2:5, 2009.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::page::page;
use super::radius::{COMPAT, Compat, FarRows, OPTIONS, RadiusMethod};
use super::settings::settings;
use super::shared::SampledSpace;
use super::steps::{Steps, Stepwise};
use crate::error::Result;
use crate::neighbors::RadiusRule;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// SURF (Greene et al. 2009): the neighbors of a row are all rows nearer than the mean distance
    /// of all pairs, so no number of neighbors has to be chosen.
    ///
    /// For classes, a row contributes the mean difference to the near misses of each other class,
    /// weighted by P(C) / (1 - P(class of the row)), minus the mean difference to the near hits;
    /// the weight is the mean over the sampled rows, in [-1, 1]. For a numeric target, it is
    /// RReliefF's ratio over the near rows.
    ///
    /// # Errors
    /// The fit refuses one class, a constant target, and options that are out of range or in
    /// conflict with [`Compat`]; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Surf {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
        /// The implementation whose rules to follow.
        pub compat: Compat = COMPAT,
    }
}

const SURF: RadiusMethod =
    RadiusMethod { name: "surf", rule: RadiusRule::SURF, far: FarRows::Ignored };

impl Stepwise for Surf {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        SURF.steps(problem, &self.sampled, self.compat, report, run)
    }

    fn has_intervals(&self) -> bool {
        true
    }

    fn check_intervals(&self, problem: &Problem<'_>) -> Result<()> {
        SURF.check_intervals(problem, self.compat)
    }
}

impl WeighFeatures for Surf {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "surf",
    class: "SURF",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "all rows nearer than the mean distance: no number of neighbors to choose",
    source: "Greene et al. 2009",
    options: OPTIONS,
    choose: &[],
    documentation: page!("surf.rs"),
    python: Some(&PYTHON),
    build: weighing::<Surf>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "SURF: ReliefF with all rows nearer than the mean distance as neighbors.",
    description: &[
        "There is no number of neighbors to choose. Classes and numeric targets are supported: for \
         a numeric (continuous) `y`, the weights are those of :class:`RReliefF` over the near rows.",
    ],
    see_also: &[("MultiSURF", "A radius for every row; usually better.")],
    references: &[
        "C. S. Greene, N. M. Penrod, J. Kiralis and J. H. Moore. Spatially uniform ReliefF (SURF) \
         for computationally-efficient filtering of gene-gene interactions. BioData Mining 2:5, \
         2009.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import SURF",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> SURF(n_features_to_select=5).fit_transform(X, y).shape",
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
    fn surf_as_skrebate_counts_the_diagonal() {
        // x = 0, 1, 2, 4 of range 4: the distances are 1, 2, 4, 1, 3 and 2 quarters, their mean
        // 13/24. Over all 16 cells, including the diagonal, the mean is 13/32, so a distance of 1/2
        // is not near. The near pairs are 0-1 and 1-2, which are misses: three rows gain 1/4 each,
        // and the last one has no neighbor.
        let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0, 4.0])]).unwrap();
        let target = classes(&[0, 1, 0, 1]);
        let problem = Problem::new(&table, &target).unwrap();
        let surf = Surf { compat: Compat::Skrebate, ..Surf::default() };
        let fitted = surf.fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[3.0 / 16.0]);
        // Without `compat`, rows 0 and 2 have a hit at 1/2, rows 2 and 3 a miss at 1/2.
        let fitted = Surf::default().fit_with(&problem, &run(1)).unwrap();
        let row_by_row = [0.25 - 0.5, 0.25, 0.375 - 0.5, 0.5];
        assert_weights(fitted.model.weights(), &[row_by_row.iter().sum::<f64>() / 4.0]);
    }
}
