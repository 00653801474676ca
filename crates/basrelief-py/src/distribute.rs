//! A fit in parts that receive only the rows and columns that they require, as bytes.

use basrelief::data::{Names, Roles};
use basrelief::distribute::{
    BlockRows, Draft, PairResult, PartedMethod, Plan, Rounds, Stage, TableBlocks, Turn,
};
use basrelief::inference::Sided;
use basrelief::{Error, Result, Run};
use basrelief_study::{MethodChoice, Recipe, RoleColumns};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::matrix;
use crate::columns::{Borrowed, Features};
use crate::covariates::CovariateInput;
use crate::errors::{to_python, told};
use crate::input::StudyInput;
use crate::significance::{GroupInput, TestInput, WeightInput, test_dict};
use crate::stated::Kinds;
use crate::threads::run_on;
use crate::watch;

/// The draft and the plan in the bytes of [`job_plan`].
struct Job {
    draft: Draft,
    plan: Plan,
}

impl Job {
    /// Writes the length of the draft, the draft and the plan.
    fn to_bytes(draft: &[u8], plan: &Plan) -> Vec<u8> {
        let mut all = (draft.len() as u64).to_le_bytes().to_vec();
        all.extend(draft);
        all.extend(plan.to_bytes());
        all
    }

    fn read(bytes: &[u8]) -> PyResult<Self> {
        let (draft, plan) = bytes
            .split_first_chunk::<8>()
            .and_then(|(length, rest)| rest.split_at_checked(u64::from_le_bytes(*length) as usize))
            .ok_or_else(|| PyValueError::new_err("the bytes are not a plan of a job"))?;
        Ok(Self {
            draft: Draft::from_bytes(draft).map_err(to_python)?,
            plan: Plan::from_bytes(plan).map_err(to_python)?,
        })
    }
}

fn stage(name: &str) -> PyResult<Stage> {
    Stage::from_name(name).ok_or_else(|| PyValueError::new_err(format!("there is no stage {name}")))
}

/// Does `work` without the interpreter, and stops on an interruption.
fn working<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Run) -> Result<T> + Send,
) -> PyResult<T> {
    let run = run_on(py, threads)?;
    watch::interruptible(py, run, None, work)
}

fn copied(all: &[PyBackedBytes]) -> Vec<Vec<u8>> {
    all.iter().map(|bytes| bytes.to_vec()).collect()
}

/// Iterates over the results of all parts of a stage.
fn each(all: &[PyBackedBytes]) -> impl Iterator<Item = Result<Vec<u8>>> + '_ {
    all.iter().map(|bytes| Ok(bytes.to_vec()))
}

/// The bytes of a cell as a NumPy array, which is not copied.
type PyCell<'py> = PyReadonlyArray1<'py, u8>;

/// Cells that are passed to Python.
type NewCells<'py> = Vec<Bound<'py, PyArray1<u8>>>;

fn slices<'c>(cells: &'c [PyCell<'_>]) -> PyResult<Vec<&'c [u8]>> {
    cells.iter().map(|cell| Ok(cell.as_slice()?)).collect()
}

/// All columns of the rows of a block.
#[derive(FromPyObject)]
pub(crate) enum BlockInput<'py> {
    /// Cells in the order of the columns.
    Cells {
        #[pyo3(item)]
        cells: Vec<PyCell<'py>>,
    },
    /// The values of all columns.
    Columns {
        #[pyo3(item)]
        columns: Features<'py>,
    },
}

/// A [`BlockInput`] with borrowed arrays.
enum BorrowedBlock<'b> {
    Cells(Vec<&'b [u8]>),
    Columns(Borrowed<'b>),
}

impl BlockInput<'_> {
    fn borrow(&self) -> PyResult<BorrowedBlock<'_>> {
        Ok(match self {
            Self::Cells { cells } => BorrowedBlock::Cells(slices(cells)?),
            Self::Columns { columns } => BorrowedBlock::Columns(columns.borrow()?),
        })
    }
}

impl BorrowedBlock<'_> {
    fn rows(&self, draft: &Draft, run: &Run) -> Result<BlockRows<'_, &[u8]>> {
        Ok(match self {
            Self::Cells(cells) => BlockRows::Cells(cells),
            Self::Columns(values) => {
                let (names, kinds) = named(draft, 0..draft.width());
                BlockRows::Table(values.table(&names, &kinds, run)?)
            }
        })
    }
}

