//! # `multisurf`: a separate radius for every row
//!
//! The best general-purpose method if you do not want to choose a number of neighbors: the neighbors of a row are the
//! rows well within its mean distance. It detects main effects and interactions, and accepts classes and numeric
//! targets.
//!
//! `--compat skrebate` follows the documented rules of scikit-rebate instead, to reproduce its results; see
//! [below](#as-scikit-rebate).
//!
//! ## Formula
//!
//! For every row $R$ let $\mu_R$ and $\sigma_R$ be the mean and the (population) standard deviation of its
//! distances to the $n - 1$ other rows. The near rows are those with
//!
//! ```math
//! d(R, \cdot) < \mu_R - \sigma_R / 2 ,
//! ```
//!
//! and the weight is that of [`surf`](super::surf#formula) over these rows, in $[-1, 1]$.
//!
//! For a numeric target the weight is [RReliefF's ratio](super::rrelieff#formula) over the near rows. The symbols are
//! defined in [the overview](super#notation).
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
//! Time is $n^2 p$ (with `--samples m`: $m n p$). In addition to the packed table, memory is $n$ distances per thread
//! ($4n$ bytes each). If the distances of all pairs ($4n^2$ bytes) take at most 64 MB, or at most twice the packed table,
//! and fit into memory, they are kept instead.
//!
//! ## When not to use it
//!
//! - Pure interactions among many noise features: [`multisurf*`](super::multisurf_star) has more power.
//! - Thousands of features: wrap the method in [`turf`](super::turf).
//!
//! ## Example
//!
//! The drug helps only carriers of the variant. The table contains numbers, categories and missing values.
//!
//! ```sh
//! basrelief synth mixed --output patients.csv
//! basrelief rank patients.csv --target outcome --method multisurf --top 5
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MultiSURF().fit(X, y).weights_`
//!
//! ## Source
//!
//! R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker and J. H. Moore. Benchmarking Relief-based
//! feature selection methods for bioinformatics data mining. Journal of Biomedical Informatics 85,
//! 168-188, 2018.

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
    /// MultiSURF (Urbanowicz et al. 2018): the neighbors of a row are all rows nearer than the row's
    /// mean distance minus half its standard deviation (population, over the other rows).
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by P(C) /
    /// (1 - P(class of the row)), minus the mean difference to the near hits; the weight is the mean over
    /// the sampled rows, in [-1, 1]. Numeric targets: RReliefF's ratio over the near rows.
    ///
    /// # Errors
    /// A single class, a target with only one value, options out of range or incompatible with [`Compat`];
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct MultiSurf {
        /// Sampled rows, and the differences between rows.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
        /// The implementation whose rules to follow.
        pub compat: Compat = COMPAT,
    }
}

const MULTISURF: RadiusMethod =
    RadiusMethod { name: "multisurf", rule: RadiusRule::MULTISURF, far: FarRows::Ignored };

impl Stepwise for MultiSurf {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        MULTISURF.steps(problem, &self.sampled, self.compat, report, run)
    }

    fn has_intervals(&self) -> bool {
        true
    }

    fn check_intervals(&self, problem: &Problem<'_>) -> Result<()> {
        MULTISURF.check_intervals(problem, self.compat)
    }
}

impl WeighFeatures for MultiSurf {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "multisurf",
    class: "MultiSURF",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "all rows well within a separate radius per row: the best general-purpose method",
    source: "Urbanowicz et al. 2018",
    options: OPTIONS,
    choose: &[],
    documentation: page!("multisurf.rs"),
    python: Some(&PYTHON),
    build: weighing::<MultiSurf>,
};

/// Docstring of the scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "MultiSURF: neighbors within a separate radius for each row.",
    description: &[
        "The neighbors of a row are all rows nearer than its mean distance minus half its standard \
         deviation. There is nothing to tune. The method detects both main effects and \
         interactions, and accepts classes and numeric targets.",
    ],
    see_also: &[("ReliefF", "A fixed number of neighbors; faster and more local.")],
    references: &[
        "R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker and J. H. Moore. Benchmarking \
         Relief-based feature selection methods for bioinformatics data mining. Journal of \
         Biomedical Informatics 85, 168-188, 2018.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MultiSURF",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> MultiSURF(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};
