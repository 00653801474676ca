//! Look-up of methods by name.

use super::info::{MapMethodInfo, Task};
use super::{MAP_METHODS, METHODS, MethodInfo, WEIGHTINGS};
use crate::error::{Error, Result, nearest_name};

/// The weighting methods for classes, as methods that learn a map. The map scales the features, or the coordinates of
/// a kernel's basis, by the square roots of their weights.
pub fn weightings() -> impl Iterator<Item = &'static MapMethodInfo> {
    let regression = |name: &str| {
        METHODS.iter().any(|method| method.name == name && method.task == Task::Regression)
    };
    WEIGHTINGS.iter().filter(move |method| !regression(method.name))
}

/// Returns the method with this name.
///
/// # Errors
/// The name is unknown; the error suggests the nearest name.
pub fn method(name: &str) -> Result<&'static MethodInfo> {
    let found = METHODS.iter().find(|method| method.name == name).copied();
    found.ok_or_else(|| unknown_method(name, METHODS.iter().map(|method| method.name)))
}

/// Returns the method with this name that learns a map, or whose weights define one.
///
/// # Errors
/// The name is unknown; the error suggests the nearest name.
pub fn map_method(name: &str) -> Result<&'static MapMethodInfo> {
    let all = || MAP_METHODS.iter().copied().chain(weightings());
    let found = all().find(|method| method.name == name);
    found.ok_or_else(|| unknown_method(name, all().map(|method| method.name)))
}

fn unknown_method<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Error {
    if MAP_METHODS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief fit`";
        return Error::option(
            "method",
            format!("`{name}` learns a map and does not rank features"),
            help,
        );
    }
    if METHODS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief rank`";
        return Error::option(
            "method",
            format!("`{name}` requires a numeric target, not classes"),
            help,
        );
    }
    let help = match nearest_name(name, names) {
        Some(near) => format!("did you mean `{near}`? `basrelief methods` lists all methods"),
        None => "`basrelief methods` lists all methods".to_string(),
    };
    Error::option("method", format!("unknown method `{name}`"), help)
}
