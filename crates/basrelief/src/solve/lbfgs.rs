//! Minimizes smooth functions by L-BFGS. Only this file depends on the library that implements it.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error as SolverError, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

use crate::error::{Error, Result};
use crate::run::Run;

/// Number of past steps from which the curvature is estimated.
const MEMORY: usize = 10;

/// A function with its gradient.
pub(crate) trait Objective {
    /// Value and gradient at a point.
    ///
    /// # Errors
    /// An error ends the search, for example [`Error::Cancelled`].
    fn evaluate(&self, point: &[f64]) -> Result<(f64, Vec<f64>)>;

    /// Length of the first trial step, before the curvature is known.
    fn first_step(&self, start: &[f64]) -> f64 {
        0.1 * length(start)
    }

    /// Whether a point and its value are good enough, or far enough away, for the search to stop there.
    fn is_enough(&self, _point: &[f64], _value: f64) -> bool {
        false
    }
}

/// When the search stops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// Maximum number of iterations.
    pub(crate) max_iter: usize,
    /// The search has converged when the value changes by less than this fraction of itself (or of
    /// 1e-300, if that is larger) over an iteration.
    pub(crate) change: f64,
    /// The search has converged when the length of the gradient is below this fraction of that at the start.
    pub(crate) gradient: f64,
    /// Length of the gradient, in its unit, up to which a small change of the value counts as convergence: a single
    /// step may be short although the minimum is far. The unit is the length at the start, or the value divided by
    /// the length of the point if that is larger. `f64::INFINITY` ignores the gradient.
    pub(crate) steepness: f64,
}

impl Stop {
    /// Stops at a change of the value below `change` if the gradient is as small as this change suggests: near its
    /// minimum the value is a parabola, which changes by the square of the slope.
    pub(crate) fn on_level_ground(max_iter: usize, change: f64) -> Self {
        Self { max_iter, change, gradient: 0.0, steepness: change.sqrt() }
    }
}

/// The result of the search: the point with the smallest value evaluated.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
    /// Length of the gradient there.
    slope: f64,
    pub(crate) iterations: usize,
    pub(crate) evaluations: usize,
    pub(crate) converged: bool,
    /// Whether [`Objective::is_enough`] stopped the search.
    pub(crate) enough: bool,
}

/// Finds a local minimum near `start`. Its value never exceeds that of `start`.
///
/// # Errors
/// The errors of the objective; [`Error::Cancelled`].
pub(crate) fn minimize(
    objective: &dyn Objective,
    start: Vec<f64>,
    stop: Stop,
    run: &Run,
) -> Result<Minimum> {
    let (value, gradient) = objective.evaluate(&start)?;
    let slope = length(&gradient);
    let enough = objective.is_enough(&start, value);
    let mut best = Minimum {
        point: start,
        value,
        slope,
        iterations: 0,
        evaluations: 1,
        converged: true,
        enough,
    };
    if slope == 0.0 || enough {
        // This check counts as one iteration.
        best.iterations = 1;
        return Ok(best);
    }
    if !(value.is_finite() && slope.is_finite()) {
        return Err(Error::data("the objective overflows", "rescale the columns"));
    }
    best.converged = false;
    // The first step of the library is as long as the gradient.
    let reach = objective.first_step(&best.point);
    let scale = if reach > 0.0 { reach / slope } else { 1.0 / slope };
    let seen = RefCell::new(Seen {
        last: Some((best.point.clone(), value, gradient)),
        best,
        failed: None,
    });
    // The solver stops at an absolute change of the value. The value shrinks, so the solver is
    // restarted with a smaller limit until the relative change is small enough.
    let mut left = stop.max_iter;
    loop {
        let (before, start, evaluated) = {
            let seen = seen.borrow();
            (seen.best.value, seen.best.point.clone(), seen.best.evaluations)
        };
        // Parameters of the original L-BFGS-B: a more exact line search is not worth an evaluation.
        let search = MoreThuenteLineSearch::new()
            .with_c(1e-3, 0.9)
            .and_then(|search| search.with_width_tolerance(0.1))
            .map_err(|cause| Error::Internal(cause.to_string()))?;
        let solver = LBFGS::new(search, MEMORY)
            .with_tolerance_grad(stop.gradient * slope * scale)
            .and_then(|solver| {
                solver.with_tolerance_cost(stop.change * before.abs().max(1e-300) * scale)
            })
            .map_err(|cause| Error::Internal(cause.to_string()))?;
        let problem = Scaled { objective, scale, seen: &seen, run };
        let ended = Executor::new(problem, solver)
            .configure(|state| state.param(start).max_iters(left as u64))
            .ctrlc(false)
            .run();
        if let Some(error) = seen.borrow_mut().failed.take() {
            return Err(error);
        }
        // If the objective stopped the search, its iterations are unknown, but at most its evaluations.
        let evaluated = seen.borrow().best.evaluations - evaluated;
        let done = ended.as_ref().map_or(evaluated, |ended| ended.state.get_iter() as usize).max(1);
        // The gain of the last iteration; infinite if the solver failed, so that the total gain counts.
        let last = ended.as_ref().map_or(f64::INFINITY, |ended| {
            (ended.state.prev_cost - ended.state.cost).abs() / scale
        });
        let mut seen = seen.borrow_mut();
        seen.best.iterations += done;
        left = left.saturating_sub(done);
        let gain = before - seen.best.value;
        let small = stop.change * seen.best.value.abs().max(1e-300);
        let unit = slope.max(seen.best.value.abs() / length(&seen.best.point).max(1e-300));
        let is_level = seen.best.slope <= stop.steepness * unit;
        seen.best.converged = seen.best.enough || (gain.min(last) <= small && is_level);
        // If a separate search gains nothing, another one would not either.
        if seen.best.converged || gain <= small || left == 0 {
            return Ok(seen.best.clone());
        }
    }
}

