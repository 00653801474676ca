//! Covariates for Python.

use basrelief::data::Covariates;
use basrelief::solve::ClassResiduals;
use basrelief::{FrontEnd, Result, Run};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::arrays::TargetInput;
use crate::columns::{Borrowed, Features, KindInput};
use crate::errors::to_python;
use crate::threads::run_on;
use crate::watch;

/// Columns, their names and kinds, a caliper, and whether they contribute to distances.
#[derive(FromPyObject)]
pub(crate) struct CovariateInput<'py>(
    Features<'py>,
    Vec<String>,
    Vec<KindInput>,
    Option<f64>,
    bool,
);

impl CovariateInput<'_> {
    /// Borrows the covariates for use without the interpreter.
    pub(crate) fn borrow(&self) -> PyResult<BorrowedCovariates<'_>> {
        let Self(values, names, kinds, caliper, in_distance) = self;
        let (caliper, in_distance) = (*caliper, *in_distance);
        Ok(BorrowedCovariates { values: values.borrow()?, names, kinds, caliper, in_distance })
    }
}

/// [`CovariateInput`] without the interpreter.
pub(crate) struct BorrowedCovariates<'a> {
    values: Borrowed<'a>,
    names: &'a [String],
    kinds: &'a [KindInput],
    caliper: Option<f64>,
    in_distance: bool,
}

impl<'a> BorrowedCovariates<'a> {
    /// Creates the covariates, with their use.
    ///
    /// # Errors
    /// The errors of [`Covariates::new`] and [`Covariates::with_caliper`].
    pub(crate) fn read(&self, run: &Run) -> Result<Covariates<'a>> {
        let covariates =
            Covariates::new(self.values.covariate_table(self.names, self.kinds, run)?)?;
        let covariates = match self.caliper {
            Some(caliper) => covariates.with_caliper(caliper)?,
            None => covariates,
        };
        Ok(if self.in_distance { covariates.in_distance() } else { covariates })
    }
}

/// Computes the residuals of a target, and warnings; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn residuals<'py>(
    py: Python<'py>,
    target: TargetInput<'py>,
    covariates: Features<'py>,
    names: Vec<String>,
    kinds: Vec<KindInput>,
    kind: &str,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<String>)> {
    let kind: ClassResiduals = kind.parse().map_err(to_python)?;
    let target = target.read()?;
    let values = covariates.borrow()?;
    let run = run_on(py, Some(1))?;
    let found = watch::interruptible(py, run, None, |run| {
        let covariates = Covariates::new(values.covariate_table(&names, &kinds, run)?)?;
        basrelief::solve::residuals(&target, &covariates, kind, seed, run)
    })?;
    let told = found.warnings.iter().map(|warning| warning.message(FrontEnd::Python)).collect();
    Ok((found.values.into_pyarray(py), told))
}
