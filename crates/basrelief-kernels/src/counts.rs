//! How many copies one row's genotypes differ from those of other rows, feature by feature, by
//! counters that lie across the words: bit k of 64 features' counts is one word.
//!
//! Adding a row to 64 counters takes a few logical operations per word, because eight rows are
//! added at a time by carry-save adders; the row's own genotypes enter only at the end.

use crate::dispatch::multiversion;
use crate::{GenotypeRule, Level};

/// Features of one call.
pub const COUNTED: usize = 256;

/// Words of a row: both planes of [`COUNTED`] features, *at least one copy* before *two copies*.
pub const COUNTED_WORDS: usize = 2 * PLANE;

/// Most rows of one call: counts have ten bits.
pub const MOST_COUNTED: usize = (1 << BITS) - 1;

const PLANE: usize = COUNTED / 64;
const BITS: usize = 10;

/// A counter's bit of all features and planes.
type Words = [u64; COUNTED_WORDS];

/// Replaces `out` by the sums over `others` of the counted difference to row `own`.
///
/// `planes` holds [`COUNTED_WORDS`] words per row. The rule is [`GenotypeRule::Copies`] or
/// [`GenotypeRule::Mismatch`]; squares are not counted.
///
/// # Panics
/// More than [`MOST_COUNTED`] other rows, rows that are not there, squares, or a `level` that
/// this machine does not have.
pub fn sum_differences(
    level: Level,
    rule: GenotypeRule,
    planes: &[u64],
    own: usize,
    others: &[u32],
    out: &mut [u16; COUNTED],
) {
    assert!(others.len() <= MOST_COUNTED, "at most {MOST_COUNTED} rows");
    match rule {
        GenotypeRule::Copies => multiversion!(
            level,
            fn(planes: &[u64], own: usize, others: &[u32], out: &mut [u16; COUNTED]) copies
        ),
        GenotypeRule::Mismatch => multiversion!(
            level,
            fn(planes: &[u64], own: usize, others: &[u32], out: &mut [u16; COUNTED]) mismatches
        ),
        GenotypeRule::SquaredCopies => panic!("squares are not counted"),
    }
}

#[inline(always)]
fn copies<const ROWS: usize>(planes: &[u64], own: usize, others: &[u32], out: &mut [u16; COUNTED]) {
    // Rows with the bit differ from a row without it, and the other way round.
    expand(planes, own, others, out, |one, two, n, has_one, has_two| {
        ((one ^ has_one).wrapping_sub(has_one))
            .wrapping_add((two ^ has_two).wrapping_sub(has_two))
            .wrapping_add((n & has_one).wrapping_add(n & has_two))
    });
}

#[inline(always)]
fn mismatches<const ROWS: usize>(
    planes: &[u64],
    own: usize,
    others: &[u32],
    out: &mut [u16; COUNTED],
) {
    // No copy: all with one or more; two: all without two; one: those without any, and with two.
    expand(planes, own, others, out, |one, two, n, has_one, has_two| {
        let none = one & !has_one;
        let both = n.wrapping_sub(two) & has_two;
        let single = n.wrapping_sub(one).wrapping_add(two) & has_one & !has_two;
        none | both | single
    });
}

/// Counts the rows with each bit, and hands them feature by feature, with the number of rows and
/// all bits set where the row itself has the bit, to `combine`.
#[inline(always)]
fn expand(
    planes: &[u64],
    own: usize,
    others: &[u32],
    out: &mut [u16; COUNTED],
    combine: impl Fn(u16, u16, u16, u16, u16) -> u16,
) {
    let counters = count(planes, others);
    let used = (usize::BITS - others.len().leading_zeros()) as usize;
    let row = row(planes, own as u32);
    let n = others.len() as u16;
    for (byte, out) in out.chunks_exact_mut(8).enumerate() {
        let (word, shift) = (byte / 8, byte % 8 * 8);
        let spread = |bits: u64| &SPREAD[(bits >> shift & 0xff) as usize];
        let (mut one, mut two) = ([0_u16; 8], [0_u16; 8]);
        for (bit, counter) in counters[..used].iter().enumerate() {
            let (first, second) = (spread(counter[word]), spread(counter[PLANE + word]));
            for lane in 0..8 {
                one[lane] += first[lane] << bit;
                two[lane] += second[lane] << bit;
            }
        }
        let (has_one, has_two) = (spread(row[word]), spread(row[PLANE + word]));
        for lane in 0..8 {
            let all = |bit: u16| 0_u16.wrapping_sub(bit);
            out[lane] = combine(one[lane], two[lane], n, all(has_one[lane]), all(has_two[lane]));
        }
    }
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

#[inline(always)]
fn row(planes: &[u64], row: u32) -> &Words {
    let start = row as usize * COUNTED_WORDS;
    planes[start..start + COUNTED_WORDS].try_into().expect("a row of words")
}

/// Counters of the bits of some rows, least bit first.
#[inline(always)]
fn count(planes: &[u64], others: &[u32]) -> [Words; BITS] {
    let mut counters = [[0; COUNTED_WORDS]; BITS];
    let [ones, twos, fours, rest @ ..] = &mut counters;
    let eights_used = (usize::BITS - (others.len() / 8).leading_zeros()) as usize;
    let rest = &mut rest[..eights_used];
    let mut groups = others.chunks_exact(8);
    for group in &mut groups {
        let x: [&Words; 8] = std::array::from_fn(|k| row(planes, group[k]));
        let (sum, two_a) = add(ones, x[0], x[1]);
        let (sum, two_b) = add(&sum, x[2], x[3]);
        let (sum, two_c) = add(&sum, x[4], x[5]);
        let (sum, two_d) = add(&sum, x[6], x[7]);
        let (two, four_a) = add(twos, &two_a, &two_b);
        let (two, four_b) = add(&two, &two_c, &two_d);
        let (four, carry) = add(fours, &four_a, &four_b);
        (*ones, *twos, *fours) = (sum, two, four);
        ripple(rest.iter_mut(), carry);
    }
    for &other in groups.remainder() {
        let lowest = [&mut *ones, &mut *twos, &mut *fours];
        ripple(lowest.into_iter().chain(rest.iter_mut()), *row(planes, other));
    }
    counters
}

/// Adds a bit to counters.
#[inline(always)]
fn ripple<'c>(counters: impl Iterator<Item = &'c mut Words>, mut carry: Words) {
    for counter in counters {
        let sum = zip(counter, &carry, |a, b| a ^ b);
        carry = zip(counter, &carry, |a, b| a & b);
        *counter = sum;
    }
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
