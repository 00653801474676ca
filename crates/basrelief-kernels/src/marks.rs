//! Rows marked by bits, 512 to a line of words: how many marked rows are of a case, and how many
//! lines mark a row.

use crate::dispatch::multiversion;
use crate::{FEW_CASES, Level};

/// Words that lines are whole numbers of.
pub const MARKS: usize = 8;

/// Lines that are counted at once, at most.
pub const MOST_LINES: usize = (1 << BITS) - 1;

const BITS: usize = 13;

/// Lines that are added at a time.
const ADDED: usize = 8;

/// Eight words, or a number for each of them.
type Words = [u64; MARKS];
type Parts = [f64; MARKS];

/// Adds `weight * numbers[case]` for every marked row of every case.
///
/// `planes` holds a line per case, of which there are up to [`FEW_CASES`]: the rows of that case. The
/// sum is taken in eight parts, those of the words `part`, `8 + part`..., case by case; the products
/// with the counts are not rounded before they are added.
///
/// # Panics
/// Lines that are not of whole [`MARKS`], not a whole number of lines of planes or too many, or a
/// `level` that this machine does not have.
pub fn add_marked(
    level: Level,
    marks: &[u64],
    planes: &[u64],
    numbers: &[f64; FEW_CASES],
    weight: f64,
    parts: &mut [f64; MARKS],
) {
    let (marks, rest) = marks.as_chunks::<MARKS>();
    assert!(rest.is_empty(), "lines of whole marks");
    let (planes, rest) = planes.as_chunks::<MARKS>();
    assert!(rest.is_empty() && planes.len().is_multiple_of(marks.len().max(1)), "whole lines");
    assert!(planes.len() <= marks.len() * FEW_CASES, "at most {FEW_CASES} cases");
    if marks.is_empty() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 {
        level.assert_available();
        // SAFETY: the machine was just seen to have these instructions.
        return unsafe { avx512::add_marked(marks, planes, numbers, weight, parts) };
    }
    multiversion!(level, |marks: &[Words],
                          planes: &[Words],
                          numbers: &[f64; FEW_CASES],
                          weight: f64,
                          parts: &mut Parts| {
        for (plane, number) in planes.chunks_exact(marks.len()).zip(numbers) {
            let mut counts = [0_u32; MARKS];
            for (marks, plane) in marks.iter().zip(plane) {
                for ((count, mark), case) in counts.iter_mut().zip(marks).zip(plane) {
                    *count += (mark & case).count_ones();
                }
            }
            let weight = weight * number;
            for (part, count) in parts.iter_mut().zip(counts) {
                *part = f64::from(count).mul_add(weight, *part);
            }
        }
    });
}

/// Replaces every row's product by its weight, times how many of the lines listed mark it.
///
/// `table` holds `words` words per line, and a row is a bit of these.
///
/// # Panics
/// Words that are not whole [`MARKS`], not one weight and product per bit, more than [`MOST_LINES`]
/// lines, lines that are not there, or a `level` that this machine does not have.
pub fn weigh_lines(
    level: Level,
    table: &[u64],
    words: usize,
    lines: &[u32],
    weights: &[f64],
    products: &mut [f64],
) {
    assert!(words.is_multiple_of(MARKS), "lines of whole marks");
    assert!(lines.len() <= MOST_LINES, "at most {MOST_LINES} lines");
    assert!(weights.len() == 64 * words && products.len() == 64 * words, "a number per bit");
    let per_line = words / MARKS;
    let table = table.as_chunks::<MARKS>().0;
    // Bits that the counts can have.
    let bits = (usize::BITS - lines.len().leading_zeros()) as usize;
    let rows = weights.chunks_exact(64 * MARKS).zip(products.chunks_exact_mut(64 * MARKS));
    for (at, (weights, products)) in rows.enumerate() {
        let mut counters = [[0; MARKS]; BITS];
        count_lines(level, table, per_line, at, lines, &mut counters, bits);
        let weights = weights.as_chunks::<64>().0.iter();
        let products = products.as_chunks_mut::<64>().0;
        for (word, (weights, products)) in weights.zip(products).enumerate() {
            let of_word: [u64; BITS] = std::array::from_fn(|bit| counters[bit][word]);
            weigh_word(level, &of_word[..bits], weights, products);
        }
    }
}

