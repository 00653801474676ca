//! # `surf*`: far rows count the other way
//!
//! SURF, with the rows farther than the mean distance counted with the opposite sign. It sharpens pure
//! interactions of two features, for which far rows tell as much as near ones, and blurs what a feature
//! tells by itself.
//!
//! `--compat skrebate` follows the documented rules of scikit-rebate instead, so that its numbers can
//! be reproduced; see [below](#as-scikit-rebate).
//!
//! ## Formula
//!
//! With $N_A$ the weight of [`surf`](super::surf#formula) and $F_A$ the same sum over the rows farther than
//! the mean distance $T$ of all pairs,
//!
//! ```math
//! W_A = N_A - F_A \in [-2, 2].
//! ```
//!
//! For a real target the weight is [RReliefF's ratio](super::rrelieff#formula) over the near rows less that
//! over the far rows. Symbols are those of [the overview](super#notation).
//!
//! ## As scikit-rebate
//!
//! With `--compat skrebate` (Python: `compat="skrebate"`) the weights are scikit-rebate 0.8.4's where
//! those are its own rules, among them a radius that counts every row's distance 0 to itself and so is
//! smaller by $(n-1)/n$:
//!
//! - all near misses of a row have equal weight, whatever their class;
//! - a value missing in either row leaves the feature out of the pair's distance, which is divided by
//!   the number of features left, and out of the row's means (give `--missing ignore`); a row that
//!   misses the value itself counts 0;
//! - where numbers and categories are mixed, a number that differs by more than its standard deviation
//!   counts 1 in the weight, though not in the distance;
//! - for a real target a hit is a row whose target differs by less than the standard deviation,
//!   everyone else is a miss.
//!
//! Its mistakes are not repeated: the radius that is halved where values are missing, the weight of
//! categories in the distances of complete mixed data, the factor for several classes that leads out of
//! $[-1, 1]$, real targets of up to ten values of which every row is a miss. Columns are the kinds you
//! declare. The option refuses what scikit-rebate has no rule for: the Euclidean metric, a ramp,
//! additive genotypes.
//!
//! ## Cost
//!
//! Time $n^2 p$ twice, once for the radius and once for the neighbors (with `--samples m`: $m n p$ for
//! the neighbors; the radius is always from all pairs). A row's distances are computed when they are
//! asked for and then gone: memory beside the packed table is a line of $n$ distances per thread.
//!
//! ## When not to use it
//!
//! - Features with main effects: far rows of another class differ in them as they should, and that
//!   counts against them. Use [`multisurf`](super::multisurf).
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
use super::targets::Sharing;
use crate::error::Result;
use crate::neighbors::RadiusRule;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// SURF* (Greene et al. 2010): as SURF, less the same statistic of the rows farther than the mean
    /// distance of all pairs, which sharpens interactions of two features and blurs main effects.
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by P(C) /
    /// (1 - P(class of the row)), less the mean difference to the near hits; the mean over the sampled
    /// rows, in [-2, 2] with the far part. A real target: RReliefF's ratio over the near rows, less
    /// that over the far rows.
    ///
    /// # Errors
    /// The fit refuses: one class, a target with one value only, options out of range or against [`Compat`];
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct SurfStar {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
        /// Whose rules to follow.
        pub compat: Compat = COMPAT,
    }
}

const SURF_STAR: RadiusMethod =
    RadiusMethod { name: "surf*", rule: RadiusRule::MeanOfPairs, far: FarRows::Difference };

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
        self.steps(problem, report, run)?.fit(problem.covariates(), report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }

    fn share<'p>(&self, problem: &Problem<'p>, run: &Run) -> Result<Sharing<'p>> {
        SURF_STAR.share(problem, &self.sampled, self.compat, run)
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
    purpose: "SURF, far rows counting the other way: for pure interactions of two features",
    source: "Greene et al. 2010",
    options: OPTIONS,
    choose: &[],
    documentation: page!("surf_star.rs"),
    python: Some(&PYTHON),
    build: weighing::<SurfStar>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "SURF*: SURF, with rows farther than the mean distance counting the other way.",
    description: &[
        "Sharpens pure interactions of two features; blurs what a feature tells by itself.",
    ],
    see_also: &[("MultiSURF", "No far rows; sees main effects too.")],
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
