//! Logistic regression of two classes on the cells of a table and on covariates, by Newton's method.
//!
//! Rows of one cell share a constant, so that the sums over rows are sums by cell: every model of the cells is fitted
//! to the same sums.

use crate::algebra::{dot, solve_positive_definite, sum};
use crate::error::Result;
use crate::run::Run;

/// Maximum number of Newton steps.
const MOST_STEPS: usize = 100;

/// Maximum number of times that a step is halved.
const MOST_HALVINGS: usize = 40;

/// The fit stops if another step would raise the log-likelihood by at most this much.
const SETTLED: f64 = 1e-10;

/// The log-likelihood may fall by this fraction in a step, because sums are rounded.
const ROUNDING: f64 = 1e-12;

/// Products of numbers from 1 to 2 are kept below twice this number.
const MOST_PRODUCT: f64 = 1e300;

/// The diagonal of the information matrix is raised by this fraction, so that it has an inverse if columns depend on
/// each other. This affects the steps and not the maximum of the likelihood.
const RIDGE: f64 = 1e-10;

/// If the fitted probabilities of all rows are closer to 0 or 1 than this, the classes are completely separated.
pub(super) const CERTAIN: f64 = 1e-6;

/// Rows of a logistic regression, sorted by cell. An observation represents all rows of one cell that have the same
/// covariates.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    /// The first observation of every cell, and the end of the last cell.
    starts: Vec<usize>,
    /// Per observation, a row that it represents.
    examples: Vec<u32>,
    /// Per observation, the number of its rows, and of its rows of the second class.
    counts: Vec<f64>,
    ones: Vec<f64>,
    /// The covariates of the observations, column by column.
    covariates: Vec<f64>,
}

impl Observations {
    /// Removes all observations.
    fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.examples.clear();
        self.counts.clear();
        self.ones.clear();
    }

    /// Adds an observation to the current cell: a row that it represents, the number of its rows, and of those of the
    /// second class. Weights of rows need not be whole numbers.
    pub(crate) fn push(&mut self, example: u32, count: f64, ones: f64) {
        self.examples.push(example);
        self.counts.push(count);
        self.ones.push(ones);
    }

    /// Ends the current cell.
    pub(crate) fn end_cell(&mut self) {
        self.starts.push(self.examples.len());
    }

    /// Reads the covariates of all observations from columns with a value per row.
    pub(crate) fn read_covariates(&mut self, columns: &[Vec<f64>]) {
        self.covariates.clear();
        for column in columns {
            self.covariates.extend(self.examples.iter().map(|&row| column[row as usize]));
        }
    }
}

/// The constants of cells as sums of parameters.
#[derive(Debug, Default)]
pub(crate) struct CellModel {
    /// The number of parameters.
    pub(crate) parameters: usize,
    /// Per cell, the one or two parameters whose sum is its constant. A cell with `None` is not in the model.
    pub(crate) of_cells: Vec<Option<(usize, Option<usize>)>>,
}

/// The coefficients of a fit.
#[derive(Debug, Clone)]
pub(crate) struct Coefficients {
    /// The constant of every cell.
    pub(crate) cells: Vec<f64>,
    /// The coefficients of the covariates.
    pub(crate) covariates: Vec<f64>,
}

/// Fits models of the same observations.
#[derive(Debug, Default)]
pub(crate) struct CellLogistic {
    observations: Observations,
    /// Of the observations of one cell: the log-odds, the weights, the residuals, and a weighted covariate.
    scores: Vec<f64>,
    weights: Vec<f64>,
    residuals: Vec<f64>,
    weighted: Vec<f64>,
    /// Per cell: the negative log-likelihood, the sums of residuals and of weights, those with every covariate, and the
    /// weighted products of all pairs of covariates.
    sums: Vec<f64>,
    /// Whether the sums are those of the coefficients that the last fit returned.
    are_current: bool,
}

/// The number of sums of a cell.
fn stride(width: usize) -> usize {
    3 + 2 * width + width * (width + 1) / 2
}

impl CellLogistic {
    /// The observations, to be replaced by others.
    pub(crate) fn new_observations(&mut self) -> &mut Observations {
        self.are_current = false;
        self.observations.clear();
        &mut self.observations
    }

