//! Genotypes and category codes as bit planes: 64 at a time by exclusive or and population count.
//!
//! A genotype of 0, 1 or 2 copies has two thermometer bits, `copies >= 1` and `copies >= 2`; a code
//! below 4 or 16 has two or four binary digits. Where values may be missing, one more plane says where
//! they are known. Elements of a row: for every word (64 features) its planes one after the other, so
//! `words * planes` elements per row in the panel layout.

use crate::bit_rules::{
    BitRule, CHUNK, COMMON, COPIES, Counts, MISMATCH, MISMATCH_OF_FOUR, SQUARED_COPIES, add_counts,
    value_planes,
};
#[cfg(target_arch = "x86_64")]
use crate::nibbles;
use crate::{LANES, Level, TILE, check_shapes};

/// Rows whose counters are in registers at a time, where the compiler chooses the instructions.
const ROWS: usize = 4;

/// Adds, for every pair of rows, `weight` times the sum over features of the counted difference.
///
/// For every word, panels contain the rule's [planes](BitRule::planes): *at least one copy* and
/// *two copies*, or the binary digits of codes, in any order. With `gaps` they contain one more
/// plane, *known*, and a pair with an unknown value counts 0.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_bit_differences(
    level: Level,
    rule: BitRule,
    gaps: bool,
    a: &[u64],
    b: &[u64],
    words: usize,
    weight: f64,
    out: &mut [f64],
) {
    check_shapes(a, b, words * (rule.planes() + usize::from(gaps)), out);
    let sweep = match (rule, gaps) {
        (BitRule::Copies, false) => sweep::<COPIES, 2>,
        (BitRule::Copies, true) => sweep::<COPIES, 3>,
        (BitRule::SquaredCopies, false) => sweep::<SQUARED_COPIES, 2>,
        (BitRule::SquaredCopies, true) => sweep::<SQUARED_COPIES, 3>,
        (BitRule::Mismatch, false) => sweep::<MISMATCH, 2>,
        (BitRule::Mismatch, true) => sweep::<MISMATCH, 3>,
        (BitRule::MismatchOfFour, false) => sweep::<MISMATCH_OF_FOUR, 4>,
        (BitRule::MismatchOfFour, true) => sweep::<MISMATCH_OF_FOUR, 5>,
    };
    sweep(level, a, b, words, weight, out);
}

/// Adds, for every pair of rows, the number of bits set in both.
///
/// Panels hold `words` elements per row.
///
/// # Panics
/// Slices that do not fit together, or a `level` that this machine does not have.
pub fn add_common_bits(level: Level, a: &[u64], b: &[u64], words: usize, out: &mut [f64]) {
    check_shapes(a, b, words, out);
    sweep::<COMMON, 1>(level, a, b, words, 1.0, out);
}

/// The loop nest: chunks of words, then pairs of panels.
fn sweep<const RULE: u8, const PLANES: usize>(
    level: Level,
    a: &[u64],
    b: &[u64],
    words: usize,
    weight: f64,
    out: &mut [f64],
) {
    level.assert_available();
    if words == 0 {
        return;
    }
    let per_word = PLANES * LANES;
    let per_panel = words * per_word;
    let (a_panels, b_panels) = (a.len() / per_panel, b.len() / per_panel);
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx2 && nibbles::is_counted(RULE, a_panels, b_panels) {
        // SAFETY: `assert_available` has just seen that the machine has these instructions.
        return unsafe { nibbles::sweep::<RULE, PLANES>(a, b, words, weight, out) };
    }
    for first in (0..words).step_by(CHUNK) {
        let part = first * per_word..(first + CHUNK).min(words) * per_word;
        for (i, a_panel) in a.chunks_exact(per_panel).enumerate() {
            let a_part = &a_panel[part.clone()];
            for (j, b_panel) in b.chunks_exact(per_panel).enumerate() {
                let b_part = &b_panel[part.clone()];
                let tile = &mut out[(i * b_panels + j) * TILE..][..TILE];
                match level {
                    // SAFETY: `assert_available` has just seen that the machine has these instructions.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => unsafe {
                        avx512::add_tile::<RULE, PLANES>(a_part, b_part, weight, tile);
                    },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => unsafe {
                        avx2::add_tile::<RULE, PLANES>(a_part, b_part, weight, tile);
                    },
                    _ => add_counts(&count::<RULE, PLANES>(a_part, b_part), weight, tile),
                }
            }
        }
    }
}

