//! Targets: the classes, numbers or times that features are to explain.
//!
//! A kind of target is a file here and a variant of [`Target`]. Everything else asks a target through the methods of
//! this module: which rows it has, how they are selected and permuted, which of its values are kept in proportion in
//! random splits, and how much the targets of two rows differ.

mod classes;
mod combined;
mod label_tree;
mod multi;
mod numbers;
mod survival;
mod values;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Column;
use crate::error::{DataError, Error, Result};
use crate::wording::{self, setting};

pub use classes::Classes;
pub(crate) use classes::rows_by_code;
pub use label_tree::LabelTree;
pub use multi::{MultiTarget, TargetDistance};
pub(crate) use numbers::target_range;
pub use survival::{Survival, SurvivalCurve, survival_events};
pub(crate) use values::{TargetDifferences, TargetValues};

/// The target of a supervised method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// Classes, for classification.
    Classes(Classes),
    /// A real number per row, for regression.
    Real(#[serde(with = "crate::packed")] Vec<f64>),
    /// The time to an event, or to the end of the observation.
    Survival(Survival),
    /// Several targets, or one that is unknown in some rows.
    Multi(MultiTarget),
}

impl From<Classes> for Target {
    fn from(classes: Classes) -> Self {
        Target::Classes(classes)
    }
}

impl From<Survival> for Target {
    fn from(survival: Survival) -> Self {
        Target::Survival(survival)
    }
}

