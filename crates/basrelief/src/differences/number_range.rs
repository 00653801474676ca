//! The range of a column of numbers.

/// Where the numbers of a column lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NumberRange {
    /// Least known value.
    pub(crate) least: f64,
    /// Greatest less least; above 0.
    pub(crate) range: f64,
    /// Steps of the grid that all values lie on, if they do.
    pub(crate) steps: Option<u64>,
}
