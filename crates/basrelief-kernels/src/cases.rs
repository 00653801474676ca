//! Numbers by case: 64 rows at a time, of each of which a feature tells apart a few cases.
//!
//! A byte per row and feature stands for one of eight numbers, which fill a register of AVX-512, so
//! that looking up is one instruction per eight rows.

use crate::dispatch::by_hand;
use crate::{Level, add_parts};

/// Largest number of cases that a lookup distinguishes.
pub const FEW_CASES: usize = 8;

/// Rows of a [`CaseBlock`].
pub const CASE_ROWS: usize = 64;

/// Bits that tell cases apart, and words that hold those of a [`CaseBlock`].
pub const CASE_PLANES: usize = FEW_CASES.ilog2() as usize;

/// The bits of a case.
const CASE: u8 = FEW_CASES as u8 - 1;

/// Features of whose rounded numbers parts of 8 bits add up to 16.
const ADDED: usize = 256;

/// Parts of a weighted sum: enough to hide the latency of an addition.
const PARTS: usize = 32;

/// The cases of 64 rows in their order: of every byte the lowest three bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct CaseBlock([u8; CASE_ROWS]);

impl CaseBlock {
    /// The cases of all rows 0.
    pub const ZERO: Self = Self([0; CASE_ROWS]);

    /// The case of every row, the rows numbered from 0 to 63.
    #[inline]
    pub fn from_fn(case: impl Fn(usize) -> u8) -> Self {
        Self(std::array::from_fn(case).map(|case| case & CASE))
    }

    /// The cases of up to 64 rows, and 0 for what is missing to 64.
    #[inline]
    pub fn padded<T: Copy>(rows: &[T], case: impl Fn(T) -> u8) -> Self {
        match rows.first_chunk::<CASE_ROWS>() {
            // The compiler knows how many there are.
            Some(rows) => Self::from_fn(|place| case(rows[place])),
            None => Self::from_fn(|place| rows.get(place).map_or(0, |row| case(*row))),
        }
    }

    /// Blocks of the cases of any number of rows, and 0 behind them.
    pub fn all(cases: &[u8]) -> impl Iterator<Item = Self> {
        cases.chunks(CASE_ROWS).map(|cases| Self::padded(cases, |case| case))
    }

    /// The cases as bits, in less than half of the bytes: bit `p` of the case of row `r` is bit `r` of word `p`.
    pub fn planes(&self) -> [u64; CASE_PLANES] {
        /// Brings the lowest bits of eight bytes together in the highest byte.
        const TOGETHER: u64 = 0x0102_0408_1020_4080;
        let mut planes = [0; CASE_PLANES];
        for (first, eight) in (0..).step_by(8).zip(self.0.as_chunks().0) {
            let cases = u64::from_le_bytes(*eight);
            for (place, plane) in planes.iter_mut().enumerate() {
                let bits = (cases >> place & LOWEST).wrapping_mul(TOGETHER) >> 56;
                *plane |= bits << first;
            }
        }
        planes
    }

    /// The block of some [planes](Self::planes).
    fn from_planes(planes: [u64; CASE_PLANES]) -> Self {
        let mut cases = [0; CASE_ROWS];
        for (first, eight) in (0..).step_by(8).zip(cases.as_chunks_mut().0) {
            let of_plane =
                |place: usize| SPREAD[usize::from((planes[place] >> first) as u8)] << place;
            let found = (0..CASE_PLANES).fold(0, |found, place| found | of_plane(place));
            *eight = found.to_le_bytes();
        }
        Self(cases)
    }

    /// The case of a row.
    fn case(&self, row: usize) -> usize {
        usize::from(self.0[row])
    }
}

/// The lowest bit of every byte.
const LOWEST: u64 = 0x0101_0101_0101_0101;