impl Target {
    /// Creates a target from the class name of every row (see [`Classes::from_labels`]).
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        Classes::from_labels(labels).into()
    }

    /// Creates a target of real numbers.
    ///
    /// # Errors
    /// A value that is infinite or not a number; the message names the row.
    pub fn real(values: Vec<f64>) -> Result<Self> {
        if let Some(row) = values.iter().position(|value| !value.is_finite()) {
            return Err(DataError::new(
                "the target must be a finite number in every row",
                "leave out rows whose target is unknown",
            )
            .at_row(row as u64 + 1)
            .with_value(&values[row].to_string())
            .into());
        }
        Ok(Target::Real(values))
    }

    /// The values, whatever their kind.
    pub(crate) fn values_of_kind(&self) -> &dyn TargetValues {
        match self {
            Target::Classes(classes) => classes,
            Target::Real(values) => values,
            Target::Survival(survival) => survival,
            Target::Multi(several) => several,
        }
    }

    /// Selects rows, in the order of the list. Classes without a selected row are removed.
    ///
    /// # Errors
    /// None for rows of this target.
    ///
    /// # Panics
    /// A row out of range.
    pub fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        Ok(match self {
            Target::Classes(classes) => Target::Classes(classes.select_rows(rows)?),
            Target::Real(values) => Target::Real(values.select_rows(rows)?),
            Target::Survival(survival) => Target::Survival(survival.select_rows(rows)?),
            Target::Multi(several) => Target::Multi(several.select_rows(rows)?),
        })
    }

    /// The target in which every row has the value of the row at its place in `order`, which is a permutation of the rows.
    pub(crate) fn reordered(&self, order: &[u32]) -> Self {
        match self {
            Target::Classes(classes) => Target::Classes(classes.reordered(order)),
            Target::Real(values) => Target::Real(values.reordered(order)),
            Target::Survival(survival) => Target::Survival(survival.reordered(order)),
            Target::Multi(several) => Target::Multi(several.reordered(order)),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.values_of_kind().rows()
    }

    /// The columns of a table that holds the target: one, of numbers or categories, with this name; for survival times
    /// another one, `event`, of 1 and 0; of several targets one each, with their names. Classes whose names are numbers become numbers.
    ///
    /// # Errors
    /// None for values of a target.
    pub fn columns(&self, name: &str) -> Result<Vec<Column<'static>>> {
        self.values_of_kind().columns(name)
    }

    /// The fingerprint of all values.
    pub fn fingerprint(&self) -> u64 {
        self.values_of_kind().fingerprint()
    }

    /// Numbers that represent the values in a regression on covariates and in the mean over neighbors: those of a numeric
    /// target, and the [quantiles](Survival::quantiles) of survival times; `None` for classes.
    pub(crate) fn regression_values(&self) -> Option<Cow<'_, [f64]>> {
        self.values_of_kind().regression_values()
    }

    /// A code per row, below the number of rows; rows with the same value have the same code.
    pub(crate) fn value_codes(&self) -> Cow<'_, [u32]> {
        self.values_of_kind().value_codes()
    }

    /// A description of the target for messages: `has classes`, `is numeric` or `has survival times`, for example.
    pub fn phrase(&self) -> &'static str {
        self.values_of_kind().phrase()
    }

    /// Whether the target varies among some rows.
    pub(crate) fn varies_among(&self, rows: &[u32]) -> bool {
        let values = self.values_of_kind();
        rows.windows(2).any(|pair| !values.is_same(pair[0] as usize, pair[1] as usize))
    }

    /// Whether the target of a row is known, or any of several.
    pub(crate) fn is_labeled(&self, row: usize) -> bool {
        self.values_of_kind().is_labeled(row)
    }

    /// How much the values of two rows differ.
    ///
    /// # Errors
    /// All values are the same, or their differences overflow.
    pub(crate) fn differences(&self) -> Result<Box<dyn TargetDifferences + '_>> {
        self.values_of_kind().differences()
    }

    /// The classes whose proportions random splits preserve: those of the target, or whether the event of a survival time
    /// occurred; `None` for numbers.
    pub(crate) fn balanced(&self) -> Option<&Classes> {
        match self {
            Target::Classes(classes) => Some(classes),
            Target::Real(_) | Target::Multi(_) => None,
            Target::Survival(survival) => Some(survival.status()),
        }
    }

    /// The classes; `None` if the target is of another kind.
    pub fn as_classes(&self) -> Option<&Classes> {
        match self {
            Target::Classes(classes) => Some(classes),
            _ => None,
        }
    }

    /// The numbers; `None` if the target is of another kind.
    pub fn as_numbers(&self) -> Option<&[f64]> {
        match self {
            Target::Real(values) => Some(values),
            _ => None,
        }
    }

    /// The survival times; `None` if the target is of another kind.
    pub fn as_survival(&self) -> Option<&Survival> {
        match self {
            Target::Survival(survival) => Some(survival),
            _ => None,
        }
    }

    /// Several targets, or one that is unknown in some rows; `None` if the target is of another kind.
    pub fn as_multi(&self) -> Option<&MultiTarget> {
        match self {
            Target::Multi(several) => Some(several),
            _ => None,
        }
    }

    /// The classes.
    ///
    /// # Errors
    /// The target is of another kind. The message contains the name `method`.
    pub fn classes(&self, method: &str) -> Result<&Classes> {
        self.as_classes().ok_or_else(|| match self {
            Target::Survival(_) | Target::Multi(_) => self.refused(method, "classes"),
            _ => Error::data(
                format!("the target is numeric, but {method} needs classes"),
                format!(
                    "use {} if its numbers are classes",
                    setting("target_type", Some("classes"))
                ),
            ),
        })
    }

    /// The real values.
    ///
    /// # Errors
    /// The target is of another kind. The message contains the name `method`.
    pub fn values(&self, method: &str) -> Result<&[f64]> {
        self.as_numbers().ok_or_else(|| match self {
            Target::Classes(classes) => Error::data(
                format!(
                    "the target has {} classes, but {method} needs a numeric target",
                    classes.len()
                ),
                format!(
                    "use {} for classes, or {} if they are numbers",
                    wording::method("relieff"),
                    setting("target_type", Some("real"))
                ),
            ),
            _ => self.refused(method, "a numeric target"),
        })
    }

    /// The survival times.
    ///
    /// # Errors
    /// The target is of another kind. The message contains the name `method`.
    pub fn survival(&self, method: &str) -> Result<&Survival> {
        self.as_survival().ok_or_else(|| {
            Error::data(
                format!("the target {}, but {method} needs survival times", self.phrase()),
                format!(
                    "name the columns of times and events, or use {} for classes and {} for numbers",
                    wording::method("relieff"),
                    wording::method("rrelieff")
                ),
            )
        })
    }

    /// The error of a method that needs another kind of target.
    fn refused(&self, method: &str, needed: &str) -> Error {
        let (rrelieff, multisurf) = (wording::method("rrelieff"), wording::method("multisurf"));
        Error::data(
            format!("the target {}, but {method} needs {needed}", self.phrase()),
            match self {
                Target::Multi(several) if several.is_one_target() => {
                    format!(
                        "use {rrelieff} or {multisurf}, or exclude the rows whose target is unknown"
                    )
                }
                Target::Multi(_) => format!("use {rrelieff} or {multisurf}"),
                _ => format!("use {}", wording::method("survival-relief")),
            },
        )
    }
}