/// The two blocks of a pair, and the bytes of their result.
type PairBytes = (usize, usize, PyBackedBytes);

fn pair_results(results: &[PairBytes]) -> Vec<PairResult> {
    results.iter().map(|(a, b, bytes)| ((*a, *b), bytes.to_vec())).collect()
}

/// Drafts a fit before its columns are known; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (study, *, groups=None, weights=None, covariates=None, block_rows=None, block_columns=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job<'py>(
    py: Python<'py>,
    study: StudyInput<'py>,
    groups: Option<GroupInput<'py>>,
    weights: Option<WeightInput<'py>>,
    covariates: Option<CovariateInput<'py>>,
    block_rows: Option<usize>,
    block_columns: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let method = PartedMethod::named(&study.method).map_err(to_python)?;
    let settings = method.settings(&study.options).map_err(to_python)?;
    let (columns, target, run) =
        (study.stated_columns()?, study.required_target()?, study.run(py)?);
    let groups = groups.as_ref().map(GroupInput::read).transpose()?;
    let (weights, priors) =
        weights.as_ref().map(WeightInput::read).transpose()?.unwrap_or_default();
    if let Some(priors) = &priors {
        priors.check(&target).map_err(to_python)?;
    }
    let roles = Roles::default().with_groups(groups.as_ref());
    let roles = roles.with_weights(weights.as_ref()).with_priors(priors.as_ref());
    let beside = covariates.as_ref().map(CovariateInput::borrow).transpose()?;
    let (covariates, residuals) = match &beside {
        // Only residuals of classes have warnings, and a draft refuses them.
        Some(own) => {
            own.read(&target, weights.as_ref(), &run, &mut Vec::new()).map_err(to_python)?
        }
        None => (None, None),
    };
    let given = (residuals.unwrap_or(target), roles.with_covariates(covariates.as_ref()));
    let draft = Draft::new(method, &settings, given, columns, block_rows, block_columns, &run);
    Ok(PyBytes::new(py, &draft.map_err(to_python)?.to_bytes()))
}

/// The names and kinds of columns in the plan of a fit.
fn named(draft: &Draft, columns: impl Iterator<Item = usize> + Clone) -> (Names, Kinds) {
    let (names, kinds) = draft.named(columns);
    (names, kinds.into())
}

/// Computes checksums of rows of numbers; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn row_checksums<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    keys: PyReadonlyArray1<'py, u64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (values, keys, width) = (values.as_slice()?, keys.as_slice()?, keys.len());
    if width == 0 || !values.len().is_multiple_of(width) {
        return Err(PyValueError::new_err("provide one key per column"));
    }
    let found: Vec<u64> = values.chunks_exact(width).map(|row| row_checksum(row, keys)).collect();
    Ok(found.into_pyarray(py))
}

/// The sum over the columns of the bits of the value times the key of the column.
fn row_checksum(row: &[f64], keys: &[u64]) -> u64 {
    let folded = |value: f64| {
        let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
        // The low half of many numbers consists of zeros.
        bits ^ (bits >> 32)
    };
    let products = row.iter().zip(keys).map(|(value, key)| folded(*value).wrapping_mul(*key));
    products.fold(0, u64::wrapping_add)
}

/// Returns the blocks of rows and columns; see `_native.pyi`.
#[pyfunction]
pub(crate) fn job_layout<'py>(py: Python<'py>, job: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let draft = Draft::from_bytes(job).map_err(to_python)?;
    let layout = draft.layout(&run_on(py, Some(1))?).map_err(to_python)?;
    let result = PyDict::new(py);
    result.set_item("places", layout.places.into_pyarray(py))?;
    result.set_item("block_rows", layout.block_rows)?;
    result.set_item("blocks", layout.blocks)?;
    result.set_item("queries", layout.queries)?;
    let columns: Vec<(usize, usize)> =
        layout.columns.iter().map(|columns| (columns.start, columns.end)).collect();
    result.set_item("column_blocks", columns)?;
    let tables = layout.tables.map(|TableBlocks { first, rows_of_first, ranges }| {
        let ranges: Vec<_> = ranges.iter().map(|rows| (rows.start, rows.end)).collect();
        (first, rows_of_first.into_pyarray(py), ranges)
    });
    result.set_item("tables", tables)?;
    Ok(result)
}

