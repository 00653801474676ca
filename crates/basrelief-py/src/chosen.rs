//! What weighs, as Python names it.

use basrelief::Result;
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{self, MethodInfo, Settings};
use pyo3::prelude::*;

use crate::errors::to_python;

/// The method of a name, with its options, and the wrappers around it.
pub(crate) fn chosen_method(
    name: &str,
    options: &[(String, String)],
    wrappers: &[String],
) -> PyResult<(&'static MethodInfo, Settings, Vec<Wrapper>)> {
    let method = methods::method(name).map_err(to_python)?;
    let settings = method.settings(options).map_err(to_python)?;
    let wrappers: Result<Vec<Wrapper>> = wrappers.iter().map(|text| Wrapper::parse(text)).collect();
    Ok((method, settings, wrappers.map_err(to_python)?))
}
