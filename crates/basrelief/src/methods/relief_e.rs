//! RELIEF-E.

use super::options::N_SAMPLES;
use super::shared::{Misses, NearestSettings, hit_miss_weights, space_options};
use super::{MethodInfo, Problem, Task};
use crate::error::Result;
use crate::maps::FeatureWeights;
use crate::report::{Fitted, Report};
use crate::run::Run;

/// RELIEF-E (Kononenko 1994): as Relief, but the nearest miss is the nearest row of any other
/// class, so that there may be more than two classes. In [-1, 1].
#[derive(Debug, Clone, PartialEq)]
pub struct ReliefE {
    /// Samples, ties and space; `n_neighbors` is 1.
    pub nearest: NearestSettings,
}

impl Default for ReliefE {
    fn default() -> Self {
        Self { nearest: NearestSettings { n_neighbors: 1, ..NearestSettings::default() } }
    }
}

impl ReliefE {
    /// Fits the weights.
    ///
    /// # Errors
    /// A real target, one class, options out of range; [`crate::Error::Cancelled`].
    pub fn fit(&self, problem: &Problem<'_>, run: &Run) -> Result<Fitted<FeatureWeights>> {
        INFO.timed(problem, run, |report| self.weights(problem, report, run))
    }

    fn weights(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        hit_miss_weights(problem, &self.nearest, INFO.name, Misses::OfAnyOtherClass, report, run)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relief-e",
    task: Task::Classes,
    interactions: true,
    missing: true,
    cost: "n² p",
    purpose: "Relief for any number of classes: the nearest miss is of any other class",
    source: "Kononenko 1994",
    options: space_options![&N_SAMPLES],
    choose: &[],
    weigh: |problem, settings, report, run| {
        let nearest = NearestSettings::from_settings(settings, ReliefE::default().nearest)?;
        ReliefE { nearest }.weights(problem, report, run)
    },
};
