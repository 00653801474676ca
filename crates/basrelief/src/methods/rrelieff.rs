//! # `rrelieff`: ReliefF for a numeric target
//!
//! The regression form of ReliefF: among near rows, a relevant feature differs where the target
//! differs and agrees where the target agrees.
//!
//! ## Formula
//!
//! Sum over all pairs of a row and one of its $k$ nearest rows. A pair has a weight $d$ (by rank,
//! summing to 1 per row) and a target difference $\delta = |y_i - y_j| / \mathrm{range}(y)$:
//!
//! ```math
//! N_{dC} = \sum d\,\delta, \qquad N_{dA} = \sum d\,\mathrm{diff}_A, \qquad N_{dCdA} = \sum d\,\delta\,\mathrm{diff}_A .
//! ```
//!
//! With $m$ rows,
//!
//! ```math
//! W_A = \frac{N_{dCdA}}{N_{dC}} - \frac{N_{dA} - N_{dCdA}}{m - N_{dC}},
//! ```
//!
//! the mean difference of the feature where the target differs minus that where it does not, in
//! $[-1, 1]$. By default, the weight of a neighbor decreases with its rank as
//! $\exp(-(\text{rank}/20)^2)$. Symbols are those of [the overview](super#notation).
//!
//! ## Several targets
//!
//! `--target a,b,c` names several targets, whose difference $\delta$ is by default the mean of the differences of all: that of
//! numbers is divided by their range, that of classes is 0 or 1. `--target-distance` offers other distances: the proportion of
//! targets that are not equal (`hamming`), and for labels that are absent (0) or present (1) one minus the Jaccard index,
//! one minus F1, or one minus the cosine of the sets of labels. Only targets that are known in both rows count, and a pair
//! without such a target does not count. `docs/targets.md` describes label hierarchies and unlabeled rows, and compares the
//! ranking with the mean of rankings by single targets.
//!
//! ## Cost
//!
//! Time $n^2 p$ (with `--samples m`: $m n p$): every pair of rows is compared once, in blocks. Memory
//! in addition to the packed table: at most $8 (4k + 64)$ bytes per row, never $n^2$.
//!
//! ## When not to use it
//!
//! - Classes, even if they are coded as numbers: use [`relieff`](super::relieff)
//!   (`--target-type classes`).
//! - A target with outliers that stretch its range: transform it first, because differences are
//!   divided by the range.
//! - Thousands of features: wrap it in [`turf`](super::turf) or [`vls`](super::vls).
//!
//! ## Example
//!
//! The target is the sum of two features modulo 5, treated as a number.
//!
//! ```sh
//! basrelief synth modulo-p --rows 400 --modulus 5 --output sums.csv
//! basrelief rank sums.csv --target class --method rrelieff --target-type real --top 4
//! ```
//! ```text
//! ```
//!
//! ## In Python
//!
//! `basrelief.RReliefF(n_neighbors=10).fit(X, y).weights_`
//!
//! ## Source
//!
//! M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF.
//! Machine Learning 53, 23-69, 2003. Several targets: M. Petkovic, D. Kocev and S. Dzeroski. Feature ranking for multi-target
//! regression. Machine Learning 109, 1179-1204, 2020.

use super::Problem;
use super::info::{MethodInfo, PythonText, Task, WeighFeatures, WeightScale, weighing};
use super::options::{N_SAMPLES, NEIGHBOR_COUNTS, NEIGHBOR_WEIGHTS};
use super::page::page;
use super::settings::settings;
use super::shared::{NearestSettings, regression_steps, space_options, target_differences};
use super::steps::{Steps, Stepwise};
use crate::data::TargetDistance;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind, choices};
use crate::report::Report;
use crate::run::Run;
use crate::wording::setting;

settings! {
    /// RReliefF (Robnik-Sikonja & Kononenko 2003):
    /// `W[A] = N_dCdA / N_dC - (N_dA - N_dCdA) / (m - N_dC)`, in [-1, 1]. `N_dC`, `N_dA` and
    /// `N_dCdA` are the weighted sums over (row, neighbor) pairs of the target's difference divided
    /// by its range, of the feature's difference, and of their product; m is the number of sampled
    /// rows.
    ///
    /// A ratio with denominator 0 counts as 0. Under the missing policy `ignore`, `N_dC` and `m`
    /// are computed per feature, from the pairs in which it is known.
    ///
    /// # Errors
    /// The fit refuses classes, a constant target or one of several, a single row, and options out of range;
    /// [`crate::Error::Cancelled`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct RReliefF {
        /// Neighbors, samples, ties and space.
        pub nearest: NearestSettings [
            n_neighbors, n_samples, neighbor_weights, metric, ties, missing, ramp, genotype_diff
        ],
        /// How several targets of two rows are compared.
        pub target_distance: TargetDistance = TARGET_DISTANCE,
    }
}

choices! {
    TargetDistance {
        Mean = "mean",
        Hamming = "hamming",
        Jaccard = "jaccard",
        F1 = "f1",
        Cosine = "cosine",
    }
}

