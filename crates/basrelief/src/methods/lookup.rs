//! Methods by name.

use super::info::{MapMethodInfo, Task};
use super::{MAP_METHODS, METHODS, MethodInfo, WEIGHTINGS};
use crate::error::{Error, Result, nearest_name};

/// The weighting methods that take classes, as methods that learn a map: features, or the
/// coordinates of a kernel's basis, scaled by the roots of their weights.
pub fn weightings() -> impl Iterator<Item = &'static MapMethodInfo> {
    let regression = |name: &str| {
        METHODS.iter().any(|method| method.name == name && method.task == Task::Regression)
    };
    WEIGHTINGS.iter().filter(move |method| !regression(method.name))
}

/// The method of that name.
///
/// # Errors
/// No such method; the nearest name is suggested.
pub fn method(name: &str) -> Result<&'static MethodInfo> {
    let found = METHODS.iter().find(|method| method.name == name).copied();
    found.ok_or_else(|| unknown_method(name, METHODS.iter().map(|method| method.name)))
}

/// The method of that name that learns a map, or whose weights make one.
///
/// # Errors
/// No such method; the nearest name is suggested.
pub fn map_method(name: &str) -> Result<&'static MapMethodInfo> {
    let all = || MAP_METHODS.iter().copied().chain(weightings());
    let found = all().find(|method| method.name == name);
    found.ok_or_else(|| unknown_method(name, all().map(|method| method.name)))
}

fn unknown_method<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Error {
    if MAP_METHODS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief fit`";
        return Error::option("method", format!("`{name}` learns a map and ranks nothing"), help);
    }
    if METHODS.iter().any(|method| method.name == name) {
        let help = "use it with `basrelief rank`";
        return Error::option(
            "method",
            format!("`{name}` explains a real target, no classes"),
            help,
        );
    }
    let help = match nearest_name(name, names) {
        Some(near) => format!("did you mean `{near}`? `basrelief methods` lists all"),
        None => "`basrelief methods` lists all".to_string(),
    };
    Error::option("method", format!("there is no method `{name}`"), help)
}
