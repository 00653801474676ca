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
    level.assert_available();
    macro_rules! sum {
        ($mismatch:literal, $twos:literal) => {
            match level {
                // SAFETY: `assert_available` has just seen that the machine has these instructions.
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => unsafe {
                    avx512::sum::<$mismatch, $twos>(planes, rows, ends, others, out);
                },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => unsafe {
                    avx2::sum::<$mismatch, $twos>(planes, rows, ends, others, out);
                },
                _ => *out = expand(&count::<$mismatch, $twos>(planes, rows, ends, others)),
            }
        };
    }
    match rule {
        BitRule::MismatchOfFour => sum!(true, 2),
        BitRule::Mismatch => sum!(true, 1),
        _ => sum!(false, 1),
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

/// Counters, least significant bit first, of the positions at which the first planes of every two
/// of a pair's rows differ, followed by those of the second planes; for `MISMATCH`, of the
/// positions at which any of the planes differ. A row has `TWOS` times two planes.
fn count<const MISMATCH: bool, const TWOS: usize>(
    planes: &[u64],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
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
            if MISMATCH {
                waiting[count] = zip(&one, &two, |a, b| a | b);
                count += 1;
            } else {
                waiting[count..count + 2].copy_from_slice(&[one, two]);
                count += 2;
            }
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
fn add(a: &Words, b: &Words, c: &Words) -> (Words, Words) {
    let either = zip(a, b, |a, b| a ^ b);
    let carry = zip(&zip(a, b, |a, b| a & b), &zip(&either, c, |e, c| e & c), |x, y| x | y);
    (zip(&either, c, |e, c| e ^ c), carry)
}

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

/// Written by hand: each word is added when it becomes available, which keeps the number of
/// occupied registers small.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BITS, COUNTED, COUNTED_WORDS, PLANE};
    use crate::avx2::{load_bits, store_bits};

    /// The planes of a row, two by two.
    type Planes<const TWOS: usize> = [[__m256i; 2]; TWOS];

    /// As [`super::sum_differences`].
    #[target_feature(enable = "avx2")]
    pub(super) fn sum<const MISMATCH: bool, const TWOS: usize>(
        planes: &[u64],
        rows: &[u32],
        ends: &[usize],
        others: &[u32],
        out: &mut [u16; COUNTED],
    ) {
        let table = planes.as_chunks::<COUNTED_WORDS>().0;
        let mut counters = [_mm256_setzero_si256(); BITS];
        let mut start = 0;
        for (&own, &end) in rows.iter().zip(ends) {
            let own: Planes<TWOS> = std::array::from_fn(|two| {
                let words = &table[own as usize * TWOS + two].as_chunks::<PLANE>().0;
                [load_bits(&words[0]), load_bits(&words[1])]
            });
            let differ = |other: u32, plane: usize| {
                let mut found = _mm256_setzero_si256();
                for (own, other) in own.iter().zip(&table[other as usize * TWOS..][..TWOS]) {
                    let other = load_bits(&other.as_chunks::<PLANE>().0[plane]);
                    found = _mm256_or_si256(found, _mm256_xor_si256(own[plane], other));
                }
                found
            };
            let any = |other: u32| _mm256_or_si256(differ(other, 0), differ(other, 1));
            let others = &others[start..end];
            if MISMATCH {
                let (whole, rest) = others.as_chunks::<16>();
                for others in whole {
                    add_sixteen(&mut counters, |k| any(others[k]));
                }
                rest.iter().for_each(|&other| carry(&mut counters, any(other)));
            } else {
                let (whole, rest) = others.as_chunks::<8>();
                for others in whole {
                    add_sixteen(&mut counters, |k| differ(others[k / 2], k % 2));
                }
                for &other in rest {
                    let [ones, rest @ ..] = &mut counters;
                    carry(rest, add(ones, differ(other, 0), differ(other, 1)));
                }
            }
            start = end;
        }
        expand(&counters, out);
    }

    /// Adds sixteen words to the counters.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_sixteen(counters: &mut [__m256i; BITS], word: impl Fn(usize) -> __m256i) {
        let [ones, twos, fours, eights, rest @ ..] = counters;
        let mut of_two = |k: usize| add(ones, word(2 * k), word(2 * k + 1));
        let mut of_four = |k: usize| {
            let (first, last) = (of_two(2 * k), of_two(2 * k + 1));
            add(twos, first, last)
        };
        let mut of_eight = |k: usize| {
            let (first, last) = (of_four(2 * k), of_four(2 * k + 1));
            add(fours, first, last)
        };
        let (first, last) = (of_eight(0), of_eight(1));
        carry(rest, add(eights, first, last));
    }

    /// Adds two words to a counter and gives what is carried, which counts twice as much.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add(counter: &mut __m256i, one: __m256i, two: __m256i) -> __m256i {
        let either = _mm256_xor_si256(*counter, one);
        let carried = _mm256_and_si256(*counter, one);
        *counter = _mm256_xor_si256(either, two);
        _mm256_or_si256(carried, _mm256_and_si256(either, two))
    }

    /// Adds a word to the first of some counters, and what is carried to the next ones.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn carry(counters: &mut [__m256i], mut carried: __m256i) {
        for counter in counters {
            if _mm256_testz_si256(carried, carried) != 0 {
                return;
            }
            let sum = _mm256_xor_si256(*counter, carried);
            carried = _mm256_and_si256(*counter, carried);
            *counter = sum;
        }
    }

    /// As [`super::expand`].
    #[target_feature(enable = "avx2")]
    fn expand(counters: &[__m256i; BITS], out: &mut [u16; COUNTED]) {
        let mut words = [[0_u64; PLANE]; BITS];
        words.iter_mut().zip(counters).for_each(|(words, counter)| store_bits(*counter, words));
        let used = words.iter().rposition(|words| *words != [0; PLANE]).map_or(0, |last| last + 1);
        let bits = load_bits(&std::array::from_fn::<u16, 16, _>(|bit| 1 << bit));
        for (part, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let mut sums = _mm256_setzero_si256();
            for words in words[..used].iter().rev() {
                let own = _mm256_set1_epi16((words[part / 4] >> (part % 4 * 16)) as i16);
                let is_set = _mm256_cmpeq_epi16(_mm256_and_si256(own, bits), bits);
                sums = _mm256_sub_epi16(_mm256_add_epi16(sums, sums), is_set);
            }
            store_bits(sums, out);
        }
    }
}

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
            // The majority of three bits is carried, and their parity stays.
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
