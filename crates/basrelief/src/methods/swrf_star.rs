//! # `swrf*`: a smooth weight by distance
//!
//! SURF* without the jump at the radius: a row counts more the farther its distance is from the mean,
//! nothing at the mean itself.
//!
//! ## Formula
//!
//! With mean $\mu$ and standard deviation $\sigma$ of the distances of all pairs, a row at distance $d$
//! counts
//!
//! ```math
//! s(d) = \Big| \frac{2}{1 + \exp(4 (d - \mu)/\sigma)} - 1 \Big|
//! ```
//!
//! in the means of [`surf*`](super::surf_star#formula): rows nearer than $\mu$ in the near part, rows
//! farther than $\mu$ in the far part, $W_A = N_A - F_A \in [-2, 2]$. These means divide the sum of
//! $s(d)\,\mathrm{diff}_A$ by the number of rows in the part, as if every $s$ were 1, and not by the sum of
//! $s$: a part whose rows lie near $\mu$ contributes little.
//!
//! For a real target the weight is [RReliefF's ratio](super::rrelieff#formula) over the near rows less that
//! over the far rows. Symbols are those of [the overview](super#notation).
//!
//! It has no option `--compat`: the far part of scikit-rebate's SWRF* has one rule for numbers and another
//! for categories.
//!
//! ## Cost
//!
//! Time $n^2 p$ twice, once for the radius and once for the neighbors (with `--samples m`: $m n p$ for
//! the neighbors; the radius is always from all pairs). A row's distances are computed when they are
//! asked for and then gone: memory beside the packed table is a line of $n$ distances per thread.
//!
//! ## When not to use it
//!
//! - Features with main effects: far rows count against them. Use [`multisurf`](super::multisurf).
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
use super::targets::Sharing;
use crate::error::Result;
use crate::neighbors::RadiusRule;
use crate::report::Report;
use crate::run::Run;

settings! {
    /// SWRF* (Stokes & Visweswaran 2012): as SURF*, but a row at distance d counts by the sigmoid `2 /
    /// (1 + exp(4 (d - mean) / sd)) - 1` with mean and standard deviation of all pairs: fully when very
    /// near (or, the other way, very far), nothing at the mean.
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by P(C) /
    /// (1 - P(class of the row)), less the mean difference to the near hits; the mean over the sampled
    /// rows, in [-2, 2] with the far part. A real target: RReliefF's ratio over the near rows, less
    /// that over the far rows.
    ///
    /// # Errors
    /// The fit refuses: one class, a target with one value only, options out of range;
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
    RadiusMethod { name: "swrf*", rule: RadiusRule::Sigmoid, far: FarRows::Difference };

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
        self.steps(problem, report, run)?.fit(problem.covariates(), report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }

    fn share<'p>(&self, problem: &Problem<'p>, run: &Run) -> Result<Sharing<'p>> {
        SWRF_STAR.share(problem, &self.sampled, Compat::None, run)
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
    purpose: "SURF*, with a smooth weight by distance instead of a radius",
    source: "Stokes & Visweswaran 2012",
    options: OWN_OPTIONS,
    choose: &[],
    documentation: page!("swrf_star.rs"),
    python: Some(&PYTHON),
    build: weighing::<SwrfStar>,
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "SWRF*: SURF*, with a smooth weight by distance.",
    description: &[
        "A row counts by a sigmoid of its distance, steep at the mean distance of all pairs: \
         nothing there, fully when very near and, the other way, when very far.",
    ],
    see_also: &[("SURFStar", "The same with a sharp radius.")],
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
