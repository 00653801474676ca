//! The variance of a feature's estimated range.

use std::f64::consts::PI;

use super::influences::Units;
use crate::data::ColumnKind;
use crate::differences::{Form, Space};
use crate::parallel;
use crate::run::Run;

/// Spacings from which the variance of a largest value is estimated, if there are at least four times as many units.
const SPACINGS: usize = 10;

/// The variance of the range of every feature, relative to the squared range; 0 where the range is not estimated.
///
/// Differences of numbers are divided by the range, so that a weight has the relative error of the range in addition
/// to its own. The k-th spacing below the largest value has the mean s / k if the tail of the distribution is exponential,
/// and the variance of the largest value is then `s² π² / 6`. For distributions with bounds s is near 0. The largest and
/// smallest values are those of units.
///
/// Source: H. A. David and H. N. Nagaraja. Order Statistics. Wiley 2003, chapter 10.
pub(crate) fn range_variances(space: &Space<'_>, units: Units<'_>, run: &Run) -> Vec<f64> {
    let are_rows = units.of_rows.iter().zip(0..).all(|(unit, row)| *unit == row);
    let of_feature = |(values, of_units): &mut (Vec<f64>, Vec<f64>), feature: usize| {
        let rule = space.features()[feature].rule;
        // Levels of an order have a declared range.
        let is_number = space.table().columns()[feature].kind() == ColumnKind::Numeric;
        if !is_number || rule.number().is_none() || rule.form() == Form::Nothing {
            return 0.0;
        }
        space.copy_scaled(feature, values);
        let mut variance = |sign: f64| {
            if are_rows {
                return variance_of_largest(values.iter().map(|value| sign * value));
            }
            of_units.clear();
            of_units.resize(units.count, f64::NEG_INFINITY);
            for (&value, &unit) in values.iter().zip(units.of_rows) {
                // Missing values are skipped.
                let largest = &mut of_units[unit as usize];
                *largest = largest.max(sign * value);
            }
            variance_of_largest(of_units.iter().copied())
        };
        variance(1.0) + variance(-1.0)
    };
    run.install(|| parallel::map_with(0..space.width(), of_feature))
}

/// The variance of the largest of some values, from the spacings of the largest ones; values that are not finite are
/// missing.
fn variance_of_largest(values: impl Iterator<Item = f64>) -> f64 {
    // Descending.
    let (mut largest, mut known) = ([f64::NEG_INFINITY; SPACINGS + 1], 0);
    for value in values {
        known += usize::from(value.is_finite());
        if value > largest[SPACINGS] {
            let place = largest.partition_point(|other| *other >= value);
            largest.copy_within(place..SPACINGS, place + 1);
            largest[place] = value;
        }
    }
    let spacings = SPACINGS.min((known / 4).max(1));
    let largest = &largest[..known.min(spacings + 1)];
    let scaled = largest.windows(2).zip(1..).map(|(pair, k)| f64::from(k) * (pair[0] - pair[1]));
    let scale = scaled.sum::<f64>() / spacings as f64;
    scale * scale * PI * PI / 6.0
}
