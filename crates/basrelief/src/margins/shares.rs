//! The shares of missing values in margin sums.
//!
//! Sums over coded values take a missing one for 0. What makes up for it depends on the other row
//! of a pair alone, whichever of the two is whose neighbour: every missing value adds one weighted
//! sum over the pairs that its row is in.

use super::sums::PairList;
use crate::neighbors::{Counted, Feature, Rule, ShareRule, Space};

/// Sums taken side by side.
const PARTS: usize = 4;

/// The pairs that every row of a table is in: as the row itself, and as another row's neighbour.
pub(super) struct Touching<const SUMS: usize> {
    /// Per row, the end of its pairs.
    ends: Vec<usize>,
    /// Per pair: the other row, and what it counts in each sum.
    others: Vec<u32>,
    weights: Vec<[f64; SUMS]>,
}

impl<const SUMS: usize> Touching<SUMS> {
    pub(super) fn new(rows: usize, lists: &[PairList<SUMS>]) -> Self {
        let mut next = vec![0; rows + 1];
        for (row, pairs) in lists.iter().flat_map(PairList::rows) {
            next[row as usize + 1] += pairs.len();
            pairs.iter().for_each(|pair| next[pair.neighbor as usize + 1] += 1);
        }
        for row in 0..rows {
            next[row + 1] += next[row];
        }
        let mut touching = Self {
            ends: Vec::new(),
            others: vec![0; next[rows]],
            weights: vec![[0.0; SUMS]; next[rows]],
        };
        for (row, pairs) in lists.iter().flat_map(PairList::rows) {
            for pair in pairs {
                for (own, other) in [(row, pair.neighbor), (pair.neighbor, row)] {
                    let at = &mut next[own as usize];
                    touching.others[*at] = other;
                    touching.weights[*at] = pair.weights;
                    *at += 1;
                }
            }
        }
        next.truncate(rows);
        touching.ends = next;
        touching
    }

    /// The weighted sums of a number per other row over the pairs of a row.
    fn weighted(&self, row: usize, number: impl Fn(usize) -> f64) -> [f64; SUMS] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let pairs = start..self.ends[row];
        let (others, weights) = (&self.others[pairs.clone()], &self.weights[pairs]);
        let mut parts = [[0.0; SUMS]; PARTS];
        let mut add = |others: &[u32], weights: &[[f64; SUMS]]| {
            for (part, (&other, weights)) in parts.iter_mut().zip(others.iter().zip(weights)) {
                let number = number(other as usize);
                for sum in 0..SUMS {
                    part[sum] += weights[sum] * number;
                }
            }
        };
        let (whole, rest) = others.as_chunks::<PARTS>();
        let (whole_weights, rest_weights) = weights.as_chunks::<PARTS>();
        whole.iter().zip(whole_weights).for_each(|(others, weights)| add(others, weights));
        add(rest, rest_weights);
        std::array::from_fn(|sum| (parts[0][sum] + parts[1][sum]) + (parts[2][sum] + parts[3][sum]))
    }
}

/// Features whose missing values are looked at together.
pub(super) const TOGETHER: usize = 64;

/// Cases up to which a feature's shares are looked up by a byte per row.
const FEW: usize = 8;

/// Reused memory of one worker.
#[derive(Default)]
pub(super) struct ShareBuffer {
    values: Vec<f64>,
    line: Vec<f64>,
    /// Per feature of few cases and row: the case.
    cases: Vec<u8>,
    /// Of these features and their classes with missing values.
    lines: Vec<CaseLine>,
    /// Their missing values: the row, and which of the lines.
    gaps: Vec<(u32, u32)>,
}

/// The shares of the missing values of a feature and class.
struct CaseLine {
    /// Which of the features looked at together.
    feature: usize,
    /// Where its cases begin.
    start: usize,
    shares: [f64; FEW],
}

impl ShareBuffer {
    /// What the missing values of up to [`TOGETHER`] features add to their sums.
    ///
    /// Where features have few cases, the pairs of a row are read once for all its missing values,
    /// and a byte per other row stands for a number.
    pub(super) fn sums<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        features: &[usize],
        touching: &Touching<SUMS>,
    ) -> Vec<[f64; SUMS]> {
        let mut sums = vec![[0.0; SUMS]; features.len()];
        self.cases.clear();
        self.lines.clear();
        self.gaps.clear();
        for (index, (&feature, sums)) in features.iter().zip(&mut sums).enumerate() {
            if !self.list_few(space, feature, index) {
                *sums = self.of_feature(space, feature, touching);
            }
        }
        self.gaps.sort_unstable();
        for &(row, line) in &self.gaps {
            let CaseLine { feature, start, shares } = &self.lines[line as usize];
            let cases = &self.cases[*start..][..space.rows()];
            let number = |other: usize| shares[usize::from(cases[other]) % FEW];
            let of_row = touching.weighted(row as usize, number);
            sums[*feature].iter_mut().zip(of_row).for_each(|(sum, of_row)| *sum += of_row);
        }
        sums
    }

    /// Lists the missing values of a feature if it has few cases; `index` is which of the features
    /// looked at together it is.
    fn list_few(&mut self, space: &Space<'_>, feature: usize, index: usize) -> bool {
        let Feature { rule, gaps, table: Some(table) } = &space.features()[feature] else {
            return false;
        };
        if table.with_gaps().any(|class| table.by_case(class).len() > FEW) {
            return false;
        }
        let share = share_rule(*rule);
        space.copy_scaled(feature, &mut self.values);
        let start = self.cases.len();
        self.cases.extend(table.cases().iter().map(|&case| case as u8));
        let numbers = table.numbers_by_case(&self.values);
        for class in table.with_gaps() {
            let line = self.lines.len() as u32;
            let mut shares = [0.0; FEW];
            let by_case = share.by_case(table, class, &numbers);
            shares.iter_mut().zip(by_case).for_each(|(out, share)| *out = share);
            self.lines.push(CaseLine { feature: index, start, shares });
            let rows = gaps
                .iter()
                .filter(|row| table.classes() == 1 || space.class(**row as usize) == class);
            self.gaps.extend(rows.map(|&row| (row, line)));
        }
        true
    }

    /// What a feature's missing values add to its sums.
    fn of_feature<const SUMS: usize>(
        &mut self,
        space: &Space<'_>,
        feature: usize,
        touching: &Touching<SUMS>,
    ) -> [f64; SUMS] {
        let mut sums = [0.0; SUMS];
        let Feature { rule, gaps, table: Some(table) } = &space.features()[feature] else {
            return sums;
        };
        let share = share_rule(*rule);
        space.copy_scaled(feature, &mut self.values);
        for class in table.with_gaps() {
            let rows = 0..self.values.len() as u32;
            self.line.clear();
            self.line.extend(share.line(table, class, &self.values, rows));
            for &row in gaps {
                if table.classes() == 1 || space.class(row as usize) == class {
                    let of_row = touching.weighted(row as usize, |other| self.line[other]);
                    sums.iter_mut().zip(of_row).for_each(|(sum, of_row)| *sum += of_row);
                }
            }
        }
        sums
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
