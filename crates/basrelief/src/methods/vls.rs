//! # `vls`: random subsets of the features
//!
//! A wrapper around any method: it divides the features at random into subsets, scores every subset
//! separately, and keeps the largest of a feature's weights. In a small subset, neighbors are
//! meaningful. For thousands of features and more.
//!
//! ## Formula
//!
//! Each of `rounds` rounds divides all $p$ features into subsets of `size`, so that every feature
//! is in exactly one. A feature's weight is the largest of its weights over the rounds, or with
//! `take=mean` their mean. Two features that matter only through their interaction must be in the
//! same subset. A given pair is so in a fraction of about $\mathrm{size} / p$ of the rounds, so use
//! several times $p / \mathrm{size}$ rounds.
//!
//! ## Cost
//!
//! The wrapped method runs on all $p$ features, in parts, once per round: `rounds` times its time.
//! The memory is that for `size` features.
//!
//! ## When not to use it
//!
//! - Hundreds of features: [`turf`](super::turf) is as good and faster.
//! - Interactions of three or more features: these are rarely in the same subset.
//! - With `take=best`, the weights of noise features are maxima over the rounds and so above 0:
//!   compare ranks, not signs.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --features 200 --output snps200.csv
//! basrelief rank snps200.csv --target class --genotype all --neighbors 100 --wrap vls:size=50,rounds=15 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.VLS(basrelief.ReliefF(n_neighbors=100), size=50, rounds=15, random_state=0).fit(X, y).weights_`
//!
//! ## Source
//!
//! M. J. Eppstein and P. Haake. Very large scale ReliefF for genome-wide association analysis. CIBCB
//! 2008, 112-119.

use super::info::{PythonText, WeighFeatures, WrapperInfo};
use super::page::page;
use super::warning_counter::WarningCounter;
use super::{Problem, Settings};
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind};
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;

/// `size`: the number of features in a subset of VLS.
static SUBSET_SIZE: OptionInfo = OptionInfo {
    name: "size",
    flag: "size",
    kind: OptionKind::Count { least: 2 },
    default: "500",
    help: "Number of features in a random subset",
};

/// `rounds`: how often VLS divides the features into subsets.
static ROUNDS: OptionInfo = OptionInfo {
    name: "rounds",
    flag: "rounds",
    kind: OptionKind::Count { least: 1 },
    default: "20",
    help: "How often the features are divided into random subsets",
};

/// `take`: which of a feature's weights VLS keeps.
static TAKE: OptionInfo = OptionInfo {
    name: "take",
    flag: "take",
    kind: OptionKind::Choice(&["best", "mean"]),
    default: "best",
    help: "How to combine a feature's weights over the rounds: the largest, or the mean",
};

/// Registry entry.
///
/// VLSRelief (Eppstein & Haake 2008): each round divides the features at random into subsets of
/// `size` (so that every feature is in exactly one), and scores every subset separately. A
/// feature's weight is the largest (`take=best`) or the mean (`take=mean`) of its weights over the
/// rounds. Features that matter only through interactions must be in the same subset: two of p are
/// so in a fraction of about `size / p` of the rounds.
pub(crate) static INFO: WrapperInfo = WrapperInfo {
    name: "vls",
    class: "VLS",
    purpose: "scores random subsets of the features, for thousands of features and more",
    source: "Eppstein & Haake 2008",
    options: &[&SUBSET_SIZE, &ROUNDS, &TAKE],
    documentation: page!("vls.rs"),
    python: Some(&PYTHON),
    weigh,
    rounds: None,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "VLS: repeatedly scores random subsets of the features.",
    description: &[
        "Each round divides the features at random into subsets of `size`, and scores every subset \
         separately. A feature's weight is its largest or its mean weight over the rounds. \
         Features that matter only through interactions must be in the same subset, which \
         requires many rounds if subsets are small. For thousands of features and more.",
    ],
    weights: " over the rounds",
    reports: &["n_iter_"],
    iterations: ": rounds of dividing the features into subsets",
    see_also: &[("TuRF", "Drops the worst features round by round.")],
    references: &[
        "M. J. Eppstein and P. Haake. Very large scale ReliefF for genome-wide association \
         analysis. IEEE Symposium on Computational Intelligence in Bioinformatics and \
         Computational Biology, 112-119, 2008.",
    ],
    examples: &[
        ">>> import numpy as np",
        ">>> from basrelief import VLS, ReliefF",
        ">>> rng = np.random.default_rng(0)",
        ">>> X = rng.integers(0, 3, size=(400, 200)).astype(float)",
        ">>> y = X[:, 3] == X[:, 50]",
        ">>> vls = VLS(ReliefF(genotype_diff=\"categorical\"), size=50, rounds=30, random_state=0)",
        ">>> vls.set_params(n_features_to_select=2).fit(X, y).get_feature_names_out()",
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
    let size = settings.count(&SUBSET_SIZE)?;
    let rounds = settings.count(&ROUNDS)?;
    let best = settings.text(&TAKE)? == "best";
    let width = problem.table().width();
    let mut generator = random::generator(run.seed(), RandomStream::FeatureSubsets);
    let mut counter = WarningCounter::default();
    let quiet = run.part(run.seed());
    let parts = width.div_ceil(size);
    run.progress().start("scoring subsets", (rounds as u64).saturating_mul(parts as u64));
    let mut result = vec![if best { f64::NEG_INFINITY } else { 0.0 }; width];
    for _ in 0..rounds {
        let mut features: Vec<u32> = (0..width as u32).collect();
        random::shuffle(&mut features, &mut generator);
        for subset in features.chunks(size) {
            let mut subset: Vec<usize> = subset.iter().map(|&feature| feature as usize).collect();
            subset.sort_unstable();
            let table = problem.table().select_columns(&subset);
            let mut part = Report::default();
            let weights = inner.weigh(&problem.of_columns(&table)?, &mut part, &quiet)?;
            counter.add(part);
            for (&feature, weight) in subset.iter().zip(weights) {
                if best {
                    result[feature] = result[feature].max(weight);
                } else {
                    result[feature] += weight / rounds as f64;
                }
            }
            run.progress().advance(1);
        }
    }
    run.progress().finish();
    counter.tell("subsets", report);
    report.iterations = Some(rounds);
    Ok(result)
}