/// Counts, in counters that lie across the words, how often every bit at a place of the lines is set.
fn count_lines(
    level: Level,
    table: &[Words],
    per_line: usize,
    at: usize,
    lines: &[u32],
    counters: &mut [Words; BITS],
    bits: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 {
        level.assert_available();
        // SAFETY: the machine was just seen to have these instructions.
        return unsafe { avx512::count_lines(table, per_line, at, lines, counters, bits) };
    }
    multiversion!(level, |table: &[Words],
                          per_line: usize,
                          at: usize,
                          lines: &[u32],
                          counters: &mut [Words; BITS],
                          bits: usize| {
        let of_line = |line: &u32| &table[*line as usize * per_line + at];
        let (whole, rest) = lines.as_chunks::<ADDED>();
        for lines in whole {
            let x: [&Words; ADDED] = lines.each_ref().map(of_line);
            let [ones, twos, fours, ..] = counters;
            let a = add(ones, x[0], x[1]);
            let b = add(ones, x[2], x[3]);
            let c = add(ones, x[4], x[5]);
            let d = add(ones, x[6], x[7]);
            let (a, b) = (add(twos, &a, &b), add(twos, &c, &d));
            let carry = add(fours, &a, &b);
            carry_on(counters, 3..bits, carry);
        }
        for line in rest {
            carry_on(counters, 0..bits, *of_line(line));
        }
    });
}

/// Adds two bits to a counter; what is carried counts twice as much.
#[inline(always)]
fn add(counter: &mut Words, x: &Words, y: &Words) -> Words {
    std::array::from_fn(|word| {
        let (own, x, y) = (counter[word], x[word], y[word]);
        counter[word] = own ^ x ^ y;
        own & x | own & y | x & y
    })
}

/// Adds a bit to some counters.
#[inline(always)]
fn carry_on(counters: &mut [Words; BITS], bits: std::ops::Range<usize>, mut carry: Words) {
    for counter in &mut counters[bits] {
        for (counter, carry) in counter.iter_mut().zip(&mut carry) {
            let both = *counter & *carry;
            *counter ^= *carry;
            *carry = both;
        }
    }
}

