//! Margin sums of genotypes and of categories of few values: the differences of pairs with equal
//! weights, of any rows, are counted as bits, 256 features at a time, and converted to numbers once
//! per weight. A missing value counts as the code 0 here, and is [corrected](super::missing_sums)
//! afterwards.

use basrelief_kernels::{BitRule, COUNTED, COUNTED_WORDS, add_counts, level, sum_differences};

use crate::differences::{BitCode, MOST_PLANES, Space};
use crate::neighbors::{BitColumns, Runs, copy_square};

/// Features of one bit code, at most [`COUNTED`].
pub(super) struct BitTile {
    code: BitCode,
    pub(super) features: Vec<usize>,
}

/// Groups features that are stored as bits into tiles, by their code.
pub(super) fn bit_tiles(space: &Space<'_>, features: &[usize]) -> Vec<BitTile> {
    BitCode::ALL
        .into_iter()
        .flat_map(|code| {
            let of_code =
                |&feature: &usize| space.features()[feature].rule.bit_code() == Some(code);
            let features: Vec<usize> = features.iter().copied().filter(of_code).collect();
            let tiles = features.chunks(COUNTED);
            tiles.map(|part| BitTile { code, features: part.to_vec() }).collect::<Vec<_>>()
        })
        .collect()
}

/// Words per row of one plane of a tile.
const PLANE: usize = COUNTED_WORDS / 2;

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
        let count = tile.code.rule().planes();
        let width = count * PLANE;
        planes.clear();
        planes.resize(space.rows() * width, 0);
        let found = &mut [[0; 64]; MOST_PLANES][..count];
        for (word, features) in tile.features.chunks(64).enumerate() {
            let columns = columns.read(space, tile.code, features);
            for (part, planes) in planes.chunks_mut(64 * width).enumerate() {
                copy_square(&columns, part * 64, codes);
                tile.code.planes(&codes[..columns.len()], found);
                for (row, planes) in planes.chunks_exact_mut(width).enumerate() {
                    for (plane, found) in planes.chunks_exact_mut(PLANE).zip(&*found) {
                        plane[word] = found[row];
                    }
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
        // A difference of two allele copies is 1.
        let rule = tile.code.rule();
        let unit = if rule == BitRule::Copies { 0.5 } else { 1.0 };
        let level = level();
        let mut ends = Vec::new();
        for lists in lists {
            for (list, sums) in lists.iter().zip(&mut sums) {
                for runs in list.groups() {
                    let weight = list.weights[runs.start] * unit;
                    let (rows, others) = list.part(runs, &mut ends);
                    let planes = &self.planes;
                    sum_differences(level, rule, planes, rows, &ends, others, &mut counts);
                    add_counts(level, weight, &counts, sums);
                }
            }
        }
        sums
    }
}
