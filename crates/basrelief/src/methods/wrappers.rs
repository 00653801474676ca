//! Wrappers: they take a weighting method and give a weighting method, so that they compose
//! (`vls` of `turf` of `multisurf`).

use super::{MethodInfo, OptionInfo, Problem, Settings, turf, vls};
use crate::error::{Error, Result, nearest_name};
use crate::maps::FeatureWeights;
use crate::report::{Fitted, Report};
use crate::run::Run;
use crate::warning::Warning;

/// Whatever gives every feature of a problem a weight: a method with its options, or a wrapper
/// around one.
pub trait WeighFeatures: Sync {
    /// A weight per feature, in column order; warnings go to the report.
    ///
    /// # Errors
    /// What the method says; [`Error::Cancelled`].
    fn weigh(&self, problem: &Problem<'_>, report: &mut Report, run: &Run) -> Result<Vec<f64>>;
}

/// A wrapper: everything the front ends, the documentation and the tests know of it.
pub struct WrapperInfo {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// One line: what it is for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Weighs the features by way of the wrapped method.
    pub(crate) weigh: WeighBy,
}

impl WrapperInfo {
    /// An error of [`Settings::resolve`], of an option of this wrapper and not of a method.
    fn own_option(&self, error: Error) -> Error {
        match error {
            Error::Option { option, problem, help } => {
                Error::Option { option: format!("{}:{option}", self.name), problem, help }
            }
            other => other,
        }
    }
}

/// Weighs the features by way of another method.
pub(crate) type WeighBy =
    fn(&Settings, &dyn WeighFeatures, &Problem<'_>, &mut Report, &Run) -> Result<Vec<f64>>;

impl std::fmt::Debug for WrapperInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WrapperInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Every wrapper, in the order of the documentation.
pub static WRAPPERS: &[&WrapperInfo] = &[&turf::INFO, &vls::INFO];

/// A wrapper with its options.
#[derive(Debug, Clone)]
pub struct Wrapper {
    info: &'static WrapperInfo,
    settings: Settings,
}

impl Wrapper {
    /// Reads `NAME` or `NAME:OPTION=VALUE,OPTION=VALUE`, as `turf:drop=0.1,keep=20`.
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
                    None => format!("there are {}", names.join(" and ")),
                };
                Error::option("wrap", format!("there is no wrapper `{name}`"), help)
            })?;
        let given = rest
            .split(',')
            .filter(|part| !part.is_empty())
            .map(|part| {
                part.split_once('=').ok_or_else(|| {
                    Error::option(
                        "wrap",
                        format!("`{part}` is no option of {name}"),
                        "write OPTION=VALUE, several with commas",
                    )
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let settings = Settings::resolve(info.name, info.options, &given)
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
}

/// Fits a method inside wrappers; the first wrapper is next to the method, the last outermost.
///
/// # Errors
/// What the method and the wrappers say; [`Error::Cancelled`].
pub fn fit_wrapped(
    method: &MethodInfo,
    settings: &Settings,
    wrappers: &[Wrapper],
    problem: &Problem<'_>,
    run: &Run,
) -> Result<Fitted<FeatureWeights>> {
    let layers = Layers { method, settings, wrappers };
    method.timed(problem, run, |report| layers.weigh(problem, report, run))
}

/// What the fits inside a wrapper warn of, told once and not fit by fit.
#[derive(Debug, Default)]
pub(super) struct Heard {
    fits: usize,
    /// The first warning of every code, and how many fits gave one of that code.
    said: Vec<(Warning, usize)>,
}

impl Heard {
    /// Takes in what one fit reports.
    pub(super) fn add(&mut self, inner: Report) {
        self.fits += 1;
        for warning in inner.warnings {
            match self.said.iter_mut().find(|(first, _)| first.code() == warning.code()) {
                Some((_, count)) => *count += 1,
                None => self.said.push((warning, 1)),
            }
        }
    }

    /// Passes the warnings on; those that not all fits gave say how many did (`fits` is what a
    /// fit is called: `rounds`).
    pub(super) fn tell(self, fits: &str, report: &mut Report) {
        for (warning, count) in self.said {
            report.warnings.push(if count == self.fits {
                warning
            } else {
                let message = format!("in {count} of {} {fits}: {}", self.fits, warning.marked());
                Warning::new(warning.code(), message)
            });
        }
    }
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
            None => (self.method.weigh)(problem, self.settings, report, run),
            Some((outermost, wrappers)) => {
                let inner = Layers { wrappers, ..*self };
                (outermost.info.weigh)(&outermost.settings, &inner, problem, report, run)
            }
        }
    }
}
