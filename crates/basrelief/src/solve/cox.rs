//! The proportional hazards model of Cox, by Newton's method.

use crate::algebra::{dot, solve_positive_definite};
use crate::data::{DenseMatrix, Survival};
use crate::error::Result;
use crate::order::descending;
use crate::run::Run;

/// Maximum number of Newton steps, and of halvings of one.
const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 40;

/// The fit ends with a step that would raise the log-likelihood by at most this fraction of it.
const SETTLED: f64 = 1e-16;

/// The log-likelihood may fall by this fraction in a step, because sums are rounded.
const ROUNDING: f64 = 1e-13;

/// If the logarithms of the hazards of two rows differ by more than this, the columns order the events completely: the
/// coefficients grow without bound.
const MOST_DIFFERENCE: f64 = 50.0;

/// A fitted model.
#[derive(Debug)]
pub(super) struct Cox {
    /// The coefficients of the columns.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare them with published ones"))]
    pub(super) coefficients: Vec<f64>,
    /// Per row, the expected quantile of its time in the distribution that the model gives rows with its columns.
    pub(super) quantiles: Vec<f64>,
}

/// Rows with the same time: of those with an event, and all.
struct Tied<'o> {
    events: Vec<usize>,
    all: &'o [usize],
}

/// Fits the hazard `h(t) exp(x b)` to the columns of a design matrix but the first, which is constant. The
/// partial likelihood of events at the same time is Efron's approximation. With the cumulative baseline hazard `H`, whose
/// steps have the denominators of this likelihood, a row has the survival `S = exp(-H exp(x b))`, and its quantile is
/// `1 - (S(t-) + S(t)) / 2` for an event and `1 - S(t) / 2` for a censored row, as without columns
/// ([`Survival::quantiles`]).
///
/// Returns `None` if the columns order the events completely.
///
/// Source: B. Efron. The efficiency of Cox's likelihood function for censored data. Journal of the American Statistical
/// Association 72, 557-565, 1977.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn cox(survival: &Survival, design: &DenseMatrix, run: &Run) -> Result<Option<Cox>> {
    let (times, events) = (survival.times(), survival.events());
    let width = design.columns() - 1;
    let order = descending(times);
    // The latest first, so that the rows at risk are those before.
    let tied: Vec<Tied<'_>> = order
        .chunk_by(|&a, &b| times[a] == times[b])
        .map(|all| Tied { events: all.iter().copied().filter(|&row| events[row]).collect(), all })
        .collect();
    let model = Model { design, width, tied };
    let mut coefficients = vec![0.0; width];
    let mut sums = model.sums(&coefficients);
    for _ in 0..MOST_STEPS {
        run.check()?;
        let lower = |i: usize, j: usize| sums.information[i * width + j];
        let Some(step) = solve_positive_definite(lower, &sums.gradient) else { return Ok(None) };
        if dot(&sums.gradient, &step) <= SETTLED * sums.likelihood.abs() {
            // The last step is exact to rounding errors, as the error of each is about the square of the one before.
            coefficients.iter_mut().zip(&step).for_each(|(value, step)| *value += step);
            break;
        }
        let mut scale = 1.0;
        let accepted = (0..MOST_HALVINGS).find_map(|_| {
            let moved = |(value, step): (&f64, &f64)| value + scale * step;
            let trial: Vec<f64> = coefficients.iter().zip(&step).map(moved).collect();
            scale /= 2.0;
            let found = model.sums(&trial);
            let least = sums.likelihood - ROUNDING * sums.likelihood.abs();
            (found.likelihood >= least).then_some((trial, found))
        });
        let Some(accepted) = accepted else { break };
        (coefficients, sums) = accepted;
        if model.spread(&coefficients) > MOST_DIFFERENCE {
            return Ok(None);
        }
    }
    let quantiles = model.quantiles(&coefficients, events);
    Ok(Some(Cox { coefficients, quantiles }))
}

struct Model<'a> {
    design: &'a DenseMatrix,
    width: usize,
    /// The latest first.
    tied: Vec<Tied<'a>>,
}

/// The partial log-likelihood, its gradient and the negative of its second derivatives.
struct Sums {
    likelihood: f64,
    gradient: Vec<f64>,
    information: Vec<f64>,
}

