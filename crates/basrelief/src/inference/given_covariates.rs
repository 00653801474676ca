//! Permutations of a target given covariates: the conditional permutation test of Berrett, Wang, Barber & Samworth
//! (2020, Journal of the Royal Statistical Society B 82, 175-197).
//!
//! A covariate that affects both the target and the features makes them dependent, also if no feature affects the target.
//! Permutations in which every order of the target is equally probable do not preserve that dependence. These do: the
//! probability of an order is that of the target given the covariates, by a regression.
//!
//! Two units are drawn and exchange their targets with the odds of both orders, many times (a Markov chain whose
//! distribution is the one wanted, as it is for the observed target). The chain starts at the observed target and
//! continues to a common state, from which every permutation continues for the same number of steps. A chain and its reverse
//! are equally probable, so that the observed target and all permutations are exchangeable, however far a chain goes
//! (Besag & Clifford 1989).
//!
//! The coefficients of the regression are estimated from the observed target, so that its sums of products with the
//! covariates are those that the regression expects, and those of other orders are not. An exchange is therefore
//! rejected if it moves a sum out of its interval on a grid: permutations are those given the sums, too, which determine the
//! estimates.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::exchanges::{Exchange, varies};
use crate::data::{Column, DenseMatrix, Target};
use crate::error::{Error, Result};
use crate::random::{self, RandomStream};
use crate::run::{Run, derived_seed};
use crate::solve::regression::{Design, covariate_columns, least_squares, logistic, products};
use crate::warning::Warning;
use crate::wording::{quoted, thousands};

/// The number of times that every unit is drawn in a chain, on average.
const SWEEPS: usize = 100;

/// The number of units for every parameter of the regression, at least.
const UNITS_PER_PARAMETER: usize = 5;

/// A warning appears if a permutation changes the target in less than this fraction of the units in which a permutation
/// without covariates does.
const LEAST_CHANGED: f64 = 0.1;

/// The width of the intervals of the sums of products, in standard deviations of a sum.
const INTERVAL: f64 = 1.0;

/// The number of a permutation from which no permutation is drawn, for the common state.
const COMMON: u64 = u64::MAX;

/// The dependence of the target on the covariates, among the units of all exchanges in which the covariates vary.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// The units of every exchange; `None` if the covariates do not vary among them, so that all orders are equally
    /// probable.
    units: Vec<Option<Range<usize>>>,
    /// For every unit, the units of its exchange.
    alike: Vec<Range<usize>>,
    odds: Odds,
    /// The covariates of every unit.
    covariates: DenseMatrix,
    /// The width of the interval of every sum of products.
    widths: Vec<f64>,
    common: State,
}

/// A state of the chain.
#[derive(Debug, Clone)]
struct State {
    /// For every unit, the unit whose target it has.
    order: Vec<u32>,
    /// The sums of products of the target with every covariate, for every class or for the numbers.
    sums: Vec<f64>,
}

/// The natural parameters of the targets' distributions, for every unit; the logarithm of the probability that a unit has
/// a target is the product of both, and a constant of the unit.
#[derive(Debug, Clone)]
enum Odds {
    /// The log-odds of every class and the class of the unit.
    Classes { classes: usize, scores: Vec<f64>, codes: Vec<u32> },
    /// The expected value divided by the variance, the variance, and the value of the unit.
    Real { scores: Vec<f64>, variance: f64, values: Vec<f64> },
}

impl Odds {
    /// The number of sums of products with a covariate.
    fn sums(&self) -> usize {
        match self {
            Self::Classes { classes, .. } => *classes,
            Self::Real { .. } => 1,
        }
    }

    /// The logarithm of the probability that a unit has the target of another, up to a constant of the unit.
    fn log_probability(&self, unit: usize, other: u32) -> f64 {
        match self {
            Self::Classes { classes, scores, codes } => {
                scores[unit * classes + codes[other as usize] as usize]
            }
            Self::Real { scores, values, .. } => scores[unit] * values[other as usize],
        }
    }

    /// The sums to which a target contributes, and the factors of its products.
    fn contribution(&self, unit: u32) -> (usize, f64) {
        match self {
            Self::Classes { codes, .. } => (codes[unit as usize] as usize, 1.0),
            Self::Real { values, .. } => (0, values[unit as usize]),
        }
    }

    /// The variance of the contribution of a unit to some sums.
    fn variance(&self, unit: usize, sum: usize) -> f64 {
        match self {
            Self::Classes { classes, scores, .. } => {
                let scores = &scores[unit * classes..][..*classes];
                let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let all: f64 = scores.iter().map(|score| (score - most).exp()).sum();
                let p = (scores[sum] - most).exp() / all;
                p * (1.0 - p)
            }
            Self::Real { variance, .. } => *variance,
        }
    }
}

