//! The shares of missing values in margin sums.
//!
//! Sums over coded values take a missing one for 0. What makes up for it depends on the other row
//! of a pair alone, whichever of the two is whose neighbour: every missing value adds one weighted
//! sum over the pairs that its row is in.

use basrelief_kernels::{CASE_ROWS, CaseBlock, FEW_CASES, level, weigh_cases};

use super::pairs::PairList;
use crate::neighbors::{Counted, Feature, Grouped, Rule, ShareRule, Space};

/// Sums taken side by side.
const PARTS: usize = 4;

/// The pairs of a sum that every row of a table is in: as the row itself, and as another row's
/// neighbour.
pub(super) struct Touching {
    /// Per row, the end of its pairs, in parts.
    ends: Vec<usize>,
    /// Per pair: the other row, and what it counts.
    others: Vec<[u32; PARTS]>,
    weights: Vec<[f64; PARTS]>,
}

/// The other rows of a row's pairs, and what these count.
#[derive(Clone, Copy)]
struct OfRow<'t> {
    others: &'t [[u32; PARTS]],
    weights: &'t [[f64; PARTS]],
}

impl OfRow<'_> {
    /// The weighted sum of a number per other row over the pairs.
    #[inline]
    fn weighted(&self, number: impl Fn(usize) -> f64) -> f64 {
        let mut parts = [0.0; PARTS];
        for (others, weights) in self.others.iter().zip(self.weights) {
            for part in 0..PARTS {
                parts[part] += weights[part] * number(others[part] as usize);
            }
        }
        (parts[0] + parts[1]) + (parts[2] + parts[3])
    }
}

impl Touching {
    pub(super) fn new<'l>(rows: usize, lists: impl Iterator<Item = &'l PairList> + Clone) -> Self {
        let mut next = vec![0; rows + 1];
        for (row, neighbors, _) in lists.clone().flat_map(PairList::rows) {
            next[row as usize + 1] += neighbors.len();
            neighbors.iter().for_each(|&neighbor| next[neighbor as usize + 1] += 1);
        }
        // Every row's in whole parts: what is behind its pairs weighs nothing.
        let mut ends = Vec::with_capacity(rows);
        for row in 0..rows {
            next[row + 1] = next[row] + next[row + 1].next_multiple_of(PARTS);
            ends.push(next[row + 1] / PARTS);
        }
        let mut others = vec![[0; PARTS]; next[rows] / PARTS];
        let mut weights = vec![[0.0; PARTS]; next[rows] / PARTS];
        for (row, neighbors, of_row) in lists.flat_map(PairList::rows) {
            for (&neighbor, &weight) in neighbors.iter().zip(of_row) {
                for (own, other) in [(row, neighbor), (neighbor, row)] {
                    let at = &mut next[own as usize];
                    others.as_flattened_mut()[*at] = other;
                    weights.as_flattened_mut()[*at] = weight;
                    *at += 1;
                }
            }
        }
        Self { ends, others, weights }
    }

    /// The pairs of a row.
    fn of(&self, row: usize) -> OfRow<'_> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let pairs = start..self.ends[row];
        OfRow { others: &self.others[pairs.clone()], weights: &self.weights[pairs] }
    }

    /// The other rows of a row's pairs, and what these count; behind them some that count nothing.
    fn of_row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let OfRow { others, weights } = self.of(row);
        let others = others.as_flattened().iter().map(|&other| other as usize);
        others.zip(weights.as_flattened().iter().copied())
    }
}

/// Features whose missing values are looked at together, of so many rows: their cases stay in the
/// second cache, unless rows are many.
pub(super) fn together(rows: usize) -> usize {
    ((1 << 20) / rows.max(1)).clamp(64, 1024)
}

/// A row's pairs are spread over all rows from one in so many on.
const SPREAD: usize = 4;

/// Reused memory of one worker.
#[derive(Default)]
pub(super) struct ShareBuffer {
    /// Shares of one class's missing values, by case and by row.
    by_case: Vec<f64>,
    line: Vec<f64>,
    /// Per feature of few cases, the cases of all rows.
    blocks: Vec<CaseBlock>,
    /// Per row, which of the lines its missing values have.
    gaps: Grouped<u32>,
}

/// The shares of the missing values of a feature of few cases and a class.
pub(super) struct CaseShares<'s> {
    /// Which of the features looked at together.
    pub(super) feature: usize,
    /// Case of every row, and the first of their blocks.
    cases: &'s [u8],
    first_block: usize,
    pub(super) shares: [f64; FEW_CASES],
    /// The rows of the class that miss the feature.
    pub(super) gaps: Vec<u32>,
}

/// The pairs of one row in each sum, spread over all rows.
struct SpreadPairs<const SUMS: usize>([Vec<f64>; SUMS]);

impl<const SUMS: usize> SpreadPairs<SUMS> {
    /// No pairs.
    fn new(rows: usize) -> Self {
        Self(std::array::from_fn(|_| vec![0.0; rows.next_multiple_of(CASE_ROWS)]))
    }

    /// Adds the pairs of a row.
    fn fill(&mut self, row: usize, touching: &[Touching; SUMS]) {
        for (line, touching) in self.0.iter_mut().zip(touching) {
            touching.of_row(row).for_each(|(other, weight)| line[other] += weight);
        }
    }

