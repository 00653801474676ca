//! ReliefF.

use super::options::{N_NEIGHBORS, N_SAMPLES, NEIGHBOR_WEIGHTS};
use super::shared::{Misses, NearestSettings, hit_miss_weights, space_options};
use super::{MethodInfo, Problem, Task};
use crate::error::Result;
use crate::maps::FeatureWeights;
use crate::report::{Fitted, Report};
use crate::run::Run;

/// ReliefF (Kononenko 1994): the mean difference to a row's k nearest misses of each other class,
/// weighted by the classes' shares, less the mean difference to its k nearest hits.
///
/// `W[A] = mean over sampled rows R of sum_{C != class(R)} P(C)/(1 - P(class(R))) mean_j
/// diff(A, R, M_j(C)) - mean_j diff(A, R, H_j)`, in [-1, 1]. A class with fewer than k other rows
/// gives all it has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReliefF {
    /// Neighbours, samples, ties and space.
    pub nearest: NearestSettings,
}

impl ReliefF {
    /// Fits the weights.
    ///
    /// # Errors
    /// A real target, one class, options out of range; [`crate::Error::Cancelled`].
    pub fn fit(&self, problem: &Problem<'_>, run: &Run) -> Result<Fitted<FeatureWeights>> {
        INFO.timed(problem, run, |report| self.weights(problem, report, run))
    }

    fn weights(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        hit_miss_weights(problem, &self.nearest, INFO.name, Misses::OfEachClass, report, run)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relieff",
    task: Task::Classes,
    interactions: true,
    missing: true,
    cost: "n² p",
    purpose: "the standard choice: features that tell near rows of different classes apart",
    source: "Kononenko 1994",
    options: space_options![&N_NEIGHBORS, &N_SAMPLES, &NEIGHBOR_WEIGHTS],
    choose: &[&N_NEIGHBORS],
    weigh: |problem, settings, report, run| {
        let nearest = NearestSettings::from_settings(settings, NearestSettings::default())?;
        ReliefF { nearest }.weights(problem, report, run)
    },
};
