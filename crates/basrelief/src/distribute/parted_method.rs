//! Methods that can be computed in parts, and the specification of a fit: method, options and seed.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::methods::{
    MAP_METHODS, METHODS, MapMethodInfo, MapSteps, MethodInfo, Problem, Reweighting, Settings,
    Steps,
};
use crate::report::Report;
use crate::run::Run;
use crate::wording;

/// A method of a fit in parts.
#[derive(Debug, Clone, Copy)]
pub enum PartedMethod {
    /// It computes a weight of every feature.
    Weights(&'static MethodInfo),
    /// It learns a map.
    Map(&'static MapMethodInfo),
}

impl From<&'static MethodInfo> for PartedMethod {
    fn from(info: &'static MethodInfo) -> Self {
        Self::Weights(info)
    }
}

impl From<&'static MapMethodInfo> for PartedMethod {
    fn from(info: &'static MapMethodInfo) -> Self {
        Self::Map(info)
    }
}

impl PartedMethod {
    /// The method of that name, which computes feature weights or whose map can be learned in parts.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Self> {
        let map = MAP_METHODS.iter().find(|info| info.name == name && info.in_parts());
        match map {
            Some(info) => Ok(Self::Map(info)),
            None => crate::methods::method(name).map(Self::Weights),
        }
    }

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weights(info) => info.name,
            Self::Map(info) => info.name,
        }
    }

    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(self, given: &[(N, V)]) -> Result<Settings> {
        match self {
            Self::Weights(info) => info.settings(given),
            Self::Map(info) => info.settings(given),
        }
    }
}

/// The method of a fit with its options, and the seed, which draws the sampled rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "FitText", into = "FitText")]
pub(super) struct FitSpec {
    pub(super) method: PartedMethod,
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

/// A [`FitSpec`] as it is written.
#[derive(Serialize, Deserialize)]
struct FitText {
    method: String,
    options: Vec<(String, String)>,
    seed: u64,
}

impl From<FitSpec> for FitText {
    fn from(fit: FitSpec) -> Self {
        let options =
            fit.settings.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let (method, seed) = (fit.method.name().to_string(), fit.seed);
        Self { method, options: options.collect(), seed }
    }
}

impl TryFrom<FitText> for FitSpec {
    type Error = Error;

    fn try_from(text: FitText) -> Result<Self> {
        let method = PartedMethod::named(&text.method)?;
        Ok(Self { method, settings: method.settings(&text.options)?, seed: text.seed })
    }
}

impl PartialEq for FitSpec {
    fn eq(&self, other: &Self) -> bool {
        let key = |fit: &Self| (fit.method.name(), fit.seed);
        key(self) == key(other) && self.settings == other.settings
    }
}

impl FitSpec {
    /// Whether the method learns a map.
    pub(super) fn makes_map(&self) -> bool {
        matches!(self.method, PartedMethod::Map(_))
    }

    /// The run, with the seed of the fit.
    pub(super) fn run(&self, run: &Run) -> Run {
        run.asking_for(&[]).with_seed(self.seed)
    }

    /// The method, if it computes feature weights.
    ///
    /// # Errors
    /// It learns a map.
    pub(super) fn weighting(&self) -> Result<&'static MethodInfo> {
        match self.method {
            PartedMethod::Weights(info) => Ok(info),
            PartedMethod::Map(info) => Err(Error::option(
                "method",
                format!("{} learns a map and ranks nothing", wording::method(info.name)),
                "merge its parts to a map",
            )),
        }
    }

    /// The steps of a method that computes weights from one search; its warnings about the problem go to
    /// the report.
    ///
    /// # Errors
    /// The method cannot be computed in parts, or refuses the problem.
    pub(super) fn steps<'p>(
        &self,
        problem: &Problem<'p>,
        report: &mut Report,
        run: &Run,
    ) -> Result<Steps<'p>> {
        let info = self.weighting()?;
        info.steps(problem, &self.settings, report, run)?.ok_or_else(|| cannot(info.name))
    }

    /// The iterations of an iterative method; `None` for other methods.
    ///
    /// # Errors
    /// The method refuses its options or the target.
    pub(super) fn reweighting<'p>(&self, problem: &Problem<'p>) -> Result<Option<Reweighting<'p>>> {
        match self.method {
            PartedMethod::Weights(info) => info.reweighting(problem, &self.settings),
            PartedMethod::Map(_) => Ok(None),
        }
    }

    /// The steps of a map, for which only the target of the problem matters; `None` for a method that
    /// computes weights.
    ///
    /// # Errors
    /// The method refuses its options or the target, or cannot be computed in parts.
    pub(super) fn map_steps<'p>(&self, problem: &Problem<'p>) -> Result<Option<MapSteps<'p>>> {
        let PartedMethod::Map(info) = self.method else { return Ok(None) };
        match info.steps(problem, &self.settings)? {
            Some(steps) => Ok(Some(steps)),
            None => Err(cannot(info.name)),
        }
    }
}

/// The error for a method that cannot be computed in parts; it lists those that can.
fn cannot(name: &str) -> Error {
    let weighting = METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    let maps = MAP_METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    Error::option(
        "method",
        format!("{} cannot be computed in parts yet", wording::method(name)),
        format!("these can: {}", weighting.chain(maps).collect::<Vec<_>>().join(", ")),
    )
}
