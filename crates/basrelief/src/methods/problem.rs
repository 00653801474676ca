//! Features and target together.

use crate::data::{Table, Target};
use crate::error::{Error, Result};

/// What a method is fitted to: features and target of the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    table: &'a Table<'a>,
    target: &'a Target,
}

impl<'a> Problem<'a> {
    /// Joins features and target.
    ///
    /// # Errors
    /// Different numbers of rows, no row, or no column.
    pub fn new(table: &'a Table<'a>, target: &'a Target) -> Result<Self> {
        if table.width() == 0 {
            return Err(Error::data("the table has no feature", "give at least one column"));
        }
        if table.rows() != target.rows() {
            return Err(Error::data(
                format!("{} rows of features but {} of target", table.rows(), target.rows()),
                "give one target value per row",
            ));
        }
        if table.rows() == 0 {
            return Err(Error::data("the table has no rows", "give at least two rows"));
        }
        Ok(Self { table, target })
    }

    /// The features.
    pub fn table(&self) -> &'a Table<'a> {
        self.table
    }

    /// The target.
    pub fn target(&self) -> &'a Target {
        self.target
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }
}
