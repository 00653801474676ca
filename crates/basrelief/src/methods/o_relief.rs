//! Orthogonal Relief.

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::options::{METRIC_EUCLIDEAN, ONE_NEIGHBOR, TIES};
use super::registry::LearnerInfo;
use super::shared::{metric_from_settings, ties_from_settings};
use super::weighted::scaled_axes;
use super::{Problem, ReliefMargin};
use crate::algebra::{gram, product, row_products, symmetric_eigen};
use crate::data::Target;
use crate::error::Result;
use crate::neighbors::{Metric, Ties};
use crate::report::Report;
use crate::run::Run;

/// O-RELIEF (Chang 2010, table 1): the rows are rotated to their principal axes, Relief weighs
/// these, and the map scales each by the root of its weight.
///
/// The weights are those of [`ReliefMargin`] in the rotated coordinates, all in one unit: the
/// positive part of the mean difference to the nearest misses less that to the nearest hits, of
/// unit length. They are the map's eigenvalues; axes without a positive weight are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ORelief {
    /// Nearest hits and misses of a row, at least 1.
    pub n_neighbors: usize,
    /// In which metric rows are near.
    pub metric: Metric,
    /// Who counts among rows at equal distance.
    pub ties: Ties,
}

impl Default for ORelief {
    fn default() -> Self {
        Self { n_neighbors: 1, metric: Metric::Euclidean, ties: Ties::Share }
    }
}

impl Learn for ORelief {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let axes = symmetric_eigen(&gram(coordinates.values()), run)?.vectors;
        let rotated = row_products(coordinates.values(), &axes);
        let rotated = Coordinates::new(rotated, Some(coordinates.classes()?));
        let relief = AxisRelief {
            name: INFO.name,
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            ties: self.ties,
        };
        let mut found = relief.directions(&rotated, report, run)?;
        found.matrix = product(&found.matrix, &axes);
        Ok(found)
    }
}

/// The margin form of Relief on the axes of whatever coordinates there are, all in one unit.
pub(super) struct AxisRelief {
    pub(super) name: &'static str,
    pub(super) n_neighbors: usize,
    pub(super) metric: Metric,
    pub(super) ties: Ties,
}

impl AxisRelief {
    fn directions(
        &self,
        coordinates: &Coordinates<'_>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let table = coordinates.table()?;
        let target = Target::Classes(coordinates.classes()?.clone());
        let mut relief = ReliefMargin::default();
        relief.nearest.n_neighbors = self.n_neighbors;
        relief.nearest.space.metric = self.metric;
        relief.nearest.ties = self.ties;
        let weights = relief.weights(&Problem::new(&table, &target)?, report, run)?;
        Ok(scaled_axes(&weights, &vec![1.0; weights.len()]))
    }
}

impl Learn for AxisRelief {
    fn name(&self) -> &'static str {
        self.name
    }

    fn frame(&self) -> Frame {
        // The axes of the basis are what is weighed.
        Frame::Features
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        self.directions(coordinates, report, run)
    }
}

/// Registry entry.
pub(crate) static INFO: LearnerInfo = LearnerInfo {
    name: "o-relief",
    supervised: true,
    cost: "n² p + p³",
    purpose: "Relief weights of the principal axes",
    source: "Chang 2010, table 1",
    options: &[&ONE_NEIGHBOR, &METRIC_EUCLIDEAN, &TIES],
    choose: &[&ONE_NEIGHBOR],
    build: |settings| {
        Ok(Box::new(ORelief {
            n_neighbors: settings.count(&ONE_NEIGHBOR)?,
            metric: metric_from_settings(settings)?,
            ties: ties_from_settings(settings)?,
        }))
    },
};