impl Given {
    /// The dependence for all orders, with the common state.
    fn new(
        units: Vec<Option<Range<usize>>>,
        odds: Odds,
        covariates: DenseMatrix,
        seed: u64,
    ) -> Self {
        let spans = units.iter().flatten();
        let alike = spans.flat_map(|span| vec![span.clone(); span.len()]).collect();
        let order: Vec<u32> = (0..covariates.rows() as u32).collect();
        let mut sums = vec![0.0; odds.sums() * covariates.columns()];
        for &unit in &order {
            let (sum, factor) = odds.contribution(unit);
            let own = sums[sum * covariates.columns()..].iter_mut();
            own.zip(covariates.row(unit as usize)).for_each(|(sum, value)| *sum += factor * value);
        }
        let common = State { order, sums };
        let mut found = Self { units, alike, odds, covariates, widths: Vec::new(), common };
        found.widths = found.widths();
        let mut generator = random::generator(seed, RandomStream::Permutations);
        let mut common = found.common.clone();
        found.continue_chain(&mut common, &mut generator);
        found.common = common;
        found
    }

    /// The widths of the intervals: a fraction of the standard deviations of the sums given the covariates.
    fn widths(&self) -> Vec<f64> {
        let width = self.covariates.columns();
        let of_sum = |place: usize| {
            let (sum, column) = (place / width, place % width);
            let squares = |span: &Range<usize>| {
                let variance = |unit: usize| self.odds.variance(unit, sum);
                let value = |unit: usize| self.covariates.row(unit)[column];
                let all: f64 = span.clone().map(variance).sum();
                let product: f64 = span.clone().map(|unit| variance(unit) * value(unit)).sum();
                let mean = if all > 0.0 { product / all } else { 0.0 };
                span.clone().map(|unit| variance(unit) * (value(unit) - mean).powi(2)).sum::<f64>()
            };
            INTERVAL * self.units.iter().flatten().map(squares).sum::<f64>().sqrt()
        };
        (0..self.odds.sums() * width).map(of_sum).collect()
    }

    /// For every unit, the unit whose target it receives in a permutation.
    pub(super) fn order(&self, generator: &mut ChaCha8Rng) -> Vec<u32> {
        let mut state = self.common.clone();
        self.continue_chain(&mut state, generator);
        state.order
    }

    /// The units of an exchange, if the covariates vary among them.
    pub(super) fn units(&self, exchange: usize) -> Option<Range<usize>> {
        self.units[exchange].clone()
    }

    fn continue_chain(&self, state: &mut State, generator: &mut ChaCha8Rng) {
        let units = state.order.len();
        // Each exchange draws two units.
        for _ in 0..SWEEPS * units / 2 {
            let one = generator.random_range(0..units);
            let other = generator.random_range(self.alike[one].clone());
            let (of_one, of_other) = (state.order[one], state.order[other]);
            let log_odds = self.odds.log_probability(one, of_other)
                + self.odds.log_probability(other, of_one)
                - self.odds.log_probability(one, of_one)
                - self.odds.log_probability(other, of_other);
            let drawn: f64 = generator.random();
            if drawn * (1.0 + (-log_odds).exp()) < 1.0 && self.keeps_sums(state, one, other) {
                state.order.swap(one, other);
            }
        }
    }

    /// Updates the sums for an exchange of the targets of two units, unless one would leave its interval.
    fn keeps_sums(&self, state: &mut State, one: usize, other: usize) -> bool {
        let (sum_of_one, factor_of_one) = self.odds.contribution(state.order[one]);
        let (sum_of_other, factor_of_other) = self.odds.contribution(state.order[other]);
        if (sum_of_one, factor_of_one) == (sum_of_other, factor_of_other) {
            return true;
        }
        let width = self.covariates.columns();
        let (values, other_values) = (self.covariates.row(one), self.covariates.row(other));
        let change = |k: usize| other_values[k] - values[k];
        let moved = |sums: &[f64], sum: usize, factor: f64, k: usize| {
            let place = sum * width + k;
            (place, sums[place] + factor * change(k))
        };
        let changes = |sums: &[f64], k: usize| {
            if sum_of_one == sum_of_other {
                let moved = moved(sums, sum_of_one, factor_of_one - factor_of_other, k);
                [moved, moved]
            } else {
                [
                    moved(sums, sum_of_one, factor_of_one, k),
                    moved(sums, sum_of_other, -factor_of_other, k),
                ]
            }
        };
        let stays = |(place, value): (usize, f64)| {
            let interval = |value: f64| (value / self.widths[place]).round();
            // A sum that does not vary has no interval.
            self.widths[place] == 0.0 || interval(value) == interval(state.sums[place])
        };
        if !(0..width).all(|k| changes(&state.sums, k).into_iter().all(stays)) {
            return false;
        }
        for k in 0..width {
            let changes = changes(&state.sums, k);
            changes.into_iter().for_each(|(place, value)| state.sums[place] = value);
        }
        true
    }
}

