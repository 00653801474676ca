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
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx2 {
        assert!(level.is_available(), "{} is not on this machine", level.name());
        macro_rules! counted {
            ($rule:ident, $planes:ident) => {
                sweep_tiles::<$planes>(a, b, words, weight, out, |x, y| {
                    // SAFETY: `is_available` has just said that the machine has AVX2.
                    unsafe { avx2::count::<{ avx2::$rule }, $planes>(x, y) }
                })
            };
        }
        match (rule, gaps) {
            (GenotypeRule::Copies, false) => counted!(COPIES, COMPLETE),
            (GenotypeRule::Copies, true) => counted!(COPIES, WITH_GAPS),
            (GenotypeRule::SquaredCopies, false) => counted!(SQUARED_COPIES, COMPLETE),
            (GenotypeRule::SquaredCopies, true) => counted!(SQUARED_COPIES, WITH_GAPS),
            (GenotypeRule::Mismatch, false) => counted!(MISMATCH, COMPLETE),
            (GenotypeRule::Mismatch, true) => counted!(MISMATCH, WITH_GAPS),
        }
        return;
    }
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
    sweep_tiles::<PLANES>(a, b, words, weight, out, |x, y| {
        let mut counts = [[0; LANES]; LANES];
        for (group, rows) in counts.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            *rows = tile::<ROWS, PLANES>(x, y, group * ROWS, count);
        }
        counts
    });
}

