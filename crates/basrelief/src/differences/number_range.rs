//! The range of a column of numbers.

/// Where the numbers of a column lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NumberRange {
    /// Minimum of the known values.
    pub(crate) least: f64,
    /// Maximum minus minimum; above 0.
    pub(crate) range: f64,
    /// Steps of the grid that all values lie on, if they do.
    pub(crate) steps: Option<u64>,
}
