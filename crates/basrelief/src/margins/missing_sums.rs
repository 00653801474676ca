//! The corrections of missing values in margin sums.
//!
//! Sums over coded values treat a missing one as 0. Its correction depends only on the other row of
//! a pair, in either direction: every missing value adds one weighted sum over the pairs that
//! contain its row.

use basrelief_kernels::{CASE_ROWS, CaseBlock, FEW_CASES, level, weigh_cases};

use crate::csr::CsrGroups;
use crate::differences::{CodedValue, CorrectionRule, Form, MissingTable, Rule, Space};
use crate::neighbors::PairList;
use crate::thresholds::SPREAD;

/// Partial sums computed side by side.
const PARTS: usize = 4;

/// For every row of a table, the pairs of a sum that contain it: as the row itself, and as another
/// row's neighbor.
pub(crate) struct IncidentPairs {
    /// Per row, the end of its pairs, in groups of [`PARTS`].
    ends: Vec<usize>,
    /// Per pair: the other row, and the weight of the pair.
    others: Vec<[u32; PARTS]>,
    weights: Vec<[f64; PARTS]>,
}

/// The other rows of a row's pairs, and the weights of these pairs.
#[derive(Clone, Copy)]
struct OfRow<'t> {
    others: &'t [[u32; PARTS]],
    weights: &'t [[f64; PARTS]],
}

impl OfRow<'_> {
    /// The weighted sum, over the pairs, of a number per other row.
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

impl IncidentPairs {
    pub(crate) fn new<'l>(rows: usize, lists: impl Iterator<Item = &'l PairList> + Clone) -> Self {
        let mut next = vec![0; rows + 1];
        for (row, neighbors, _) in lists.clone().flat_map(PairList::rows) {
            next[row as usize + 1] += neighbors.len();
            neighbors.iter().for_each(|&neighbor| next[neighbor as usize + 1] += 1);
        }
        // Every row's pairs fill complete groups; the padding has weight 0.
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
    fn pairs(&self, row: usize) -> OfRow<'_> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let pairs = start..self.ends[row];
        OfRow { others: &self.others[pairs.clone()], weights: &self.weights[pairs] }
    }

    /// The other rows of a row's pairs, and the weights of the pairs; padded with entries of weight
    /// 0.
    fn of_row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let OfRow { others, weights } = self.pairs(row);
        let others = others.as_flattened().iter().map(|&other| other as usize);
        others.zip(weights.as_flattened().iter().copied())
    }
}

/// A feature of few cases with missing values.
pub(crate) struct SmallTable<'s> {
    pub(crate) table: &'s MissingTable<'s>,
    /// Per class (a single one where classes do not matter), the corrections of its missing values
    /// by case.
    pub(crate) corrections: Vec<[f64; FEW_CASES]>,
    /// The rows in which the value is missing.
    pub(crate) missing_rows: &'s [u32],
}

impl<'s> SmallTable<'s> {
    /// `None` if no value is missing, or if there are too many cases.
    pub(crate) fn new(space: &'s Space<'_>, feature: usize) -> Option<Self> {
        let own = &space.features()[feature];
        let table = own.table().filter(|table| table.is_small())?;
        let missing_rows = own.missing_rows();
        let (rule, values) = (correction_rule(own.rule), table.values());
        let corrections =
            (0..table.classes()).map(|class| rule.few(table, class, values)).collect();
        Some(Self { table, corrections, missing_rows })
    }

    /// The case of every row; reuses `memory`.
    pub(crate) fn cases<'t>(&'t self, memory: &'t mut Vec<u8>) -> &'t [u8] {
        self.table.small_cases(self.missing_rows, memory)
    }

    /// The index of the corrections that apply to a missing value of a row.
    pub(crate) fn class(&self, space: &Space<'_>, row: u32) -> usize {
        if self.corrections.len() == 1 { 0 } else { space.class(row as usize) }
    }
}

/// Reused memory of one worker.
#[derive(Default)]
pub(crate) struct CorrectionBuffer {
    /// Corrections of one class's missing values, by case and by row.
    by_case: Vec<f64>,
    line: Vec<f64>,
    /// The cases of all rows, for one feature.
    cases: Vec<u8>,
    /// The cases of all rows, feature after feature.
    blocks: Vec<CaseBlock>,
    /// Per row, the features whose value is missing.
    missing_rows: CsrGroups<u32>,
}

/// The pairs of one row in each sum, spread over all rows.
struct SpreadPairs<const SUMS: usize>([Vec<f64>; SUMS]);

impl<const SUMS: usize> SpreadPairs<SUMS> {
    /// No pairs.
    fn new(rows: usize) -> Self {
        Self(std::array::from_fn(|_| vec![0.0; rows.next_multiple_of(CASE_ROWS)]))
    }

