//! Features and target together.

use crate::data::{Classes, Table, Target};
use crate::error::{Error, Result};

/// What a method is fitted to: features and target of the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    table: &'a Table<'a>,
    target: &'a Target,
    target_name: Option<&'a str>,
    strata: Option<&'a Classes>,
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
        Ok(Self { table, target, target_name: None, strata: None })
    }

    /// Says what the target's column is called, for messages.
    #[must_use]
    pub fn with_target_name(mut self, name: &'a str) -> Self {
        self.target_name = Some(name);
        self
    }

    /// Says which groups of rows, a group per row, the target may be permuted inside of.
    #[must_use]
    pub fn with_strata(mut self, strata: Option<&'a Classes>) -> Self {
        self.strata = strata;
        self
    }

    /// The groups inside of which the target may be permuted; `None`: among all rows.
    pub fn strata(&self) -> Option<&'a Classes> {
        self.strata
    }

    /// The same with other features of the same rows.
    ///
    /// # Errors
    /// As of [`Problem::new`].
    pub(crate) fn of_columns<'b>(&self, table: &'b Table<'b>) -> Result<Problem<'b>>
    where
        'a: 'b,
    {
        let problem = Problem::new(table, self.target)?;
        Ok(Problem { target_name: self.target_name, strata: self.strata, ..problem })
    }

    /// Adds the target's name to an error of the data that names no column: such an error is
    /// about the target.
    pub(crate) fn locate(&self, error: Error) -> Error {
        match (error, self.target_name) {
            (Error::Data(data), Some(name)) if data.column.is_none() => {
                Error::Data(Box::new(data.in_column(name)))
            }
            (error, _) => error,
        }
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
