//! # `swrf`: SURF with a smooth distance weight
//!
//! [`swrf*`](super::swrf_star) without its far part: only rows nearer than the mean distance count,
//! and the weight of a row increases with the difference between the mean distance and its own.
//!
//! ## Formula
//!
//! Let $\mu$ and $\sigma$ be the mean and the standard deviation of the distances of all pairs. A
//! row at distance $d < \mu$ has the weight
//!
//! ```math
//! s(d) = \Big| \frac{2}{1 + \exp(4 (d - \mu)/\sigma)} - 1 \Big|
//! ```
//!
//! in the means of [`surf`](super::surf#formula). These means divide the sum of
//! $s(d)\,\mathrm{diff}_A$ by the number of near rows, not by the sum of $s$. Weights are in $[-1,
//! 1]$.
//!
//! For a numeric target, the weight is [RReliefF's ratio](super::rrelieff#formula) over the near
//! rows, each of which counts $s(d)$ times. Symbols are those of [the overview](super#notation).
//!
//! ## Cost
//!
//! Time $n^2 p$ twice, once for the radius and once for the neighbors, unless memory holds the
//! distances (with `--samples m`: $m n p$ for the neighbors). The weights of the neighbors take 8
//! bytes per pair of rows if memory holds them; otherwise a row's distances are computed on demand,
//! and the memory in addition to the packed table is a line of $n$ distances per thread.
//!
//! ## When not to use it
//!
//! - Data with dense and sparse regions: one radius does not suit all rows. Use
//!   [`multiswrf`](super::multiswrf), which has one per row.
//! - Pure interactions: [`swrf*`](super::swrf_star) also uses far rows.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method swrf --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.SWRF().fit(X, y).weights_`
//!
//! ## Source
//!
//! M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief algorithm for
//! ranking genetic predictors of disease. BioData Mining 5:20, 2012.

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
    /// SWRF (Stokes & Visweswaran 2012): SURF in which a near row at distance d has the weight `2 /
    /// (1 + exp(4 (d - mean) / sd)) - 1`, with the mean and the standard deviation of the distances
    /// of all pairs.
    ///
    /// For classes, a row contributes the mean weighted difference to the near misses of each other
    /// class, weighted by P(C) / (1 - P(class of the row)), minus that to the near hits; the weight
    /// is the mean over the sampled rows, in [-1, 1]. For a numeric target, it is RReliefF's ratio
    /// over the near rows.
    ///
    /// # Errors
    /// The fit refuses one class, a constant target, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct Swrf {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
    }
}

const SWRF: RadiusMethod =
    RadiusMethod { name: "swrf", rule: RadiusRule::SWRF, far: FarRows::Ignored };

impl Stepwise for Swrf {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        SWRF.steps(problem, &self.sampled, Compat::None, report, run)
    }
}

impl WeighFeatures for Swrf {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "swrf",
    class: "SWRF",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "SURF with a smooth distance weight",
    source: "Stokes & Visweswaran 2012",
    options: OWN_OPTIONS,
    choose: &[],
    documentation: page!("swrf.rs"),
    python: Some(&PYTHON),
    build: weighing::<Swrf>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "SWRF: SURF with a smooth distance weight.",
    description: &[
        "Rows nearer than the mean distance of all pairs are neighbors. The weight of a \
         neighbor is a sigmoid of its distance: 0 at the mean and near 1 for very near \
         rows.",
    ],
    see_also: &[("SWRFStar", "Also uses far rows.")],
    references: &["M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief \
         algorithm for ranking genetic predictors of disease. BioData Mining 5:20, 2012."],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import SWRF",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> SWRF(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};
