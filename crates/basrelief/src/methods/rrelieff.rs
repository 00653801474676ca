//! RReliefF, for a real target.

use super::options::{N_NEIGHBORS, N_SAMPLES, NEIGHBOR_WEIGHTS_BY_RANK};
use super::shared::{NearestSettings, regression_range, regression_ratio, space_options};
use super::{MethodInfo, Problem, Task};
use crate::error::Result;
use crate::maps::FeatureWeights;
use crate::margins::margin_sums;
use crate::neighbors::{Grouping, NeighborWeights, Space};
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;

/// RReliefF (Robnik-Sikonja & Kononenko 2003): with `N_dC`, `N_dA` and `N_dCdA` the weighted sums
/// over (row, neighbour) of the target's difference over its range, of the feature's difference,
/// and of their product, and m the sampled rows,
/// `W[A] = N_dCdA / N_dC - (N_dA - N_dCdA) / (m - N_dC)`, in [-1, 1].
///
/// A ratio whose denominator is 0 counts 0. Under the missing policy `ignore` every feature has
/// its own `N_dC` and `m`, of the pairs that know it.
#[derive(Debug, Clone, PartialEq)]
pub struct RReliefF {
    /// Neighbours, samples, ties and space.
    pub nearest: NearestSettings,
}

impl Default for RReliefF {
    fn default() -> Self {
        let neighbor_weights = NeighborWeights::Rank { sigma: NeighborWeights::DEFAULT_SIGMA };
        Self { nearest: NearestSettings { neighbor_weights, ..NearestSettings::default() } }
    }
}

impl RReliefF {
    /// Fits the weights.
    ///
    /// # Errors
    /// A target of classes or with one value only, a single row, options out of range;
    /// [`crate::Error::Cancelled`].
    pub fn fit(&self, problem: &Problem<'_>, run: &Run) -> Result<Fitted<FeatureWeights>> {
        INFO.timed(problem, run, |report| self.weights(problem, report, run))
    }

    fn weights(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let target = problem.target().values(INFO.name)?;
        let range = regression_range(target)?;
        let sampled = self.nearest.sample(problem.rows(), run, report)?;
        let k = self.nearest.n_neighbors;
        if k > problem.rows() - 1 {
            report.warnings.push(Warning::new(
                "few-neighbours",
                format!(
                    "{k} neighbours were asked for, but a row has {} others, all of which were \
                     used",
                    problem.rows() - 1
                ),
            ));
        }
        let space = Space::new(problem.table(), None, self.nearest.space, run)?;
        let found = self.nearest.find(&space, &sampled, Grouping::All, report, run)?;
        let weigh = |row: u32, _: usize, neighbor: u32, weight: f64| {
            let difference = (target[row as usize] - target[neighbor as usize]).abs() / range;
            [weight, weight * difference]
        };
        let sums = margin_sums(&space, &found, weigh, run)?;
        Ok((0..space.width()).map(|feature| regression_ratio(&sums, 0, feature)).collect())
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "rrelieff",
    task: Task::Regression,
    interactions: true,
    missing: true,
    cost: "n² p",
    purpose: "for a real target: features that differ where it differs, among near rows",
    source: "Robnik-Sikonja & Kononenko 2003",
    options: space_options![&N_NEIGHBORS, &N_SAMPLES, &NEIGHBOR_WEIGHTS_BY_RANK],
    choose: &[&N_NEIGHBORS],
    weigh: |problem, settings, report, run| {
        let nearest = NearestSettings::from_settings(settings, RReliefF::default().nearest)?;
        RReliefF { nearest }.weights(problem, report, run)
    },
};
