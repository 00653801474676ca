//! One row against a line of rows, feature by feature, with weights that change from call to call.
//!
//! Columns are whole and in one order; a call looks at `out.len()` (or `coefficients.len()`)
//! rows from `first` on.

use crate::dispatch::multiversion;
use crate::{Level, RampRule, add_parts};

/// How the difference of two values counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LineRule {
    /// `|a - b|`.
    Absolute,
    /// `(a - b)^2`.
    Square,
    /// 0 if equal, else 1.
    Mismatch,
    /// `|a - b|` ramped.
    Ramp(RampRule),
    /// `|a - b|` ramped, then squared.
    RampSquare(RampRule),
}

/// Calls a function with its arguments and the difference of two values under a rule: a copy per rule
/// keeps the inner loop free of branches.
macro_rules! by_rule {
    ($rule:expr, $sums:ident($($argument:expr),*)) => {
        match $rule {
            LineRule::Absolute => $sums($($argument,)* |a, b| (a - b).abs()),
            LineRule::Square => $sums($($argument,)* |a, b| (a - b) * (a - b)),
            LineRule::Mismatch => $sums($($argument,)* |a, b| f64::from(u8::from(a != b))),
            LineRule::Ramp(rule) => $sums($($argument,)* |a, b| ramp(rule, a, b)),
            LineRule::RampSquare(rule) => $sums($($argument,)* |a, b| {
                let value = ramp(rule, a, b);
                value * value
            }),
        }
    };
}

/// Adds `sum_f weights[f] * difference(columns[f][own], columns[f][first + j])` to every `out[j]`.
///
/// The sum runs over the features in order.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_weighted_differences(
    level: Level,
    rule: LineRule,
    columns: &[&[f64]],
    weights: &[f64],
    own: usize,
    first: usize,
    out: &mut [f64],
) {
    assert_eq!(columns.len(), weights.len(), "one weight per column");
    multiversion!(level, |rule: LineRule,
                          columns: &[&[f64]],
                          weights: &[f64],
                          own: usize,
                          first: usize,
                          out: &mut [f64]| {
        by_rule!(rule, weighted_by(columns, weights, own, first, out));
    });
}

/// Adds `sum_j coefficients[j] * difference(columns[f][own], columns[f][first + j])` to every
/// `sums[f]`.
///
/// A feature's sum is taken in sixteen parts, whatever the instruction set, and the parts are
/// added in a fixed order.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_difference_products(
    level: Level,
    rule: LineRule,
    columns: &[&[f64]],
    coefficients: &[f64],
    own: usize,
    first: usize,
    sums: &mut [f64],
) {
    assert_eq!(columns.len(), sums.len(), "one sum per column");
    multiversion!(level, |rule: LineRule,
                          columns: &[&[f64]],
                          coefficients: &[f64],
                          own: usize,
                          first: usize,
                          sums: &mut [f64]| {
        by_rule!(rule, products_by(columns, coefficients, own, first, sums));
    });
}

/// Adds a line to those of some rows, of which one begins every `width` sums: `line[j]` to every
/// `out[row * width + j]`.
///
/// # Panics
/// Rows that are not there, or a `level` that this machine does not have.
pub fn add_to_rows(level: Level, line: &[f64], rows: &[u32], width: usize, out: &mut [f64]) {
    multiversion!(level, |line: &[f64], rows: &[u32], width: usize, out: &mut [f64]| {
        for &row in rows {
            let out = &mut out[row as usize * width..][..line.len()];
            out.iter_mut().zip(line).for_each(|(sum, value)| *sum += value);
        }
    });
}

#[inline(always)]
fn ramp(ramp: RampRule, a: f64, b: f64) -> f64 {
    (((a - b).abs() - ramp.equal) / (ramp.different - ramp.equal)).clamp(0.0, 1.0)
}

/// Features per pass: `out` is read and written once for each.
const FEATURES: usize = 4;

#[inline(always)]
fn weighted_by(
    columns: &[&[f64]],
    weights: &[f64],
    own: usize,
    first: usize,
    out: &mut [f64],
    difference: impl Fn(f64, f64) -> f64 + Copy,
) {
    let count = out.len();
    let part = |feature: usize| &columns[feature][first..first + count];
    let whole = columns.len() / FEATURES * FEATURES;
    for feature in (0..whole).step_by(FEATURES) {
        let (w0, w1) = (weights[feature], weights[feature + 1]);
        let (w2, w3) = (weights[feature + 2], weights[feature + 3]);
        let (a0, a1) = (columns[feature][own], columns[feature + 1][own]);
        let (a2, a3) = (columns[feature + 2][own], columns[feature + 3][own]);
        let (b0, b1) = (part(feature), part(feature + 1));
        let (b2, b3) = (part(feature + 2), part(feature + 3));
        for j in 0..count {
            out[j] = out[j]
                + w0 * difference(a0, b0[j])
                + w1 * difference(a1, b1[j])
                + w2 * difference(a2, b2[j])
                + w3 * difference(a3, b3[j]);
        }
    }
    for feature in whole..columns.len() {
        let (weight, a) = (weights[feature], columns[feature][own]);
        for (sum, &b) in out.iter_mut().zip(part(feature)) {
            *sum += weight * difference(a, b);
        }
    }
}

/// Parts of a sum: enough to hide the latency of an addition.
const PARTS: usize = 16;

#[inline(always)]
fn products_by(
    columns: &[&[f64]],
    coefficients: &[f64],
    own: usize,
    first: usize,
    sums: &mut [f64],
    difference: impl Fn(f64, f64) -> f64 + Copy,
) {
    let count = coefficients.len();
    for (column, total) in columns.iter().zip(sums) {
        let a = column[own];
        let values = &column[first..first + count];
        let mut parts = [0.0; PARTS];
        let (whole, rest) = coefficients.as_chunks::<PARTS>();
        let (whole_values, rest_values) = values.as_chunks::<PARTS>();
        for (c, b) in whole.iter().zip(whole_values) {
            for lane in 0..PARTS {
                parts[lane] += c[lane] * difference(a, b[lane]);
            }
        }
        for (lane, (c, b)) in rest.iter().zip(rest_values).enumerate() {
            parts[lane] += c * difference(a, *b);
        }
        *total += add_parts(parts);
    }
}
