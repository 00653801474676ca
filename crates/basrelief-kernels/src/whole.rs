//! Exact sums of the maxima of pairs of integers of up to 27 bits.
//!
//! `|x - y| = 2 max(x, y) - x - y`: twice that sum minus the two rows' own sums is their Manhattan
//! distance. Per sixteen values it takes one maximum and one addition of 32 bits. As many features
//! as cannot overflow are added up in 32 bits, and their sums in 64.

use crate::dispatch::multiversion;
use crate::rounded::{Rounding, Roundings, sweep_tiles};
use crate::{LANES, Level, TILE, check_shapes};

/// Largest value that a number may be rounded to by [`round_to_whole`]; the smallest is 0.
pub const MOST_WHOLE: u32 = 1 << 27;

/// Features whose sum is below 2^32.
const NARROW: usize = 31;

/// Features per pass over a block: a panel's part, 8 KB, stays in the first cache.
const CHUNK: usize = 8 * NARROW;

/// Rounds numbers to whole ones from 0 to [`MOST_WHOLE`] and adds what was rounded away to `errors`,
/// row by row.
///
/// # Panics
/// Slices shorter than `values`, or a `level` that this machine does not have.
pub fn round_to_whole(
    level: Level,
    values: &[f64],
    rounding: Rounding,
    out: &mut [u32],
    errors: &mut [f64],
) {
    let rows = values.len();
    let (out, errors) = (&mut out[..rows], &mut errors[..rows]);
    multiversion!(level, |values: &[f64],
                          rounding: Rounding,
                          out: &mut [u32],
                          errors: &mut [f64]| {
        for ((value, out), error) in values.iter().zip(out).zip(errors) {
            let (whole, lost) = rounding.round(*value);
            *out = whole;
            *error += lost;
        }
    });
}

/// Rounds the numbers of eight rows to whole ones from 0 to [`MOST_WHOLE`] and packs them as a panel,
/// feature by feature; adds what was rounded away to `errors`, row by row.
///
/// # Panics
/// Lines shorter than the roundings, fewer places than numbers, or a `level` that this machine does not
/// have.
pub fn round_rows_to_whole(
    level: Level,
    lines: [&[f64]; LANES],
    roundings: Roundings<'_>,
    out: &mut [u32],
    errors: &mut [f64; LANES],
) {
    multiversion!(level, |lines: [&[f64]; LANES],
                          roundings: Roundings<'_>,
                          out: &mut [u32],
                          errors: &mut [f64; LANES]| {
        let out = &mut out.as_chunks_mut::<LANES>().0[..roundings.width()];
        roundings.round(lines, errors, |first, wholes| {
            for (at, lanes) in out[first..].iter_mut().take(wholes[0].len()).enumerate() {
                for row in 0..LANES {
                    lanes[row] = wholes[row][at];
                }
            }
        });
    });
}

/// Adds, for every pair of rows, the sum over features of the larger of the two numbers.
///
/// `a` and `b` are panels of `features` numbers per row, from 0 to [`MOST_WHOLE`] (the sums of
/// larger numbers have no meaning); the sums are exact while they are below 2^53. `out` is tiled as
/// described in the crate documentation.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_greater_whole(level: Level, a: &[u32], b: &[u32], features: usize, out: &mut [f64]) {
    let (_, b_panels) = check_shapes(a, b, features, out);
    sweep_tiles!(level, CHUNK, a, b, features, b_panels, out);
}

/// A part of a panel, feature by feature.
type Part = [[u32; LANES]];

