//! The page of a fitted selector.

use std::path::PathBuf;

use basrelief::data::Encoding;
use basrelief::inference::Significance;
use basrelief::maps::{KernelMap, LinearMap, Map};
use basrelief::methods::{self, Problem};
use basrelief::solve::Kernel;
use basrelief::{Elimination, FrontEnd, Report, Result, Run};
use basrelief_study::{KnownMap, KnownWeights, PageFile};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{TargetInput, dense};
use crate::chosen::chosen_method;
use crate::columns::{Features, KindInput};
use crate::encoding::{self, EncodingParts};
use crate::errors::to_python;
use crate::significance::TestInput;
use crate::threads::run_on;
use crate::watch;

/// What a test found, as [`crate::significance::test_dict`] gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TestFound<'py> {
    p_values: PyReadonlyArray1<'py, f64>,
    adjusted: Option<PyReadonlyArray1<'py, f64>>,
    q_values: PyReadonlyArray1<'py, f64>,
    selected: PyReadonlyArray1<'py, bool>,
    draws: PyReadonlyArray1<'py, i64>,
    chance_weight: Option<f64>,
    seconds: f64,
}

impl TestFound<'_> {
    fn read(&self) -> PyResult<Significance> {
        let adjusted = self.adjusted.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        Ok(Significance {
            p_values: self.p_values.as_slice()?.to_vec(),
            adjusted: adjusted.map(<[f64]>::to_vec),
            q_values: self.q_values.as_slice()?.to_vec(),
            draws: self.draws.as_slice()?.iter().map(|&count| count as u64).collect(),
            chance_weight: self.chance_weight,
            selected: self.selected.as_slice()?.to_vec(),
            seconds: self.seconds,
        })
    }
}

/// The parts of an [`Elimination`], in its order.
type EliminationParts = (Vec<usize>, Vec<usize>, Vec<Vec<usize>>);

/// What a fit found and how it is told: the weights, the warnings, the test that was asked for and what it
/// found, what repeats the fit, and the names of the data and of the target.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KnownFit<'py> {
    weights: PyReadonlyArray1<'py, f64>,
    warnings: Vec<String>,
    test: Option<(TestInput<'py>, TestFound<'py>)>,
    changes: Vec<f64>,
    converged: Option<bool>,
    elimination: Option<EliminationParts>,
    command: String,
    data: String,
    target: String,
}

/// The page, which is written where there is a file.
pub(crate) fn written(page: String, file: Option<&PageFile>, run: &Run) -> Result<String> {
    if let Some(file) = file {
        // Ctrl-C during the last step still means that nothing is written.
        run.check()?;
        file.write(&page)?;
    }
    Ok(page)
}

/// A map and how it was found, as [`crate::fit_map`] gives them, and how it is told: the warnings, what
/// repeats the fit, and the names of the data and of the target.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KnownMapFit<'py> {
    mean: PyReadonlyArray1<'py, f64>,
    /// Of maps that are no diagonal.
    components: Option<PyReadonlyArray2<'py, f64>>,
    /// Of those that are.
    diagonal: Option<PyReadonlyArray1<'py, f64>>,
    eigenvalues: PyReadonlyArray1<'py, f64>,
    discriminant_power: Option<f64>,
    kernel: Option<String>,
    units: Option<PyReadonlyArray1<'py, f64>>,
    basis: Option<PyReadonlyArray2<'py, f64>>,
    offset: Option<PyReadonlyArray1<'py, f64>>,
    iterations: Option<usize>,
    converged: Option<bool>,
    objective: Option<f64>,
    rank: Option<usize>,
    ridge: Option<f64>,
    encoding: Option<EncodingParts>,
    warnings: Vec<String>,
    command: String,
    data: String,
    target: String,
}

