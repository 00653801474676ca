//! The arguments about covariates.

use std::path::PathBuf;

use basrelief::Result;
use basrelief::solve::ClassResiduals;
use basrelief_study::CovariateUse;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use crate::names::list;

const COVARIATES: &str = "Covariates";

/// Arguments of the verbs that look at covariates.
pub(crate) fn covariate_args() -> [Arg; 6] {
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    [
        Arg::new("covar").long("covar").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
            "Covariates of a cohort: lines of FID, IID and values, below a line that names them",
        ),
        Arg::new("covar-name").long("covar-name").value_name("NAME,...").action(ArgAction::Append).help(
            "Covariates, of --covar or else of the table: names, or PC1-PC10 for those from one to another \
             [default: all of --covar]",
        ),
        Arg::new("residuals")
            .long("residuals")
            .value_name("KIND")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("quantile")
            .value_parser(PossibleValuesParser::new(ClassResiduals::ALL.map(|(name, _)| name)))
            .help(
                "Explain what the covariates leave of the target: of a number the residuals of least squares, of two \
                 classes those of logistic regression, randomized quantiles or deviance residuals [KIND: quantile]",
            ),
        Arg::new("caliper").long("caliper").value_name("SD").value_parser(value_parser!(f64)).help(
            "Compare rows only if no covariate differs by more than so many standard deviations, and no category",
        ),
        switch("covar-distance", "Let the covariates count in distances as features do"),
        switch("drop-missing-covar", "Leave out the rows whose covariates are missing"),
    ]
    .map(|arg| arg.help_heading(COVARIATES))
}

/// The covariates that the arguments name, and what they are for.
///
/// # Errors
/// Covariates that are for nothing, or a use without covariates.
pub(crate) fn covariates(matches: &ArgMatches) -> Result<Option<CovariateUse>> {
    // A switch has a value wherever there is one. Not every verb has these; optimized programs do not tell an
    // unknown option from one that is not given.
    let switch = |name: &str| matches.try_get_one::<bool>(name).ok().flatten().copied();
    let (Some(in_distance), Some(drop_missing)) =
        (switch("covar-distance"), switch("drop-missing-covar"))
    else {
        return Ok(None);
    };
    let residuals = matches.get_one::<String>("residuals").map(|kind| kind.parse());
    let own = CovariateUse {
        file: matches.get_one::<PathBuf>("covar").cloned(),
        names: list(matches, "covar-name")?,
        residuals: residuals.transpose()?,
        caliper: matches.get_one::<f64>("caliper").copied(),
        in_distance,
        drop_missing,
    };
    own.check(matches.try_get_one::<String>("within").ok().flatten().is_some())?;
    Ok(own.are_there().then_some(own))
}
