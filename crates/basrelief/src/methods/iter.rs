//! # `iter`: weigh the features, measure distances by the weights, repeat
//!
//! A wrapper around a method with one neighbor search: after each round, features of large weight
//! count more in distances, so that neighbors are nearer in the relevant features. For data with
//! many noise features, without dropping any.
//!
//! ## Formula
//!
//! The first round weighs all features equally in distances. Let $w_A$ be the weights of a round,
//! and $\hat{w}_A = \max(w_A, 0) / \max_B w_B$. In distances of the next rounds, the difference of
//! feature $A$ is multiplied by $v_A$: in the second round $v_A = \hat{w}_A$, and then
//!
//! ```math
//! v_A \leftarrow v_A + \mathrm{rate} \cdot (\hat{w}_A - v_A).
//! ```
//!
//! The differences in the weights themselves are not multiplied. The rounds end when no weight
//! changes by `tol` or more, or after `max_iter` rounds. A round without a weight above 0 is the
//! last.
//!
//! ## Cost
//!
//! Up to `max_iter` times that of the wrapped method. Distances with a factor per feature are
//! computed in floating point, which is slower than counting equal genotypes.
//!
//! ## When not to use it
//!
//! - Pure interactions among many features: their weights in the first round are as small as those
//!   of noise, and features of weight 0 no longer count in distances. Use [`turf`](super::turf).
//! - When you need p-values soon: every permutation runs all rounds.
//!
//! ## Example
//!
//! ```sh
//! basrelief synth xor --rows 800 --output snps.csv
//! basrelief rank snps.csv --target class --method multisurf --wrap iter:max_iter=5,tol=0.001 --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.Iter(basrelief.MultiSURF(), max_iter=5, tol=0.001).fit(X, y).weights_`
//!
//! ## Source
//!
//! B. Draper, C. Kaito and J. Bins. Iterative Relief. CVPR Workshop 2003. The update of the factors
//! is that of scikit-rebate 0.8.

use std::sync::Arc;

use super::info::{PythonText, WeighFeatures, WrapperInfo};
use super::options::{MAX_ITER, TOL};
use super::page::page;
use super::shared::warn_of_no_convergence;
use super::warning_counter::WarningCounter;
use super::{Problem, Settings};
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// `max_iter`: the maximum number of rounds.
static ROUNDS: OptionInfo = OptionInfo {
    default: "10",
    help: "Maximum number of rounds; reaching it gives a warning",
    ..MAX_ITER
};

/// `tol`: the change of the weights at which the rounds end.
static CHANGE: OptionInfo = OptionInfo { default: "1e-4", ..TOL };

/// `rate`: how fast the factors of the features follow their weights.
static RATE: OptionInfo = OptionInfo {
    name: "rate",
    flag: "rate",
    kind: OptionKind::Number { least: 0.0, most: 1.0 },
    default: "0.1",
    help: "Fraction by which the factors of the features approach their weights in a round",
};

/// Registry entry.
///
/// Iterative Relief (Draper et al. 2003): each round computes the weights with distances in which
/// the difference of a feature is multiplied by a factor that follows its weight in the rounds
/// before. The weights are those of the last round.
pub(crate) static INFO: WrapperInfo = WrapperInfo {
    name: "iter",
    class: "Iter",
    purpose: "repeats the method with distances that are weighted by the weights of the round before",
    source: "Draper et al. 2003",
    options: &[&ROUNDS, &CHANGE, &RATE],
    documentation: page!("iter.rs"),
    python: Some(&PYTHON),
    weigh,
    rounds: None,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "Iterative Relief: repeats a method with distances weighted by its weights.",
    description: &[
        "In the first round, all features count equally in distances. In the following rounds, the \
         difference of a feature is multiplied by a factor that follows its weight in the rounds \
         before, so that neighbors are nearer in the relevant features. The wrapped selector must \
         be a method with a single neighbor search, such as ReliefF or MultiSURF.",
    ],
    weights: " of the last round",
    reports: &["n_iter_"],
    iterations: ": rounds",
    see_also: &[("TuRF", "Drops the worst features round by round.")],
    references: &["B. Draper, C. Kaito and J. Bins. Iterative Relief. CVPR Workshop, 2003."],
    examples: &[
        ">>> from sklearn.datasets import load_wine",
        ">>> from basrelief import Iter, MultiSURF",
        ">>> X, y = load_wine(return_X_y=True)",
        ">>> selector = Iter(MultiSURF(), max_iter=3, tol=0.05, n_features_to_select=5)",
        ">>> selector.fit_transform(X, y).shape",
        "(178, 5)",
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
    let most = settings.count(&ROUNDS)?;
    let (tol, rate) = (settings.number(&CHANGE)?, settings.number(&RATE)?);
    let mut counter = WarningCounter::default();
    let mut round = Report::default();
    let mut weights = inner.weigh(problem, &mut round, run)?;
    counter.add(round);
    let mut factors: Option<Vec<f64>> = None;
    let (mut rounds, mut change) = (1, f64::INFINITY);
    while rounds < most && change >= tol {
        let Some(wanted) = relative(&weights) else {
            report.warnings.push(Warning::new(
                "no-positive-weight",
                format!("no weight of round {rounds} is above 0, so that no feature would count in distances: it is the last round"),
            ));
            break;
        };
        let next: Vec<f64> = match factors {
            None => wanted,
            Some(last) => last.iter().zip(wanted).map(|(v, w)| v + rate * (w - v)).collect(),
        };
        let shared: Arc<[f64]> = next.as_slice().into();
        let mut round = Report::default();
        let found = inner.weigh(&problem.with_feature_factors(&shared), &mut round, run)?;
        counter.add(round);
        let changes = found.iter().zip(&weights).map(|(new, old)| (new - old).abs());
        change = changes.fold(0.0, f64::max);
        (weights, factors) = (found, Some(next));
        rounds += 1;
    }
    counter.tell("rounds", report);
    if rounds == most && change >= tol && most > 1 {
        let advice = format!("increase {}", setting("iter:max_iter", None));
        warn_of_no_convergence(rounds, change, tol, &advice, report);
    }
    report.iterations = Some(rounds);
    Ok(weights)
}

/// The positive parts of weights as fractions of the largest; `None` if no weight is above 0.
fn relative(weights: &[f64]) -> Option<Vec<f64>> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    (largest > 0.0).then(|| weights.iter().map(|weight| weight.max(0.0) / largest).collect())
}
