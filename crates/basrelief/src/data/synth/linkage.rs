//! Haplotypes with linkage disequilibrium in blocks.
//!
//! Every haplotype has a level, which is uniform between 0 and 1. From one variant of a block to the next, it keeps
//! its level or, with the probability of a recombination, gets a new one. A haplotype carries the counted allele of
//! a variant if its level is below the frequency of the allele. For a random half of the variants, it carries the
//! allele if its level is above one minus the frequency. The alleles therefore have the specified frequencies, and
//! Lewontin's |D'| of two variants of a block at distance `d` is `(1 - recombination)^d`. Their r2 is the square of
//! |D'| times the largest r2 that their frequencies allow. Different blocks are independent, and so are the two
//! haplotypes of a person whose parents are unknown. Others have one haplotype of each parent, unchanged in a block.

use std::ops::Range;

use super::random::Random;
use crate::random::RandomStream;

/// The parameters that all blocks of a cohort share.
pub(super) struct Linkage<'p> {
    /// The seed; every block has separate draws.
    pub(super) seed: u64,
    /// The probability that a haplotype gets a new level between adjacent variants.
    pub(super) recombination: f64,
    /// The range of the allele frequencies in the ancestral population, which are uniform.
    pub(super) frequencies: Range<f64>,
    /// The differentiation of populations: Wright's F_ST, in the model of Balding and Nichols (1995).
    pub(super) fst: f64,
    /// The population of every person.
    pub(super) population: &'p [u32],
    /// The number of populations.
    pub(super) populations: usize,
    /// The parents of every person, whose own parents are unknown; empty if nobody has known parents.
    pub(super) parents: &'p [Option<[u32; 2]>],
}

impl Linkage<'_> {
    /// Passes the genotypes of a block to `take`, variant by variant: copies of the counted allele, one byte per
    /// person, which `take` may modify. For variants with the same frequency in all populations, `fixed` returns this
    /// frequency by place in the block.
    pub(super) fn block(
        &self,
        block: usize,
        width: usize,
        fixed: impl Fn(usize) -> Option<f64>,
        mut take: impl FnMut(usize, &mut [u8]),
    ) {
        let mut random =
            Random::of_part(self.seed, RandomStream::GeneratedHaplotypes, block as u64);
        let haplotypes = 2 * self.population.len();
        let mut levels: Vec<u32> = (0..haplotypes).map(|_| random.word()).collect();
        let inherited = self.inherited(block);
        let mut copies = vec![0; self.population.len()];
        for variant in 0..width {
            if variant > 0 {
                each_chosen(&mut random, self.recombination, haplotypes, |random, haplotype| {
                    levels[haplotype] = random.word();
                });
            }
            for &(own, of_parent) in &inherited {
                levels[own] = levels[of_parent];
            }
            // Always drawn, so that a fixed frequency does not change the other variants.
            let drawn = self.thresholds(&mut random);
            let thresholds = match fixed(variant) {
                Some(frequency) => vec![threshold(frequency); self.populations],
                None => drawn,
            };
            let mirror = if random.chance(0.5) { u32::MAX } else { 0 };
            let pairs = levels.as_chunks().0.iter().zip(self.population);
            for (copies, ([one, other], population)) in copies.iter_mut().zip(pairs) {
                let below = thresholds[*population as usize];
                *copies = u8::from((one ^ mirror) < below) + u8::from((other ^ mirror) < below);
            }
            take(variant, &mut copies);
        }
    }

    /// The haplotypes of a block that are inherited, each with the haplotype of a parent.
    fn inherited(&self, block: usize) -> Vec<(usize, usize)> {
        let stream = RandomStream::InheritedHaplotypes;
        let mut random = Random::of_part(self.seed, stream, block as u64);
        let mut inherited = Vec::new();
        for (child, parents) in self.parents.iter().enumerate() {
            for (place, parent) in parents.iter().flatten().enumerate() {
                let haplotype = usize::from(random.chance(0.5));
                inherited.push((2 * child + place, 2 * *parent as usize + haplotype));
            }
        }
        inherited
    }

    /// For every population, the level below which a haplotype carries the counted allele.
    fn thresholds(&self, random: &mut Random) -> Vec<u32> {
        let Range { start, end } = self.frequencies;
        let frequency = start + (end - start) * random.uniform();
        if self.fst == 0.0 || self.populations == 1 {
            return vec![threshold(frequency); self.populations];
        }
        let spread = (1.0 - self.fst) / self.fst;
        let (counted, other) = (frequency * spread, (1.0 - frequency) * spread);
        (0..self.populations).map(|_| threshold(random.beta(counted, other))).collect()
    }
}

/// The 32-bit number below which a fraction `share` of all 32-bit numbers lies.
fn threshold(share: f64) -> u32 {
    (share * 2f64.powi(32)) as u32
}

