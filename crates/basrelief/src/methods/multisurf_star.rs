//! # `multisurf*`: MultiSURF with far rows scored by similarity
//!
//! MultiSURF that also uses far rows: *similar* values add to the weight of a feature in far rows of another class
//! and subtract from it in far rows of the same class. It has high power for pure interactions and low power for main
//! effects.
//!
//! `--compat skrebate` follows the documented rules of scikit-rebate instead, to reproduce its results; see
//! [below](#as-scikit-rebate).
//!
//! ## Formula
//!
//! With $\mu_R$ and $\sigma_R$ as for [`multisurf`](super::multisurf#formula), the far rows are those with
//! $d(R, \cdot) > \mu_R + \sigma_R / 2$. Let $N_A$ be the weight of MultiSURF over the near rows, and $F_A$ the same
//! sum over the far rows with the similarity $1 - \mathrm{diff}_A$ in place of the difference:
//!
//! ```math
//! W_A = N_A + F_A \in [-2, 2].
//! ```
//!
//! A constant feature, which has similarity 1 everywhere, gets weight 0.
//!
//! For a numeric target the weight is [RReliefF's ratio](super::rrelieff#formula) over the near rows minus that over
//! the far rows. The symbols are defined in [the overview](super#notation).
//!
//! ## As scikit-rebate
//!
//! With `--compat skrebate` (Python: `compat="skrebate"`) the weights equal those of scikit-rebate 0.8.4 wherever it
//! follows its documented rules:
//!
//! - all near misses of a row have equal weight, regardless of their class;
//! - a value missing in either row excludes the feature from the distance of the pair, which is divided by the number
//!   of remaining features, and from the means of the row (requires `--missing ignore`); a row whose own value is
//!   missing contributes 0;
//! - with mixed numeric and categorical features, a numeric difference above the standard deviation of the feature
//!   counts as 1 in the weight, but not in the distance;
//! - for a numeric target, a hit is a row whose target differs by less than the standard deviation, and every other
//!   row is a miss.
//!
//! The errors of scikit-rebate are not reproduced: the weight of categories in the distances of mixed data without
//! missing values, the factor for several classes that moves weights out of $[-1, 1]$, and numeric targets with up to
//! ten values, for which every row is a miss. Column types are those that you declare. The option refuses settings
//! for which scikit-rebate has no rule: the Euclidean metric, a ramp, additive genotypes.
//!
//! ## Cost
//!
//! Time is $n^2 p$ (with `--samples m`: $m n p$). The distances of a row are computed when needed and not stored: in
//! addition to the packed table, memory is $n$ distances per thread.
//!
//! ## When not to use it
//!
//! - Features with main effects, or an unknown type of effect: use [`multisurf`](super::multisurf).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method 'multisurf*' --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MultiSURFStar().fit(X, y).weights_`
//!
//! ## Source
//!
//! D. Granizo-Mackenzie and J. H. Moore. Multiple threshold spatially uniform ReliefF for the genetic
//! analysis of complex human diseases. EvoBIO 2013, 1-10.

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
    /// MultiSURF* (Granizo-Mackenzie & Moore 2013): MultiSURF with a second part for far rows. The rows
    /// farther than the row's mean distance plus half its standard deviation contribute their similarity
    /// (1 minus the difference): far misses add it, far hits subtract it.
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by P(C) /
    /// (1 - P(class of the row)), minus the mean difference to the near hits; the weight is the mean over
    /// the sampled rows, in [-2, 2] with the far part. Numeric targets: RReliefF's ratio over the near
    /// rows minus that over the far rows.
    ///
    /// # Errors
    /// A single class, a target with only one value, options out of range or incompatible with [`Compat`];
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct MultiSurfStar {
        /// Sampled rows, and the differences between rows.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
        /// The implementation whose rules to follow.
        pub compat: Compat = COMPAT,
    }
}

const MULTISURF_STAR: RadiusMethod =
    RadiusMethod { name: "multisurf*", rule: RadiusRule::MULTISURF, far: FarRows::Similarity };

impl Stepwise for MultiSurfStar {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        MULTISURF_STAR.steps(problem, &self.sampled, self.compat, report, run)
    }
}

impl WeighFeatures for MultiSurfStar {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "multisurf*",
    class: "MultiSURFStar",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-2.0, 2.0),
    purpose: "MultiSURF with far rows scored by similarity: for pure interactions",
    source: "Granizo-Mackenzie & Moore 2013",
    options: OPTIONS,
    choose: &[],
    documentation: page!("multisurf_star.rs"),
    python: Some(&PYTHON),
    build: weighing::<MultiSurfStar>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "MultiSURF*: MultiSURF with far rows scored by their similarity.",
    description: &[
        "Rows farther than a row's mean distance plus half its standard deviation add their \
         similarity (1 minus the difference) if they are misses and subtract it if they are hits.",
    ],
    see_also: &[("MultiSURF", "No far rows; also detects main effects.")],
    references: &[
        "D. Granizo-Mackenzie and J. H. Moore. Multiple threshold spatially uniform ReliefF for \
         the genetic analysis of complex human diseases. EvoBIO, 1-10, 2013.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MultiSURFStar",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> MultiSURFStar(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};
