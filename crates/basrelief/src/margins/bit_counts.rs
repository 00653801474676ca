//! Margin sums of genotypes and of categories of few values: the differences of pairs that weigh the same,
//! of whichever rows, are counted as bits, 256 features at a time, and become numbers once for all. A
//! missing value counts as the code 0 here, and is [corrected](crate::missing::sums) after.

use basrelief_kernels::{
    COUNTED, COUNTED_WORDS, GenotypeRule, add_counts, genotype_planes, level, sum_differences,
};

use crate::neighbors::{BitColumns, Rule, Runs, Space, copy_square};

/// Features of bits under one rule, at most [`COUNTED`].
pub(super) struct BitTile {
    rule: GenotypeRule,
    pub(super) features: Vec<usize>,
}

/// Some features of bits in tiles, by their rule.
pub(super) fn bit_tiles(space: &Space<'_>, features: &[usize]) -> Vec<BitTile> {
    let (copies, codes): (Vec<usize>, Vec<usize>) =
        features.iter().partition(|&&feature| space.features()[feature].rule == Rule::AlleleDosage);
    [(GenotypeRule::Copies, copies), (GenotypeRule::Mismatch, codes)]
        .into_iter()
        .flat_map(|(rule, features)| {
            let tiles = features.chunks(COUNTED);
            tiles.map(|part| BitTile { rule, features: part.to_vec() }).collect::<Vec<_>>()
        })
        .collect()
}

/// The planes of one tile, row by row, for one worker.
#[derive(Default)]
pub(super) struct BitBuffer {
    planes: Vec<u64>,
    columns: BitColumns,
    codes: Vec<[u8; 64]>,
}

impl BitBuffer {
    pub(super) fn fill(&mut self, space: &Space<'_>, tile: &BitTile) {
        let Self { planes, columns, codes } = self;
        codes.resize(64, [0; 64]);
        planes.clear();
        planes.resize(space.rows() * COUNTED_WORDS, 0);
        let mut found = [[0; 64]; 2];
        for (word, features) in tile.features.chunks(64).enumerate() {
            let columns = columns.read(space, features);
            for (part, planes) in planes.chunks_mut(64 * COUNTED_WORDS).enumerate() {
                copy_square(&columns, part * 64, codes);
                genotype_planes(level(), &codes[..columns.len()], &mut found);
                for (row, planes) in planes.chunks_exact_mut(COUNTED_WORDS).enumerate() {
                    planes[word] = found[0][row];
                    planes[word + COUNTED_WORDS / 2] = found[1][row];
                }
            }
        }
    }

    /// Per sum and feature of the tile, the weighted differences of all pairs.
    pub(super) fn add_up<const SUMS: usize>(
        &self,
        tile: &BitTile,
        lists: &[[Runs; SUMS]],
    ) -> [[f64; COUNTED]; SUMS] {
        let mut sums = [[0.0; COUNTED]; SUMS];
        let mut counts = [0_u16; COUNTED];
        // A difference of all copies is 1.
        let unit = if tile.rule == GenotypeRule::Copies { 0.5 } else { 1.0 };
        let level = level();
        let mut ends = Vec::new();
        for lists in lists {
            for (list, sums) in lists.iter().zip(&mut sums) {
                for runs in list.groups() {
                    let weight = list.weights[runs.start] * unit;
                    let (rows, others) = list.part(runs, &mut ends);
                    let planes = &self.planes;
                    sum_differences(level, tile.rule, planes, rows, &ends, others, &mut counts);
                    add_counts(level, weight, &counts, sums);
                }
            }
        }
        sums
    }
}
