//! How many copies the genotypes of pairs of rows differ, feature by feature and summed over many
//! pairs, by counters that lie across the words: bit k of 64 features' counts is one word.
//!
//! The differences of a pair are a few logical operations per word, and sixteen words of them are
//! added at a time by carry-save adders. They become numbers once per call.

use crate::dispatch::multiversion;
use crate::{GenotypeRule, Level};

/// Features of one call.
pub const COUNTED: usize = 256;

/// Words of a row: both planes of [`COUNTED`] features, *at least one copy* before *two copies*.
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
/// `planes` holds [`COUNTED_WORDS`] words per row. Pairs come in runs: run k is of row `rows[k]` and
/// of the others from `ends[k - 1]` (0 for the first) to `ends[k]`. The rule is
/// [`GenotypeRule::Copies`] or [`GenotypeRule::Mismatch`]; squares are not counted.
///
/// # Panics
/// More than [`MOST_COUNTED`] others, not one row per end, rows that are not there, squares, or a
/// `level` that this machine does not have.
pub fn sum_differences(
    level: Level,
    rule: GenotypeRule,
    planes: &[u64],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [u16; COUNTED],
) {
    assert!(others.len() <= MOST_COUNTED, "at most {MOST_COUNTED} pairs");
    assert_eq!(rows.len(), ends.len(), "one row and end per run");
    macro_rules! call {
        ($body:ident) => {
            multiversion!(
                level,
                fn(
                    planes: &[u64],
                    rows: &[u32],
                    ends: &[usize],
                    others: &[u32],
                    out: &mut [u16; COUNTED],
                ) $body
            )
        };
    }
    match rule {
        GenotypeRule::Copies => call!(copies),
        GenotypeRule::Mismatch => call!(mismatches),
        GenotypeRule::SquaredCopies => panic!("squares are not counted"),
    }
}

#[inline(always)]
fn copies(planes: &[u64], rows: &[u32], ends: &[usize], others: &[u32], out: &mut [u16; COUNTED]) {
    *out = expand(&count(planes, rows, ends, others, |one, two| [one, two]));
}

#[inline(always)]
fn mismatches(
    planes: &[u64],
    rows: &[u32],
    ends: &[usize],
    others: &[u32],
    out: &mut [u16; COUNTED],
) {
    *out = expand(&count(planes, rows, ends, others, |one, two| [zip(&one, &two, |a, b| a | b)]));
}

/// Counters, least bit first, of the words that `differ` makes of the places in which a pair's
/// planes differ.
#[inline(always)]
fn count<const EACH: usize>(
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
        let own = &table[own as usize];
        for &other in &others[start..end] {
            let other = &table[other as usize];
            let one = std::array::from_fn(|w| own[w] ^ other[w]);
            let two = std::array::from_fn(|w| own[PLANE + w] ^ other[PLANE + w]);
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
