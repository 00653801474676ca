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

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::exchanges::{Exchange, varies};
use crate::data::{Covariates, DenseMatrix, Target};
use crate::error::{Error, Result};
use crate::random::{self, RandomStream};
use crate::run::{Run, derived_seed};
use crate::solve::regression::{Design, covariate_columns, least_squares, logistic, products};
use crate::warning::Warning;
use crate::wording::{quoted, thousands};

/// The number of times that every unit is drawn in a chain, on average.
const SWEEPS: usize = 50;

/// The number of units for every parameter of the regression, at least.
const UNITS_PER_PARAMETER: usize = 5;

/// A warning appears if a permutation changes the target in less than this fraction of the units in which a permutation
/// without covariates does.
const LEAST_CHANGED: f64 = 0.1;

/// The number of a permutation from which no permutation is drawn, for the common state.
const COMMON: u64 = u64::MAX;

/// The dependence of the target on the covariates among the units of an exchange.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// For every unit, the unit whose target it has in the common state.
    common: Vec<u32>,
    odds: Odds,
}

/// The natural parameters of the targets' distributions, for every unit; the logarithm of the probability that a unit has
/// a target is the product of both, and a constant of the unit.
#[derive(Debug, Clone)]
enum Odds {
    /// The log-odds of every class and the class of the unit.
    Classes { classes: usize, scores: Vec<f64>, codes: Vec<u32> },
    /// The expected value divided by the variance, and the value of the unit.
    Real { scores: Vec<f64>, values: Vec<f64> },
}

impl Odds {
    /// The logarithm of the probability that a unit has the target of another, up to a constant of the unit.
    fn log_probability(&self, unit: usize, other: u32) -> f64 {
        match self {
            Self::Classes { classes, scores, codes } => {
                scores[unit * classes + codes[other as usize] as usize]
            }
            Self::Real { scores, values } => scores[unit] * values[other as usize],
        }
    }
}

impl Given {
    /// For every unit, the unit whose target it receives in a permutation.
    pub(super) fn order(&self, generator: &mut ChaCha8Rng) -> Vec<u32> {
        let mut order = self.common.clone();
        self.odds.continue_chain(&mut order, generator);
        order
    }
}

impl Odds {
    fn continue_chain(&self, order: &mut [u32], generator: &mut ChaCha8Rng) {
        let units = order.len();
        // Each exchange draws two units.
        for _ in 0..SWEEPS * units / 2 {
            let (one, other) = (generator.random_range(0..units), generator.random_range(0..units));
            let (of_one, of_other) = (order[one], order[other]);
            let log_odds = self.log_probability(one, of_other)
                + self.log_probability(other, of_one)
                - self.log_probability(one, of_one)
                - self.log_probability(other, of_other);
            let drawn: f64 = generator.random();
            if drawn * (1.0 + (-log_odds).exp()) < 1.0 {
                order.swap(one, other);
            }
        }
    }
}

/// For every exchange, the dependence of the target on the covariates; `None` where the covariates are constant, so
/// that all orders are equally probable. With warnings.
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
    covariates: &Covariates<'_>,
    run: &Run,
) -> Result<(Vec<Option<Given>>, Vec<Warning>)> {
    let columns: Vec<Vec<f64>> =
        covariates.table().columns().iter().flat_map(covariate_columns).collect();
    let needed: Vec<&Exchange> = exchanges
        .iter()
        .filter(|exchange| {
            exchange.varies(target) && columns.iter().any(|column| varies_among(column, exchange))
        })
        .collect();
    if needed.is_empty() {
        return Ok((vec![None; exchanges.len()], Vec::new()));
    }
    let design = design(&needed, &columns, run)?;
    let regression = Regression { needed: &needed, design };
    regression.check_size()?;
    let mut of_exchanges = match target {
        Target::Classes(classes) => regression.of_classes(classes.codes(), classes.names(), run)?,
        Target::Real(values) => regression.of_numbers(values, run)?,
    }
    .into_iter();
    let seed = derived_seed(run.seed(), &[COMMON]);
    let mut generator = random::generator(seed, RandomStream::Permutations);
    let (mut changed, mut expected) = (0, 0.0);
    let mut found = Vec::new();
    for exchange in exchanges {
        let is_needed = needed.iter().any(|other| std::ptr::eq(*other, exchange));
        let Some(odds) = is_needed.then(|| of_exchanges.next()).flatten() else {
            found.push(None);
            continue;
        };
        let mut common: Vec<u32> = (0..exchange.len() as u32).collect();
        odds.continue_chain(&mut common, &mut generator);
        let first = exchange.first_rows();
        let differs =
            |(unit, &other): (usize, &u32)| varies(target, &[first[unit], first[other as usize]]);
        changed += common.iter().enumerate().filter(|pair| differs(*pair)).count();
        expected += expected_changes(target, &first);
        found.push(Some(Given { common, odds }));
    }
    let warning = ((changed as f64) < LEAST_CHANGED * expected).then(|| {
        Warning::new(
            "few-arrangements",
            format!(
                "the covariates almost determine the target: a permutation changes it in {} of {} rows or groups, so \
                 that a small p-value is improbable",
                thousands(changed as u64),
                thousands(regression.design.rows() as u64)
            ),
        )
    });
    Ok((found, warning.into_iter().collect()))
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
    let Target::Classes(classes) = target else { return rows.len() as f64 };
    let mut counts = vec![0.0; classes.len()];
    rows.iter().for_each(|&row| counts[classes.codes()[row as usize] as usize] += 1.0);
    let all = rows.len() as f64;
    all - counts.iter().map(|count| count * count / all).sum::<f64>()
}

