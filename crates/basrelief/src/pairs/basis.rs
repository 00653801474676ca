//! Columns of linear models: standardized, and orthonormal.

use crate::algebra::dot;

/// A column depends on the previous ones if less than this fraction of its square remains after their projection is
/// removed.
pub(super) const DEPENDENT: f64 = 1e-10;

/// Standardizes the known values to mean 0 and variance 1, or sets all to 0 if they do not vary.
pub(super) fn standardize(values: &mut [f64]) {
    Scale::new(values).apply(values);
}

/// The scale of some values, on which they have mean 0 and variance 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    largest: f64,
    mean: f64,
    factor: f64,
}

impl Scale {
    /// The scale of the known values; everything is 0 on it if they do not vary.
    pub(super) fn new(values: &[f64]) -> Self {
        let mut known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
        // First scaled to at most 1, so that no square overflows.
        let largest = known.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let largest = if largest > 0.0 { largest } else { 1.0 };
        known.iter_mut().for_each(|value| *value /= largest);
        let (mean, deviation) = mean_and_deviation(&known);
        // Rounding errors of equal values do not count as variation.
        let factor = if deviation > 1e-14 { 1.0 / deviation } else { 0.0 };
        Self { largest, mean, factor }
    }

    /// Converts values to this scale.
    pub(super) fn apply(self, values: &mut [f64]) {
        let Self { largest, mean, factor } = self;
        values.iter_mut().for_each(|value| *value = (*value / largest - mean) * factor);
    }
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / count).sqrt())
}

/// Orthonormal columns.
#[derive(Default)]
pub(super) struct Basis {
    pub(super) columns: Vec<Vec<f64>>,
}

impl Basis {
    /// Adds the component of a column that is orthogonal to the previous columns, unless it is 0.
    pub(super) fn add(&mut self, column: Vec<f64>) {
        if let Some(mut column) = self.residual(column) {
            let length = dot(&column, &column).sqrt();
            column.iter_mut().for_each(|value| *value /= length);
            self.columns.push(column);
        }
    }

    /// The component of a column that is orthogonal to the previous columns, unless it is 0. Uses Gram-Schmidt twice, to
    /// limit rounding errors (Giraud, Langou & Rozložník 2005).
    pub(super) fn residual(&self, mut column: Vec<f64>) -> Option<Vec<f64>> {
        let whole = dot(&column, &column);
        for _ in 0..2 {
            for other in &self.columns {
                let share = dot(&column, other);
                column.iter_mut().zip(other).for_each(|(value, other)| *value -= share * other);
            }
        }
        (dot(&column, &column) > DEPENDENT * whole).then_some(column)
    }
}
