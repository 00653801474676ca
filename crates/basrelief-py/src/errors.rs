//! Errors and warnings of the library in the wording for Python, with the parameters of the called object.

use std::cell::RefCell;
use std::collections::BTreeMap;

use basrelief::front_end::Parameter;
use basrelief::wording::Text;
use basrelief::{Error, FrontEnd, Warning};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The settings of the called object; see `_native.pyi`.
#[pyclass(frozen)]
#[derive(Debug, Clone)]
pub(crate) struct Audience(basrelief::Audience);

#[pymethods]
impl Audience {
    #[new]
    fn new(
        parameters: BTreeMap<String, (String, String)>,
        words: BTreeMap<String, String>,
    ) -> Self {
        let given = |(setting, (name, around))| (setting, Parameter { name, around });
        let audience = basrelief::Audience::from(FrontEnd::Python)
            .with_settings(parameters.into_iter().map(given))
            .with_words(words);
        Self(audience)
    }
}

thread_local! {
    /// The audience of errors and warnings in this thread; `None` if every setting exists.
    static AUDIENCE: RefCell<Option<Audience>> = const { RefCell::new(None) };
}

/// Sets the audience of the messages in this thread; see `_native.pyi`.
#[pyfunction]
pub(crate) fn speak_to(audience: Option<&Bound<'_, Audience>>) -> Option<Audience> {
    AUDIENCE.replace(audience.map(|audience| audience.get().clone()))
}

fn spelled(text: &Text) -> String {
    AUDIENCE.with_borrow(|audience| match audience {
        Some(Audience(audience)) => audience.spell(text),
        None => FrontEnd::Python.spell(text),
    })
}

/// The text of a warning, in the wording for Python.
pub(crate) fn told(warning: &Warning) -> String {
    spelled(warning.text())
}

/// The texts of the warnings, without notes about options that the user gave.
pub(crate) fn unrequested(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().filter(|warning| !warning.is_requested()).map(told).collect()
}

/// The text of an error, in the wording for Python.
pub(crate) fn message(error: &Error) -> String {
    spelled(&error.text())
}

/// Converts errors in the user's input to `ValueError`, an interruption to `KeyboardInterrupt`, and others to
/// `RuntimeError`.
pub(crate) fn to_python(error: Error) -> PyErr {
    let message = message(&error);
    match error {
        Error::Data(_) | Error::Option { .. } | Error::File { .. } => {
            PyValueError::new_err(message)
        }
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}
