//! A weighting method, described as data: which neighbors are searched for in which space, and how
//! weights are computed from them. A fit runs both steps; [`crate::distribute`] runs them
//! separately, on many machines.

use std::borrow::Cow;
use std::sync::Arc;

use super::Problem;
use crate::data::{Covariates, Eligible, Roles, Table, list};
use crate::differences::{Feature, Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::{Far, SumPlan, Units, margin_sums_of, range_variances};
use crate::neighbors::{
    BlockFactors, Grouping, NearestOptions, NearestOrders, NeighborRule, NeighborSearch,
    Neighborhoods, PairSource, RadiusNeighbors, with_blocks,
};
use crate::parallel;
use crate::report::{NeighborProfile, Report};
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// A method that searches for neighbors once and computes weights from sums over them.
pub trait Stepwise: Sync {
    /// The steps for a problem; warnings go to the report.
    ///
    /// # Errors
    /// A problem that the method refuses before the neighbor search.
    fn steps<'p>(&self, problem: &Problem<'p>, report: &mut Report, run: &Run)
    -> Result<Steps<'p>>;

    /// Whether the steps compute variances of the weights, whose intervals were shown to cover expected weights.
    fn has_intervals(&self) -> bool {
        false
    }

    /// Refuses problems and options for which the intervals were not shown to cover expected weights.
    ///
    /// # Errors
    /// A problem that the intervals do not support.
    fn check_intervals(&self, _: &Problem<'_>) -> Result<()> {
        Ok(())
    }
}

/// A method as steps whose neighbors do not depend on the target.
pub struct ForTargets<'m> {
    /// The steps for a problem.
    pub(crate) steps: &'m dyn Stepwise,
    /// Computes the weights of all features from those of the steps; `None` if they are the same.
    pub(crate) finish: Option<fn(Vec<f64>) -> Vec<f64>>,
}

/// The two steps of a weighting method.
pub struct Steps<'p> {
    /// The features.
    pub(crate) table: &'p Table<'p>,
    /// The query rows, in ascending order.
    pub(crate) sampled: Vec<u32>,
    /// The classes on which expected differences to missing values are conditioned, and their
    /// number.
    pub(crate) conditional: Option<(&'p [u32], usize)>,
    /// How two rows differ.
    pub(crate) space: SpaceOptions,
    /// The groups in which neighbors are searched for.
    pub(crate) grouping: Grouping<'p>,
    /// Which rows are neighbors.
    pub(crate) rule: NeighborRule,
    /// Several numbers of nearest neighbors, ascending, of which that of the rule is the largest; empty for one. The weight of
    /// a feature is its largest.
    pub(crate) profile: Vec<usize>,
    /// The algorithm of the search for the k nearest, if the caller specifies one.
    pub(crate) search: Option<NeighborSearch>,
    /// Whether the weight of a feature depends on no other feature, given the neighbors.
    pub(crate) columns_apart: bool,
    /// Computes the weights of the features of a space from neighbors that were found in the space
    /// of all features.
    pub(crate) weigh: WeighPairs<'p>,
    /// If the weights for two classes are the mean difference to misses minus that to hits: how far rows count, if
    /// there are any.
    pub(crate) two_classes: Option<Far>,
    /// Computes the variances of the weights, if the method supports intervals.
    pub(crate) variances: Option<Variances<'p>>,
}

