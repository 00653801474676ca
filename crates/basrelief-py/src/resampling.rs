//! Rankings on resamples of the rows, for the class `Stable`.

use basrelief::inference::{Resampling, nogueira, permuted_copies, resampled_rankings};
use basrelief::methods::Problem;
use basrelief::{FrontEnd, Run};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::TargetInput;
use crate::chosen::chosen_method;
use crate::columns::Features;
use crate::errors::to_python;
use crate::watch;

/// Ranks features on resamples of the rows; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, target, options, *, resamples, fraction, top, copies,
                    wrappers=Vec::new(), seed=0, threads=None, progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn rank_resamples<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<String>,
    target: TargetInput<'py>,
    options: Vec<(String, String)>,
    resamples: usize,
    fraction: f64,
    top: usize,
    copies: bool,
    wrappers: Vec<String>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (method, settings, wrappers) = chosen_method(method, &options, &wrappers)?;
    let resampling = Resampling { resamples, fraction, top };
    let run = Run::new(threads).map_err(to_python)?.with_seed(seed);
    let target = target.read()?;
    let values = features.borrow()?;
    let found = watch::interruptible(py, run, progress.as_ref(), |run| {
        let mut table = values.table(&names, &kinds, run)?;
        if copies {
            table = permuted_copies(&table, run.seed())?;
        }
        let problem = Problem::new(&table, &target)?;
        resampled_rankings(method, &settings, &wrappers, &problem, &resampling, run)
    })?;
    // Of the features alone: how steadily copies are selected is of no interest.
    let width = names.len();
    let selections: Vec<Vec<bool>> =
        found.selections.iter().map(|selected| selected[..width].to_vec()).collect();
    let stability = nogueira(&selections).ok();
    let result = PyDict::new(py);
    let frequencies: Vec<f64> = found.features.iter().map(|feature| feature.frequency).collect();
    let mut ranking = vec![0_i64; width];
    let order = found.order().into_iter().filter(|&feature| feature < width);
    for (rank, feature) in (1..).zip(order) {
        ranking[feature] = rank;
    }
    result.set_item("frequencies", frequencies.into_pyarray(py))?;
    result.set_item("ranking", ranking.into_pyarray(py))?;
    result.set_item("stability", stability.map(|found| found.value))?;
    result.set_item("stability_interval", stability.map(|found| found.interval))?;
    let told = found.warnings.iter().map(|warning| warning.message(FrontEnd::Python));
    result.set_item("warnings", told.collect::<Vec<String>>())?;
    result.set_item("seconds", found.seconds)?;
    Ok(result)
}
