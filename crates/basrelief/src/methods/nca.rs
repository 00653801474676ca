//! Neighbourhood components analysis.

use super::learn::{Coordinates, Directions, Learn};
use super::options::{INIT, MAX_ITER_NCA, OBJECTIVE, TOL_OBJECTIVE};
use super::registry::LearnerInfo;
use super::shared::{
    above_zero, at_least_one, refuse_lone_rows_only, warn_of_growth, warn_of_lone_rows,
};
use super::start::Start;
use crate::algebra::principal_axes;
use crate::data::DenseMatrix;
use crate::error::Result;
use crate::objectives::soft_neighbors::{Factors, HitProbability, NEGLIGIBLE, SoftRows};
use crate::report::Report;
use crate::run::Run;
use crate::solve::lbfgs::{Objective, Stop, minimise};
use crate::warning::Warning;

/// Neighbourhood components analysis (Goldberger, Roweis, Hinton & Salakhutdinov 2005): the map
/// under which a neighbour drawn at random, near rows more probably, is most often of the row's own
/// class.
///
/// Row i draws row j with probability `p_ij`, proportional to `exp(-||L (x_i - x_j)||^2)`;
/// `p_i` is the sum of `p_ij` over the rows of its class. `sum p_i`, or `sum log p_i`, is maximised
/// by L-BFGS; the report's `objective` is that sum. The maximum found depends on the start: there
/// may be others.
///
/// The map comes in its principal axes, the longest first, and the eigenvalues are those of its
/// metric `L'L`. A row that is alone in its class has `p_i = 0` whatever the map; it counts as a
/// neighbour of others only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nca {
    /// What is maximised.
    pub objective: NcaObjective,
    /// Where the search begins.
    pub init: Start,
    /// Iterations at most.
    pub max_iter: usize,
    /// Share of the objective by which an iteration must at least change it.
    pub tol: f64,
}

/// What NCA maximises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NcaObjective {
    /// `sum p_i`: the expected number of rows that draw a row of their class.
    #[default]
    Sum,
    /// `sum log p_i`: the log likelihood; a row among others' rows counts much.
    Log,
}

impl Default for Nca {
    fn default() -> Self {
        Self { objective: NcaObjective::Sum, init: Start::Auto, max_iter: 50, tol: 1e-6 }
    }
}

impl Learn for Nca {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        at_least_one(&MAX_ITER_NCA, self.max_iter)?;
        above_zero(&TOL_OBJECTIVE, self.tol)?;
        let classes = coordinates.classes()?;
        refuse_lone_rows_only(classes)?;
        warn_of_lone_rows(classes, "is no neighbour's own class and counts nothing", report);
        let values = coordinates.values();
        let start = self.init.matrix(coordinates, components, report, run)?;
        let rows = SoftRows::new(values, classes);
        let problem = Problem { rows: &rows, components, objective: self.objective, run };
        let stop = Stop { max_iter: self.max_iter, change: self.tol, gradient: 0.0 };
        run.progress().start(
            "neighbourhoods",
            rows.len().saturating_mul((self.max_iter as u64).saturating_add(1)),
        );
        let found = minimise(&problem, start.into_values(), stop, run)?;
        run.progress().finish();
        report.iterations = Some(found.iterations);
        report.converged = Some(found.converged);
        report.objective = Some(-found.value);
        // Nothing but the start was looked at.
        if found.evaluations == 1 {
            report.warnings.push(Warning::new(
                "flat",
                "at the start every row draws one class for certain, and no small step changes \
                 that: the start is returned; scale the columns, take fewer components or another \
                 init, or use the objective log",
            ));
        } else if !found.converged {
            warn_of_growth(found.iterations, report);
        }
        let matrix =
            principal_axes(&DenseMatrix::new(found.point, components, values.columns()), run)?;
        let eigenvalues = matrix.iter().map(|row| row.iter().map(|entry| entry * entry).sum());
        Ok(Directions { eigenvalues: eigenvalues.collect(), matrix, discriminant_power: None })
    }
}

/// `-sum p_i` or `-sum log p_i` with its gradient.
struct Problem<'a> {
    rows: &'a SoftRows,
    components: usize,
    objective: NcaObjective,
    run: &'a Run,
}

impl Objective for Problem<'_> {
    fn evaluate(&self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        let matrix =
            DenseMatrix::new(point.to_vec(), self.components, self.rows.values().columns());
        let weigh = |p: HitProbability| {
            let factor = match self.objective {
                NcaObjective::Sum => p.hit * p.miss,
                NcaObjective::Log if p.hit > 0.0 || p.log_hit.is_finite() => p.miss,
                NcaObjective::Log => 0.0,
            };
            let factor = if factor < NEGLIGIBLE { 0.0 } else { factor };
            Factors { hits: factor, misses: -factor }
        };
        let (mut gradient, probabilities) = self.rows.mapped_scatter(&matrix, &weigh, self.run)?;
        gradient.values_mut().iter_mut().for_each(|slope| *slope *= 2.0);
        let value: f64 = match self.objective {
            NcaObjective::Sum => probabilities.iter().map(|p| p.hit).sum(),
            NcaObjective::Log => {
                probabilities.iter().map(|p| p.log_hit).filter(|log| log.is_finite()).sum()
            }
        };
        Ok((-value, gradient.into_values()))
    }

    /// Squared distances have a unit, 1, and so have steps.
    fn first_step(&self, _start: &[f64]) -> f64 {
        1.0
    }
}

/// Registry entry.
pub(crate) static INFO: LearnerInfo = LearnerInfo {
    name: "nca",
    supervised: true,
    cost: "n² c + n p c a round",
    purpose: "the most rows with a random near neighbour of their class: few components, plots",
    source: "Goldberger, Roweis, Hinton & Salakhutdinov 2005",
    options: &[&OBJECTIVE, &INIT, &MAX_ITER_NCA, &TOL_OBJECTIVE],
    choose: &[],
    build: |settings| {
        Ok(Box::new(Nca {
            objective: match settings.text(&OBJECTIVE)? {
                "log" => NcaObjective::Log,
                _ => NcaObjective::Sum,
            },
            init: Start::from_settings(settings)?,
            max_iter: settings.count(&MAX_ITER_NCA)?,
            tol: settings.number(&TOL_OBJECTIVE)?,
        }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0;
        let values = DenseMatrix::new((0..60 * 4).map(value).collect(), 60, 4);
        // The last row is alone in its class.
        let codes: Vec<u32> = (0..60).map(|row| if row == 59 { 2 } else { row % 2 }).collect();
        let classes = Classes::from_codes(&codes, &["a", "b", "c"].map(String::from)).unwrap();
        let rows = SoftRows::new(&values, &classes);
        let run = Run::new(Some(1)).unwrap();
        for objective in [NcaObjective::Sum, NcaObjective::Log] {
            for components in [1, 4] {
                let problem = Problem { rows: &rows, components, objective, run: &run };
                let point: Vec<f64> = (0..components * 4).map(|k| value(k + 3)).collect();
                let (_, gradient) = problem.evaluate(&point).unwrap();
                for (k, slope) in gradient.iter().enumerate() {
                    let at = |step: f64| {
                        let mut moved = point.clone();
                        moved[k] += step;
                        problem.evaluate(&moved).unwrap().0
                    };
                    let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!((slope - expected).abs() < 1e-7, "{objective:?}: {slope} {expected}");
                }
            }
        }
    }
}
