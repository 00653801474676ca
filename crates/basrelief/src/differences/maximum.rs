//! The Chebyshev distance: the largest difference of all features.

use super::fold::{Fold, SumOf};

/// The largest of the differences.
#[derive(Debug)]
pub(crate) struct Maximum;

impl Fold for Maximum {
    fn term(&self, difference: f64) -> f64 {
        difference
    }

    fn joined(&self, total: f64, other: f64) -> f64 {
        total.max(other)
    }

    fn distance(&self, total: f64) -> f64 {
        total
    }

    fn sum(&self) -> Option<SumOf> {
        None
    }
}
