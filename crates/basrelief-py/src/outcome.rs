//! Outcomes of fits as Python objects, which are pickled in the format of the library, and their pages.

use std::path::PathBuf;

use basrelief::data::Roles;
use basrelief::inference::Resampling;
use basrelief::methods::{Problem, Settings};
use basrelief::neighbors::NeighborSearch;
use basrelief::selection::Selection;
use basrelief::{FrontEnd, Plan, Report, Result, Run, Warning};
use basrelief_study::pages::option_texts;
use basrelief_study::{
    Kept, Outcome, Page, PageFile, PageOptions, Ranking, Selections, Steadiness, Stored, Subject,
    ranking_page,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};

use crate::covariates::CovariateInput;
use crate::errors::{to_python, unrequested};
use crate::input::{InputRoles, StudyInput};
use crate::significance::{GroupInput, TestInput, WeightInput, test_dict};
use crate::watch;

fn integers(py: Python<'_>, values: impl Iterator<Item = usize>) -> Bound<'_, PyArray1<i64>> {
    values.map(|value| value as i64).collect::<Vec<i64>>().into_pyarray(py)
}

/// The class and the bytes from which `pickle` restores an object.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

fn reduced<'py>(object: &Bound<'py, PyAny>, outcome: &impl Stored) -> Reduced<'py> {
    let bytes = PyBytes::new(object.py(), &outcome.to_bytes());
    (object.get_type().into_any(), (bytes,))
}

/// The report of a fit; see `_native.pyi`.
#[pyclass(frozen, module = "basrelief._native")]
#[derive(Serialize, Deserialize)]
pub(crate) struct FitReport {
    report: Report,
    options: Vec<(String, String)>,
    #[pyo3(get)]
    discriminant_power: Option<f64>,
}

impl Stored for FitReport {
    const KIND: &'static str = "report of a fit";
}

impl FitReport {
    pub(crate) fn new(
        report: Report,
        settings: &Settings,
        discriminant_power: Option<f64>,
    ) -> Self {
        Self { report, options: option_texts(settings).collect(), discriminant_power }
    }

    pub(crate) fn report(&self) -> &Report {
        &self.report
    }
}

#[pymethods]
impl FitReport {
    #[new]
    fn read(bytes: &[u8]) -> PyResult<Self> {
        Self::from_bytes(bytes).map_err(to_python)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py> {
        reduced(slf.as_any(), slf.get())
    }

    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        self.options.iter().try_for_each(|(name, value)| options.set_item(name, value))?;
        Ok(options)
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        unrequested(&self.report.warnings)
    }

    #[getter]
    fn search(&self) -> Option<&'static str> {
        self.report.search.map(NeighborSearch::name)
    }

    #[getter]
    fn plan<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        plan_dict(py, &self.report.plan)
    }

    #[getter]
    fn iterations(&self) -> Option<usize> {
        self.report.iterations
    }

    #[getter]
    fn converged(&self) -> Option<bool> {
        self.report.converged
    }

    #[getter]
    fn last_change(&self) -> Option<f64> {
        self.report.last_change
    }

    #[getter]
    fn objective(&self) -> Option<f64> {
        self.report.objective
    }

    #[getter]
    fn constraints(&self) -> Option<usize> {
        self.report.constraints
    }

    #[getter]
    fn relative_gap(&self) -> Option<f64> {
        self.report.relative_gap
    }

    #[getter]
    fn rank(&self) -> Option<usize> {
        self.report.rank
    }

    #[getter]
    fn ridge(&self) -> Option<f64> {
        self.report.ridge
    }

    /// The columns of the last round, if a wrapper dropped features.
    #[getter]
    fn kept(&self) -> Option<&[usize]> {
        self.report.elimination.as_ref().map(|elimination| elimination.kept.as_slice())
    }

    #[getter]
    fn seconds(&self) -> f64 {
        self.report.seconds
    }
}

