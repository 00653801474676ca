//! Weighting methods as maps.

use super::learn::{Coordinates, Directions, Frame, Learn};
use super::{MethodInfo, Problem, Settings};
use crate::data::{DenseMatrix, Target};
use crate::error::Result;
use crate::order::descending;
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;

/// Code of the warning that no feature has a positive weight.
const NO_WEIGHT: &str = "no-positive-margin";

/// A weighting method as a map: features (or the coordinates of a basis) scaled by the square roots
/// of their weights, in descending order of weight. Those without a positive weight are excluded.
///
/// Over the features, the weights are those of the ranking, which divides every feature by its
/// range, and so does the map. The coordinates of a basis have a common unit and keep it.
#[derive(Debug, Clone)]
pub struct Weighted {
    info: &'static MethodInfo,
    settings: Settings,
}

impl Weighted {
    /// A method with its options.
    pub fn new(info: &'static MethodInfo, settings: Settings) -> Self {
        Self { info, settings }
    }
}

impl Learn for Weighted {
    fn name(&self) -> &'static str {
        self.info.name
    }

    fn frame(&self) -> Frame {
        // Weights belong to the features, and change if these are rotated.
        Frame::Features
    }

    fn learn(
        &self,
        coordinates: &Coordinates<'_>,
        _components: usize,
        report: &mut Report,
        run: &Run,
    ) -> Result<Directions> {
        let target = Target::Classes(coordinates.classes()?.clone());
        let table = if coordinates.are_features() {
            coordinates.table_in_own_units()?
        } else {
            coordinates.table()?
        };
        let problem = Problem::new(&table, &target)?;
        let weights = (self.info.build)(&self.settings)?.weigh(&problem, report, run)?;
        let mut units = vec![1.0; weights.len()];
        if coordinates.are_features() {
            units = coordinates.ranges();
        }
        let found = scaled_axes(&weights, &units);
        let said = |warning: &Warning| warning.code() == NO_WEIGHT;
        if found.matrix.rows() == 0 && !report.warnings.iter().any(said) {
            report.warnings.push(Warning::new(
                NO_WEIGHT,
                "no feature has a positive weight: the map has no component",
            ));
        }
        Ok(found)
    }
}

/// The map whose rows are the axes of positive weight, each scaled by the square root of its weight
/// divided by its unit, in descending order of weight. The weights are the eigenvalues.
pub(super) fn scaled_axes(weights: &[f64], units: &[f64]) -> Directions {
    let mut order = descending(weights);
    order.retain(|&axis| weights[axis] > 0.0);
    let mut matrix = DenseMatrix::zeros(order.len(), weights.len());
    for (row, &axis) in order.iter().enumerate() {
        matrix.row_mut(row)[axis] = weights[axis].sqrt() / units[axis];
    }
    let eigenvalues = order.iter().map(|&axis| weights[axis]).collect();
    Directions { matrix, eigenvalues, discriminant_power: None }
}
