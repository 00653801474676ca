//! The page of a fitted selector.

use std::path::PathBuf;

use basrelief::inference::Significance;
use basrelief::methods::Problem;
use basrelief::{Elimination, FrontEnd, Report, Run};
use basrelief_cli::{KnownWeights, PageFile};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::TargetInput;
use crate::chosen::chosen_method;
use crate::columns::Features;
use crate::errors::to_python;
use crate::significance::TestInput;
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
    elimination: Option<(Vec<usize>, Vec<usize>, Vec<Vec<usize>>)>,
    command: String,
    data: String,
    target: String,
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
    kinds: Vec<String>,
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
    let run = Run::new(threads).map_err(to_python)?.with_seed(seed);
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
        let page = known.page(run)?;
        if let Some(file) = &file {
            // Ctrl-C during the last step still means that nothing is written.
            run.check()?;
            file.write(&page)?;
        }
        Ok(page)
    })
}
