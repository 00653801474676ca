//! The units of numbers, chosen so that distances are integers where possible.

use std::num::NonZeroU64;

use basrelief_kernels::RowTile;

use super::grid;
use super::space::Space;

/// The units of numbers, chosen so that distances are integers where possible.
#[derive(Debug, Clone)]
pub(crate) struct Units {
    /// Number of units in the range of a feature; 1 if the columns' grids have no common step.
    pub(crate) unit: f64,
    /// Whether all numbers lie on grids, and so are integer multiples of the unit.
    pub(crate) all_on_grid: bool,
    /// Whether sums of differences can be exact.
    exact: bool,
    ramp: bool,
}

impl Units {
    /// The units of some numeric features of a space with `active` non-constant features.
    pub(crate) fn new(space: &Space<'_>, numbers: &[usize], active: usize) -> Self {
        // A continuous column is a multiple of the unit like any other; where two rows are equal in
        // it, or one of them is missing, the rest of their distance is still an integer.
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

    /// Replaces `values` by a feature's numbers in these units; returns the factor that a ramp
    /// applies to their differences.
    pub(crate) fn copy(&self, space: &Space<'_>, feature: usize, values: &mut Vec<f64>) -> f64 {
        space.copy_scaled(feature, values);
        self.convert(space, feature, values)
    }

    /// Converts a feature's scaled numbers into these units; returns the same factor as
    /// [`copy`](Self::copy).
    pub(crate) fn convert(&self, space: &Space<'_>, feature: usize, values: &mut [f64]) -> f64 {
        match steps_of(space, feature) {
            // With a ramp, a value on a grid becomes its number of grid steps, so that equal steps
            // give equal differences; without a ramp it is a multiple of the unit.
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

    /// As [`convert`](Self::convert) for several features without a ramp, in the lanes of a tile.
    pub(crate) fn convert_tile(&self, space: &Space<'_>, features: &[usize], tile: &mut [RowTile]) {
        if !self.exact {
            return;
        }
        // All lanes at once: those without a feature are 0, and stay 0.
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

/// Number of steps of the grid that a feature's numbers lie on, if any.
fn steps_of(space: &Space<'_>, feature: usize) -> Option<u64> {
    space.features()[feature].rule.number().and_then(|number| number.steps).map(NonZeroU64::get)
}

/// Rounds a distance to 36 bits, a relative error of at most 1.5e-11.
///
/// Distances that differ only by the rounding of their sums become equal: a ramp, a missing value
/// or columns without a common grid would otherwise break ties at random. Integers below
/// [`grid::EXACT`] stay unchanged.
pub(crate) fn round(distance: f64) -> f64 {
    const DROPPED: u64 = (1 << 16) - 1;
    if distance.is_finite() {
        f64::from_bits((distance.to_bits() + (DROPPED / 2 + 1)) & !DROPPED)
    } else {
        distance
    }
}

/// The distance from the kernels' sum and the corrections of both rows.
pub(crate) fn with_corrections(sum: f64, corrections: f64) -> f64 {
    // Rounding must not produce a value below 0.
    (sum + corrections).max(0.0)
}

/// Codes missing numbers as 0.
pub(crate) fn code_missing(values: &mut [f64]) {
    // Every value is written, so that the loop is vectorized.
    values.iter_mut().for_each(|value| *value = if value.is_nan() { 0.0 } else { *value });
}
