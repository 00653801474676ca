//! The arguments about permutation tests and resamples.

use std::path::PathBuf;

use basrelief::inference::Resampling;
use basrelief::maps::RankBy;
use basrelief::selection::RedundancyRule;
use basrelief::{Error, Result};
use basrelief_study::TestPlan;
use basrelief_study::resampling::USUAL_TOP;
use clap::ArgMatches;

/// The test that the arguments specify, if any.
///
/// # Errors
/// Too few permutations for the level; options that cannot be combined.
pub(crate) fn test(matches: &ArgMatches) -> Result<Option<TestPlan>> {
    // Not every verb that ranks features has tests.
    let draws = matches.try_get_one::<String>("permutations").ok().flatten();
    let Some(draws) = draws else { return Ok(None) };
    let mut plan = TestPlan::new(draws.parse()?);
    if let Some(name) = matches.get_one::<String>("correction") {
        plan.correction = name.parse()?;
    }
    if let Some(sided) = matches.get_one::<String>("sided") {
        plan.sided = sided.parse()?;
    }
    if let Some(&alpha) = matches.get_one::<f64>("alpha") {
        plan.alpha = alpha;
    }
    // A test in parts stores its permutations in the folder of the job.
    plan.resume = matches.try_get_one::<PathBuf>("resume").ok().flatten().cloned();
    plan.check()?;
    Ok(Some(plan))
}

/// The resampling that the arguments specify, if any. The number of features that a resample selects is set when the
/// features are known.
///
/// # Errors
/// The errors of [`Resampling::check`].
pub(crate) fn resampling(matches: &ArgMatches) -> Result<Option<Resampling>> {
    let resamples = matches.try_get_one::<usize>("resamples").ok().flatten();
    let Some(&resamples) = resamples else { return Ok(None) };
    let fraction = matches
        .get_one("fraction")
        .copied()
        .ok_or_else(|| Error::Internal("the fraction argument has no default".to_string()))?;
    let resampling = Resampling {
        resamples,
        fraction,
        top: USUAL_TOP,
        redundancy: RedundancyRule::None,
        rank_by: RankBy::Weight,
    };
    resampling.check()?;
    Ok(Some(resampling))
}
