//! How the differences of the features are combined into a distance.

use std::fmt;

/// Combines the differences of two rows in all features into their distance, which increases with
/// each of them.
pub(crate) trait Fold: fmt::Debug + Sync {
    /// Returns the term of a difference.
    fn term(&self, difference: f64) -> f64;

    /// Combines two totals.
    fn joined(&self, total: f64, other: f64) -> f64;

    /// The distance for a total.
    fn distance(&self, total: f64) -> f64;

    /// Returns the terms if the total is a sum. In that case kernels add up the features, missing
    /// values are corrected afterwards, and feature weights can be included in the sum.
    fn sum(&self) -> Option<SumOf>;
}

/// The terms of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumOf {
    /// The differences.
    Differences,
    /// Their squares.
    Squares,
}

/// The sum of the differences.
#[derive(Debug)]
pub(crate) struct Sum;

impl Fold for Sum {
    fn term(&self, difference: f64) -> f64 {
        difference
    }

    fn joined(&self, total: f64, other: f64) -> f64 {
        total + other
    }

    fn distance(&self, total: f64) -> f64 {
        total
    }

    fn sum(&self) -> Option<SumOf> {
        Some(SumOf::Differences)
    }
}

/// The square root of the sum of the squared differences.
#[derive(Debug)]
pub(crate) struct RootOfSquares;

impl Fold for RootOfSquares {
    fn term(&self, difference: f64) -> f64 {
        difference * difference
    }

    fn joined(&self, total: f64, other: f64) -> f64 {
        total + other
    }

    fn distance(&self, total: f64) -> f64 {
        total.sqrt()
    }

    fn sum(&self) -> Option<SumOf> {
        Some(SumOf::Squares)
    }
}
