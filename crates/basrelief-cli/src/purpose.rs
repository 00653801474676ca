//! The purpose of a job in parts: a ranking, or a map.

use basrelief::data::TargetKind;
use basrelief::distribute::{PartedMethod, Plan, Rounds};
use basrelief::methods::{MapMethodInfo, Settings};
use basrelief::wording::method;
use basrelief::{Error, Result, Run};
use basrelief_study::{Data, MethodChoice, Notes, RowRoles, Source, Study};
use clap::ArgMatches;

use crate::args;
use crate::cohort::required_target;
use crate::covariates::covariates;
use crate::input::source;
use crate::study::study;

/// The result that a job computes.
pub(crate) enum Purpose {
    /// A ranking.
    Ranking(Box<Study>),
    /// A map.
    Map(Box<Mapping>),
}

/// A map that is learned in parts.
pub(crate) struct Mapping {
    pub(crate) info: &'static MapMethodInfo,
    pub(crate) settings: Settings,
    /// The data.
    source: Source,
    /// The target column, or the phenotype of a cohort.
    target: String,
}

/// The data of a job, and the method of a ranking, which may depend on the target.
pub(crate) struct Read {
    pub(crate) data: Data<'static>,
    pub(crate) method: Option<MethodChoice>,
}

impl Purpose {
    /// From the arguments of a plan. Reports errors that are known before the data are read.
    ///
    /// # Errors
    /// The errors of [`study`]; an option that does not apply to maps.
    pub(crate) fn from_args(matches: &ArgMatches) -> Result<Self> {
        let named = matches.get_one::<String>("method");
        let named = named.map(|name| PartedMethod::named(name)).transpose()?;
        let Some(PartedMethod::Map(info)) = named else {
            return Ok(Self::Ranking(Box::new(study(matches)?)));
        };
        let options = info.all_options();
        let given = args::method_options(info.name, &options, &args::PLANNED_OR_RANKED, matches)?;
        let settings = info.settings(&given)?;
        if matches.contains_id("permutations") {
            let problem =
                format!("{} learns a map, which has no weights to test", method(info.name));
            return Err(Error::option("permutations", problem, "omit it"));
        }
        if matches.contains_id("wrap") {
            let problem =
                format!("{} learns a map, and wrappers are only for rankings", method(info.name));
            return Err(Error::option("wrap", problem, "omit it"));
        }
        let RowRoles { group, weight, priors, .. } = args::row_roles(matches)?;
        let roles = [
            ("covar", covariates(matches)?.is_some()),
            ("group", group.is_some()),
            ("row_weight", weight.is_some()),
            ("priors", priors.is_some()),
        ];
        if let Some((name, _)) = roles.into_iter().find(|(_, is_given)| *is_given) {
            let problem =
                format!("{} learns a map, in which all rows count equally", method(info.name));
            return Err(Error::option(name, problem, "omit it"));
        }
        let target = required_target(matches)?.to_string();
        let source = source(matches)?;
        Ok(Self::Map(Box::new(Mapping { info, settings, source, target })))
    }

    /// The data.
    pub(crate) fn source(&self) -> &Source {
        match self {
            Self::Ranking(study) => &study.source,
            Self::Map(mapping) => &mapping.source,
        }
    }

    /// Whether there are wrappers around the method.
    pub(crate) fn is_wrapped(&self) -> bool {
        matches!(self, Self::Ranking(study) if !study.wrappers.is_empty())
    }

    /// Whether a map is learned.
    pub(crate) fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }

    /// Reads the data from `source`, whose path may differ from the one in the arguments.
    ///
    /// # Errors
    /// The errors of [`Study::read`].
    pub(crate) fn read(&self, source: &Source, notes: &Notes<'_>, run: &Run) -> Result<Read> {
        match self {
            Self::Ranking(study) => {
                let study = Study { source: source.clone(), ..(**study).clone() };
                let (method, data) = study.read(notes, run)?;
                Ok(Read { data, method: Some(method) })
            }
            Self::Map(mapping) => {
                let data = source.problem(&mapping.target, TargetKind::PreferClasses, run)?;
                Ok(Read { data, method: None })
            }
        }
    }

    /// The first iteration and its plan, including the test of the weights if there is one.
    ///
    /// # Errors
    /// The errors of [`Rounds::new`], [`Rounds::plan`] and [`Plan::with_permutations`].
    pub(crate) fn plan(
        &self,
        read: &Read,
        (parts, block_rows): (usize, Option<usize>),
        run: &Run,
    ) -> Result<(Rounds, Plan)> {
        let problem = read.data.problem()?;
        let width = problem.table().width();
        let rounds = match (self, &read.method) {
            (Self::Ranking(study), Some(MethodChoice { info, settings })) => {
                Rounds::new(*info, settings, &study.wrappers, width, run)?
            }
            (Self::Map(mapping), _) => {
                Rounds::new(mapping.info, &mapping.settings, &[], width, run)?
            }
            (Self::Ranking(_), None) => {
                return Err(Error::Internal("a ranking without its method".to_string()));
            }
        };
        let plan = rounds.plan(&problem, parts, block_rows, run)?;
        let plan = match self {
            Self::Ranking(study) => match &study.test {
                Some(test) => test.planned(plan, &problem, parts)?,
                None => plan,
            },
            Self::Map(_) => plan,
        };
        Ok((rounds, plan))
    }
}
