//! `basrelief._native`: the methods of basrelief for Python.
//!
//! Thin on purpose: arrays go in without a copy, weights come out, and whatever can be said about
//! a method comes from its registry entry. Nothing here knows a method by name.

#![forbid(unsafe_code)]

mod arrays;
mod chosen;
mod cohort;
mod columns;
mod covariates;
mod distribute;
mod encoding;
mod errors;
mod nearest;
mod page;
mod pairs;
mod registry;
mod resampling;
mod significance;
mod threads;
mod watch;

use std::collections::HashSet;
use std::ffi::OsString;

use basrelief::data::{self, Table, Target, TargetKind, numbers_are_classes};
use basrelief::maps::{self, FeatureWeights, KernelMap, LinearMap, Map};
use basrelief::methods::wrappers::{fit_wrapped, for_targets};
use basrelief::methods::{self, MapMethodInfo, Problem, RowComparison, RowPair, Settings};
use basrelief::neighbors::NeighborSearch;
use basrelief::solve::Kernel;
use basrelief::{Error, Fitted, Plan, Report, Run};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use arrays::{TargetInput, dense, matrix};
use chosen::chosen_method;
use columns::{Features, KindInput};
use covariates::CovariateInput;
use errors::{to_python, told};
use significance::{TestInput, test_dict};
use threads::run_on;

/// How a method reads its target; maps read classes.
fn target_kind(method: &str, target_type: &str) -> PyResult<TargetKind> {
    let method = methods::METHODS.iter().find(|own| own.name == method);
    let usual = method.map_or(TargetKind::PreferClasses, |own| own.task.target_kind());
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
    let (classes, warning) = numbers_are_classes(values.as_slice()?, kind);
    Ok((classes, warning.as_ref().map(told)))
}

/// Codes and names of classes, or numbers, of which one is there; and a warning.
type TargetParts<'py> = (
    Option<(Bound<'py, PyArray1<u32>>, Vec<String>)>,
    Option<Bound<'py, PyArray1<f64>>>,
    Option<String>,
);

/// What a method reads in a target of texts; see `_native.pyi`.
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
    let (target, warning) = data::target_of_texts("y", texts, kind).map_err(to_python)?;
    let doubt = warning.as_ref().map(told);
    Ok(match target {
        Target::Classes(classes) => {
            let codes = classes.codes().to_vec().into_pyarray(py);
            (Some((codes, classes.names().to_vec())), None, doubt)
        }
        Target::Real(numbers) => (None, Some(numbers.into_pyarray(py)), doubt),
    })
}

/// The kind of a column of texts; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn kind_of_texts(
    name: &str,
    levels: Vec<String>,
    counts: Vec<usize>,
    rows: Vec<usize>,
) -> PyResult<&'static str> {
    if counts.len() != levels.len() || rows.len() != levels.len() {
        return Err(PyValueError::new_err("give one count and one row per level"));
    }
    let kind = data::kind_of_texts(name, &levels, &counts, &rows).map_err(to_python)?;
    Ok(kind.name())
}

/// The kind of a column of numbers; see `_native.pyi`.
#[pyfunction]
fn kind_of_numbers(seen: [bool; 3], has_others: bool) -> &'static str {
    data::kind_of_numbers(seen, has_others).name()
}

/// Whether a text stands for a missing value; see `_native.pyi`.
#[pyfunction]
fn is_missing_text(text: &str) -> bool {
    data::is_missing_text(text)
}

/// The error for whole numbers that would be rounded; see `_native.pyi`.
#[pyfunction]
fn inexact_number(cells: &str, column: &str) -> String {
    errors::message(&Error::from(data::inexact(cells, column)))
}