/// The dependence of the target on the covariates; `None` where the covariates are constant in every exchange. With warnings.
///
/// The regression is linear for a numeric target, and logistic for classes: the log-odds of every class against the most
/// frequent one (Begg & Gray 1984). It has an intercept for every exchange or, if these are too many, the mean of every
/// covariate in the exchange (the effects within and between groups of Neuhaus & Kalbfleisch 1998). The covariates of a group
/// are the means of those of its rows.
///
/// # Errors
/// Too few units for the regression; covariates that determine the target; [`Error::Cancelled`].
pub(super) fn given_covariates(
    target: &Target,
    exchanges: &[Exchange],
    covariates: &[Column<'_>],
    run: &Run,
) -> Result<(Option<Given>, Vec<Warning>)> {
    let columns: Vec<Vec<f64>> = covariates.iter().flat_map(covariate_columns).collect();
    let mut needed = Vec::new();
    let mut units = Vec::new();
    let mut count = 0;
    for exchange in exchanges {
        let is_needed =
            exchange.varies(target) && columns.iter().any(|column| varies_among(column, exchange));
        units.push(is_needed.then(|| count..count + exchange.len()));
        if is_needed {
            count += exchange.len();
            needed.push(exchange);
        }
    }
    if needed.is_empty() {
        return Ok((None, Vec::new()));
    }
    let (design, first) = design(&needed, &columns, run)?;
    let regression = Regression { needed: &needed, design };
    regression.check_size()?;
    let odds = match (target.regression_values(), target) {
        (Some(values), _) => regression.of_numbers(&values, run)?,
        (None, target) => {
            let classes = target.classes("the model of the classes")?;
            regression.of_classes(classes.codes(), classes.names(), run)?
        }
    };
    let mut own = DenseMatrix::zeros(count, regression.design.columns() - first);
    for unit in 0..count {
        own.row_mut(unit).copy_from_slice(&regression.design.row(unit)[first..]);
    }
    let seed = derived_seed(run.seed(), &[COMMON]);
    let given = Given::new(units, odds, own, seed);
    let first: Vec<u32> = needed.iter().flat_map(|exchange| exchange.first_rows()).collect();
    let differs =
        |(unit, &other): (usize, &u32)| varies(target, &[first[unit], first[other as usize]]);
    let changed = given.common.order.iter().enumerate().filter(|pair| differs(*pair)).count();
    let expected: f64 =
        needed.iter().map(|exchange| expected_changes(target, &exchange.first_rows())).sum();
    let warning = ((changed as f64) < LEAST_CHANGED * expected).then(|| {
        Warning::new(
            "few-arrangements",
            format!(
                "the covariates almost determine the target: a permutation changes it in {} of {} rows or groups, so \
                 that a small p-value is improbable",
                thousands(changed as u64),
                thousands(count as u64)
            ),
        )
    });
    Ok((Some(given), warning.into_iter().collect()))
}

/// Whether a covariate varies among the rows of an exchange.
fn varies_among(column: &[f64], exchange: &Exchange) -> bool {
    let value = |unit: usize| mean(column, exchange.rows(unit));
    (1..exchange.len()).any(|unit| value(unit) != value(0))
}

fn mean(column: &[f64], rows: &[u32]) -> f64 {
    rows.iter().map(|&row| column[row as usize]).sum::<f64>() / rows.len() as f64
}

/// The expected number of units whose target changes if all orders are equally probable.
fn expected_changes(target: &Target, rows: &[u32]) -> f64 {
    let Some(classes) = target.as_classes() else { return rows.len() as f64 };
    let mut counts = vec![0.0; classes.len()];
    rows.iter().for_each(|&row| counts[classes.codes()[row as usize] as usize] += 1.0);
    let all = rows.len() as f64;
    all - counts.iter().map(|count| count * count / all).sum::<f64>()
}

/// The design matrix, with a row per unit of the exchanges, one after the other, and its first column of a covariate.
fn design(
    exchanges: &[&Exchange],
    columns: &[Vec<f64>],
    run: &Run,
) -> Result<(DenseMatrix, usize)> {
    let units: usize = exchanges.iter().map(|exchange| exchange.len()).sum();
    let mut design = Design::new(units);
    let of_units = |column: &[f64], exchange: &Exchange| -> Vec<f64> {
        (0..exchange.len()).map(|unit| mean(column, exchange.rows(unit))).collect()
    };
    // A column that depends on others, such as a covariate that is constant within strata, changes no odds.
    if exchanges.len() <= units / UNITS_PER_PARAMETER {
        let intercept = |own: usize| -> Vec<f64> {
            let is_own = |place: usize| f64::from(u8::from(place == own));
            let each = exchanges.iter().enumerate();
            each.flat_map(|(place, exchange)| vec![is_own(place); exchange.len()]).collect()
        };
        design.add((1..exchanges.len()).map(intercept).collect(), run)?;
    } else {
        for column in columns {
            let means = |exchange: &&Exchange| {
                let own = of_units(column, exchange);
                vec![own.iter().sum::<f64>() / own.len() as f64; own.len()]
            };
            design.add(vec![exchanges.iter().flat_map(means).collect()], run)?;
        }
    }
    let first = design.width();
    for column in columns {
        let each = exchanges.iter().flat_map(|exchange| of_units(column, exchange));
        design.add(vec![each.collect()], run)?;
    }
    Ok((design.matrix(), first))
}

fn too_small(parameters: usize, units: usize) -> Error {
    Error::data(
        format!(
            "the covariates and strata have {parameters} parameters, and {} rows or groups are exchanged: too few for a \
             regression of the target, which permutations given covariates need",
            thousands(units as u64)
        ),
        format!(
            "use fewer covariates or strata: at least {UNITS_PER_PARAMETER} rows or groups per parameter"
        ),
    )
}

/// A regression of the target of units on their covariates.
struct Regression<'r> {
    needed: &'r [&'r Exchange],
    design: DenseMatrix,
}

