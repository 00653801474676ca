//! Conversion of arrays and targets between Python and the library.

use basrelief::data::{Classes, DenseMatrix, Survival, Target};
use numpy::{
    IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::errors::to_python;

/// A target from Python.
#[derive(FromPyObject)]
pub(crate) enum TargetInput<'py> {
    /// Class codes, and the names of the classes.
    Classes(PyReadonlyArray1<'py, u32>, Vec<String>),
    /// One number per row.
    Real(PyReadonlyArray1<'py, f64>),
    /// Survival times, and whether each is that of an event.
    Survival(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, bool>),
}

impl TargetInput<'_> {
    /// Converts the target to that of the library.
    pub(crate) fn read(&self) -> PyResult<Target> {
        match self {
            TargetInput::Classes(codes, names) => Classes::from_codes(codes.as_slice()?, names)
                .map(Target::Classes)
                .map_err(to_python),
            TargetInput::Real(values) => {
                Target::real(values.as_slice()?.to_vec()).map_err(to_python)
            }
            TargetInput::Survival(times, events) => {
                Survival::new(times.as_slice()?.to_vec(), events.as_slice()?.to_vec())
                    .map(Target::Survival)
                    .map_err(to_python)
            }
        }
    }
}

/// Converts an array to a matrix.
pub(crate) fn dense(array: &PyReadonlyArray2<'_, f64>) -> PyResult<DenseMatrix> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    Ok(DenseMatrix::new(array.as_slice()?.to_vec(), rows, columns))
}

/// Converts a matrix to an array.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    matrix: &DenseMatrix,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    matrix.values().to_vec().into_pyarray(py).reshape([matrix.rows(), matrix.columns()])
}
