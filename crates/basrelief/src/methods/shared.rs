//! Code shared by several methods: reading common options, sampling rows, hits and misses.

use std::sync::Arc;

use super::Problem;
use super::options::{
    GENOTYPE_DIFF, METRIC, MISSING, N_NEIGHBORS, N_SAMPLES, NEIGHBOR_WEIGHTS, RAMP, TIES,
};
use super::steps::{Steps, WeighedPairs};
use crate::data::{
    Classes, ExpectedDifferences, Roles, Target, TargetDifferences, list, target_range,
};
use crate::differences::{Ramp, Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::{
    Far, Influencing, MarginSums, Slopes, SumPlan, influence_variances, margin_sums,
};
use crate::neighbors::{
    Grouping, NearestOptions, NeighborRule, NeighborSearch, NeighborWeights, PairSource, Ties,
};
use crate::options::{FromSettings, OptionInfo, Settings};
use crate::random::{self, RandomStream};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::{self, setting};

/// The options of every method that uses nearest neighbors in the original space.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestSettings {
    /// Numbers of nearest neighbors per group, ascending, each at least 1. With several, the weight of a feature is the
    /// largest of its weights for each of them.
    pub n_neighbors: Vec<usize>,
    /// Number of rows sampled without replacement; `None` for all.
    pub n_samples: Option<usize>,
    /// Weight of a neighbor by its rank.
    pub neighbor_weights: NeighborWeights,
    /// Which of the rows at equal distance count.
    pub ties: Ties,
    /// How two rows differ.
    pub space: SpaceOptions,
    /// The search algorithm where weights do not change the distances; `None` for the faster one.
    /// The result does not depend on it.
    pub search: Option<NeighborSearch>,
}

impl Default for NearestSettings {
    /// The defaults of the options: 10 neighbors of equal weight, all rows, ties shared.
    fn default() -> Self {
        Self::from_defaults(space_options![&N_NEIGHBORS, &N_SAMPLES, &NEIGHBOR_WEIGHTS])
    }
}

impl FromSettings for NearestSettings {
    /// Options that the method does not have keep their default values.
    fn from_settings(settings: &Settings) -> Result<Self> {
        let settings = settings.completed(&[&N_NEIGHBORS, &NEIGHBOR_WEIGHTS, &TIES])?;
        Ok(Self {
            n_neighbors: settings.read(&N_NEIGHBORS)?,
            n_samples: settings.read(&N_SAMPLES)?,
            neighbor_weights: settings.parse(&NEIGHBOR_WEIGHTS, str::parse)?,
            ties: settings.read(&TIES)?,
            space: SpaceOptions::from_settings(&settings)?,
            search: None,
        })
    }
}

impl FromSettings for SpaceOptions {
    /// A method without the option `metric` uses its default value.
    fn from_settings(settings: &Settings) -> Result<Self> {
        let settings = settings.completed(&[&METRIC])?;
        Ok(Self {
            metric: settings.read(&METRIC)?,
            missing: settings.read(&MISSING)?,
            ramp: settings.parse(&RAMP, Ramp::parse)?,
            genotype_diff: settings.read(&GENOTYPE_DIFF)?,
        })
    }
}

/// The query rows, and how two rows differ.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledSpace {
    /// Number of rows sampled without replacement; `None` for all.
    pub n_samples: Option<usize>,
    /// How two rows differ.
    pub space: SpaceOptions,
}

impl Default for SampledSpace {
    /// All rows, and the default space.
    fn default() -> Self {
        Self::from_defaults(space_options![&N_SAMPLES])
    }
}

impl FromSettings for SampledSpace {
    fn from_settings(settings: &Settings) -> Result<Self> {
        let space = SpaceOptions::from_settings(settings)?;
        Ok(Self { n_samples: settings.read(&N_SAMPLES)?, space })
    }
}

impl SampledSpace {
    /// Draws the sampled rows, in ascending order; warns if they are not all rows.
    ///
    /// # Errors
    /// More rows requested than there are, or none.
    pub(crate) fn sample(&self, rows: usize, run: &Run, report: &mut Report) -> Result<Vec<u32>> {
        sample(self.n_samples, rows, run, report)
    }
}

