//! Permutation tests from Python.

use basrelief::Result;
use basrelief::data::{self, ClassPriors, Classes, Column, Groups, RowWeights, Target};
use basrelief::inference::{Correction, Draws, Sided, Significance};
use basrelief_study::TestPlan;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::TargetInput;
use crate::errors::to_python;

/// The number of permutations as on the command line, the name of the correction, alpha, the strata, and the name of the
/// alternative hypothesis.
#[derive(FromPyObject)]
pub(crate) struct TestInput<'py>(String, String, f64, Option<TargetInput<'py>>, String);

impl TestInput<'_> {
    /// Creates the test of `features` features, and the strata within which the target is permuted.
    ///
    /// # Errors
    /// The test is invalid, as far as this is known before the fit.
    pub(crate) fn read(&self, features: usize) -> PyResult<(TestPlan, Option<Classes>)> {
        let read = || -> Result<TestPlan> {
            let (draws, correction): (Draws, Correction) = (self.0.parse()?, self.1.parse()?);
            draws.check(correction, self.2, features)?;
            let sided: Sided = self.4.parse()?;
            Ok(TestPlan { correction, sided, alpha: self.2, ..TestPlan::new(draws) })
        };
        Ok((read().map_err(to_python)?, read_strata(self.3.as_ref())?))
    }
}

/// Groups of rows that are not independent, and how much the rows of a group count.
#[derive(FromPyObject)]
pub(crate) struct GroupInput<'py>(TargetInput<'py>, String);

impl GroupInput<'_> {
    /// Reads the groups.
    ///
    /// # Errors
    /// A missing value; all rows in one group.
    pub(crate) fn read(&self) -> PyResult<Groups> {
        let (found, weight) = (self.0.read()?, self.1.parse());
        let groups = || match found {
            Target::Classes(classes) => Groups::of_classes(&classes, weight?).checked("groups"),
            other => {
                let numbers = other.values("groups")?.to_vec();
                Groups::from_column(&Column::from_values("groups", numbers)?, weight?)
            }
        };
        groups().map_err(to_python)
    }
}

/// Weights of rows, and priors of classes by name, or the word that specifies them.
#[derive(FromPyObject)]
pub(crate) struct WeightInput<'py>(Option<PyReadonlyArray1<'py, f64>>, Option<PriorsInput>);

/// Priors of classes: `data` or `uniform`, or a prior per class.
#[derive(FromPyObject)]
enum PriorsInput {
    Word(String),
    Stated(Vec<(String, f64)>),
}

impl WeightInput<'_> {
    /// Reads the weights, of which all are above 0, and the priors.
    ///
    /// # Errors
    /// A weight that is not a finite number above 0; invalid priors.
    pub(crate) fn read(&self) -> PyResult<(Option<RowWeights>, Option<ClassPriors>)> {
        let weights =
            self.0.as_ref().map(|weights| RowWeights::new(WEIGHTS, weights.as_array().to_vec()));
        let priors = match &self.1 {
            None => Ok(None),
            Some(PriorsInput::Word(word)) => ClassPriors::parse(word),
            Some(PriorsInput::Stated(priors)) => ClassPriors::stated(priors.clone()).map(Some),
        };
        Ok((weights.transpose().map_err(to_python)?, priors.map_err(to_python)?))
    }
}

/// The rows whose weight is above 0, ascending; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn positive_rows<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<usize>>> {
    let weights = weights.as_array().to_vec();
    let rows = RowWeights::positive_rows(WEIGHTS, &weights).map_err(to_python)?;
    Ok(rows.into_pyarray(py))
}

/// The name of the weights in messages.
const WEIGHTS: &str = "sample_weight";

/// Reads the strata within which a target is permuted, if there are any.
pub(crate) fn read_strata(strata: Option<&TargetInput<'_>>) -> PyResult<Option<Classes>> {
    Ok(match strata.map(TargetInput::read).transpose()? {
        None => None,
        Some(Target::Classes(strata)) => Some(strata),
        Some(other) => {
            let numbers = other.values("strata").map_err(to_python)?.to_vec();
            let column = Column::from_values("strata", numbers);
            Some(column.and_then(|column| data::strata(&column)).map_err(to_python)?)
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
