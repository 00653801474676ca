//! One table and many targets: what does not depend on the target is found once.

use rayon::prelude::*;

use super::Problem;
use crate::data::{Classes, Column, Table, Target};
use crate::differences::{MissingPolicy, Space, SpaceOptions};
use crate::error::Result;
use crate::margins::{Far, permuted_margins};
use crate::neighbors::{FixedNeighbors, Grouping};
use crate::run::Run;

/// A method that is prepared for many targets of one table.
pub trait WeighTargets: Send {
    /// For every target, the weights of some features: numbers of columns, ascending. The seed is that of
    /// the run, for all targets.
    ///
    /// # Errors
    /// What the method says of a target; [`crate::Error::Cancelled`].
    fn weigh(&mut self, features: &[usize], targets: &[Target], run: &Run)
    -> Result<Vec<Vec<f64>>>;

    /// Why the method is fitted again for every target; `None` where its neighbors are found once.
    fn refit_reason(&self) -> Option<&str>;
}

/// How a method weighs features for many targets.
pub enum Sharing<'p> {
    /// With neighbors that are found once.
    Shared(Shared<'p>),
    /// By a fit for every target, for that reason.
    FitForEachTarget(&'static str),
}

/// The weights of the features of a space under a target, from neighbors that do not depend on it.
pub(crate) type Weigh<'p> =
    Box<dyn Fn(&Space<'_>, &FixedNeighbors, &Target, &Run) -> Result<Vec<f64>> + Send + Sync + 'p>;

/// A method with its neighbors, for any target.
pub struct Shared<'p> {
    table: &'p Table<'p>,
    space: SpaceOptions,
    neighbors: FixedNeighbors,
    weigh: Weigh<'p>,
    /// Where of two classes only hits and misses tell, what far rows count if there are some.
    two_classes: Option<Far>,
    /// What makes weights of all features' margins.
    finish: Option<fn(Vec<f64>) -> Vec<f64>>,
}

impl<'p> Shared<'p> {
    /// From the neighbors, and what makes weights of them.
    pub(crate) fn new(
        table: &'p Table<'p>,
        space: SpaceOptions,
        neighbors: FixedNeighbors,
        weigh: Weigh<'p>,
    ) -> Self {
        Self { table, space, neighbors, weigh, two_classes: None, finish: None }
    }

    /// Says that of two classes the weights are the mean difference to misses less that to hits, and that of
    /// far rows where there are some.
    #[must_use]
    pub(crate) fn of_hits_and_misses(self, far: Far) -> Self {
        Self { two_classes: Some(far), ..self }
    }

    /// Makes the weights of all features' margins by `finish`.
    #[must_use]
    pub(crate) fn followed_by(self, finish: fn(Vec<f64>) -> Vec<f64>) -> Self {
        Self { finish: Some(finish), ..self }
    }
}

/// Why neighbors depend on the target, as far as the space does.
pub(crate) fn obstacle(problem: &Problem<'_>, space: &SpaceOptions) -> Option<&'static str> {
    let misses = |column: &Column<'_>| column.missing() > 0;
    let by_class = space.missing == MissingPolicy::Expected
        && matches!(problem.target(), Target::Classes(_))
        && problem.table().columns().iter().any(misses);
    by_class.then_some("the expected differences to missing values depend on the classes")
}

/// The grouping of a target.
fn grouping(target: &Target) -> Grouping<'_> {
    match target {
        Target::Classes(classes) => Grouping::PerClass(classes.codes(), classes.len()),
        Target::Real(_) => Grouping::All,
    }
}

/// The least share of the rows that a class has; 1 without classes.
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
        // Neighbors are those in the space of all features.
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

/// The classes of a target that is known to have some.
///
/// # Errors
/// A real target.
pub(crate) fn classes_of(target: &Target) -> Result<&Classes> {
    target.classes("the permuted method")
}
