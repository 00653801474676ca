//! Margin sums of complete genotypes: neighbours that weigh the same are added as bits, 256
//! features at a time, and meet numbers only once per row and weight.

use basrelief_kernels::{COUNTED, COUNTED_WORDS, GenotypeRule, level, sum_differences};

use super::runs::Runs;
use crate::data::Values;
use crate::neighbors::{Rule, Space};

/// Complete genotypes under one rule, at most [`COUNTED`].
pub(super) struct GenotypeTile {
    rule: GenotypeRule,
    pub(super) features: Vec<usize>,
}

/// The complete genotypes of a table, in tiles.
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

/// How a feature's differences are counted, if it is a genotype without missing values.
fn rule_of(space: &Space<'_>, feature: usize) -> Option<GenotypeRule> {
    let info = &space.features()[feature];
    match (info.rule, space.table().columns()[feature].values()) {
        (Rule::Copies, Values::Genotype(_)) if info.gaps.is_empty() => Some(GenotypeRule::Copies),
        (Rule::Mismatch { .. }, Values::Genotype(_)) if info.gaps.is_empty() => {
            Some(GenotypeRule::Mismatch)
        }
        _ => None,
    }
}

/// The planes of one tile, row by row, for one worker.
#[derive(Default)]
pub(super) struct GenotypeBuffer {
    planes: Vec<u64>,
}

impl GenotypeBuffer {
    pub(super) fn fill(&mut self, space: &Space<'_>, tile: &GenotypeTile) {
        self.planes.clear();
        self.planes.resize(space.rows() * COUNTED_WORDS, 0);
        for (lane, &feature) in tile.features.iter().enumerate() {
            let Values::Genotype(copies) = space.table().columns()[feature].values() else {
                continue;
            };
            let (word, bit) = (lane / 64, lane % 64);
            for (row, &copies) in self.planes.chunks_exact_mut(COUNTED_WORDS).zip(copies.iter()) {
                row[word] |= u64::from(copies >= 1) << bit;
                row[word + COUNTED_WORDS / 2] |= u64::from(copies >= 2) << bit;
            }
        }
    }

    /// Per sum and feature of the tile, the weighted differences of all pairs.
    pub(super) fn add_up<const SUMS: usize>(
        &self,
        tile: &GenotypeTile,
        lists: &[Runs<SUMS>],
    ) -> [[f64; COUNTED]; SUMS] {
        let mut sums = [[0.0; COUNTED]; SUMS];
        let mut counts = [0_u16; COUNTED];
        // A difference of all copies is 1.
        let unit = if tile.rule == GenotypeRule::Copies { 0.5 } else { 1.0 };
        let level = level();
        for (row, others, weights) in lists.iter().flat_map(Runs::iter) {
            sum_differences(level, tile.rule, &self.planes, row as usize, others, &mut counts);
            for (sums, weight) in sums.iter_mut().zip(weights) {
                if weight != 0.0 {
                    let weight = weight * unit;
                    for (sum, &count) in sums.iter_mut().zip(&counts) {
                        *sum += weight * f64::from(count);
                    }
                }
            }
        }
        sums
    }
}
