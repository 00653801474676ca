//! One table and many targets: everything that does not depend on the target is computed once.

use rayon::prelude::*;

use super::Problem;
use crate::data::{Classes, Column, Table, Target};
use crate::differences::{MissingPolicy, Space, SpaceOptions};
use crate::error::Result;
use crate::margins::{Far, permuted_margins};
use crate::neighbors::{FixedNeighbors, Grouping};
use crate::run::Run;

/// A method prepared for many targets of one table.
pub trait WeighTargets: Send {
    /// Returns the weights of some features for every target; `features` contains column indices in
    /// ascending order. All targets use the seed of the run.
    ///
    /// # Errors
    /// A target that the method refuses; [`crate::Error::Cancelled`].
    fn weigh(&mut self, features: &[usize], targets: &[Target], run: &Run)
    -> Result<Vec<Vec<f64>>>;

    /// Why the method is refitted for every target; `None` if its neighbors are found once.
    fn refit_reason(&self) -> Option<&str>;
}

/// How a method computes weights for many targets.
pub enum Sharing<'p> {
    /// From neighbors that are found once.
    Shared(Shared<'p>),
    /// By a separate fit for every target, for the given reason.
    FitForEachTarget(&'static str),
}

/// Computes the weights of the features of a space under a target, from neighbors that do not
/// depend on it.
pub(crate) type Weigh<'p> =
    Box<dyn Fn(&Space<'_>, &FixedNeighbors, &Target, &Run) -> Result<Vec<f64>> + Send + Sync + 'p>;

/// A method with its neighbors, for any target.
pub struct Shared<'p> {
    table: &'p Table<'p>,
    space: SpaceOptions,
    neighbors: FixedNeighbors,
    weigh: Weigh<'p>,
    /// If two classes require only sums over hits and misses: how far rows count, if there are any.
    two_classes: Option<Far>,
    /// Computes the weights from the margins of all features.
    finish: Option<fn(Vec<f64>) -> Vec<f64>>,
}

impl<'p> Shared<'p> {
    /// Creates the method from its neighbors and the function that computes weights from them.
    pub(crate) fn new(
        table: &'p Table<'p>,
        space: SpaceOptions,
        neighbors: FixedNeighbors,
        weigh: Weigh<'p>,
    ) -> Self {
        Self { table, space, neighbors, weigh, two_classes: None, finish: None }
    }

    /// Declares that, for two classes, the weights are the mean difference to misses minus that to
    /// hits, with far rows counted as `far` if there are any.
    #[must_use]
    pub(crate) fn of_hits_and_misses(self, far: Far) -> Self {
        Self { two_classes: Some(far), ..self }
    }

    /// Computes the weights from the margins of all features with `finish`.
    #[must_use]
    pub(crate) fn followed_by(self, finish: fn(Vec<f64>) -> Vec<f64>) -> Self {
        Self { finish: Some(finish), ..self }
    }
}

/// Why neighbors depend on the target, if the space makes them do so.
pub(crate) fn obstacle(problem: &Problem<'_>, space: &SpaceOptions) -> Option<&'static str> {
    let misses = |column: &Column<'_>| column.missing() > 0;
    let by_class = space.missing == MissingPolicy::Expected
        && matches!(problem.target(), Target::Classes(_))
        && problem.table().columns().iter().any(misses);
    by_class.then_some("the expected differences to missing values depend on the classes")
}

/// The grouping of neighbors for a target.
fn grouping(target: &Target) -> Grouping<'_> {
    match target {
        Target::Classes(classes) => Grouping::PerClass(classes.codes(), classes.len()),
        Target::Real(_) => Grouping::All,
    }
}

/// The proportion of rows in the smallest class; 1 without classes.
pub(crate) fn least_share(target: &Target) -> f64 {
    match target {
        Target::Classes(classes) => classes.shares().into_iter().fold(1.0, f64::min),
        Target::Real(_) => 1.0,
    }
}

impl WeighTargets for Shared<'_> {
    fn weigh(
        &mut self,
        features: &[usize],
        targets: &[Target],
        run: &Run,
    ) -> Result<Vec<Vec<f64>>> {
        let all = features.len() == self.table.width();
        let part = (!all && self.finish.is_none()).then(|| self.table.select_columns(features));
        let table = part.as_ref().unwrap_or(self.table);
        let space = Space::new(table, None, self.space, run)?;
        // Neighbors are those in the space of all features, selected or not.
        let whole = || Space::new(self.table, None, self.space, run);
        let silent = run.part(run.seed());
        let together = match self.two_classes {
            Some(far) => permuted_margins(&space, &whole, &mut self.neighbors, far, targets, run)?,
            None => None,
        };
        let found = match together {
            Some(found) => found,
            None => {
                for target in targets {
                    self.neighbors.extend_for(grouping(target), &whole, &silent)?;
                }
                let one = |target: &Target| {
                    run.check()?;
                    let weights = (self.weigh)(&space, &self.neighbors, target, &silent)?;
                    run.progress().advance(1);
                    Ok(weights)
                };
                run.install(|| targets.par_iter().map(one).collect::<Result<Vec<_>>>())?
            }
        };
        let finished = |mut weights: Vec<f64>| {
            if let Some(finish) = self.finish {
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

/// The weights of some features.
pub(super) fn selected(weights: &[f64], features: &[usize]) -> Vec<f64> {
    features.iter().map(|&feature| weights[feature]).collect()
}

/// The classes of a target that is known to have classes.
///
/// # Errors
/// A numeric target.
pub(crate) fn classes_of(target: &Target) -> Result<&Classes> {
    target.classes("the permuted method")
}
