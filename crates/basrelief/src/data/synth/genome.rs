//! Positions of the blocks of a generated cohort in the human genome.

use std::sync::Arc;

use crate::data::Locus;

/// Lengths of the autosomes 1 to 22 in megabases (GRCh38).
const MEGABASES: [u64; 22] = [
    249, 242, 198, 190, 182, 171, 159, 145, 138, 134, 135, 133, 114, 107, 102, 90, 83, 80, 59, 64,
    47, 51,
];

const MEGABASE: u64 = 1_000_000;

/// Base pairs between adjacent variants of a block, if there is enough space.
const STEP: u64 = 1_000;

/// A1 and A2 of the variants, in turn: transitions, whose strands can be distinguished.
const ALLELES: [[&str; 2]; 4] = [["A", "G"], ["C", "T"], ["G", "A"], ["T", "C"]];

/// Blocks of variants, distributed evenly over the autosomes; each block lies on a single autosome.
pub(super) struct Genome {
    /// The names of the chromosomes, and the number of base pairs before each.
    chromosomes: Vec<(Arc<str>, u64)>,
    blocks: u64,
    block: usize,
}

impl Genome {
    /// Creates a genome of `blocks` blocks with `block` variants each; both are at least 1.
    pub(super) fn new(blocks: usize, block: usize) -> Self {
        let chromosomes = (1..).zip(MEGABASES).scan(0, |before, (number, length)| {
            let start = *before;
            *before += length * MEGABASE;
            Some((Arc::from(i32::to_string(&number)), start))
        });
        Self { chromosomes: chromosomes.collect(), blocks: blocks as u64, block }
    }

    /// The locus of the variant with an index among all variants.
    pub(super) fn locus(&self, variant: usize) -> Locus {
        let length = MEGABASES.iter().sum::<u64>() * MEGABASE;
        let spacing = length / self.blocks;
        let start = (variant / self.block) as u64 * spacing;
        let is_later = self.chromosomes.partition_point(|(_, before)| *before <= start);
        let (chromosome, before) = &self.chromosomes[is_later - 1];
        // A block uses at most half of its space, so that it is separate from the next one.
        let step = (spacing / (2 * self.block as u64)).clamp(1, STEP);
        let [counted, other] = ALLELES[variant % ALLELES.len()];
        Locus {
            chromosome: Arc::clone(chromosome),
            position: start - before + (variant % self.block) as u64 * step + 1,
            id: format!("snp{}", variant + 1),
            counted: counted.to_string(),
            other: other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_in_order_and_blocks_apart() {
        for (variants, block) in [(1, 1), (50, 20), (1000, 20), (500_000, 20), (3000, 1000)] {
            let blocks = usize::div_ceil(variants, block);
            let genome = Genome::new(blocks, block);
            let place = |variant| {
                let Locus { chromosome, position, .. } = genome.locus(variant);
                (chromosome.parse::<u32>().unwrap(), position)
            };
            for variant in 1..variants {
                let (one, two) = (place(variant - 1), place(variant));
                assert!(one < two, "{variant}: {one:?} {two:?}");
                if variant % block != 0 {
                    assert_eq!(one.0, two.0, "{variant}");
                    assert!(two.1 - one.1 <= STEP);
                } else if one.0 == two.0 && block > 1 {
                    assert!(two.1 - one.1 > STEP, "{variant}: {one:?} {two:?}");
                }
            }
        }
        let last = Genome::new(25_000, 20).locus(499_999);
        assert_eq!((&*last.chromosome, last.id.as_str()), ("22", "snp500000"));
        assert!(last.position < 51_000_000);
    }
}
