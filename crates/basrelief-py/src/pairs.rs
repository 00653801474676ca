//! Tests of pairs of features, for `interacting_pairs`.

use basrelief::pairs::{PairStatistic, PairTests, TestedPair, least_p_values};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::TargetInput;
use crate::covariates::CovariateInput;
use crate::errors::told;
use crate::input::{InputRoles, StudyInput};
use crate::significance::{GroupInput, read_strata};
use crate::watch;

/// Tests all pairs of some features; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (study, *, chosen, pairs, permutations=None, strata=None, covariates=None, groups=None))]
#[expect(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn find_pairs<'py>(
    py: Python<'py>,
    study: StudyInput<'py>,
    chosen: Vec<usize>,
    pairs: usize,
    permutations: Option<u64>,
    strata: Option<TargetInput<'py>>,
    covariates: Option<CovariateInput<'py>>,
    groups: Option<GroupInput<'py>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (run, columns) = (study.run(py)?, study.columns()?);
    let (target, strata) = (study.required_target()?, read_strata(strata.as_ref())?);
    let beside = covariates.as_ref().map(CovariateInput::borrow).transpose()?;
    let groups = groups.as_ref().map(GroupInput::read).transpose()?;
    let (tests, warnings) = watch::interruptible(py, run, study.progress.as_ref(), |run| {
        let roles = InputRoles { strata, groups, ..InputRoles::default() };
        let data = columns.data(target, roles, beside.as_ref(), run)?;
        let (roles, covariates) = (data.roles(), data.covariates.as_ref());
        PairTests::check(roles, permutations)?;
        let mut tests = PairTests::new(&data.table, &chosen, &data.target, roles, pairs, run)?;
        let mut warnings = columns.doubts(&data);
        let Some(draws) = permutations else { return Ok((tests, warnings)) };
        let permutations = PairTests::permutations(&data.target, roles, run)?;
        let least = least_p_values(&data.table, &chosen, &permutations, covariates, draws, run)?;
        tests.adjust(&least);
        warnings.extend(permutations.warnings().iter().cloned());
        Ok((tests, warnings))
    })?;
    let result = PyDict::new(py);
    let places = |place: fn(&TestedPair) -> usize| -> Vec<i64> {
        tests.pairs.iter().map(|pair| chosen[place(pair)] as i64).collect()
    };
    let numbers =
        |number: fn(&TestedPair) -> f64| -> Vec<f64> { tests.pairs.iter().map(number).collect() };
    let counts = |count: fn(&TestedPair) -> usize| -> Vec<i64> {
        tests.pairs.iter().map(|pair| count(pair) as i64).collect()
    };
    let is_ratio = tests.statistic == PairStatistic::LikelihoodRatio;
    let of_f = (!is_ratio).then(|| counts(|pair| pair.residual.unwrap_or(0)));
    let bits = is_ratio.then(|| numbers(|pair| pair.interaction_information.unwrap_or(0.0)));
    let adjusted = permutations.map(|_| numbers(|pair| pair.adjusted.unwrap_or(1.0)));
    result.set_item("first", places(|pair| pair.first).into_pyarray(py))?;
    result.set_item("second", places(|pair| pair.second).into_pyarray(py))?;
    result.set_item("statistics", numbers(|pair| pair.statistic).into_pyarray(py))?;
    result.set_item("degrees", counts(|pair| pair.degrees).into_pyarray(py))?;
    result.set_item("residual", of_f.map(|counts| counts.into_pyarray(py)))?;
    // Without independent rows there are none of these.
    let parametric = |number: fn(&TestedPair) -> Option<f64>| -> Option<Bound<'py, PyArray1<f64>>> {
        tests.exact_q?;
        let found: Vec<f64> = tests.pairs.iter().filter_map(number).collect();
        Some(found.into_pyarray(py))
    };
    result.set_item("p_values", parametric(|pair| Some(pair.parametric?.p_value)))?;
    result.set_item("log10_p", parametric(TestedPair::log10_p))?;
    result.set_item("q_values", parametric(|pair| Some(pair.parametric?.q_value)))?;
    result.set_item("adjusted", adjusted.map(|numbers| numbers.into_pyarray(py)))?;
    result.set_item("information", bits.map(|numbers| numbers.into_pyarray(py)))?;
    result.set_item("rows", counts(|pair| pair.rows).into_pyarray(py))?;
    result.set_item("tested", tests.tested)?;
    result.set_item("untested", tests.untested)?;
    result.set_item("exact_q", tests.exact_q)?;
    result.set_item("warnings", warnings.iter().map(told).collect::<Vec<String>>())?;
    Ok(result)
}
