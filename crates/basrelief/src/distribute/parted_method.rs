//! Methods that can be computed in parts.

use crate::error::{Error, Result};
use crate::methods::{MAP_METHODS, METHODS, MapMethodInfo, MethodInfo, Settings};
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

/// The error for a method that cannot be computed in parts; it lists those that can.
pub(super) fn cannot(name: &str) -> Error {
    let weighting = METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    let maps = MAP_METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name);
    Error::option(
        "method",
        format!("{} cannot be computed in parts yet", wording::method(name)),
        format!("these can: {}", weighting.chain(maps).collect::<Vec<_>>().join(", ")),
    )
}