/// The options that determine how two rows differ, in the order shown to users.
macro_rules! space_options {
    ($($first:expr),* $(,)?) => {
        &[
            $($first,)*
            &$crate::methods::options::METRIC,
            &$crate::methods::options::TIES,
            &$crate::methods::options::MISSING,
            &$crate::methods::options::RAMP,
            &$crate::methods::options::GENOTYPE_DIFF,
        ]
    };
}
pub(crate) use space_options;

impl NearestSettings {
    /// The largest number of neighbors.
    pub(crate) fn most_neighbors(&self) -> usize {
        self.n_neighbors.last().copied().unwrap_or_default()
    }

    /// The numbers of neighbors, if there are several.
    pub(crate) fn profile(&self) -> Vec<usize> {
        if self.n_neighbors.len() > 1 { self.n_neighbors.clone() } else { Vec::new() }
    }

    /// The nearest-neighbor search that the settings specify.
    pub(crate) fn nearest(&self) -> NearestOptions {
        NearestOptions { k: self.most_neighbors(), ties: self.ties, weights: self.neighbor_weights }
    }

    /// The search as a rule.
    pub(crate) fn rule(&self) -> NeighborRule {
        NeighborRule::Nearest(self.nearest())
    }

    /// Refuses intervals of weights that are the largest of several.
    ///
    /// # Errors
    /// There are several numbers of neighbors.
    pub(crate) fn check_intervals(&self) -> Result<()> {
        if self.n_neighbors.len() < 2 {
            return Ok(());
        }
        Err(Error::option(
            "intervals",
            "the largest of several weights is biased upwards, and has no interval",
            format!("state one number of neighbors, or remove {}", setting("intervals", None)),
        ))
    }

    /// Checks values that only a caller of the typed interface can get wrong.
    fn validate(&self) -> Result<()> {
        if self.n_neighbors.is_empty() || !self.n_neighbors.is_sorted_by(|a, b| a < b) {
            return Err(Error::option(
                N_NEIGHBORS.name,
                format!("{:?} are not ascending numbers", self.n_neighbors),
                "list different numbers, the largest last",
            ));
        }
        if self.n_neighbors[0] == 0 {
            return Err(Error::option(
                N_NEIGHBORS.name,
                "0 is less than 1",
                "it takes a whole number of at least 1 (default 10)",
            ));
        }
        Ok(())
    }

    /// Draws the sampled rows, in ascending order; warns if they are not all rows.
    ///
    /// # Errors
    /// More rows requested than there are, or none.
    pub(crate) fn sample(&self, rows: usize, run: &Run, report: &mut Report) -> Result<Vec<u32>> {
        self.validate()?;
        sample(self.n_samples, rows, run, report)
    }
}

/// Draws `n_samples` rows, in ascending order; warns if they are not all rows. `None` means all
/// rows.
fn sample(
    n_samples: Option<usize>,
    rows: usize,
    run: &Run,
    report: &mut Report,
) -> Result<Vec<u32>> {
    let total = u32::try_from(rows).map_err(|_| {
        Error::data(
            format!("{rows} rows exceed the limit of this version"),
            format!("use at most {} rows", u32::MAX),
        )
    })?;
    match n_samples {
        None => Ok((0..total).collect()),
        Some(0) => Err(Error::option(
            N_SAMPLES.name,
            "0 rows cannot be sampled",
            "give at least 1, or `all`",
        )),
        Some(count) if count > rows => Err(Error::option(
            N_SAMPLES.name,
            format!("{count} rows cannot be sampled from {rows}"),
            format!("give at most {rows}, or `all`"),
        )),
        Some(count) => {
            if count < rows {
                report.warnings.push(Warning::requested(
                    "sampled-rows",
                    format!(
                        "the weights are based on {count} of {rows} rows, sampled with seed {}",
                        run.seed()
                    ),
                ));
            }
            let mut generator = random::generator(run.seed(), RandomStream::SampledRows);
            Ok(random::sample(total, count as u32, &mut generator))
        }
    }
}