impl KnownMapFit<'_> {
    /// The map of columns of these names, whose parts must fit together, and the report.
    fn read(&self, names: &[String]) -> PyResult<(Map, Report)> {
        let mean = self.mean.as_slice()?.to_vec();
        let eigenvalues = self.eigenvalues.as_slice()?.to_vec();
        let power = self.discriminant_power;
        let mut report = Report::default();
        (report.iterations, report.converged) = (self.iterations, self.converged);
        (report.objective, report.rank, report.ridge) = (self.objective, self.rank, self.ridge);
        let wrong = || PyValueError::new_err("the parts of the map do not fit together");
        let encoding = match &self.encoding {
            Some(parts) => encoding::read(parts.clone())?,
            None if names.len() == mean.len() => Encoding::of_numbers(names, &mean),
            None => return Err(wrong()),
        };
        let names = encoding.part_names();
        let Some(components) = &self.components else {
            let diagonal = self.diagonal.as_ref().ok_or_else(wrong)?.as_slice()?.to_vec();
            if names.len() != mean.len() || diagonal.len() > names.len() {
                return Err(wrong());
            }
            let map = LinearMap::from_diagonal(names, mean, diagonal);
            return Ok((Map::Linear(map.with_encoding(encoding)), report));
        };
        let components = dense(components)?;
        let map = match (&self.kernel, &self.units, &self.basis, &self.offset) {
            (Some(kernel), Some(units), Some(basis), Some(offset)) => {
                let kernel: Kernel = kernel.parse().map_err(PyValueError::new_err)?;
                report.kernel = Some(kernel);
                let (units, basis) = (units.as_slice()?.to_vec(), dense(basis)?);
                let offset = offset.as_slice()?.to_vec();
                let fits = units.len() == mean.len()
                    && basis.columns() == mean.len()
                    && components.columns() == basis.rows()
                    && offset.len() == components.rows();
                if !fits || names.len() != mean.len() {
                    return Err(wrong());
                }
                let linear = (components, offset);
                let moved = (mean, units);
                Map::Kernel(KernelMap::new(names, moved, kernel, basis, linear, eigenvalues, power))
            }
            _ if components.columns() == mean.len() && names.len() == mean.len() => {
                Map::Linear(LinearMap::new(names, mean, components, eigenvalues, power))
            }
            _ => return Err(wrong()),
        };
        Ok((map.with_encoding(encoding), report))
    }
}

/// The page of a map that is known; written to a file where there is one. See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, target, options, *, known, seed=0, threads=None,
                    progress=None, file=None, force=false))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn map_page<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    target: Option<TargetInput<'py>>,
    options: Vec<(String, String)>,
    known: KnownMapFit<'py>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    file: Option<PathBuf>,
    force: bool,
) -> PyResult<String> {
    // First of all, so that nothing is computed in vain.
    let file = file.map(|file| PageFile::new(file, force)).transpose().map_err(to_python)?;
    let method = methods::map_method(method).map_err(to_python)?;
    let settings = method.settings(&options).map_err(to_python)?;
    let (map, report) = known.read(&names)?;
    let run = run_on(py, threads)?.with_seed(seed);
    let target = target.map(|target| target.read()).transpose()?;
    let values = features.borrow()?;
    let (warnings, command) = (known.warnings, known.command);
    let (data, target_name) = (known.data, known.target);
    watch::interruptible(py, run, progress.as_ref(), |run| {
        let table = values.table(&names, &kinds, run)?;
        let known = KnownMap {
            data: &data,
            table: &table,
            target: target.as_ref().map(|target| (target_name.as_str(), target)),
            method,
            settings: &settings,
            map: &map,
            report: &report,
            warnings: &warnings,
            command: &command,
        };
        written(known.page(run)?, file.as_ref(), run)
    })
}

/// The page of weights that are known; written to a file where there is one. See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, target, options, *, known, wrappers=Vec::new(), seed=0,
                    threads=None, progress=None, file=None, force=false))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn ranking_page<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    target: TargetInput<'py>,
    options: Vec<(String, String)>,
    known: KnownFit<'py>,
    wrappers: Vec<String>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    file: Option<PathBuf>,
    force: bool,
) -> PyResult<String> {
    // First of all, so that nothing is computed in vain.
    let file = file.map(|file| PageFile::new(file, force)).transpose().map_err(to_python)?;
    let (method, settings, wrappers) = chosen_method(method, &options, &wrappers)?;
    let test = match &known.test {
        None => None,
        Some((test, found)) => Some((test.read(names.len())?.told(), found.read()?)),
    };
    let weights = known.weights.as_slice()?.to_vec();
    let mut report = Report::default();
    report.changes = known.changes;
    report.converged = known.converged;
    report.elimination =
        known.elimination.map(|(features, kept, ranks)| Elimination { features, kept, ranks });
    let run = run_on(py, threads)?.with_seed(seed);
    let target = target.read()?;
    let values = features.borrow()?;
    watch::interruptible(py, run, progress.as_ref(), |run| {
        let table = values.table(&names, &kinds, run)?;
        Problem::new(&table, &target)?;
        let known = KnownWeights {
            data: &known.data,
            table: &table,
            target: (&known.target, &target),
            method,
            settings: &settings,
            wrappers: &wrappers,
            weights,
            report: report.clone(),
            warnings: known.warnings.clone(),
            test: test.map(|((draws, correction, alpha), found)| (draws, correction, alpha, found)),
            command: known.command.clone(),
            front_end: FrontEnd::Python,
        };
        written(known.page(run)?, file.as_ref(), run)
    })
}
