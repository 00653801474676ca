//! What a job of parts is for: a ranking, or a map.

use basrelief::data::TargetKind;
use basrelief::distribute::{PartedMethod, Plan, Rounds};
use basrelief::methods::{MapMethodInfo, Problem, Settings};
use basrelief::wording::method;
use basrelief::{Error, Result, Run};
use clap::ArgMatches;

use crate::args;
use crate::cohort::required_target;
use crate::input::{Given, Input};
use crate::rank::Weighing;
use crate::recipe::Recipe;

/// How the features are weighed, or which map is learned of them.
pub(crate) enum Purpose<'m> {
    /// A ranking.
    Ranking(Box<Weighing<'m>>),
    /// A map.
    Map(Mapping<'m>),
}

/// A map that is learned in parts.
pub(crate) struct Mapping<'m> {
    pub(crate) info: &'static MapMethodInfo,
    pub(crate) settings: Settings,
    target: &'m str,
}

impl<'m> Purpose<'m> {
    /// From the arguments of a plan; refuses what can be refused before the data are read.
    ///
    /// # Errors
    /// As of [`Weighing::from_args`]; what a map has not.
    pub(crate) fn from_args(matches: &'m ArgMatches) -> Result<Self> {
        let named = matches.get_one::<String>("method");
        let named = named.map(|name| PartedMethod::named(name)).transpose()?;
        let Some(PartedMethod::Map(info)) = named else {
            return Ok(Self::Ranking(Box::new(Weighing::from_args(matches)?)));
        };
        let options = info.all_options();
        let given = args::method_options(info.name, &options, &args::PLANNED_OR_RANKED, matches)?;
        let settings = info.settings(&given)?;
        if matches.contains_id("permutations") {
            let problem = format!(
                "{} learns a map, and no weights are there to be tested",
                method(info.name)
            );
            return Err(Error::option("permutations", problem, "leave it out"));
        }
        if matches.contains_id("wrap") {
            let problem =
                format!("{} learns a map, and wrappers weigh features", method(info.name));
            return Err(Error::option("wrap", problem, "leave it out"));
        }
        Ok(Self::Map(Mapping { info, settings, target: required_target(matches)? }))
    }

    /// The target's column.
    pub(crate) fn target(&self) -> &'m str {
        match self {
            Self::Ranking(weighing) => weighing.target(),
            Self::Map(mapping) => mapping.target,
        }
    }

    /// Whether there are wrappers around the method.
    pub(crate) fn is_wrapped(&self) -> bool {
        matches!(self, Self::Ranking(weighing) if weighing.is_wrapped())
    }

    /// Whether a map is learned.
    pub(crate) fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }

    /// Reads the table, and the strata of a test.
    ///
    /// # Errors
    /// As of [`Weighing::read`].
    pub(crate) fn read(&mut self, input: &Input<'_>, run: &Run) -> Result<Given> {
        match self {
            Self::Ranking(weighing) => weighing.read(input, run),
            Self::Map(mapping) => {
                let (table, target, warnings) =
                    input.problem(mapping.target, TargetKind::PreferClasses, run)?;
                Ok(Given { table, target, strata: None, covariates: None, warnings })
            }
        }
    }

    /// The first round and its plan; a test of weights is planned too, where one was asked for.
    ///
    /// # Errors
    /// As of [`Rounds::new`], [`Rounds::plan`] and [`Plan::with_permutations`].
    pub(crate) fn plan(
        &self,
        problem: &Problem<'_>,
        (parts, block_rows): (usize, Option<usize>),
        run: &Run,
    ) -> Result<(Rounds, Plan)> {
        let width = problem.table().width();
        let rounds = match self {
            Self::Ranking(weighing) => {
                let Recipe { info, settings, wrappers } = weighing.recipe();
                Rounds::new(info, settings, wrappers, width, run)?
            }
            Self::Map(Mapping { info, settings, .. }) => {
                Rounds::new(*info, settings, &[], width, run)?
            }
        };
        let plan = rounds.plan(problem, parts, block_rows, run)?;
        let test = match self {
            Self::Ranking(weighing) => weighing.test(),
            Self::Map(_) => None,
        };
        let plan = match test {
            Some(test) => test.planned(plan, problem, parts)?,
            None => plan,
        };
        Ok((rounds, plan))
    }
}
