//! The margin form of Relief.

use super::options::{N_SAMPLES, ONE_NEIGHBOR};
use super::shared::{Misses, NearestSettings, hit_miss_weights, space_options};
use super::{MethodInfo, Problem, Task};
use crate::error::Result;
use crate::maps::FeatureWeights;
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;

/// Relief as the maximiser of the mean margin (Sun & Wu 2008, sec. 2; Wang et al. 2011, sec.
/// 3.2): `z` is the statistic of RELIEF-E (k neighbours averaged), `w = z+ / ||z+||` its positive
/// part of unit Euclidean norm. Weights are in [0, 1]; no positive entry gives zeros and a
/// warning.
#[derive(Debug, Clone, PartialEq)]
pub struct ReliefMargin {
    /// Neighbours, samples, ties and space.
    pub nearest: NearestSettings,
}

impl Default for ReliefMargin {
    fn default() -> Self {
        Self { nearest: NearestSettings { n_neighbors: 1, ..NearestSettings::default() } }
    }
}

impl ReliefMargin {
    /// Fits the weights.
    ///
    /// # Errors
    /// A real target, one class, options out of range; [`crate::Error::Cancelled`].
    pub fn fit(&self, problem: &Problem<'_>, run: &Run) -> Result<Fitted<FeatureWeights>> {
        INFO.timed(problem, run, |report| self.weights(problem, report, run))
    }

    pub(super) fn weights(
        &self,
        problem: &Problem<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let misses = Misses::OfAnyOtherClass;
        let margins = hit_miss_weights(problem, &self.nearest, INFO.name, misses, report, run)?;
        Ok(positive_part_of_unit_norm(margins, report))
    }
}

/// `z+ / ||z+||`; zeros and a warning when no entry is positive.
pub(crate) fn positive_part_of_unit_norm(mut margins: Vec<f64>, report: &mut Report) -> Vec<f64> {
    // Dividing by the largest entry first keeps the squares of tiny margins from vanishing.
    let largest = margins.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        report.warnings.push(Warning::new(
            "no-positive-margin",
            "no feature has a positive margin: every weight is 0",
        ));
        margins.fill(0.0);
        return margins;
    }
    margins.iter_mut().for_each(|margin| *margin = margin.max(0.0) / largest);
    let norm = margins.iter().map(|margin| margin * margin).sum::<f64>().sqrt();
    margins.iter_mut().for_each(|margin| *margin /= norm);
    margins
}

/// Registry entry.
pub(crate) static INFO: MethodInfo = MethodInfo {
    name: "relief-margin",
    task: Task::Classes,
    interactions: true,
    missing: true,
    cost: "n² p",
    purpose: "Relief as a weighted metric: the positive margins, scaled to unit length",
    source: "Sun & Wu 2008, section 2",
    options: space_options![&ONE_NEIGHBOR, &N_SAMPLES],
    choose: &[&ONE_NEIGHBOR],
    weigh: |problem, settings, report, run| {
        let nearest = NearestSettings::from_settings(settings, ReliefMargin::default().nearest)?;
        ReliefMargin { nearest }.weights(problem, report, run)
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positive_part_has_unit_norm() {
        let mut report = Report::default();
        let weights = positive_part_of_unit_norm(vec![3e-200, -1.0, 4e-200, 0.0], &mut report);
        assert!((weights[0] - 0.6).abs() < 1e-15 && (weights[2] - 0.8).abs() < 1e-15);
        assert_eq!((weights[1], weights[3]), (0.0, 0.0));
        assert!(report.warnings.is_empty());
        assert_eq!(positive_part_of_unit_norm(vec![-1.0, 0.0], &mut report), [0.0, 0.0]);
        assert_eq!(report.warnings.len(), 1);
    }
}
