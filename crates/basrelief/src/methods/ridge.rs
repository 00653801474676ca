//! Inversion of matrices that may be singular, with a reported ridge.

use std::str::FromStr;

use crate::algebra::{Eigen, generalized_eigen, regularized_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// `ridge`: the amount added to the diagonal of a matrix that is inverted.
pub(super) static RIDGE: OptionInfo = OptionInfo {
    name: "ridge",
    flag: "ridge",
    kind: OptionKind::Text { grammar: "auto|X", check: |text| text.parse::<Ridge>().map(drop) },
    default: "auto",
    help: "Ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal \
           entry; auto: 1e-6 if the matrix is singular, otherwise 0",
};

/// The ridge of `auto` for a singular matrix, as a fraction of the mean diagonal entry.
const DEFAULT: f64 = 1e-6;

/// The ridge added to the diagonal of a matrix to be inverted, as a fraction of the mean diagonal
/// entry.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Ridge {
    /// 1e-6 if the matrix is singular, otherwise 0.
    #[default]
    Auto,
    /// This fraction, at least 0, whether the matrix is singular or not.
    Share(f64),
}

impl FromStr for Ridge {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        match text.parse::<f64>() {
            Ok(share) if share >= 0.0 && share.is_finite() => Ok(Self::Share(share)),
            Ok(share) => Err(format!("{share} is not a finite number of at least 0")),
            Err(_) => Err(format!("`{text}` is neither `auto` nor a number")),
        }
    }
}

impl Ridge {
    /// The eigenpairs of `A v = s (B + ridge) v`, with `v' (B + ridge) v = 1`. Messages call the
    /// matrix `b` by its `name`. The ridge is reported.
    ///
    /// # Errors
    /// `B` is singular even with the requested ridge.
    pub(crate) fn eigen(
        self,
        a: &DenseMatrix,
        b: &DenseMatrix,
        name: &str,
        report: &mut Report,
        run: &Run,
    ) -> Result<Eigen> {
        let share = match self {
            Ridge::Share(share) => share,
            Ridge::Auto => {
                let (found, ridge) = regularized_eigen(a, b.clone(), a, DEFAULT, run)?;
                report_ridge(ridge, name, report);
                return Ok(found);
            }
        };
        let size = b.rows();
        let ridge = share * (0..size).map(|i| b.row(i)[i]).sum::<f64>() / size as f64;
        let mut raised = b.clone();
        (0..size).for_each(|i| raised.row_mut(i)[i] += ridge);
        report.ridge = Some(ridge);
        generalized_eigen(a, &raised, run)?.ok_or_else(|| {
            let problem = format!("{name} is singular even with {ridge:.3e} added to its diagonal");
            Error::option("ridge", problem, "increase it, or use auto")
        })
    }

    /// The diagonal matrix `(D + ridge)^-1/2` of a diagonal matrix `D`. Messages call `D` by its `name`. The ridge is
    /// reported.
    ///
    /// # Errors
    /// `D` is singular even with the requested ridge.
    pub(crate) fn diagonal_root(
        self,
        diagonal: &DenseMatrix,
        name: &str,
        report: &mut Report,
    ) -> Result<DenseMatrix> {
        let size = diagonal.rows();
        let entries: Vec<f64> = (0..size).map(|i| diagonal.row(i)[i]).collect();
        let mean = entries.iter().sum::<f64>() / size as f64;
        let ridge = match self {
            Ridge::Share(share) => share * mean,
            Ridge::Auto if entries.iter().all(|&entry| entry > f64::EPSILON * mean) => 0.0,
            Ridge::Auto => DEFAULT * mean,
        };
        if self == Ridge::Auto {
            report_ridge(ridge, name, report);
        }
        report.ridge = Some(ridge);
        let mut root = DenseMatrix::zeros(size, size);
        for (i, entry) in entries.iter().enumerate() {
            if entry + ridge <= 0.0 {
                let problem =
                    format!("{name} is singular even with {ridge:.3e} added to its diagonal");
                return Err(Error::option("ridge", problem, "increase it, or use auto"));
            }
            root.row_mut(i)[i] = 1.0 / (entry + ridge).sqrt();
        }
        Ok(root)
    }
}

/// Reports the ridge of `auto`, with a warning if it is not 0.
fn report_ridge(ridge: f64, name: &str, report: &mut Report) {
    if ridge > 0.0 {
        report.warnings.push(Warning::new(
            "ridge",
            format!(
                "{name} is singular: {ridge:.3e} was added to its diagonal ({})",
                setting("ridge", Some(&DEFAULT.to_string()))
            ),
        ));
    }
    report.ridge = Some(ridge);
}