/// The bits of every byte as the lowest ones of eight.
static SPREAD: [u64; 256] = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < all.len() {
        let mut bit = 0;
        while bit < 8 {
            all[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    all
};

/// Replaces the blocks of the features listed by those of their [planes](CaseBlock::planes).
///
/// # Panics
/// Features that are not there, or a `level` that this machine does not have.
pub fn unpack_cases(
    level: Level,
    planes: &[[u64; CASE_PLANES]],
    features: &[u32],
    blocks: &mut [CaseBlock],
) {
    by_hand!(level, unpack(planes, features, blocks));
}

/// As [`unpack_cases`], on any machine.
fn unpack(planes: &[[u64; CASE_PLANES]], features: &[u32], blocks: &mut [CaseBlock]) {
    for &feature in features {
        blocks[feature as usize] = CaseBlock::from_planes(planes[feature as usize]);
    }
}

/// Adds, for every feature listed and in their order, `numbers[feature][case]` to the sum of each row
/// of its block.
///
/// # Panics
/// Features that are not there, or a `level` that this machine does not have.
pub fn add_cases(
    level: Level,
    blocks: &[CaseBlock],
    numbers: &[[f64; FEW_CASES]],
    features: &[u32],
    sums: &mut [f64; CASE_ROWS],
) {
    by_hand!(level, add_numbers(blocks, numbers, features, sums));
}

/// As [`add_cases`], on any machine.
fn add_numbers(
    blocks: &[CaseBlock],
    numbers: &[[f64; FEW_CASES]],
    features: &[u32],
    sums: &mut [f64; CASE_ROWS],
) {
    for &feature in features {
        let (block, numbers) = (&blocks[feature as usize], &numbers[feature as usize]);
        for (row, sum) in sums.iter_mut().enumerate() {
            *sum += numbers[block.case(row)];
        }
    }
}

/// A number of 16 bits for every case: the lower bytes, and then the upper ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(16))]
pub struct RoundedCases([u8; 2 * FEW_CASES]);

impl RoundedCases {
    /// Creates a table from the numbers of all cases.
    pub fn new(numbers: [u16; FEW_CASES]) -> Self {
        let byte = |at: usize| (numbers[at % FEW_CASES] >> (at / FEW_CASES * 8)) as u8;
        Self(std::array::from_fn(byte))
    }

    fn number(&self, case: usize) -> u32 {
        u32::from(self.0[case]) | u32::from(self.0[FEW_CASES + case]) << 8
    }
}

/// As [`add_cases`], of numbers of 16 bits; sums are to the modulus 2^32.
///
/// # Panics
/// Features that are not there, or a `level` that this machine does not have.
pub fn add_rounded_cases(
    level: Level,
    blocks: &[CaseBlock],
    numbers: &[RoundedCases],
    features: &[u32],
    sums: &mut [u32; CASE_ROWS],
) {
    for features in features.chunks(ADDED) {
        by_hand!(level, add_rounded(blocks, numbers, features, sums));
    }
}

/// As [`add_rounded_cases`], on any machine.
fn add_rounded(
    blocks: &[CaseBlock],
    numbers: &[RoundedCases],
    features: &[u32],
    sums: &mut [u32; CASE_ROWS],
) {
    for &feature in features {
        let (block, numbers) = (&blocks[feature as usize], &numbers[feature as usize]);
        for (row, sum) in sums.iter_mut().enumerate() {
            *sum = sum.wrapping_add(numbers.number(block.case(row)));
        }
    }
}

/// The sums over the rows of some blocks of `weight * numbers[case]`, one per list of weights, in
/// which every row has one.
///
/// A sum is taken in 32 parts, whatever the instruction set, and the parts are added in a fixed
/// order. Products are not rounded before they are added, as in
/// [`add_weighted_runs`](crate::add_weighted_runs).
///
/// # Panics
/// Lists of other lengths than there are rows, or a `level` that this machine does not have.
pub fn weigh_cases<const SUMS: usize>(
    level: Level,
    blocks: &[CaseBlock],
    numbers: &[f64; FEW_CASES],
    weights: [&[f64]; SUMS],
) -> [f64; SUMS] {
    let weights = weights.map(|weights| {
        let (of_blocks, rest) = weights.as_chunks::<CASE_ROWS>();
        assert!(rest.is_empty() && of_blocks.len() == blocks.len(), "one weight per row");
        of_blocks
    });
    by_hand!(level, weigh(blocks, numbers, weights)).map(add_parts)
}

/// The parts of [`weigh_cases`], on any machine.
fn weigh<const SUMS: usize>(
    blocks: &[CaseBlock],
    numbers: &[f64; FEW_CASES],
    weights: [&[[f64; CASE_ROWS]]; SUMS],
) -> [[f64; PARTS]; SUMS] {
    let mut parts = [[0.0; PARTS]; SUMS];
    for (index, block) in blocks.iter().enumerate() {
        for row in 0..CASE_ROWS {
            let number = numbers[block.case(row)];
            for (parts, weights) in parts.iter_mut().zip(weights) {
                let part = &mut parts[row % PARTS];
                *part = weights[index][row].mul_add(number, *part);
            }
        }
    }
    parts
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{CASE_PLANES, CASE_ROWS, CaseBlock, FEW_CASES, PARTS, RoundedCases};
    use crate::avx512::{load, load_bits, store, store_bits};

    /// Numbers in a register.
    const WORD: usize = 8;

    /// As [`super::unpack`].
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn unpack(
        planes: &[[u64; CASE_PLANES]],
        features: &[u32],
        blocks: &mut [CaseBlock],
    ) {
        for &feature in features {
            let mut cases = _mm512_setzero_si512();
            for (place, &plane) in planes[feature as usize].iter().enumerate() {
                let bits = _mm512_maskz_set1_epi8(plane, 1 << place);
                cases = _mm512_or_si512(cases, bits);
            }
            store_bits(cases, &mut blocks[feature as usize].0);
        }
    }

    /// As [`super::add_numbers`].
    #[target_feature(enable = "avx512f,avx512vbmi")]
    pub(super) fn add_numbers(
        blocks: &[CaseBlock],
        numbers: &[[f64; FEW_CASES]],
        features: &[u32],
        sums: &mut [f64; CASE_ROWS],
    ) {
        let lines = sums.as_chunks_mut::<WORD>().0;
        let mut found: [__m512d; WORD] = std::array::from_fn(|line| load(&lines[line]));
        for &feature in features {
            let numbers = load(&numbers[feature as usize]);
            let mut cases = in_bytes_of_words(&blocks[feature as usize]);
            for sum in &mut found {
                *sum = _mm512_add_pd(*sum, _mm512_permutexvar_pd(cases, numbers));
                cases = _mm512_srli_epi64::<8>(cases);
            }
        }
        lines.iter_mut().zip(found).for_each(|(line, sum)| store(sum, line));
    }

    /// As [`super::add_rounded`], of at most [`super::ADDED`] features.
    ///
    /// The lower bytes of numbers are added apart from the upper ones, 64 rows at a time. In words of two
    /// bytes these are sums of two rows, and sums of the upper of these once more tell them apart.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn add_rounded(
        blocks: &[CaseBlock],
        numbers: &[RoundedCases],
        features: &[u32],
        sums: &mut [u32; CASE_ROWS],
    ) {
        let mut both = [_mm512_setzero_si512(); 2];
        let mut upper = [_mm512_setzero_si512(); 2];
        let behind = _mm512_set1_epi8(FEW_CASES as i8);
        for &feature in features {
            // SAFETY: the reference is good for 16 bytes; this load asks for no alignment.
            let of_cases = unsafe { _mm_loadu_si128(numbers[feature as usize].0.as_ptr().cast()) };
            let of_cases = _mm512_broadcast_i32x4(of_cases);
            let low = load_bits(&blocks[feature as usize].0);
            for (part, cases) in [low, _mm512_or_si512(low, behind)].into_iter().enumerate() {
                let found = _mm512_shuffle_epi8(of_cases, cases);
                both[part] = _mm512_add_epi16(both[part], found);
                upper[part] = _mm512_add_epi16(upper[part], _mm512_srli_epi16::<8>(found));
            }
        }
        let mut in_order = [[_mm512_setzero_si512(); 2]; 2];
        for part in 0..2 {
            let second = upper[part];
            let first = _mm512_sub_epi16(both[part], _mm512_slli_epi16::<8>(second));
            for (half, in_order) in in_order[part].iter_mut().enumerate() {
                // The first sums are those of even rows, and the second those of odd ones.
                let word = |row: usize| (16 * half + row / 2 + row % 2 * 32) as i16;
                let words: [i16; 32] = std::array::from_fn(word);
                *in_order = _mm512_permutex2var_epi16(first, load_bits(&words), second);
            }
        }
        for (quarter, sums) in sums.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let [low, high] = in_order.map(|halves| {
                let half = halves[quarter / 2];
                let words = match quarter % 2 {
                    0 => _mm512_castsi512_si256(half),
                    _ => _mm512_extracti64x4_epi64::<1>(half),
                };
                _mm512_cvtepu16_epi32(words)
            });
            let found = _mm512_add_epi32(low, _mm512_slli_epi32::<8>(high));
            store_bits(_mm512_add_epi32(load_bits(sums), found), sums);
        }
    }

    /// As [`super::weigh`].
    #[target_feature(enable = "avx512f,avx512vbmi")]
    pub(super) fn weigh<const SUMS: usize>(
        blocks: &[CaseBlock],
        numbers: &[f64; FEW_CASES],
        weights: [&[[f64; CASE_ROWS]]; SUMS],
    ) -> [[f64; PARTS]; SUMS] {
        let numbers = load(numbers);
        let mut found = [[_mm512_setzero_pd(); PARTS / WORD]; SUMS];
        for (index, block) in blocks.iter().enumerate() {
            let mut cases = in_bytes_of_words(block);
            for line in 0..WORD {
                let number = _mm512_permutexvar_pd(cases, numbers);
                cases = _mm512_srli_epi64::<8>(cases);
                for (found, weights) in found.iter_mut().zip(weights) {
                    let weight = load(&weights[index].as_chunks::<WORD>().0[line]);
                    let part = &mut found[line % (PARTS / WORD)];
                    *part = _mm512_fmadd_pd(weight, number, *part);
                }
            }
        }
        let mut parts = [[0.0; PARTS]; SUMS];
        for (parts, found) in parts.iter_mut().zip(found) {
            let lines = parts.as_chunks_mut::<WORD>().0;
            lines.iter_mut().zip(found).for_each(|(line, sum)| store(sum, line));
        }
        parts
    }

    /// The cases of a block, those of row `8 i + j` in byte `i` of word `j`: the lowest bytes of
    /// the words belong to adjacent rows, and after a shift the next bytes do.
    #[target_feature(enable = "avx512f,avx512vbmi")]
    fn in_bytes_of_words(block: &CaseBlock) -> __m512i {
        let row: [u8; CASE_ROWS] =
            std::array::from_fn(|byte| (byte % WORD * WORD + byte / WORD) as u8);
        _mm512_permutexvar_epi8(load_bits(&row), load_bits(&block.0))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{CASE_PLANES, CASE_ROWS, CaseBlock, FEW_CASES, PARTS, RoundedCases};
    use crate::avx2::{load, load_bits, store, store_bits};

    /// Cases in a word of four bytes, which are shifted out one by one.
    const LINES: usize = 4;

    /// As [`super::unpack`].
    #[target_feature(enable = "avx2")]
    pub(super) fn unpack(
        planes: &[[u64; CASE_PLANES]],
        features: &[u32],
        blocks: &mut [CaseBlock],
    ) {
        // Every byte of a plane eight times, of which each shows another bit.
        let byte_of_rows: [[u8; CASE_ROWS / 2]; 2] =
            std::array::from_fn(|half| std::array::from_fn(|row| (half * 4 + row / 8) as u8));
        let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        for &feature in features {
            let halves = blocks[feature as usize].0.as_chunks_mut::<{ CASE_ROWS / 2 }>().0;
            for (rows, cases) in byte_of_rows.iter().zip(halves) {
                let mut found = _mm256_setzero_si256();
                for (place, &plane) in planes[feature as usize].iter().enumerate() {
                    let bytes = _mm256_set1_epi64x(plane as i64);
                    let bytes = _mm256_shuffle_epi8(bytes, load_bits(rows));
                    let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bits), bits);
                    let case = _mm256_and_si256(is_set, _mm256_set1_epi8(1 << place));
                    found = _mm256_or_si256(found, case);
                }
                store_bits(found, cases);
            }
        }
    }

    /// As [`super::add_numbers`].
    ///
    /// The sums of half of the rows at a time, so that all are in registers.
    #[target_feature(enable = "avx2")]
    pub(super) fn add_numbers(
        blocks: &[CaseBlock],
        numbers: &[[f64; FEW_CASES]],
        features: &[u32],
        sums: &mut [f64; CASE_ROWS],
    ) {
        let lines = sums.as_chunks_mut::<4>().0;
        for first in [0, LINES / 2] {
            // Where the sums of a line and side lie; those of the second words are as many lines on as
            // there are.
            let place = |line: usize, side: usize| 2 * LINES * side + first + line;
            let mut found: [[[__m256d; 2]; 2]; LINES / 2] = std::array::from_fn(|line| {
                std::array::from_fn(|side| {
                    let place = place(line, side);
                    [load(&lines[place]), load(&lines[place + LINES])]
                })
            });
            for &feature in features {
                let halves = halves(&numbers[feature as usize]);
                for side in 0..2 {
                    let mut cases = in_bytes_of_words(&blocks[feature as usize], side);
                    if first > 0 {
                        cases = _mm256_srli_epi32::<16>(cases);
                    }
                    for line in &mut found {
                        for (sum, number) in line[side].iter_mut().zip(look_up(cases, halves)) {
                            *sum = _mm256_add_pd(*sum, number);
                        }
                        cases = _mm256_srli_epi32::<8>(cases);
                    }
                }
            }
            for (line, sides) in found.into_iter().enumerate() {
                for (side, [lower, upper]) in sides.into_iter().enumerate() {
                    let place = place(line, side);
                    store(lower, &mut lines[place]);
                    store(upper, &mut lines[place + LINES]);
                }
            }
        }
    }

    /// As [`super::avx512::add_rounded`].
    #[target_feature(enable = "avx2")]
    pub(super) fn add_rounded(
        blocks: &[CaseBlock],
        numbers: &[RoundedCases],
        features: &[u32],
        sums: &mut [u32; CASE_ROWS],
    ) {
        let behind = _mm256_set1_epi8(FEW_CASES as i8);
        for side in 0..2 {
            let mut both = [_mm256_setzero_si256(); 2];
            let mut upper = [_mm256_setzero_si256(); 2];
            for &feature in features {
                // SAFETY: the reference is good for 16 bytes; this load asks for no alignment.
                let of_cases =
                    unsafe { _mm_loadu_si128(numbers[feature as usize].0.as_ptr().cast()) };
                let of_cases = _mm256_broadcastsi128_si256(of_cases);
                let low = cases_of(&blocks[feature as usize], side);
                for (part, cases) in [low, _mm256_or_si256(low, behind)].into_iter().enumerate() {
                    let found = _mm256_shuffle_epi8(of_cases, cases);
                    both[part] = _mm256_add_epi16(both[part], found);
                    upper[part] = _mm256_add_epi16(upper[part], _mm256_srli_epi16::<8>(found));
                }
            }
            for part in 0..2 {
                let first = _mm256_sub_epi16(both[part], _mm256_slli_epi16::<8>(upper[part]));
                for (second, found) in [first, upper[part]].into_iter().enumerate() {
                    let mut words = [0_u16; 16];
                    store_bits(found, &mut words);
                    for (word, found) in words.into_iter().enumerate() {
                        let sum = &mut sums[CASE_ROWS / 2 * side + 2 * word + second];
                        *sum = sum.wrapping_add(u32::from(found) << (8 * part));
                    }
                }
            }
        }
    }

    /// As [`super::weigh`].
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn weigh<const SUMS: usize>(
        blocks: &[CaseBlock],
        numbers: &[f64; FEW_CASES],
        weights: [&[[f64; CASE_ROWS]]; SUMS],
    ) -> [[f64; PARTS]; SUMS] {
        let halves = halves(numbers);
        let mut found = [[_mm256_setzero_pd(); PARTS / 4]; SUMS];
        for (index, block) in blocks.iter().enumerate() {
            for side in 0..2 {
                let mut cases = in_bytes_of_words(block, side);
                for line in 0..LINES {
                    let [lower, upper] = look_up(cases, halves);
                    cases = _mm256_srli_epi32::<8>(cases);
                    for (found, weights) in found.iter_mut().zip(weights) {
                        let weights = &weights[index].as_chunks::<4>().0[2 * LINES * side..];
                        for (place, number) in [(line, lower), (line + LINES, upper)] {
                            let part = &mut found[place];
                            *part = _mm256_fmadd_pd(load(&weights[place]), number, *part);
                        }
                    }
                }
            }
        }
        let mut parts = [[0.0; PARTS]; SUMS];
        for (parts, found) in parts.iter_mut().zip(found) {
            let lines = parts.as_chunks_mut::<4>().0;
            lines.iter_mut().zip(found).for_each(|(line, sum)| store(sum, line));
        }
        parts
    }

    /// The numbers of the cases in the lowest bytes of four words, and in the lowest bytes of their
    /// upper halves.
    #[target_feature(enable = "avx2")]
    fn look_up(cases: __m256i, (low, high): (__m256i, __m256i)) -> [__m256d; 2] {
        let low = _mm256_permutevar8x32_epi32(low, cases);
        let high = _mm256_permutevar8x32_epi32(high, cases);
        let lower = _mm256_blend_epi32::<0b10_10_10_10>(low, _mm256_slli_epi64::<32>(high));
        let upper = _mm256_blend_epi32::<0b10_10_10_10>(_mm256_srli_epi64::<32>(low), high);
        [_mm256_castsi256_pd(lower), _mm256_castsi256_pd(upper)]
    }

    /// The lower and the upper halves of eight numbers.
    #[target_feature(enable = "avx2")]
    fn halves(numbers: &[f64; FEW_CASES]) -> (__m256i, __m256i) {
        let fours = numbers.as_chunks::<4>().0;
        let first = _mm256_castpd_ps(load(&fours[0]));
        let second = _mm256_castpd_ps(load(&fours[1]));
        // Numbers 0, 1, 4, 5, 2, 3, 6 and 7, which are then put in order.
        let low = _mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
        let high = _mm256_castps_pd(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
        let in_order = |halves| _mm256_castpd_si256(_mm256_permute4x64_pd::<0b11_01_10_00>(halves));
        (in_order(low), in_order(high))
    }

    /// The cases of half of a block, in words of four bytes, two of which belong together: those of row
    /// `4 i + j` in byte `i` of the first of pair `j`, and of row `16 + 4 i + j` in that of the second.
    #[target_feature(enable = "avx2")]
    fn in_bytes_of_words(block: &CaseBlock, side: usize) -> __m256i {
        let fours = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        let fours = _mm256_shuffle_epi8(cases_of(block, side), _mm256_broadcastsi128_si256(fours));
        _mm256_permutevar8x32_epi32(fours, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
    }

    /// The cases of half of a block.
    #[target_feature(enable = "avx2")]
    fn cases_of(block: &CaseBlock, side: usize) -> __m256i {
        load_bits(&block.0.as_chunks::<{ CASE_ROWS / 2 }>().0[side])
    }
}
