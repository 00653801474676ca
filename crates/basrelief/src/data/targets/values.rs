//! The functions of a kind of target.

use std::borrow::Cow;

use super::super::Column;
use crate::error::Result;

/// The values of a kind of target, one per row.
pub(crate) trait TargetValues {
    /// The number of rows.
    fn rows(&self) -> usize;

    /// Selects rows, in the order of the list.
    ///
    /// # Errors
    /// None for rows of this target.
    fn select_rows(&self, rows: &[usize]) -> Result<Self>
    where
        Self: Sized;

    /// The values, where every row has the value of the row at its place in `order`. All values that occur here
    /// occur in the result.
    fn reordered(&self, order: &[u32]) -> Self
    where
        Self: Sized;

    /// Whether two rows have the same value.
    fn is_same(&self, row: usize, other: usize) -> bool;

    /// A code per row. Rows with the same value have the same code; codes are smaller than the number of rows.
    fn value_codes(&self) -> Cow<'_, [u32]>;

    /// A description of the target for messages: `has classes`, for example.
    fn phrase(&self) -> &'static str;

    /// The columns of a table that holds the values. The first has this name.
    ///
    /// # Errors
    /// None for values of a target.
    fn columns(&self, name: &str) -> Result<Vec<Column<'static>>>;

    /// The fingerprint of all values.
    fn fingerprint(&self) -> u64;

    /// Numbers that represent the values in a regression on covariates and in the mean over neighbors; `None` for classes and
    /// several targets.
    fn regression_values(&self) -> Option<Cow<'_, [f64]>>;

    /// Whether the value of a row is known.
    fn is_labeled(&self, _: usize) -> bool {
        true
    }

    /// How much the values of two rows differ.
    ///
    /// # Errors
    /// All values are the same, or their differences overflow.
    fn differences(&self) -> Result<Box<dyn TargetDifferences + '_>>;
}

/// How much the target of two rows differs.
pub(crate) trait TargetDifferences: Send + Sync {
    /// The difference of two rows, in [0, 1], symmetric; not a number if it is unknown.
    fn of(&self, row: u32, other: u32) -> f64;
}
