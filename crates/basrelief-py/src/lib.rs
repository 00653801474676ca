//! `basrelief._native`: the methods of basrelief for Python.
//!
//! The crate is deliberately thin: it reads arrays without a copy and returns weights. All information about
//! a method comes from its registry entry; no code here refers to a method by name.

#![forbid(unsafe_code)]

mod arrays;
mod cohort;
mod columns;
mod covariates;
mod distribute;
mod encoding;
mod errors;
mod input;
mod learned_map;
mod nearest;
mod outcome;
mod pairs;
mod registry;
mod significance;
mod skrebate;
mod stated;
mod tables;
mod threads;
mod watch;

use std::ffi::OsString;

use basrelief::data::{self, ColumnKind, Target, TargetKind};
use basrelief::methods::{MapMethodInfo, Task};
use basrelief::{Error, maps, methods};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use errors::{to_python, told};

/// How a method reads its target; maps prefer classes.
fn target_kind(method: &str, target_type: &str) -> PyResult<TargetKind> {
    let of_weights = methods::METHODS.iter().find(|own| own.name == method).map(|own| own.task);
    let of_map = || methods::map_method(method).ok().and_then(MapMethodInfo::task);
    let usual = of_weights.or_else(of_map).map_or(TargetKind::PreferClasses, Task::target_kind);
    TargetKind::from_text(target_type, usual).map_err(to_python)
}

/// Whether a method reads a target of these numbers as classes; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn target_is_classes(
    method: &str,
    values: PyReadonlyArray1<'_, f64>,
    target_type: &str,
) -> PyResult<(bool, Option<String>)> {
    let kind = target_kind(method, target_type)?;
    let (classes, warning) = kind.takes_as_classes(values.as_slice()?);
    Ok((classes, warning.as_ref().map(told)))
}

/// Either the codes and names of classes, or numbers; and a warning.
type TargetParts<'py> = (
    Option<(Bound<'py, PyArray1<u32>>, Vec<String>)>,
    Option<Bound<'py, PyArray1<f64>>>,
    Option<String>,
);

/// Reads a target of texts for a method; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn target_of_texts<'py>(
    py: Python<'py>,
    method: &str,
    codes: PyReadonlyArray1<'_, i32>,
    levels: Vec<String>,
    target_type: &str,
) -> PyResult<TargetParts<'py>> {
    let kind = target_kind(method, target_type)?;
    let texts = columns::categories(codes.as_slice()?, &levels).map_err(to_python)?;
    let (target, warning) = Target::of_texts("y", texts, kind).map_err(to_python)?;
    let doubt = warning.as_ref().map(told);
    Ok(match target {
        Target::Classes(classes) => {
            let codes = classes.codes().to_vec().into_pyarray(py);
            (Some((codes, classes.names().to_vec())), None, doubt)
        }
        other => {
            let numbers = other.values(method).map_err(to_python)?.to_vec();
            (None, Some(numbers.into_pyarray(py)), doubt)
        }
    })
}

/// Infers the kind of a column of texts; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn kind_of_texts(
    name: &str,
    levels: Vec<String>,
    counts: Vec<usize>,
    rows: Vec<usize>,
) -> PyResult<&'static str> {
    if counts.len() != levels.len() || rows.len() != levels.len() {
        return Err(PyValueError::new_err("provide one count and one row per level"));
    }
    let kind = ColumnKind::of_texts(name, &levels, &counts, &rows).map_err(to_python)?;
    Ok(kind.name())
}

/// Infers the kind of a column of numbers; see `_native.pyi`.
#[pyfunction]
fn kind_of_numbers(seen: [bool; 3], has_others: bool) -> &'static str {
    ColumnKind::of_numbers(seen, has_others).name()
}

/// Whether a text is a missing value; see `_native.pyi`.
#[pyfunction]
fn is_missing_text(text: &str) -> bool {
    data::is_missing_text(text)
}

/// Words the error for whole numbers that would be rounded; see `_native.pyi`.
#[pyfunction]
fn inexact_number(cells: &str, column: &str) -> String {
    errors::message(&Error::from(data::inexact(cells, column)))
}

