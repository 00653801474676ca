//! Permutation tests from Python.

use basrelief::Result;
use basrelief::data::{Classes, Column, Target};
use basrelief::inference::{Correction, Draws, Significance, strata};
use basrelief_study::TestPlan;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::TargetInput;
use crate::errors::to_python;

/// The number of permutations as on the command line, the name of the correction, alpha and the groups.
#[derive(FromPyObject)]
pub(crate) struct TestInput<'py>(String, String, f64, Option<TargetInput<'py>>);

impl TestInput<'_> {
    /// Creates the test of `features` features, and the groups within which the target is permuted.
    ///
    /// # Errors
    /// The test is invalid, as far as this is known before the fit.
    pub(crate) fn read(&self, features: usize) -> PyResult<(TestPlan, Option<Classes>)> {
        let read = || -> Result<TestPlan> {
            let (draws, correction): (Draws, Correction) = (self.0.parse()?, self.1.parse()?);
            draws.check(correction, self.2, features)?;
            Ok(TestPlan { correction, alpha: self.2, ..TestPlan::new(draws) })
        };
        Ok((read().map_err(to_python)?, read_strata(self.3.as_ref())?))
    }
}

/// Reads the groups within which a target is permuted, if there are any.
pub(crate) fn read_strata(groups: Option<&TargetInput<'_>>) -> PyResult<Option<Classes>> {
    Ok(match groups.map(TargetInput::read).transpose()? {
        None => None,
        Some(Target::Classes(groups)) => Some(groups),
        Some(Target::Real(numbers)) => {
            let column = Column::from_values("groups", numbers);
            Some(column.and_then(|column| strata(&column)).map_err(to_python)?)
        }
    })
}

/// Converts the result of a test to a dict.
pub(crate) fn test_dict(py: Python<'_>, found: Significance) -> PyResult<Bound<'_, PyDict>> {
    let result = PyDict::new(py);
    let draws: Vec<i64> = found.draws.into_iter().map(|count| count as i64).collect();
    result.set_item("p_values", found.p_values.into_pyarray(py))?;
    result.set_item("adjusted", found.adjusted.map(|adjusted| adjusted.into_pyarray(py)))?;
    result.set_item("q_values", found.q_values.into_pyarray(py))?;
    result.set_item("selected", found.selected.into_pyarray(py))?;
    result.set_item("draws", draws.into_pyarray(py))?;
    result.set_item("chance_weight", found.chance_weight)?;
    result.set_item("seconds", found.seconds)?;
    Ok(result)
}
