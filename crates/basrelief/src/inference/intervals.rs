//! Intervals of weights: how much a weight would vary between samples of as many rows.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::evaluate::two_tailed_t;
use crate::maps::FeatureRanking;
use crate::margins::Units;
use crate::methods::wrappers::Wrapper;
use crate::methods::{METHODS, MethodInfo, Problem, Settings};
use crate::options::OptionValue;
use crate::report::Fitted;
use crate::run::Run;
use crate::wording::{self, setting};

/// Standard errors and 95 % intervals of the weights of a fit.
///
/// An interval covers the expected weight of the feature, that is, the mean weight over samples of the same number of
/// rows from the same population. The expected weight also depends on that number: the more rows there are, the nearer
/// are the neighbors.
///
/// The standard error is that of the infinitesimal jackknife over rows, or over groups of rows, without the variance of
/// single pairs that the jackknife counts twice (Efron & Stein 1981), plus the error of a numeric feature's range. The
/// interval is the weight plus and minus the standard error times the quantile of the t distribution with
/// [`units`](Self::units) - 1 degrees of freedom.
///
/// Of methods with a radius, the variance is estimated from the influences of 500 of the rows, which are the same in every
/// run, and from those of 4000 for features of which few rows have most of the influence.
///
/// Source: B. Efron and C. Stein. The jackknife estimate of variance. Annals of Statistics 9, 586-596, 1981.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightIntervals {
    /// The standard error of every weight, in column order; 0 for a constant feature.
    pub errors: Vec<f64>,
    /// The lower and upper limit of every interval, in column order; not limited to the range of the weights.
    pub limits: Vec<(f64, f64)>,
    /// The number of independent units: groups if the rows have groups, otherwise rows.
    pub units: usize,
    /// Whether the units are groups of rows.
    pub are_groups: bool,
    /// Wall-clock seconds of the fit and the intervals.
    pub seconds: f64,
}

/// Fewest rows and fewest groups of which intervals are computed. With fewer, they cover less than 92 % of the expected
/// weights of features with an effect (docs/calibration.md).
const FEWEST_ROWS: usize = 150;
const FEWEST_GROUPS: usize = 100;

/// Fewest neighbors of which intervals are computed: the influence of a neighbor is estimated from the other neighbors.
const FEWEST_NEIGHBORS: usize = 5;

impl WeightIntervals {
    /// Refuses methods, options and wrappers whose intervals were not shown to cover the expected weights.
    ///
    /// # Errors
    /// Wrappers; a method without intervals (the message names those that have them); too few neighbors.
    pub fn check(method: &MethodInfo, settings: &Settings, wrappers: &[Wrapper]) -> Result<()> {
        let names = METHODS.iter().filter(|info| info.has_intervals());
        let mut names: Vec<String> =
            names.map(|info| wording::method(info.name).to_string()).collect();
        let last = names.pop().unwrap_or_default();
        let names = format!("{} or {last}", names.join(", "));
        if let Some(wrapper) = wrappers.last() {
            return Err(Error::option(
                "intervals",
                format!(
                    "inside {}, a weight depends on which features are eliminated, and its interval is not known to \
                     cover the expected weight",
                    wrapper.info().name
                ),
                format!("remove the wrapper, and use {names}"),
            ));
        }
        if !method.has_intervals() {
            return Err(Error::option(
                "intervals",
                format!(
                    "intervals of the weights of {} are not known to cover the expected weights",
                    wording::method(method.name)
                ),
                format!("use {names}"),
            ));
        }
        let neighbors = settings.iter().find_map(|(name, value)| match value {
            OptionValue::Count(value) if name == "n_neighbors" => Some(*value),
            _ => None,
        });
        match neighbors {
            Some(count) if (count as usize) < FEWEST_NEIGHBORS => Err(Error::option(
                "n_neighbors",
                format!("{count} neighbors are too few for intervals of the weights"),
                format!(
                    "give at least {FEWEST_NEIGHBORS}, or remove {}",
                    setting("intervals", None)
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Fits a method, and computes the intervals of its weights.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check) and of the fit; covariates, weights of rows or priors; sampled rows; missing values that are ignored; too
    /// few rows or groups; pairs that do not fit into memory; [`Error::Cancelled`].
    pub fn fit(
        method: &MethodInfo,
        settings: &Settings,
        problem: &Problem<'_>,
        run: &Run,
    ) -> Result<(Fitted<FeatureRanking>, Self)> {
        let start = Instant::now();
        Self::check(method, settings, &[])?;
        let roles = problem.roles();
        if roles.covariates().is_some() {
            return Err(Error::option(
                "intervals",
                "intervals of weights given covariates are not known to cover the expected weights",
                format!("remove the covariates, or {}", setting("intervals", None)),
            ));
        }
        if roles.weights().is_some() || roles.priors().is_some() {
            let option = if roles.weights().is_some() { "row_weight" } else { "priors" };
            return Err(Error::option(
                option,
                "intervals of weights that depend on weights of rows or on priors are not known to cover the expected \
                 weights",
                format!("remove the option, or {}", setting("intervals", None)),
            ));
        }
        if roles.blocks().is_some() {
            return Err(Error::option(
                "intervals",
                "intervals of weights with blocks of features are not known to cover the expected weights",
                format!("remove the blocks, or {}", setting("intervals", None)),
            ));
        }
        let are_groups = roles.groups().is_some();
        let own: Vec<u32>;
        let units = match roles.groups() {
            Some(groups) => Units { of_rows: groups.codes(), count: groups.len() },
            None => {
                own = (0..problem.rows() as u32).collect();
                Units { of_rows: &own, count: problem.rows() }
            }
        };
        let fewest = if are_groups { FEWEST_GROUPS } else { FEWEST_ROWS };
        if units.count < fewest {
            let what = if are_groups { "groups" } else { "rows" };
            return Err(Error::option(
                "intervals",
                format!("{} {what} are too few for intervals of the weights", units.count),
                format!("provide at least {fewest}, or remove {}", setting("intervals", None)),
            ));
        }
        let mut errors = Vec::new();
        let fitted = method.timed(problem, run, |report| {
            let found = method.weigh_with_errors(problem, settings, units, report, run)?;
            errors = found.1;
            Ok(found.0)
        })?;
        let quantile = two_tailed_t(units.count - 1);
        let limits = fitted
            .model
            .weights()
            .iter()
            .zip(&errors)
            .map(|(weight, error)| (weight - quantile * error, weight + quantile * error));
        let limits = limits.collect();
        let seconds = start.elapsed().as_secs_f64();
        Ok((fitted, Self { errors, limits, units: units.count, are_groups, seconds }))
    }
}