/// See [`Steps::weigh`].
pub(super) type WeighPairs<'p> =
    Box<dyn Fn(&Space<'_>, &dyn PairSource, &Run) -> Result<WeighedPairs> + Send + Sync + 'p>;

/// Computes the variance of every weight over samples of as many units, without that of the features' ranges.
pub(super) type Variances<'p> = Box<
    dyn Fn(&Space<'_>, &dyn PairSource, Units<'_>, &Run) -> Result<Vec<f64>> + Send + Sync + 'p,
>;

/// Weights, and how they were computed.
pub(crate) struct WeighedPairs {
    /// A weight per feature of the space.
    pub(crate) weights: Vec<f64>,
    /// Whether no row has a near row; possible with a radius only.
    pub(crate) nobody_near: bool,
    /// How differences were summed.
    pub(crate) plan: SumPlan,
}

impl WeighedPairs {
    /// The weights of a method under which every row has neighbors.
    pub(crate) fn new((weights, plan): (Vec<f64>, SumPlan)) -> Self {
        Self { weights, nobody_near: false, plan }
    }
}

impl Steps<'_> {
    /// The space of a table with some or all of the columns.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn space_of<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        Space::new(table, self.conditional, self.space, run)
    }

    /// The space of some rows, from a table of these rows and the result of
    /// [`features_of`](Space::features_of) for them. `roles` are those of all rows.
    pub(crate) fn space_of_rows<'t>(
        &self,
        table: &'t Table<'t>,
        rows: &[u32],
        features: Vec<Feature<'t>>,
        roles: Roles<'_>,
    ) -> Space<'t> {
        let codes = self
            .conditional
            .map(|(codes, _)| rows.iter().map(|&row| codes[row as usize]).collect::<Vec<u32>>());
        let of_rows = |all: Arc<[f64]>| rows.iter().map(|&row| all[row as usize]).collect();
        Space::of_features(table, codes.as_deref(), self.space, features)
            .with_eligible(roles.eligible().map(|eligible| eligible.select_rows(rows)))
            .with_counts_of_rows(roles.masses().map(of_rows))
    }

    /// The space of a table with some or all of the columns, where rows have the roles of a problem; `sampled` are the
    /// query rows.
    ///
    /// # Errors
    /// A class without a prior; [`crate::Error::Cancelled`].
    pub(crate) fn space_with_roles<'t>(
        &self,
        table: &'t Table<'t>,
        (sampled, problem): (&[u32], &Problem<'_>),
        run: &Run,
    ) -> Result<Space<'t>> {
        let roles = problem.roles();
        let space = Space::with_masses(table, self.conditional, self.space, roles.masses(), run)?;
        let weights = roles.row_weights(sampled, problem.target())?;
        Ok(space.with_eligible(roles.eligible()).with_row_weights(weights))
    }

    /// The weights of all features of a problem; the report states how they were computed. Groups and covariates
    /// may restrict which rows are neighbors; rows count by their weights; covariates may count in
    /// distances, and blocks of features count as one feature each.
    ///
    /// # Errors
    /// Too little memory; a target that the method refuses; no row has an eligible row in every
    /// group; [`crate::Error::Cancelled`].
    pub(crate) fn fit(
        &self,
        problem: &Problem<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Vec<f64>> {
        Ok(self.fit_with(None, problem, report, run)?.0)
    }

    /// As [`fit`](Self::fit); if the independent units of rows are given, also computes the standard errors of the
    /// weights.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`Error::Internal`] if the method does not support intervals.
    pub(crate) fn fit_with(
        &self,
        units: Option<Units<'_>>,
        problem: &Problem<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let roles = problem.roles();
        if !self.profile.is_empty() {
            let help = "state one number of neighbors";
            roles.refuse_blocks("a ranking by several numbers of neighbors", help)?;
        }
        let joined = joined(self.table, &roles)?;
        let eligible = roles.eligible();
        let sampled = &self.query_rows(eligible.as_ref(), report, run)?;
        let table = joined.as_ref().unwrap_or(self.table);
        let factors = BlockFactors::new(self.table, self.space, roles, run)?;
        let space = self.space_with_roles(table, (sampled, problem), run)?;
        let space = match problem.feature_factors() {
            Some(factors) => space.with_factors(Some(Arc::clone(factors))),
            None => with_blocks(space, factors.as_ref()),
        };
        report.block_factors = factors.map(|factors| factors.of_blocks);
        let (mut weights, errors) = self.weights(&space, sampled, units, report, run)?;
        weights.truncate(self.table.width());
        Ok((weights, errors))
    }

    /// The sampled rows that have an eligible row of every class, if there are classes. The other rows
    /// would contribute hits without misses, or misses without hits. There may be none.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn matched_rows(
        &self,
        eligible: Option<&Eligible>,
        run: &Run,
    ) -> Result<Cow<'_, [u32]>> {
        let Some(eligible) = eligible else { return Ok(Cow::Borrowed(&self.sampled)) };
        let groups_of_codes = self.grouping.groups_of_codes();
        let has_all = |row: u32| -> Result<bool> {
            run.check()?;
            let own = self.grouping.code(row as usize);
            let mut missing = groups_of_codes[own as usize].clone();
            for other in (0..self.table.rows()).filter(|&other| other != row as usize) {
                let group = self.grouping.group(own, self.grouping.code(other));
                if missing.contains(&group) && eligible.may_be_neighbors(row as usize, other) {
                    missing.retain(|&one| one != group);
                    if missing.is_empty() {
                        return Ok(true);
                    }
                }
            }
            Ok(false)
        };
        let are_matched = run.install(|| parallel::try_map(&self.sampled, |&row| has_all(row)))?;
        let matched = self.sampled.iter().zip(are_matched).filter(|(_, is_matched)| *is_matched);
        Ok(Cow::Owned(matched.map(|(row, _)| *row).collect()))
    }

    /// The [matched rows](Self::matched_rows); a warning reports how many others are excluded.
    ///
    /// # Errors
    /// No row remains; [`crate::Error::Cancelled`].
    pub(crate) fn query_rows(
        &self,
        eligible: Option<&Eligible>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Cow<'_, [u32]>> {
        let matched = self.matched_rows(eligible, run)?;
        let Some(eligible) = eligible else { return Ok(matched) };
        let (all, left_out) = (self.sampled.len(), self.sampled.len() - matched.len());
        let missing = match self.grouping {
            Grouping::All => format!("other row {}", eligible.words()),
            _ => format!("row of every class {}", eligible.words()),
        };
        if matched.is_empty() {
            let (option, help) = match eligible.groups() {
                Some(_) => ("group", "provide at least two groups of every class"),
                None => ("caliper", "increase the caliper, or use fewer covariates"),
            };
            return Err(Error::option(option, format!("no row has a {missing}"), help));
        }
        if left_out > 0 {
            let text = format!("{left_out} of {all} rows were excluded: they have no {missing}");
            report.warnings.push(Warning::new("not-comparable", text));
        }
        Ok(matched)
    }

    /// The weights of all features of a space, from the neighbors of some rows, and their standard errors if units are
    /// given.
    ///
    /// # Errors
    /// The errors of [`fit_with`](Self::fit_with).
    fn weights(
        &self,
        space: &Space<'_>,
        sampled: &[u32],
        units: Option<Units<'_>>,
        report: &mut Report,
        run: &Run,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let grouping = self.grouping;
        report.warnings.extend(space.warning());
        let (found, variances) = match self.rule {
            NeighborRule::Nearest(options) if !self.profile.is_empty() => {
                (self.profile_weights(space, sampled, options, report, run)?, Vec::new())
            }
            NeighborRule::Nearest(options) => {
                let found = match self.search {
                    Some(search) => {
                        Neighborhoods::find_by(search, space, sampled, grouping, options, run)
                    }
                    None => Neighborhoods::find(space, sampled, grouping, options, run),
                }?;
                report.search = Some(found.search());
                report.plan.search = Some(found.plan().clone());
                (
                    self.weighed(space, &found, report, run)?,
                    self.variances(space, &found, units, run)?,
                )
            }
            NeighborRule::Radius { rule, with_far } => {
                let found = RadiusNeighbors::new(space, sampled, grouping, rule, with_far, run)?;
                report.plan.search = Some(found.plan().clone());
                let weighed = self.weighed(space, &found, report, run)?;
                (weighed, self.variances(space, &found, units, run)?)
            }
        };
        let weights = found.told(report);
        let of_ranges = units.map_or_else(Vec::new, |units| range_variances(space, units, run));
        let errors = variances.iter().zip(of_ranges).zip(&weights);
        let errors =
            errors.map(|((own, of_range), weight)| (own + weight * weight * of_range).sqrt());
        let errors = errors.collect();
        Ok((weights, errors))
    }

    /// The largest weight of every feature for several numbers of neighbors, which are found once.
    ///
    /// # Errors
    /// The errors of [`fit`](Self::fit).
    fn profile_weights(
        &self,
        space: &Space<'_>,
        sampled: &[u32],
        options: NearestOptions,
        report: &mut Report,
        run: &Run,
    ) -> Result<WeighedPairs> {
        let grouping = self.grouping;
        let least = grouping.least_share();
        let mut orders = NearestOrders::find(space, sampled, options, least, run)?;
        orders.extend_in(grouping, space, run)?;
        report.search = Some(orders.plan().search());
        report.plan.search = Some(orders.plan().clone());
        let mut weights = Vec::with_capacity(self.profile.len());
        let mut found = None;
        for &k in &self.profile {
            run.check()?;
            // In batches of sums, the pairs of this number count, as in a fit with this number alone.
            let neighbors = orders.grouped(grouping, Some(k)).in_groups();
            let own = if k == options.k {
                self.weighed(space, &neighbors, report, run)?
            } else {
                (self.weigh)(space, &neighbors, run)?
            };
            weights.push(own.weights.clone());
            found = Some(own);
        }
        let found = found.ok_or_else(|| Error::Internal("no number of neighbors".to_string()))?;
        let largest = largest_weights(&weights);
        let neighbors = self.profile.clone();
        weights.iter_mut().for_each(|own| own.truncate(self.table.width()));
        report.profile = Some(NeighborProfile { neighbors, weights });
        Ok(WeighedPairs { weights: largest, ..found })
    }

    /// The variances of the weights without those of the ranges; empty without units.
    fn variances(
        &self,
        space: &Space<'_>,
        neighbors: &dyn PairSource,
        units: Option<Units<'_>>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let Some(units) = units else { return Ok(Vec::new()) };
        let is_ignored =
            |feature: &Feature<'_>| !feature.missing_rows().is_empty() && feature.table().is_none();
        if space.features().iter().any(is_ignored) {
            return Err(Error::option(
                "missing",
                "intervals of weights require a difference for every pair of rows, but pairs with missing values are ignored",
                format!("use another value, or remove {}", setting("intervals", None)),
            ));
        }
        let variances = self.variances.as_ref().ok_or_else(|| {
            Error::Internal("the method does not compute variances of weights".to_string())
        })?;
        variances(space, neighbors, units, run)
    }

    /// Computes weights from the neighbors found; warns of features that never differ between
    /// neighbors.
    pub(super) fn weighed(
        &self,
        space: &Space<'_>,
        neighbors: &dyn PairSource,
        report: &mut Report,
        run: &Run,
    ) -> Result<WeighedPairs> {
        let found = (self.weigh)(space, neighbors, run)?;
        let is_zero = |feature: &usize| {
            found.weights[*feature] == 0.0 && !space.features()[*feature].rule.is_constant()
        };
        let zeros = || (0..self.table.width()).filter(is_zero);
        if zeros().next().is_none() || found.nobody_near {
            return Ok(found);
        }
        let silent = run.part(run.seed());
        let size = |_: u32, _: usize, _: u32, weight: f64| [weight.abs()];
        let sums = margin_sums_of(space, zeros(), neighbors, size, &silent)?;
        let never: Vec<&str> = zeros()
            .filter(|&feature| sums.completed(0, feature) == 0.0)
            .map(|feature| self.table.columns()[feature].name())
            .collect();
        report.warnings.extend(never_differ(&never));
        Ok(found)
    }
}

