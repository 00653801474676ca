//! How much the bits of pairs of rows differ, feature by feature and summed over many pairs, by counters
//! that lie across the words: bit k of 64 features' counts is one word.
//!
//! The differences of a pair are a few logical operations per word, and sixteen words of them are
//! added at a time by carry-save adders. They become numbers once per call.

use crate::dispatch::multiversion;
use crate::{BitRule, Level};

/// Features of one call.
pub const COUNTED: usize = 256;

/// Words of a row of two planes of [`COUNTED`] features, one after the other.
pub const COUNTED_WORDS: usize = 2 * PLANE;

/// Most pairs of one call: each counts up to two, and counts have twelve bits.
pub const MOST_COUNTED: usize = ((1 << BITS) - 1) / 2;

const PLANE: usize = COUNTED / 64;
const BITS: usize = 12;

/// Words that are added at a time.
const ADDED: usize = 16;

/// A bit of all features.
type Words = [u64; PLANE];

/// Replaces `out` by the sums over pairs of rows of the counted difference.
///
/// `planes` holds [`COUNTED_WORDS`] words per row, or twice as many for four
/// [planes](BitRule::planes); a missing value counts as what its bits are. Pairs come in runs: run k is
/// of row `rows[k]` and of the others from `ends[k - 1]` (0 for the first) to `ends[k]`. Squares are not
/// counted.
///
/// # Panics
/// More than [`MOST_COUNTED`] others, not one row per end, rows that are not there, squares, or a
/// `level` that this machine does not have.
pub fn sum_differences(
    level: Level,
    rule: BitRule,
    planes: &[u64],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [u16; COUNTED],
) {
    assert!(others.len() <= MOST_COUNTED, "at most {MOST_COUNTED} pairs");
    assert_eq!(rows.len(), ends.len(), "one row and end per run");
    assert!(rule != BitRule::SquaredCopies, "squares are not counted");
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 {
        level.assert_available();
        let sum = match rule {
            BitRule::MismatchOfFour => avx512::sum::<true, 2>,
            BitRule::Mismatch => avx512::sum::<true, 1>,
            _ => avx512::sum::<false, 1>,
        };
        // SAFETY: the machine was just seen to have these instructions.
        return unsafe { sum(planes, rows, ends, others, out) };
    }
    macro_rules! sum {
        ($twos:literal, $differ:expr) => {
            multiversion!(level, |planes: &[u64],
                                  rows: &[u32],
                                  ends: &[usize],
                                  others: &[u32],
                                  out: &mut [u16; COUNTED]| {
                *out = expand(&count::<$twos, _>(planes, rows, ends, others, $differ));
            })
        };
    }
    match rule {
        BitRule::MismatchOfFour => sum!(2, |one, two| [zip(&one, &two, |a, b| a | b)]),
        BitRule::Mismatch => sum!(1, |one, two| [zip(&one, &two, |a, b| a | b)]),
        _ => sum!(1, |one, two| [one, two]),
    }
}

/// Adds to every sum its count, times a weight.
///
/// # Panics
/// A `level` that this machine does not have.
pub fn add_counts(level: Level, weight: f64, counts: &[u16; COUNTED], sums: &mut [f64; COUNTED]) {
    multiversion!(level, |weight: f64, counts: &[u16; COUNTED], sums: &mut [f64; COUNTED]| {
        for (sum, &count) in sums.iter_mut().zip(counts) {
            *sum += weight * f64::from(count);
        }
    });
}

/// Counters, least bit first, of the words that `differ` makes of the places in which a pair's planes
/// differ: the first of every two planes, of which a row has so many, and the second ones.
#[inline(always)]
fn count<const TWOS: usize, const EACH: usize>(
    planes: &[u64],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    differ: impl Fn(Words, Words) -> [Words; EACH],
) -> [Words; BITS] {
    let table = planes.as_chunks::<COUNTED_WORDS>().0;
    let mut counters = [[0; PLANE]; BITS];
    let mut waiting = [[0; PLANE]; ADDED];
    let mut count = 0;
    let mut start = 0;
    for (&own, &end) in rows.iter().zip(ends) {
        let own = &table[own as usize * TWOS..][..TWOS];
        for &other in &others[start..end] {
            let other = &table[other as usize * TWOS..][..TWOS];
            let (mut one, mut two) = ([0; PLANE], [0; PLANE]);
            for (own, other) in own.iter().zip(other) {
                for w in 0..PLANE {
                    one[w] |= own[w] ^ other[w];
                    two[w] |= own[PLANE + w] ^ other[PLANE + w];
                }
            }
            waiting[count..count + EACH].copy_from_slice(&differ(one, two));
            count += EACH;
            if count == ADDED {
                add_words(&mut counters, &waiting);
                count = 0;
            }
        }
        start = end;
    }
    waiting[count..].fill([0; PLANE]);
    add_words(&mut counters, &waiting);
    counters
}

