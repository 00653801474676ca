//! The interaction gain: the information of two features about the class beyond that of each feature alone.

use std::ops::Range;

use super::levels::{Levels, MISSING};
use super::pair_measure::{Measured, PairMeasure};
use super::table_margins::{TableMargins, used};
use crate::data::{Classes, Column};
use crate::inference::Permutations;
use crate::parallel;

/// Computes the interaction gains of columns with levels.
pub(super) struct Gain<'a> {
    columns: Vec<Levels>,
    classes: &'a Classes,
    /// `count log2(count)` of every count up to the number of rows.
    terms: Vec<f64>,
}

impl<'a> Gain<'a> {
    pub(super) fn new(columns: &[&Column<'_>], classes: &'a Classes) -> Self {
        let term = |count: usize| match count {
            0 => 0.0,
            count => count as f64 * (count as f64).log2(),
        };
        Self {
            columns: columns.iter().map(|column| Levels::new(column)).collect(),
            classes,
            terms: (0..=classes.codes().len()).map(term).collect(),
        }
    }
}

/// The table cells of the rows of a pair.
pub(super) struct PairCells {
    /// Per row, the start of the counts of its cell. The cells are stored row by row, each with one count per class.
    /// The counts of rows with a missing value follow.
    starts: Vec<u32>,
    levels: (usize, usize),
}

impl PairMeasure for Gain<'_> {
    type Pair = PairCells;
    /// Per target, the class of every row.
    type Targets = Vec<Vec<u32>>;

    fn pair(&self, first: usize, second: usize) -> PairCells {
        let (first, second) = (&self.columns[first], &self.columns[second]);
        let levels = (first.levels.len(), second.levels.len());
        let classes = self.classes.len();
        let start = |(&one, &other): (&u8, &u8)| match one == MISSING || other == MISSING {
            true => levels.0 * levels.1 * classes,
            false => (usize::from(one) * levels.1 + usize::from(other)) * classes,
        };
        let starts = first.codes.iter().zip(&second.codes).map(|pair| start(pair) as u32).collect();
        PairCells { starts, levels }
    }

    fn observed(&self, pair: &PairCells) -> Measured {
        let classes = self.classes.len();
        let mut counts = vec![0; (pair.levels.0 * pair.levels.1 + 1) * classes];
        count(&pair.starts, self.classes.codes(), &mut counts);
        gain(&counts, pair.levels, classes, &self.terms)
    }

    fn targets(&self, permutations: &Permutations<'_>, numbers: Range<u64>) -> Self::Targets {
        let codes = self.classes.codes();
        let permuted = |number| -> Vec<u32> {
            permutations.order(number).into_iter().map(|from| codes[from as usize]).collect()
        };
        parallel::map(numbers, permuted)
    }

    fn permuted(&self, pair: &PairCells, targets: &Self::Targets) -> Vec<f64> {
        let classes = self.classes.len();
        let mut counts = vec![0; (pair.levels.0 * pair.levels.1 + 1) * classes];
        let one = |codes: &Vec<u32>| {
            counts.fill(0);
            count(&pair.starts, codes, &mut counts);
            gain(&counts, pair.levels, classes, &self.terms).strength
        };
        targets.iter().map(one).collect()
    }
}

fn count(starts: &[u32], codes: &[u32], counts: &mut [u32]) {
    for (start, code) in starts.iter().zip(codes) {
        counts[(start + code) as usize] += 1;
    }
}

