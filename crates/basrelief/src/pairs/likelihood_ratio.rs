//! The likelihood ratio of two features and a class: the complete three-way table against the model of its three
//! two-way margins.

use super::class_planes::PairCounts;
use super::table_margins::{TableMargins, used};

/// The fit stops when all expected counts together change by at most this much in an iteration, as in BOOST and
/// PLINK.
const ENOUGH: f64 = 1e-3;

/// A statistic may exceed its bound by less than this, because the fit stops before the maximum likelihood and sums
/// are rounded.
const SLACK: f64 = 1e-2;

/// Properties of a table that do not need a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TableFacts {
    /// The number of rows in which both features are known.
    pub(super) rows: usize,
    /// The degrees of freedom, at least one.
    pub(super) degrees: usize,
    /// The interaction information, in bits.
    pub(super) information: f64,
    /// An upper bound of the statistic.
    pub(super) bound: f64,
}

/// Tests three-way tables, for one worker.
pub(super) struct LikelihoodRatio<'t> {
    /// `count ln(count)` of every count up to the number of rows.
    terms: &'t [f64],
    margins: TableMargins,
    fitted: Vec<f64>,
    before: Vec<f64>,
    sums: Vec<f64>,
}

/// `count ln(count)` of every count up to a number of rows.
pub(super) fn logarithms(rows: usize) -> Vec<f64> {
    let term = |count: usize| if count == 0 { 0.0 } else { count as f64 * (count as f64).ln() };
    (0..=rows).map(term).collect()
}

impl<'t> LikelihoodRatio<'t> {
    pub(super) fn new(terms: &'t [f64]) -> Self {
        let (margins, fitted) = (TableMargins::default(), Vec::new());
        Self { terms, margins, fitted, before: Vec::new(), sums: Vec::new() }
    }

    /// The properties of a table; `None` if it has no degrees of freedom.
    ///
    /// Kirkwood's approximation multiplies the three two-way margins and divides by the one-way margins. Scaled to
    /// the number of rows, it is a model without the three-way interaction. No such model has a larger likelihood
    /// than the fitted one, so the statistic with the approximation in place of the fit is an upper bound (Wan et al.
    /// 2010).
    pub(super) fn facts(&mut self, table: &PairCounts) -> Option<TableFacts> {
        let PairCounts { levels, classes, cells } = table;
        self.margins.count(cells, *levels, *classes);
        let margins = &self.margins;
        let degrees = [&margins.first, &margins.second, &margins.class]
            .map(|counts| used(counts).saturating_sub(1))
            .iter()
            .product();
        if degrees == 0 {
            return None;
        }
        let rows = margins.rows();
        let sum =
            |counts: &[u32]| counts.iter().map(|&count| self.terms[count as usize]).sum::<f64>();
        let information =
            sum(cells) + sum(&margins.first) + sum(&margins.second) + sum(&margins.class)
                - sum(&margins.cell)
                - sum(&margins.first_class)
                - sum(&margins.second_class)
                - self.terms[rows as usize];
        let bound = 2.0 * (information + f64::from(rows) * kirkwood_total(margins).ln()) + SLACK;
        let information = information / f64::from(rows) / std::f64::consts::LN_2;
        Some(TableFacts { rows: rows as usize, degrees, information, bound })
    }

    /// The statistic of the table last passed to [`facts`](Self::facts), by iterative proportional fitting.
    pub(super) fn statistic(&mut self, table: &PairCounts) -> f64 {
        let PairCounts { levels: (_, seconds), classes, cells } = table;
        let (seconds, classes) = (*seconds, *classes);
        let Self { margins, fitted, before, sums, .. } = self;
        fitted.clear();
        fitted.resize(cells.len(), 1.0);
        loop {
            before.clone_from(fitted);
            let line = seconds * classes;
            scale(fitted, &margins.cell, sums, |place| place / classes);
            scale(fitted, &margins.first_class, sums, |place| {
                place / line * classes + place % classes
            });
            scale(fitted, &margins.second_class, sums, |place| place % line);
            let change: f64 =
                fitted.iter().zip(&*before).map(|(one, other)| (one - *other).abs()).sum();
            if change <= ENOUGH {
                break;
            }
        }
        let rows = f64::from(margins.rows());
        let total: f64 = fitted.iter().sum::<f64>() / rows;
        let terms = cells.iter().zip(fitted).filter(|(count, _)| **count > 0);
        let divergence: f64 = terms
            .map(|(&count, fitted)| f64::from(count) / rows * (f64::from(count) / *fitted).ln())
            .sum();
        // Rounding may make 0 slightly negative.
        (2.0 * rows * (divergence + total.ln())).max(0.0)
    }
}