    /// Adds the pairs of a row.
    fn fill(&mut self, row: usize, touching: &[IncidentPairs; SUMS]) {
        for (line, touching) in self.0.iter_mut().zip(touching) {
            touching.of_row(row).for_each(|(other, weight)| line[other] += weight);
        }
    }

    /// Removes the pairs of a row again.
    fn clear(&mut self, row: usize, touching: &[IncidentPairs; SUMS]) {
        for (line, touching) in self.0.iter_mut().zip(touching) {
            touching.of_row(row).for_each(|(other, _)| line[other] = 0.0);
        }
    }
}

impl CorrectionBuffer {
    /// The corrections of some features' sums for their missing values.
    pub(crate) fn sums<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        features: &[usize],
        touching: &[IncidentPairs; SUMS],
    ) -> Vec<[f64; SUMS]> {
        let is_spread = |row: usize| {
            let parts: usize =
                touching.iter().map(|touching| touching.pairs(row).others.len()).sum();
            parts * PARTS * SPREAD >= space.rows()
        };
        let spread: Vec<bool> = (0..space.rows()).map(is_spread).collect();
        let mut of_spread = Vec::new();
        let mut sums = vec![[0.0; SUMS]; features.len()];
        for ((index, &feature), sums) in (0..).zip(features).zip(&mut sums) {
            let Some(few) = SmallTable::new(space, feature) else {
                *sums = self.of_feature(space, feature, touching);
                continue;
            };
            // A byte per row: the cases stay in the first-level cache while pairs are looked up.
            let cases = few.cases(&mut self.cases);
            for &row in few.missing_rows.iter().filter(|row| !spread[**row as usize]) {
                let corrections = &few.corrections[few.class(space, row)];
                let number = |other: usize| corrections[usize::from(cases[other]) % FEW_CASES];
                for (sum, touching) in sums.iter_mut().zip(touching) {
                    *sum += touching.pairs(row as usize).weighted(number);
                }
            }
            of_spread.push((index, few));
        }
        if spread.contains(&true) {
            self.add_spread(space, &of_spread, touching, &spread, &mut sums);
        }
        sums
    }

    /// Adds the corrections for the missing values of rows with many pairs: the pairs are read once
    /// for all missing values of a row, and every other row is represented by one byte. Each
    /// feature comes with the index of its sums.
    fn add_spread<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        features: &[(u32, SmallTable<'_>)],
        touching: &[IncidentPairs; SUMS],
        spread: &[bool],
        sums: &mut [[f64; SUMS]],
    ) {
        let Self { blocks, cases, missing_rows, .. } = self;
        let items = (0..).zip(features).flat_map(|(place, (_, few))| {
            let rows = few.missing_rows.iter().map(|row| *row as usize);
            rows.filter(|row| spread[*row]).map(move |row| (row, place))
        });
        missing_rows.fill(space.rows(), items);
        blocks.clear();
        features.iter().for_each(|(_, few)| blocks.extend(CaseBlock::all(few.cases(cases))));
        let per_feature = space.rows().div_ceil(CASE_ROWS);
        let mut weights = SpreadPairs::new(space.rows());
        for (row, of_row) in (0..).zip(missing_rows.iter()).filter(|(_, of_row)| !of_row.is_empty())
        {
            weights.fill(row as usize, touching);
            for &place in of_row {
                let (index, few) = &features[place as usize];
                let corrections = &few.corrections[few.class(space, row)];
                let blocks = &blocks[place as usize * per_feature..][..per_feature];
                let weights = weights.0.each_ref().map(Vec::as_slice);
                let found = weigh_cases(level(), blocks, corrections, weights);
                let sums = &mut sums[*index as usize];
                sums.iter_mut().zip(found).for_each(|(sum, correction)| *sum += correction);
            }
            weights.clear(row as usize, touching);
        }
    }

    /// The corrections of one feature's sums for its missing values.
    fn of_feature<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        feature: usize,
        touching: &[IncidentPairs; SUMS],
    ) -> [f64; SUMS] {
        let mut sums = [0.0; SUMS];
        let own = &space.features()[feature];
        let Some(table) = own.table() else { return sums };
        let correction = correction_rule(own.rule);
        for class in table.missing_classes() {
            correction.fill(table, class, table.values(), &mut self.by_case);
            let line = table.by_row(&self.by_case, &mut self.line);
            for row in space.missing_rows_of(feature, class) {
                for (sum, touching) in sums.iter_mut().zip(touching) {
                    *sum += touching.pairs(row as usize).weighted(|other| line[other]);
                }
            }
        }
        sums
    }
}

/// How the sums over coded values count a missing one.
fn correction_rule(rule: Rule) -> CorrectionRule {
    let counted = match rule.form() {
        Form::Mismatch => CodedValue::Mismatch,
        _ => CodedValue::Number(None),
    };
    CorrectionRule { counted, square: false, unit: 1.0 }
}
