//! In which units numbers are taken, so that distances are whole numbers where they can be.

use basrelief_kernels::RowTile;

use super::grid;
use super::space::Space;

/// In which units numbers are taken, so that distances are whole numbers where they can be.
pub(crate) struct Units {
    /// Units in the range of a feature; 1 where the columns' grids have no common step.
    pub(crate) unit: f64,
    /// Whether all numbers are on grids, and so are whole numbers of units.
    pub(crate) all_on_grid: bool,
    /// Whether sums of differences can be exact.
    exact: bool,
    ramp: bool,
}

impl Units {
    /// The units of some numeric features of a space in which `active` features count.
    pub(crate) fn of(space: &Space<'_>, numbers: &[usize], active: usize) -> Self {
        // A continuous column is a multiple of the unit like any other; where two rows are equal in
        // it, or do not know it, the rest of their distance is still a whole number.
        let steps: Vec<u64> =
            numbers.iter().filter_map(|&feature| steps_of(space, feature)).collect();
        let all_on_grid = steps.len() == numbers.len();
        let ramp = space.options().ramp.is_some();
        let square = space.options().metric.is_euclidean();
        let exact = (!ramp)
            .then(|| grid::common_denominator(steps.into_iter(), 2, active.max(1), square))
            .flatten();
        Self {
            unit: exact.unwrap_or(1.0),
            all_on_grid: all_on_grid && exact.is_some(),
            exact: exact.is_some(),
            ramp,
        }
    }

    /// Replaces `values` by a feature's numbers in these units; returns what a ramp multiplies
    /// their differences by.
    pub(crate) fn copy(&self, space: &Space<'_>, feature: usize, values: &mut Vec<f64>) -> f64 {
        space.copy_scaled(feature, values);
        self.convert(space, feature, values)
    }

    /// Brings a feature's scaled numbers into these units; returns what [`copy`](Self::copy) does.
    pub(crate) fn convert(&self, space: &Space<'_>, feature: usize, values: &mut [f64]) -> f64 {
        match steps_of(space, feature) {
            // With a ramp a value is a number of grid steps where there is a grid, so that equal
            // steps make equal differences; without one it is a multiple of the unit.
            Some(steps) if self.ramp => {
                values.iter_mut().for_each(|value| *value = (*value * steps as f64).round());
                1.0 / steps as f64
            }
            Some(_) if self.exact => {
                values.iter_mut().for_each(|value| *value = (*value * self.unit).round());
                1.0
            }
            _ if self.exact => {
                values.iter_mut().for_each(|value| *value *= self.unit);
                1.0
            }
            _ => 1.0,
        }
    }

    /// As [`convert`](Self::convert) of some features' values without a ramp, in the lanes of a tile.
    pub(crate) fn convert_tile(&self, space: &Space<'_>, features: &[usize], tile: &mut [RowTile]) {
        if !self.exact {
            return;
        }
        // All lanes at once: those without a feature are 0, and stay so.
        for RowTile(values) in &mut *tile {
            values.iter_mut().for_each(|value| *value *= self.unit);
        }
        for (lane, &feature) in features.iter().enumerate() {
            if steps_of(space, feature).is_some() {
                tile.iter_mut().for_each(|RowTile(values)| values[lane] = values[lane].round());
            }
        }
    }
}

/// Steps of the grid that a feature's numbers lie on, if they do.
fn steps_of(space: &Space<'_>, feature: usize) -> Option<u64> {
    space.features()[feature].rule.number().and_then(|number| number.steps)
}

/// Rounds a distance to 36 bits, 1.5e-11 of itself.
///
/// Distances that are equal but for the rounding of their sums become equal: a ramp, a missing
/// value or columns without a common grid would else break ties at random. Whole numbers below
/// [`grid::EXACT`] stay as they are.
pub(crate) fn round(distance: f64) -> f64 {
    const DROPPED: u64 = (1 << 16) - 1;
    if distance.is_finite() {
        f64::from_bits((distance.to_bits() + (DROPPED / 2 + 1)) & !DROPPED)
    } else {
        distance
    }
}

/// The distance that the kernels' sum and both rows' corrections make.
pub(crate) fn with_corrections(sum: f64, corrections: f64) -> f64 {
    // Rounding must not lead below 0.
    (sum + corrections).max(0.0)
}

/// Codes missing numbers as 0.
pub(crate) fn code_missing(values: &mut [f64]) {
    // Every one is written, so that many are at once.
    values.iter_mut().for_each(|value| *value = if value.is_nan() { 0.0 } else { *value });
}
