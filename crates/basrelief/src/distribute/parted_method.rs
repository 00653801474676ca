//! What can be computed in parts: methods that weigh features, and methods that learn a map.

use crate::error::{Error, Result};
use crate::methods::{
    MAP_METHODS, METHODS, MapMethodInfo, MapSteps, MethodInfo, Problem, Settings,
};
use crate::wording;

/// A method of a fit in parts.
#[derive(Debug, Clone, Copy)]
pub enum PartedMethod {
    /// It gives every feature a weight.
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
    /// The method of that name, which weighs features or whose map can be learned in parts.
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

    /// The method, if it weighs features.
    ///
    /// # Errors
    /// It learns a map.
    pub(super) fn weighing(self) -> Result<&'static MethodInfo> {
        match self {
            Self::Weights(info) => Ok(info),
            Self::Map(info) => Err(Error::option(
                "method",
                format!("{} learns a map and ranks nothing", wording::method(info.name)),
                "merge its parts to a map",
            )),
        }
    }

    /// The steps of a map for a problem, whose target alone is looked at; `None` of a method that weighs
    /// features.
    ///
    /// # Errors
    /// What the method says of its options and of the target, and what cannot be computed in parts.
    pub(super) fn map_steps<'p>(
        self,
        problem: &Problem<'p>,
        settings: &Settings,
    ) -> Result<Option<MapSteps<'p>>> {
        let Self::Map(info) = self else { return Ok(None) };
        match info.steps(problem, settings)? {
            Some(steps) => Ok(Some(steps)),
            None => Err(cannot(info.name)),
        }
    }
}

/// That a method cannot be computed in parts, and which can.
pub(super) fn cannot(name: &str) -> Error {
    let weighing = METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    let maps = MAP_METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    Error::option(
        "method",
        format!("{} cannot be computed in parts yet", wording::method(name)),
        format!("these can: {}", weighing.chain(maps).collect::<Vec<_>>().join(", ")),
    )
}
