//! The input of a fit: features, target, and the roles of the rows.

use std::collections::HashSet;
use std::sync::Arc;

use crate::data::{Classes, Column, Covariates, Groups, Roles, Table, Target};
use crate::error::{DataError, Error, Result};
use crate::wording;

/// The data that a method is fitted to: the features and the target of the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    table: &'a Table<'a>,
    target: &'a Target,
    target_name: Option<&'a str>,
    roles: Roles<'a>,
    /// Factors of the features in distances; `None` if all are 1.
    feature_factors: Option<&'a Arc<[f64]>>,
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
        let (target_name, roles, feature_factors) = (None, Roles::default(), None);
        Ok(Self { table, target, target_name, roles, feature_factors })
    }

    /// Sets the name of the target column, which messages use.
    #[must_use]
    pub fn with_target_name(mut self, name: &'a str) -> Self {
        self.target_name = Some(name);
        self
    }

    /// Sets the strata, one per row, within which the target may be permuted.
    #[must_use]
    pub fn with_strata(self, strata: Option<&'a Classes>) -> Self {
        Self { roles: self.roles.with_strata(strata), ..self }
    }

    /// Sets the groups of rows that are not independent of each other, such as the rows of one subject.
    ///
    /// # Errors
    /// A different number of rows.
    pub fn with_groups(self, groups: Option<&'a Groups>) -> Result<Self> {
        self.with_roles(self.roles.with_groups(groups))
    }

    /// Sets all roles of the rows, and the blocks of features.
    ///
    /// # Errors
    /// A different number of rows; a covariate with the name of a feature, if covariates enter the distances; priors
    /// for a numeric target, or a class without a prior; blocks of another number of features.
    pub fn with_roles(self, roles: Roles<'a>) -> Result<Self> {
        roles.check_rows(self.rows())?;
        if let Some(priors) = roles.priors() {
            priors.covers(self.target)?;
        }
        if let Some(blocks) = roles.blocks() {
            blocks.check_width(self.table.width())?;
        }
        check_names(self.table, roles.covariates())?;
        Ok(Self { roles, ..self })
    }

    /// The roles of the rows.
    pub fn roles(&self) -> Roles<'a> {
        self.roles
    }

    /// Sets the covariates of the rows.
    ///
    /// # Errors
    /// A different number of rows; a covariate with the name of a feature, if covariates enter the distances.
    pub fn with_covariates(self, covariates: Option<&'a Covariates<'a>>) -> Result<Self> {
        self.with_roles(self.roles.with_covariates(covariates))
    }

    /// Returns this problem with other features of the same rows, such as some of its own.
    ///
    /// # Errors
    /// The errors of [`Problem::new`]; blocks of features.
    pub(crate) fn of_columns<'b>(self, table: &'b Table<'b>) -> Result<Problem<'b>>
    where
        'a: 'b,
    {
        self.roles.refuse_blocks("a ranking of other features", "rank without blocks")?;
        if self.feature_factors.is_some() {
            return Err(Error::option(
                "wrap",
                format!("{} takes a method that ranks all features", wording::method("iter")),
                format!(
                    "write {} before the wrapper that ranks some of them",
                    wording::method("iter")
                ),
            ));
        }
        let problem = Problem::new(table, self.target)?;
        let Self { target_name, roles, .. } = self;
        Ok(Problem { target_name, roles, ..problem })
    }

    /// Returns this problem with factors by which the differences of the features are multiplied in distances, but not in
    /// sums of differences.
    pub(crate) fn with_feature_factors<'b>(self, factors: &'b Arc<[f64]>) -> Problem<'b>
    where
        'a: 'b,
    {
        Problem { feature_factors: Some(factors), ..self }
    }

    /// The factors of the features in distances; `None` if all are 1.
    pub(crate) fn feature_factors(&self) -> Option<&'a Arc<[f64]>> {
        self.feature_factors
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

/// Checks that covariates that enter the distances have other names than the features.
pub(crate) fn check_names(table: &Table<'_>, covariates: Option<&Covariates<'_>>) -> Result<()> {
    let Some(covariates) = covariates.filter(|own| own.are_in_distance()) else {
        return Ok(());
    };
    let taken: HashSet<&str> = table.columns().iter().map(Column::name).collect();
    let mut names = covariates.table().columns().iter().map(Column::name);
    match names.find(|name| taken.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let error =
                DataError::new("a feature and a covariate have the same name", "rename one");
            Err(error.in_column(name).into())
        }
    }
}
