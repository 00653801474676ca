//! The shares of missing values in margin sums.
//!
//! Sums over coded values take a missing one for 0. What makes up for it depends on the other row
//! of a pair alone, whichever of the two is whose neighbour: every missing value adds one weighted
//! sum over the pairs that its row is in.

use basrelief_kernels::FEW_CASES;

use super::pairs::PairList;
use crate::neighbors::{CaseOfRows, Counted, Feature, Rule, ShareRule, Space};

/// Sums taken side by side.
const PARTS: usize = 4;

/// The pairs of a sum that every row of a table is in: as the row itself, and as another row's
/// neighbour.
pub(super) struct Touching {
    /// Per row, the end of its pairs.
    ends: Vec<usize>,
    /// Per pair: the other row, and what it counts.
    others: Vec<u32>,
    weights: Vec<f64>,
}

impl Touching {
    pub(super) fn new<'l>(rows: usize, lists: impl Iterator<Item = &'l PairList> + Clone) -> Self {
        let mut next = vec![0; rows + 1];
        for (row, neighbors, _) in lists.clone().flat_map(PairList::rows) {
            next[row as usize + 1] += neighbors.len();
            neighbors.iter().for_each(|&neighbor| next[neighbor as usize + 1] += 1);
        }
        for row in 0..rows {
            next[row + 1] += next[row];
        }
        let mut touching =
            Self { ends: Vec::new(), others: vec![0; next[rows]], weights: vec![0.0; next[rows]] };
        for (row, neighbors, weights) in lists.flat_map(PairList::rows) {
            for (&neighbor, &weight) in neighbors.iter().zip(weights) {
                for (own, other) in [(row, neighbor), (neighbor, row)] {
                    let at = &mut next[own as usize];
                    touching.others[*at] = other;
                    touching.weights[*at] = weight;
                    *at += 1;
                }
            }
        }
        next.truncate(rows);
        touching.ends = next;
        touching
    }

    /// The weighted sum of a number per other row over the pairs of a row.
    fn weighted(&self, row: usize, number: impl Fn(usize) -> f64) -> f64 {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let pairs = start..self.ends[row];
        let (others, rest) = self.others[pairs.clone()].as_chunks::<PARTS>();
        let (weights, rest_weights) = self.weights[pairs].as_chunks::<PARTS>();
        let mut parts = [0.0; PARTS];
        for (others, weights) in others.iter().zip(weights) {
            for part in 0..PARTS {
                parts[part] += weights[part] * number(others[part] as usize);
            }
        }
        for (part, (&other, weight)) in parts.iter_mut().zip(rest.iter().zip(rest_weights)) {
            *part += weight * number(other as usize);
        }
        (parts[0] + parts[1]) + (parts[2] + parts[3])
    }
}

/// Features whose missing values are looked at together.
pub(super) const TOGETHER: usize = 64;

/// Reused memory of one worker.
#[derive(Default)]
pub(super) struct ShareBuffer {
    line: Vec<f64>,
    /// Per feature of few cases and row: the case.
    cases: Vec<u8>,
    /// Of these features and their classes with missing values.
    lines: Vec<CaseShares>,
    /// Their missing values: the row, and which of the lines.
    gaps: Vec<(u32, u32)>,
}

/// The shares of the missing values of a feature and class.
struct CaseShares {
    /// Which of the features looked at together.
    feature: usize,
    /// Where its cases begin.
    start: usize,
    shares: [f64; FEW_CASES],
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
        touching: &[Touching; SUMS],
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
            let CaseShares { feature, start, shares } = &self.lines[line as usize];
            let cases = &self.cases[*start..][..space.rows()];
            let number = |other: usize| shares[usize::from(cases[other]) % FEW_CASES];
            for (sum, touching) in sums[*feature].iter_mut().zip(touching) {
                *sum += touching.weighted(row as usize, number);
            }
        }
        sums
    }

    /// Lists the missing values of a feature if it has few cases; `index` is which of the features
    /// looked at together it is.
    fn list_few(&mut self, space: &Space<'_>, feature: usize, index: usize) -> bool {
        let Feature { rule, table: Some(table), .. } = &space.features()[feature] else {
            return false;
        };
        let CaseOfRows::Bytes(cases) = table.cases() else { return false };
        if table.n_cases() > FEW_CASES {
            return false;
        }
        let share = share_rule(*rule);
        let start = self.cases.len();
        self.cases.extend_from_slice(cases);
        for class in table.with_gaps() {
            let line = self.lines.len() as u32;
            let shares = share.few(table, class, table.values());
            self.lines.push(CaseShares { feature: index, start, shares });
            self.gaps.extend(space.gaps_of(feature, class).map(|row| (row, line)));
        }
        true
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
            let shares = share.by_case(table, class, table.values());
            self.line.clear();
            self.line.extend((0..space.rows()).map(|row| shares[table.case(row)]));
            for row in space.gaps_of(feature, class) {
                for (sum, touching) in sums.iter_mut().zip(touching) {
                    *sum += touching.weighted(row as usize, |other| self.line[other]);
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
