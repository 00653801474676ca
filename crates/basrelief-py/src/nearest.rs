//! Nearest rows, and predictions from them.

use basrelief::data::{DenseMatrix, Target};
use basrelief::knn::{ExactKnn, KNearestNeighbors, VoteWeights};
use basrelief::neighbors::Metric;
use basrelief::{Error, Result, Run};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{TargetInput, dense, matrix};
use crate::errors::to_python;
use crate::threads::run_on;
use crate::watch::interruptible;

/// Finds the nearest rows of every query row; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
#[expect(clippy::type_complexity, reason = "a pair of arrays")]
pub(crate) fn nearest_rows<'py>(
    py: Python<'py>,
    known: PyReadonlyArray2<'py, f64>,
    sought: Option<PyReadonlyArray2<'py, f64>>,
    count: usize,
    metric: &str,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>)> {
    let metric = read_metric(metric).map_err(to_python)?;
    let run = run_on(py, threads)?;
    let known = dense(&known)?;
    let sought = sought.as_ref().map(dense).transpose()?;
    let found = interruptible(py, run, None, |run| {
        let index = ExactKnn::new(&known, metric);
        match &sought {
            Some(sought) => index.nearest(sought, count, run),
            None => index.nearest_others(count, run),
        }
    })?;
    let shape = [sought.as_ref().unwrap_or(&known).rows(), count];
    let (rows, distances) = found.into_parts();
    let rows: Vec<i64> = rows.into_iter().map(i64::from).collect();
    Ok((rows.into_pyarray(py).reshape(shape)?, distances.into_pyarray(py).reshape(shape)?))
}

/// Predicts class fractions or a mean for every query row; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn nearest_answers<'py>(
    py: Python<'py>,
    known: PyReadonlyArray2<'py, f64>,
    target: TargetInput<'py>,
    sought: PyReadonlyArray2<'py, f64>,
    count: usize,
    metric: &str,
    weights: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (target, weights) = (target.read()?, read_vote_weights(weights).map_err(to_python)?);
    let answers =
        ask(py, &known, &target, &sought, metric, threads, |neighbors, sought, run| match target
            .as_classes()
        {
            Some(_) => neighbors.shares(sought, count, weights, run),
            None => {
                let means = neighbors.means(sought, count, weights, run)?;
                Ok(DenseMatrix::new(means, sought.rows(), 1))
            }
        })?;
    matrix(py, &answers)
}

/// Predicts the class code of every query row; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn nearest_classes<'py>(
    py: Python<'py>,
    known: PyReadonlyArray2<'py, f64>,
    target: TargetInput<'py>,
    sought: PyReadonlyArray2<'py, f64>,
    count: usize,
    metric: &str,
    weights: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let (target, weights) = (target.read()?, read_vote_weights(weights).map_err(to_python)?);
    let classes = ask(py, &known, &target, &sought, metric, threads, |neighbors, sought, run| {
        neighbors.classes(sought, count, weights, run)
    })?;
    Ok(classes.into_pyarray(py))
}

fn ask<T: Send>(
    py: Python<'_>,
    known: &PyReadonlyArray2<'_, f64>,
    target: &Target,
    sought: &PyReadonlyArray2<'_, f64>,
    metric: &str,
    threads: Option<usize>,
    question: impl FnOnce(&KNearestNeighbors<'_>, &DenseMatrix, &Run) -> Result<T> + Send,
) -> PyResult<T> {
    let metric = read_metric(metric).map_err(to_python)?;
    let run = run_on(py, threads)?;
    let (known, sought) = (dense(known)?, dense(sought)?);
    interruptible(py, run, None, |run| {
        question(&KNearestNeighbors::new(&known, target, metric)?, &sought, run)
    })
}

fn read_metric(text: &str) -> Result<Metric> {
    let names = || format!("use one of {}", Metric::NAMES.join(", "));
    text.parse().map_err(|_| unknown("metric", text, &names()))
}

fn read_vote_weights(text: &str) -> Result<VoteWeights> {
    match text {
        "uniform" => Ok(VoteWeights::Uniform),
        "distance" => Ok(VoteWeights::Distance),
        _ => Err(unknown("weights", text, "use uniform or distance")),
    }
}

fn unknown(option: &str, value: &str, help: &str) -> Error {
    Error::option(option, format!("`{value}` is not one of its values"), help)
}
