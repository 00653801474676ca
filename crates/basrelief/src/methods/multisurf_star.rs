//! # `multisurf*`: MultiSURF with far rows by similarity
//!
//! MultiSURF, with far rows counting too: a far row of another class adds where it is *similar*, a far
//! row of the same class subtracts. It is sharp on pure interactions and blurs main effects.
//!
//! `--compat skrebate` follows the documented rules of scikit-rebate instead, so that its numbers can
//! be reproduced; see [below](#as-scikit-rebate).
//!
//! ## Formula
//!
//! With $\mu_R$ and $\sigma_R$ as for [`multisurf`](super::multisurf#formula), far are the rows with
//! $d(R, \cdot) > \mu_R + \sigma_R / 2$. With the similarity $1 - \mathrm{diff}_A$ in place of the
//! difference, let $F_A$ be the same sum over the far rows as $N_A$ is over the near ones:
//!
//! ```math
//! W_A = N_A + F_A \in [-2, 2].
//! ```
//!
//! A constant feature, similar everywhere, gets 0.
//!
//! For a real target the weight is [RReliefF's ratio](super::rrelieff#formula) over the near rows less that
//! over the far rows. Symbols are those of [the overview](super#notation).
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
//! - Features with main effects, or you do not know: [`multisurf`](super::multisurf).
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
use super::targets::Sharing;
use crate::error::Result;
use crate::neighbors::RadiusRule;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// MultiSURF* (Granizo-Mackenzie & Moore 2013): as MultiSURF, and the rows farther than the row's
    /// own mean distance plus half its standard deviation count by their similarity, one less the
    /// difference: far misses add, far hits subtract.
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
    pub struct MultiSurfStar {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
        /// Whose rules to follow.
        pub compat: Compat = COMPAT,
    }
}

const MULTISURF_STAR: RadiusMethod =
    RadiusMethod { name: "multisurf*", rule: RadiusRule::OwnMean, far: FarRows::Similarity };

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
        self.steps(problem, report, run)?.fit(problem.covariates(), report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }

    fn share<'p>(&self, problem: &Problem<'p>, run: &Run) -> Result<Sharing<'p>> {
        MULTISURF_STAR.share(problem, &self.sampled, self.compat, run)
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
    purpose: "MultiSURF, with far rows counting by similarity: for pure interactions",
    source: "Granizo-Mackenzie & Moore 2013",
    options: OPTIONS,
    choose: &[],
    documentation: page!("multisurf_star.rs"),
    python: Some(&PYTHON),
    build: weighing::<MultiSurfStar>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "MultiSURF*: MultiSURF, with far rows counting by their similarity.",
    description: &[
        "Rows farther than a row's mean distance plus half its standard deviation add their \
         similarity (one less the difference) if they are misses and subtract it if they are hits.",
    ],
    see_also: &[("MultiSURF", "No far rows; sees main effects too.")],
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
