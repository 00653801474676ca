//! Margin sums of genotypes: the differences of pairs that weigh the same, of whichever rows, are
//! counted as bits, 256 features at a time, and become numbers once for all. Missing genotypes count
//! as 0 copies here, and [`super::shares`] makes up for it.

use basrelief_kernels::{
    COUNTED, COUNTED_WORDS, GenotypeRule, add_counts, genotype_planes, level, sum_differences,
};

use super::runs::Runs;
use crate::data::Values;
use crate::neighbors::{Rule, Space, copy_square};

/// Genotypes under one rule, at most [`COUNTED`].
pub(super) struct GenotypeTile {
    rule: GenotypeRule,
    pub(super) features: Vec<usize>,
}

/// The genotypes of a table, in tiles, but for missing ones that are ignored.
pub(super) fn genotype_tiles(space: &Space<'_>) -> Vec<GenotypeTile> {
    [GenotypeRule::Copies, GenotypeRule::Mismatch]
        .into_iter()
        .flat_map(|rule| {
            let features: Vec<usize> = (0..space.width())
                .filter(|&feature| rule_of(space, feature) == Some(rule))
                .collect();
            let tiles = features.chunks(COUNTED);
            tiles.map(|part| GenotypeTile { rule, features: part.to_vec() }).collect::<Vec<_>>()
        })
        .collect()
}

/// How a feature's differences are counted, if it is a genotype and every missing value of it has
/// a share.
fn rule_of(space: &Space<'_>, feature: usize) -> Option<GenotypeRule> {
    let info = &space.features()[feature];
    let counted = info.gaps.is_empty() || info.table.is_some();
    match (info.rule, space.table().columns()[feature].values()) {
        (Rule::Copies, Values::Genotype(_)) if counted => Some(GenotypeRule::Copies),
        (Rule::Mismatch { .. }, Values::Genotype(_)) if counted => Some(GenotypeRule::Mismatch),
        _ => None,
    }
}

/// The planes of one tile, row by row, for one worker.
#[derive(Default)]
pub(super) struct GenotypeBuffer {
    planes: Vec<u64>,
    copies: Vec<[u8; 64]>,
}

impl GenotypeBuffer {
    pub(super) fn fill(&mut self, space: &Space<'_>, tile: &GenotypeTile) {
        self.copies.resize(64, [0; 64]);
        self.planes.clear();
        self.planes.resize(space.rows() * COUNTED_WORDS, 0);
        let columns: Vec<&[u8]> = tile
            .features
            .iter()
            .filter_map(|&feature| match space.table().columns()[feature].values() {
                Values::Genotype(copies) => Some(copies.as_ref()),
                _ => None,
            })
            .collect();
        let mut found = [[0; 64]; 2];
        for (word, columns) in columns.chunks(64).enumerate() {
            for (part, planes) in self.planes.chunks_mut(64 * COUNTED_WORDS).enumerate() {
                copy_square(columns, part * 64, &mut self.copies);
                genotype_planes(level(), &self.copies[..columns.len()], &mut found);
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
        tile: &GenotypeTile,
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
