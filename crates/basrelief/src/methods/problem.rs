//! Features and target together.

use std::collections::HashSet;

use crate::data::{Classes, Column, Covariates, Table, Target};
use crate::error::{DataError, Error, Result};
use crate::wording::{either, method, setting};

/// What a method is fitted to: features and target of the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    table: &'a Table<'a>,
    target: &'a Target,
    target_name: Option<&'a str>,
    strata: Option<&'a Classes>,
    covariates: Option<&'a Covariates<'a>>,
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
        Ok(Self { table, target, target_name: None, strata: None, covariates: None })
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

    /// Says what is known of the rows beside the features.
    ///
    /// # Errors
    /// Another number of rows; where the covariates count in distances, one that is called as a feature is.
    pub fn with_covariates(mut self, covariates: Option<&'a Covariates<'a>>) -> Result<Self> {
        if let Some(covariates) = covariates {
            let (rows, own) = (covariates.table().rows(), self.rows());
            if rows != own {
                let help = "give one value of every covariate per row";
                return Err(Error::data(format!("{own} rows but {rows} of covariates"), help));
            }
            if covariates.are_in_distance() {
                let taken: HashSet<&str> = self.table.columns().iter().map(Column::name).collect();
                let mut names = covariates.table().columns().iter().map(Column::name);
                if let Some(name) = names.find(|name| taken.contains(name)) {
                    let error =
                        DataError::new("a feature and a covariate have one name", "rename one");
                    return Err(error.in_column(name).into());
                }
            }
        }
        self.covariates = covariates;
        Ok(self)
    }

    /// What is known of the rows beside the features.
    pub fn covariates(&self) -> Option<&'a Covariates<'a>> {
        self.covariates
    }

    /// Refuses covariates where a method, or what is done with it, has no use for them.
    ///
    /// # Errors
    /// There are some.
    pub(crate) fn refuse_covariates(&self, name: &str) -> Result<()> {
        match self.covariates.filter(|own| own.choose_neighbors()) {
            None => Ok(()),
            Some(covariates) => Err(Error::option(
                if covariates.caliper().is_some() { "caliper" } else { "covar_distance" },
                format!("{name} does not look at covariates when it seeks neighbors"),
                format!(
                    "use {}, {}, {} or {}, or rank the residuals of the target ({})",
                    method("relieff"),
                    method("rrelieff"),
                    method("surf"),
                    method("multisurf"),
                    either(
                        setting("residuals", None),
                        "basrelief.residuals(y, covariates)",
                        "`residuals`"
                    ),
                ),
            )),
        }
    }

    /// The same with other features of the same rows.
    ///
    /// # Errors
    /// As of [`Problem::new`].
    pub(crate) fn of_columns<'b>(self, table: &'b Table<'b>) -> Result<Problem<'b>>
    where
        'a: 'b,
    {
        let problem = Problem::new(table, self.target)?;
        let Self { target_name, strata, covariates, .. } = self;
        Ok(Problem { target_name, strata, covariates, ..problem })
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
