//! The input of a fit: features, target, covariates and strata.

use std::collections::HashSet;

use crate::data::{Classes, Column, Covariates, Table, Target};
use crate::error::{DataError, Error, Result};
use crate::wording::{either, method, setting};

/// The data that a method is fitted to: the features and the target of the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    table: &'a Table<'a>,
    target: &'a Target,
    target_name: Option<&'a str>,
    strata: Option<&'a Classes>,
    covariates: Option<&'a Covariates<'a>>,
}

impl<'a> Problem<'a> {
    /// Combines features and target.
    ///
    /// # Errors
    /// The numbers of rows differ, or there are no rows or no columns.
    pub fn new(table: &'a Table<'a>, target: &'a Target) -> Result<Self> {
        if table.width() == 0 {
            return Err(Error::data("the table has no features", "provide at least one column"));
        }
        if table.rows() != target.rows() {
            return Err(Error::data(
                format!("{} rows of features, but {} target values", table.rows(), target.rows()),
                "provide one target value per row",
            ));
        }
        if table.rows() == 0 {
            return Err(Error::data("the table has no rows", "provide at least two rows"));
        }
        Ok(Self { table, target, target_name: None, strata: None, covariates: None })
    }

    /// Sets the name of the target column, which messages use.
    #[must_use]
    pub fn with_target_name(mut self, name: &'a str) -> Self {
        self.target_name = Some(name);
        self
    }

    /// Sets the strata, one per row, within which the target may be permuted.
    #[must_use]
    pub fn with_strata(mut self, strata: Option<&'a Classes>) -> Self {
        self.strata = strata;
        self
    }

    /// The strata within which the target may be permuted; `None` if it may be permuted among all rows.
    pub fn strata(&self) -> Option<&'a Classes> {
        self.strata
    }

    /// Sets the covariates of the rows.
    ///
    /// # Errors
    /// A different number of rows; a covariate with the name of a feature, if covariates enter the distances.
    pub fn with_covariates(mut self, covariates: Option<&'a Covariates<'a>>) -> Result<Self> {
        if let Some(covariates) = covariates {
            let (rows, own) = (covariates.table().rows(), self.rows());
            if rows != own {
                let help = "provide one value of every covariate per row";
                return Err(Error::data(
                    format!("{own} rows of features, but {rows} rows of covariates"),
                    help,
                ));
            }
            if covariates.are_in_distance() {
                let taken: HashSet<&str> = self.table.columns().iter().map(Column::name).collect();
                let mut names = covariates.table().columns().iter().map(Column::name);
                if let Some(name) = names.find(|name| taken.contains(name)) {
                    let error = DataError::new(
                        "a feature and a covariate have the same name",
                        "rename one",
                    );
                    return Err(error.in_column(name).into());
                }
            }
        }
        self.covariates = covariates;
        Ok(self)
    }

    /// The covariates of the rows, if any.
    pub fn covariates(&self) -> Option<&'a Covariates<'a>> {
        self.covariates
    }

    /// Checks that no covariates influence the neighbor search, for a method or task `name` that does not support it.
    ///
    /// # Errors
    /// The problem has such covariates.
    pub(crate) fn refuse_covariates(&self, name: &str) -> Result<()> {
        match self.covariates.filter(|own| own.choose_neighbors()) {
            None => Ok(()),
            Some(covariates) => Err(Error::option(
                if covariates.caliper().is_some() { "caliper" } else { "covar_distance" },
                format!("{name} does not use covariates in its neighbor search"),
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

    /// Returns this problem with other features of the same rows.
    ///
    /// # Errors
    /// The errors of [`Problem::new`].
    pub(crate) fn of_columns<'b>(self, table: &'b Table<'b>) -> Result<Problem<'b>>
    where
        'a: 'b,
    {
        let problem = Problem::new(table, self.target)?;
        let Self { target_name, strata, covariates, .. } = self;
        Ok(Problem { target_name, strata, covariates, ..problem })
    }

    /// Adds the name of the target to a data error without a column, which concerns the target.
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

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }
}
