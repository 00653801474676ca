//! Manhattan distances of numbers rounded to 15 bits, in exact integers.
//!
//! `|x - y| = 2 max(x, y) - x - y`, so that a distance is twice the sum of the larger values minus
//! the two rows' own sums: per sixteen values one maximum, one multiply-and-add of neighboring
//! features and one addition. An element of a row is a pair of features; a row of an odd number of
//! features ends with a pair whose second half is 0 in all rows.

use crate::dispatch::multiversion;
use crate::{LANES, Level, TILE};

/// Largest value that a number may be rounded to; the smallest is 0.
pub const MOST_ROUNDED: i16 = i16::MAX;

/// Pairs of features per pass over a block, so that a panel's part stays in the first cache.
const CHUNK: usize = 256;

/// How a number becomes a whole one: the nearest to `(number - least) * factor`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounding {
    /// The number that becomes 0.
    pub least: f64,
    /// Steps in a unit.
    pub factor: f64,
}

impl Rounding {
    /// The whole number, of less than 32 bits, and how far from it the other was.
    #[inline(always)]
    pub(crate) fn round(self, value: f64) -> (u32, f64) {
        // A sum with this has no bits left for a fraction, and the whole number in its last ones.
        const WHOLE: f64 = 6_755_399_441_055_744.0;
        let value = (value - self.least) * self.factor;
        let shifted = value + WHOLE;
        (shifted.to_bits() as u32, (value - (shifted - WHOLE)).abs())
    }
}

/// How the numbers of some features become whole ones: each as [`Rounding`] says.
#[derive(Debug, Clone, Copy)]
pub struct Roundings<'r> {
    /// Per feature, what becomes 0.
    pub least: &'r [f64],
    /// Per feature, the steps in a unit.
    pub factors: &'r [f64],
}

/// Features that are rounded at a time.
const AT_ONCE: usize = 16;

impl Roundings<'_> {
    /// Number of features.
    ///
    /// # Panics
    /// Not as many factors.
    pub(crate) fn width(self) -> usize {
        assert_eq!(self.least.len(), self.factors.len(), "a factor per feature");
        self.least.len()
    }

    /// Rounds some features of a panel's rows, [`AT_ONCE`] at a time: `take` gets the first feature, and
    /// of each row the whole numbers, of which those of features that are not there are 0. Adds what was
    /// rounded away to `errors`.
    #[inline(always)]
    pub(crate) fn round(
        self,
        lines: [&[f64]; LANES],
        errors: &mut [f64; LANES],
        mut take: impl FnMut(usize, &Wholes),
    ) {
        let width = self.width();
        let lines = lines.map(|line| &line[..width]);
        let mut lost = [[0.0; AT_ONCE]; LANES];
        for first in (0..width).step_by(AT_ONCE) {
            let (least, factors) = (part(self.least, first), part(self.factors, first));
            let mut wholes = [[0; AT_ONCE]; LANES];
            for row in 0..LANES {
                let values = part(lines[row], first);
                for at in 0..AT_ONCE {
                    let rounding = Rounding { least: least[at], factor: factors[at] };
                    let (whole, rest) = rounding.round(values[at]);
                    wholes[row][at] = whole;
                    lost[row][at] += rest;
                }
            }
            take(first, &wholes);
        }
        for (error, lost) in errors.iter_mut().zip(lost) {
            *error += crate::add_parts(lost);
        }
    }
}

/// Whole numbers of some features of a panel's rows.
pub(crate) type Wholes = [[u32; AT_ONCE]; LANES];

/// Some of the values; what is not there becomes 0, and loses nothing.
#[inline(always)]
fn part(values: &[f64], first: usize) -> [f64; AT_ONCE] {
    let rest = &values[first..];
    match rest.first_chunk() {
        Some(values) => *values,
        None => std::array::from_fn(|at| rest.get(at).copied().unwrap_or(0.0)),
    }
}

/// Rounds the numbers of eight rows to whole ones from 0 to [`MOST_ROUNDED`] and packs them as a panel,
/// pair of features by pair of features; adds them to `sums`, to the modulus 2^32, and what was rounded
/// away to `errors`, row by row.
///
/// # Panics
/// Lines shorter than the roundings, fewer places than pairs of rows, or a `level` that this machine
/// does not have.
pub fn round_rows(
    level: Level,
    lines: [&[f64]; LANES],
    roundings: Roundings<'_>,
    out: &mut [[i16; 2]],
    sums: &mut [u32; LANES],
    errors: &mut [f64; LANES],
) {
    multiversion!(level, |lines: [&[f64]; LANES],
                          roundings: Roundings<'_>,
                          out: &mut [[i16; 2]],
                          sums: &mut [u32; LANES],
                          errors: &mut [f64; LANES]| {
        let out = &mut out.as_chunks_mut::<LANES>().0[..roundings.width().div_ceil(2)];
        let mut of_rows = [[0_u32; AT_ONCE]; LANES];
        roundings.round(lines, errors, |first, wholes| {
            let pairs = &mut out[first / 2..];
            let count = pairs.len().min(AT_ONCE / 2);
            for row in 0..LANES {
                let mut shorts = [0; AT_ONCE];
                for at in 0..AT_ONCE {
                    of_rows[row][at] = of_rows[row][at].wrapping_add(wholes[row][at]);
                    shorts[at] = wholes[row][at] as i16;
                }
                for (pair, values) in pairs[..count].iter_mut().zip(shorts.as_chunks().0) {
                    pair[row] = *values;
                }
            }
        });
        for (sum, of_row) in sums.iter_mut().zip(of_rows) {
            *sum = of_row.into_iter().fold(*sum, u32::wrapping_add);
        }
    });
}

