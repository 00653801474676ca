//! Quantile residuals of two classes: numbers whose distribution does not depend on the covariates.
//!
//! The randomized quantile residual of a row is uniform in [0, 1 - p] for the first class and in [1 - p, 1] for the second,
//! where p is the probability of the second class given the covariates. If the model is correct, it is uniform in [0, 1]
//! for all values of the covariates (Dunn & Smyth 1996, Journal of Computational and Graphical Statistics 5, 236-244).
//! A draw of it depends on a seed. Weights of numeric targets need only the differences between residuals, so that their
//! expected values take the place of those of a draw: [`expected_difference`].

use super::{Classes, TargetDifferences};

/// Two classes and their probabilities, given covariates, whose quantile residuals are a target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AdjustedClasses {
    classes: Classes,
    /// The probability of the second class of every row.
    probabilities: Vec<f64>,
}

impl AdjustedClasses {
    /// Two classes, and the probability of the second for every row.
    pub(crate) fn new(classes: Classes, probabilities: Vec<f64>) -> Self {
        Self { classes, probabilities }
    }

    /// The classes.
    pub(crate) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The mean of the quantile residual of every row, if the rows have these class codes. Values below 1/2 belong to the
    /// first class, and those above to the second.
    pub(crate) fn means(&self, codes: &[u32]) -> Vec<f64> {
        let mean = |(&code, &p): (&u32, &f64)| {
            if code == 0 { (1.0 - p) / 2.0 } else { 1.0 - p / 2.0 }
        };
        codes.iter().zip(&self.probabilities).map(mean).collect()
    }

    /// Selects rows, in the order of the list.
    ///
    /// # Panics
    /// A row out of range.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        let codes: Vec<u32> = rows.iter().map(|&row| self.classes.codes()[row]).collect();
        let probabilities = rows.iter().map(|&row| self.probabilities[row]).collect();
        Self { classes: self.classes.with_order(codes), probabilities }
    }
}

/// The expected absolute difference of the quantile residuals of two rows, from their means: that of two independent
/// uniform numbers, each in the interval from 0 to twice the mean, or from twice the mean less 1 to 1.
/// The expected differences of two rows' randomized residuals, from their means.
pub(crate) struct ExpectedDifferences<'m> {
    /// The mean of every row's residual.
    pub(crate) means: &'m [f64],
}

impl TargetDifferences for ExpectedDifferences<'_> {
    fn of(&self, row: u32, other: u32) -> f64 {
        expected_difference(self.means[row as usize], self.means[other as usize])
    }
}

fn expected_difference(mean: f64, other: f64) -> f64 {
    match (mean <= 0.5, other <= 0.5) {
        (true, true) => from_zero(2.0 * mean, 2.0 * other),
        // The same, seen from 1.
        (false, false) => from_zero(2.0 - 2.0 * mean, 2.0 - 2.0 * other),
        (true, false) => from_both_ends(mean, other),
        (false, true) => from_both_ends(other, mean),
    }
}

/// For uniform numbers in [0, a] and [0, b].
fn from_zero(a: f64, b: f64) -> f64 {
    let (less, more) = (a.min(b), a.max(b));
    if more == 0.0 {
        return 0.0;
    }
    (more - less) / 2.0 + less * less / (3.0 * more)
}

/// For uniform numbers in [0, 2 low] and [2 high - 1, 1]: the difference of the means, and twice the expected excess of the first
/// where the intervals overlap.
fn from_both_ends(low: f64, high: f64) -> f64 {
    let (end, start) = (2.0 * low, 2.0 * high - 1.0);
    let overlap = end - start;
    if overlap <= 0.0 {
        return high - low;
    }
    high - low + overlap.powi(3) / (3.0 * end * (1.0 - start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over a grid of both intervals.
    fn by_grid((a, b): (f64, f64), (c, d): (f64, f64)) -> f64 {
        const STEPS: u32 = 400;
        let point = |from: f64, to: f64, step: u32| {
            from + (to - from) * (f64::from(step) + 0.5) / f64::from(STEPS)
        };
        let mut sum = 0.0;
        for one in 0..STEPS {
            for other in 0..STEPS {
                sum += (point(a, b, one) - point(c, d, other)).abs();
            }
        }
        sum / f64::from(STEPS * STEPS)
    }

    #[test]
    fn differences_are_those_of_uniform_numbers() {
        let probabilities = [0.05, 0.3, 0.5, 0.8, 0.999];
        for p in probabilities {
            for r in probabilities {
                let of_row =
                    |p: f64| [((1.0 - p) / 2.0, (0.0, 1.0 - p)), (1.0 - p / 2.0, (1.0 - p, 1.0))];
                for (mean, interval) in of_row(p) {
                    for (other, other_interval) in of_row(r) {
                        let found = expected_difference(mean, other);
                        let wanted = by_grid(interval, other_interval);
                        assert!((found - wanted).abs() < 1e-4, "{p} {r}: {found} {wanted}");
                        assert_eq!(found, expected_difference(other, mean));
                    }
                }
                // Whatever the probabilities are, two uniform numbers in [0, 1] differ by 1/3.
                let [one, other] = [of_row(p), of_row(r)].map(|own| own.map(|(mean, _)| mean));
                let all: f64 = [(1.0 - p, one[0]), (p, one[1])]
                    .iter()
                    .flat_map(|(share, mean)| {
                        [(1.0 - r, other[0]), (r, other[1])]
                            .map(|(own, value)| share * own * expected_difference(*mean, value))
                    })
                    .sum();
                assert!((all - 1.0 / 3.0).abs() < 1e-12, "{p} {r}: {all}");
            }
        }
        assert_eq!(expected_difference(0.0, 0.0), 0.0);
        assert_eq!(expected_difference(0.0, 1.0), 1.0);
        assert!((expected_difference(0.5, 0.5) - 1.0 / 3.0).abs() < 1e-15);
    }
}