/// The gain from the counts of a table: one count per level of the first feature, level of the second feature and
/// class. Counts after these are ignored.
fn gain(counts: &[u32], levels: (usize, usize), classes: usize, terms: &[f64]) -> Measured {
    let all = &counts[..levels.0 * levels.1 * classes];
    let mut margins = TableMargins::default();
    margins.count(all, levels, classes);
    let rows = margins.rows() as usize;
    // A feature with one level does not interact: the gain is exactly 0, without rounding errors.
    if used(&margins.first) < 2 || used(&margins.second) < 2 || used(&margins.class) < 2 {
        return Measured { strength: 0.0, uncorrected: 0.0, rows };
    }
    // H(AB) + H(AC) + H(BC) - H(ABC) - H(A) - H(B) - H(C), where the entropy of counts n_i that add up to N is
    // log2(N) - sum(n_i log2(n_i)) / N.
    let sum = |counts: &[u32]| counts.iter().map(|&count| terms[count as usize]).sum::<f64>();
    let pluses = [&margins.cell, &margins.first_class, &margins.second_class];
    let minuses = [&margins.first, &margins.second, &margins.class];
    let sums = sum(all) + minuses.iter().map(|counts| sum(counts)).sum::<f64>()
        - pluses.iter().map(|counts| sum(counts)).sum::<f64>();
    let uncorrected = sums / rows as f64 - (rows as f64).log2();
    // The correction increases every entropy of m nonzero counts by (m - 1) / (2 N ln 2).
    let occupied = pluses.iter().map(|counts| used(counts) as f64).sum::<f64>()
        - used(all) as f64
        - minuses.iter().map(|counts| used(counts) as f64).sum::<f64>()
        + 1.0;
    let correction = occupied / (2.0 * rows as f64 * std::f64::consts::LN_2);
    Measured { strength: uncorrected + correction, uncorrected, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gain of a table: per level of the first and of the second feature, the number of rows of every class.
    fn measured<const B: usize, const C: usize>(table: &[[[u32; C]; B]]) -> Measured {
        let counts = table.as_flattened().as_flattened();
        let rows = counts.iter().sum::<u32>();
        let term = |count: u32| match count {
            0 => 0.0,
            count => f64::from(count) * f64::from(count).log2(),
        };
        let terms: Vec<f64> = (0..=rows).map(term).collect();
        gain(counts, (table.len(), B), C, &terms)
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12, "{found} and not {wanted}");
    }

    #[test]
    fn exclusive_or_is_one_bit() {
        let found = measured(&[[[2, 0], [0, 2]], [[0, 2], [2, 0]]]);
        near(found.uncorrected, 1.0);
        // Occupied cells: 4 + 4 + 4 - 4 - 2 - 2 - 2 + 1 = 3, with 8 rows.
        near(found.strength, 1.0 + 3.0 / (16.0 * 2f64.ln()));
        assert_eq!(found.rows, 8);
    }

    #[test]
    fn known_answers() {
        // The class is the conjunction of both bits: H(AB) = 2, H(C) = H(1/4), H(AC) = H(BC) = 3/2, H(ABC) = 2.
        let quarter = 2.0 - 0.75 * 3f64.log2();
        let found = measured(&[[[1, 0], [1, 0]], [[1, 0], [0, 1]]]);
        near(found.uncorrected, 2.0 + 1.5 + 1.5 - 2.0 - 1.0 - 1.0 - quarter);
        // Occupied cells: 4 + 3 + 3 - 4 - 2 - 2 - 2 + 1 = 1, with 4 rows.
        near(found.strength - found.uncorrected, 1.0 / (8.0 * 2f64.ln()));
        // Both bits equal the class: each contains the complete information, so that the gain is minus one bit.
        // Occupied cells: 2 + 2 + 2 - 2 - 2 - 2 - 2 + 1 = -1.
        let found = measured(&[[[3, 0], [0, 0]], [[0, 0], [0, 3]]]);
        near(found.uncorrected, -1.0);
        near(found.strength, -1.0 - 1.0 / (12.0 * 2f64.ln()));
        // All three are independent: 0 before the correction. All cells are occupied: -(2-1)(2-1)(2-1), with 16 rows.
        let found = measured(&[[[2, 2], [2, 2]], [[2, 2], [2, 2]]]);
        near(found.uncorrected, 0.0);
        near(found.strength, -1.0 / (32.0 * 2f64.ln()));
        // A class is absent from a cell. Entropies by first and second, first and class, second and class, and so on.
        let found = measured(&[[[1, 1], [1, 0]], [[2, 1], [1, 1]]]);
        let entropy = |counts: &[f64]| -> f64 {
            let all: f64 = counts.iter().sum();
            -counts.iter().map(|count| count / all * (count / all).log2()).sum::<f64>()
        };
        let wanted = entropy(&[2.0, 1.0, 3.0, 2.0])
            + entropy(&[2.0, 1.0, 3.0, 2.0])
            + entropy(&[3.0, 2.0, 2.0, 1.0])
            - entropy(&[1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0])
            - entropy(&[3.0, 5.0])
            - entropy(&[5.0, 3.0])
            - entropy(&[5.0, 3.0]);
        near(found.uncorrected, wanted);
        // Occupied cells: 4 + 4 + 4 - 7 - 6 + 1 = 0.
        near(found.strength, wanted);
    }

    #[test]
    fn what_does_not_vary_has_no_part() {
        let zero = |rows| Measured { strength: 0.0, uncorrected: 0.0, rows };
        assert_eq!(measured(&[[[3, 1], [1, 2]]]), zero(7));
        assert_eq!(measured(&[[[3, 1], [0, 0]], [[1, 2], [0, 0]]]), zero(7));
        assert_eq!(measured(&[[[3], [1]], [[1], [2]]]), zero(7));
        assert_eq!(measured(&[[[0, 0], [0, 0]], [[0, 0], [0, 0]]]), zero(0));
        // Two rows, (0, 0) of one class and (1, 1) of the other: each feature is a copy of the class.
        near(measured(&[[[1, 0], [0, 0]], [[0, 0], [0, 1]]]).uncorrected, -1.0);
    }
}