/// Replaces `out` by the distances of all pairs of rows, in units of the rounded values.
///
/// `a` and `b` are panels of `pairs` elements per row, with numbers from 0 to [`MOST_ROUNDED`];
/// `a_sums` and `b_sums` the sums of every row's numbers, eight per panel, to the modulus 2^32 like
/// all sums here: distances below 2^32 are exact. `out` is tiled as the crate documentation says.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn rounded_distances(
    level: Level,
    a: &[[i16; 2]],
    b: &[[i16; 2]],
    pairs: usize,
    a_sums: &[u32],
    b_sums: &[u32],
    out: &mut [u32],
) {
    let (a_panels, b_panels) = (a_sums.len() / LANES, b_sums.len() / LANES);
    assert!(a_sums.len() == a_panels * LANES && a.len() == a_sums.len() * pairs, "the left rows");
    assert!(b_sums.len() == b_panels * LANES && b.len() == b_sums.len() * pairs, "the right rows");
    assert_eq!(out.len(), a_panels * b_panels * TILE, "one tile per pair of panels");
    start(level, a_sums, b_sums, out);
    sweep_tiles!(level, CHUNK, a, b, pairs, b_panels, out);
}

/// Adds `sum_k lines[k][j]` to every `out[j]`.
///
/// # Panics
/// Lines shorter than `out`, or a `level` that this machine does not have.
pub fn add_rounded_lines(level: Level, lines: &[&[i16]], out: &mut [i32]) {
    multiversion!(level, |lines: &[&[i16]], out: &mut [i32]| {
        let count = out.len();
        let (whole, rest) = lines.as_chunks::<4>();
        for [a, b, c, d] in whole {
            let (a, b, c, d) = (&a[..count], &b[..count], &c[..count], &d[..count]);
            for j in 0..count {
                out[j] += i32::from(a[j]) + i32::from(b[j]) + i32::from(c[j]) + i32::from(d[j]);
            }
        }
        for line in rest {
            for (sum, &value) in out.iter_mut().zip(&line[..count]) {
                *sum += i32::from(value);
            }
        }
    });
}

/// A panel's values, pair of features by pair of features.
type Panel = [[[i16; 2]; LANES]];

/// Puts what a pair's sum starts with.
fn start(level: Level, a_sums: &[u32], b_sums: &[u32], out: &mut [u32]) {
    multiversion!(level, |a_sums: &[u32], b_sums: &[u32], out: &mut [u32]| {
        let tiles = out.as_chunks_mut::<TILE>().0;
        let b_panels = b_sums.as_chunks::<LANES>().0;
        for (tiles, a_sums) in
            tiles.chunks_exact_mut(b_panels.len().max(1)).zip(a_sums.as_chunks::<LANES>().0)
        {
            for (tile, b_sums) in tiles.iter_mut().zip(b_panels) {
                for (row, a_sum) in tile.as_chunks_mut::<LANES>().0.iter_mut().zip(a_sums) {
                    for (lane, b_sum) in row.iter_mut().zip(b_sums) {
                        *lane = 0_u32.wrapping_sub(a_sum.wrapping_add(*b_sum));
                    }
                }
            }
        }
    });
}

/// Adds to all tiles: what the caller's `add_tile` does, written for AVX2 in its module `avx2`, and for
/// AVX-512 in its module `avx512` as `add_two_tiles`.
macro_rules! sweep_tiles {
    ($level:expr, $chunk:ident, $a:expr, $b:expr, $width:expr, $b_panels:expr, $out:expr) => {{
        let level: $crate::Level = $level;
        level.assert_available();
        let add =
            |x: &[[_; LANES]], ys: &[&[[_; LANES]]], tiles: &mut [[_; TILE]]| match (ys, tiles) {
                // SAFETY: `assert_available` has just seen that the machine has AVX-512.
                #[cfg(target_arch = "x86_64")]
                ([first, second], [one, two]) if level == Level::Avx512 => unsafe {
                    avx512::add_two_tiles(x, first, second, one, two);
                },
                (ys, tiles) => {
                    for (y, tile) in ys.iter().zip(tiles) {
                        match level {
                            // SAFETY: as above; a machine with AVX-512 has AVX2.
                            #[cfg(target_arch = "x86_64")]
                            Level::Avx2 | Level::Avx512 => unsafe { avx2::add_tile(x, y, tile) },
                            _ => add_tile(x, y, tile),
                        }
                    }
                }
            };
        $crate::rounded::sweep::<$chunk, _, _>($a, $b, $width, $b_panels, $out, add);
    }};
}
pub(crate) use sweep_tiles;

