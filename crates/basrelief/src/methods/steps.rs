//! A weighting as data: which neighbors are sought in which space, and what makes weights of them. A fit
//! composes the two; [`crate::distribute`] does them apart, on many machines.

use super::Problem;
use crate::data::Table;
use crate::error::Result;
use crate::margins::SumPlan;
use crate::neighbors::{
    Feature, Grouping, NeighborRule, NeighborSearch, Neighborhoods, PairSource, RadiusNeighbors,
    Space, SpaceOptions,
};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

/// A method whose weights come from a search for neighbors, once, and sums over them.
pub trait Stepwise {
    /// The steps for a problem; warnings go to the report.
    ///
    /// # Errors
    /// What the method says of the problem before it looks for neighbors.
    fn steps<'p>(&self, problem: &Problem<'p>, report: &mut Report, run: &Run)
    -> Result<Steps<'p>>;
}

/// The two steps of a weighting.
pub struct Steps<'p> {
    /// The features.
    pub(crate) table: &'p Table<'p>,
    /// The rows whose neighbors are sought, ascending.
    pub(crate) sampled: Vec<u32>,
    /// The classes that differences to missing values are expected by, and their number.
    pub(crate) conditional: Option<(&'p [u32], usize)>,
    /// How two rows differ.
    pub(crate) space: SpaceOptions,
    /// The groups in which neighbors are sought.
    pub(crate) grouping: Grouping<'p>,
    /// Which rows are neighbors.
    pub(crate) rule: NeighborRule,
    /// The search for the k nearest where a caller asks for one.
    pub(crate) search: Option<NeighborSearch>,
    /// Whether the weight of a feature needs no other feature, the neighbors being found.
    pub(crate) columns_apart: bool,
    /// What makes weights of the features of a space from neighbors that were found in the space of all.
    pub(crate) weigh: WeighPairs<'p>,
}

/// See [`Steps::weigh`].
pub(super) type WeighPairs<'p> =
    Box<dyn Fn(&Space<'_>, &dyn PairSource, &Run) -> Result<WeighedPairs> + Send + Sync + 'p>;

/// Weights, and how they came about.
pub(crate) struct WeighedPairs {
    /// A weight per feature of the space.
    pub(crate) weights: Vec<f64>,
    /// Whether no row has a near row, where that is possible.
    pub(crate) nobody_near: bool,
    /// How differences were added up.
    pub(crate) plan: SumPlan,
}

impl WeighedPairs {
    /// Of neighbors that every row has.
    pub(crate) fn new((weights, plan): (Vec<f64>, SumPlan)) -> Self {
        Self { weights, nobody_near: false, plan }
    }
}

impl Steps<'_> {
    /// The space of a table that has some of the columns, or all.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn space_of<'t>(&self, table: &'t Table<'t>, run: &Run) -> Result<Space<'t>> {
        Space::new(table, self.conditional, self.space, run)
    }

    /// The space of some rows, from a table of them alone and what
    /// [`features_of`](Space::features_of) tells of them.
    pub(crate) fn space_of_rows<'t>(
        &self,
        table: &'t Table<'t>,
        rows: &[u32],
        features: Vec<Feature<'t>>,
    ) -> Space<'t> {
        let codes = self
            .conditional
            .map(|(codes, _)| rows.iter().map(|&row| codes[row as usize]).collect::<Vec<u32>>());
        Space::of_features(table, codes.as_deref(), self.space, features)
    }

    /// The weights of all features; the report says how.
    ///
    /// # Errors
    /// Too little memory; what the method says of the target; [`crate::Error::Cancelled`].
    pub(crate) fn fit(&self, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        let space = self.space_of(self.table, run)?;
        let found = match self.rule {
            NeighborRule::Nearest(options) => {
                let (sampled, grouping) = (&self.sampled, self.grouping);
                let found = match self.search {
                    Some(search) => {
                        Neighborhoods::find_by(search, &space, sampled, grouping, options, run)
                    }
                    None => Neighborhoods::find(&space, sampled, grouping, options, run),
                }?;
                report.search = Some(found.search());
                report.plan.search = Some(found.plan().clone());
                (self.weigh)(&space, &found, run)?
            }
            NeighborRule::Radius { rule, with_far } => {
                let (sampled, grouping) = (&self.sampled, self.grouping);
                let found = RadiusNeighbors::new(&space, sampled, grouping, rule, with_far, run)?;
                report.plan.search = Some(found.plan().clone());
                (self.weigh)(&space, &found, run)?
            }
        };
        Ok(found.told(report))
    }
}

impl WeighedPairs {
    /// The weights; the report says how they came about.
    pub(crate) fn told(self, report: &mut Report) -> Vec<f64> {
        report.plan.sums = Some(self.plan);
        if self.nobody_near {
            report.warnings.push(nobody_near());
        }
        self.weights
    }
}

/// That no row is near to any other.
pub(crate) fn nobody_near() -> Warning {
    Warning::new(
        "no-near-rows",
        "no row has another within its radius (all distances are equal): near rows count nothing",
    )
}
