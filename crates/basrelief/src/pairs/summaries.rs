//! Summaries of lists of numbers.

/// A summary of a numeric target in some rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetSummary {
    /// The number of rows.
    pub rows: usize,
    /// The target's mean; `None` without rows.
    pub mean: Option<f64>,
    /// The target's standard deviation (with `rows - 1`); `None` for fewer than two rows.
    pub standard_deviation: Option<f64>,
}

/// The numbers that a box plot shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxSummary {
    /// The number of values, at least one.
    pub rows: usize,
    /// The smallest number that is at most 1.5 interquartile ranges below the lower quartile (Tukey 1977).
    pub lower_whisker: f64,
    /// The lower quartile; quartiles are interpolated linearly between the two nearest numbers (as in NumPy).
    pub lower_quartile: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub upper_quartile: f64,
    /// The largest number that is at most 1.5 interquartile ranges above the upper quartile.
    pub upper_whisker: f64,
    /// The number of values beyond the whiskers.
    pub outliers: usize,
    /// The mean.
    pub mean: f64,
}

impl TargetSummary {
    /// Summarizes the target's values in some rows.
    pub(super) fn new(values: &[f64]) -> Self {
        Self {
            rows: values.len(),
            mean: (!values.is_empty()).then(|| mean(values)),
            standard_deviation: (values.len() > 1).then(|| standard_deviation(values)),
        }
    }
}

impl BoxSummary {
    /// Summarizes sorted numbers; returns `None` if there are none.
    pub(super) fn of_sorted(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|share| quantile(values, share));
        // Uses halves, so that the difference does not overflow.
        let reach = 3.0 * (upper / 2.0 - lower / 2.0);
        // These exist, because numbers lie on both sides of every quartile.
        let first = values.iter().position(|&value| value >= lower - reach)?;
        let last = values.iter().rposition(|&value| value <= upper + reach)?;
        Some(Self {
            rows: values.len(),
            lower_whisker: values[first],
            lower_quartile: lower,
            median,
            upper_quartile: upper,
            upper_whisker: values[last],
            outliers: first + values.len() - 1 - last,
            mean: mean(values),
        })
    }
}

/// The mean of some numbers; exact if all are equal.
pub(super) fn mean(values: &[f64]) -> f64 {
    let (count, first) = (values.len() as f64, values[0]);
    let shifted = first + values.iter().map(|value| value - first).sum::<f64>() / count;
    // Differences may overflow.
    if shifted.is_finite() { shifted } else { values.iter().map(|value| value / count).sum() }
}

/// The standard deviation of at least two numbers, with the divisor `n - 1`.
pub(super) fn standard_deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    // In units of the largest difference, so that no square overflows.
    let greatest = values.iter().fold(0.0_f64, |most, value| most.max((value - mean).abs()));
    if greatest == 0.0 {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|value| ((value - mean) / greatest).powi(2)).sum();
    greatest * (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// The quantile of sorted numbers: the number below which this fraction of them lies.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = sorted[place as usize];
    let above = sorted[(place.ceil() as usize).min(sorted.len() - 1)];
    let part = place.fract();
    if below == above { below } else { below * (1.0 - part) + above * part }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_by_hand() {
        // NumPy: quantile([1, 2, 3, 4, 20], [.25, .5, .75]) = 2, 3, 4, so that whiskers can extend from -1 to 7.
        let found = BoxSummary::of_sorted(&[1.0, 2.0, 3.0, 4.0, 20.0]).unwrap();
        let wanted = BoxSummary {
            rows: 5,
            lower_whisker: 1.0,
            lower_quartile: 2.0,
            median: 3.0,
            upper_quartile: 4.0,
            upper_whisker: 4.0,
            outliers: 1,
            mean: 6.0,
        };
        assert_eq!(found, wanted);
        // Interpolated between numbers: 1 + 0.75 * 2 and so on.
        let found = BoxSummary::of_sorted(&[1.0, 3.0, 5.0, 9.0]).unwrap();
        assert_eq!((found.lower_quartile, found.median, found.upper_quartile), (2.5, 4.0, 6.0));
        assert_eq!((found.lower_whisker, found.upper_whisker, found.outliers), (1.0, 9.0, 0));
        // Outliers on both sides: the quartiles are 0 and 1.
        let found = BoxSummary::of_sorted(&[-9.0, 0.0, 0.0, 1.0, 1.0, 9.0]).unwrap();
        assert_eq!((found.lower_whisker, found.upper_whisker, found.outliers), (0.0, 1.0, 2));
        let one = BoxSummary::of_sorted(&[0.1]).unwrap();
        assert_eq!((one.lower_whisker, one.median, one.mean, one.outliers), (0.1, 0.1, 0.1, 0));
        assert_eq!(BoxSummary::of_sorted(&[]), None);
    }

    #[test]
    fn targets_by_hand() {
        let found = TargetSummary::new(&[1.0, 3.0, 5.0]);
        assert_eq!((found.rows, found.mean, found.standard_deviation), (3, Some(3.0), Some(2.0)));
        let found = TargetSummary::new(&[0.1; 3]);
        assert_eq!((found.mean, found.standard_deviation), (Some(0.1), Some(0.0)));
        let found = TargetSummary::new(&[7.0]);
        assert_eq!((found.mean, found.standard_deviation), (Some(7.0), None));
        let found = TargetSummary::new(&[]);
        assert_eq!((found.rows, found.mean, found.standard_deviation), (0, None, None));
        // Squares and sums that would overflow.
        let found = TargetSummary::new(&[-1e308, 1e308]);
        assert_eq!(found.mean, Some(0.0));
        assert!((found.standard_deviation.unwrap() / 2f64.sqrt() / 1e308 - 1.0).abs() < 1e-12);
    }
}