/// The classes of a problem, two or more.
///
/// # Errors
/// A numeric target, one class, or no class of two rows.
pub(crate) fn classes<'p>(problem: &Problem<'p>, method: &str) -> Result<&'p Classes> {
    let other = format!("use {} for a numeric target", wording::method("rrelieff"));
    let classes = problem.target().classes(method).map_err(|error| match problem.target() {
        Target::Real(_) => error.or_first(&other),
        _ => error,
    })?;
    if classes.len() < 2 {
        return Err(Error::data(
            format!("every row has the same class, `{}`", classes.names().join("")),
            "weights compare classes: provide rows of at least two classes",
        ));
    }
    refuse_lone_rows_only(classes)?;
    Ok(classes)
}

/// The steps to the statistic of RELIEF-E: the mean difference to the nearest misses (of any other
/// class) minus that to the nearest hits, over the sampled rows.
///
/// Under the missing policy `ignore` a feature's sums are scaled up to the weight of all pairs.
///
/// # Errors
/// See [`classes`], [`NearestSettings::sample`].
pub(crate) fn hit_miss_steps<'p>(
    problem: &Problem<'p>,
    nearest: &NearestSettings,
    method: &str,
    report: &mut Report,
    run: &Run,
) -> Result<Steps<'p>> {
    let classes = classes(problem, method)?;
    let sampled = nearest.sample(problem.rows(), run, report)?;
    warn_of_small_classes(classes, problem.roles(), nearest.most_neighbors(), report);
    Ok(Steps {
        table: problem.table(),
        sampled,
        conditional: Some((classes.codes(), classes.len())),
        space: nearest.space,
        grouping: Grouping::HitMiss(classes.codes()),
        rule: nearest.rule(),
        profile: nearest.profile(),
        search: nearest.search,
        columns_apart: true,
        weigh: Box::new(|space, neighbors, run| {
            hit_miss_margins(space, neighbors, run).map(WeighedPairs::new)
        }),
        two_classes: Some(Far::Difference),
        variances: None,
    })
}

/// The mean difference to misses minus that to hits, for neighbors in these groups.
fn hit_miss_margins(
    space: &Space<'_>,
    neighbors: &dyn PairSource,
    run: &Run,
) -> Result<(Vec<f64>, SumPlan)> {
    let weigh = |_: u32, group: usize, _: u32, weight: f64| {
        if group == 0 { [weight, 0.0] } else { [0.0, weight] }
    };
    let sums = margin_sums(space, neighbors, weigh, run)?;
    Ok((mean_margins(space, &sums, neighbors.len()), sums.plan))
}

/// The derivatives of [`mean_margins`] over a number of query rows.
pub(crate) struct MeanMarginSlopes {
    /// The number of query rows.
    pub(crate) rows: usize,
}

impl Slopes for MeanMarginSlopes {
    const BY_TOTALS: bool = false;

    fn by_sums(&self, _: [f64; 2]) -> [f64; 2] {
        [-1.0 / self.rows as f64, 1.0 / self.rows as f64]
    }

    fn by_totals(&self, _: [f64; 2], _: [f64; 2]) -> [f64; 2] {
        [0.0; 2]
    }
}

/// The derivatives of [`regression_ratio`], if all differences are known.
pub(crate) struct RegressionRatioSlopes;

impl RegressionRatioSlopes {
    /// The reciprocals of both denominators; 0 for a denominator that is 0 up to rounding.
    fn reciprocals([all, different]: [f64; 2]) -> [f64; 2] {
        let reciprocal = |whole: f64| if whole <= all * 1e-12 { 0.0 } else { 1.0 / whole };
        [different, all - different].map(reciprocal)
    }
}

impl Slopes for RegressionRatioSlopes {
    const BY_TOTALS: bool = true;

    fn by_sums(&self, totals: [f64; 2]) -> [f64; 2] {
        let [different, similar] = Self::reciprocals(totals);
        [-similar, different + similar]
    }

    fn by_totals(&self, [n_da, n_dcda]: [f64; 2], totals: [f64; 2]) -> [f64; 2] {
        let [different, similar] = Self::reciprocals(totals);
        let of_similar = (n_da - n_dcda) * similar * similar;
        [of_similar, -n_dcda * different * different - of_similar]
    }
}

/// Per feature, the mean difference to misses (the second sum) minus that to hits (the first) over
/// the sampled rows.
pub(crate) fn mean_margins(space: &Space<'_>, sums: &MarginSums<2>, sampled: usize) -> Vec<f64> {
    let margin = |feature| sums.completed(1, feature) - sums.completed(0, feature);
    (0..space.width()).map(|feature| margin(feature) / sampled as f64).collect()
}