/// Sets rounding errors in weights to 0; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn without_rounding<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let weights = weights.as_slice()?;
    let largest = maps::largest_weight(weights.iter().copied());
    let shown = weights.iter().map(|&weight| maps::without_rounding(weight, largest));
    Ok(shown.collect::<Vec<f64>>().into_pyarray(py))
}

/// Runs the command line; see `_native.pyi`.
#[pyfunction]
fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| basrelief_cli::run(arguments))
}

/// The module. It has no state that depends on the global interpreter lock, so that it works without the lock.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("__profile__", env!("BASRELIEF_PROFILE"))?;
    module.add_function(wrap_pyfunction!(run_program, module)?)?;
    module.add_function(wrap_pyfunction!(outcome::fit, module)?)?;
    module.add_function(wrap_pyfunction!(significance::positive_rows, module)?)?;
    module.add_function(wrap_pyfunction!(covariates::residuals, module)?)?;
    module.add_function(wrap_pyfunction!(without_rounding, module)?)?;
    module.add_function(wrap_pyfunction!(learned_map::fit_map, module)?)?;
    module.add_function(wrap_pyfunction!(learned_map::fit_map_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(learned_map::draw_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(learned_map::fit_map_comparisons, module)?)?;
    module.add_function(wrap_pyfunction!(learned_map::map_page, module)?)?;
    module.add_function(wrap_pyfunction!(pairs::find_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(outcome::select_on_resamples, module)?)?;
    module.add_function(wrap_pyfunction!(target_is_classes, module)?)?;
    module.add_function(wrap_pyfunction!(target_of_texts, module)?)?;
    module.add_function(wrap_pyfunction!(kind_of_texts, module)?)?;
    module.add_function(wrap_pyfunction!(kind_of_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(columns::column_names, module)?)?;
    module.add_function(wrap_pyfunction!(is_missing_text, module)?)?;
    module.add_function(wrap_pyfunction!(inexact_number, module)?)?;
    module.add_function(wrap_pyfunction!(encoding::encode_rows, module)?)?;
    module.add_function(wrap_pyfunction!(encoding::encoded_names, module)?)?;
    module.add_function(wrap_pyfunction!(learned_map::map_rows, module)?)?;
    module.add_function(wrap_pyfunction!(nearest::nearest_rows, module)?)?;
    module.add_function(wrap_pyfunction!(skrebate::skrebate_scores, module)?)?;
    module.add_function(wrap_pyfunction!(nearest::nearest_answers, module)?)?;
    module.add_function(wrap_pyfunction!(nearest::nearest_classes, module)?)?;
    module.add_function(wrap_pyfunction!(registry::list_methods, module)?)?;
    module.add_function(wrap_pyfunction!(registry::list_map_methods, module)?)?;
    module.add_function(wrap_pyfunction!(registry::list_wrappers, module)?)?;
    module.add_function(wrap_pyfunction!(columns::column_index, module)?)?;
    module.add_function(wrap_pyfunction!(cohort::open_cohort, module)?)?;
    module.add_function(wrap_pyfunction!(tables::read_samples, module)?)?;
    module.add_class::<cohort::PlinkCohort>()?;
    module.add_class::<errors::Audience>()?;
    module.add_class::<outcome::FitReport>()?;
    module.add_class::<outcome::Weights>()?;
    module.add_class::<outcome::Resamples>()?;
    module.add_class::<learned_map::MapFit>()?;
    module.add_function(wrap_pyfunction!(errors::speak_to, module)?)?;
    module.add_function(wrap_pyfunction!(columns::check_columns, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::row_checksums, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_permutations, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_permute, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_test, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::check_test_in_parts, module)?)?;
    module.add("DIFFERENCES_PER_SECOND", basrelief::distribute::Plan::DIFFERENCES_PER_SECOND)?;
    module.add_function(wrap_pyfunction!(distribute::job_layout, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_columns, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_plan, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_stages, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_pair, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_known, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_lists, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_sums, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_scatter, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_map, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_margins, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_rounds, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_again, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_round, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_after, module)?)?;
    Ok(())
}