/// Adds sixteen bits to every counter.
#[inline(always)]
fn add_words(counters: &mut [Words; BITS], x: &[Words; ADDED]) {
    let [ones, twos, fours, eights, rest @ ..] = counters;
    let x: [Words; 8] = halve(ones, x);
    let x: [Words; 4] = halve(twos, &x);
    let x: [Words; 2] = halve(fours, &x);
    let [mut carry] = halve(eights, &x);
    for counter in rest {
        if carry == [0; PLANE] {
            break;
        }
        let sum = zip(counter, &carry, |a, b| a ^ b);
        carry = zip(counter, &carry, |a, b| a & b);
        *counter = sum;
    }
}

/// Adds bits two by two; what is carried counts twice as much.
#[inline(always)]
fn halve<const COUNT: usize, const HALF: usize>(
    counter: &mut Words,
    x: &[Words; COUNT],
) -> [Words; HALF] {
    std::array::from_fn(|k| {
        let (sum, carry) = add(counter, &x[2 * k], &x[2 * k + 1]);
        *counter = sum;
        carry
    })
}

/// Sum and carry of three bits in every place.
#[inline(always)]
fn add(a: &Words, b: &Words, c: &Words) -> (Words, Words) {
    let either = zip(a, b, |a, b| a ^ b);
    let carry = zip(&zip(a, b, |a, b| a & b), &zip(&either, c, |e, c| e & c), |x, y| x | y);
    (zip(&either, c, |e, c| e ^ c), carry)
}

#[inline(always)]
fn zip(a: &Words, b: &Words, combine: impl Fn(u64, u64) -> u64) -> Words {
    std::array::from_fn(|w| combine(a[w], b[w]))
}

/// The counts, feature by feature.
fn expand(counters: &[Words; BITS]) -> [u16; COUNTED] {
    let mut out = [0; COUNTED];
    for (bit, counter) in counters.iter().enumerate().filter(|(_, words)| **words != [0; PLANE]) {
        for (byte, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let spread = &SPREAD[(counter[byte / 8] >> (byte % 8 * 8) & 0xff) as usize];
            for (count, one) in out.iter_mut().zip(spread) {
                *count += one << bit;
            }
        }
    }
    out
}

