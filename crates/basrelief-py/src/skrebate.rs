//! The scores of scikit-rebate's methods.

use basrelief::Error;
use basrelief::methods::skrebate::{Labels, Neighbors, scores};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::to_python;
use crate::threads::run_on;
use crate::watch::interruptible;

/// Labels from Python.
#[derive(FromPyObject)]
pub(crate) enum LabelInput<'py> {
    /// Class codes, and the number of classes if misses are grouped by class.
    Codes(PyReadonlyArray1<'py, u32>, Option<usize>),
    /// Numbers, and the difference below which two rows are hits.
    Numbers(PyReadonlyArray1<'py, f64>, f64),
}

/// Computes the scores of scikit-rebate 0.8.4; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (name, features, is_categorical, labels, *, neighbors, factors=None, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn skrebate_scores<'py>(
    py: Python<'py>,
    name: &str,
    features: PyReadonlyArray2<'py, f64>,
    is_categorical: Vec<bool>,
    labels: LabelInput<'py>,
    neighbors: usize,
    factors: Option<PyReadonlyArray1<'py, f64>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let rule = Neighbors::of_class(name, neighbors)
        .ok_or_else(|| to_python(Error::Internal(format!("scikit-rebate has no class {name}"))))?;
    let (rows, width) = (features.shape()[0], features.shape()[1]);
    let values = features.as_slice()?;
    let column = |feature: usize| (0..rows).map(|row| values[row * width + feature]).collect();
    let columns: Vec<Vec<f64>> = (0..width).map(column).collect();
    let labels = match &labels {
        LabelInput::Codes(codes, None) => Labels::Binary(codes.as_slice()?.to_vec()),
        LabelInput::Codes(codes, Some(count)) => {
            Labels::Classes(codes.as_slice()?.to_vec(), *count)
        }
        LabelInput::Numbers(numbers, bound) => {
            Labels::Numbers(numbers.as_slice()?.to_vec(), *bound)
        }
    };
    let factors = factors.as_ref().map(|factors| factors.as_slice()).transpose()?;
    let run = run_on(py, threads)?;
    let found = interruptible(py, run, None, |run| {
        scores(columns, is_categorical, &labels, rule, factors, run)
    })?;
    Ok(found.into_pyarray(py))
}
