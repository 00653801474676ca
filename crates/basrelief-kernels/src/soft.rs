//! A row's squared distances to all rows, their exponentials, and sums over the few or many rows
//! that these leave.
//!
//! A lane is a column or one of eight sums that are added up in one order, so that instruction
//! sets do not change a bit; nothing is fused.

use crate::Level;
use crate::dispatch::multiversion;

/// Values that are looked at together.
const CHUNK: usize = 8;

/// Exponents below `-FARTHEST` (60 ln 2) count as an exponential of 0: less than 2^-60 of the
/// largest.
pub const FARTHEST: f64 = 41.588_830_833_596_72;

/// Turns a row's products into squared distances: `values[j]`, `-2 a.b_j` at first, becomes
/// `own + lengths[j] + values[j]`, but at least 0, where `own` and `lengths` are the squared
/// lengths of `a` and the `b_j`.
///
/// Where less than `share (own + lengths[j]) - spared` is left, the difference of the large numbers
/// is not to be trusted; the result says whether there is such a place.
///
/// # Panics
/// Slices of different lengths, or a `level` that this machine does not have.
pub fn squared_distances(
    level: Level,
    own: f64,
    lengths: &[f64],
    share: f64,
    spared: f64,
    values: &mut [f64],
) -> bool {
    assert_eq!(lengths.len(), values.len(), "one length per value");
    multiversion!(level, |own: f64,
                          lengths: &[f64],
                          share: f64,
                          spared: f64,
                          values: &mut [f64]|
     -> bool {
        let mut least = [f64::INFINITY; CHUNK];
        let one = |least: &mut f64, value: &mut f64, length: f64| {
            let both = own + length;
            let distance = both + *value;
            *value = if distance > 0.0 { distance } else { 0.0 };
            let left = (*value + spared) - share * both;
            *least = if left < *least { left } else { *least };
        };
        let (chunks, rest) = values.as_chunks_mut::<CHUNK>();
        let (own_lengths, last) = lengths.as_chunks::<CHUNK>();
        for (values, lengths) in chunks.iter_mut().zip(own_lengths) {
            for lane in 0..CHUNK {
                one(&mut least[lane], &mut values[lane], lengths[lane]);
            }
        }
        for ((value, length), least) in rest.iter_mut().zip(last).zip(&mut least) {
            one(least, value, *length);
        }
        least.iter().any(|&left| left < 0.0)
    })
}

/// The smallest value; infinity for an empty slice.
///
/// # Panics
/// A `level` that this machine does not have.
pub fn least(level: Level, values: &[f64]) -> f64 {
    multiversion!(level, |values: &[f64]| -> f64 {
        let mut least = [f64::INFINITY; CHUNK];
        let (chunks, rest) = values.as_chunks::<CHUNK>();
        for values in chunks {
            for lane in 0..CHUNK {
                least[lane] = if values[lane] < least[lane] { values[lane] } else { least[lane] };
            }
        }
        least.iter().chain(rest).fold(f64::INFINITY, |least, &value| least.min(value))
    })
}

/// Replaces every value by `exp(least - value)`, or by 0 where `value - least` is above
/// [`FARTHEST`]; returns their sum and how many are not 0. No value may be below `least` by more
/// than 1.
///
/// The error of an exponential is below two units of its last place.
///
/// # Panics
/// A `level` that this machine does not have.
pub fn exponentials(level: Level, least: f64, values: &mut [f64]) -> (f64, usize) {
    multiversion!(level, |least: f64, values: &mut [f64]| -> (f64, usize) {
        let (mut sums, mut kept) = ([0.0; CHUNK], [0.0; CHUNK]);
        let (chunks, rest) = values.as_chunks_mut::<CHUNK>();
        for values in chunks {
            eight(least, values, &mut sums, &mut kept);
        }
        if !rest.is_empty() {
            let mut values = [f64::INFINITY; CHUNK];
            values[..rest.len()].copy_from_slice(rest);
            eight(least, &mut values, &mut sums, &mut kept);
            rest.copy_from_slice(&values[..rest.len()]);
        }
        let total = |parts: &[f64; CHUNK]| -> f64 {
            let half = |at: usize| (parts[at] + parts[at + 4]) + (parts[at + 2] + parts[at + 6]);
            half(0) + half(1)
        };
        (total(&sums), total(&kept) as usize)
    })
}

#[inline(always)]
fn eight(least: f64, values: &mut [f64; CHUNK], sums: &mut [f64; CHUNK], kept: &mut [f64; CHUNK]) {
    let mut powers = [0.0; CHUNK];
    let mut nearest = f64::NEG_INFINITY;
    for lane in 0..CHUNK {
        powers[lane] = least - values[lane];
    }
    for lane in 0..CHUNK {
        nearest = if powers[lane] > nearest { powers[lane] } else { nearest };
    }
    // Most rows are too far from most others.
    if nearest < -FARTHEST {
        *values = [0.0; CHUNK];
        return;
    }
    for lane in 0..CHUNK {
        let near = powers[lane] >= -FARTHEST;
        let value = exponential::<false>(powers[lane]);
        values[lane] = if near { value } else { 0.0 };
        sums[lane] += values[lane];
        kept[lane] += if near { 1.0 } else { 0.0 };
    }
}

