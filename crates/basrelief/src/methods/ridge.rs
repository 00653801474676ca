//! Inverting matrices that may be singular, and saying so.

use std::str::FromStr;

use crate::algebra::{Eigen, generalized_eigen, regularized_eigen};
use crate::data::DenseMatrix;
use crate::error::{Error, Result};
use crate::options::{OptionInfo, OptionKind};
use crate::report::Report;
use crate::run::Run;
use crate::warning::Warning;
use crate::wording::setting;

/// `ridge`: what is added to the diagonal of a matrix that is inverted.
pub(super) static RIDGE: OptionInfo = OptionInfo {
    name: "ridge",
    flag: "ridge",
    kind: OptionKind::Text { grammar: "auto|X", check: |text| text.parse::<Ridge>().map(drop) },
    default: "auto",
    help: "Share of its mean that is added to the diagonal of a matrix to be inverted; auto: 1e-6 \
           where it is singular, else nothing",
};

/// The share that is added where a matrix is singular and nothing else is asked for.
const DEFAULT: f64 = 1e-6;

/// What is added to the diagonal of a matrix that is to be inverted, as a share of its mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Ridge {
    /// 1e-6 where the matrix is singular, else nothing.
    #[default]
    Auto,
    /// This share, at least 0, whether it is singular or not.
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
            Ok(share) => Err(format!("{share} is no finite number of at least 0")),
            Err(_) => Err(format!("`{text}` is neither `auto` nor a number")),
        }
    }
}

impl Ridge {
    /// The eigenpairs of `A v = s (B + ridge) v`, with `v' (B + ridge) v = 1`; `b` is what the
    /// matrix is called in messages. The report says what was added.
    ///
    /// # Errors
    /// `B` stays singular with the ridge asked for.
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
                return Ok(found);
            }
        };
        let size = b.rows();
        let ridge = share * (0..size).map(|i| b.row(i)[i]).sum::<f64>() / size as f64;
        let mut raised = b.clone();
        (0..size).for_each(|i| raised.row_mut(i)[i] += ridge);
        report.ridge = Some(ridge);
        generalized_eigen(a, &raised, run)?.ok_or_else(|| {
            let problem = format!("{name} is singular with {ridge:.3e} added to its diagonal");
            Error::option("ridge", problem, "raise it, or use auto")
        })
    }
}