/// The loop nest: chunks of words, then pairs of panels; `count` counts one tile.
#[inline(always)]
fn sweep_tiles<const PLANES: usize>(
    a: &[u64],
    b: &[u64],
    words: usize,
    weight: f64,
    out: &mut [f64],
    count: impl Fn(&[u64], &[u64]) -> [[u64; LANES]; LANES],
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
                let counts = count(a_part, &b_panel[part.clone()]);
                let place = (i * b_panels + j) * TILE;
                let tile = &mut out[place..place + TILE];
                for (sum, counted) in tile.iter_mut().zip(counts.as_flattened()) {
                    *sum += weight * *counted as f64;
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

/// The planes *at least one copy*, *two copies* and *known* of 64 rows, a word per row, from up to 64
/// columns of 0, 1, 2 and 3 for unknown; bit k of a word is column k.
///
/// # Panics
/// More than 64 columns.
pub fn genotype_planes(columns: &[[u8; 64]], planes: &mut [[u64; 64]; 3]) {
    assert!(columns.len() <= 64, "at most 64 columns");
    *planes = [[0; 64]; 3];
    // Column by column first, where eight rows are one multiplication, then turned.
    let [one, two, known] = planes;
    for (column, copies) in columns.iter().enumerate() {
        for (part, eight) in copies.as_chunks::<8>().0.iter().enumerate() {
            let bytes = u64::from_le_bytes(*eight);
            // The lower two bits of a byte say 0 to 3.
            let (low, high) = (bytes & LOWEST, bytes >> 1 & LOWEST);
            one[column] |= gather(low ^ high) << (8 * part);
            two[column] |= gather(high & !low) << (8 * part);
            known[column] |= gather(!(low & high) & LOWEST) << (8 * part);
        }
    }
    planes.iter_mut().for_each(turn);
}

/// The lowest bit of every byte.
const LOWEST: u64 = 0x0101_0101_0101_0101;

/// The lowest bits of eight bytes as one byte.
fn gather(bytes: u64) -> u64 {
    // Byte k's bit arrives in bit 56 + k, and no two bits meet on the way.
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Turns 64 words of 64 bits: bit k of word i becomes bit i of word k.
fn turn(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width > 0 {
        for first in (0..64).step_by(2 * width) {
            for word in first..first + width {
                let swapped = (words[word] >> width ^ words[word + width]) & mask;
                words[word] ^= swapped << width;
                words[word + width] ^= swapped;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::LANES;

    /// What is counted, see [`super::GenotypeRule`].
    pub(super) const COPIES: u8 = 0;
    pub(super) const SQUARED_COPIES: u8 = 1;
    pub(super) const MISMATCH: u8 = 2;

    /// Rows whose counters are in registers at a time, and lanes of a vector.
    const ROWS: usize = 4;
    const WIDE: usize = 4;

    /// Words after which the counters of a byte are full.
    const fn words(rule: u8) -> usize {
        let most_per_word = match rule {
            MISMATCH => 8,
            COPIES => 16,
            _ => 32,
        };
        255 / most_per_word
    }

    /// The counts of a tile: AVX2 has no population count, a table of sixteen per shuffle is twice
    /// as fast as the scalar instruction.
    #[target_feature(enable = "avx2")]
    pub(super) fn count<const RULE: u8, const PLANES: usize>(
        x: &[u64],
        y: &[u64],
    ) -> [[u64; LANES]; LANES] {
        let mut counts = [[0; LANES]; LANES];
        let per_word = PLANES * LANES;
        let part = words(RULE) * per_word;
        for (x, y) in x.chunks(part).zip(y.chunks(part)) {
            for first_row in (0..LANES).step_by(ROWS) {
                for first_lane in (0..LANES).step_by(WIDE) {
                    let mut bytes = [_mm256_setzero_si256(); ROWS];
                    for (x, y) in x.chunks_exact(per_word).zip(y.chunks_exact(per_word)) {
                        let right: [__m256i; PLANES] =
                            std::array::from_fn(|plane| load(&y[plane * LANES + first_lane..]));
                        for (row, bytes) in bytes.iter_mut().enumerate() {
                            let left: [__m256i; PLANES] = std::array::from_fn(|plane| {
                                _mm256_set1_epi64x(x[plane * LANES + first_row + row] as i64)
                            });
                            let counted = differences::<RULE, PLANES>(left, right);
                            *bytes = _mm256_add_epi8(*bytes, counted);
                        }
                    }
                    for (row, bytes) in bytes.into_iter().enumerate() {
                        let sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
                        // SAFETY: both are four 64-bit integers.
                        let sums: [u64; WIDE] = unsafe { std::mem::transmute(sums) };
                        let counts = &mut counts[first_row + row][first_lane..first_lane + WIDE];
                        counts.iter_mut().zip(sums).for_each(|(count, sum)| *count += sum);
                    }
                }
            }
        }
        counts
    }

    /// Per byte, the counted difference of its eight features.
    #[target_feature(enable = "avx2")]
    fn differences<const RULE: u8, const PLANES: usize>(
        left: [__m256i; PLANES],
        right: [__m256i; PLANES],
    ) -> __m256i {
        let mut one = _mm256_xor_si256(left[0], right[0]);
        let mut two = _mm256_xor_si256(left[1], right[1]);
        if PLANES == 3 {
            let known = _mm256_and_si256(left[PLANES - 1], right[PLANES - 1]);
            one = _mm256_and_si256(one, known);
            two = _mm256_and_si256(two, known);
        }
        match RULE {
            MISMATCH => ones(_mm256_or_si256(one, two)),
            COPIES => _mm256_add_epi8(ones(one), ones(two)),
            _ => {
                let both = ones(_mm256_and_si256(one, two));
                let single = _mm256_add_epi8(ones(one), ones(two));
                _mm256_add_epi8(single, _mm256_add_epi8(both, both))
            }
        }
    }

    /// Per byte, the number of bits set.
    #[target_feature(enable = "avx2")]
    fn ones(bits: __m256i) -> __m256i {
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2,
            3, 3, 4,
        );
        let half = _mm256_set1_epi8(0x0f);
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(bits, half));
        let high = _mm256_and_si256(_mm256_srli_epi64::<4>(bits), half);
        _mm256_add_epi8(low, _mm256_shuffle_epi8(table, high))
    }

    #[target_feature(enable = "avx2")]
    fn load(words: &[u64]) -> __m256i {
        let words = words.first_chunk::<WIDE>().expect("a whole vector");
        // SAFETY: the reference is good for 32 bytes; this load asks for no alignment.
        unsafe { _mm256_loadu_si256(std::ptr::from_ref(words).cast()) }
    }
}
