//! Arrays and targets of Python, and those of the library.

use basrelief::data::{Classes, DenseMatrix, Target};
use numpy::{
    IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::errors::to_python;

/// The target as Python hands it over.
#[derive(FromPyObject)]
pub(crate) enum TargetInput<'py> {
    /// Class codes and the classes' names.
    Classes(PyReadonlyArray1<'py, u32>, Vec<String>),
    /// A real number per row.
    Real(PyReadonlyArray1<'py, f64>),
}

impl TargetInput<'_> {
    /// The target of the library.
    pub(crate) fn read(&self) -> PyResult<Target> {
        match self {
            TargetInput::Classes(codes, names) => Classes::from_codes(codes.as_slice()?, names)
                .map(Target::Classes)
                .map_err(to_python),
            TargetInput::Real(values) => {
                Target::real(values.as_slice()?.to_vec()).map_err(to_python)
            }
        }
    }
}

/// An array as a matrix.
pub(crate) fn dense(array: &PyReadonlyArray2<'_, f64>) -> PyResult<DenseMatrix> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    Ok(DenseMatrix::new(array.as_slice()?.to_vec(), rows, columns))
}

/// A matrix as an array.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    matrix: &DenseMatrix,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    matrix.values().to_vec().into_pyarray(py).reshape([matrix.rows(), matrix.columns()])
}
