//! The corrections of missing values in margin sums of pairs that have equal weights within each
//! row, for features of few cases. Bits mark which rows are neighbors; 512 bits are counted at a
//! time.
//!
//! The neighbors of the row of a missing value are counted by case, and weighted once. Each row
//! that has such a row as a neighbor counts once for every neighbor in which the value is missing:
//! all missing values of a feature are counted together, and the case of a row is looked up once.

use basrelief_kernels::{
    CaseBlock, MARKS, MOST_LINES, add_marked, level, mark_code, weigh_cases, weigh_lines,
};

use super::missing_sums::SmallTable;
use crate::csr::CsrGroups;
use crate::differences::Space;
use crate::neighbors::Runs;

/// Rows that one word marks.
const WORD: usize = 64;

/// The pairs of rows with their neighbors, for several sums.
pub(crate) struct PairBits {
    rows: usize,
    weight_classes: Vec<WeightClass>,
}

/// Neighbors that, within each row, have equal weights.
struct WeightClass {
    sum: usize,
    /// Per row, the weight of its pairs; 0 where there are none.
    weights: Vec<f64>,
    /// Per row a bit for each of its neighbors.
    neighbors: Vec<u64>,
    /// Per row, a bit for each row that has it as a neighbor.
    reverse_neighbors: Vec<u64>,
}

impl PairBits {
    /// Contains no pairs; `None` if there are too many rows.
    pub(crate) fn new(rows: usize) -> Option<Self> {
        (rows <= MOST_LINES).then_some(Self { rows, weight_classes: Vec::new() })
    }

    /// Adds the pairs of rows that were not added before. Returns `false` and adds nothing if the
    /// pairs of some row have more than `most_weights` different weights in a sum.
    pub(crate) fn take<const SUMS: usize>(
        &mut self,
        lists: &[[Runs; SUMS]],
        most_weights: usize,
    ) -> bool {
        let runs = || {
            let lists = lists.iter().flat_map(|lists| lists.iter().enumerate());
            lists.flat_map(|(sum, runs)| runs.iter().map(move |run| (sum, run)))
        };
        // Find room for all pairs before any pair is added.
        let mut weights: Vec<(usize, Vec<f64>)> = self
            .weight_classes
            .iter()
            .map(|weight_class| (weight_class.sum, weight_class.weights.clone()))
            .collect();
        let mut places = Vec::new();
        for (sum, (row, weight, _)) in runs() {
            let row = row as usize;
            let has_room = |(of_sum, weights): &(usize, Vec<f64>)| {
                *of_sum == sum && (weights[row] == 0.0 || weights[row] == weight)
            };
            let at = weights.iter().position(has_room).unwrap_or(weights.len());
            if at == weights.len() {
                if weights.iter().filter(|(of_sum, _)| *of_sum == sum).count() == most_weights {
                    return false;
                }
                weights.push((sum, vec![0.0; self.words() * WORD]));
            }
            weights[at].1[row] = weight;
            places.push(at);
        }
        for (at, (sum, weights)) in weights.into_iter().enumerate() {
            if at < self.weight_classes.len() {
                self.weight_classes[at].weights = weights;
            } else {
                let zeros = || vec![0; self.words() * self.rows];
                self.weight_classes.push(WeightClass {
                    sum,
                    weights,
                    neighbors: zeros(),
                    reverse_neighbors: zeros(),
                });
            }
        }
        let words = self.words();
        for ((_, (row, _, neighbors)), at) in runs().zip(places) {
            let WeightClass { neighbors: marks, reverse_neighbors, .. } =
                &mut self.weight_classes[at];
            let row = row as usize;
            let marks = &mut marks[row * words..(row + 1) * words];
            for &neighbor in neighbors {
                let neighbor = neighbor as usize;
                marks[neighbor / WORD] |= 1 << (neighbor % WORD);
                reverse_neighbors[neighbor * words + row / WORD] |= 1 << (row % WORD);
            }
        }
        true
    }

    /// Whether no pairs were added.
    pub(crate) fn is_empty(&self) -> bool {
        self.weight_classes.is_empty()
    }

    /// Number of words of a line with a bit per row.
    pub(crate) fn words(&self) -> usize {
        self.rows.div_ceil(WORD * MARKS) * MARKS
    }
}

/// Reused memory of one worker.
#[derive(Default)]
pub(crate) struct PairBitsBuffer {
    /// The cases of all rows.
    cases: Vec<u8>,
    blocks: Vec<CaseBlock>,
    /// Per case, a line that marks the rows of this case.
    planes: Vec<u64>,
    /// Per class, the rows in which the value is missing.
    missing_rows: CsrGroups<u32>,
    /// Per row, the total weight of its pairs with rows in which the value is missing.
    weights: Vec<f64>,
}