/// Fits a weighting method; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, target, options, *, wrappers=Vec::new(), seed=0,
                    threads=None, progress=None, test=None, covariates=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn fit<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    target: TargetInput<'py>,
    options: Vec<(String, String)>,
    wrappers: Vec<String>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    test: Option<TestInput<'py>>,
    covariates: Option<CovariateInput<'py>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (method, settings, wrappers) = chosen_method(method, &options, &wrappers)?;
    let beside = covariates.as_ref().map(CovariateInput::borrow).transpose()?;
    let test = test.map(|test| test.read(names.len())).transpose()?;
    if test.is_some() {
        method.check_test().map_err(to_python)?;
    }
    let run = run_on(py, threads)?.with_seed(seed);
    let target = target.read()?;
    let values = features.borrow()?;
    let (fitted, tested) = watch::interruptible(py, run, progress.as_ref(), |run| {
        let table = values.table(&names, &kinds, run)?;
        let covariates = beside.as_ref().map(|beside| beside.read(run)).transpose()?;
        let problem = Problem::new(&table, &target)?.with_covariates(covariates.as_ref())?;
        let mut doubts = data::guesses(table.columns(), guessed(&names, &kinds));
        doubts.extend(values.repeated_rows(&table, covariates.as_ref(), &target));
        let weigh = || -> basrelief::Result<_> {
            let mut fitted = fit_wrapped(method, &settings, &wrappers, &problem, run)?;
            fitted.report.warnings.splice(0..0, doubts.iter().cloned());
            Ok(fitted)
        };
        let Some(test) = &test else { return Ok((weigh()?, None)) };
        let permutations = test.permutations(&target, covariates.as_ref(), run)?;
        let mut fitted = weigh()?;
        fitted.report.warnings.extend(permutations.warnings().iter().cloned());
        let mut targets = for_targets(method, &settings, &wrappers, &problem, run)?;
        let tested = test.run(&permutations, &mut *targets, fitted.map.weights(), run)?;
        Ok((fitted, Some(tested)))
    })?;
    let result = result_dict(py, fitted)?;
    if let Some(tested) = tested {
        result.set_item("test", test_dict(py, tested)?)?;
    }
    result.set_item("options", options_dict(py, &settings)?)?;
    Ok(result)
}

/// Weights with 0 in place of rounding errors; see `_native.pyi`.
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

/// Fits a method that learns a map; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, target, options, *, seed=0, threads=None,
                    progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn fit_map<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    target: Option<TargetInput<'py>>,
    options: Vec<(String, String)>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let target = target.map(|target| target.read()).transpose()?;
    let run = run_on(py, threads)?.with_seed(seed);
    let columns = (&features, &names[..], &kinds[..]);
    learned(py, method, columns, &options, (run, progress), |method, table, settings, run| {
        method.fit(table, target.as_ref(), settings, run)
    })
}

/// Fits a method that learns a map to pairs of rows; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, pairs, options, *, seed=0, threads=None,
                    progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn fit_map_pairs<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    pairs: Vec<(u32, u32, bool)>,
    options: Vec<(String, String)>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let pair = |(first, second, alike)| RowPair { rows: (first, second), alike };
    let pairs: Vec<RowPair> = pairs.into_iter().map(pair).collect();
    let run = run_on(py, threads)?.with_seed(seed);
    let columns = (&features, &names[..], &kinds[..]);
    learned(py, method, columns, &options, (run, progress), |method, table, settings, run| {
        method.fit_pairs(table, pairs, settings, run)
    })
}

/// Fits a method that learns a map to comparisons of distances; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, comparisons, options, *, seed=0, threads=None,
                    progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn fit_map_comparisons<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    comparisons: Vec<(u32, u32, u32, u32)>,
    options: Vec<(String, String)>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let comparison = |(a, b, c, d)| RowComparison { near: (a, b), far: (c, d) };
    let comparisons: Vec<RowComparison> = comparisons.into_iter().map(comparison).collect();
    let run = run_on(py, threads)?.with_seed(seed);
    let columns = (&features, &names[..], &kinds[..]);
    learned(py, method, columns, &options, (run, progress), |method, table, settings, run| {
        method.fit_comparisons(table, comparisons, settings, run)
    })
}

