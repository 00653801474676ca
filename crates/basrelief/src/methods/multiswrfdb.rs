//! # `multiswrfdb`: MultiSURF with a smooth distance weight
//!
//! The neighbors of [`multisurf`](super::multisurf), weighted by how far they are inside its
//! radius. Rows between the radius and the mean distance, the dead band, do not count. It is the
//! Relief-based default of the pipeline STREAMLINE.
//!
//! ## Formula
//!
//! Let $\mu_R$ and $\sigma_R$ be the mean and the standard deviation of the distances of row $R$ to
//! all other rows, and $b_R = \mu_R - \sigma_R / 2$. Rows nearer than $b_R$ are neighbors of $R$,
//! and one at distance $d$ has the weight
//!
//! ```math
//! s(d) = \Big| \frac{2}{1 + \exp(4 (d - b_R)/\sigma_R)} - 1 \Big|
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
//! - Pure interactions in many rows: [`multiswrfdb*`](super::multiswrfdb_star) also uses far rows.
//! - A test of weights that is easy to explain: every neighbor of [`multisurf`](super::multisurf)
//!   counts once.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method multiswrfdb --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.MultiSWRFDB().fit(X, y).weights_`
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
    /// MultiSWRFDB (Kazemi-Nia et al. 2026): MultiSURF in which a near row at distance d has the
    /// weight `2 / (1 + exp(4 (d - b) / sd)) - 1`, where b is the row's mean distance minus half
    /// its standard deviation sd: the bound of near rows.
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
    pub struct MultiSwrfDb {
        /// Samples and space.
        pub sampled: SampledSpace [
            n_samples, metric, missing, ramp, genotype_diff
        ],
    }
}

const MULTISWRFDB: RadiusMethod =
    RadiusMethod { name: "multiswrfdb", rule: RadiusRule::MULTISWRFDB, far: FarRows::Ignored };

impl Stepwise for MultiSwrfDb {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        MULTISWRFDB.steps(problem, &self.sampled, Compat::None, report, run)
    }
}

impl WeighFeatures for MultiSwrfDb {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "multiswrfdb",
    class: "MultiSWRFDB",
    task: Task::Any,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "MultiSURF with a smooth distance weight; the default of STREAMLINE",
    source: "Kazemi-Nia et al. 2026",
    options: OWN_OPTIONS,
    choose: &[],
    documentation: page!("multiswrfdb.rs"),
    python: Some(&PYTHON),
    build: weighing::<MultiSwrfDb>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    reports: &["plan_"],
    summary: "MultiSWRFDB: MultiSURF with a smooth distance weight.",
    description: &[
        "Rows nearer than a row's mean distance minus half its standard deviation are its \
         neighbors. The weight of a neighbor is a sigmoid of its distance: 0 at this \
         bound and near 1 for very near rows.",
    ],
    see_also: &[("MultiSURF", "All neighbors count equally.")],
    references: &[
        "K. Kazemi-Nia, H. Bandhey, P. J. Freda and R. J. Urbanowicz. arXiv:2608.28552, \
         2026. Implementation: scikit-rebate 0.8.",
        "M. E. Stokes and S. Visweswaran. Application of a spatially-weighted Relief \
         algorithm for ranking genetic predictors of disease. BioData Mining 5:20, 2012.",
    ],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import MultiSWRFDB",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> MultiSWRFDB(n_features_to_select=5).fit_transform(X, y).shape",
        "(178, 5)",
    ],
    ..PythonText::BLANK
};
