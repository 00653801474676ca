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
    let (first, second) = packed.split_at(BYTES / 2);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let (first, second) = (word(first), word(second));
    ((first & LOWER) | (second & LOWER) << 1, (first >> 1 & LOWER) | (second & !LOWER))
}

/// Calls `take` with the place of a word, its lower and its upper bits. Behind the last genotypes are zeros.
#[inline(always)]
fn each_word(packed: &[u8], mut take: impl FnMut(usize, u64, u64)) {
    let (whole, rest) = packed.as_chunks::<BYTES>();
    for (word, packed) in whole.iter().enumerate() {
        let (lower, upper) = split(packed);
        take(word, lower, upper);
    }
    if !rest.is_empty() {
        let mut last = [0; BYTES];
        last[..rest.len()].copy_from_slice(rest);
        let (lower, upper) = split(&last);
        take(whole.len(), lower, upper);
    }
}

/// How many of the genotypes that a mask marks are homozygous in the first allele, heterozygous, homozygous in the second
/// allele, and missing.
///
/// # Panics
/// Not a word of the mask per [`GENOTYPES`] genotypes, begun ones included, or a `level` that this machine does not have.
pub fn count_packed_genotypes(level: Level, packed: &[u8], mask: &[u64]) -> [u32; 4] {
    assert_eq!(packed.len().div_ceil(BYTES), mask.len(), "a word per 64 genotypes");
    multiversion!(level, |packed: &[u8], mask: &[u64]| -> [u32; 4] {
        let [mut all, mut lower, mut upper, mut both] = [0; 4];
        each_word(packed, |word, low, high| {
            let mask = mask[word];
            let (low, high) = (low & mask, high & mask);
            all += mask.count_ones();
            lower += low.count_ones();
            upper += high.count_ones();
            both += (low & high).count_ones();
        });
        // Sums that may not be negative, in an order in which no step is.
        [all + both - lower - upper, upper - both, both, lower - both]
    })
}

/// Replaces `marks` by a bit per genotype that is missing.
///
/// # Panics
/// As [`count_packed_genotypes`].
pub fn mark_missing_genotypes(level: Level, packed: &[u8], marks: &mut [u64]) {
    assert_eq!(packed.len().div_ceil(BYTES), marks.len(), "a word per 64 genotypes");
    multiversion!(level, |packed: &[u8], marks: &mut [u64]| {
        each_word(packed, |word, low, high| marks[word] = low & !high);
    });
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
        let (known, rest) = planes.split_at_mut(mask.len());
        let (homozygous, second) = rest.split_at_mut(mask.len());
        each_word(packed, |word, low, high| {
            let mask = mask[word];
            known[word] = !(low & !high) & mask;
            homozygous[word] = !(low ^ high) & mask;
            second[word] = low & high & mask;
        });
    });
}

/// Sums over the people of whom two variants are both known. A genotype counts as 1 where it is homozygous in the first
/// allele, 0 where it is heterozygous, and -1 where it is homozygous in the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairSums {
    /// How many people.
    pub people: u32,
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
        let [known_a, homozygous_a, second_a] = planes_of(a, words);
        let [known_b, homozygous_b, second_b] = planes_of(b, words);
        let mut counts = [0_u32; 7];
        for word in 0..words {
            let (known, other) = (known_a[word], known_b[word]);
            let both = homozygous_a[word] & homozygous_b[word];
            let bits = [
                known & other,
                homozygous_a[word] & other,
                second_a[word] & other,
                homozygous_b[word] & known,
                second_b[word] & known,
                both,
                both & (second_a[word] ^ second_b[word]),
            ];
            for (count, bits) in counts.iter_mut().zip(bits) {
                *count += bits.count_ones();
            }
        }
        let [people, squares_a, below_a, squares_b, below_b, both, unlike] = counts;
        let difference = |all: u32, below: u32| i64::from(all) - 2 * i64::from(below);
        PairSums {
            people,
            sums: [difference(squares_a, below_a), difference(squares_b, below_b)],
            squares: [i64::from(squares_a), i64::from(squares_b)],
            products: difference(both, unlike),
        }
    })
}

/// The sum of products alone, which is all that is missing where both variants are known of everybody.
///
/// # Panics
/// As [`pair_sums`].
pub fn pair_products(level: Level, a: &[u64], b: &[u64]) -> i64 {
    assert!(a.len() == b.len() && a.len().is_multiple_of(3), "three planes each");
    multiversion!(level, |a: &[u64], b: &[u64]| -> i64 {
        let words = a.len() / 3;
        let [_, homozygous_a, second_a] = planes_of(a, words);
        let [_, homozygous_b, second_b] = planes_of(b, words);
        let [mut all, mut unlike] = [0_u32; 2];
        for word in 0..words {
            let both = homozygous_a[word] & homozygous_b[word];
            all += both.count_ones();
            unlike += (both & (second_a[word] ^ second_b[word])).count_ones();
        }
        i64::from(all) - 2 * i64::from(unlike)
    })
}

/// The three planes.
#[inline(always)]
fn planes_of(planes: &[u64], words: usize) -> [&[u64]; 3] {
    [0, 1, 2].map(|plane| &planes[plane * words..(plane + 1) * words])
}
