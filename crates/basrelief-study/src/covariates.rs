//! Covariates: columns that describe rows and are not features, and their uses.

use std::path::PathBuf;

use basrelief::data::{Column, Covariates, RowWeights, Table, Target};
use basrelief::solve::residuals;
use basrelief::wording::{quoted, setting};
use basrelief::{DataError, Error, Result, Run, Warning};
use basrelief_genetics::CovariateFile;
use serde_json::{Value, json};

use crate::text::{counted, printable};

/// The covariates of a study and their uses.
#[derive(Debug, Clone, Default)]
pub struct CovariateUse {
    /// The file of covariates of a cohort.
    pub file: Option<PathBuf>,
    /// Names of columns, or ranges such as `PC1-PC10`. If it is empty, all columns of the file.
    pub names: Vec<String>,
    /// Whether the residuals of the target, given the covariates, replace it.
    pub residuals: bool,
    /// Rows are compared only if no covariate differs by more than this number of standard deviations, above 0.
    pub caliper: Option<f64>,
    /// Whether covariates are included in the distances, like features.
    pub in_distance: bool,
    /// Whether both models of each test contain the covariates, as those of pairs do. A caliper and their use in distances
    /// then affect the ranking only.
    pub in_models: bool,
    /// Whether rows with a missing covariate are excluded.
    pub drop_missing: bool,
}

impl CovariateUse {
    /// Whether there are covariates.
    pub fn are_there(&self) -> bool {
        self.file.is_some() || !self.names.is_empty()
    }

    /// Checks that covariates have a use, and that a use has covariates. `has_strata` is true if a column of the file
    /// contains strata.
    ///
    /// # Errors
    /// Covariates without a use, or a use without covariates.
    pub fn check(&self, has_strata: bool) -> Result<()> {
        let are_there = self.are_there();
        let uses = [
            ("residuals", self.residuals),
            ("caliper", self.caliper.is_some()),
            ("covar_distance", self.in_distance),
            ("drop_missing_covar", self.drop_missing),
        ];
        if let Some((name, _)) = uses.iter().find(|(_, is_used)| *is_used && !are_there) {
            let (file, names) = (setting("covar", None), setting("covar_name", None));
            return Err(Error::option(
                *name,
                "no covariates were given",
                format!(
                    "name a file of covariates with {file}, or columns of the table with {names}"
                ),
            ));
        }
        if are_there && !self.are_used() && (!has_strata || !self.names.is_empty()) {
            let option = if self.file.is_some() { "covar" } else { "covar_name" };
            return Err(Error::option(
                option,
                "the use of the covariates is not specified",
                format!(
                    "add {} (adjust the target for them), {} (compare only matched rows) or {} (include them in \
                     the distance)",
                    setting("residuals", None),
                    setting("caliper", None),
                    setting("covar_distance", None)
                ),
            ));
        }
        Ok(())
    }

    /// A warning that the target is not adjusted for the column of strata, if all other columns of the file are
    /// covariates.
    pub fn without_groups(&self, name: &str) -> Option<Warning> {
        (self.are_used() && self.names.is_empty()).then(|| {
            Warning::new(
                "groups-not-adjusted",
                format!(
                    "{} contains the groups of {} and is not a covariate; to adjust the target for it too, name all \
                     covariates with {}",
                    quoted(name),
                    setting("within", None),
                    setting("covar_name", None)
                ),
            )
        })
    }

    /// Whether the covariates have another use than strata.
    fn are_used(&self) -> bool {
        self.residuals || self.caliper.is_some() || self.in_distance || self.in_models
    }

    /// The covariate file of a cohort. If columns are named, the columns of other roles are added to them.
    pub fn cohort_file(&self, roles: &[String]) -> Option<CovariateFile> {
        let mut names = self.names.clone();
        if !names.is_empty() {
            names.extend(roles.iter().cloned());
        }
        self.file.clone().map(|path| CovariateFile { path, names })
    }

