//! One row against a line of rows, feature by feature, with weights that change from call to call.
//!
//! Columns are whole and in one order; a call looks at `out.len()` (or `coefficients.len()`)
//! rows from `first` on.

use crate::dispatch::multiversion;
use crate::{Level, RampRule};

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

/// Cases that [`add_cases`] tells apart.
pub const FEW_CASES: usize = 8;

/// Adds numbers by case to the lines of some rows: `numbers[cases[j]]` to every
/// `out[row * width + j]`. Of a case the lowest three bits count.
///
/// # Panics
/// Rows that are not there, or a `level` that this machine does not have.
pub fn add_cases(
    level: Level,
    cases: &[u8],
    numbers: &[f64; FEW_CASES],
    rows: &[u32],
    width: usize,
    out: &mut [f64],
) {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => {
            level.assert_available();
            // SAFETY: `assert_available` has just seen that the machine has AVX2.
            unsafe { avx2::add_cases(cases, numbers, rows, width, out) }
        }
        _ => add_cases_by(cases, rows, width, out, |cases| look_up(cases, numbers)),
    }
}

/// Numbers that [`add_cases`] looks up before it adds them.
const CASES_AT_ONCE: usize = 32;

/// As [`add_cases`]; `look_up` gives the numbers of some cases.
#[inline(always)]
fn add_cases_by(
    cases: &[u8],
    rows: &[u32],
    width: usize,
    out: &mut [f64],
    look_up: impl Fn(&[u8; CASES_AT_ONCE]) -> [f64; CASES_AT_ONCE],
) {
    let (whole, rest) = cases.as_chunks::<CASES_AT_ONCE>();
    let mut padded = [0; CASES_AT_ONCE];
    padded[..rest.len()].copy_from_slice(rest);
    for (part, cases) in whole.iter().enumerate() {
        let line = look_up(cases);
        for &row in rows {
            let out = &mut out[row as usize * width + part * CASES_AT_ONCE..][..CASES_AT_ONCE];
            out.iter_mut().zip(&line).for_each(|(sum, number)| *sum += number);
        }
    }
    if !rest.is_empty() {
        let line = look_up(&padded);
        for &row in rows {
            let out = &mut out[row as usize * width..][..cases.len()];
            let out = &mut out[whole.len() * CASES_AT_ONCE..];
            out.iter_mut().zip(&line).for_each(|(sum, number)| *sum += number);
        }
    }
}

fn look_up(cases: &[u8; CASES_AT_ONCE], numbers: &[f64; FEW_CASES]) -> [f64; CASES_AT_ONCE] {
    cases.map(|case| numbers[usize::from(case) % FEW_CASES])
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{CASES_AT_ONCE, FEW_CASES, add_cases_by};

    /// Four numbers twice.
    type Eight = [__m256d; 2];

    /// As [`super::add_cases`]: the lower and the upper halves of the numbers are looked up in a
    /// register each, and put together.
    #[target_feature(enable = "avx2")]
    pub(super) fn add_cases(
        cases: &[u8],
        numbers: &[f64; FEW_CASES],
        rows: &[u32],
        width: usize,
        out: &mut [f64],
    ) {
        let halves = halves(numbers);
        add_cases_by(cases, rows, width, out, |cases| look_up(cases, halves));
    }

    #[target_feature(enable = "avx2")]
    fn look_up(
        cases: &[u8; CASES_AT_ONCE],
        (low, high): (__m256i, __m256i),
    ) -> [f64; CASES_AT_ONCE] {
        let mut found = [[_mm256_setzero_pd(); 2]; CASES_AT_ONCE / 8];
        for (found, cases) in found.iter_mut().zip(cases.as_chunks::<8>().0) {
            let cases = _mm_cvtsi64_si128(i64::from_le_bytes(*cases));
            let cases = _mm256_cvtepu8_epi32(cases);
            let low = _mm256_permutevar8x32_epi32(low, cases);
            let high = _mm256_permutevar8x32_epi32(high, cases);
            // Numbers 0, 1, 4 and 5, then 2, 3, 6 and 7.
            let first = _mm256_castsi256_pd(_mm256_unpacklo_epi32(low, high));
            let second = _mm256_castsi256_pd(_mm256_unpackhi_epi32(low, high));
            *found = [
                _mm256_permute2f128_pd::<0x20>(first, second),
                _mm256_permute2f128_pd::<0x31>(first, second),
            ];
        }
        // SAFETY: both are 32 floats.
        unsafe { std::mem::transmute::<[Eight; CASES_AT_ONCE / 8], [f64; CASES_AT_ONCE]>(found) }
    }

    /// The lower and the upper halves of eight numbers.
    #[target_feature(enable = "avx2")]
    fn halves(numbers: &[f64; FEW_CASES]) -> (__m256i, __m256i) {
        // SAFETY: both are eight floats.
        let [first, second] = unsafe { std::mem::transmute::<[f64; FEW_CASES], Eight>(*numbers) };
        let (first, second) = (_mm256_castpd_ps(first), _mm256_castpd_ps(second));
        // Numbers 0, 1, 4, 5, 2, 3, 6 and 7, which are then put in order.
        let low = _mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
        let high = _mm256_castps_pd(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
        let in_order = |halves| _mm256_castpd_si256(_mm256_permute4x64_pd::<0b11_01_10_00>(halves));
        (in_order(low), in_order(high))
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
        let mut width = PARTS / 2;
        while width > 0 {
            for lane in 0..width {
                parts[lane] += parts[lane + width];
            }
            width /= 2;
        }
        *total += parts[0];
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
