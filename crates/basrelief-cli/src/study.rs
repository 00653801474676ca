//! Builds a study from the arguments.

use basrelief::Result;
use basrelief::inference::Sided;
use basrelief::maps::RankBy;
use basrelief::methods::wrappers::Wrapper;
use basrelief::selection::RedundancyRule;
use basrelief_study::{Method, MethodChoice, Study};
use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::args;
use crate::cohort::required_target;
use crate::covariates::covariates;
use crate::exit::audience;
use crate::input::source;
use crate::significance::{resampling, test};

/// The study that the arguments of a verb specify. Reports errors that are known before the data are read.
///
/// # Errors
/// An unknown method or wrapper; an option with a wrong value, or one that the method does not accept; a test that
/// cannot find anything, or that is not valid.
pub(crate) fn study(matches: &ArgMatches) -> Result<Study> {
    let mut study = Study { test: test(matches)?, ..study_without_test(matches)? };
    if let Some(test) = study.test.as_mut().filter(|_| study.rank_by == RankBy::Absolute)
        && matches.value_source("sided") != Some(ValueSource::CommandLine)
    {
        test.sided = Sided::Two;
    }
    study.check()?;
    Ok(study)
}

/// The study without a test of the weights, for verbs that use permutations in another way.
///
/// # Errors
/// The errors of [`study`], except those of a test.
pub(crate) fn study_without_test(matches: &ArgMatches) -> Result<Study> {
    let wrappers = matches.get_many::<String>("wrap").unwrap_or_default();
    let wrappers = wrappers.map(|text| Wrapper::parse(text)).collect::<Result<_>>()?;
    let target = required_target(matches)?;
    let mut study = Study {
        wrappers,
        covariates: covariates(matches)?,
        roles: args::row_roles(matches)?,
        blocks: args::blocks(matches)?,
        intervals: matches.try_get_one::<bool>("intervals").ok().flatten() == Some(&true),
        rank_by: rank_by(matches)?,
        resampling: resampling(matches)?,
        audience: audience(),
        ..Study::new(source(matches)?, target)
    };
    study.method = method(matches, study.usual_before_reading())?;
    study.check()?;
    Ok(study)
}

/// The number by which features are ranked.
fn rank_by(matches: &ArgMatches) -> Result<RankBy> {
    let text = matches.try_get_one::<String>("rank").ok().flatten();
    text.map_or(Ok(RankBy::Weight), |text| text.parse())
}

/// The rule about redundant features.
///
/// # Errors
/// The argument is no rule.
pub(crate) fn redundancy(matches: &ArgMatches) -> Result<Option<RedundancyRule>> {
    let text = matches.try_get_one::<String>("redundancy").ok().flatten();
    text.map(|text| text.parse()).transpose()
}

/// The method that the arguments name, or the options of the default one, which is `usual` as far as it is known.
fn method(matches: &ArgMatches, usual: &str) -> Result<Method> {
    let stated = matches.get_one::<String>("method");
    let info = basrelief::methods::method(stated.map_or(usual, String::as_str))?;
    let methods = &args::PLANNED_OR_RANKED;
    let options = args::method_options(info.name, info.options, methods, matches)?;
    Ok(match stated {
        Some(_) => Method::Named(MethodChoice { info, settings: info.settings(&options)? }),
        None => {
            Method::ByTarget(options.into_iter().map(|(flag, text)| (flag.into(), text)).collect())
        }
    })
}
