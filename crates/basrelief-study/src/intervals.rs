//! 95 % intervals of weights in tables, JSON, CSV and pages.

use basrelief::inference::WeightIntervals;
use serde_json::{Value, json};

use crate::text::{ALWAYS, TableColumn, counted, rounded};

/// Significant digits of limits in tables.
const DIGITS: usize = 3;

/// The head of the columns of CSV.
pub(crate) const CSV_HEAD: &str = ",standard_error,lower_limit,upper_limit";

/// The intervals of some features, as a column of a table.
pub(crate) fn column(intervals: &WeightIntervals, features: &[usize]) -> TableColumn {
    let cell = |&feature: &usize| {
        let (lower, upper) = intervals.limits[feature];
        format!("{} to {}", rounded(lower, DIGITS), rounded(upper, DIGITS))
    };
    TableColumn {
        heads: ["95 % interval", "95 %"],
        cells: features.iter().map(cell).collect(),
        importance: ALWAYS,
    }
}

/// The quantity that the intervals cover, in words.
pub(crate) fn summary(intervals: &WeightIntervals) -> String {
    let units = counted(intervals.units, if intervals.are_groups { "group" } else { "row" });
    format!("the mean weight over samples of {units} (infinitesimal jackknife)")
}

/// The interval of one feature, in JSON.
pub(crate) fn feature_json(
    intervals: &WeightIntervals,
    feature: usize,
) -> [(&'static str, Value); 2] {
    let (lower, upper) = intervals.limits[feature];
    [
        ("standard_error", json!(intervals.errors[feature])),
        ("weight_interval", json!([lower, upper])),
    ]
}

/// The level of the intervals, the number of independent rows or groups, and the time, in JSON.
pub(crate) fn json(intervals: &WeightIntervals) -> Value {
    let units = if intervals.are_groups { "groups" } else { "rows" };
    json!({
        "level": 0.95,
        "count": intervals.units,
        "of": units,
        "seconds": intervals.seconds,
    })
}

/// The columns of CSV for one feature.
pub(crate) fn csv(intervals: &WeightIntervals, feature: usize) -> String {
    let (lower, upper) = intervals.limits[feature];
    format!(",{:?},{lower:?},{upper:?}", intervals.errors[feature])
}