/// The features beside the covariates that enter the distances, if there are any.
///
/// # Errors
/// A covariate with the name of a feature.
pub(crate) fn joined<'t>(table: &Table<'t>, roles: &Roles<'t>) -> Result<Option<Table<'t>>> {
    let beside = roles.covariates().filter(|own: &&Covariates<'_>| own.are_in_distance());
    beside.map(|beside| table.joined(beside.table())).transpose()
}

/// The code of the warning of [`never_differ`].
pub(super) const NEVER_DIFFERS: &str = "never-differs";

/// Warns of features that never differ between neighbors.
fn never_differ(names: &[&str]) -> Option<Warning> {
    let (features, weights) = match names.len() {
        0 => return None,
        1 => ("1 feature never differs".to_string(), "its weight is 0 (p = 1)"),
        count => (format!("{count} features never differ"), "their weights are 0 (p = 1)"),
    };
    Some(Warning::new(
        NEVER_DIFFERS,
        format!(
            "{features} between neighbors, so that {weights} whatever the effect on the target: rows that differ in it \
             are too far apart to be neighbors, because a different category counts as much as the full range of a \
             numeric feature; more neighbors can reveal the effect: {}",
            list(names)
        ),
    ))
}

/// The largest of the weights of every feature.
pub(super) fn largest_weights(weights: &[Vec<f64>]) -> Vec<f64> {
    let mut all = weights.iter();
    let mut largest = all.next().cloned().unwrap_or_default();
    for own in all {
        largest.iter_mut().zip(own).for_each(|(most, weight)| *most = most.max(*weight));
    }
    largest
}

impl WeighedPairs {
    /// Returns the weights, and reports how they were computed.
    pub(crate) fn told(self, report: &mut Report) -> Vec<f64> {
        report.plan.sums = Some(self.plan);
        if self.nobody_near {
            report.warnings.push(nobody_near());
        }
        self.weights
    }
}

/// Warns that no row is near any other row.
pub(crate) fn nobody_near() -> Warning {
    Warning::new(
        "no-near-rows",
        "no row has another row within its radius (all distances are equal): near rows contribute nothing",
    )
}