/// Replaces the products of 64 rows by their weights times their counts.
fn weigh_word(level: Level, counters: &[u64], weights: &[f64; 64], products: &mut [f64; 64]) {
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 {
        level.assert_available();
        // SAFETY: the machine was just seen to have these instructions.
        return unsafe { avx512::weigh_word(counters, weights, products) };
    }
    multiversion!(level, |counters: &[u64], weights: &[f64; 64], products: &mut [f64; 64]| {
        let mut counts = [0_i32; 64];
        for (bit, counter) in counters.iter().enumerate() {
            for (row, count) in counts.iter_mut().enumerate() {
                *count += ((counter >> row & 1) as i32) << bit;
            }
        }
        for ((product, weight), count) in products.iter_mut().zip(weights).zip(counts) {
            *product = weight * f64::from(count);
        }
    });
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{ADDED, BITS, FEW_CASES, MARKS, Parts, Words};
    use crate::avx512::{load, load_bits, store, store_bits};

    /// As [`super::add_marked`].
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    pub(super) fn add_marked(
        marks: &[Words],
        planes: &[Words],
        numbers: &[f64; FEW_CASES],
        weight: f64,
        parts: &mut Parts,
    ) {
        let mut sum = load(parts);
        for (plane, number) in planes.chunks_exact(marks.len()).zip(numbers) {
            let mut count = _mm512_setzero_si512();
            for (marks, plane) in marks.iter().zip(plane) {
                let both = _mm512_and_si512(load_bits(marks), load_bits(plane));
                count = _mm512_add_epi64(count, _mm512_popcnt_epi64(both));
            }
            let weight = _mm512_set1_pd(weight * number);
            sum = _mm512_fmadd_pd(_mm512_cvtepi64_pd(count), weight, sum);
        }
        store(sum, parts);
    }

    /// As [`super::count_lines`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn count_lines(
        table: &[Words],
        per_line: usize,
        at: usize,
        lines: &[u32],
        counters: &mut [Words; BITS],
        bits: usize,
    ) {
        let of_line = |line: &u32| load_bits(&table[*line as usize * per_line + at]);
        let mut found = [_mm512_setzero_si512(); BITS];
        let [mut ones, mut twos, mut fours] = [_mm512_setzero_si512(); 3];
        let mut add_eight = |x: &[__m512i; ADDED]| {
            let a = add(&mut ones, x[0], x[1]);
            let b = add(&mut ones, x[2], x[3]);
            let c = add(&mut ones, x[4], x[5]);
            let d = add(&mut ones, x[6], x[7]);
            let (a, b) = (add(&mut twos, a, b), add(&mut twos, c, d));
            let mut carry = add(&mut fours, a, b);
            for counter in found.iter_mut().take(bits).skip(3) {
                let both = _mm512_and_si512(*counter, carry);
                *counter = _mm512_xor_si512(*counter, carry);
                carry = both;
            }
        };
        let (whole, rest) = lines.as_chunks::<ADDED>();
        for lines in whole {
            let mut x = [_mm512_setzero_si512(); ADDED];
            x.iter_mut().zip(lines).for_each(|(x, line)| *x = of_line(line));
            add_eight(&x);
        }
        let mut x = [_mm512_setzero_si512(); ADDED];
        x.iter_mut().zip(rest).for_each(|(x, line)| *x = of_line(line));
        add_eight(&x);
        [found[0], found[1], found[2]] = [ones, twos, fours];
        for (counter, found) in counters.iter_mut().zip(found) {
            store_bits(found, counter);
        }
    }

    /// As [`super::add`].
    #[target_feature(enable = "avx512f")]
    fn add(counter: &mut __m512i, x: __m512i, y: __m512i) -> __m512i {
        // The majority of three bits is carried, and their parity stays.
        let carry = _mm512_ternarylogic_epi64::<0xe8>(*counter, x, y);
        *counter = _mm512_ternarylogic_epi64::<0x96>(*counter, x, y);
        carry
    }

    /// As [`super::weigh_word`].
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn weigh_word(counters: &[u64], weights: &[f64; 64], products: &mut [f64; 64]) {
        let mut halves = [_mm512_setzero_si512(); 2];
        for (bit, counter) in counters.iter().enumerate() {
            let one = _mm512_set1_epi16(1 << bit);
            for (half, count) in halves.iter_mut().enumerate() {
                let marked = (counter >> (32 * half)) as u32;
                *count = _mm512_mask_add_epi16(*count, marked, *count, one);
            }
        }
        let weights = weights.as_chunks::<MARKS>().0.iter();
        for (at, (weights, products)) in
            weights.zip(products.as_chunks_mut::<MARKS>().0).enumerate()
        {
            // Eight of the counts, in the order of the rows.
            let half = halves[at / 4];
            let eight = match at % 4 {
                0 => _mm512_castsi512_si128(half),
                1 => _mm512_extracti32x4_epi32::<1>(half),
                2 => _mm512_extracti32x4_epi32::<2>(half),
                _ => _mm512_extracti32x4_epi32::<3>(half),
            };
            let counts = _mm512_cvtepi32_pd(_mm512_castsi512_si256(_mm512_cvtepu16_epi32(
                _mm256_castsi128_si256(eight),
            )));
            store(_mm512_mul_pd(load(weights), counts), products);
        }
    }
}
