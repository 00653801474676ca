//! # `turf`: drop the worst features, score again
//!
//! A wrapper around any method: each round drops the features of smallest weight and scores the
//! remaining ones again. Among hundreds to thousands of features, neighbors are nearly random; with
//! fewer noise features, they are nearer in the relevant features.
//!
//! ## Formula
//!
//! Let $q$ features remain. A round drops the $\lfloor q \cdot \mathrm{drop} \rfloor$ features of
//! smallest weight, at least one, and scores the others again, until `keep` remain; their weights
//! are those of the last round. A dropped feature gets a weight below all features that remained
//! longer; features dropped in the same round are ordered by their weights in that round. The steps
//! between these weights are 1 % of the last round's spread. Such weights are ranks, not
//! measurements.
//!
//! ## Cost
//!
//! The wrapped method runs once per round: $\log(p/\mathrm{keep}) / {-\log(1 - \mathrm{drop})}$
//! rounds with fewer and fewer features, in total about $1/\mathrm{drop}$ times the cost of the
//! first.
//!
//! ## When not to use it
//!
//! - A few dozen features: the method alone is sufficient.
//! - Ten thousand features and more, unless the interaction is strong: `turf` finds it only if both features rank
//!   better than most others in the first round. [`vls`](super::vls), or `vls` around `turf`, uses fewer features at a
//!   time.
//! - P-values of single features: they only answer whether any feature is associated with the target.
//! - When you need comparable weights: those of dropped features are only ranks.
//!
//! ## Example
//!
//! Without the wrapper, P2 is not among the best four here.
//!
//! ```sh
//! basrelief synth xor --rows 800 --features 200 --output snps200.csv
//! basrelief rank snps200.csv --target class --genotype all --neighbors 100 --wrap turf:keep=20 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.TuRF(basrelief.ReliefF(n_neighbors=100), keep=20).fit(X, y).weights_`
//!
//! ## Source
//!
//! J. H. Moore and B. C. White. Tuning ReliefF for genome-wide genetic analysis. EvoBIO 2007, 166-175.

use super::elimination::{AfterRound, FeatureElimination, report_rounds};
use super::info::{PythonText, WeighFeatures, WrapperInfo};
use super::page::page;
use super::warning_counter::WarningCounter;
use super::{Problem, Settings};
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;

/// `drop`: the fraction of the features that a round of TuRF drops.
static DROP: OptionInfo = OptionInfo {
    name: "drop",
    flag: "drop",
    kind: OptionKind::Number { least: 0.0, most: 0.99 },
    default: "0.1",
    help: "Fraction of the remaining features that each round drops, at least one feature",
};

/// `keep`: the number of features at which TuRF stops.
static KEEP: OptionInfo = OptionInfo {
    name: "keep",
    flag: "keep",
    kind: OptionKind::Count { least: 1 },
    default: "50",
    help: "Number of features at which to stop",
};

/// Registry entry.
///
/// TuRF (Moore & White 2007): each round drops the fraction `drop` of the remaining features, those
/// of smallest weight (at least one), and scores the rest again, until `keep` remain. With fewer
/// noise features, the neighbors are nearer in the relevant features.
///
/// The weights are those of the last round. A dropped feature gets a weight below all features that
/// remained longer; features dropped in the same round are ordered by their weights in that round.
/// The steps are 1 % of the last round's spread. Such weights are ranks, not measurements.
pub(crate) static INFO: WrapperInfo = WrapperInfo {
    name: "turf",
    class: "TuRF",
    purpose: "drops the worst features round by round, for hundreds to thousands of features",
    source: "Moore & White 2007",
    options: &[&DROP, &KEEP],
    documentation: page!("turf.rs"),
    python: Some(&PYTHON),
    weigh,
    rounds: Some(rounds),
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "TuRF: repeatedly drops the worst features and scores the rest again.",
    description: &[
        "Among thousands of features, the neighbors are nearly random; with fewer noise features, \
         they are nearer in the relevant ones. For hundreds to thousands of features.",
        "The weights are those of the last round. Dropped features are below them in the order of \
         their rounds, in steps of 1 % of the last round's spread. These weights are ranks, not \
         measurements; use `n_features_to_select` to select features.",
    ],
    reports: &["n_iter_"],
    iterations: ": rounds in which features were dropped",
    see_also: &[("VLS", "Random subsets of the features.")],
    references: &[
        "J. H. Moore and B. C. White. Tuning ReliefF for genome-wide genetic analysis. EvoBIO, \
         166-175, 2007.",
    ],
    examples: &[
        ">>> import numpy as np",
        ">>> from basrelief import MultiSURF, TuRF",
        ">>> rng = np.random.default_rng(0)",
        ">>> X = rng.integers(0, 3, size=(400, 200)).astype(float)",
        ">>> y = X[:, 3] == X[:, 50]",
        ">>> turf = TuRF(MultiSURF(genotype_diff=\"categorical\"), keep=20, n_features_to_select=2)",
        ">>> turf.fit(X, y).get_feature_names_out()",
        "array(['x3', 'x50'], dtype=object)",
    ],
    ..PythonText::BLANK
};

fn weigh(
    settings: &Settings,
    inner: &dyn WeighFeatures,
    problem: &Problem<'_>,
    report: &mut Report,
    run: &Run,
) -> Result<Vec<f64>> {
    let width = problem.table().width();
    let mut elimination = rounds(settings, width)?;
    let mut counter = WarningCounter::default();
    loop {
        let mut round = Report::default();
        let weights = if elimination.left().len() == width {
            inner.weigh(problem, &mut round, run)?
        } else {
            let table = problem.table().select_columns(elimination.left());
            inner.weigh(&problem.of_columns(&table)?, &mut round, run)?
        };
        counter.add(round);
        elimination = match elimination.step(&weights) {
            AfterRound::Next(next) => next,
            AfterRound::Last(weights, course) => {
                report_rounds(course, counter, report);
                return Ok(weights);
            }
        };
    }
}

/// The elimination before its first round.
fn rounds(settings: &Settings, width: usize) -> Result<FeatureElimination> {
    Ok(FeatureElimination::new(settings.number(&DROP)?, settings.count(&KEEP)?, width))
}