/// Computes the facts and cells of some columns; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (job, column_block, features, blocks=None, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_columns<'py>(
    py: Python<'py>,
    job: &[u8],
    column_block: usize,
    features: Features<'py>,
    blocks: Option<usize>,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyBytes>, NewCells<'py>, bool)> {
    let draft = Draft::from_bytes(job).map_err(to_python)?;
    let values = features.borrow()?;
    let (names, kinds) = named(&draft, draft.columns(column_block).map_err(to_python)?);
    let (facts, cells, is_complete) = working(py, threads, |run| {
        draft.cells(column_block, &values.table(&names, &kinds, run)?, blocks, run)
    })?;
    // Cells are large, and are passed on without a copy.
    let cells = cells.into_iter().map(|cell| cell.into_pyarray(py)).collect();
    Ok((PyBytes::new(py, &facts), cells, is_complete))
}

/// Plans a draft; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_plan<'py>(
    py: Python<'py>,
    job: &[u8],
    facts: Vec<PyBackedBytes>,
) -> PyResult<Bound<'py, PyBytes>> {
    let draft = Draft::from_bytes(job).map_err(to_python)?;
    let plan = draft.plan(&copied(&facts), &run_on(py, Some(1))?).map_err(to_python)?;
    Ok(PyBytes::new(py, &Job::to_bytes(job, &plan)))
}

/// Lists the stages of a plan; see `_native.pyi`.
#[pyfunction]
pub(crate) fn job_stages<'py>(py: Python<'py>, plan: &[u8]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let job = Job::read(plan)?;
    let told = |own: &basrelief::distribute::StagePlan| {
        let result = PyDict::new(py);
        result.set_item("stage", own.stage.name())?;
        result.set_item("parts", own.cut.parts())?;
        result.set_item("result_bytes", own.result_bytes)?;
        result.set_item("memory_bytes", own.memory_bytes)?;
        Ok(result)
    };
    job.plan.stages().iter().map(told).collect()
}

/// Lists the pairs of blocks that a stage compares; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, stage="search"))]
pub(crate) fn job_pairs(py: Python<'_>, plan: &[u8], stage: &str) -> PyResult<Vec<(usize, usize)>> {
    let (job, stage) = (Job::read(plan)?, self::stage(stage)?);
    let pairs = job.draft.pairs(&job.plan, stage, &run_on(py, Some(1))?);
    pairs.map_err(to_python)
}

/// Compares two blocks; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, stage, known, a, b, rows_a, rows_b, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
#[expect(clippy::too_many_arguments, reason = "the task of a stage")]
pub(crate) fn job_pair<'py>(
    py: Python<'py>,
    plan: &[u8],
    stage: &str,
    known: Vec<PyBackedBytes>,
    a: usize,
    b: usize,
    rows_a: BlockInput<'py>,
    rows_b: BlockInput<'py>,
    threads: Option<usize>,
) -> PyResult<Vec<(usize, Bound<'py, PyBytes>)>> {
    let (job, stage) = (Job::read(plan)?, self::stage(stage)?);
    let known = copied(&known);
    let (first, second) = (rows_a.borrow()?, rows_b.borrow()?);
    let told = working(py, threads, |run| {
        let both = [first.rows(&job.draft, run)?, second.rows(&job.draft, run)?];
        job.draft.compare(&job.plan, stage, &known, (a, b), both, run)
    })?;
    Ok(told.into_iter().map(|(block, bytes)| (block, PyBytes::new(py, &bytes))).collect())
}

/// Merges the measurements of a stage; see `_native.pyi`.
#[pyfunction]
pub(crate) fn job_known<'py>(
    py: Python<'py>,
    plan: &[u8],
    stage: &str,
    results: Vec<PairBytes>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (job, stage) = (Job::read(plan)?, self::stage(stage)?);
    let results = pair_results(&results);
    let known =
        job.draft.measured(&job.plan, stage, &results, &run_on(py, Some(1))?).map_err(to_python)?;
    Ok(PyBytes::new(py, &known))
}