    /// The covariates for the fit, and the residuals of the target if they replace it. Rows with missing covariates
    /// must have been excluded by [`complete_rows`](Self::complete_rows).
    ///
    /// # Errors
    /// The errors of [`Covariates::new`], [`Covariates::with_caliper`] and [`residuals`].
    pub fn used<'a>(
        &self,
        table: Table<'a>,
        target: &Target,
        weights: Option<&RowWeights>,
        run: &Run,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Option<Covariates<'a>>, Option<Target>)> {
        if !self.are_used() {
            return Ok((None, None));
        }
        let weights = weights.filter(|weights| !weights.are_one());
        let names: Vec<String> =
            table.columns().iter().map(|column| column.name().to_string()).collect();
        // Columns of covariates are in their file, if there is one.
        let located = |error: Error| match (&self.file, &error) {
            (Some(file), Error::Data(data))
                if data.column.as_ref().is_some_and(|column| names.contains(column)) =>
            {
                error.in_file(file)
            }
            _ => error,
        };
        let mut covariates = Covariates::new(table).map_err(located)?;
        let mut residual_target = None;
        if self.residuals {
            let adjusted = residuals(target, covariates, weights, run).map_err(located)?;
            warnings.extend(adjusted.warnings);
            (covariates, residual_target) = (adjusted.covariates, Some(adjusted.target));
        }
        if let Some(caliper) = self.caliper {
            covariates = covariates.with_caliper(caliper, weights).map_err(located)?;
        }
        if self.in_distance {
            covariates = covariates.in_distance();
        }
        Ok((Some(covariates), residual_target))
    }

    /// The rows without missing covariates; `None` if these are all rows.
    /// `row_name` gives the name of a row in messages.
    ///
    /// # Errors
    /// A value is missing and [`drop_missing`](Self::drop_missing) is false; every row has a missing value.
    pub fn complete_rows(
        &self,
        table: &Table<'_>,
        row_name: impl Fn(usize) -> String,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Vec<usize>>> {
        let gap = |row: usize| {
            table.columns().iter().find(|column: &&Column<'_>| column.value(row).is_nan())
        };
        let incomplete: Vec<usize> = (0..table.rows()).filter(|&row| gap(row).is_some()).collect();
        let Some(&first) = incomplete.first() else { return Ok(None) };
        let all = table.rows();
        let count = incomplete.len();
        if !self.drop_missing || count == all {
            let problem = format!(
                "{count} of {} have missing covariates; the first is {}",
                counted(all, "row"),
                row_name(first)
            );
            let help = match count == all {
                true => "name other covariates".to_string(),
                false => format!(
                    "exclude these rows with {}, or name other covariates",
                    setting("drop_missing_covar", None)
                ),
            };
            let error = DataError::new(problem, help);
            let column = gap(first).map_or("", |column| column.name());
            return Err(error.in_column(column).into());
        }
        warnings.push(Warning::new(
            "rows-left-out",
            format!("{count} of {} have missing covariates and were excluded", counted(all, "row")),
        ));
        Ok(Some((0..all).filter(|row| incomplete.binary_search(row).is_err()).collect()))
    }
}

/// The names of the covariates, of many the first.
pub fn covariate_names(covariates: &Covariates<'_>) -> String {
    const MOST: usize = 6;
    let columns = covariates.table().columns();
    let mut names: Vec<String> =
        columns.iter().take(MOST).map(|column| printable(column.name()).to_string()).collect();
    if columns.len() > MOST {
        names.push(format!("{} more", columns.len() - MOST));
    }
    names.join(", ")
}

/// The covariates and their uses, in words. `unadjusted` is the target if its residuals replace it; `in_models` is as in
/// [`CovariateUse`].
pub fn covariates_in_words(
    covariates: &Covariates<'_>,
    unadjusted: Option<&Target>,
    in_models: bool,
) -> String {
    let caliper =
        covariates.caliper().map(|caliper| format!("rows are matched within {caliper} SD"));
    let uses = [
        unadjusted.map(|_| "the target is adjusted (residuals)".to_string()),
        caliper,
        covariates.are_in_distance().then(|| "included in the distance".to_string()),
    ];
    let uses = uses.into_iter().flatten();
    let uses = if in_models {
        let of_ranking = uses.map(|words| format!("; for the ranking, {words}"));
        format!("in both models of each test{}", of_ranking.collect::<String>())
    } else {
        uses.collect::<Vec<_>>().join(", ")
    };
    format!("{}: {uses}", covariate_names(covariates))
}

/// The covariates and their uses in JSON. `unadjusted` is the target if its residuals replace it; `in_models` is as in
/// [`CovariateUse`].
pub fn covariates_json(
    covariates: &Covariates<'_>,
    unadjusted: Option<&Target>,
    in_models: bool,
) -> Value {
    let kinds = covariates.table().columns().iter().map(|column| column.kind().name());
    let residuals = unadjusted.map(|target| match target {
        Target::Classes(_) => "quantile",
        Target::Real(_) | Target::Multi(_) => "least squares",
        Target::Survival(_) => "quantile given proportional hazards",
    });
    json!({
        "names": covariates.table().names(),
        "kinds": kinds.collect::<Vec<_>>(),
        "residuals": residuals,
        "caliper": covariates.caliper(),
        "in_distance": covariates.are_in_distance(),
        "in_models": in_models,
    })
}

/// Refuses a covariate that is the target.
///
/// # Errors
/// One of the named covariates is the target.
pub fn check_names(covariates: &CovariateUse, target: &str) -> Result<()> {
    match covariates.names.iter().find(|name| *name == target) {
        Some(name) => Err(Error::option(
            "covar_name",
            format!("{} is the target", quoted(name)),
            "name other columns",
        )),
        None => Ok(()),
    }
}
