//! The arguments about covariates.

use std::path::PathBuf;

use basrelief::wording::{setting, ways};
use basrelief::{Error, Result};
use basrelief_study::CovariateUse;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use crate::names::list;

const COVARIATES: &str = "Covariates";

/// The arguments of the verbs that use covariates.
pub(crate) fn covariate_args() -> [Arg; 6] {
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    [
        Arg::new("covar").long("covar").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
            "Covariates of a cohort: a header line, then lines of FID, IID and values",
        ),
        Arg::new("covar-name").long("covar-name").value_name("NAME,...").action(ArgAction::Append).help(
            "Columns of --covar or of the table that are covariates: names, or ranges such as PC1-PC10 [default: all \
             columns of --covar]",
        ),
        switch(
            "residuals",
            "Adjust the target for the covariates: use its residuals after least squares (a numeric target), logistic \
             regression (two classes) or Cox regression (survival times)",
        ),
        Arg::new("caliper").long("caliper").value_name("SD").value_parser(value_parser!(f64)).help(
            "Compare only matched rows: numeric covariates differ by at most SD standard deviations, and categories are equal",
        ),
        switch("covar-distance", "Include the covariates in the distances, like features"),
        switch("drop-missing-covar", "Exclude rows with missing covariates"),
    ]
    .map(|arg| arg.help_heading(COVARIATES))
}

/// The covariates that the arguments name, and their uses.
///
/// # Errors
/// Covariates without a use, or a use without covariates.
pub(crate) fn covariates(matches: &ArgMatches) -> Result<Option<CovariateUse>> {
    // In a verb that has a switch, the switch always has a value. For other verbs, release builds of clap do not
    // distinguish an unknown option from one that is not given.
    let switch = |name: &str| matches.try_get_one::<bool>(name).ok().flatten().copied();
    let (Some(in_distance), Some(drop_missing)) =
        (switch("covar-distance"), switch("drop-missing-covar"))
    else {
        return Ok(None);
    };
    let mut own = CovariateUse {
        file: matches.get_one::<PathBuf>("covar").cloned(),
        names: list(matches, "covar-name")?,
        residuals: switch("residuals").unwrap_or(false),
        caliper: matches.get_one::<f64>("caliper").copied(),
        in_distance,
        in_models: false,
        drop_missing,
    };
    let is_given = |name: &str| matches.try_get_one::<String>(name).ok().flatten().is_some();
    let has_strata = is_given("within") || is_given("group") || is_given("row-weight");
    // Only the verb that tests pairs has this switch. A file that is named for its strata alone has no covariates.
    if switch("permute-all").is_some() && own.are_there() {
        if own.residuals {
            return Err(Error::option(
                "residuals",
                "both models of each test of a pair contain the covariates, and the target is not adjusted",
                ways(&[
                    "omit the option".to_string(),
                    format!(
                        "rank the residuals with `basrelief rank`, and test the best features of the ranking with {}",
                        setting("from", None)
                    ),
                ]),
            ));
        }
        let chooses_neighbors = own.caliper.is_some() || own.in_distance;
        own.in_models = chooses_neighbors || !own.names.is_empty() || !has_strata;
    }
    own.check(has_strata)?;
    Ok(own.are_there().then_some(own))
}