/// Chooses each number of `0..count` with the probability `rate`, and passes the chosen ones to `take` in ascending
/// order.
pub(super) fn each_chosen(
    random: &mut Random,
    rate: f64,
    count: usize,
    mut take: impl FnMut(&mut Random, usize),
) {
    if rate <= 0.0 {
        return;
    }
    // The number of skipped items before the next one is geometric, so that every chosen item needs one draw.
    let scale = (-rate).ln_1p().recip();
    let mut next = random.gap(scale);
    while next < count {
        take(random, next);
        next = (next + 1).saturating_add(random.gap(scale));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEOPLE: usize = 20_000;

    fn linkage(population: &[u32], fst: f64) -> Linkage<'_> {
        let populations = 1 + population.iter().max().copied().unwrap_or(0) as usize;
        Linkage {
            seed: 5,
            recombination: 0.2,
            frequencies: 0.1..0.5,
            fst,
            population,
            populations,
            parents: &[],
        }
    }

    fn genotypes(linkage: &Linkage<'_>, block: usize, width: usize) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        linkage.block(
            block,
            width,
            |place| (place == 1).then_some(0.3),
            |variant, copies| {
                assert_eq!(variant, all.len());
                all.push(copies.to_vec());
            },
        );
        all
    }

    fn frequency(copies: &[u8]) -> f64 {
        copies.iter().map(|&copies| f64::from(copies)).sum::<f64>() / (2 * copies.len()) as f64
    }

    fn covariance(one: &[u8], other: &[u8]) -> f64 {
        let (p, q) = (2.0 * frequency(one), 2.0 * frequency(other));
        let products =
            one.iter().zip(other).map(|(&a, &b)| (f64::from(a) - p) * (f64::from(b) - q));
        products.sum::<f64>() / one.len() as f64
    }

    /// Lewontin's |D'| from copies, because the haplotypes of a person are independent.
    fn d_prime(one: &[u8], other: &[u8]) -> f64 {
        let (p, q) = (frequency(one), frequency(other));
        let d = covariance(one, other) / 2.0;
        let most = if d < 0.0 {
            (p * q).min((1.0 - p) * (1.0 - q))
        } else {
            (p * (1.0 - q)).min((1.0 - p) * q)
        };
        d.abs() / most
    }

    #[test]
    fn linkage_decays_as_stated_and_ends_with_the_block() {
        let population = vec![0; PEOPLE];
        let linkage = linkage(&population, 0.0);
        let (one, other) = (genotypes(&linkage, 0, 8), genotypes(&linkage, 1, 8));
        for first in 0..8 {
            for second in first + 1..8 {
                let wanted = 0.8f64.powi((second - first) as i32);
                let found = d_prime(&one[first], &one[second]);
                assert!((found - wanted).abs() < 0.08, "{first} {second}: {found} {wanted}");
            }
            for second in &other {
                let r2 = covariance(&one[first], second).powi(2)
                    / (covariance(&one[first], &one[first]) * covariance(second, second));
                assert!(r2 < 12.0 / PEOPLE as f64, "{r2}");
            }
        }
        // Both signs of the correlation occur.
        let signs: Vec<bool> = (1..8).map(|at| covariance(&one[0], &one[at]) > 0.0).collect();
        assert!(signs.contains(&true) && signs.contains(&false), "{signs:?}");
    }

    #[test]
    fn frequencies_are_as_asked_and_genotypes_in_equilibrium() {
        let population = vec![0; PEOPLE];
        let linkage = linkage(&population, 0.0);
        for block in 0..20 {
            for (variant, copies) in genotypes(&linkage, block, 3).iter().enumerate() {
                let found = frequency(copies);
                let range = if variant == 1 { 0.3..0.3 } else { 0.1..0.5 };
                assert!(found > range.start - 0.01 && found < range.end + 0.01, "{found}");
                let mixed = copies.iter().filter(|copies| **copies == 1).count() as f64;
                let wanted = 2.0 * found * (1.0 - found);
                assert!((mixed / PEOPLE as f64 - wanted).abs() < 0.015, "{mixed} {wanted}");
            }
        }
    }

    #[test]
    fn populations_are_as_far_from_each_other_as_asked() {
        let population: Vec<u32> = (0..4000).map(|person| person % 2).collect();
        let linkage = linkage(&population, 0.1);
        // Hudson's estimator, as a ratio of sums over variants.
        let (mut between, mut total) = (0.0, 0.0);
        for block in 0..600 {
            for (variant, copies) in genotypes(&linkage, block, 2).iter().enumerate() {
                let of = |wanted: u32| {
                    let own = copies.iter().zip(&population);
                    let own = own.filter(|(_, other)| **other == wanted).map(|(copies, _)| *copies);
                    frequency(&own.collect::<Vec<u8>>())
                };
                let (p, q) = (of(0), of(1));
                if variant == 1 {
                    assert!((p - q).abs() < 0.05, "{p} {q}");
                    continue;
                }
                let noise = (p * (1.0 - p) + q * (1.0 - q)) / 3999.0;
                between += (p - q).powi(2) - noise;
                total += p * (1.0 - q) + q * (1.0 - p);
            }
        }
        let found = between / total;
        assert!((found - 0.1).abs() < 0.02, "{found}");
    }

    #[test]
    fn as_many_are_chosen_as_the_rate_says() {
        let mut random = Random::new(1);
        for rate in [0.0, 0.01, 0.5, 1.0] {
            let mut chosen = Vec::new();
            each_chosen(&mut random, rate, 100_000, |_, at| chosen.push(at));
            assert!(chosen.windows(2).all(|two| two[0] < two[1]));
            assert!(chosen.iter().all(|at| *at < 100_000));
            let share = chosen.len() as f64 / 100_000.0;
            assert!(
                (share - rate).abs() <= 4.0 * (rate * (1.0 - rate) / 100_000.0).sqrt(),
                "{share}"
            );
        }
    }
}
