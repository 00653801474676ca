//! Rankings on resamples of the rows, for the class `Stable`.

use std::path::PathBuf;

use basrelief::inference::{
    ResampledFeature, ResampledRankings, Resampling, nogueira, permuted_copies, resampled_rankings,
};
use basrelief::methods::Problem;
use basrelief_study::{KnownStability, PageFile};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::TargetInput;
use crate::chosen::chosen_method;
use crate::columns::{Features, KindInput};
use crate::errors::{to_python, told};
use crate::page::written;
use crate::threads::run_on;
use crate::watch;

/// Of a feature its frequency, the median and the 95 % interval of its ranks, and its mean weight.
type RankTuple = (f64, usize, (usize, usize), f64);

/// What [`rank_resamples`] found and how it is told: the resamples, the share of the rows and the features
/// that each selects, the rows of each, the features, the stability with its interval, the cut-off and what is
/// estimated of it, the warnings, what repeats the fit, and the names of the data and of the target.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KnownResamples {
    resamples: usize,
    fraction: f64,
    top: usize,
    rows: usize,
    ranks: Vec<RankTuple>,
    stability: Option<f64>,
    stability_interval: Option<(f64, f64)>,
    cutoff: f64,
    false_share: Option<f64>,
    warnings: Vec<String>,
    command: String,
    data: String,
    target: String,
}

/// The page of what is known; written to a file where there is one. See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, features, names, kinds, target, options, *, known, wrappers=Vec::new(), seed=0,
                    threads=None, progress=None, file=None, force=false))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn stability_page<'py>(
    py: Python<'py>,
    method: &str,
    features: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    target: TargetInput<'py>,
    options: Vec<(String, String)>,
    known: KnownResamples,
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
    let run = run_on(py, threads)?.with_seed(seed);
    let target = target.read()?;
    let values = features.borrow()?;
    let feature = |&(frequency, median_rank, rank_interval, mean_weight): &RankTuple| {
        ResampledFeature { frequency, median_rank, rank_interval, mean_weight }
    };
    watch::interruptible(py, run, progress.as_ref(), |run| {
        let table = values.table(&names, &kinds, run)?;
        let known = KnownStability {
            data: &known.data,
            table: &table,
            target: (&known.target, &target),
            method,
            settings: &settings,
            wrappers: &wrappers,
            resampling: Resampling {
                resamples: known.resamples,
                fraction: known.fraction,
                top: known.top,
            },
            found: ResampledRankings {
                rows: known.rows,
                features: known.ranks.iter().map(feature).collect(),
                selections: Vec::new(),
                warnings: Vec::new(),
                seconds: 0.0,
            },
            stability: known.stability.zip(known.stability_interval),
            cutoff: known.cutoff,
            false_share: known.false_share,
            warnings: known.warnings.clone(),
            command: known.command.clone(),
        };
        written(known.page(run)?, file.as_ref(), run)
    })
}

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
    kinds: Vec<KindInput>,
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
    let run = run_on(py, threads)?.with_seed(seed);
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
    let ranks: Vec<RankTuple> = found.features[..width]
        .iter()
        .map(|own| (own.frequency, own.median_rank, own.rank_interval, own.mean_weight))
        .collect();
    let mut ranking = vec![0_i64; width];
    let order = found.order().into_iter().filter(|&feature| feature < width);
    for (rank, feature) in (1..).zip(order) {
        ranking[feature] = rank;
    }
    result.set_item("frequencies", frequencies.into_pyarray(py))?;
    result.set_item("ranking", ranking.into_pyarray(py))?;
    result.set_item("rows", found.rows)?;
    result.set_item("ranks", ranks)?;
    result.set_item("stability", stability.map(|found| found.value))?;
    result.set_item("stability_interval", stability.map(|found| found.interval))?;
    let warnings = found.warnings.iter().map(told);
    result.set_item("warnings", warnings.collect::<Vec<String>>())?;
    result.set_item("seconds", found.seconds)?;
    Ok(result)
}
