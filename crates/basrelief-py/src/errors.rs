//! Errors of the library as Python exceptions, in the words of Python.

use basrelief::{Error, FrontEnd};
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};

/// The user's input gives `ValueError`, an interruption `KeyboardInterrupt`, all else
/// `RuntimeError`.
pub(crate) fn to_python(error: Error) -> PyErr {
    let message = error.message(FrontEnd::Python);
    match error {
        Error::Data(_) | Error::Option { .. } | Error::File { .. } => {
            PyValueError::new_err(message)
        }
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}
