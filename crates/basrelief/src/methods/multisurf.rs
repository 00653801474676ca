//! # `multisurf`: a radius for every row
//!
//! The best all-round choice where you do not want to choose a number of neighbors: a row's neighbors
//! are the rows well inside its own mean distance. It sees main effects and interactions, and takes
//! classes and real targets.
//!
//! `--compat skrebate` follows the documented rules of scikit-rebate instead, so that its numbers can
//! be reproduced; see [below](#as-scikit-rebate).
//!
//! ## Formula
//!
//! For every row $R$ let $\mu_R$ and $\sigma_R$ be mean and (population) standard deviation of its
//! distances to the $n - 1$ other rows. Near are the rows with
//!
//! ```math
//! d(R, \cdot) < \mu_R - \sigma_R / 2 ,
//! ```
//!
//! and the weight is that of [`surf`](super::surf#formula) over these rows, in $[-1, 1]$.
//!
//! For a real target the weight is [RReliefF's ratio](super::rrelieff#formula) over the near rows. Symbols
//! are those of [the overview](super#notation).
//!
//! ## As scikit-rebate
//!
//! With `--compat skrebate` (Python: `compat="skrebate"`) the weights are scikit-rebate 0.8.4's where
//! those are its own rules:
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
//! Its mistakes are not repeated: the weight of categories in the distances of complete mixed data, the
//! factor for several classes that leads out of $[-1, 1]$, real targets of up to ten values of which
//! every row is a miss. Columns are the kinds you declare. The option refuses what scikit-rebate has no
//! rule for: the Euclidean metric, a ramp, additive genotypes.
//!
//! ## Cost
//!
//! Time $n^2 p$ (with `--samples m`: $m n p$). A row's distances are computed when they are asked for
//! and then gone: memory beside the packed table is a line of $n$ distances per thread.
//!
//! ## When not to use it
//!
//! - Pure interactions among many noise features: [`multisurf*`](super::multisurf_star) is sharper.
//! - Thousands of features: wrap it in [`turf`](super::turf).
//!
//! ## Example
//!
//! The drug helps carriers of the variant only; numbers, categories and gaps are mixed.
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
use super::targets::Sharing;
use crate::error::Result;
use crate::neighbors::RadiusRule;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// MultiSURF (Urbanowicz et al. 2018): the neighbors of a row are all rows nearer than the row's
    /// own mean distance less half its standard deviation (population, over the other rows).
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by P(C) /
    /// (1 - P(class of the row)), less the mean difference to the near hits; the mean over the sampled
    /// rows, in [-1, 1]. A real target: RReliefF's ratio over the near rows.
    ///
    /// # Errors
    /// The fit refuses: one class, a target with one value only, options out of range or against [`Compat`];
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct MultiSurf {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
        /// Whose rules to follow.
        pub compat: Compat = COMPAT,
    }
}

const MULTISURF: RadiusMethod =
    RadiusMethod { name: "multisurf", rule: RadiusRule::OwnMean, far: FarRows::Ignored };

impl Stepwise for MultiSurf {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        MULTISURF.steps(problem, &self.sampled, self.compat, report, run)
    }
}

impl WeighFeatures for MultiSurf {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem.covariates(), report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }

    fn share<'p>(&self, problem: &Problem<'p>, run: &Run) -> Result<Sharing<'p>> {
        MULTISURF.share(problem, &self.sampled, self.compat, run)
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
    purpose: "all rows well inside a radius of the row's own: the best all-round choice",
    source: "Urbanowicz et al. 2018",
    options: OPTIONS,
    choose: &[],
    documentation: page!("multisurf.rs"),
    python: Some(&PYTHON),
    build: weighing::<MultiSurf>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "MultiSURF: neighbors within a radius of each row's own.",
    description: &[
        "The neighbors of a row are all rows nearer than its mean distance less half its standard \
         deviation. Nothing to tune, and good on main effects and interactions alike. Classes and \
         real targets are both taken.",
    ],
    see_also: &[("ReliefF", "A fixed number of neighbors; faster, more local.")],
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