/// Warns of classes with too few rows for the requested neighbors, or too small weights of rows.
pub(crate) fn warn_of_small_classes(
    classes: &Classes,
    roles: Roles<'_>,
    k: usize,
    report: &mut Report,
) {
    warn_of_lone_rows(classes, "has no hit and counts by its misses only", report);
    // Hits come from a row's own class, and misses of each class from that class.
    let members = classes.members();
    let small = classes.names().iter().zip(&members).filter(|(_, rows)| is_small(rows, roles, k));
    let small: Vec<String> = small.map(|(name, rows)| format!("{name} ({})", rows.len())).collect();
    if k > 1 && !small.is_empty() {
        let fewer = match roles.weights() {
            None => "have fewer other rows",
            Some(_) => "have other rows of a smaller total weight",
        };
        let names = list(&small.iter().map(String::as_str).collect::<Vec<_>>());
        report.warnings.push(Warning::new(
            "few-neighbors",
            format!(
                "{k} neighbors were requested, but these classes {fewer}, all of which were used: {names}"
            ),
        ));
    }
}

/// Whether any of some rows has other rows among them that take fewer than k places.
fn is_small(rows: &[u32], roles: Roles<'_>, k: usize) -> bool {
    let mass = |row: &u32| roles.weights().map_or(1.0, |own| own.values()[*row as usize]);
    let sum: f64 = rows.iter().map(mass).sum();
    sum - rows.iter().map(mass).fold(0.0, f64::max) < k as f64
}

/// Warns that k neighbors are more than the other rows, or more than their total weight.
pub(crate) fn warn_of_few_rows(problem: &Problem<'_>, k: usize, report: &mut Report) {
    let rows: Vec<u32> = (0..problem.rows() as u32).collect();
    if !is_small(&rows, problem.roles(), k) {
        return;
    }
    let fewer = match problem.roles().weights() {
        None => format!("there are only {} other rows, all of which were used", rows.len() - 1),
        Some(_) => "the weights of the other rows, all of which were used, sum to less".to_string(),
    };
    let text = format!("{k} neighbors were requested, but {fewer}");
    report.warnings.push(Warning::new("few-neighbors", text));
}

/// How much the target of two rows differs, as RReliefF compares them; `are_quantiles` if its values are the means of
/// quantile residuals.
///
/// # Errors
/// The target does not vary, or its differences overflow.
pub(crate) fn target_differences(
    target: &Target,
    are_quantiles: bool,
) -> Result<Box<dyn TargetDifferences + '_>> {
    match target.as_numbers() {
        Some(means) if are_quantiles => {
            target_range(means)?;
            Ok(Box::new(ExpectedDifferences { means }))
        }
        _ => target.differences(),
    }
}

/// The steps of RReliefF: neighbors whichever targets they have, and weights from how much the targets of two rows differ.
///
/// # Errors
/// A number of samples out of range.
pub(crate) fn regression_steps<'p>(
    problem: &Problem<'p>,
    nearest: &NearestSettings,
    differences: Box<dyn TargetDifferences + 'p>,
    report: &mut Report,
    run: &Run,
) -> Result<Steps<'p>> {
    let sampled = nearest.sample(problem.rows(), run, report)?;
    warn_of_few_rows(problem, nearest.most_neighbors(), report);
    // A pair counts in the sums of `N_dA` and of `N_dCdA`.
    let differences: Arc<dyn TargetDifferences + 'p> = differences.into();
    let weigh = move |row: u32, _: usize, neighbor: u32, weight: f64| {
        regression_terms(weight, differences.of(row, neighbor))
    };
    let of_variances = weigh.clone();
    Ok(Steps {
        table: problem.table(),
        sampled,
        conditional: None,
        space: nearest.space,
        grouping: Grouping::All,
        rule: nearest.rule(),
        profile: nearest.profile(),
        search: nearest.search,
        columns_apart: true,
        weigh: Box::new(move |space, neighbors, run| {
            let sums = margin_sums(space, neighbors, &weigh, run)?;
            let weight = |feature| regression_ratio(&sums, 0, feature);
            Ok(WeighedPairs::new(((0..space.width()).map(weight).collect(), sums.plan)))
        }),
        two_classes: None,
        variances: Some(Box::new(move |space, neighbors, units, run| {
            let units = (units, Influencing::All);
            influence_variances(space, neighbors, units, &of_variances, &RegressionRatioSlopes, run)
        })),
    })
}

