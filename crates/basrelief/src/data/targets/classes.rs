//! Classes: a label per row.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::super::{Categories, Column};
use super::values::{TargetDifferences, TargetValues};
use crate::error::{DataError, Error, Result};
use crate::packed::Packed;

/// Class labels: a code per row, and the names of the classes.
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
    /// Creates classes from labels, in sorted order: numbers by value, then texts.
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        let distinct: HashSet<&str> = labels.iter().map(AsRef::as_ref).collect();
        let mut names: Vec<&str> = distinct.into_iter().collect();
        names.sort_by(|a, b| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
            // A total order of all labels: `9` before `10` before `1a`.
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

    /// Creates classes from codes (indices into `names`) and class names. Classes without a row are removed.
    ///
    /// # Errors
    /// A code is not an index into `names`.
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

    /// Replaces the codes by other codes of the same classes, each of which still has a row.
    pub(crate) fn with_order(&self, codes: Vec<u32>) -> Self {
        Self::counted(codes, self.names.clone())
    }

    fn counted(codes: Vec<u32>, names: Vec<String>) -> Self {
        let mut counts = vec![0; names.len()];
        for &code in &codes {
            counts[code as usize] += 1;
        }
        Self { codes, names, counts }
    }

    /// The class code of every row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The names of the classes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows of every class.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are neither classes nor rows.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The fraction of rows in every class, its prior `P(c)`.
    pub fn shares(&self) -> Vec<f64> {
        let rows = self.codes.len() as f64;
        self.counts.iter().map(|&count| count as f64 / rows).collect()
    }

    /// The rows of every class, ascending.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        rows_by_code(&self.codes, &self.counts)
    }
}

/// The rows of every code, ascending; `counts` are their numbers.
pub(crate) fn rows_by_code(codes: &[u32], counts: &[usize]) -> Vec<Vec<u32>> {
    let mut rows: Vec<Vec<u32>> = counts.iter().map(|&count| Vec::with_capacity(count)).collect();
    for (row, &code) in (0..).zip(codes) {
        rows[code as usize].push(row);
    }
    rows
}

impl TargetValues for Classes {
    fn rows(&self) -> usize {
        self.codes.len()
    }

    fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        let codes: Vec<u32> = rows.iter().map(|&row| self.codes[row]).collect();
        Self::from_codes(&codes, &self.names)
    }

    fn reordered(&self, order: &[u32]) -> Self {
        self.with_order(order.iter().map(|&row| self.codes[row as usize]).collect())
    }

    fn is_same(&self, row: usize, other: usize) -> bool {
        self.codes[row] == self.codes[other]
    }

    fn value_codes(&self) -> Cow<'_, [u32]> {
        Cow::Borrowed(&self.codes)
    }

    fn phrase(&self) -> &'static str {
        "has classes"
    }

    fn columns(&self, name: &str) -> Result<Vec<Column<'static>>> {
        let number = |name: &String| -> Option<f64> {
            name.parse().ok().filter(|number: &f64| number.to_string() == *name)
        };
        let numbers: Option<Vec<f64>> = self.names.iter().map(number).collect();
        let column = match numbers {
            Some(numbers) => {
                let values = self.codes.iter().map(|&code| numbers[code as usize]).collect();
                Column::from_values(name, values)?
            }
            None => {
                Column::categorical(name, Categories::new(self.codes.clone(), self.names.clone())?)
            }
        };
        Ok(vec![column])
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint()
    }

    fn regression_values(&self) -> Option<Cow<'_, [f64]>> {
        None
    }

    fn differences(&self) -> Result<Box<dyn TargetDifferences + '_>> {
        Ok(Box::new(Mismatches { codes: &self.codes }))
    }
}

/// The difference of two classes: 0 if they are equal, otherwise 1.
struct Mismatches<'c> {
    codes: &'c [u32],
}

impl TargetDifferences for Mismatches<'_> {
    fn of(&self, row: u32, other: u32) -> f64 {
        f64::from(u8::from(self.codes[row as usize] != self.codes[other as usize]))
    }
}