fn plan_dict<'py>(py: Python<'py>, plan: &Plan) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    if let Some(search) = &plan.search {
        result.set_item("route", &search.route)?;
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

/// Weights, the report of their fit, and their test; see `_native.pyi`.
#[pyclass(frozen, module = "basrelief._native")]
pub(crate) struct Weights(pub(crate) Outcome);

#[pymethods]
impl Weights {
    #[new]
    fn read(bytes: &[u8]) -> PyResult<Self> {
        Outcome::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py> {
        reduced(slf.as_any(), &slf.get().0)
    }

    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.fitted.model.weights().to_vec().into_pyarray(py)
    }

    #[getter]
    fn ranks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        integers(py, self.0.fitted.model.ranks().into_iter())
    }

    #[getter]
    fn report(&self) -> FitReport {
        FitReport::new(self.0.fitted.report.clone(), &self.0.method.settings, None)
    }

    /// The limits of the 95 % intervals, one row per feature.
    #[getter]
    fn intervals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let found = self.0.intervals.as_ref();
        let array = found.map(|found| {
            let limits: Vec<f64> =
                found.limits.iter().flat_map(|&(lower, upper)| [lower, upper]).collect();
            limits.into_pyarray(py).reshape([found.limits.len(), 2])
        });
        array.transpose()
    }

    /// For each of several numbers of neighbors, the weights of the features; `None` for one number.
    #[getter]
    fn profile<'py>(&self, py: Python<'py>) -> Option<Vec<(usize, Bound<'py, PyArray1<f64>>)>> {
        let found = self.0.fitted.report.profile.as_ref()?;
        let weights = found.neighbors.iter().zip(&found.weights);
        Some(weights.map(|(&k, weights)| (k, weights.clone().into_pyarray(py))).collect())
    }

    /// The selected features and, of each, the features that it represents with their redundancy.
    #[getter]
    fn selection(&self) -> Option<Vec<(usize, Represented)>> {
        let selected = self.0.selection.as_ref()?;
        let Selection { features, represented } = &selected.selection;
        Some(features.iter().copied().zip(represented.iter().cloned()).collect())
    }

    /// The names and the weights of the blocks of features, and their p-values and those adjusted by max-T over the blocks
    /// if there was a test.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> Option<BlocksOutput<'py>> {
        let blocks = self.0.blocks.as_ref()?;
        let found = self.0.tested.as_ref().and_then(|tested| tested.blocks());
        let p_values = found.and_then(|found| {
            let adjusted = found.adjusted.as_ref()?;
            Some((found.p_values.clone().into_pyarray(py), adjusted.clone().into_pyarray(py)))
        });
        Some((blocks.names.clone(), blocks.weights.clone().into_pyarray(py), p_values))
    }

    #[getter]
    fn test<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let tested = self.0.tested.as_ref();
        tested.map(|tested| test_dict(py, tested.significance().clone())).transpose()
    }

    /// Creates the page; see `_native.pyi`.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
    fn page(
        &self,
        py: Python<'_>,
        study: StudyInput<'_>,
        request: PageRequest,
    ) -> PyResult<String> {
        let (run, columns) = (study.run(py)?.with_seed(self.0.seed), study.columns()?);
        let target = study.required_target()?;
        // The request contains the warnings, as the fit worded them.
        let mut outcome = self.0.clone();
        outcome.fitted.report.warnings.clear();
        request.page(py, run, study.progress.as_ref(), |run| {
            let table = columns.table(run)?;
            Problem::new(&table, &target)?;
            let target = Some((request.target.as_str(), &target));
            let subject = Subject::new(&request.data, &table, target, FrontEnd::Python);
            let ranking = Ranking::new(subject, &outcome, request.warnings(), run);
            ranking_page(&ranking, Roles::default(), &request.options(), run)
        })
    }
}

/// The names, the weights and the p-values of blocks of features.
type BlocksOutput<'py> = (
    Vec<String>,
    Bound<'py, PyArray1<f64>>,
    Option<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)>,
);

/// The features that a selected feature represents, and their redundancy.
type Represented = Vec<(usize, f64)>;

/// Selection frequencies of features on resamples; see `_native.pyi`.
#[pyclass(frozen, module = "basrelief._native")]
pub(crate) struct Resamples(pub(crate) Selections);

#[pymethods]
impl Resamples {
    #[new]
    fn read(bytes: &[u8]) -> PyResult<Self> {
        Selections::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py> {
        reduced(slf.as_any(), &slf.get().0)
    }

    #[getter]
    fn frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let all = self.0.features.iter().map(|feature| feature.frequency);
        all.collect::<Vec<f64>>().into_pyarray(py)
    }

    #[getter]
    fn copies<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.copies.clone().map(|frequencies| frequencies.into_pyarray(py))
    }

    #[getter]
    fn ranking<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut ranking = vec![0; self.0.features.len()];
        for (rank, feature) in (1..).zip(self.0.order()) {
            ranking[feature] = rank;
        }
        integers(py, ranking.into_iter())
    }

    #[getter]
    fn stability(&self) -> Option<(f64, (f64, f64))> {
        self.0.stability.map(|stability| (stability.value, stability.interval))
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        unrequested(&self.0.warnings)
    }

    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// Creates the page; see `_native.pyi`.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
    fn page(
        &self,
        py: Python<'_>,
        study: StudyInput<'_>,
        request: PageRequest,
        cutoff: f64,
        false_share: Option<f64>,
    ) -> PyResult<String> {
        let (run, columns) = (study.run(py)?.with_seed(self.0.seed), study.columns()?);
        let target = study.required_target()?;
        request.page(py, run, study.progress.as_ref(), |run| {
            let table = columns.table(run)?;
            let target = Some((request.target.as_str(), &target));
            let steadiness = Steadiness {
                subject: Subject::new(&request.data, &table, target, FrontEnd::Python),
                found: &self.0,
                warnings: request.warnings(),
                kept: Some(Kept { cutoff, false_share }),
                run,
            };
            steadiness.page(&request.options())
        })
    }
}