/// Finds the neighbors of the rows of a block; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, block, results, threads=None))]
pub(crate) fn job_lists<'py>(
    py: Python<'py>,
    plan: &[u8],
    block: usize,
    results: Vec<PairBytes>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (job, results) = (Job::read(plan)?, pair_results(&results));
    let lists = working(py, threads, |run| job.draft.lists(&job.plan, block, &results, run))?;
    Ok(PyBytes::new(py, &lists))
}

/// Computes the weights of some columns; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, column_block, features, lists, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_sums<'py>(
    py: Python<'py>,
    plan: &[u8],
    column_block: usize,
    features: Features<'py>,
    lists: Vec<PyBackedBytes>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let job = Job::read(plan)?;
    let values = features.borrow()?;
    let (names, kinds) = named(&job.draft, job.draft.columns(column_block).map_err(to_python)?);
    let sums = working(py, threads, |run| {
        let table = values.table(&names, &kinds, run)?;
        let part = (Stage::Sums, column_block);
        let problem = job.draft.problem_of_part(&job.plan, part, &table)?;
        job.plan.work(part.0, part.1, &problem, &mut each(&lists), run)
    })?;
    Ok(PyBytes::new(py, &sums))
}

/// Computes the tiles of a part of the scatter; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, part, features, lists, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_scatter<'py>(
    py: Python<'py>,
    plan: &[u8],
    part: usize,
    features: Features<'py>,
    lists: Vec<PyBackedBytes>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let job = Job::read(plan)?;
    let values = features.borrow()?;
    let columns = job.plan.columns_of(Stage::Scatter, part).map_err(to_python)?;
    let (names, kinds) = named(&job.draft, columns.into_iter());
    let tiles = working(py, threads, |run| {
        let table = values.table(&names, &kinds, run)?;
        let problem = job.draft.problem_of_part(&job.plan, (Stage::Scatter, part), &table)?;
        job.plan.work(Stage::Scatter, part, &problem, &mut each(&lists), run)
    })?;
    Ok(PyBytes::new(py, &tiles))
}

/// Creates the map from all tiles; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, tiles, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_map<'py>(
    py: Python<'py>,
    plan: &[u8],
    tiles: Vec<PyBackedBytes>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let job = Job::read(plan)?;
    let (map, warnings) =
        working(py, threads, |run| job.draft.merge_map(&job.plan, &mut each(&tiles), run))?;
    let texts = warnings.iter().map(told);
    let result = PyDict::new(py);
    result.set_item("mean", map.mean().to_vec().into_pyarray(py))?;
    result.set_item("components", matrix(py, map.matrix())?)?;
    result.set_item("eigenvalues", map.eigenvalues().to_vec().into_pyarray(py))?;
    result.set_item("discriminant_power", map.discriminant_power())?;
    result.set_item("warnings", texts.collect::<Vec<String>>())?;
    Ok(result)
}

/// Sums the margins of some blocks of rows; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, part, cells, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_margins<'py>(
    py: Python<'py>,
    plan: &[u8],
    part: usize,
    cells: Vec<Vec<PyCell<'py>>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let job = Job::read(plan)?;
    let cells = cells.iter().map(|cells| slices(cells)).collect::<PyResult<Vec<_>>>()?;
    let margins = working(py, threads, |run| job.draft.margins(&job.plan, part, &cells, run))?;
    Ok(PyBytes::new(py, &margins))
}

/// Derives the plan of a round from that of another round; see `_native.pyi`.
#[pyfunction]
pub(crate) fn job_again<'py>(
    py: Python<'py>,
    rounds: &[u8],
    plan: &[u8],
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let (rounds, job) = (Rounds::from_bytes(rounds).map_err(to_python)?, Job::read(plan)?);
    let again = rounds.plan_again(&job.plan);
    Ok(again.map(|plan| PyBytes::new(py, &Job::to_bytes(&job.draft.to_bytes(), &plan))))
}

/// Starts the rounds of a fit; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_rounds<'py>(
    py: Python<'py>,
    study: StudyInput<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (MethodChoice { info, settings }, study_of) = study.study(None)?;
    let (width, run) = (study.width(), study.run(py)?);
    let rounds = Rounds::new(info, &settings, &study_of.wrappers, width, &run);
    Ok(PyBytes::new(py, &rounds.map_err(to_python)?.to_bytes()))
}

