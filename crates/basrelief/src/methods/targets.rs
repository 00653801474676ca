//! One table and many targets: everything that does not depend on the target is computed once.

use super::info::MethodInfo;
use super::steps::{ForTargets, Steps, Stepwise, joined, largest_weights};
use super::{Problem, Settings};
use crate::data::{Roles, Table, Target};
use crate::differences::{MissingPolicy, Space, SpaceOptions};
use crate::error::{Error, Result};
use crate::margins::{Far, permuted_margins};
use crate::neighbors::{
    BlockFactors, FixedNeighbors, Grouping, NearestOrders, NeighborRule, RadiusMarks, with_blocks,
};
use crate::parallel;
use crate::report::Report;
use crate::run::Run;

/// A method prepared for many targets of one table.
pub trait WeighTargets: Send {
    /// Returns the weights of some features for every target; `features` contains column indices in
    /// ascending order. All targets use the seed of the run. Where groups or calipers leave no row of which every class
    /// has an eligible row, all weights are 0.
    ///
    /// # Errors
    /// A target that the method refuses; [`crate::Error::Cancelled`].
    fn weigh(&mut self, features: &[usize], targets: &[Target], run: &Run)
    -> Result<Vec<Vec<f64>>>;

    /// Why the method is refitted for every target; `None` if its neighbors are found once.
    fn refit_reason(&self) -> Option<&str>;
}

/// A method with its neighbors, for any target.
pub(super) struct Shared<'p> {
    method: &'p MethodInfo,
    settings: &'p Settings,
    table: &'p Table<'p>,
    roles: Roles<'p>,
    /// The columns of the neighbor search, if covariates are among them.
    joined: Option<Table<'p>>,
    /// The factors of blocks of features in the neighbor search, if there are blocks.
    factors: Option<BlockFactors>,
    space: SpaceOptions,
    neighbors: FixedNeighbors,
    /// See [`Steps::two_classes`]; `None` if there are other targets, or if rows count differently.
    two_classes: Option<Far>,
    columns_apart: bool,
}

/// Why the neighbors of a method have to be found for every target.
pub(super) type Obstacle = &'static str;

impl<'p> Shared<'p> {
    /// Finds the neighbors of a method, or says why they depend on the target.
    ///
    /// # Errors
    /// A problem that the method refuses; too little memory; [`Error::Cancelled`].
    pub(super) fn find(
        method: &'p MethodInfo,
        settings: &'p Settings,
        problem: &Problem<'p>,
        run: &Run,
    ) -> Result<std::result::Result<Self, Obstacle>> {
        let built = (method.build)(settings)?;
        method.check_roles(&*built, problem)?;
        let Some(ForTargets { steps, finish }) = built.for_targets() else {
            return Ok(Err("its neighbors depend on the target"));
        };
        let (table, roles) = (problem.table(), problem.roles());
        let steps = steps.steps(problem, &mut Report::default(), run)?;
        let mut columns = table.columns().iter();
        if steps.conditional.is_some()
            && steps.space.missing == MissingPolicy::Expected
            && columns.any(|column| column.missing() > 0)
        {
            return Ok(Err("the expected differences to missing values depend on the classes"));
        }
        let joined = joined(table, &roles)?;
        let factors = BlockFactors::new(table, steps.space, roles, run)?;
        let searched_table = joined.as_ref().unwrap_or(table);
        let space = searched(searched_table, steps.space, (&roles, factors.as_ref()), run)?;
        let neighbors = match steps.rule {
            NeighborRule::Nearest(options) => {
                let least = steps.grouping.least_share();
                let orders = NearestOrders::find(&space, &steps.sampled, options, least, run)?;
                FixedNeighbors::Nearest(orders)
            }
            NeighborRule::Radius { rule, with_far } => {
                let (rows, count) = (table.rows(), steps.sampled.len());
                if !run.memory().allows(RadiusMarks::bytes(rows, count, rule, with_far)) {
                    return Ok(Err("the sets of near rows do not fit into memory"));
                }
                let marks = RadiusMarks::find(&space, &steps.sampled, rule, with_far, run)?;
                FixedNeighbors::Radius(marks)
            }
        };
        drop(space);
        let Steps { space, two_classes, columns_apart, profile, .. } = steps;
        let columns_apart = columns_apart && finish.is_none();
        let are_two = problem.target().as_classes().is_some_and(|classes| classes.len() == 2);
        let two_classes =
            two_classes.filter(|_| are_two && roles.count_equally() && profile.is_empty());
        Ok(Ok(Self {
            method,
            settings,
            table,
            roles,
            joined,
            factors,
            space,
            neighbors,
            two_classes,
            columns_apart,
        }))
    }

