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
    multiversion!(
        level,
        fn(
            rule: LineRule,
            columns: &[&[f64]],
            weights: &[f64],
            own: usize,
            first: usize,
            out: &mut [f64],
        ) weighted
    );
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
    multiversion!(
        level,
        fn(
            rule: LineRule,
            columns: &[&[f64]],
            coefficients: &[f64],
            own: usize,
            first: usize,
            sums: &mut [f64],
        ) products
    );
}

/// Adds a line to those of some rows, of which one begins every `width` sums: `line[j]` to every
/// `out[row * width + j]`.
///
/// # Panics
/// Rows that are not there, or a `level` that this machine does not have.
pub fn add_to_rows(level: Level, line: &[f64], rows: &[u32], width: usize, out: &mut [f64]) {
    multiversion!(level, fn(line: &[f64], rows: &[u32], width: usize, out: &mut [f64]) to_rows);
}

#[inline(always)]
fn to_rows(line: &[f64], rows: &[u32], width: usize, out: &mut [f64]) {
    for &row in rows {
        let out = &mut out[row as usize * width..][..line.len()];
        out.iter_mut().zip(line).for_each(|(sum, value)| *sum += value);
    }
}

#[inline(always)]
fn ramp(ramp: RampRule, a: f64, b: f64) -> f64 {
    (((a - b).abs() - ramp.equal) / (ramp.different - ramp.equal)).clamp(0.0, 1.0)
}

#[inline(always)]
fn weighted(
    rule: LineRule,
    columns: &[&[f64]],
    weights: &[f64],
    own: usize,
    first: usize,
    out: &mut [f64],
) {
    match rule {
        LineRule::Absolute => {
            weighted_by(columns, weights, own, first, out, |a, b| (a - b).abs());
        }
        LineRule::Square => {
            weighted_by(columns, weights, own, first, out, |a, b| (a - b) * (a - b));
        }
        LineRule::Mismatch => {
            weighted_by(columns, weights, own, first, out, |a, b| f64::from(u8::from(a != b)));
        }
        LineRule::Ramp(rule) => {
            weighted_by(columns, weights, own, first, out, |a, b| ramp(rule, a, b));
        }
        LineRule::RampSquare(rule) => {
            weighted_by(columns, weights, own, first, out, |a, b| {
                let value = ramp(rule, a, b);
                value * value
            });
        }
    }
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

#[inline(always)]
fn products(
    rule: LineRule,
    columns: &[&[f64]],
    coefficients: &[f64],
    own: usize,
    first: usize,
    sums: &mut [f64],
) {
    match rule {
        LineRule::Absolute => {
            products_by(columns, coefficients, own, first, sums, |a, b| (a - b).abs());
        }
        LineRule::Square => {
            products_by(columns, coefficients, own, first, sums, |a, b| (a - b) * (a - b));
        }
        LineRule::Mismatch => {
            products_by(columns, coefficients, own, first, sums, |a, b| {
                f64::from(u8::from(a != b))
            });
        }
        LineRule::Ramp(rule) => {
            products_by(columns, coefficients, own, first, sums, |a, b| ramp(rule, a, b));
        }
        LineRule::RampSquare(rule) => {
            products_by(columns, coefficients, own, first, sums, |a, b| {
                let value = ramp(rule, a, b);
                value * value
            });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_gives_the_sums_of_the_definition() {
        let columns: Vec<Vec<f64>> = (0..7_u32)
            .map(|f| (0..101_u32).map(|row| f64::from((row * 37 + f * 11) % 10) / 10.0).collect())
            .collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let weights: Vec<f64> = (0..7).map(|f| 0.3 + f64::from(f)).collect();
        let coefficients: Vec<f64> = (0..90).map(|j| f64::from(j % 7) - 2.5).collect();
        let slope = RampRule { equal: 0.15, different: 0.55 };
        let rules = [
            LineRule::Absolute,
            LineRule::Square,
            LineRule::Mismatch,
            LineRule::Ramp(slope),
            LineRule::RampSquare(slope),
        ];
        for rule in rules {
            let value = |f: usize, j: usize| {
                let d = (columns[f][5] - columns[f][10 + j]).abs();
                let ramped = ((d - 0.15) / (0.55 - 0.15)).clamp(0.0, 1.0);
                match rule {
                    LineRule::Absolute => d,
                    LineRule::Square => d * d,
                    LineRule::Mismatch => f64::from(u8::from(d != 0.0)),
                    LineRule::Ramp(_) => ramped,
                    LineRule::RampSquare(_) => ramped * ramped,
                }
            };
            let mut first: Option<(Vec<f64>, Vec<f64>)> = None;
            for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
                let (mut out, mut sums) = (vec![1.0; 90], vec![2.0; 7]);
                add_weighted_differences(level, rule, &columns, &weights, 5, 10, &mut out);
                add_difference_products(level, rule, &columns, &coefficients, 5, 10, &mut sums);
                for (j, sum) in out.iter().enumerate() {
                    let want: f64 = (0..7).map(|f| weights[f] * value(f, j)).sum();
                    assert!((sum - 1.0 - want).abs() < 1e-13);
                }
                for (f, sum) in sums.iter().enumerate() {
                    let want: f64 = (0..90).map(|j| coefficients[j] * value(f, j)).sum();
                    assert!((sum - 2.0 - want).abs() < 1e-12);
                }
                let found = (out, sums);
                assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{rule:?}");
            }
        }
    }
}