/// The evaluations so far: the last one, the best one, and an error of the objective.
struct Seen {
    last: Option<(Vec<f64>, f64, Vec<f64>)>,
    best: Minimum,
    failed: Option<Error>,
}

/// The objective, scaled so that the first step has the right length.
struct Scaled<'o> {
    objective: &'o dyn Objective,
    scale: f64,
    seen: &'o RefCell<Seen>,
    run: &'o Run,
}

impl Scaled<'_> {
    /// Evaluates each point once: the solver requests its value and its gradient in separate calls.
    fn at<T>(
        &self,
        point: &[f64],
        take: impl FnOnce(f64, &[f64]) -> T,
    ) -> std::result::Result<T, SolverError> {
        let mut seen = self.seen.borrow_mut();
        if seen.last.as_ref().is_none_or(|(last, ..)| last != point) {
            let found = self.run.check().and_then(|()| self.objective.evaluate(point));
            let (value, gradient) = found.map_err(|error| {
                let stopped = SolverError::msg(error.to_string());
                seen.failed = Some(error);
                stopped
            })?;
            seen.best.evaluations += 1;
            if value < seen.best.value {
                (seen.best.value, seen.best.point) = (value, point.to_vec());
                seen.best.slope = length(&gradient);
                seen.best.enough = self.objective.is_enough(point, value);
            }
            seen.last = Some((point.to_vec(), value, gradient));
        }
        match &seen.last {
            _ if seen.best.enough => Err(SolverError::msg("the objective stopped the search")),
            Some((_, value, gradient)) => Ok(take(*value, gradient)),
            None => Err(SolverError::msg("nothing was evaluated")),
        }
    }
}

impl CostFunction for Scaled<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, point: &Vec<f64>) -> std::result::Result<f64, SolverError> {
        self.at(point, |value, _| value * self.scale)
    }
}

impl Gradient for Scaled<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, point: &Vec<f64>) -> std::result::Result<Vec<f64>, SolverError> {
        self.at(point, |_, gradient| gradient.iter().map(|slope| slope * self.scale).collect())
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Rosenbrock function in many dimensions, times a unit.
    struct Valley(f64);

    impl Objective for Valley {
        fn evaluate(&self, x: &[f64]) -> Result<(f64, Vec<f64>)> {
            let mut value = 0.0;
            let mut gradient = vec![0.0; x.len()];
            for i in 0..x.len() - 1 {
                let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
                value += self.0 * (a * a + 100.0 * b * b);
                gradient[i] += self.0 * (-2.0 * a - 400.0 * x[i] * b);
                gradient[i + 1] += self.0 * 200.0 * b;
            }
            Ok((value, gradient))
        }
    }

    #[test]
    fn it_finds_the_minimum_in_any_unit() {
        let run = Run::new(Some(1)).unwrap();
        let stop = Stop { gradient: 1e-12, ..Stop::on_level_ground(2000, 1e-14) };
        for unit in [1e-100, 1.0, 1e100] {
            let found = minimize(&Valley(unit), vec![-1.0; 20], stop, &run).unwrap();
            assert!(found.converged && found.iterations < 400, "{found:?}");
            assert!(found.point.iter().all(|x| (x - 1.0).abs() < 1e-5), "{:?}", found.point);
        }
        let short = minimize(&Valley(1.0), vec![-1.0; 20], Stop { max_iter: 3, ..stop }, &run);
        let short = short.unwrap();
        assert!(!short.converged && short.value < Valley(1.0).evaluate(&[-1.0; 20]).unwrap().0);
    }

    #[test]
    fn it_stops_when_asked() {
        let flag = crate::run::CancelFlag::new();
        let run = Run::new(Some(1)).unwrap().with_cancel(flag.clone());
        flag.cancel();
        let stop = Stop::on_level_ground(100, 1e-12);
        let ended = minimize(&Valley(1.0), vec![-1.0; 20], stop, &run);
        assert!(matches!(ended, Err(Error::Cancelled)));
    }
}