    /// The steps for one target.
    fn steps_for<'t>(
        &'t self,
        steps: &dyn Stepwise,
        target: &'t Target,
        run: &Run,
    ) -> Result<Steps<'t>> {
        let problem = Problem::new(self.table, target)?.with_roles(self.roles)?;
        steps.steps(&problem, &mut Report::default(), run)
    }

    /// The weights of the features of a space for one target.
    fn one(
        &self,
        steps: &dyn Stepwise,
        space: &Space<'_>,
        target: &Target,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let steps = self.steps_for(steps, target, run)?;
        let rows = steps.matched_rows(self.roles.eligible().as_ref(), run)?;
        if rows.is_empty() {
            return Ok(vec![0.0; space.width()]);
        }
        let weights = self.roles.row_weights(&rows, target)?;
        let space = space.clone().with_row_weights(weights);
        let weigh = |k: Option<usize>| {
            let neighbors = self.neighbors.grouped(steps.grouping, &rows, k);
            Ok((steps.weigh)(&space, &*neighbors, run)?.weights)
        };
        if steps.profile.is_empty() {
            return weigh(None);
        }
        let weights: Result<Vec<Vec<f64>>> =
            steps.profile.iter().map(|&k| weigh(Some(k))).collect();
        Ok(largest_weights(&weights?))
    }

    /// Whether all sampled rows are query rows for every target.
    fn all_query(&self, steps: &dyn Stepwise, targets: &[Target], run: &Run) -> Result<bool> {
        let Some(eligible) = self.roles.eligible() else { return Ok(true) };
        for target in targets {
            let steps = self.steps_for(steps, target, run)?;
            let rows = steps.matched_rows(Some(&eligible), run)?;
            if rows.len() < self.neighbors.rows() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The space of the neighbor search.
fn searched<'t>(
    table: &'t Table<'t>,
    options: SpaceOptions,
    (roles, factors): (&Roles<'_>, Option<&BlockFactors>),
    run: &Run,
) -> Result<Space<'t>> {
    let space = Space::with_masses(table, None, options, roles.masses(), run)?;
    Ok(with_blocks(space, factors).with_eligible(roles.eligible()))
}

/// The grouping of neighbors for a target.
fn grouping(target: &Target) -> Grouping<'_> {
    match target.as_classes() {
        Some(classes) => Grouping::PerClass(classes.codes(), classes.len()),
        None => Grouping::All,
    }
}

impl WeighTargets for Shared<'_> {
    fn weigh(
        &mut self,
        features: &[usize],
        targets: &[Target],
        run: &Run,
    ) -> Result<Vec<Vec<f64>>> {
        let method = (self.method.build)(self.settings)?;
        let found = method.for_targets();
        let ForTargets { steps, finish } =
            found.ok_or_else(|| Error::Internal("the method has no steps".to_string()))?;
        let all = features.len() == self.table.width();
        let part = (!all && self.columns_apart).then(|| self.table.select_columns(features));
        let table = part.as_ref().unwrap_or(self.table);
        let (options, roles) = (self.space, self.roles);
        let space = Space::with_masses(table, None, options, roles.masses(), run)?;
        // Neighbors are those in the space of all features, selected or not.
        let whole = self.joined.as_ref().unwrap_or(self.table);
        let factors = self.factors.clone();
        let whole = || searched(whole, options, (&roles, factors.as_ref()), run);
        let silent = run.part(run.seed());
        let together = match self.two_classes {
            Some(far) if self.all_query(steps, targets, &silent)? => {
                permuted_margins(&space, &whole, &mut self.neighbors, far, targets, run)?
            }
            _ => None,
        };
        let found = match together {
            Some(found) => found,
            None => {
                for target in targets {
                    self.neighbors.extend_for(grouping(target), &whole, &silent)?;
                }
                let one = |target: &Target| {
                    run.check()?;
                    let weights = self.one(steps, &space, target, &silent)?;
                    run.progress().advance(1);
                    Ok(weights)
                };
                run.install(|| parallel::try_map(targets, one))?
            }
        };
        let finished = |mut weights: Vec<f64>| {
            if let Some(finish) = finish {
                weights = finish(weights);
            }
            if weights.len() == features.len() { weights } else { selected(&weights, features) }
        };
        Ok(found.into_iter().map(finished).collect())
    }

    fn refit_reason(&self) -> Option<&str> {
        None
    }
}

/// Whether a row has an eligible row of every class, so that the method can compare rows.
///
/// # Errors
/// A problem that the method refuses; [`Error::Cancelled`].
pub(super) fn can_compare(
    method: &MethodInfo,
    settings: &Settings,
    problem: &Problem<'_>,
    run: &Run,
) -> Result<bool> {
    let Some(eligible) = problem.roles().eligible() else { return Ok(true) };
    let built = (method.build)(settings)?;
    let Some(steps) = built.stepwise() else { return Ok(true) };
    let steps = steps.steps(problem, &mut Report::default(), run)?;
    Ok(!steps.matched_rows(Some(&eligible), run)?.is_empty())
}

/// The weights of some features.
pub(super) fn selected(weights: &[f64], features: &[usize]) -> Vec<f64> {
    features.iter().map(|&feature| weights[feature]).collect()
}