/// The attributes of `basrelief._pages.PageRequest`: the contents of a page besides the outcome, and its file.
#[derive(FromPyObject)]
pub(crate) struct PageRequest {
    pub(crate) data: String,
    pub(crate) target: String,
    warnings: Vec<String>,
    command: String,
    file: Option<PathBuf>,
    force: bool,
}

impl PageRequest {
    /// Returns the warnings, as the fit worded them.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.warnings.iter().map(|text| Warning::new("fit", text.clone())).collect()
    }

    pub(crate) fn options(&self) -> PageOptions {
        let command = Some(self.command.clone());
        PageOptions { command, ..PageOptions::default() }
    }

    /// Creates the page, and writes it if the request has a file.
    pub(crate) fn page(
        &self,
        py: Python<'_>,
        run: Run,
        progress: Option<&Py<PyAny>>,
        make: impl FnOnce(&Run) -> Result<Page> + Send,
    ) -> PyResult<String> {
        // Checked first, before anything is computed.
        let file = self.file.clone().map(|file| PageFile::new(file, self.force)).transpose();
        let file = file.map_err(to_python)?;
        watch::interruptible(py, run, progress, |run| {
            let html = make(run)?.html;
            if let Some(file) = file {
                // Ctrl-C during the last step still prevents the file from being written.
                run.check()?;
                file.write(&html)?;
            }
            Ok(html)
        })
    }
}

/// Computes the weights of a method; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (study, *, test=None, covariates=None, groups=None, weights=None, intervals=false))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    study: StudyInput<'py>,
    test: Option<TestInput<'py>>,
    covariates: Option<CovariateInput<'py>>,
    groups: Option<GroupInput<'py>>,
    weights: Option<WeightInput<'py>>,
    intervals: bool,
) -> PyResult<Weights> {
    let (test, strata) = match test {
        Some(test) => {
            let (test, strata) = test.read(study.width())?;
            (Some(test), strata)
        }
        None => (None, None),
    };
    let (method, mut specified) = study.study(test)?;
    specified.intervals = intervals;
    specified.check_intervals().map_err(to_python)?;
    let (run, columns) = (study.run(py)?, study.columns()?);
    let target = study.required_target()?;
    let beside = covariates.as_ref().map(CovariateInput::borrow).transpose()?;
    let groups = groups.as_ref().map(GroupInput::read).transpose()?;
    let (weights, priors) =
        weights.as_ref().map(WeightInput::read).transpose()?.unwrap_or_default();
    let roles = InputRoles { strata, groups, weights, priors };
    let outcome = watch::interruptible(py, run, study.progress.as_ref(), |run| {
        let mut data = columns.data(target, roles, beside.as_ref(), run)?;
        specified.add_blocks(&mut data, run)?;
        let doubts = columns.doubts(&data);
        let data = data.for_task(method.info.task)?;
        let mut outcome = specified.weigh(&method, &data, &|_| (), run)?;
        let doubts = doubts.into_iter().chain(data.warnings.iter().cloned());
        outcome.fitted.report.warnings.splice(0..0, doubts);
        Ok(outcome)
    })?;
    Ok(Weights(outcome))
}

/// Selects features on resamples of the rows; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn select_on_resamples(
    py: Python<'_>,
    study: StudyInput<'_>,
    resamples: usize,
    fraction: f64,
    selection: (usize, bool, String),
    groups: Option<GroupInput<'_>>,
    weights: Option<WeightInput<'_>>,
) -> PyResult<Resamples> {
    let groups = groups.as_ref().map(GroupInput::read).transpose()?;
    let (weights, priors) =
        weights.as_ref().map(WeightInput::read).transpose()?.unwrap_or_default();
    let (method, specified) = study.study(None)?;
    let (run, columns) = (study.run(py)?, study.columns()?);
    let target = study.required_target()?;
    let (top, copies, redundancy) = selection;
    let redundancy = redundancy.parse().map_err(to_python)?;
    let asked =
        (Resampling { resamples, fraction, top, redundancy, rank_by: specified.rank_by }, copies);
    let found = watch::interruptible(py, run, study.progress.as_ref(), |run| {
        let roles = InputRoles { strata: None, groups, weights, priors };
        let mut data = columns.data(target, roles, None, run)?;
        specified.add_blocks(&mut data, run)?;
        let data = data.for_task(method.info.task)?;
        specified.select_on_resamples(&method, &data, asked, run)
    })?;
    Ok(Resamples(found))
}