/// The sum of Kirkwood's approximation, in fractions of the rows.
fn kirkwood_total(margins: &TableMargins) -> f64 {
    let classes = margins.class.len();
    let seconds = margins.second.len();
    let mut total = 0.0;
    for (first, &of_first) in margins.first.iter().enumerate() {
        let first_class = &margins.first_class[first * classes..][..classes];
        for (second, &of_second) in margins.second.iter().enumerate() {
            let together = margins.cell[first * seconds + second];
            if together == 0 {
                continue;
            }
            let second_class = &margins.second_class[second * classes..][..classes];
            let by_class = first_class.iter().zip(second_class).zip(&margins.class);
            let sum: f64 = by_class
                .filter(|(_, class)| **class > 0)
                .map(|((&one, &other), &class)| {
                    f64::from(one) * f64::from(other) / f64::from(class)
                })
                .sum();
            total += f64::from(together) / (f64::from(of_first) * f64::from(of_second)) * sum;
        }
    }
    total
}

/// Scales expected counts so that their sums become `wanted`; `of` gives the sum to which a cell belongs.
fn scale(fitted: &mut [f64], wanted: &[u32], sums: &mut Vec<f64>, of: impl Fn(usize) -> usize) {
    sums.clear();
    sums.resize(wanted.len(), 0.0);
    for (place, value) in fitted.iter().enumerate() {
        sums[of(place)] += value;
    }
    for (sum, &wanted) in sums.iter_mut().zip(wanted) {
        *sum = if *sum == 0.0 { 0.0 } else { f64::from(wanted) / *sum };
    }
    for (place, value) in fitted.iter_mut().enumerate() {
        *value *= sums[of(place)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts<const B: usize, const C: usize>(table: &[[[u32; C]; B]]) -> PairCounts {
        let cells = table.as_flattened().as_flattened().to_vec();
        PairCounts { levels: (table.len(), B), classes: C, cells }
    }

    fn tested(table: &PairCounts) -> Option<(TableFacts, f64)> {
        let terms = logarithms(table.cells.iter().sum::<u32>() as usize);
        let mut test = LikelihoodRatio::new(&terms);
        let facts = test.facts(table)?;
        Some((facts, test.statistic(table)))
    }

    #[test]
    fn a_table_by_hand() {
        // All levels and classes are equally frequent and pairwise independent, so that every expected count is
        // 16 / 8 = 2: 2 (4 * 3 ln(3/2) + 4 * 1 ln(1/2)).
        let (facts, statistic) = tested(&counts(&[[[3, 1], [1, 3]], [[1, 3], [3, 1]]])).unwrap();
        let wanted = 2.0 * (12.0 * 1.5_f64.ln() - 4.0 * 2_f64.ln());
        assert!((statistic - wanted).abs() < 1e-12, "{statistic} and not {wanted}");
        assert_eq!((facts.rows, facts.degrees), (16, 1));
        // Kirkwood's approximation equals the fit here.
        assert!((facts.bound - SLACK - wanted).abs() < 1e-12);
        // In bits and per row: the statistic over 2 N ln 2.
        assert!((facts.information - wanted / (32.0 * 2_f64.ln())).abs() < 1e-14);
    }

    #[test]
    fn degrees_of_freedom_are_those_of_levels_that_are_there() {
        let full = [[[2, 3], [4, 5], [6, 7]], [[8, 9], [1, 2], [3, 4]], [[5, 6], [7, 8], [9, 1]]];
        let degrees = |table: &PairCounts| tested(table).map(|(facts, _)| facts.degrees);
        assert_eq!(degrees(&counts(&full)), Some(4));
        let mut one = full;
        one[1] = [[0; 2]; 3];
        assert_eq!(degrees(&counts(&one)), Some(2));
        one.iter_mut().for_each(|row| row[2] = [0; 2]);
        assert_eq!(degrees(&counts(&one)), Some(1));
        // A single empty cell does not reduce the degrees of freedom.
        let mut cell = full;
        cell[1][1] = [0; 2];
        assert_eq!(degrees(&counts(&cell)), Some(4));
        one[0] = [[0; 2]; 3];
        assert_eq!(degrees(&counts(&one)), None);
        let one_class = full.map(|row| row.map(|cell| [cell[0], 0]));
        assert_eq!(degrees(&counts(&one_class)), None);
        assert_eq!(degrees(&counts(&[[[0, 0], [0, 0]], [[0, 0], [0, 0]]])), None);
        let three = [[[1, 2, 3], [3, 2, 1]], [[2, 2, 2], [1, 1, 4]]];
        assert_eq!(degrees(&counts(&three)), Some(2));
    }
}
