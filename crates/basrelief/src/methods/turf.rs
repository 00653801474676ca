//! # `turf`: drop the worst features, weigh again
//!
//! A wrapper around any method: each round drops the features of least weight and weighs the rest anew.
//! Among hundreds to thousands of features neighbors are nearly random; with fewer noise features they
//! come nearer in what matters.
//!
//! ## Formula
//!
//! Let $q$ features be left. A round drops the $\lfloor q \cdot \mathrm{drop} \rfloor$ of least weight,
//! at least one, and weighs the others again, until `keep` are left; their weights are those of the
//! last round. A dropped feature gets a weight below all that stayed longer, in the order of its own
//! round, by steps of 1 % of the last round's spread. These weights rank, they do not measure.
//!
//! ## Cost
//!
//! The wrapped method once per round: $\log(p/\mathrm{keep}) / {-\log(1 - \mathrm{drop})}$ rounds of
//! ever fewer features, in all about $1/\mathrm{drop}$ times the cost of the first.
//!
//! ## When not to use it
//!
//! - A few dozen features: the method by itself does.
//! - Ten thousand features and more: the first rounds are nearly blind, and drop good features with the
//!   bad. [`vls`](super::vls), or `vls` around `turf`, looks at fewer at a time.
//! - When you need weights to compare: those of dropped features only rank.
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

/// `drop`: share of the features that a round of TuRF drops.
static DROP: OptionInfo = OptionInfo {
    name: "drop",
    flag: "drop",
    kind: OptionKind::Number { least: 0.0, most: 0.99 },
    default: "0.1",
    help: "Share of the features left that each round drops, at least one feature",
};

/// `keep`: features at which TuRF stops.
static KEEP: OptionInfo = OptionInfo {
    name: "keep",
    flag: "keep",
    kind: OptionKind::Count { least: 1 },
    default: "50",
    help: "Features at which to stop",
};

/// Registry entry.
///
/// TuRF (Moore & White 2007): each round the share `drop` of the features left, those of least
/// weight, are dropped (at least one) and the rest weighed again, until `keep` are left. With
/// fewer noise features the neighbors are nearer in what matters.
///
/// The weights are those of the last round. A feature that was dropped keeps the rank of its
/// round: its weight is below that of all features that stayed longer, in the order of its own
/// round, by steps of 1 % of the last round's spread; these weights rank, they do not measure.
pub(crate) static INFO: WrapperInfo = WrapperInfo {
    name: "turf",
    class: "TuRF",
    purpose: "drops the worst features round by round: hundreds to thousands of features",
    source: "Moore & White 2007",
    options: &[&DROP, &KEEP],
    documentation: page!("turf.rs"),
    python: Some(&PYTHON),
    weigh,
    rounds: Some(rounds),
};

/// What its scikit-learn class says of it.
const PYTHON: PythonText = PythonText {
    summary: "TuRF: drop the worst features, weigh the rest again, and so on.",
    description: &[
        "Among thousands of features the neighbors are nearly random; with fewer noise features \
         they are nearer in what matters. For hundreds to thousands of features.",
        "The weights are those of the last round. Dropped features are below them in the order of \
         their rounds, by steps of 1 % of the last round's spread: these weights rank, they do not \
         measure, so that `n_features_to_select` is the way to select.",
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
