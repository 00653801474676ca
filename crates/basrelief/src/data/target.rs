//! What the features shall explain: classes or a real number.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::error::{DataError, Error, Result};
use crate::packed::Packed;
use crate::wording::{self, setting};

/// Class labels: a code per row and the classes' names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(Packed<u32>, Vec<String>)", into = "(Packed<u32>, Vec<String>)")]
pub struct Classes {
    codes: Vec<u32>,
    names: Vec<String>,
    counts: Vec<usize>,
}

impl From<Classes> for (Packed<u32>, Vec<String>) {
    fn from(classes: Classes) -> Self {
        (Packed(classes.codes), classes.names)
    }
}

impl TryFrom<(Packed<u32>, Vec<String>)> for Classes {
    type Error = Error;

    fn try_from((codes, names): (Packed<u32>, Vec<String>)) -> Result<Self> {
        Self::from_codes(&codes.0, &names)
    }
}

impl Classes {
    /// From labels; classes are in the labels' sorted order: numbers by value, then texts.
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        let distinct: HashSet<&str> = labels.iter().map(AsRef::as_ref).collect();
        let mut names: Vec<&str> = distinct.into_iter().collect();
        names.sort_by(|a, b| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
            // An order of all labels: `9` before `10` before `1a`.
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => a.cmp(b),
        });
        let index: HashMap<&str, u32> =
            names.iter().enumerate().map(|(code, &name)| (name, code as u32)).collect();
        let codes: Vec<u32> = labels.iter().map(|label| index[label.as_ref()]).collect();
        let names = names.into_iter().map(str::to_string).collect();
        Self::counted(codes, names)
    }

    /// From codes (indices into `names`) and class names. Classes without a row are dropped.
    ///
    /// # Errors
    /// A code that is no index into `names`.
    pub fn from_codes(codes: &[u32], names: &[String]) -> Result<Self> {
        let mut used = vec![false; names.len()];
        for (row, &code) in codes.iter().enumerate() {
            match used.get_mut(code as usize) {
                Some(flag) => *flag = true,
                None => {
                    return Err(DataError::new(
                        format!("class code without a name ({} names)", names.len()),
                        "codes count from 0",
                    )
                    .at_row(row as u64 + 1)
                    .with_value(&code.to_string())
                    .into());
                }
            }
        }
        let mut kept = Vec::new();
        let mut new_code = vec![0; names.len()];
        for (code, name) in names.iter().enumerate() {
            if used[code] {
                new_code[code] = kept.len() as u32;
                kept.push(name.clone());
            }
        }
        Ok(Self::counted(codes.iter().map(|&code| new_code[code as usize]).collect(), kept))
    }

    /// The same classes with their rows in another order.
    pub(crate) fn with_order(&self, codes: Vec<u32>) -> Self {
        Self { codes, names: self.names.clone(), counts: self.counts.clone() }
    }

    fn counted(codes: Vec<u32>, names: Vec<String>) -> Self {
        let mut counts = vec![0; names.len()];
        for &code in &codes {
            counts[code as usize] += 1;
        }
        Self { codes, names, counts }
    }

    /// Class code per row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Names of the classes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Rows of each class.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no classes (and no rows).
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Share of each class in the rows, `P(c)`.
    pub fn shares(&self) -> Vec<f64> {
        let rows = self.codes.len() as f64;
        self.counts.iter().map(|&count| count as f64 / rows).collect()
    }
}

/// The target of a supervised method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// Classes (classification).
    Classes(Classes),
    /// A real number per row (regression).
    Real(#[serde(with = "crate::packed")] Vec<f64>),
}

impl From<Classes> for Target {
    fn from(classes: Classes) -> Self {
        Target::Classes(classes)
    }
}

impl Target {
    /// The class of every row by its name, in the order of their first rows.
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        Classes::from_labels(labels).into()
    }

    /// A real target.
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

    /// The target of the rows listed, in that order; classes without any of them are dropped.
    ///
    /// # Errors
    /// None for rows of this target.
    ///
    /// # Panics
    /// A row out of range.
    pub fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        Ok(match self {
            Target::Classes(classes) => {
                let codes: Vec<u32> = rows.iter().map(|&row| classes.codes[row]).collect();
                Target::Classes(Classes::from_codes(&codes, &classes.names)?)
            }
            Target::Real(values) => Target::Real(rows.iter().map(|&row| values[row]).collect()),
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Target::Classes(classes) => classes.codes().len(),
            Target::Real(values) => values.len(),
        }
    }

    /// The classes.
    ///
    /// # Errors
    /// The target is real; `method` is named in the message.
    pub fn classes(&self, method: &str) -> Result<&Classes> {
        match self {
            Target::Classes(classes) => Ok(classes),
            Target::Real(_) => Err(Error::data(
                format!("the target is a real number, but {method} needs classes"),
                format!(
                    "use {} if its numbers are classes",
                    setting("target_type", Some("classes"))
                ),
            )),
        }
    }

    /// The real values.
    ///
    /// # Errors
    /// The target is classes; `method` is named in the message together with `relieff`.
    pub fn values(&self, method: &str) -> Result<&[f64]> {
        match self {
            Target::Real(values) => Ok(values),
            Target::Classes(classes) => Err(Error::data(
                format!(
                    "the target has {} classes, but {method} needs a real number",
                    classes.len()
                ),
                format!(
                    "use {} for classes, or {} if they are numbers",
                    wording::method("relieff"),
                    setting("target_type", Some("real"))
                ),
            )),
        }
    }
}