/// `exp(x)` for `x` from -700 to 1, with fused additions or not.
#[inline(always)]
pub(crate) fn exponential<const FUSED: bool>(x: f64) -> f64 {
    // x = k ln 2 + r: adding 1.5 * 2^52 rounds to a whole number and leaves it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // The first 21 bits of ln 2, of which a multiple by k is exact, and what they lack.
    const LN_2: [f64; 2] = [6.931_457_519_531_25e-1, 1.428_606_820_309_417_2e-6];
    const TERMS: [f64; 14] = {
        let mut terms = [1.0; 14];
        let mut k = 1;
        while k < 14 {
            terms[k] = terms[k - 1] / k as f64;
            k += 1;
        }
        terms
    };
    let plus = product_added::<FUSED>;
    let shifted = plus(x, std::f64::consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = plus(-k, LN_2[1], plus(-k, LN_2[0], x));
    // The rest of the series, at most r^14 / 14!, is below 2^-57.
    let square = r * r;
    let pair = |at: usize| plus(TERMS[at + 1], r, TERMS[at]);
    let mut tail = pair(12);
    for at in [10, 8, 6, 4, 2] {
        tail = plus(tail, square, pair(at));
    }
    let series = 1.0 + plus(tail, square, r);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    series * power
}

/// `sum + a b`, rounded once where additions are fused.
#[inline(always)]
pub(crate) fn product_added<const FUSED: bool>(a: f64, b: f64, sum: f64) -> f64 {
    if FUSED { a.mul_add(b, sum) } else { sum + a * b }
}

/// Multiplies by a factor and replaces what is then below `smallest` in size by 0; returns how many
/// are not 0.
///
/// # Panics
/// A `level` that this machine does not have.
pub fn scale_and_drop(level: Level, factor: f64, smallest: f64, values: &mut [f64]) -> usize {
    multiversion!(level, |factor: f64, smallest: f64, values: &mut [f64]| -> usize {
        let mut kept = [0_u64; CHUNK];
        let one = |kept: &mut u64, value: &mut f64| {
            let scaled = *value * factor;
            let stays = scaled.abs() >= smallest && scaled != 0.0;
            *value = if stays { scaled } else { 0.0 };
            *kept += u64::from(stays);
        };
        let (chunks, rest) = values.as_chunks_mut::<CHUNK>();
        for values in chunks {
            if !all_zero(values) {
                for lane in 0..CHUNK {
                    one(&mut kept[lane], &mut values[lane]);
                }
            }
        }
        rest.iter_mut().zip(&mut kept).for_each(|(value, kept)| one(kept, value));
        kept.iter().sum::<u64>() as usize
    })
}

/// Adds a line of numbers, many of them 0, to another.
///
/// # Panics
/// Slices of different lengths, or a `level` that this machine does not have.
pub fn add_line(level: Level, line: &[f64], sums: &mut [f64]) {
    assert_eq!(line.len(), sums.len(), "a sum per number");
    multiversion!(level, |line: &[f64], sums: &mut [f64]| {
        let (chunks, rest) = line.as_chunks::<CHUNK>();
        let (own, last) = sums.as_chunks_mut::<CHUNK>();
        for (values, sums) in chunks.iter().zip(own) {
            if !all_zero(values) {
                for lane in 0..CHUNK {
                    sums[lane] += values[lane];
                }
            }
        }
        rest.iter().zip(last).for_each(|(value, sum)| *sum += value);
    });
}

#[inline(always)]
fn all_zero(values: &[f64]) -> bool {
    values.iter().fold(0, |bits, value| bits | value.to_bits()) << 1 == 0
}

/// Adds `sum_j weights[j] rows[j]` to `out`, where `rows` are as wide as `out`; weights of 0 cost
/// next to nothing.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_weighted_rows(level: Level, weights: &[f64], rows: &[f64], out: &mut [f64]) {
    assert_eq!(rows.len(), weights.len() * out.len(), "a row per weight");
    multiversion!(level, |weights: &[f64], rows: &[f64], out: &mut [f64]| {
        let width = out.len();
        for (chunk, values) in weights.chunks(CHUNK).enumerate() {
            if all_zero(values) {
                continue;
            }
            for (at, &weight) in (chunk * CHUNK..).zip(values).filter(|(_, weight)| **weight != 0.0)
            {
                let row = &rows[at * width..(at + 1) * width];
                for (sum, value) in out.iter_mut().zip(row) {
                    *sum += weight * value;
                }
            }
        }
    });
}