/// What a pair adds to the weights of pairs, and to these times the target's difference: nothing if the difference is unknown
/// (not a number).
pub(crate) fn regression_terms(weight: f64, difference: f64) -> [f64; 2] {
    if difference.is_nan() { [0.0; 2] } else { [weight, weight * difference] }
}

/// RReliefF's weight `N_dCdA / N_dC - (N_dA - N_dCdA) / (m - N_dC)` from two sums: the weights of
/// the pairs in the sum `first`, and these times the target's difference in the next. A ratio with
/// denominator 0 counts as 0.
pub(crate) fn regression_ratio<const SUMS: usize>(
    sums: &MarginSums<SUMS>,
    first: usize,
    feature: usize,
) -> f64 {
    let (all, different) = (sums.counted(first, feature), sums.counted(first + 1, feature));
    let (n_da, n_dcda) = (sums.sums[first][feature], sums.sums[first + 1][feature]);
    // A denominator that is tiny compared with its terms is 0 up to rounding.
    let ratio = |part: f64, whole: f64, made_from: f64| {
        if whole <= made_from * 1e-12 { 0.0 } else { part / whole }
    };
    ratio(n_dcda, different, sums.totals[first + 1]) - ratio(n_da - n_dcda, all - different, all)
}

/// Refuses a count of 0, which only a caller of the typed interface can pass.
pub(crate) fn at_least_one(option: &OptionInfo, value: usize) -> Result<()> {
    if value > 0 {
        return Ok(());
    }
    Err(Error::option(option.name, "found 0", "give at least 1"))
}

/// Refuses values that are not finite numbers above 0.
pub(crate) fn above_zero(option: &OptionInfo, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::option(option.name, format!("found {value}"), "give a number above 0"))
}

/// Refuses classes of one row each: no row has a hit.
///
/// # Errors
/// No class has two rows; the message names the likely causes.
pub(crate) fn refuse_lone_rows_only(classes: &Classes) -> Result<()> {
    if classes.counts().iter().any(|&count| count > 1) {
        return Ok(());
    }
    Err(Error::data(
        format!("no class of the target has two rows: {} rows, {0} classes", classes.len()),
        "use another target if this one identifies the rows; transpose the table if its rows are features \
         and its columns are samples",
    ))
}

/// Warns that a search ended while its objective still increased.
pub(crate) fn warn_of_growth(iterations: usize, most: usize, report: &mut Report) {
    let text = if iterations < most {
        format!(
            "after {iterations} iterations no step improves the objective, although its gradient is not 0: \
             another {} may give a better map",
            setting("init", None)
        )
    } else {
        format!(
            "after {iterations} iterations the objective still increases by more than {}: increase {} for \
             a better map",
            setting("tol", None),
            setting("max_iter", None)
        )
    };
    report.warnings.push(Warning::new("not-converged", text));
}

/// Warns of rows that are alone in their class, and states the consequence.
pub(crate) fn warn_of_lone_rows(classes: &Classes, consequence: &str, report: &mut Report) {
    let counted = classes.names().iter().zip(classes.counts());
    let alone: Vec<String> = counted
        .filter(|(_, count)| **count == 1)
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    if !alone.is_empty() {
        let names = list(&alone.iter().map(String::as_str).collect::<Vec<_>>());
        report.warnings.push(Warning::new(
            "lone-rows",
            format!("a row that is alone in its class {consequence}: {names}"),
        ));
    }
}

/// Warns that an iteration ended before it converged.
pub(crate) fn warn_of_no_convergence(
    iterations: usize,
    change: f64,
    tol: f64,
    advice: &str,
    report: &mut Report,
) {
    report.warnings.push(Warning::new(
        "not-converged",
        format!(
            "after {iterations} iterations the last change is {change:.3e}, above {} {tol:e}: \
             {advice}",
            setting("tol", None)
        ),
    ));
}
