//! Margin sums of genotypes: neighbours that count the same are added as bits, 256 features at a
//! time, and meet numbers only once per row and weight.

use basrelief_kernels::{
    COUNTED, COUNTED_WORDS, GenotypeRule, MOST_COUNTED, level, sum_differences,
};

use super::sums::PairList;
use crate::data::Values;
use crate::neighbors::{Rule, Space};

/// Below this many neighbours per weight, bits do not pay.
const WORTH: usize = 4;

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

/// Neighbours of a row that count the same.
struct Run<const SUMS: usize> {
    row: u32,
    /// End of its neighbours; they start where those of the run before end.
    end: usize,
    weights: [f64; SUMS],
}

/// The pairs of some rows, by row and weight.
pub(super) struct Runs<const SUMS: usize> {
    runs: Vec<Run<SUMS>>,
    neighbors: Vec<u32>,
}

impl<const SUMS: usize> Runs<SUMS> {
    pub(super) fn new(list: &PairList<SUMS>) -> Self {
        let mut runs: Vec<Run<SUMS>> = Vec::new();
        let mut neighbors = Vec::with_capacity(list.pairs.len());
        for (row, pairs) in list.rows() {
            let bits = |&place: &usize| pairs[place].weights.map(f64::to_bits);
            let mut order: Vec<usize> = (0..pairs.len()).collect();
            order.sort_by_key(bits);
            for part in order.chunk_by(|a, b| bits(a) == bits(b)) {
                for part in part.chunks(MOST_COUNTED) {
                    neighbors.extend(part.iter().map(|&place| pairs[place].neighbor));
                    let weights = pairs[part[0]].weights;
                    runs.push(Run { row, end: neighbors.len(), weights });
                }
            }
        }
        Self { runs, neighbors }
    }

    /// Whether the runs of some lists are long enough for bits to pay.
    pub(super) fn worth(lists: &[Self]) -> bool {
        let pairs: usize = lists.iter().map(|list| list.neighbors.len()).sum();
        let runs: usize = lists.iter().map(|list| list.runs.len()).sum();
        pairs >= WORTH * runs
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
        for list in lists {
            let mut start = 0;
            for run in &list.runs {
                let others = &list.neighbors[start..run.end];
                sum_differences(
                    level,
                    tile.rule,
                    &self.planes,
                    run.row as usize,
                    others,
                    &mut counts,
                );
                for (sums, weight) in sums.iter_mut().zip(run.weights) {
                    if weight != 0.0 {
                        let weight = weight * unit;
                        for (sum, &count) in sums.iter_mut().zip(&counts) {
                            *sum += weight * f64::from(count);
                        }
                    }
                }
                start = run.end;
            }
        }
        sums
    }
}