/// Adds the sums of one tile, on any machine.
fn add_tile(x: &Part, y: &Part, tile: &mut [f64; TILE]) {
    let mut wide = [[0_u64; LANES]; LANES];
    for (x, y) in x.chunks(NARROW).zip(y.chunks(NARROW)) {
        for (row, wide) in wide.iter_mut().enumerate() {
            let mut sums = [0_u32; LANES];
            for (x, y) in x.iter().zip(y) {
                for (sum, other) in sums.iter_mut().zip(y) {
                    *sum = sum.wrapping_add(x[row].max(*other));
                }
            }
            wide.iter_mut().zip(sums).for_each(|(wide, sum)| *wide += u64::from(sum));
        }
    }
    for (out, wide) in tile.iter_mut().zip(wide.as_flattened()) {
        *out += *wide as f64;
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{NARROW, Part};
    use crate::avx2::load_bits;
    use crate::{LANES, TILE};

    /// As [`super::add_tile`].
    #[target_feature(enable = "avx2")]
    pub(super) fn add_tile(x: &Part, y: &Part, tile: &mut [f64; TILE]) {
        let mut wide = [[0_u64; LANES]; LANES];
        for (x, y) in x.chunks(NARROW).zip(y.chunks(NARROW)) {
            let mut sums = [_mm256_setzero_si256(); LANES];
            for (x, y) in x.iter().zip(y) {
                let y = load_bits(y);
                for (sum, own) in sums.iter_mut().zip(x) {
                    let greater = _mm256_max_epu32(_mm256_set1_epi32(own.cast_signed()), y);
                    *sum = _mm256_add_epi32(*sum, greater);
                }
            }
            for (wide, sum) in wide.iter_mut().zip(sums) {
                // SAFETY: both are eight 32-bit integers.
                let sum: [u32; LANES] = unsafe { std::mem::transmute(sum) };
                wide.iter_mut().zip(sum).for_each(|(wide, sum)| *wide += u64::from(sum));
            }
        }
        for (out, wide) in tile.iter_mut().zip(wide.as_flattened()) {
            *out += *wide as f64;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{NARROW, Part};
    use crate::avx2::load_bits;
    use crate::avx512::{load, store};
    use crate::{LANES, TILE};

    /// As [`super::add_tile`] for two adjacent panels, which fill a vector.
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn add_two_tiles(
        x: &Part,
        first: &Part,
        second: &Part,
        one: &mut [f64; TILE],
        two: &mut [f64; TILE],
    ) {
        let low = _mm512_set1_epi64(i64::from(u32::MAX));
        // Sums of the lanes of even and of odd number.
        let mut even = [_mm512_setzero_si512(); LANES];
        let mut odd = [_mm512_setzero_si512(); LANES];
        let sides = first.chunks(NARROW).zip(second.chunks(NARROW));
        for (x, (first, second)) in x.chunks(NARROW).zip(sides) {
            let mut sums = [_mm512_setzero_si512(); LANES];
            for ((x, first), second) in x.iter().zip(first).zip(second) {
                let low = _mm512_castsi256_si512(load_bits(first));
                let both = _mm512_inserti64x4::<1>(low, load_bits(second));
                for (sum, own) in sums.iter_mut().zip(x) {
                    let greater = _mm512_max_epu32(_mm512_set1_epi32(own.cast_signed()), both);
                    *sum = _mm512_add_epi32(*sum, greater);
                }
            }
            for ((even, odd), sum) in even.iter_mut().zip(&mut odd).zip(sums) {
                *even = _mm512_add_epi64(*even, _mm512_and_si512(sum, low));
                *odd = _mm512_add_epi64(*odd, _mm512_srli_epi64::<32>(sum));
            }
        }
        let lower = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        let upper = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
        let lines = one.as_chunks_mut::<LANES>().0.iter_mut().zip(two.as_chunks_mut::<LANES>().0);
        for ((even, odd), (one, two)) in even.into_iter().zip(odd).zip(lines) {
            let (even, odd) = (_mm512_cvtepu64_pd(even), _mm512_cvtepu64_pd(odd));
            store(_mm512_add_pd(load(one), _mm512_permutex2var_pd(even, lower, odd)), one);
            store(_mm512_add_pd(load(two), _mm512_permutex2var_pd(even, upper, odd)), two);
        }
    }
}
