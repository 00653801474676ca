//! Genotypes as bit planes: 64 at a time by exclusive or and population count.
//!
//! A genotype of 0, 1 or 2 copies has two thermometer bits, `copies >= 1` and `copies >= 2`; where
//! values may be missing, a third plane says where it is known. Elements of a row: for every word (64 features) its planes
//! one after the other, so `words * planes` elements per row in the panel layout.

use crate::dispatch::multiversion;
use crate::{LANES, Level, TILE, check_shapes};

/// Planes per word: at least one copy, two copies, and where values may be missing, known.
const COMPLETE: usize = 2;
const WITH_GAPS: usize = 3;

/// Words per pass over a block.
const CHUNK: usize = 64;

/// How the difference of two genotypes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenotypeRule {
    /// The number of allele copies that differ: 0, 1 or 2.
    Copies,
    /// The square of that number: 0, 1 or 4.
    SquaredCopies,
    /// 1 if they differ.
    Mismatch,
}

/// Adds, for every pair of rows, `weight` times the sum over features of the counted difference.
///
/// Panels hold `words * 2` elements per row: for every word the planes *at least one copy* and *two
/// copies*. With `gaps` they hold `words * 3`, the third plane being *known*, and a pair with an
/// unknown genotype counts 0.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_genotypes(
    level: Level,
    rule: GenotypeRule,
    gaps: bool,
    a: &[u64],
    b: &[u64],
    words: usize,
    weight: f64,
    out: &mut [f64],
) {
    macro_rules! call {
        ($body:ident) => {
            multiversion!(
                level,
                fn(a: &[u64], b: &[u64], words: usize, weight: f64, out: &mut [f64]) $body
            )
        };
    }
    check_shapes(a, b, words * if gaps { WITH_GAPS } else { COMPLETE }, out);
    match (rule, gaps) {
        (GenotypeRule::Copies, false) => call!(copies),
        (GenotypeRule::Copies, true) => call!(known_copies),
        (GenotypeRule::SquaredCopies, false) => call!(squared_copies),
        (GenotypeRule::SquaredCopies, true) => call!(known_squared_copies),
        (GenotypeRule::Mismatch, false) => call!(mismatch),
        (GenotypeRule::Mismatch, true) => call!(known_mismatch),
    }
}

/// Adds, for every pair of rows, the number of bits set in both.
///
/// Panels hold `words` elements per row.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_common_bits(level: Level, a: &[u64], b: &[u64], words: usize, out: &mut [f64]) {
    check_shapes(a, b, words, out);
    multiversion!(level, fn(a: &[u64], b: &[u64], words: usize, out: &mut [f64]) common);
}

/// A kernel over complete genotypes and one over genotypes with gaps, from how many copies the
/// words with a differing bit count.
macro_rules! counted {
    ($complete:ident, $known:ident, |$one:ident, $two:ident| $count:expr) => {
        #[inline(always)]
        fn $complete<const ROWS: usize>(
            a: &[u64],
            b: &[u64],
            words: usize,
            weight: f64,
            out: &mut [f64],
        ) {
            sweep::<ROWS, COMPLETE>(a, b, words, weight, out, |x, y| {
                let ($one, $two) = (x[0] ^ y[0], x[1] ^ y[1]);
                $count
            });
        }

        #[inline(always)]
        fn $known<const ROWS: usize>(
            a: &[u64],
            b: &[u64],
            words: usize,
            weight: f64,
            out: &mut [f64],
        ) {
            sweep::<ROWS, WITH_GAPS>(a, b, words, weight, out, |x, y| {
                let known = x[2] & y[2];
                let ($one, $two) = ((x[0] ^ y[0]) & known, (x[1] ^ y[1]) & known);
                $count
            });
        }
    };
}

counted!(copies, known_copies, |one, two| one.count_ones() + two.count_ones());
counted!(squared_copies, known_squared_copies, |one, two| {
    one.count_ones() + two.count_ones() + 2 * (one & two).count_ones()
});
counted!(mismatch, known_mismatch, |one, two| (one | two).count_ones());

#[inline(always)]
fn common<const ROWS: usize>(a: &[u64], b: &[u64], words: usize, out: &mut [f64]) {
    sweep::<ROWS, 1>(a, b, words, 1.0, out, |x, y| (x[0] & y[0]).count_ones());
}

#[inline(always)]
fn sweep<const ROWS: usize, const PLANES: usize>(
    a: &[u64],
    b: &[u64],
    words: usize,
    weight: f64,
    out: &mut [f64],
    count: impl Fn([u64; PLANES], [u64; PLANES]) -> u32 + Copy,
) {
    if words == 0 {
        return;
    }
    let per_word = PLANES * LANES;
    let per_panel = words * per_word;
    let b_panels = b.len() / per_panel;
    for first in (0..words).step_by(CHUNK) {
        let part = first * per_word..(first + CHUNK).min(words) * per_word;
        for (i, a_panel) in a.chunks_exact(per_panel).enumerate() {
            let a_part = &a_panel[part.clone()];
            for (j, b_panel) in b.chunks_exact(per_panel).enumerate() {
                let b_part = &b_panel[part.clone()];
                let place = (i * b_panels + j) * TILE;
                for (group, rows) in
                    out[place..place + TILE].chunks_exact_mut(ROWS * LANES).enumerate()
                {
                    let counts = tile::<ROWS, PLANES>(a_part, b_part, group * ROWS, count);
                    for (sum, counted) in rows.iter_mut().zip(counts.as_flattened()) {
                        *sum += weight * *counted as f64;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn tile<const ROWS: usize, const PLANES: usize>(
    a: &[u64],
    b: &[u64],
    first_row: usize,
    count: impl Fn([u64; PLANES], [u64; PLANES]) -> u32 + Copy,
) -> [[u64; LANES]; ROWS] {
    let mut counts = [[0_u64; LANES]; ROWS];
    let per_word = PLANES * LANES;
    for (x, y) in a.chunks_exact(per_word).zip(b.chunks_exact(per_word)) {
        for row in 0..ROWS {
            let left: [u64; PLANES] =
                std::array::from_fn(|plane| x[plane * LANES + first_row + row]);
            for lane in 0..LANES {
                let right: [u64; PLANES] = std::array::from_fn(|plane| y[plane * LANES + lane]);
                counts[row][lane] += u64::from(count(left, right));
            }
        }
    }
    counts
}