/// The map that a method learns of columns with these names and kinds, by whichever fit.
fn learned<'py>(
    py: Python<'py>,
    method: &str,
    (features, names, kinds): (&Features<'py>, &[String], &[KindInput]),
    options: &[(String, String)],
    (run, progress): (Run, Option<Py<PyAny>>),
    fit: impl FnOnce(&MapMethodInfo, &Table<'_>, &Settings, &Run) -> Result<Fitted<Map>, Error> + Send,
) -> PyResult<Bound<'py, PyDict>> {
    let method = methods::map_method(method).map_err(to_python)?;
    let settings = method.settings(options).map_err(to_python)?;
    let values = features.borrow()?;
    let fitted = watch::interruptible(py, run, progress.as_ref(), |run| {
        let table = values.table(names, kinds, run)?;
        let mut fitted = fit(method, &table, &settings, run)?;
        fitted.report.warnings.splice(0..0, data::guesses(table.columns(), guessed(names, kinds)));
        Ok(fitted)
    })?;
    map_dict(py, fitted, &settings)
}

/// Whether the kind of the column of a name is inferred.
fn guessed<'k>(names: &'k [String], kinds: &'k [KindInput]) -> impl Fn(&str) -> bool + use<'k> {
    let inferred = names.iter().zip(kinds).filter(|(_, kind)| kind.is_inferred());
    let inferred: HashSet<&str> = inferred.map(|(name, _)| name.as_str()).collect();
    move |name: &str| inferred.contains(name)
}

/// A map and how it was found.
fn map_dict<'py>(
    py: Python<'py>,
    fitted: Fitted<Map>,
    settings: &Settings,
) -> PyResult<Bound<'py, PyDict>> {
    let result = report_dict(py, &fitted.report)?;
    result.set_item("options", options_dict(py, settings)?)?;
    result.set_item("encoding", encoding::parts(fitted.map.encoding()))?;
    match fitted.map {
        Map::Linear(map) => {
            result.set_item("mean", map.mean().to_vec().into_pyarray(py))?;
            match map.diagonal() {
                Some(diagonal) => {
                    result.set_item("diagonal", diagonal.to_vec().into_pyarray(py))?;
                }
                None => result.set_item("components", matrix(py, map.matrix())?)?,
            }
            result.set_item("eigenvalues", map.eigenvalues().to_vec().into_pyarray(py))?;
            result.set_item("discriminant_power", map.discriminant_power())?;
        }
        Map::Kernel(map) => {
            result.set_item("kernel", map.kernel().to_string())?;
            result.set_item("mean", map.shift().to_vec().into_pyarray(py))?;
            result.set_item("units", map.units().to_vec().into_pyarray(py))?;
            result.set_item("basis", matrix(py, map.basis())?)?;
            result.set_item("components", matrix(py, map.coefficients())?)?;
            result.set_item("offset", map.offset().to_vec().into_pyarray(py))?;
            result.set_item("eigenvalues", map.eigenvalues().to_vec().into_pyarray(py))?;
            result.set_item("discriminant_power", map.discriminant_power())?;
        }
        other => {
            return Err(to_python(Error::Internal(format!("a map of no known kind: {other:?}"))));
        }
    }
    Ok(result)
}

