//! Counts of genotypes that are packed as in a file of PLINK 1, two bits each: 00 is homozygous in the first allele,
//! 10 heterozygous, 11 homozygous in the second allele, and 01 missing.
//!
//! The bits of 64 genotypes make two words, one of the lower bits and one of the upper: genotypes 0 to 31 lie at the
//! even places and 32 to 63 at the odd ones ([`genotype_bit`]), which takes no more than a shift and a mask.

use crate::Level;
use crate::dispatch::multiversion;

/// Genotypes of a word.
pub const GENOTYPES: usize = 64;

/// Bytes that they take.
const BYTES: usize = GENOTYPES / 4;

/// The lower bit of every genotype of a packed word.
const LOWER: u64 = 0x5555_5555_5555_5555;

/// The word and the bit of a genotype in a mask.
pub fn genotype_bit(genotype: usize) -> (usize, u64) {
    let (word, place) = (genotype / GENOTYPES, genotype % GENOTYPES);
    let half = GENOTYPES / 2;
    (word, 1 << (2 * (place % half) + place / half))
}

/// The lower and the upper bits of 64 genotypes.
#[inline(always)]
fn split(packed: &[u8; BYTES]) -> (u64, u64) {
    let both = u128::from_le_bytes(*packed);
    let (first, second) = (both as u64, (both >> 64) as u64);
    ((first & LOWER) | (second & LOWER) << 1, (first >> 1 & LOWER) | (second & !LOWER))
}

/// The last genotypes, which do not fill their words, with zeros behind them.
#[inline(always)]
fn filled(rest: &[u8]) -> [u8; BYTES] {
    let mut last = [0; BYTES];
    last[..rest.len()].copy_from_slice(rest);
    last
}

/// How many of the genotypes that a mask marks are homozygous in the first allele, heterozygous, homozygous in the second
/// allele, and missing.
///
/// # Panics
/// Not a word of the mask per [`GENOTYPES`] genotypes, begun ones included, or a `level` that this machine does not have.
pub fn count_packed_genotypes(level: Level, packed: &[u8], mask: &[u64]) -> [u32; 4] {
    assert_eq!(packed.len().div_ceil(BYTES), mask.len(), "a word per 64 genotypes");
    multiversion!(level, |packed: &[u8], mask: &[u64]| -> [u32; 4] {
        let (whole, rest) = packed.as_chunks();
        let mut counts = [0; 4];
        for (packed, mask) in whole.iter().zip(mask) {
            add_bits(&mut counts, packed, *mask);
        }
        if let Some(mask) = mask.get(whole.len()) {
            add_bits(&mut counts, &filled(rest), *mask);
        }
        // In an order in which no step is negative.
        let [all, lower, upper, both] = counts.map(|count| count as u32);
        [all + both - lower - upper, upper - both, both, lower - both]
    })
}

/// Adds how many of 64 genotypes are marked, and have the lower bit, the upper one, and both.
#[inline(always)]
fn add_bits(counts: &mut [u64; 4], packed: &[u8; BYTES], mask: u64) {
    let (lower, upper) = split(packed);
    let bits = [mask, lower & mask, upper & mask, lower & upper & mask];
    for (count, bits) in counts.iter_mut().zip(bits) {
        *count += u64::from(bits.count_ones());
    }
}

/// Replaces `marks` by a bit per genotype that is missing.
///
/// # Panics
/// As [`count_packed_genotypes`].
pub fn mark_missing_genotypes(level: Level, packed: &[u8], marks: &mut [u64]) {
    assert_eq!(packed.len().div_ceil(BYTES), marks.len(), "a word per 64 genotypes");
    multiversion!(level, |packed: &[u8], marks: &mut [u64]| {
        let (whole, rest) = packed.as_chunks();
        for (packed, mark) in whole.iter().zip(&mut *marks) {
            *mark = missing(packed);
        }
        if let Some(mark) = marks.get_mut(whole.len()) {
            *mark = missing(&filled(rest));
        }
    });
}

/// Which of 64 genotypes are missing.
#[inline(always)]
fn missing(packed: &[u8; BYTES]) -> u64 {
    let (lower, upper) = split(packed);
    lower & !upper
}