/// The bits of a byte, one number each.
static SPREAD: [[u16; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u16;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// By hand, where a vector holds two planes of a row.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{ADDED, BITS, COUNTED, COUNTED_WORDS, PLANE};
    use crate::avx2;
    use crate::avx512::{load_bits, store_bits};

    /// As [`super::sum_differences`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn sum<const MISMATCH: bool, const TWOS: usize>(
        planes: &[u64],
        rows: &[u32],
        ends: &[usize],
        others: &[u32],
        out: &mut [u16; COUNTED],
    ) {
        let table = planes.as_chunks::<COUNTED_WORDS>().0;
        let mut counters = [_mm512_setzero_si512(); BITS];
        let mut waiting = [_mm512_setzero_si512(); ADDED];
        let mut count = 0;
        let mut start = 0;
        for (&own, &end) in rows.iter().zip(ends) {
            let own = load::<TWOS>(table, own);
            let (whole, rest) = others[start..end].as_chunks::<ADDED>();
            for others in whole {
                let mut x = [_mm512_setzero_si512(); ADDED];
                for (x, &other) in x.iter_mut().zip(others) {
                    *x = differ(own, load(table, other));
                }
                add_words::<MISMATCH>(&mut counters, &x);
            }
            for &other in rest {
                waiting[count] = differ(own, load(table, other));
                count += 1;
                if count == ADDED {
                    add_words::<MISMATCH>(&mut counters, &waiting);
                    count = 0;
                }
            }
            start = end;
        }
        waiting[count..].fill(_mm512_setzero_si512());
        add_words::<MISMATCH>(&mut counters, &waiting);
        expand(&counters, out);
    }

    /// The planes of a row, two by two.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load<const TWOS: usize>(table: &[[u64; COUNTED_WORDS]], row: u32) -> [__m512i; TWOS] {
        let mut planes = [_mm512_setzero_si512(); TWOS];
        for (planes, words) in planes.iter_mut().zip(&table[row as usize * TWOS..][..TWOS]) {
            *planes = load_bits(words);
        }
        planes
    }

    /// Where any of the first of every two planes differs, and any of the second ones.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn differ<const TWOS: usize>(own: [__m512i; TWOS], other: [__m512i; TWOS]) -> __m512i {
        let mut found = _mm512_setzero_si512();
        for (own, other) in own.into_iter().zip(other) {
            found = _mm512_or_si512(found, _mm512_xor_si512(own, other));
        }
        found
    }

    /// Adds sixteen pairs to the counters. A feature has a counter in either half of a vector: for its
    /// two planes, or with mismatches for every other pair.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add_words<const MISMATCH: bool>(counters: &mut [__m512i; BITS], x: &[__m512i; ADDED]) {
        let mut halves = [_mm512_setzero_si512(); 8];
        let (mut carry, first) = if MISMATCH {
            for (half, pair) in halves.iter_mut().zip(x.as_chunks::<2>().0) {
                let one = _mm512_shuffle_i64x2::<0x44>(pair[0], pair[1]);
                let two = _mm512_shuffle_i64x2::<0xee>(pair[0], pair[1]);
                *half = _mm512_or_si512(one, two);
            }
            (add_eight(counters, 0, &halves), 3)
        } else {
            halve(&mut counters[0], x, &mut halves);
            (add_eight(counters, 1, &halves), 4)
        };
        // All the rest: where carries end could not be foretold.
        for counter in &mut counters[first..] {
            let sum = _mm512_xor_si512(*counter, carry);
            carry = _mm512_and_si512(*counter, carry);
            *counter = sum;
        }
    }

    /// Adds eight words to three counters, from `bit` on; what is carried is of the next.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add_eight(counters: &mut [__m512i; BITS], bit: usize, x: &[__m512i; 8]) -> __m512i {
        let mut four = [_mm512_setzero_si512(); 4];
        let mut two = [_mm512_setzero_si512(); 2];
        let mut one = [_mm512_setzero_si512(); 1];
        halve(&mut counters[bit], x, &mut four);
        halve(&mut counters[bit + 1], &four, &mut two);
        halve(&mut counters[bit + 2], &two, &mut one);
        one[0]
    }

    /// As [`super::halve`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn halve(counter: &mut __m512i, x: &[__m512i], carries: &mut [__m512i]) {
        for (pair, carry) in x.as_chunks::<2>().0.iter().zip(carries) {
            // Of three bits the majority is carried, and the odd one stays.
            *carry = _mm512_ternarylogic_epi64::<0xe8>(*counter, pair[0], pair[1]);
            *counter = _mm512_ternarylogic_epi64::<0x96>(*counter, pair[0], pair[1]);
        }
    }

    /// As [`super::expand`], the counters of both halves added.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn expand(counters: &[__m512i; BITS], out: &mut [u16; COUNTED]) {
        let mut sums = [[0_u64; PLANE]; BITS];
        let mut carry = _mm256_setzero_si256();
        let mut used = 0;
        for (bit, (counter, sum)) in counters.iter().zip(&mut sums).enumerate() {
            let low = _mm512_castsi512_si256(*counter);
            let high = _mm512_extracti64x4_epi64::<1>(*counter);
            let bits = _mm256_ternarylogic_epi64::<0x96>(low, high, carry);
            carry = _mm256_ternarylogic_epi64::<0xe8>(low, high, carry);
            avx2::store_bits(bits, sum);
            if _mm256_test_epi64_mask(bits, bits) != 0 {
                used = bit + 1;
            }
        }
        for (word, out) in out.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            let (mut low, mut high) = (_mm512_setzero_si512(), _mm512_setzero_si512());
            for (bit, sum) in sums[..used].iter().enumerate() {
                let one = _mm512_set1_epi16(1 << bit);
                low = _mm512_mask_add_epi16(low, sum[word] as u32, low, one);
                high = _mm512_mask_add_epi16(high, (sum[word] >> 32) as u32, high, one);
            }
            for (half, counts) in out.as_chunks_mut::<32>().0.iter_mut().zip([low, high]) {
                store_bits(counts, half);
            }
        }
    }
}
