//! The original Relief.

use super::options::N_SAMPLES;
use super::shared::{Misses, NearestSettings, classes, hit_miss_weights, space_options};
use super::{MethodInfo, Problem, Task};
use crate::error::{Error, Result};
use crate::maps::FeatureWeights;
use crate::report::{Fitted, Report};
use crate::run::Run;

/// Relief (Kira & Rendell 1992) for two classes: the difference to a row's nearest miss less the
/// difference to its nearest hit, averaged over the sampled rows; in [-1, 1].
#[derive(Debug, Clone, PartialEq)]
pub struct Relief {
    /// Samples, ties and space; `n_neighbors` is 1.
    pub nearest: NearestSettings,
}

impl Default for Relief {
    fn default() -> Self {
        Self { nearest: NearestSettings { n_neighbors: 1, ..NearestSettings::default() } }
    }
}

impl Relief {
    /// Fits the weights.
    ///
    /// # Errors
    /// A real target, one class or more than two, options out of range;
    /// [`crate::Error::Cancelled`].
    pub fn fit(&self, problem: &Problem<'_>, run: &Run) -> Result<Fitted<FeatureWeights>> {
        INFO.timed(problem, run, |report| self.weights(problem, report, run))
    }

    fn weights(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let count = classes(problem, INFO.name)?.len();
        if count > 2 {
            return Err(Error::data(
                format!("the target has {count} classes, but relief is for two"),
                "use relieff, or relief-e",
            ));
        }
        hit_miss_weights(problem, &self.nearest, INFO.name, Misses::OfEachClass, report, run)
    }
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relief",
    task: Task::TwoClasses,
    interactions: true,
    missing: true,
    cost: "n² p",
    purpose: "the original: one nearest hit and one nearest miss, two classes",
    source: "Kira & Rendell 1992",
    options: space_options![&N_SAMPLES],
    choose: &[],
    weigh: |problem, settings, report, run| {
        let nearest = NearestSettings::from_settings(settings, Relief::default().nearest)?;
        Relief { nearest }.weights(problem, report, run)
    },
};