/// Replaces `planes` by three bits per genotype, plane after plane, 0 where the mask does not mark it: whether it is
/// known; whether it is homozygous; and whether it is so in the second allele.
///
/// # Panics
/// Not three words per word of the mask, and as [`count_packed_genotypes`].
pub fn genotype_deviations(level: Level, packed: &[u8], mask: &[u64], planes: &mut [u64]) {
    assert_eq!(packed.len().div_ceil(BYTES), mask.len(), "a word per 64 genotypes");
    assert_eq!(planes.len(), 3 * mask.len(), "three planes");
    multiversion!(level, |packed: &[u8], mask: &[u64], planes: &mut [u64]| {
        let (whole, rest) = packed.as_chunks();
        let (known, others) = planes.split_at_mut(mask.len());
        let (homozygous, second) = others.split_at_mut(mask.len());
        let out = known.iter_mut().zip(homozygous).zip(second);
        let last = filled(rest);
        for ((packed, mask), ((known, homozygous), second)) in
            whole.iter().chain([&last]).zip(mask).zip(out)
        {
            let (lower, upper) = split(packed);
            *known = (!lower | upper) & mask;
            *homozygous = !(lower ^ upper) & mask;
            *second = lower & upper & mask;
        }
    });
}

/// Sums over the people of whom two variants are both known. A genotype counts as 1 where it is homozygous in the first
/// allele, 0 where it is heterozygous, and -1 where it is homozygous in the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairSums {
    /// How many people.
    pub people: i64,
    /// The sums of both variants.
    pub sums: [i64; 2],
    /// The sums of their squares.
    pub squares: [i64; 2],
    /// The sum of their products.
    pub products: i64,
}

/// The sums of two variants, whose planes are those of [`genotype_deviations`].
///
/// # Panics
/// Planes of unequal length, not three, or a `level` that this machine does not have.
pub fn pair_sums(level: Level, a: &[u64], b: &[u64]) -> PairSums {
    assert!(a.len() == b.len() && a.len().is_multiple_of(3), "three planes each");
    multiversion!(level, |a: &[u64], b: &[u64]| -> PairSums {
        let words = a.len() / 3;
        let [known, homozygous, second] = planes_of(a, words);
        let own = known.iter().zip(homozygous).zip(second);
        let [known, homozygous, second] = planes_of(b, words);
        let others = known.iter().zip(homozygous).zip(second);
        let mut counts = [0_u64; 7];
        for (((known_a, homozygous_a), second_a), ((known_b, homozygous_b), second_b)) in
            own.zip(others)
        {
            let both = homozygous_a & homozygous_b;
            let bits = [
                known_a & known_b,
                homozygous_a & known_b,
                second_a & known_b,
                homozygous_b & known_a,
                second_b & known_a,
                both,
                both & (second_a ^ second_b),
            ];
            for (count, bits) in counts.iter_mut().zip(bits) {
                *count += u64::from(bits.count_ones());
            }
        }
        let counts = counts.map(u64::cast_signed);
        let [people, squares_a, below_a, squares_b, below_b, both, unlike] = counts;
        PairSums {
            people,
            sums: [squares_a - 2 * below_a, squares_b - 2 * below_b],
            squares: [squares_a, squares_b],
            products: both - 2 * unlike,
        }
    })
}

/// The sum of products alone: over whom one of them is not known adds nothing to it.
///
/// # Panics
/// As [`pair_sums`].
pub fn pair_products(level: Level, a: &[u64], b: &[u64]) -> i64 {
    assert!(a.len() == b.len() && a.len().is_multiple_of(3), "three planes each");
    multiversion!(level, |a: &[u64], b: &[u64]| -> i64 {
        let words = a.len() / 3;
        let [_, homozygous, second] = planes_of(a, words);
        let own = homozygous.iter().zip(second);
        let [_, homozygous, second] = planes_of(b, words);
        let others = homozygous.iter().zip(second);
        let [mut all, mut unlike] = [0_u64; 2];
        for ((homozygous_a, second_a), (homozygous_b, second_b)) in own.zip(others) {
            let both = homozygous_a & homozygous_b;
            all += u64::from(both.count_ones());
            unlike += u64::from((both & (second_a ^ second_b)).count_ones());
        }
        all.cast_signed() - 2 * unlike.cast_signed()
    })
}

/// The three planes.
#[inline(always)]
fn planes_of(planes: &[u64], words: usize) -> [&[u64]; 3] {
    [0, 1, 2].map(|plane| &planes[plane * words..(plane + 1) * words])
}