/// Returns the number of a round, the maximum number of rounds, and its columns; see `_native.pyi`.
#[pyfunction]
pub(crate) fn job_round(rounds: &[u8]) -> PyResult<(usize, usize, Vec<usize>)> {
    let rounds = Rounds::from_bytes(rounds).map_err(to_python)?;
    Ok((rounds.number(), rounds.at_most(), rounds.columns()))
}

/// Adds a permutation test to a plan; see `_native.pyi`.
#[pyfunction]
pub(crate) fn job_permutations<'py>(
    py: Python<'py>,
    plan: &[u8],
    draws: u64,
    sided: &str,
    parts: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let sided: Sided = sided.parse().map_err(to_python)?;
    let Job { draft, plan } = Job::read(plan)?;
    let problem = draft.problem_of(&plan).map_err(to_python)?;
    let plan = plan.with_permutations(&problem, (draws, sided), parts).map_err(to_python)?;
    Ok(PyBytes::new(py, &Job::to_bytes(&draft.to_bytes(), &plan)))
}

/// Computes the permutations of a part; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (plan, part, features, weights, threads=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_permute<'py>(
    py: Python<'py>,
    plan: &[u8],
    part: usize,
    features: Features<'py>,
    weights: PyReadonlyArray1<'py, f64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let job = Job::read(plan)?;
    let (values, weights) = (features.borrow()?, weights.as_slice()?);
    let columns = job.plan.columns_of(Stage::Permute, part).map_err(to_python)?;
    let (names, kinds) = named(&job.draft, columns.into_iter());
    let found = working(py, threads, |run| {
        let table = values.table(&names, &kinds, run)?;
        let problem = job.draft.problem_of_part(&job.plan, (Stage::Permute, part), &table)?;
        job.plan.permute(part, &problem, weights, run)
    })?;
    Ok(PyBytes::new(py, &found))
}

/// Tests the weights; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_test<'py>(
    py: Python<'py>,
    plan: &[u8],
    weights: PyReadonlyArray1<'py, f64>,
    permuted: Vec<PyBackedBytes>,
    test: TestInput<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let job = Job::read(plan)?;
    let (test, _) = test.read(weights.len())?;
    let (mut permuted, weights) = (each(&permuted), weights.as_slice()?);
    let run = run_on(py, Some(1))?.with_seed(job.plan.seed());
    let mut merged = || -> Result<_> {
        let PartedMethod::Weights(info) = job.plan.method() else {
            return Err(Error::Internal("a map has no test".to_string()));
        };
        let problem = job.draft.problem_of(&job.plan)?;
        let recipe = Recipe { info, settings: job.plan.settings(), wrappers: &[] };
        let prepared = test.prepare(recipe, &problem, RoleColumns::default(), &run)?;
        let tested = test.merged(&job.plan, &prepared, &problem, weights, &mut permuted)?;
        let warnings = prepared.warnings(&tested, weights);
        Ok((tested, warnings))
    };
    let (tested, warnings) = merged().map_err(to_python)?;
    let result = test_dict(py, tested.significance().clone())?;
    result.set_item("warnings", warnings.iter().map(told).collect::<Vec<String>>())?;
    Ok(result)
}

/// Refuses a test in parts that is invalid or cannot reach significance; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn check_test_in_parts(study: StudyInput<'_>, test: TestInput<'_>) -> PyResult<()> {
    let (test, _) = test.read(study.width())?;
    test.check_parts().map_err(to_python)?;
    study.study(Some(test)).map(drop)
}

/// The result of [`job_after`]: the next round, or the weights and the warnings.
type After<'py> = (Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyArray1<f64>>>, Vec<String>);

/// Ends a round, and returns the next round or the weights; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn job_after<'py>(
    py: Python<'py>,
    rounds: &[u8],
    plan: &[u8],
    results: Vec<PyBackedBytes>,
) -> PyResult<After<'py>> {
    let (rounds, job) = (Rounds::from_bytes(rounds).map_err(to_python)?, Job::read(plan)?);
    let mut results = each(&results);
    let turn = rounds.after_draft(&job.draft, &job.plan, &mut results, &run_on(py, Some(1))?);
    Ok(match turn.map_err(to_python)? {
        Turn::Next(next) => (Some(PyBytes::new(py, &next.to_bytes())), None, Vec::new()),
        Turn::Last((weights, warnings)) => {
            let texts = warnings.iter().map(told);
            (None, Some(weights.into_pyarray(py)), texts.collect())
        }
    })
}