/// The matrix of a linear map, or its diagonal.
#[derive(FromPyObject)]
enum Components<'py> {
    Diagonal(PyReadonlyArray1<'py, f64>),
    Dense(PyReadonlyArray2<'py, f64>),
}

/// Maps rows by a linear map; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn linear_transform<'py>(
    py: Python<'py>,
    mean: PyReadonlyArray1<'py, f64>,
    components: Components<'py>,
    names: Vec<String>,
    rows: PyReadonlyArray2<'py, f64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let run = run_on(py, threads)?;
    let mean = mean.as_slice()?.to_vec();
    let rows = dense(&rows)?;
    let wrong = || PyValueError::new_err("the parts of the map do not fit together");
    if rows.columns() != mean.len() || names.len() != mean.len() {
        return Err(wrong());
    }
    let map = match components {
        Components::Diagonal(diagonal) => {
            let diagonal = diagonal.as_slice()?.to_vec();
            if diagonal.len() > mean.len() {
                return Err(wrong());
            }
            LinearMap::from_diagonal(names, mean, diagonal)
        }
        Components::Dense(components) => {
            let components = dense(&components)?;
            if components.columns() != mean.len() {
                return Err(wrong());
            }
            LinearMap::new(names, mean, components, Vec::new(), None)
        }
    };
    let mapped = watch::interruptible(py, run, None, |run| map.transform(&rows, run))?;
    matrix(py, &mapped)
}

/// Maps rows by a kernel map; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
fn kernel_transform<'py>(
    py: Python<'py>,
    kernel: &str,
    mean: PyReadonlyArray1<'py, f64>,
    units: PyReadonlyArray1<'py, f64>,
    basis: PyReadonlyArray2<'py, f64>,
    components: PyReadonlyArray2<'py, f64>,
    offset: PyReadonlyArray1<'py, f64>,
    names: Vec<String>,
    rows: PyReadonlyArray2<'py, f64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let kernel: Kernel = kernel.parse().map_err(PyValueError::new_err)?;
    let run = run_on(py, threads)?;
    let (mean, units) = (mean.as_slice()?.to_vec(), units.as_slice()?.to_vec());
    let (basis, components) = (dense(&basis)?, dense(&components)?);
    let (offset, rows) = (offset.as_slice()?.to_vec(), dense(&rows)?);
    let fits = units.len() == mean.len()
        && names.len() == mean.len()
        && basis.columns() == mean.len()
        && rows.columns() == mean.len()
        && components.columns() == basis.rows()
        && offset.len() == components.rows();
    if !fits {
        return Err(PyValueError::new_err("the parts of the map do not fit together"));
    }
    let linear = (components, offset);
    let map = KernelMap::new(names, (mean, units), kernel, basis, linear, Vec::new(), None);
    let mapped = watch::interruptible(py, run, None, |run| map.transform(&rows, run))?;
    matrix(py, &mapped)
}

fn result_dict(py: Python<'_>, fitted: Fitted<FeatureWeights>) -> PyResult<Bound<'_, PyDict>> {
    let Fitted { map, report } = fitted;
    let result = report_dict(py, &report)?;
    let ranks: Vec<i64> = map.ranks().into_iter().map(|rank| rank as i64).collect();
    result.set_item("weights", map.weights().to_vec().into_pyarray(py))?;
    result.set_item("ranks", ranks.into_pyarray(py))?;
    result.set_item("changes", report.changes)?;
    let elimination = report.elimination;
    result
        .set_item("elimination", elimination.map(|told| (told.features, told.kept, told.ranks)))?;
    Ok(result)
}

fn options_dict<'py>(py: Python<'py>, settings: &Settings) -> PyResult<Bound<'py, PyDict>> {
    let options = PyDict::new(py);
    for (name, value) in settings.iter() {
        options.set_item(name, value.to_string())?;
    }
    Ok(options)
}

fn report_dict<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let warnings = report.warnings.iter();
    let warnings: Vec<_> = warnings.map(|warning| (warning.code(), told(warning))).collect();
    result.set_item("warnings", warnings)?;
    result.set_item("search", report.search.map(NeighborSearch::name))?;
    result.set_item("iterations", report.iterations)?;
    result.set_item("converged", report.converged)?;
    result.set_item("last_change", report.last_change)?;
    result.set_item("objective", report.objective)?;
    result.set_item("constraints", report.constraints)?;
    result.set_item("relative_gap", report.relative_gap)?;
    result.set_item("rank", report.rank)?;
    result.set_item("ridge", report.ridge)?;
    result.set_item("seconds", report.seconds)?;
    result.set_item("plan", plan_dict(py, &report.plan)?)?;
    Ok(result)
}

