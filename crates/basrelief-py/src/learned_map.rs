//! Fits of maps, and the mapping of rows.

use basrelief::data::{Classes, DenseMatrix};
use basrelief::maps::{KernelMap, LinearMap, Map};
use basrelief::methods::{self, Lesson, PairCount, RowComparison, RowPair, Settings};
use basrelief::solve::Kernel;
use basrelief::{Error, Fitted, FrontEnd};
use basrelief_study::{LearnedMap, Subject};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{dense, matrix};
use crate::encoding::{self, EncodingParts};
use crate::errors::to_python;
use crate::input::StudyInput;
use crate::outcome::{FitReport, PageRequest};
use crate::threads::run_on;
use crate::watch;

/// The parts of a learned map, and the report of its fit; see `_native.pyi`.
#[pyclass(frozen, get_all, module = "basrelief._native")]
pub(crate) struct MapFit {
    report: Py<FitReport>,
    mean: Py<PyArray1<f64>>,
    /// The matrix; a diagonal map has only `diagonal`.
    components: Option<Py<PyArray2<f64>>>,
    diagonal: Option<Py<PyArray1<f64>>>,
    eigenvalues: Py<PyArray1<f64>>,
    discriminant_power: Option<f64>,
    kernel: Option<String>,
    units: Option<Py<PyArray1<f64>>>,
    basis: Option<Py<PyArray2<f64>>>,
    offset: Option<Py<PyArray1<f64>>>,
    encoding: Option<EncodingParts>,
}

impl MapFit {
    pub(crate) fn new(py: Python<'_>, fitted: Fitted<Map>, settings: &Settings) -> PyResult<Self> {
        let Fitted { model: map, report } = fitted;
        let array = |values: &[f64]| values.to_vec().into_pyarray(py).unbind();
        let two = |values: &DenseMatrix| matrix(py, values).map(Bound::unbind);
        let (mean, diagonal, components, kernel) = match &map {
            Map::Linear(map) => {
                let components = map.diagonal().is_none().then(|| map.matrix());
                (map.mean(), map.diagonal(), components, None)
            }
            Map::Kernel(map) => (map.shift(), None, Some(map.coefficients()), Some(map)),
            other => {
                let problem = format!("unknown kind of map: {other:?}");
                return Err(to_python(Error::Internal(problem)));
            }
        };
        let discriminant_power = map.discriminant_power();
        Ok(Self {
            report: Py::new(py, FitReport::new(report, settings, discriminant_power))?,
            mean: array(mean),
            components: components.map(two).transpose()?,
            diagonal: diagonal.map(array),
            eigenvalues: array(map.eigenvalues()),
            discriminant_power,
            kernel: kernel.map(|map| map.kernel().to_string()),
            units: kernel.map(|map| array(map.units())),
            basis: kernel.map(|map| two(map.basis())).transpose()?,
            offset: kernel.map(|map| array(map.offset())),
            encoding: encoding::parts(map.encoding()),
        })
    }
}

/// The matrix of a linear map, or its diagonal.
#[derive(FromPyObject)]
enum Components<'py> {
    Diagonal(PyReadonlyArray1<'py, f64>),
    Dense(PyReadonlyArray2<'py, f64>),
}

/// The attributes of `basrelief._maps.MapParts`.
#[derive(FromPyObject)]
pub(crate) struct MapParts<'py> {
    names: Vec<String>,
    mean: PyReadonlyArray1<'py, f64>,
    components: Components<'py>,
    kernel: Option<KernelParts<'py>>,
    encoding: Option<EncodingParts>,
    eigenvalues: Option<PyReadonlyArray1<'py, f64>>,
    discriminant_power: Option<f64>,
}

/// The kernel, the units, the basis and the offset of a kernel map.
#[derive(FromPyObject)]
struct KernelParts<'py>(
    String,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray1<'py, f64>,
);

impl MapParts<'_> {
    /// Creates the map from its parts, which must be consistent.
    fn read(self) -> PyResult<Map> {
        let wrong = || PyValueError::new_err("the parts of the map are inconsistent");
        let (names, mean) = (self.names, self.mean.as_slice()?.to_vec());
        let width = names.len();
        let require = |fits: bool| if fits { Ok(()) } else { Err(wrong()) };
        require(mean.len() == width)?;
        let eigenvalues = match &self.eigenvalues {
            Some(values) => values.as_slice()?.to_vec(),
            None => Vec::new(),
        };
        let power = self.discriminant_power;
        let map = match (self.components, self.kernel) {
            (Components::Diagonal(diagonal), None) => {
                let diagonal = diagonal.as_slice()?.to_vec();
                require(diagonal.len() <= width)?;
                Map::Linear(LinearMap::from_diagonal(names, mean, diagonal))
            }
            (Components::Dense(components), None) => {
                let components = dense(&components)?;
                require(components.columns() == width)?;
                require(eigenvalues.is_empty() || eigenvalues.len() == components.rows())?;
                Map::Linear(LinearMap::new(names, mean, components, eigenvalues, power))
            }
            (Components::Dense(components), Some(KernelParts(kernel, units, basis, offset))) => {
                let kernel: Kernel = kernel.parse().map_err(PyValueError::new_err)?;
                let (units, offset) = (units.as_slice()?.to_vec(), offset.as_slice()?.to_vec());
                let (components, basis) = (dense(&components)?, dense(&basis)?);
                require(units.len() == width && basis.columns() == width)?;
                require(components.columns() == basis.rows())?;
                require(offset.len() == components.rows())?;
                require(eigenvalues.is_empty() || eigenvalues.len() == offset.len())?;
                let (moved, linear) = ((mean, units), (components, offset));
                Map::Kernel(KernelMap::new(names, moved, kernel, basis, linear, eigenvalues, power))
            }
            (Components::Diagonal(_), Some(_)) => return Err(wrong()),
        };
        let Some(parts) = self.encoding else { return Ok(map) };
        let encoding = encoding::read(parts)?;
        require(encoding.width() == width)?;
        Ok(map.with_encoding(encoding))
    }
}