/// The counts of a tile, on any machine.
fn count<const RULE: u8, const PLANES: usize>(x: &[u64], y: &[u64]) -> Counts {
    let mut counts = Counts::default();
    let per_word = PLANES * LANES;
    for (group, counts) in counts.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
        for (x, y) in x.chunks_exact(per_word).zip(y.chunks_exact(per_word)) {
            for (row, counts) in counts.iter_mut().enumerate() {
                let left: [u64; PLANES] =
                    std::array::from_fn(|plane| x[plane * LANES + group * ROWS + row]);
                for (lane, count) in counts.iter_mut().enumerate() {
                    let right: [u64; PLANES] = std::array::from_fn(|plane| y[plane * LANES + lane]);
                    *count += u64::from(counted::<RULE, PLANES>(left, right));
                }
            }
        }
    }
    counts
}

/// The count for two words.
#[inline(always)]
fn counted<const RULE: u8, const PLANES: usize>(x: [u64; PLANES], y: [u64; PLANES]) -> u32 {
    if RULE == COMMON {
        return (x[0] & y[0]).count_ones();
    }
    let known = if PLANES > value_planes(RULE) { x[PLANES - 1] & y[PLANES - 1] } else { u64::MAX };
    let mut differ = [0; 2];
    for plane in 0..value_planes(RULE) {
        differ[plane % 2] |= (x[plane] ^ y[plane]) & known;
    }
    let [one, two] = differ;
    match RULE {
        MISMATCH | MISMATCH_OF_FOUR => (one | two).count_ones(),
        COPIES => one.count_ones() + two.count_ones(),
        _ => one.count_ones() + two.count_ones() + 2 * (one & two).count_ones(),
    }
}

/// The planes *at least one copy*, *two copies* and *known* of 64 rows, a word per row, or the first of
/// these; from up to 64 columns of 0, 1, 2 and 3 for unknown. Bit k of a word is column k.
///
/// # Panics
/// More than 64 columns or 3 planes, or a `level` that this machine does not have.
pub fn genotype_planes(level: Level, columns: &[[u8; 64]], planes: &mut [[u64; 64]]) {
    assert!(planes.len() <= 3, "at most 3 planes");
    each_column(level, columns, planes, |[low, high]| [low ^ high, high & !low, !(low & high)]);
}

/// The byte of a missing code in [`code_planes`].
pub const MISSING_BYTE: u8 = 1 << 4;

/// The binary digits of the codes of 64 rows, the lowest in the first of two or four planes, a word per
/// row; and *known* in a third or fifth one. The codes are those of up to 64 columns, below 4 or 16, and
/// [`MISSING_BYTE`] for a missing one, whose digits are 0. Bit k of a word is column k.
///
/// # Panics
/// More than 64 columns, not 2 to 5 planes, or a `level` that this machine does not have.
pub fn code_planes(level: Level, columns: &[[u8; 64]], planes: &mut [[u64; 64]]) {
    match planes.len() {
        2 | 3 => each_column(level, columns, planes, |[a, b, _, _, missing]| [a, b, !missing]),
        4 | 5 => {
            each_column(level, columns, planes, |[a, b, c, d, missing]| [a, b, c, d, !missing])
        }
        count => panic!("two or four planes, and one of known values, but not {count}"),
    }
}

/// Turns what a column's lowest bits become, 64 columns at a time, into words per row.
fn each_column<const BITS: usize, const PLANES: usize>(
    level: Level,
    columns: &[[u8; 64]],
    planes: &mut [[u64; 64]],
    planes_of: impl Fn([u64; BITS]) -> [u64; PLANES],
) {
    assert!(columns.len() <= 64, "at most 64 columns");
    level.assert_available();
    planes.as_flattened_mut().fill(0);
    for (column, bytes) in columns.iter().enumerate() {
        let bits = match level {
            // SAFETY: `assert_available` has just seen that the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::lowest_bits(bytes) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::lowest_bits(bytes) },
            _ => lowest_bits(bytes),
        };
        // Column by column first, then turned.
        for (plane, word) in planes.iter_mut().zip(planes_of(bits)) {
            plane[column] = word;
        }
    }
    planes.iter_mut().for_each(turn);
}