    /// Maximizes the likelihood from initial coefficients, which become the fitted ones, and returns the
    /// log-likelihood. If classes are separated, coefficients grow without bound and the log-likelihood converges: it is
    /// returned when another step would raise it by at most 1e-10.
    ///
    /// A second model of the same observations starts from the coefficients of the first, whose sums it uses; its cells are
    /// among those of the first.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn fit(
        &mut self,
        model: &CellModel,
        coefficients: &mut Coefficients,
        run: &Run,
    ) -> Result<f64> {
        let width = coefficients.covariates.len();
        let is_active = |(cell, own): (usize, &Option<_>)| own.is_some().then_some(cell);
        let mut loss = match self.are_current {
            true => {
                let active = model.of_cells.iter().enumerate().filter_map(is_active);
                active.map(|cell| self.sums[cell * stride(width)]).sum()
            }
            false => self.evaluate(model, coefficients),
        };
        self.are_current = true;
        for _ in 0..MOST_STEPS {
            run.check()?;
            let Some((step, gain)) = self.newton_step(model, width) else { break };
            if gain <= SETTLED {
                return Ok((gain - loss).min(0.0));
            }
            let mut scale = 1.0;
            let accepted = (0..MOST_HALVINGS).find_map(|_| {
                let trial = moved(coefficients, model, &step, scale);
                scale /= 2.0;
                let found = self.evaluate(model, &trial);
                (found <= loss * (1.0 + ROUNDING)).then_some((trial, found))
            });
            let Some((trial, found)) = accepted else {
                self.are_current = false;
                break;
            };
            (*coefficients, loss) = (trial, found);
        }
        Ok(-loss)
    }

    /// The negative log-likelihood; the sums of the cells of the model are computed with it.
    fn evaluate(&mut self, model: &CellModel, coefficients: &Coefficients) -> f64 {
        let Coefficients { cells, covariates } = coefficients;
        let width = covariates.len();
        let Self { observations, scores, weights, residuals, weighted, sums, .. } = self;
        let Observations { starts, counts, ones, covariates: values, .. } = observations;
        let all = counts.len();
        let column = |k: usize| &values[k * all..][..all];
        sums.resize(cells.len() * stride(width), 0.0);
        let mut total = 0.0;
        for (cell, _) in model.of_cells.iter().enumerate().filter(|(_, own)| own.is_some()) {
            let range = starts[cell]..starts[cell + 1];
            let (counts, ones) = (&counts[range.clone()], &ones[range.clone()]);
            scores.clear();
            scores.resize(counts.len(), cells[cell]);
            for (k, &coefficient) in covariates.iter().enumerate() {
                let own = &column(k)[range.clone()];
                scores.iter_mut().zip(own).for_each(|(score, value)| *score += coefficient * value);
            }
            weights.resize(counts.len(), 0.0);
            residuals.resize(counts.len(), 0.0);
            let loss = probabilities(scores, (counts, ones), weights, residuals);
            total += loss;
            let sums = &mut sums[cell * stride(width)..][..stride(width)];
            let (constants, sums) = sums.split_at_mut(3);
            constants.copy_from_slice(&[loss, sum(residuals), sum(weights)]);
            let (with_residuals, sums) = sums.split_at_mut(width);
            let (with_weights, products) = sums.split_at_mut(width);
            let mut place = 0;
            for k in 0..width {
                let own = &column(k)[range.clone()];
                with_residuals[k] = dot(residuals, own);
                weighted.clear();
                weighted.extend(weights.iter().zip(own).map(|(weight, value)| weight * value));
                with_weights[k] = sum(weighted);
                for other in 0..=k {
                    products[place] = dot(weighted, &column(other)[range.clone()]);
                    place += 1;
                }
            }
        }
        total
    }

    /// The Newton step at the coefficients that were evaluated last, and how much it would raise the log-likelihood if
    /// that were quadratic.
    fn newton_step(&self, model: &CellModel, width: usize) -> Option<(Vec<f64>, f64)> {
        let first = model.parameters;
        let size = first + width;
        let mut gradient = vec![0.0; size];
        let mut information = vec![0.0; size * size];
        for (cell, parameters) in model.of_cells.iter().enumerate() {
            let &Some((one, other)) = parameters else { continue };
            let sums = &self.sums[cell * stride(width)..][..stride(width)];
            let (residual, weight) = (sums[1], sums[2]);
            let (with_residuals, rest) = sums[3..].split_at(width);
            let (with_weights, products) = rest.split_at(width);
            for parameter in [Some(one), other].into_iter().flatten() {
                gradient[parameter] += residual;
                information[parameter * size + parameter] += weight;
                for (k, sum) in with_weights.iter().enumerate() {
                    information[(first + k) * size + parameter] += sum;
                }
            }
            if let Some(other) = other {
                information[one.max(other) * size + one.min(other)] += weight;
            }
            let mut products = products.iter();
            for (k, sum) in with_residuals.iter().enumerate() {
                gradient[first + k] += sum;
                let row = &mut information[(first + k) * size + first..][..=k];
                row.iter_mut().zip(&mut products).for_each(|(entry, product)| *entry += product);
            }
        }
        for i in 0..size {
            let entry = &mut information[i * size + i];
            *entry = if *entry > 0.0 { *entry * (1.0 + RIDGE) } else { 1.0 };
        }
        let step = solve_positive_definite(|i, j| information[i * size + j], &gradient)?;
        let gain = dot(&gradient, &step) / 2.0;
        Some((step, gain))
    }
}

