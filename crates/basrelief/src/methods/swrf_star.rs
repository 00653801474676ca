//! # `swrf*`: a smooth distance weight
//!
//! SURF* without the jump at the radius: the weight of a row increases with the deviation of its
//! distance from the mean distance, and is 0 at the mean.
//!
//! ## Formula
//!
//! Let $\mu$ and $\sigma$ be the mean and the standard deviation of the distances of all pairs. A
//! row at distance $d$ has the weight
//!
//! ```math
//! s(d) = \Big| \frac{2}{1 + \exp(4 (d - \mu)/\sigma)} - 1 \Big|
//! ```
//!
//! in the means of [`surf*`](super::surf_star#formula). Rows nearer than $\mu$ are in the near
//! part, rows farther than $\mu$ in the far part, and $W_A = N_A - F_A \in [-2, 2]$. These means
//! divide the sum of $s(d)\,\mathrm{diff}_A$ by the number of rows in the part, not by the sum of
//! $s$. A part whose rows are near $\mu$ therefore contributes little.
//!
//! For a numeric target, the weight is [RReliefF's ratio](super::rrelieff#formula) over the near
//! rows minus that over the far rows. Symbols are those of [the overview](super#notation).
//!
//! ## Differences from scikit-rebate
//!
//! The weights of scikit-rebate's SWRF* differ by a few percent. Its $\mu$ and $\sigma$ are those of
//! all cells of the distance matrix, including the zeros on its diagonal. Its far part counts
//! similarities: a row without far hits, or without far misses, adds a constant to every feature,
//! and the sum of a numeric feature starts from the number of far rows, but that of a categorical
//! feature from the sum of their $s(d)$. The method therefore has no option `--compat`. In Python,
//! `basrelief.skrebate.SWRFstar` computes the numbers of scikit-rebate.
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
//! - Features with main effects: far rows lower their weights. Use [`multisurf`](super::multisurf).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method 'swrf*' --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.SWRFStar().fit(X, y).weights_`
//!
//! ## Source
//!
//! M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for ranking
//! genetic predictors of disease. BioData Mining 5:20, 2012.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::page::page;
use super::radius::{Compat, FarRows, OWN_OPTIONS, RadiusMethod};
use super::settings::settings;
use super::shared::SampledSpace;
use super::steps::{Steps, Stepwise};
use crate::error::Result;
use crate::neighbors::RadiusRule;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// SWRF* (Stokes & Visweswaran 2012): SURF* in which a row at distance d has as weight the
    /// sigmoid `2 / (1 + exp(4 (d - mean) / sd)) - 1`, with the mean and the standard deviation of
    /// all pairs. The weight is near 1 for very near rows, near -1 for very far rows and 0 at the
    /// mean.
    ///
    /// For classes, a row contributes the mean difference to the near misses of each other class,
    /// weighted by P(C) / (1 - P(class of the row)), minus the mean difference to the near hits;
    /// the weight is the mean over the sampled rows, in [-2, 2] with the far part. For a numeric
    /// target, it is RReliefF's ratio over the near rows minus that over the far rows.
    ///
    /// # Errors
    /// The fit refuses one class, a constant target, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct SwrfStar {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
    }
}

const SWRF_STAR: RadiusMethod =
    RadiusMethod { name: "swrf*", rule: RadiusRule::SWRF, far: FarRows::Difference };

impl Stepwise for SwrfStar {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        SWRF_STAR.steps(problem, &self.sampled, Compat::None, report, run)
    }
}

impl WeighFeatures for SwrfStar {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "swrf*",
    class: "SWRFStar",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-2.0, 2.0),
    purpose: "SURF* with a smooth distance weight instead of a radius",
    source: "Stokes & Visweswaran 2012",
    options: OWN_OPTIONS,
    choose: &[],
    documentation: page!("swrf_star.rs"),
    python: Some(&PYTHON),
    build: weighing::<SwrfStar>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "SWRF*: SURF* with a smooth distance weight.",
    description: &[
        "The weight of a row is a sigmoid of its distance, centered at the mean distance of all \
         pairs: 0 at the mean, near 1 for very near and near -1 for very far rows.",
    ],
    see_also: &[("SURFStar", "With a sharp radius instead.")],
    references: &[
        "M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for \
         ranking genetic predictors of disease. BioData Mining 5:20, 2012.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import SWRFStar",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> SWRFStar(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};
