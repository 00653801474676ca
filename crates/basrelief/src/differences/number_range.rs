//! The range of a column of numbers.

use std::num::NonZeroU64;

/// The range of the known values of a numeric column, and their grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NumberRange {
    /// Minimum of the known values.
    pub(crate) least: f64,
    /// Maximum minus minimum; above 0.
    pub(crate) range: f64,
    /// Number of steps of the grid that all values lie on, if any.
    pub(crate) steps: Option<NonZeroU64>,
}