    /// Takes them out again.
    fn clear(&mut self, row: usize, touching: &[Touching; SUMS]) {
        for (line, touching) in self.0.iter_mut().zip(touching) {
            touching.of_row(row).for_each(|(other, _)| line[other] = 0.0);
        }
    }
}

impl ShareBuffer {
    /// What the missing values of some features add to their sums.
    ///
    /// Where features have few cases, the pairs of a row are read once for all its missing values,
    /// and a byte per other row stands for a number.
    pub(super) fn sums<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        features: &[usize],
        touching: &[Touching; SUMS],
    ) -> Vec<[f64; SUMS]> {
        let mut sums = vec![[0.0; SUMS]; features.len()];
        let mut lines: Vec<CaseShares<'_>> = Vec::new();
        for (index, (&feature, sums)) in features.iter().zip(&mut sums).enumerate() {
            if !list_few(space, feature, index, &mut lines) {
                *sums = self.of_feature(space, feature, touching);
            }
        }
        let gaps = (0..).zip(&lines).flat_map(|(line, CaseShares { gaps, .. })| {
            gaps.iter().map(move |&row| (row as usize, line))
        });
        self.gaps.fill(space.rows(), gaps);
        let is_spread = |row: usize| {
            let parts: usize = touching.iter().map(|touching| touching.of(row).others.len()).sum();
            parts * PARTS * SPREAD >= space.rows()
        };
        let mut spread: Option<SpreadPairs<SUMS>> = None;
        for (row, of_row) in self.gaps.iter().enumerate().filter(|(_, gaps)| !gaps.is_empty()) {
            if is_spread(row) {
                let weights = spread.get_or_insert_with(|| {
                    // The first of the rows that need them.
                    fill_blocks(&mut lines, &mut self.blocks);
                    SpreadPairs::new(space.rows())
                });
                weights.fill(row, touching);
                for &line in of_row {
                    let CaseShares { feature, first_block, shares, .. } = &lines[line as usize];
                    let blocks = &self.blocks[*first_block..][..space.rows().div_ceil(CASE_ROWS)];
                    let weights = weights.0.each_ref().map(Vec::as_slice);
                    let found = weigh_cases(level(), blocks, shares, weights);
                    sums[*feature].iter_mut().zip(found).for_each(|(sum, share)| *sum += share);
                }
                weights.clear(row, touching);
                continue;
            }
            let pairs = touching.each_ref().map(|touching| touching.of(row));
            for &line in of_row {
                let CaseShares { feature, cases, shares, .. } = &lines[line as usize];
                let number = |other: usize| shares[usize::from(cases[other]) % FEW_CASES];
                for (sum, pairs) in sums[*feature].iter_mut().zip(&pairs) {
                    *sum += pairs.weighted(number);
                }
            }
        }
        sums
    }

    /// What a feature's missing values add to its sums.
    fn of_feature<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        feature: usize,
        touching: &[Touching; SUMS],
    ) -> [f64; SUMS] {
        let mut sums = [0.0; SUMS];
        let Feature { rule, table: Some(table), .. } = &space.features()[feature] else {
            return sums;
        };
        let share = share_rule(*rule);
        for class in table.with_gaps() {
            share.fill(table, class, table.values(), &mut self.by_case);
            let line = table.by_row(&self.by_case, &mut self.line);
            for row in space.gaps_of(feature, class) {
                for (sum, touching) in sums.iter_mut().zip(touching) {
                    *sum += touching.of(row as usize).weighted(|other| line[other]);
                }
            }
        }
        sums
    }
}

/// Lists the missing values of a feature if it has few cases; `index` is which of the features
/// looked at together it is.
pub(super) fn list_few<'s>(
    space: &'s Space<'_>,
    feature: usize,
    index: usize,
    lines: &mut Vec<CaseShares<'s>>,
) -> bool {
    let Feature { rule, table: Some(table), .. } = &space.features()[feature] else {
        return false;
    };
    let Some(cases) = table.few_cases() else { return false };
    let share = share_rule(*rule);
    lines.extend(table.with_gaps().map(|class| {
        let mut gaps = Vec::with_capacity(space.features()[feature].gaps.len());
        gaps.extend(space.gaps_of(feature, class));
        let shares = share.few(table, class, table.values());
        CaseShares { feature: index, cases, first_block: 0, shares, gaps }
    }));
    true
}

/// Replaces `blocks` by the cases of the features of some lines, those of a feature one after the
/// other.
fn fill_blocks(lines: &mut [CaseShares<'_>], blocks: &mut Vec<CaseBlock>) {
    blocks.clear();
    for lines in lines.chunk_by_mut(|a, b| a.feature == b.feature) {
        lines.iter_mut().for_each(|line| line.first_block = blocks.len());
        blocks.extend(CaseBlock::all(lines[0].cases));
    }
}

/// What the sums over coded values count for a missing one.
fn share_rule(rule: Rule) -> ShareRule {
    let counted = match rule {
        Rule::Mismatch { .. } => Counted::Mismatch,
        _ => Counted::Number(None),
    };
    ShareRule { counted, square: false, unit: 1.0 }
}