impl Regression<'_> {
    fn check_size(&self) -> Result<()> {
        let (units, parameters) = (self.design.rows(), self.design.columns());
        if units < UNITS_PER_PARAMETER * parameters {
            return Err(too_small(parameters, units));
        }
        Ok(())
    }

    /// The targets of the units.
    fn of_units<T: Copy>(&self, values: &[T]) -> Vec<T> {
        let first = self.needed.iter().flat_map(|exchange| exchange.first_rows());
        first.map(|row| values[row as usize]).collect()
    }

    fn of_classes(&self, codes: &[u32], names: &[String], run: &Run) -> Result<Odds> {
        let codes = self.of_units(codes);
        let (units, classes) = (codes.len(), names.len());
        let mut counts = vec![0; classes];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let most = (0..classes).max_by_key(|&class| (counts[class], classes - class)).unwrap_or(0);
        // A class that does not occur has no probability.
        let mut scores = vec![f64::NEG_INFINITY; units * classes];
        (0..units).for_each(|unit| scores[unit * classes + most] = 0.0);
        for class in (0..classes).filter(|&class| class != most && counts[class] > 0) {
            let of_both: Vec<usize> = (0..units)
                .filter(|&unit| [class, most].contains(&(codes[unit] as usize)))
                .collect();
            let y: Vec<f64> = of_both
                .iter()
                .map(|&unit| f64::from(u8::from(codes[unit] as usize == class)))
                .collect();
            let design = self.design.select_rows(&of_both);
            let Some(coefficients) = logistic(&design, &y, None, run)? else {
                return Err(determined(&format!(
                    "the covariates separate classes {} and {} completely",
                    quoted(&names[class]),
                    quoted(&names[most])
                )));
            };
            for (unit, score) in products(&self.design, &coefficients).into_iter().enumerate() {
                scores[unit * classes + class] = score;
            }
        }
        Ok(Odds::Classes { classes, scores, codes })
    }

    fn of_numbers(&self, values: &[f64], run: &Run) -> Result<Odds> {
        let mut values = self.of_units(values);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        // Odds depend on differences, which keep their digits if the values are small.
        values.iter_mut().for_each(|value| *value -= mean);
        let Some(fitted) = least_squares(&self.design, &values, None, run)? else {
            return Err(determined("the covariates determine the target completely"));
        };
        let squares: f64 =
            values.iter().zip(&fitted).map(|(value, fitted)| (value - fitted).powi(2)).sum();
        let variance = squares / (values.len() - self.design.columns()) as f64;
        let scores: Vec<f64> = fitted.iter().map(|fitted| fitted / variance).collect();
        Ok(Odds::Real { scores, variance, values })
    }
}

fn determined(problem: &str) -> Error {
    Error::data(
        format!("{problem}: given the covariates, there is nothing to permute"),
        "exclude the covariate that is the target in another form, or merge rare levels of a covariate",
    )
}