/// Coefficients after a part of a step.
fn moved(from: &Coefficients, model: &CellModel, step: &[f64], scale: f64) -> Coefficients {
    let (of_cells, of_covariates) = step.split_at(model.parameters);
    let cell = |(constant, parameters): (&f64, &Option<(usize, Option<usize>)>)| match parameters {
        Some((one, other)) => {
            constant + scale * (of_cells[*one] + other.map_or(0.0, |other| of_cells[other]))
        }
        None => *constant,
    };
    let covariate = |(value, step): (&f64, &f64)| value + scale * step;
    Coefficients {
        cells: from.cells.iter().zip(&model.of_cells).map(cell).collect(),
        covariates: from.covariates.iter().zip(of_covariates).map(covariate).collect(),
    }
}

/// Computes the weights `n p (1 - p)` and the residuals `ones - n p` of observations from their log-odds, and returns
/// their negative log-likelihood.
fn probabilities(
    scores: &[f64],
    (counts, ones): (&[f64], &[f64]),
    weights: &mut [f64],
    residuals: &mut [f64],
) -> f64 {
    let mut loss = 0.0;
    // The product of the terms whose logarithms are added; of many, the logarithm is taken once.
    let mut product = 1.0;
    for i in 0..scores.len() {
        let (score, count) = (scores[i], counts[i]);
        // The exponential does not overflow.
        let small = (-score.abs()).exp();
        let certain = 1.0 / (1.0 + small);
        let p = if score >= 0.0 { certain } else { small * certain };
        weights[i] = count * small * certain * certain;
        residuals[i] = ones[i] - count * p;
        loss += count * score.max(0.0) - ones[i] * score;
        if count == 1.0 {
            product *= 1.0 + small;
            if product > MOST_PRODUCT {
                loss += product.ln();
                product = 1.0;
            }
        } else {
            loss += count * small.ln_1p();
        }
    }
    loss + product.ln()
}

/// `-log P(y)`, where `score` is the log-odds of class 1.
pub(crate) fn loss(score: f64, y: f64) -> f64 {
    let margin = if y == 1.0 { score } else { -score };
    // log(1 + exp(-margin)), computed without overflow of the exponential.
    (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
}

/// Fits the logistic model of a constant and columns with a value per row, where `ones` is 1 for the second class and 0
/// for the first. Returns the constant, as the only cell, and the coefficients; `None` if the columns separate the
/// classes completely. A row with a weight counts as that number of rows.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn logistic(
    columns: &[Vec<f64>],
    ones: &[f64],
    row_weights: Option<&[f64]>,
    run: &Run,
) -> Result<Option<Coefficients>> {
    let mut fit = CellLogistic::default();
    fit.new_observations();
    // The fit stops at a small change of the likelihood, which small weights make smaller. Other weights are numbers of
    // copies, which take the same steps.
    let mean = row_weights.map_or(1.0, |weights| sum(weights) / weights.len() as f64);
    let unit = mean.min(1.0);
    for (row, &y) in ones.iter().enumerate() {
        let count = row_weights.map_or(1.0, |weights| weights[row] / unit);
        fit.observations.push(row as u32, count, count * y);
    }
    fit.observations.end_cell();
    fit.observations.read_covariates(columns);
    let model = CellModel { parameters: 1, of_cells: vec![Some((0, None))] };
    let mut found = Coefficients { cells: vec![0.0], covariates: vec![0.0; columns.len()] };
    fit.fit(&model, &mut found, run)?;
    // The last step is too small for the likelihood, but not for the coefficients.
    if let Some((step, _)) = fit.newton_step(&model, columns.len()).filter(|_| fit.are_current) {
        found = moved(&found, &model, &step, 1.0);
    }
    let scores = scores(&found, columns, ones.len());
    let separated = scores.iter().zip(ones).all(|(&score, &y)| loss(score, y) < CERTAIN);
    Ok((!separated).then_some(found))
}

/// The log-odds of rows, from a constant and the coefficients of columns.
fn scores(found: &Coefficients, columns: &[Vec<f64>], rows: usize) -> Vec<f64> {
    let mut scores = vec![found.cells[0]; rows];
    for (coefficient, column) in found.covariates.iter().zip(columns) {
        scores.iter_mut().zip(column).for_each(|(score, value)| *score += coefficient * value);
    }
    scores
}
