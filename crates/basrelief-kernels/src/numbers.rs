//! Differences of numbers.

use crate::dispatch::{multiversion, one, plus};
use crate::{LANES, Level, TILE, check_shapes};

/// Features and panels of the right side per pass: their part, 16 KB, stays in the first cache while
/// the panels of the left side go by.
const CHUNK: usize = 64;
const PANELS: usize = 4;

/// A ramp: differences up to `equal` count 0, from `different` on 1, linear between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RampRule {
    /// Largest difference that counts 0.
    pub equal: f64,
    /// Smallest difference that counts 1; greater than `equal`.
    pub different: f64,
}

/// How the difference of two numbers counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NumberRule {
    /// Count the square of the difference.
    pub square: bool,
    /// Values may be NaN; a pair with a NaN counts 0. Without this, NaN makes the sum NaN.
    pub gaps: bool,
    /// Ramp over the difference times the feature's scale, before squaring.
    pub ramp: Option<RampRule>,
}

/// Adds, for every pair of rows, the sum over features of the counted difference.
///
/// `a` and `b` are panels of `features` numbers per row; `scales` has one number per feature and
/// is used by a ramp only (the difference is multiplied by it first). `out` is tiled as the crate
/// documentation says.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_numbers(
    level: Level,
    rule: NumberRule,
    a: &[f64],
    b: &[f64],
    features: usize,
    scales: &[f64],
    out: &mut [f64],
) {
    check_shapes(a, b, features, out);
    assert!(rule.ramp.is_none() || scales.len() == features, "one scale per feature");
    let one = one();
    // One monomorphic copy per rule keeps the inner loop free of branches.
    match (rule.ramp, rule.square, rule.gaps) {
        (None, false, false) => multiversion!(
            level,
            fn(a: &[f64], b: &[f64], features: usize, one: f64, out: &mut [f64]) fused absolute
        ),
        (None, true, false) => multiversion!(
            level,
            fn(a: &[f64], b: &[f64], features: usize, out: &mut [f64]) square
        ),
        (None, false, true) => multiversion!(
            level,
            fn(a: &[f64], b: &[f64], features: usize, out: &mut [f64]) absolute_with_gaps
        ),
        (None, true, true) => multiversion!(
            level,
            fn(a: &[f64], b: &[f64], features: usize, out: &mut [f64]) square_with_gaps
        ),
        (Some(ramp), false, _) => multiversion!(
            level,
            fn(
                a: &[f64],
                b: &[f64],
                features: usize,
                scales: &[f64],
                ramp: RampRule,
                out: &mut [f64],
            ) ramped
        ),
        (Some(ramp), true, _) => multiversion!(
            level,
            fn(
                a: &[f64],
                b: &[f64],
                features: usize,
                scales: &[f64],
                ramp: RampRule,
                out: &mut [f64],
            ) ramped_square
        ),
    }
}

/// Adds, for every pair of rows, the sum over features of the greater of the two numbers.
///
/// `|x - y| = 2 max(x, y) - x - y`: twice that sum less the two rows' own sums is their Manhattan
/// distance, for fewer additions, and up to the rounding of the sums, which matters where rows are
/// much nearer to each other than to 0. Layout as for [`add_numbers`]; no number is NaN.
///
/// # Panics
/// As [`add_numbers`].
pub fn add_greater(level: Level, a: &[f64], b: &[f64], features: usize, out: &mut [f64]) {
    check_shapes(a, b, features, out);
    let one = one();
    multiversion!(
        level,
        fn(a: &[f64], b: &[f64], features: usize, one: f64, out: &mut [f64]) fused greater
    );
}

#[inline(always)]
fn greater<const ROWS: usize, const FUSED: bool>(
    a: &[f64],
    b: &[f64],
    features: usize,
    one: f64,
    out: &mut [f64],
) {
    sweep::<ROWS>(a, b, features, out, |_, sum, x, y| {
        plus::<FUSED>(sum, if x > y { x } else { y }, one)
    });
}

#[inline(always)]
fn absolute<const ROWS: usize, const FUSED: bool>(
    a: &[f64],
    b: &[f64],
    features: usize,
    one: f64,
    out: &mut [f64],
) {
    sweep::<ROWS>(a, b, features, out, |_, sum, x, y| plus::<FUSED>(sum, (x - y).abs(), one));
}