fn plan_dict<'py>(py: Python<'py>, plan: &Plan) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    if let Some(search) = &plan.search {
        result.set_item("route", search.route)?;
        result.set_item("search", search.text())?;
        result.set_item("missing", search.missing.as_deref())?;
        result.set_item("bytes", search.bytes)?;
        result.set_item("bytes_in_file", search.bytes_in_file)?;
        result.set_item("not_used", &search.not_used)?;
        result.set_item("fallback", search.fallback.as_deref())?;
    }
    if let Some(sums) = &plan.sums {
        result.set_item("sums", sums.text())?;
    }
    Ok(result)
}

/// Runs the command line; see `_native.pyi`.
#[pyfunction]
fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| basrelief_cli::run(arguments))
}

/// The module. It holds no state, so it also works without the global interpreter lock.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("__profile__", env!("BASRELIEF_PROFILE"))?;
    module.add_function(wrap_pyfunction!(run_program, module)?)?;
    module.add_function(wrap_pyfunction!(fit, module)?)?;
    module.add_function(wrap_pyfunction!(covariates::residuals, module)?)?;
    module.add_function(wrap_pyfunction!(without_rounding, module)?)?;
    module.add_function(wrap_pyfunction!(fit_map, module)?)?;
    module.add_function(wrap_pyfunction!(fit_map_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(fit_map_comparisons, module)?)?;
    module.add_function(wrap_pyfunction!(page::ranking_page, module)?)?;
    module.add_function(wrap_pyfunction!(page::map_page, module)?)?;
    module.add_function(wrap_pyfunction!(pairs::find_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(resampling::rank_resamples, module)?)?;
    module.add_function(wrap_pyfunction!(resampling::stability_page, module)?)?;
    module.add_function(wrap_pyfunction!(target_is_classes, module)?)?;
    module.add_function(wrap_pyfunction!(target_of_texts, module)?)?;
    module.add_function(wrap_pyfunction!(kind_of_texts, module)?)?;
    module.add_function(wrap_pyfunction!(kind_of_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(columns::column_names, module)?)?;
    module.add_function(wrap_pyfunction!(is_missing_text, module)?)?;
    module.add_function(wrap_pyfunction!(inexact_number, module)?)?;
    module.add_function(wrap_pyfunction!(encoding::encode_rows, module)?)?;
    module.add_function(wrap_pyfunction!(encoding::encoded_names, module)?)?;
    module.add_function(wrap_pyfunction!(linear_transform, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_transform, module)?)?;
    module.add_function(wrap_pyfunction!(nearest::nearest_rows, module)?)?;
    module.add_function(wrap_pyfunction!(nearest::nearest_answers, module)?)?;
    module.add_function(wrap_pyfunction!(nearest::nearest_classes, module)?)?;
    module.add_function(wrap_pyfunction!(registry::list_methods, module)?)?;
    module.add_function(wrap_pyfunction!(registry::list_map_methods, module)?)?;
    module.add_function(wrap_pyfunction!(registry::list_wrappers, module)?)?;
    module.add_function(wrap_pyfunction!(columns::column_index, module)?)?;
    module.add_function(wrap_pyfunction!(cohort::open_cohort, module)?)?;
    module.add_class::<cohort::PlinkCohort>()?;
    module.add_class::<errors::Audience>()?;
    module.add_function(wrap_pyfunction!(errors::speak_to, module)?)?;
    module.add_function(wrap_pyfunction!(columns::check_columns, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::row_checksums, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_permutations, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_permute, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::job_test, module)?)?;
    module.add_function(wrap_pyfunction!(distribute::check_test_in_parts, module)?)?;
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