impl Model<'_> {
    fn columns(&self, row: usize) -> &[f64] {
        &self.design.row(row)[1..]
    }

    fn score(&self, row: usize, coefficients: &[f64]) -> f64 {
        dot(self.columns(row), coefficients)
    }

    /// The difference of the largest and the smallest logarithm of a hazard.
    fn spread(&self, coefficients: &[f64]) -> f64 {
        let scores = (0..self.design.rows()).map(|row| self.score(row, coefficients));
        let [low, high] = scores.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], score| {
            [low.min(score), high.max(score)]
        });
        high - low
    }

    fn sums(&self, coefficients: &[f64]) -> Sums {
        let width = self.width;
        let (mut likelihood, mut gradient) = (0.0, vec![0.0; width]);
        let mut information = vec![0.0; width * width];
        let mut at_risk = Moments::new(width);
        let mut of_events = Moments::new(width);
        for tied in &self.tied {
            for &row in tied.all {
                at_risk.add(self.columns(row), self.score(row, coefficients).exp());
            }
            of_events.clear();
            for &row in &tied.events {
                let score = self.score(row, coefficients);
                of_events.add(self.columns(row), score.exp());
                likelihood += score;
                gradient.iter_mut().zip(self.columns(row)).for_each(|(sum, value)| *sum += value);
            }
            for number in 0..tied.events.len() {
                // The first events at a time are not at risk for the others at this time.
                let gone = number as f64 / tied.events.len() as f64;
                let total = at_risk.total - gone * of_events.total;
                let mean = |i: usize| (at_risk.sums[i] - gone * of_events.sums[i]) / total;
                likelihood -= total.ln();
                for i in 0..width {
                    gradient[i] -= mean(i);
                    for j in 0..=i {
                        let product = at_risk.products[i * width + j]
                            - gone * of_events.products[i * width + j];
                        information[i * width + j] += product / total - mean(i) * mean(j);
                    }
                }
            }
        }
        Sums { likelihood, gradient, information }
    }

    fn quantiles(&self, coefficients: &[f64], events: &[bool]) -> Vec<f64> {
        let hazard = |row: usize| self.score(row, coefficients).exp();
        let mut steps = Vec::with_capacity(self.tied.len());
        let mut at_risk = 0.0;
        for tied in &self.tied {
            at_risk += tied.all.iter().map(|&row| hazard(row)).sum::<f64>();
            let of_events: f64 = tied.events.iter().map(|&row| hazard(row)).sum();
            let share = |number: usize| number as f64 / tied.events.len() as f64;
            let step = (0..tied.events.len()).map(|one| 1.0 / (at_risk - share(one) * of_events));
            steps.push(step.sum::<f64>());
        }
        let mut quantiles = vec![0.0; self.design.rows()];
        let mut before = 0.0;
        for (tied, step) in self.tied.iter().zip(steps).rev() {
            let until = before + step;
            for &row in tied.all {
                let survival = |cumulative: f64| (-cumulative * hazard(row)).exp();
                let around = [survival(before), survival(until)];
                quantiles[row] = Survival::expected_quantile(events[row], around);
            }
            before = until;
        }
        quantiles
    }
}

/// Sums over rows of their hazards, of these times the columns, and times the products of two columns.
struct Moments {
    total: f64,
    sums: Vec<f64>,
    products: Vec<f64>,
}

impl Moments {
    fn new(width: usize) -> Self {
        Self { total: 0.0, sums: vec![0.0; width], products: vec![0.0; width * width] }
    }

    fn clear(&mut self) {
        self.total = 0.0;
        self.sums.fill(0.0);
        self.products.fill(0.0);
    }

    fn add(&mut self, columns: &[f64], hazard: f64) {
        self.total += hazard;
        for (i, value) in columns.iter().enumerate() {
            self.sums[i] += hazard * value;
            for (j, other) in columns[..=i].iter().enumerate() {
                self.products[i * columns.len() + j] += hazard * value * other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(times: &[f64], events: &[u8], columns: &[&[f64]]) -> Option<Cox> {
        let events = events.iter().map(|&event| event == 1).collect();
        let survival = Survival::new(times.to_vec(), events).unwrap();
        let mut design = DenseMatrix::zeros(times.len(), 1 + columns.len());
        for row in 0..times.len() {
            design.row_mut(row)[0] = 1.0;
            for (cell, column) in design.row_mut(row)[1..].iter_mut().zip(columns) {
                *cell = column[row];
            }
        }
        cox(&survival, &design, &Run::new(Some(1)).unwrap()).unwrap()
    }

    /// Events at 1 (x = 1), 2 (x = 0) and a censored row at 3 (x = 1): the derivative of the partial likelihood is
    /// `1 - 2 h / (2 h + 1) - h / (h + 1)`, which is 0 for `2 h^2 = 1`.
    #[test]
    fn three_rows_by_hand() {
        let found = fit(&[1.0, 2.0, 3.0], &[1, 1, 0], &[&[1.0, 0.0, 1.0]]).unwrap();
        let h = 0.5_f64.sqrt();
        assert!((found.coefficients[0] - h.ln()).abs() < 1e-12, "{:?}", found.coefficients);
        let steps = [1.0 / (2.0 * h + 1.0), 1.0 / (1.0 + h)];
        let expected = [
            1.0 - (1.0 + (-steps[0] * h).exp()) / 2.0,
            1.0 - ((-steps[0]).exp() + (-steps[0] - steps[1]).exp()) / 2.0,
            1.0 - (-(steps[0] + steps[1]) * h).exp() / 2.0,
        ];
        for (found, expected) in found.quantiles.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    /// Two events at one time: the second has a denominator without half of both. The log-likelihood of the
    /// first two rows (x = 1, 0) and a later row (x = 0) is `b - log(h + 2) - log(h / 2 + 3 / 2)`, largest at `h^2 = 6`.
    #[test]
    fn tied_events_by_hand() {
        let found = fit(&[1.0, 1.0, 2.0], &[1, 1, 0], &[&[1.0, 0.0, 0.0]]).unwrap();
        assert!((found.coefficients[0] - 6.0_f64.ln() / 2.0).abs() < 1e-12);
    }

    #[test]
    fn columns_that_order_the_events_are_refused() {
        assert!(fit(&[1.0, 2.0, 3.0], &[1, 1, 1], &[&[3.0, 2.0, 1.0]]).is_none());
    }
}