#[inline(always)]
fn square<const ROWS: usize>(a: &[f64], b: &[f64], features: usize, out: &mut [f64]) {
    sweep::<ROWS>(a, b, features, out, |_, sum, x, y| sum + (x - y) * (x - y));
}

#[inline(always)]
fn absolute_with_gaps<const ROWS: usize>(a: &[f64], b: &[f64], features: usize, out: &mut [f64]) {
    sweep::<ROWS>(a, b, features, out, |_, sum, x, y| sum + zero_if_nan((x - y).abs()));
}

#[inline(always)]
fn square_with_gaps<const ROWS: usize>(a: &[f64], b: &[f64], features: usize, out: &mut [f64]) {
    sweep::<ROWS>(a, b, features, out, |_, sum, x, y| sum + zero_if_nan((x - y) * (x - y)));
}

#[inline(always)]
fn ramped<const ROWS: usize>(
    a: &[f64],
    b: &[f64],
    features: usize,
    scales: &[f64],
    ramp: RampRule,
    out: &mut [f64],
) {
    sweep::<ROWS>(a, b, features, out, |feature, sum, x, y| {
        sum + zero_if_nan(ramp_value(ramp, (x - y).abs() * scales[feature]))
    });
}

#[inline(always)]
fn ramped_square<const ROWS: usize>(
    a: &[f64],
    b: &[f64],
    features: usize,
    scales: &[f64],
    ramp: RampRule,
    out: &mut [f64],
) {
    sweep::<ROWS>(a, b, features, out, |feature, sum, x, y| {
        let value = zero_if_nan(ramp_value(ramp, (x - y).abs() * scales[feature]));
        sum + value * value
    });
}

#[inline(always)]
fn ramp_value(ramp: RampRule, difference: f64) -> f64 {
    ((difference - ramp.equal) / (ramp.different - ramp.equal)).clamp(0.0, 1.0)
}

#[inline(always)]
fn zero_if_nan(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

/// `add(feature, sum, x, y)` adds a difference to a sum. The loop nest: feature chunks, panel pairs, register tiles of `ROWS` by [`LANES`].
#[inline(always)]
fn sweep<const ROWS: usize>(
    a: &[f64],
    b: &[f64],
    features: usize,
    out: &mut [f64],
    add: impl Fn(usize, f64, f64, f64) -> f64 + Copy,
) {
    if features == 0 {
        return;
    }
    let per_panel = features * LANES;
    let b_panels = b.len() / per_panel;
    for first in (0..features).step_by(CHUNK) {
        let last = (first + CHUNK).min(features);
        let part = first * LANES..last * LANES;
        for (group, b_group) in b.chunks(PANELS * per_panel).enumerate() {
            for (i, a_panel) in a.chunks_exact(per_panel).enumerate() {
                let a_part = &a_panel[part.clone()];
                for (j, b_panel) in b_group.chunks_exact(per_panel).enumerate() {
                    let b_part = &b_panel[part.clone()];
                    let place = (i * b_panels + group * PANELS + j) * TILE;
                    let tile = &mut out[place..place + TILE];
                    for (row_group, rows) in tile.chunks_exact_mut(ROWS * LANES).enumerate() {
                        tile_rows::<ROWS>(a_part, b_part, row_group * ROWS, first, rows, add);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn tile_rows<const ROWS: usize>(
    a: &[f64],
    b: &[f64],
    first_row: usize,
    first_feature: usize,
    out: &mut [f64],
    add: impl Fn(usize, f64, f64, f64) -> f64 + Copy,
) {
    let mut sums = [[0.0; LANES]; ROWS];
    for (sum, stored) in sums.iter_mut().zip(out.chunks_exact(LANES)) {
        sum.copy_from_slice(stored);
    }
    for (feature, (x, y)) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)).enumerate() {
        for row in 0..ROWS {
            let value = x[first_row + row];
            for lane in 0..LANES {
                let sum = sums[row][lane];
                sums[row][lane] = add(first_feature + feature, sum, value, y[lane]);
            }
        }
    }
    for (sum, stored) in sums.iter().zip(out.chunks_exact_mut(LANES)) {
        stored.copy_from_slice(sum);
    }
}