/// The design matrix: a row per unit of the exchanges, one after the other.
fn design(exchanges: &[&Exchange], columns: &[Vec<f64>], run: &Run) -> Result<DenseMatrix> {
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
    for column in columns {
        let each = exchanges.iter().flat_map(|exchange| of_units(column, exchange));
        design.add(vec![each.collect()], run)?;
    }
    Ok(design.matrix())
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

    /// Divides numbers per unit by exchange; `width` numbers each.
    fn divided<T: Copy>(&self, values: &[T], width: usize) -> Vec<Vec<T>> {
        let mut rest = values;
        let part = |exchange: &&Exchange| {
            let (own, others) = rest.split_at(width * exchange.len());
            rest = others;
            own.to_vec()
        };
        self.needed.iter().map(part).collect()
    }

    fn of_classes(&self, codes: &[u32], names: &[String], run: &Run) -> Result<Vec<Odds>> {
        let codes = self.of_units(codes);
        let (units, classes) = (codes.len(), names.len());
        let mut counts = vec![0; classes];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let most = (0..classes).max_by_key(|&class| (counts[class], classes - class)).unwrap_or(0);
        let mut scores = vec![0.0; units * classes];
        for class in (0..classes).filter(|&class| class != most && counts[class] > 0) {
            let of_both: Vec<usize> = (0..units)
                .filter(|&unit| [class, most].contains(&(codes[unit] as usize)))
                .collect();
            let y: Vec<f64> = of_both
                .iter()
                .map(|&unit| f64::from(u8::from(codes[unit] as usize == class)))
                .collect();
            let design = self.design.select_rows(&of_both);
            let Some(coefficients) = logistic(&design, &y, run)? else {
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
        let parts = self.divided(&scores, classes).into_iter().zip(self.divided(&codes, 1));
        Ok(parts.map(|(scores, codes)| Odds::Classes { classes, scores, codes }).collect())
    }

    fn of_numbers(&self, values: &[f64], run: &Run) -> Result<Vec<Odds>> {
        let mut values = self.of_units(values);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        // Odds depend on differences, which keep their digits if the values are small.
        values.iter_mut().for_each(|value| *value -= mean);
        let Some(fitted) = least_squares(&self.design, &values, run)? else {
            return Err(determined("the covariates determine the target completely"));
        };
        let squares: f64 =
            values.iter().zip(&fitted).map(|(value, fitted)| (value - fitted).powi(2)).sum();
        let variance = squares / (values.len() - self.design.columns()) as f64;
        let scores: Vec<f64> = fitted.iter().map(|fitted| fitted / variance).collect();
        let parts = self.divided(&scores, 1).into_iter().zip(self.divided(&values, 1));
        Ok(parts.map(|(scores, values)| Odds::Real { scores, values }).collect())
    }
}

fn determined(problem: &str) -> Error {
    Error::data(
        format!("{problem}: given the covariates, there is nothing to permute"),
        "exclude the covariate that is the target in another form, or merge rare levels of a covariate",
    )
}
