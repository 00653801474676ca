//! Conversion of arrays and targets between Python and the library.

use basrelief::data::{Classes, DenseMatrix, LabelTree, MultiTarget, Survival, Target};
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
    /// Several targets with their names and the rows that have them, the number of rows, and the labels of a hierarchy with
    /// their parents, if there is one.
    Several(Vec<(String, TargetInput<'py>, Vec<usize>)>, usize, Option<LabelPairs>),
}

/// Labels with their parents.
type LabelPairs = Vec<(String, Option<String>)>;

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
            TargetInput::Several(parts, rows, tree) => {
                let part = |(name, target, known): &(String, TargetInput<'_>, Vec<usize>)| {
                    Ok((name.clone(), target.read()?, known.clone()))
                };
                let parts = parts.iter().map(part).collect::<PyResult<Vec<_>>>()?;
                several(parts, *rows, tree.as_deref()).map_err(to_python)
            }
        }
    }
}

/// Several targets, or one that is known in all rows, in a hierarchy of labels if there is one.
fn several(
    mut parts: Vec<(String, Target, Vec<usize>)>,
    rows: usize,
    tree: Option<&[(String, Option<String>)]>,
) -> basrelief::Result<Target> {
    let target = match parts.as_slice() {
        [(_, target, known)] if known.len() == rows && target.rows() == rows => {
            parts.swap_remove(0).1
        }
        _ => Target::several(parts, rows)?,
    };
    let target = match tree {
        None => target,
        Some(pairs) => target.in_tree(&LabelTree::new(pairs)?)?,
    };
    target.as_multi().map_or(Ok(()), MultiTarget::check_varies)?;
    Ok(target)
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
