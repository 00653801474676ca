//! The variance of a feature's estimated range.

use std::f64::consts::PI;

use super::influences::Units;
use crate::data::ColumnKind;
use crate::differences::{Form, Space};

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
pub(crate) fn range_variances(space: &Space<'_>, units: Units<'_>) -> Vec<f64> {
    let mut values = Vec::new();
    let of_feature = |feature: usize| {
        let rule = space.features()[feature].rule;
        // Levels of an order have a declared range.
        let is_number = space.table().columns()[feature].kind() == ColumnKind::Numeric;
        if !is_number || rule.number().is_none() || rule.form() == Form::Nothing {
            return 0.0;
        }
        space.copy_scaled(feature, &mut values);
        let variance = |sign: f64| {
            let mut largest = vec![f64::NEG_INFINITY; units.count];
            for (&value, &unit) in values.iter().zip(units.of_rows) {
                // Missing values are skipped.
                let largest = &mut largest[unit as usize];
                *largest = largest.max(sign * value);
            }
            largest.retain(|value| value.is_finite());
            let spacings = SPACINGS.min((largest.len() / 4).max(1));
            if largest.len() > spacings + 1 {
                largest.select_nth_unstable_by(spacings, |a, b| b.total_cmp(a));
                largest.truncate(spacings + 1);
            }
            largest.sort_unstable_by(|a, b| b.total_cmp(a));
            let scaled =
                largest.windows(2).zip(1..).map(|(pair, k)| f64::from(k) * (pair[0] - pair[1]));
            let scale = scaled.sum::<f64>() / spacings as f64;
            scale * scale * PI * PI / 6.0
        };
        variance(1.0) + variance(-1.0)
    };
    (0..space.width()).map(of_feature).collect()
}