/// The loop nest of rows of `width` elements: chunks of elements, panels, and pairs of adjacent
/// panels; `add` adds to one or two tiles.
#[inline(always)]
pub(crate) fn sweep<const CHUNK: usize, E, D>(
    a: &[E],
    b: &[E],
    width: usize,
    b_panels: usize,
    out: &mut [D],
    add: impl Fn(&[[E; LANES]], &[&[[E; LANES]]], &mut [[D; TILE]]),
) {
    // Without elements or tiles there is nothing to add.
    if width == 0 || out.is_empty() {
        return;
    }
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let out = out.as_chunks_mut::<TILE>().0;
    for first in (0..width).step_by(CHUNK) {
        let part = first..(first + CHUNK).min(width);
        for (x, tiles) in a.chunks_exact(width).zip(out.chunks_exact_mut(b_panels)) {
            let x = &x[part.clone()];
            for (ys, tiles) in b.chunks(2 * width).zip(tiles.chunks_mut(2)) {
                let y = &ys[part.clone()];
                if tiles.len() == 2 {
                    add(x, &[y, &ys[width..][part.clone()]], tiles);
                } else {
                    add(x, &[y], tiles);
                }
            }
        }
    }
}

/// Adds twice the sums of the larger values, on any machine.
fn add_tile(x: &Panel, y: &Panel, out: &mut [u32; TILE]) {
    for (row, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sums = [0_u32; LANES];
        for (x, y) in x.iter().zip(y) {
            let own = x[row];
            for lane in 0..LANES {
                let (first, second) = (own[0].max(y[lane][0]), own[1].max(y[lane][1]));
                sums[lane] = sums[lane].wrapping_add((i32::from(first) + i32::from(second)) as u32);
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = out.wrapping_add(sum.wrapping_mul(2));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::Panel;
    use crate::avx2::load_bits;
    use crate::{LANES, TILE};

    /// As [`super::add_tile`]; the compiler does not find the instruction that adds neighbors.
    #[target_feature(enable = "avx2")]
    pub(super) fn add_tile(x: &Panel, y: &Panel, out: &mut [u32; TILE]) {
        let ones = _mm256_set1_epi16(1);
        let mut sums = [_mm256_setzero_si256(); LANES];
        for (x, y) in x.iter().zip(y) {
            let y = load_bits(y);
            for (sum, own) in sums.iter_mut().zip(x) {
                let own = i32::from(own[0] as u16) | i32::from(own[1]) << 16;
                let greater = _mm256_max_epi16(_mm256_set1_epi32(own), y);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(greater, ones));
            }
        }
        for (sum, out) in sums.into_iter().zip(out.as_chunks_mut::<LANES>().0) {
            let twice = _mm256_add_epi32(sum, sum);
            // SAFETY: both are eight 32-bit integers.
            let twice: [u32; LANES] = unsafe { std::mem::transmute(twice) };
            for (out, twice) in out.iter_mut().zip(twice) {
                *out = out.wrapping_add(twice);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::Panel;
    use crate::avx2::{load_bits, store_bits};
    use crate::{LANES, TILE};

    /// As [`super::add_tile`] for two adjacent panels, which fill a vector.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn add_two_tiles(
        x: &Panel,
        first: &Panel,
        second: &Panel,
        one: &mut [u32; TILE],
        two: &mut [u32; TILE],
    ) {
        let ones = _mm512_set1_epi16(1);
        let mut sums = [_mm512_setzero_si512(); LANES];
        for ((x, first), second) in x.iter().zip(first).zip(second) {
            let low = _mm512_castsi256_si512(load_bits(first));
            let both = _mm512_inserti64x4::<1>(low, load_bits(second));
            for (sum, own) in sums.iter_mut().zip(x) {
                let own = i32::from(own[0] as u16) | i32::from(own[1]) << 16;
                let greater = _mm512_max_epi16(_mm512_set1_epi32(own), both);
                // The products of neighboring features are added to the sum in one instruction.
                *sum = _mm512_dpwssd_epi32(*sum, greater, ones);
            }
        }
        let lines = one.as_chunks_mut::<LANES>().0.iter_mut().zip(two.as_chunks_mut::<LANES>().0);
        for (sum, (one, two)) in sums.into_iter().zip(lines) {
            let twice = _mm512_add_epi32(sum, sum);
            let (first, second) =
                (_mm512_castsi512_si256(twice), _mm512_extracti64x4_epi64::<1>(twice));
            store_bits(_mm256_add_epi32(load_bits(one), first), one);
            store_bits(_mm256_add_epi32(load_bits(two), second), two);
        }
    }
}