/// `target_distance`: how several targets of two rows are compared.
static TARGET_DISTANCE: OptionInfo = OptionInfo {
    name: "target_distance",
    flag: "target-distance",
    kind: OptionKind::Choice(TargetDistance::WORDS),
    default: "mean",
    help: "Compare several targets by their mean difference, by the share that differs, or as sets of labels",
};

impl Stepwise for RReliefF {
    fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let target = problem.target();
        if let Some(several) = target.as_multi() {
            let differences = several.differences_by(self.target_distance)?;
            let steps = regression_steps(problem, &self.nearest, differences, report, run)?;
            return Ok(Steps { variances: None, ..steps });
        }
        target.values(INFO.name)?;
        if self.target_distance != TargetDistance::Mean {
            return Err(Error::option(
                TARGET_DISTANCE.name,
                "there is one target, but distances compare several",
                format!("name several targets, or remove {}", setting(TARGET_DISTANCE.name, None)),
            ));
        }
        let are_quantiles = problem.roles().adjusted().is_some();
        let differences = target_differences(target, are_quantiles)?;
        regression_steps(problem, &self.nearest, differences, report, run)
    }

    fn check_intervals(&self, problem: &Problem<'_>) -> Result<()> {
        self.nearest.check_intervals()?;
        match problem.target().as_multi() {
            None => Ok(()),
            Some(_) => Err(Error::option(
                "intervals",
                format!("intervals are not known for a target that {}", problem.target().phrase()),
                format!("remove {}", setting("intervals", None)),
            )),
        }
    }

    fn has_intervals(&self) -> bool {
        true
    }
}

impl WeighFeatures for RReliefF {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        self.steps(problem, report, run)?.fit(problem, report, run)
    }

    fn stepwise(&self) -> Option<&dyn Stepwise> {
        Some(self)
    }
}

/// `neighbor_weights` with default `rank`, for RReliefF.
static NEIGHBOR_WEIGHTS_BY_RANK: OptionInfo = OptionInfo { default: "rank", ..NEIGHBOR_WEIGHTS };

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "rrelieff",
    class: "RReliefF",
    task: Task::Regression,
    scale: WeightScale::Absolute,
    interactions: true,
    missing: true,
    cost: "n² p",
    range: (-1.0, 1.0),
    purpose: "for a numeric target: features that differ where it differs, among near rows",
    source: "Robnik-Sikonja & Kononenko 2003",
    options: space_options![
        &NEIGHBOR_COUNTS,
        &N_SAMPLES,
        &NEIGHBOR_WEIGHTS_BY_RANK,
        &TARGET_DISTANCE,
    ],
    choose: &[&NEIGHBOR_COUNTS],
    documentation: page!("rrelieff.rs"),
    python: Some(&PYTHON),
    build: weighing::<RReliefF>,
};

/// The documentation of its scikit-learn class.
const PYTHON: PythonText = PythonText {
    summary: "RReliefF: features that differ where a numeric target differs, among near rows.",
    description: &[
        "For every row, the method finds the `n_neighbors` nearest rows. The weight compares the \
         probability that a feature differs between neighbors whose targets differ with the \
         probability that it differs between neighbors with similar targets.",
    ],
    reports: &["neighbor_search_", "plan_"],
    see_also: &[("ReliefF", "For classes.")],
    references: &[
        "M. Robnik-Sikonja and I. Kononenko. Theoretical and empirical analysis of ReliefF and \
         RReliefF. Machine Learning 53, 23-69, 2003.",
    ],
    examples: &[
        ">>> import numpy as np",
        ">>> from basrelief import RReliefF",
        ">>> rng = np.random.default_rng(0)",
        ">>> X = rng.uniform(size=(200, 5))",
        ">>> selector = RReliefF().fit(X, 3 * X[:, 1] + X[:, 4])",
        ">>> selector.ranking_[[1, 4]]",
        "array([1, 2])",
    ],
    ..PythonText::BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Table, Target};
    use crate::methods::testing::{assert_weights, numeric, run};
    use crate::neighbors::NeighborWeights;

    #[test]
    fn rrelieff_on_three_rows() {
        // x = 0, 1, 2 and y = 0, 1, 4 with both other rows as neighbors: N_dC = 2, N_dA = 2,
        // N_dCdA = 1.5, so that W = 1.5/2 - 0.5/1.
        let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0])]).unwrap();
        let target = Target::real(vec![0.0, 1.0, 4.0]).unwrap();
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings {
            n_neighbors: vec![2],
            neighbor_weights: NeighborWeights::Uniform,
            ..NearestSettings::default()
        };
        let fitted = RReliefF { nearest, ..RReliefF::new() }.fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[0.25]);
    }

    #[test]
    fn rrelieff_shares_ties() {
        // With one neighbor the middle row's two are tied: N_dC = N_dA = 1.5, N_dCdA = 0.75.
        let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0])]).unwrap();
        let target = Target::real(vec![0.0, 1.0, 4.0]).unwrap();
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings { n_neighbors: vec![1], ..NearestSettings::default() };
        let fitted = RReliefF { nearest, ..RReliefF::new() }.fit_with(&problem, &run(1)).unwrap();
        assert_weights(fitted.model.weights(), &[0.0]);
    }
}