/// The lowest bits of bytes as a word each, on any machine.
fn lowest_bits<const BITS: usize>(bytes: &[u8; 64]) -> [u64; BITS] {
    let mut words = [0; BITS];
    // Eight bytes are one multiplication.
    for (part, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*eight);
        for (bit, word) in words.iter_mut().enumerate() {
            *word |= gather(bytes >> bit & LOWEST) << (8 * part);
        }
    }
    words
}

/// The lowest bit of every byte.
const LOWEST: u64 = 0x0101_0101_0101_0101;

/// The lowest bits of eight bytes, whose others are 0, as one byte.
#[inline(always)]
pub(crate) fn gather(bytes: u64) -> u64 {
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

    use super::ROWS;
    use crate::LANES;
    use crate::avx2::load_bits;
    use crate::bit_rules::{
        COMMON, COPIES, Counts, MISMATCH, MISMATCH_OF_FOUR, add_counts, value_planes,
    };

    /// Lanes of a vector.
    const WIDE: usize = 4;

    /// Words after which the counters of a byte are full.
    const fn words(rule: u8) -> usize {
        let most_per_word = match rule {
            MISMATCH | MISMATCH_OF_FOUR | COMMON => 8,
            COPIES => 16,
            _ => 32,
        };
        255 / most_per_word
    }

    /// Adds the counts of a tile: AVX2 has no population count, a table of sixteen per shuffle is
    /// twice as fast as the scalar instruction.
    #[target_feature(enable = "avx2")]
    pub(super) fn add_tile<const RULE: u8, const PLANES: usize>(
        x: &[u64],
        y: &[u64],
        weight: f64,
        tile: &mut [f64],
    ) {
        add_counts(&count::<RULE, PLANES>(x, y), weight, tile);
    }

    #[target_feature(enable = "avx2")]
    fn count<const RULE: u8, const PLANES: usize>(x: &[u64], y: &[u64]) -> Counts {
        let mut counts = Counts::default();
        let per_word = PLANES * LANES;
        let part = words(RULE) * per_word;
        for (x, y) in x.chunks(part).zip(y.chunks(part)) {
            for first_row in (0..LANES).step_by(ROWS) {
                for first_lane in (0..LANES).step_by(WIDE) {
                    let mut bytes = [_mm256_setzero_si256(); ROWS];
                    for (x, y) in x.chunks_exact(per_word).zip(y.chunks_exact(per_word)) {
                        let right: [__m256i; PLANES] = std::array::from_fn(|plane| {
                            load_bits(&y.as_chunks::<WIDE>().0[(plane * LANES + first_lane) / WIDE])
                        });
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

    /// Per byte, what its eight features count.
    #[target_feature(enable = "avx2")]
    fn differences<const RULE: u8, const PLANES: usize>(
        left: [__m256i; PLANES],
        right: [__m256i; PLANES],
    ) -> __m256i {
        if RULE == COMMON {
            return ones(_mm256_and_si256(left[0], right[0]));
        }
        let mut one = _mm256_xor_si256(left[0], right[0]);
        let mut two = _mm256_xor_si256(left[1], right[1]);
        for plane in (2..value_planes(RULE)).step_by(2) {
            one = _mm256_or_si256(one, _mm256_xor_si256(left[plane], right[plane]));
            two = _mm256_or_si256(two, _mm256_xor_si256(left[plane + 1], right[plane + 1]));
        }
        if PLANES > value_planes(RULE) {
            let known = _mm256_and_si256(left[PLANES - 1], right[PLANES - 1]);
            one = _mm256_and_si256(one, known);
            two = _mm256_and_si256(two, known);
        }
        match RULE {
            MISMATCH | MISMATCH_OF_FOUR => ones(_mm256_or_si256(one, two)),
            COPIES => _mm256_add_epi8(ones(one), ones(two)),
            _ => {
                let both = ones(_mm256_and_si256(one, two));
                let single = _mm256_add_epi8(ones(one), ones(two));
                _mm256_add_epi8(single, _mm256_add_epi8(both, both))
            }
        }
    }

    /// As [`super::lowest_bits`].
    #[target_feature(enable = "avx2")]
    pub(super) fn lowest_bits<const BITS: usize>(bytes: &[u8; 64]) -> [u64; BITS] {
        let mut words = [0; BITS];
        for (half, bytes) in bytes.as_chunks::<32>().0.iter().enumerate() {
            // The last bit wanted comes to be a byte's highest, and then the others in turn. Shifts carry
            // nothing there but the byte's own lower bits.
            let mut bytes = _mm256_sll_epi16(load_bits(bytes), _mm_cvtsi32_si128(8 - BITS as i32));
            for word in words.iter_mut().rev() {
                *word |= u64::from(_mm256_movemask_epi8(bytes) as u32) << (32 * half);
                bytes = _mm256_add_epi8(bytes, bytes);
            }
        }
        words
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
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::LANES;
    use crate::avx512::load_bits;
    use crate::bit_rules::{
        COMMON, COPIES, Counts, MISMATCH, MISMATCH_OF_FOUR, add_counts, value_planes,
    };

    /// Adds the counts of a tile: all its rows at a time, a panel's lanes being one vector.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn add_tile<const RULE: u8, const PLANES: usize>(
        x: &[u64],
        y: &[u64],
        weight: f64,
        tile: &mut [f64],
    ) {
        let mut sums = [_mm512_setzero_si512(); LANES];
        let (x, y) = (x.as_chunks::<LANES>().0, y.as_chunks::<LANES>().0);
        for (x, y) in x.chunks_exact(PLANES).zip(y.chunks_exact(PLANES)) {
            let mut right = [_mm512_setzero_si512(); PLANES];
            for (right, y) in right.iter_mut().zip(y) {
                *right = load_bits(y);
            }
            for (row, sum) in sums.iter_mut().enumerate() {
                let mut left = [_mm512_setzero_si512(); PLANES];
                for (left, x) in left.iter_mut().zip(x) {
                    *left = _mm512_set1_epi64(x[row] as i64);
                }
                *sum = add::<RULE, PLANES>(*sum, left, right);
            }
        }
        // SAFETY: both are rows of eight 64-bit integers.
        let counts = unsafe { std::mem::transmute::<[__m512i; LANES], Counts>(sums) };
        add_counts(&counts, weight, tile);
    }

    /// As [`super::lowest_bits`].
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn lowest_bits<const BITS: usize>(bytes: &[u8; 64]) -> [u64; BITS] {
        let bytes = load_bits(bytes);
        let mut words = [0; BITS];
        for (bit, word) in words.iter_mut().enumerate() {
            *word = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1 << bit));
        }
        words
    }

    /// Adds what the features of two words count.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn add<const RULE: u8, const PLANES: usize>(
        sum: __m512i,
        left: [__m512i; PLANES],
        right: [__m512i; PLANES],
    ) -> __m512i {
        if RULE == COMMON {
            return plus_ones(sum, _mm512_and_si512(left[0], right[0]));
        }
        let mut one = _mm512_xor_si512(left[0], right[0]);
        let mut two = _mm512_xor_si512(left[1], right[1]);
        for plane in (2..value_planes(RULE)).step_by(2) {
            one = _mm512_or_si512(one, _mm512_xor_si512(left[plane], right[plane]));
            two = _mm512_or_si512(two, _mm512_xor_si512(left[plane + 1], right[plane + 1]));
        }
        if PLANES > value_planes(RULE) {
            let known = _mm512_and_si512(left[PLANES - 1], right[PLANES - 1]);
            one = _mm512_and_si512(one, known);
            two = _mm512_and_si512(two, known);
        }
        match RULE {
            MISMATCH | MISMATCH_OF_FOUR => plus_ones(sum, _mm512_or_si512(one, two)),
            COPIES => plus_ones(plus_ones(sum, one), two),
            _ => {
                let both = _mm512_popcnt_epi64(_mm512_and_si512(one, two));
                let sum = plus_ones(plus_ones(sum, one), two);
                _mm512_add_epi64(sum, _mm512_add_epi64(both, both))
            }
        }
    }

    /// Adds the number of bits set.
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn plus_ones(sum: __m512i, bits: __m512i) -> __m512i {
        _mm512_add_epi64(sum, _mm512_popcnt_epi64(bits))
    }
}
