//! Wrappers: each takes a weighting method and returns a weighting method, so that they compose
//! (`vls` of `turf` of `multisurf`).

use std::fmt;

use super::elimination::FeatureElimination;
use super::info::{MethodInfo, WeighFeatures, WrapperInfo};
use super::steps::NEVER_DIFFERS;
use super::targets::{Obstacle, Shared, WeighTargets, can_compare, selected};
use super::{Problem, WRAPPERS};
use crate::data::{Roles, Table, Target};
use crate::error::{Error, Result, nearest_name};
use crate::maps::FeatureRanking;
use crate::options::{OptionInfo, Settings};
use crate::parallel;
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::wording;

/// A wrapper with its options.
#[derive(Debug, Clone)]
pub struct Wrapper {
    info: &'static WrapperInfo,
    settings: Settings,
}

/// The text that [`Wrapper::parse`] reads, with all options.
impl fmt::Display for Wrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options: Vec<String> =
            self.settings.iter().map(|(option, value)| format!("{option}={value}")).collect();
        write!(f, "{}:{}", self.info.name, options.join(","))
    }
}

impl Wrapper {
    /// Parses `NAME` or `NAME:OPTION=VALUE,OPTION=VALUE`, such as `turf:drop=0.1,keep=20`.
    ///
    /// # Errors
    /// An unknown wrapper (the nearest name is suggested) or option, or a value out of range.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let info =
            WRAPPERS.iter().find(|wrapper| wrapper.name == name).copied().ok_or_else(|| {
                let names: Vec<&str> = WRAPPERS.iter().map(|wrapper| wrapper.name).collect();
                let help = match nearest_name(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("use {}", names.join(" or ")),
                };
                Error::option("wrap", format!("unknown wrapper `{name}`"), help)
            })?;
        let given = rest
            .split(',')
            .filter(|part| !part.is_empty())
            .map(|part| {
                part.split_once('=').ok_or_else(|| {
                    Error::option(
                        "wrap",
                        format!("`{part}` is not an option of {name}"),
                        "write OPTION=VALUE, separated by commas",
                    )
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let mention =
            |option: &OptionInfo| wording::setting(&format!("{name}:{}", option.name), None);
        let settings = Settings::resolve_mentioned(name, info.options, mention, &given)
            .map_err(|error| info.own_option(error))?;
        Ok(Self { info, settings })
    }

    /// The wrapper.
    pub fn info(&self) -> &'static WrapperInfo {
        self.info
    }

    /// Its options, fully resolved.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The elimination of a wrapper that drops features round by round, before its first round.
    ///
    /// # Errors
    /// The wrapper is of another kind, which cannot be computed in parts.
    pub(crate) fn elimination(&self, width: usize) -> Result<FeatureElimination> {
        let rounds = self.info.rounds.ok_or_else(|| {
            let able = WRAPPERS.iter().filter(|info| info.has_rounds()).map(|info| info.name);
            Error::option(
                "wrap",
                format!("`{}` cannot be computed in parts", self.info.name),
                format!("these can: {}", able.collect::<Vec<_>>().join(", ")),
            )
        })?;
        rounds(&self.settings, width)
    }
}

/// Fits a method inside wrappers; the first wrapper is next to the method, the last outermost.
///
/// # Errors
/// The errors of the method and the wrappers; [`Error::Cancelled`].
pub fn fit_wrapped(
    method: &MethodInfo,
    settings: &Settings,
    wrappers: &[Wrapper],
    problem: &Problem<'_>,
    run: &Run,
) -> Result<Fitted<FeatureRanking>> {
    let layers = Layers { method, settings, wrappers };
    let mut fitted = method.timed(problem, run, |report| layers.weigh(problem, report, run))?;
    // This warning is about the weights of single rounds, not those of the result.
    if !wrappers.is_empty() {
        fitted.report.warnings.retain(|warning| warning.code() != NEVER_DIFFERS);
    }
    Ok(fitted)
}

/// Prepares a method inside wrappers for many targets of one table.
///
/// # Errors
/// A problem that the method or a wrapper refuses; [`Error::Cancelled`].
pub fn for_targets<'p>(
    method: &'p MethodInfo,
    settings: &'p Settings,
    wrappers: &'p [Wrapper],
    problem: &Problem<'p>,
    run: &Run,
) -> Result<Box<dyn WeighTargets + 'p>> {
    let layers = Layers { method, settings, wrappers };
    let roles = problem.roles();
    let shared = match wrappers {
        [] => Shared::find(method, settings, problem, run)?,
        _ => Err("wrappers score different features in every round"),
    };
    Ok(match shared {
        Ok(shared) => Box::new(shared),
        Err(reason) => Box::new(Refit { method: layers, table: problem.table(), roles, reason }),
    })
}

/// A method and the wrappers around it.
struct Layers<'l> {
    method: &'l MethodInfo,
    settings: &'l Settings,
    wrappers: &'l [Wrapper],
}

impl WeighFeatures for Layers<'_> {
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>> {
        run.check()?;
        match self.wrappers.split_last() {
            None => {
                let method = (self.method.build)(self.settings)?;
                self.method.check_roles(&*method, problem)?;
                if problem.feature_factors().is_some() && method.stepwise().is_none() {
                    let name = wording::method;
                    return Err(Error::option(
                        "wrap",
                        format!(
                            "{} takes a method with a single neighbor search, which {} is not",
                            name("iter"),
                            name(self.method.name)
                        ),
                        format!("use {} or {}", name("multisurf"), name("relieff")),
                    ));
                }
                method.weigh(problem, report, run)
            }
            Some((outermost, wrappers)) => {
                let name = wording::method(outermost.info.name);
                problem
                    .roles()
                    .refuse_blocks(name, "remove the wrapper, or rank without blocks")?;
                let inner = Layers { wrappers, ..*self };
                (outermost.info.weigh)(&outermost.settings, &inner, problem, report, run)
            }
        }
    }
}

/// A method that is refitted for every target.
struct Refit<'p> {
    method: Layers<'p>,
    table: &'p Table<'p>,
    roles: Roles<'p>,
    reason: Obstacle,
}

impl WeighTargets for Refit<'_> {
    fn weigh(
        &mut self,
        features: &[usize],
        targets: &[Target],
        run: &Run,
    ) -> Result<Vec<Vec<f64>>> {
        let silent = run.part(run.seed());
        let one = |target: &Target| {
            run.check()?;
            let problem = Problem::new(self.table, target)?.with_roles(self.roles)?;
            let Layers { method, settings, .. } = self.method;
            let weights = match can_compare(method, settings, &problem, &silent)? {
                true => self.method.weigh(&problem, &mut Report::default(), &silent)?,
                false => vec![0.0; self.table.width()],
            };
            run.progress().advance(1);
            Ok(selected(&weights, features))
        };
        // A fit uses all threads, but not all of its work is parallel.
        run.install(|| parallel::try_map(targets, one))
    }

    fn refit_reason(&self) -> Option<&str> {
        Some(self.reason)
    }
}
