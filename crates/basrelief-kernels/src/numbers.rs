//! Differences of numbers.

use crate::dispatch::{multiversion, one, plus};
use crate::{LANES, Level, TILE, check_shapes};

/// Features and panels of the right side per pass: their part, 16 KB, stays in the first cache while
/// the panels of the left side go by.
const CHUNK: usize = 64;
const PANELS: usize = 4;

/// Rows of a register tile, where the compiler chooses the instructions.
const ROWS: usize = 4;

/// A ramp: differences up to `equal` count 0, from `different` on 1, linear between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RampRule {
    /// Largest difference that counts 0.
    pub equal: f64,
    /// Smallest difference that counts as 1; larger than `equal`.
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
    let (ramp, one) = (rule.ramp.unwrap_or(RampRule { equal: 0.0, different: 1.0 }), one());
    // One monomorphic copy per rule keeps the inner loop free of branches: what a pair of values adds,
    // and the AVX-512 tile of the same name.
    macro_rules! add {
        (
            $rule:ident, $scales:ident, $ramp:ident, $one:ident,
            |$feature:ident, $sum:ident, $x:ident, $y:ident| $counted:expr
        ) => {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => {
                    level.assert_available();
                    sweep(a, b, features, out, |x, y, first, tile| {
                        let scales = &scales[first.min(scales.len())..];
                        // SAFETY: `assert_available` has just seen that the machine has AVX-512.
                        unsafe { avx512::$rule(x, y, scales, ramp, tile) }
                    });
                }
                _ => multiversion!(level, |a: &[f64],
                                           b: &[f64],
                                           features: usize,
                                           $scales: &[f64],
                                           $ramp: RampRule,
                                           $one: f64,
                                           out: &mut [f64]| {
                    let _ = ($scales, $ramp, $one);
                    generic(a, b, features, out, |$feature, $sum, $x, $y| $counted);
                }),
            }
        };
    }
    match (rule.ramp.is_some(), rule.square, rule.gaps) {
        (false, false, false) => add!(absolute, scales, ramp, one, |_f, sum, x, y| {
            plus::<FUSED>(sum, (x - y).abs(), one)
        }),
        (false, true, false) => {
            add!(square, scales, ramp, one, |_f, sum, x, y| sum + (x - y) * (x - y));
        }
        (false, false, true) => add!(known_absolute, scales, ramp, one, |_f, sum, x, y| {
            sum + positive((x - y).abs())
        }),
        (false, true, true) => add!(known_square, scales, ramp, one, |_f, sum, x, y| {
            sum + positive((x - y) * (x - y))
        }),
        (true, false, _) => add!(ramped, scales, ramp, one, |feature, sum, x, y| {
            sum + ramp_value(ramp, (x - y).abs() * scales[feature])
        }),
        (true, true, _) => add!(ramped_square, scales, ramp, one, |feature, sum, x, y| {
            let value = ramp_value(ramp, (x - y).abs() * scales[feature]);
            sum + value * value
        }),
    }
}

/// A part of a panel, feature by feature.
type Part = [[f64; LANES]];

/// The loop nest: chunks of features, panels on the right a few at a time, pairs of panels;
/// `add(x, y, first_feature, tile)` adds to one tile.
#[inline(always)]
fn sweep(
    a: &[f64],
    b: &[f64],
    features: usize,
    out: &mut [f64],
    add: impl Fn(&Part, &Part, usize, &mut [f64; TILE]),
) {
    if features == 0 {
        return;
    }
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let out = out.as_chunks_mut::<TILE>().0;
    let b_panels = b.len() / features;
    for first in (0..features).step_by(CHUNK) {
        let part = first..(first + CHUNK).min(features);
        for (group, b_group) in b.chunks(PANELS * features).enumerate() {
            for (i, a_panel) in a.chunks_exact(features).enumerate() {
                let tiles = &mut out[i * b_panels + group * PANELS..];
                for (b_panel, tile) in b_group.chunks_exact(features).zip(tiles) {
                    add(&a_panel[part.clone()], &b_panel[part.clone()], first, tile);
                }
            }
        }
    }
}

