//! Means with their deviations and standard errors.

/// The mean; 0 for no values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The sample standard deviation; 0 for fewer than two values.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    /// The mean.
    pub(crate) value: f64,
    /// Its standard error.
    pub(crate) error: f64,
}

impl Estimate {
    /// The mean of independent draws, with the error `s / sqrt(n)`, where `s` is the sample standard deviation.
    ///
    /// # Panics
    /// There are fewer than two draws.
    pub(crate) fn of_draws(draws: &[f64]) -> Self {
        assert!(draws.len() > 1, "a standard error needs at least two draws");
        let count = draws.len() as f64;
        let value = draws.iter().sum::<f64>() / count;
        let squares = draws.iter().map(|draw| (draw - value).powi(2)).sum::<f64>();
        Self { value, error: (squares / (count - 1.0) / count).sqrt() }
    }

    /// The mean of independent estimates of different quantities, with the squares of the errors added up.
    ///
    /// # Panics
    /// The list is empty.
    pub(crate) fn mean(estimates: &[Estimate]) -> Self {
        assert!(!estimates.is_empty(), "the mean of nothing");
        let count = estimates.len() as f64;
        let value = estimates.iter().map(|estimate| estimate.value).sum::<f64>() / count;
        let squares = estimates.iter().map(|estimate| estimate.error.powi(2)).sum::<f64>();
        Self { value, error: squares.sqrt() / count }
    }

    /// The difference of this and an independent estimate.
    pub(crate) fn less(self, other: Self) -> Self {
        Self { value: self.value - other.value, error: self.error.hypot(other.error) }
    }

    /// The absolute value of the mean.
    pub(crate) fn size(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }

    /// Whether the mean differs from 0 significantly: by more than 3 standard errors, so that a few dozen comparisons
    /// are unlikely to have a false positive.
    pub(crate) fn is_more_than_chance(self) -> bool {
        self.value.abs() > 3.0 * self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_errors_by_hand() {
        // Squared deviations from the mean 2: 1 + 0 + 1, variance 1, error 1/sqrt(3).
        let first = Estimate::of_draws(&[1.0, 2.0, 3.0]);
        assert_eq!(first.value, 2.0);
        assert!((first.error - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
        let second = Estimate { value: 4.0, error: 1.0 };
        let both = Estimate::mean(&[first, second]);
        assert_eq!(both.value, 3.0);
        assert!((both.error - (4.0f64 / 3.0).sqrt() / 2.0).abs() < 1e-15);
        let less = first.less(second);
        assert_eq!(less.value, -2.0);
        assert!((less.error - (4.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(less.size().value, 2.0);
        assert!(!less.is_more_than_chance());
        assert!(Estimate { value: -2.0, error: 0.5 }.is_more_than_chance());
        assert!(!Estimate { value: 0.0, error: 0.0 }.is_more_than_chance());
    }
}
