//! # `surf*`: far rows count with the opposite sign
//!
//! SURF, in which rows farther than the mean distance count with the opposite sign. This improves
//! the detection of pure interactions of two features, for which far rows are as informative as
//! near ones, and weakens main effects.
//!
//! `--compat skrebate` follows the documented rules of scikit-rebate instead, so that its numbers can
//! be reproduced; see [below](#as-scikit-rebate).
//!
//! ## Formula
//!
//! Let $N_A$ be the weight of [`surf`](super::surf#formula) and $F_A$ the same sum over the rows
//! farther than the mean distance $T$ of all pairs. Then
//!
//! ```math
//! W_A = N_A - F_A \in [-2, 2].
//! ```
//!
//! For a numeric target, the weight is [RReliefF's ratio](super::rrelieff#formula) over the near
//! rows minus that over the far rows. Symbols are those of [the overview](super#notation).
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
//! - Features with main effects: far rows of another class are expected to differ in them, and this
//!   lowers their weights. Use [`multisurf`](super::multisurf).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method 'surf*' --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.SURFStar().fit(X, y).weights_`
//!
//! ## Source
//!
//! C. S. Greene, D. S. Himmelstein, J. Kiralis and J. H. Moore. The informative extremes: using both
//! nearest and farthest individuals can improve Relief algorithms in the domain of human genetics.
//! EvoBIO 2010, 182-193.

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
    /// SURF* (Greene et al. 2010): SURF minus the same statistic over the rows farther than the
    /// mean distance of all pairs. This improves the detection of interactions of two features and
    /// weakens main effects.
    ///
    /// For classes, a row contributes the mean difference to the near misses of each other class,
    /// weighted by P(C) / (1 - P(class of the row)), minus the mean difference to the near hits;
    /// the weight is the mean over the sampled rows, in [-2, 2] with the far part. For a numeric
    /// target, it is RReliefF's ratio over the near rows minus that over the far rows.
    ///
    /// # Errors
    /// The fit refuses one class, a constant target, and options that are out of range or in
    /// conflict with [`Compat`]; [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct SurfStar {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
        /// The implementation whose rules to follow.
        pub compat: Compat = COMPAT,
    }
}

const SURF_STAR: RadiusMethod =
    RadiusMethod { name: "surf*", rule: RadiusRule::SURF, far: FarRows::Difference };

impl Stepwise for SurfStar {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        SURF_STAR.steps(problem, &self.sampled, self.compat, report, run)
    }
}

impl WeighFeatures for SurfStar {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "surf*",
    class: "SURFStar",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-2.0, 2.0),
    purpose: "SURF with the opposite sign for far rows: for pure interactions of two features",
    source: "Greene et al. 2010",
    options: OPTIONS,
    choose: &[],
    documentation: page!("surf_star.rs"),
    python: Some(&PYTHON),
    build: weighing::<SurfStar>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "SURF*: SURF in which far rows count with the opposite sign.",
    description: &[
        "Far rows are those farther than the mean distance of all pairs. They improve the \
         detection of pure interactions of two features and weaken main effects.",
    ],
    see_also: &[("MultiSURF", "No far rows; detects main effects too.")],
    references: &[
        "C. S. Greene, D. S. Himmelstein, J. Kiralis and J. H. Moore. The informative extremes: \
         using both nearest and farthest individuals can improve Relief algorithms in the domain \
         of human genetics. EvoBIO, 182-193, 2010.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import SURFStar",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> SURFStar(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};