/// The sweep whose instructions the compiler chooses; `add(feature, sum, x, y)` adds what is counted.
#[inline(always)]
fn generic(
    a: &[f64],
    b: &[f64],
    features: usize,
    out: &mut [f64],
    add: impl Fn(usize, f64, f64, f64) -> f64 + Copy,
) {
    sweep(a, b, features, out, |x, y, first_feature, tile| {
        for (group, stored) in tile.as_chunks_mut::<LANES>().0.chunks_exact_mut(ROWS).enumerate() {
            let mut sums = [[0.0; LANES]; ROWS];
            sums.copy_from_slice(stored);
            for (feature, (x, y)) in x.iter().zip(y).enumerate() {
                for row in 0..ROWS {
                    let value = x[group * ROWS + row];
                    for lane in 0..LANES {
                        let sum = sums[row][lane];
                        sums[row][lane] = add(first_feature + feature, sum, value, y[lane]);
                    }
                }
            }
            stored.copy_from_slice(&sums);
        }
    });
}

/// Where on the ramp a difference is, 0 if it is NaN.
#[inline(always)]
fn ramp_value(ramp: RampRule, difference: f64) -> f64 {
    let value = positive((difference - ramp.equal) / (ramp.different - ramp.equal));
    if value < 1.0 { value } else { 1.0 }
}

/// 0 instead of what is less, and of NaN.
#[inline(always)]
fn positive(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.0 }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{Part, RampRule};
    use crate::avx512::load;
    use crate::{LANES, TILE};

    /// A kernel that adds to a tile, from what a pair of values counts.
    macro_rules! tile {
        ($rule:ident, |$x:ident, $y:ident| $counted:expr) => {
            tile!($rule, |$x, $y, _scale, _equal, _range| $counted);
        };
        (
            $rule:ident, |$x:ident, $y:ident, $scale:ident, $equal:ident, $range:ident|
            $counted:expr
        ) => {
            #[target_feature(enable = "avx512f,avx512dq")]
            pub(super) fn $rule(
                x: &Part,
                y: &Part,
                scales: &[f64],
                ramp: RampRule,
                tile: &mut [f64; TILE],
            ) {
                let $equal = _mm512_set1_pd(ramp.equal);
                let $range = _mm512_set1_pd(ramp.different - ramp.equal);
                // SAFETY: both are rows of eight floats.
                let mut sums =
                    unsafe { std::mem::transmute::<[f64; TILE], [__m512d; LANES]>(*tile) };
                for (feature, (x, y)) in x.iter().zip(y).enumerate() {
                    let $y = load(y);
                    let $scale = _mm512_set1_pd(scales.get(feature).copied().unwrap_or(1.0));
                    for (sum, own) in sums.iter_mut().zip(x) {
                        let $x = _mm512_set1_pd(*own);
                        *sum = _mm512_add_pd(*sum, $counted);
                    }
                }
                // SAFETY: as above.
                *tile = unsafe { std::mem::transmute::<[__m512d; LANES], [f64; TILE]>(sums) };
            }
        };
    }

    tile!(absolute, |x, y| _mm512_abs_pd(_mm512_sub_pd(x, y)));
    tile!(square, |x, y| square_of(_mm512_sub_pd(x, y)));
    tile!(known_absolute, |x, y| positive(_mm512_abs_pd(_mm512_sub_pd(x, y))));
    tile!(known_square, |x, y| positive(square_of(_mm512_sub_pd(x, y))));
    tile!(ramped, |x, y, scale, equal, range| ramp_value(x, y, scale, equal, range));
    tile!(ramped_square, |x, y, scale, equal, range| square_of(ramp_value(
        x, y, scale, equal, range
    )));

    /// As [`super::ramp_value`], of the difference times its scale.
    #[target_feature(enable = "avx512f,avx512dq")]
    fn ramp_value(
        x: __m512d,
        y: __m512d,
        scale: __m512d,
        equal: __m512d,
        range: __m512d,
    ) -> __m512d {
        let difference = _mm512_mul_pd(_mm512_abs_pd(_mm512_sub_pd(x, y)), scale);
        let value = positive(_mm512_div_pd(_mm512_sub_pd(difference, equal), range));
        _mm512_min_pd(value, _mm512_set1_pd(1.0))
    }

    #[target_feature(enable = "avx512f")]
    fn square_of(value: __m512d) -> __m512d {
        _mm512_mul_pd(value, value)
    }

    /// As [`super::positive`]: of a NaN and another the maximum is the second.
    #[target_feature(enable = "avx512f")]
    fn positive(value: __m512d) -> __m512d {
        _mm512_max_pd(value, _mm512_setzero_pd())
    }
}