impl PairBitsBuffer {
    /// The corrections of some features' sums for their missing values, for features of few cases.
    pub(crate) fn sums<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        features: &[usize],
        pairs: &PairBits,
    ) -> Vec<[f64; SUMS]> {
        let sums = |feature: &usize| {
            SmallTable::new(space, *feature)
                .map_or([0.0; SUMS], |few| self.of_feature(space, &few, pairs))
        };
        features.iter().map(sums).collect()
    }

    /// The corrections of one feature's sums for its missing values.
    fn of_feature<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        few: &SmallTable<'_>,
        pairs: &PairBits,
    ) -> [f64; SUMS] {
        let Self { cases, blocks, planes, missing_rows, weights } = self;
        let words = pairs.words();
        let cases = few.cases(cases);
        planes.clear();
        planes.resize(few.table.values().len() * words, 0);
        for (case, plane) in (0..).zip(planes.chunks_exact_mut(words)) {
            mark_code(level(), cases, case, plane);
        }
        blocks.clear();
        blocks.extend(CaseBlock::all(cases));
        blocks.resize(words, CaseBlock::ZERO);
        weights.resize(words * WORD, 0.0);
        let by_class = few.missing_rows.iter().map(|&row| (few.class(space, row), row));
        missing_rows.fill(few.corrections.len(), by_class);

        let mut sums = [0.0; SUMS];
        for (missing_rows, corrections) in missing_rows
            .iter()
            .zip(&few.corrections)
            .filter(|(missing_rows, _)| !missing_rows.is_empty())
        {
            let mut parts = [[0.0; MARKS]; SUMS];
            for &row in missing_rows {
                let row = row as usize;
                for WeightClass { sum, weights, neighbors, .. } in &pairs.weight_classes {
                    if weights[row] != 0.0 {
                        let marks = &neighbors[row * words..(row + 1) * words];
                        add_marked(
                            level(),
                            marks,
                            planes,
                            corrections,
                            weights[row],
                            &mut parts[*sum],
                        );
                    }
                }
            }
            sums.iter_mut().zip(&parts).for_each(|(sum, parts)| *sum += parts.iter().sum::<f64>());
            for WeightClass { sum, weights: of_weight_class, reverse_neighbors, .. } in
                &pairs.weight_classes
            {
                weigh_lines(
                    level(),
                    reverse_neighbors,
                    words,
                    missing_rows,
                    of_weight_class,
                    weights,
                );
                let [found] = weigh_cases(level(), blocks, corrections, [weights]);
                sums[*sum] += found;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::super::missing_sums::{CorrectionBuffer, IncidentPairs};
    use super::*;
    use crate::data::{Column, MISSING_GENOTYPE, Table};
    use crate::differences::{GenotypeDiff, MissingPolicy, SpaceOptions};
    use crate::neighbors::PairList;
    use crate::run::Run;

    const WEIGHT_CLASSES: usize = 4;

    /// Pairs of some of `all` rows. Every row has at most `weights` different weights, which no
    /// other row has.
    fn pairs(rows: Range<u32>, all: u32, weights: u32) -> PairList {
        let mut list = PairList::default();
        for row in rows {
            for other in (0..all).filter(|other| (row * 7 + other * 3) % 5 < 2 && *other != row) {
                list.neighbors.push(other);
                list.weights.push(1.0 / f64::from(3 + row + 100 * (other * weights / all)));
            }
            list.rows.push(row);
            list.ends.push(list.neighbors.len());
        }
        list
    }

    /// Lists of two sums, and these lists in runs.
    fn lists(rows: Range<u32>, all: u32, weights: u32) -> ([PairList; 2], [Runs; 2]) {
        let lists = [pairs(rows.clone(), all, weights), pairs(rows, all, 1)];
        let runs = lists.each_ref().map(Runs::new);
        (lists, runs)
    }

    #[test]
    fn shares_are_those_of_pairs_looked_up_one_by_one() {
        // One line of marks, and several.
        [90, 1100].into_iter().for_each(compare);
    }

    fn compare(rows: u32) {
        let columns = (0..9).map(|feature| {
            // The last feature has no value of one copy; in all except the first, values are
            // missing.
            let copies = |row: u32| match (row * 5 + row / 7 + 11 * feature) % 13 {
                0..2 if feature > 0 => MISSING_GENOTYPE,
                0..6 => 0,
                6..9 if feature < 8 => 1,
                _ => 2,
            };
            let copies: Vec<u8> = (0..rows).map(copies).collect();
            Column::genotype(format!("f{feature}"), copies.into()).unwrap()
        });
        let table = Table::new(columns.collect()).unwrap();
        let classes: Vec<u32> = (0..rows).map(|row| row % 3).collect();
        let run = Run::new(Some(1)).unwrap();
        let features: Vec<usize> = (1..9).collect();
        for missing in [MissingPolicy::Expected, MissingPolicy::Pessimistic] {
            for genotype_diff in [GenotypeDiff::Additive, GenotypeDiff::Categorical] {
                let options = SpaceOptions { missing, genotype_diff, ..SpaceOptions::default() };
                let space = Space::new(&table, Some((&classes, 3)), options, &run).unwrap();
                let mut marked = PairBits::new(rows as usize).unwrap();
                let (first, first_runs) = lists(0..50, rows, WEIGHT_CLASSES as u32);
                let (second, second_runs) = lists(55..rows, rows, 2);
                assert!(marked.is_empty() && marked.take(&[first_runs], WEIGHT_CLASSES));
                // Pairs with too many weights are rejected, and change nothing.
                assert!(
                    !marked
                        .take(&[lists(50..55, rows, WEIGHT_CLASSES as u32 + 1).1], WEIGHT_CLASSES)
                );
                assert!(marked.take(&[second_runs], WEIGHT_CLASSES));
                assert_eq!(marked.weight_classes.len(), WEIGHT_CLASSES + 1);
                let found = PairBitsBuffer::default().sums::<2>(&space, &features, &marked);
                let touching: [IncidentPairs; 2] = std::array::from_fn(|sum| {
                    IncidentPairs::new(rows as usize, [&first[sum], &second[sum]].into_iter())
                });
                let wanted = CorrectionBuffer::default().sums(&space, &features, &touching);
                for (found, wanted) in found.as_flattened().iter().zip(wanted.as_flattened()) {
                    assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found} for {wanted}");
                    assert_ne!(*wanted, 0.0);
                }
            }
        }
    }

    #[test]
    fn many_rows_are_left_to_others() {
        assert!(PairBits::new(MOST_LINES).is_some() && PairBits::new(MOST_LINES + 1).is_none());
    }
}
