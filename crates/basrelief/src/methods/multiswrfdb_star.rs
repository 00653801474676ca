//! # `multiswrfdb*`: MultiSWRFDB with far rows
//!
//! [`multiswrfdb`](super::multiswrfdb) that also uses the rows beyond the dead band, with the
//! opposite sign: more power for pure interactions, less for main effects.
//!
//! ## Formula
//!
//! Let $N_A$ be the weight of [`multiswrfdb`](super::multiswrfdb#formula), and $F_A$ the same sum
//! over the rows farther than $b_R = \mu_R + \sigma_R / 2$, whose weights $s(d)$ are 0 at this
//! bound. Then
//!
//! ```math
//! W_A = N_A - F_A \in [-2, 2].
//! ```
//!
//! For a numeric target, the weight is [RReliefF's ratio](super::rrelieff#formula) over the near
//! rows minus that over the far rows. Symbols are those of [the overview](super#notation).
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
//! - Features with main effects: far rows lower their weights. Use
//!   [`multiswrfdb`](super::multiswrfdb).
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method 'multiswrfdb*' --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MultiSWRFDBStar().fit(X, y).weights_`
//!
//! ## Source
//!
//! K. Kazemi-Nia, H. Bandhey, P. J. Freda and R. J. Urbanowicz. arXiv:2608.28552, 2026.
//! Implementation: scikit-rebate 0.8.
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
    /// MultiSWRFDB* (Kazemi-Nia et al. 2026): MultiSWRFDB with a second part for rows farther than
    /// b, the row's mean distance plus half its standard deviation sd. They count with the opposite
    /// sign and the weight `1 - 2 / (1 + exp(4 (d - b) / sd))`.
    ///
    /// For classes, a row contributes the mean weighted difference to the near misses of each other
    /// class, weighted by P(C) / (1 - P(class of the row)), minus that to the near hits, minus the
    /// same over the far rows; the weight is the mean over the sampled rows, in [-2, 2]. For a
    /// numeric target, it is RReliefF's ratio over the near rows minus that over the far rows.
    ///
    /// # Errors
    /// The fit refuses one class, a constant target, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct MultiSwrfDbStar {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
    }
}

const MULTISWRFDB_STAR: RadiusMethod =
    RadiusMethod { name: "multiswrfdb*", rule: RadiusRule::MULTISWRFDB, far: FarRows::Difference };

impl Stepwise for MultiSwrfDbStar {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        MULTISWRFDB_STAR.steps(problem, &self.sampled, Compat::None, report, run)
    }
}

impl WeighFeatures for MultiSwrfDbStar {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "multiswrfdb*",
    class: "MultiSWRFDBStar",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-2.0, 2.0),
    purpose: "MultiSWRFDB with far rows: for pure interactions",
    source: "Kazemi-Nia et al. 2026",
    options: OWN_OPTIONS,
    choose: &[],
    documentation: page!("multiswrfdb_star.rs"),
    python: Some(&PYTHON),
    build: weighing::<MultiSwrfDbStar>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "MultiSWRFDB*: MultiSWRFDB with far rows.",
    description: &[
        "Rows within half a standard deviation of a row's mean distance do not count. The \
         weight of the others is a sigmoid of their distance from this band: near 1 for \
         very near and near -1 for very far rows.",
    ],
    see_also: &[("MultiSWRFDB", "No far rows; also detects main effects.")],
    references: &[
        "K. Kazemi-Nia, H. Bandhey, P. J. Freda and R. J. Urbanowicz. arXiv:2608.28552, \
         2026. Implementation: scikit-rebate 0.8.",
        "M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief \
         algorithm for ranking genetic predictors of disease. BioData Mining 5:20, 2012.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MultiSWRFDBStar",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> MultiSWRFDBStar(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};
