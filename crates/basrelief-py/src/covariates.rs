//! Covariates for Python.

use basrelief::data::{Covariates, Names, RowWeights, Target};
use basrelief::{FrontEnd, Result, Run, Warning};
use basrelief_study::CovariateUse;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::arrays::TargetInput;
use crate::columns::{Borrowed, Features};
use crate::errors::to_python;
use crate::stated::{Kinds, NameInput};
use crate::threads::run_on;
use crate::watch;

/// Columns, their names and kinds, a caliper, whether they contribute to distances, and whether the target is adjusted.
#[derive(FromPyObject)]
pub(crate) struct CovariateInput<'py>(Features<'py>, NameInput, Kinds, Option<f64>, bool, bool);

impl CovariateInput<'_> {
    /// Borrows the covariates for use without the interpreter.
    pub(crate) fn borrow(&self) -> PyResult<BorrowedCovariates<'_>> {
        let &Self(ref values, NameInput(ref names), ref kinds, caliper, in_distance, residuals) =
            self;
        // Without another use, they are in the models of tests.
        let in_models = !residuals && caliper.is_none() && !in_distance;
        let uses =
            CovariateUse { residuals, caliper, in_distance, in_models, ..CovariateUse::default() };
        Ok(BorrowedCovariates { values: values.borrow()?, names, kinds, uses })
    }
}

/// [`CovariateInput`] without the interpreter.
pub(crate) struct BorrowedCovariates<'a> {
    values: Borrowed<'a>,
    names: &'a Names,
    kinds: &'a Kinds,
    uses: CovariateUse,
}

impl<'a> BorrowedCovariates<'a> {
    /// Creates the covariates, with their use, and the residuals of the target if they replace it.
    ///
    /// # Errors
    /// The errors of [`CovariateUse::used`].
    pub(crate) fn read(
        &self,
        target: &Target,
        weights: Option<&RowWeights>,
        run: &Run,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Option<Covariates<'a>>, Option<Target>)> {
        let table = self.values.covariate_table(self.names, self.kinds, run)?;
        self.uses.used(table, target, weights, run, warnings)
    }
}

/// Computes the residuals of a numeric target; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn residuals<'py>(
    py: Python<'py>,
    target: TargetInput<'py>,
    covariates: Features<'py>,
    names: NameInput,
    kinds: Kinds,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<String>)> {
    let target = target.read()?;
    let values = covariates.borrow()?;
    let run = run_on(py, Some(1))?;
    let found = watch::interruptible(py, run, None, |run| {
        let covariates = Covariates::new(values.covariate_table(&names.0, &kinds, run)?)?;
        basrelief::solve::residuals(&target, covariates, None, run)
    })?;
    let told = found.warnings.iter().map(|warning| warning.message(FrontEnd::Python)).collect();
    let values = match found.target.as_survival() {
        Some(survival) => survival.quantiles(),
        None => found.target.values("residuals").map_err(to_python)?.to_vec(),
    };
    Ok((values.into_pyarray(py), told))
}