/// Fits a method that learns a map; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
#[pyo3(signature = (study, start=None))]
pub(crate) fn fit_map(
    py: Python<'_>,
    study: StudyInput<'_>,
    start: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<MapFit> {
    let target = study.target()?;
    learned(py, &study, start, Lesson::Target(target.as_ref()))
}

/// Fits a method that learns a map to pairs of rows; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
#[pyo3(signature = (study, pairs, start=None))]
pub(crate) fn fit_map_pairs(
    py: Python<'_>,
    study: StudyInput<'_>,
    pairs: Vec<(u32, u32, bool)>,
    start: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<MapFit> {
    let pair = |(first, second, alike)| RowPair { rows: (first, second), alike };
    let pairs: Vec<RowPair> = pairs.into_iter().map(pair).collect();
    learned(py, &study, start, Lesson::Pairs(pairs))
}

/// Fits a method that learns a map to comparisons of distances; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
#[pyo3(signature = (study, comparisons, start=None, weights=None))]
pub(crate) fn fit_map_comparisons(
    py: Python<'_>,
    study: StudyInput<'_>,
    comparisons: Vec<(u32, u32, u32, u32)>,
    start: Option<PyReadonlyArray2<'_, f64>>,
    weights: Option<Vec<f64>>,
) -> PyResult<MapFit> {
    let comparison = |(a, b, c, d)| RowComparison { near: (a, b), far: (c, d) };
    let comparisons: Vec<RowComparison> = comparisons.into_iter().map(comparison).collect();
    let lesson = match weights {
        Some(weights) => Lesson::WeightedComparisons(comparisons, weights),
        None => Lesson::Comparisons(comparisons),
    };
    learned(py, &study, start, lesson)
}

/// Draws pairs of rows from their classes; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn draw_pairs(
    py: Python<'_>,
    codes: PyReadonlyArray1<'_, u32>,
    names: Vec<String>,
    count: Option<usize>,
    seed: u64,
) -> PyResult<Vec<(u32, u32, bool)>> {
    let classes = Classes::from_codes(codes.as_slice()?, &names).map_err(to_python)?;
    let count = count.map_or(PairCount::Auto, PairCount::Some);
    let run = run_on(py, Some(1))?.with_seed(seed);
    let pairs = methods::draw_pairs(&classes, count, &run).map_err(to_python)?;
    Ok(pairs.into_iter().map(|RowPair { rows, alike }| (rows.0, rows.1, alike)).collect())
}

/// Learns a map, with a given start or prior if there is one.
fn learned(
    py: Python<'_>,
    study: &StudyInput<'_>,
    start: Option<PyReadonlyArray2<'_, f64>>,
    lesson: Lesson<'_>,
) -> PyResult<MapFit> {
    let (method, settings) = study.map_method()?;
    let start = start.map(|start| dense(&start)).transpose()?;
    let (run, columns) = (study.run(py)?, study.columns()?);
    let fitted = watch::interruptible(py, run, study.progress.as_ref(), |run| {
        let table = columns.table(run)?;
        let mut fitted = method.fit_from(&table, lesson, start, &settings, run)?;
        fitted.report.warnings.splice(0..0, columns.guesses(&table));
        Ok(fitted)
    })?;
    MapFit::new(py, fitted, &settings)
}

/// Maps rows; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn map_rows<'py>(
    py: Python<'py>,
    parts: MapParts<'py>,
    rows: PyReadonlyArray2<'py, f64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (map, rows, run) = (parts.read()?, dense(&rows)?, run_on(py, threads)?);
    if rows.columns() != map.names().len() {
        return Err(PyValueError::new_err("the rows have different columns than the map"));
    }
    let mapped = watch::interruptible(py, run, None, |run| map.transform(&rows, run))?;
    matrix(py, &mapped)
}

/// Creates the page of a map; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn map_page(
    py: Python<'_>,
    study: StudyInput<'_>,
    report: PyRef<'_, FitReport>,
    parts: MapParts<'_>,
    request: PageRequest,
) -> PyResult<String> {
    let (info, settings) = study.map_method()?;
    let (map, target) = (parts.read()?, study.target()?);
    let (run, columns, report) = (study.run(py)?, study.columns()?, report.report());
    request.page(py, run, study.progress.as_ref(), |run| {
        let table = columns.table(run)?;
        let target = target.as_ref().map(|target| (request.target.as_str(), target));
        let learned = LearnedMap {
            subject: Subject::new(&request.data, &table, target, FrontEnd::Python),
            info,
            settings: &settings,
            run,
            map: &map,
            report,
            warnings: &request.warnings(),
        };
        learned.page(&request.options())
    })
}
