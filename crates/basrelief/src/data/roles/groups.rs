//! Groups: rows that are not independent, such as the visits of one subject, the samples of one donor, or the members
//! of one family.

use std::str::FromStr;
use std::sync::Arc;

use super::strata::{labels, refuse_missing};
use crate::data::{Classes, Column, rows_by_code};
use crate::error::{Error, Result, shorten};
use crate::wording::quoted;

/// How much the rows of a group count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupWeight {
    /// All groups count equally, however many rows they have.
    #[default]
    Group,
    /// All rows count equally.
    Rows,
}

impl GroupWeight {
    /// The names of the values.
    pub const NAMES: [&'static str; 2] = ["group", "rows"];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl FromStr for GroupWeight {
    type Err = Error;

    /// Parses `group` or `rows`.
    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Group, Self::Rows];
        all.into_iter().find(|one| one.name() == text).ok_or_else(|| {
            Error::option(
                "group_weight",
                format!("{} is unknown", quoted(&shorten(text, 40))),
                format!("use {}", Self::NAMES.join(" or ")),
            )
        })
    }
}

/// Groups of rows that are not independent of each other. Rows of one group are never neighbors; splits, resamples and
/// permutations keep groups whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    codes: Arc<[u32]>,
    names: Arc<[String]>,
    sizes: Arc<[usize]>,
    weight: GroupWeight,
}

impl Groups {
    /// Groups of rows with the same label.
    pub fn from_labels<S: AsRef<str>>(labels: &[S], weight: GroupWeight) -> Self {
        Self::of_classes(&Classes::from_labels(labels), weight)
    }

    /// Groups of rows with the same value of a column.
    ///
    /// # Errors
    /// A missing value (the error names the row); all rows in one group.
    pub fn from_column(column: &Column<'_>, weight: GroupWeight) -> Result<Self> {
        refuse_missing(column)?;
        Self::from_labels(&labels(column), weight).checked(column.name())
    }

    /// Groups of rows, named as classes are.
    pub fn of_classes(classes: &Classes, weight: GroupWeight) -> Self {
        Self {
            codes: classes.codes().into(),
            names: classes.names().into(),
            sizes: classes.counts().into(),
            weight,
        }
    }

    /// Returns the groups if there are at least two.
    ///
    /// # Errors
    /// All rows are in one group, so that no row has a neighbor; `name` is that of the groups.
    pub fn checked(self, name: &str) -> Result<Self> {
        if self.len() < 2 {
            return Err(Error::option(
                "group",
                format!(
                    "all rows have the same value of {}, and rows of one group are never neighbors",
                    quoted(name)
                ),
                "name a column of subjects, donors or families, or omit the option",
            ));
        }
        Ok(self)
    }

    /// The group of every row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    pub(super) fn shared_codes(&self) -> &Arc<[u32]> {
        &self.codes
    }

    /// The names of the groups.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows of every group.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How much the rows of a group count.
    pub fn weight(&self) -> GroupWeight {
        self.weight
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are neither groups nor rows.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether any group has several rows; otherwise the groups have no effect.
    pub fn are_repeated(&self) -> bool {
        self.len() < self.codes.len()
    }

    /// The rows of every group, ascending.
    pub fn members(&self) -> Vec<Vec<u32>> {
        rows_by_code(&self.codes, &self.sizes)
    }

    /// The weight of every row, so that those of a group sum to 1: its own weight, or 1, divided by the sum over its
    /// group.
    pub(super) fn row_weights(&self, weights: Option<&[f64]>) -> Vec<f64> {
        let own = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let mut sums = vec![0.0; self.len()];
        for (row, &code) in self.codes.iter().enumerate() {
            sums[code as usize] += own(row);
        }
        let of_row = |(row, &code): (usize, &u32)| own(row) / sums[code as usize];
        self.codes.iter().enumerate().map(of_row).collect()
    }

    /// Selects rows, in the order of the list. A group counts as much with some of its rows as with all.
    ///
    /// # Panics
    /// A row out of range.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let mut places = vec![u32::MAX; self.len()];
        let (mut names, mut sizes) = (Vec::new(), Vec::new());
        let mut place = |row: usize| {
            let code = self.codes[row] as usize;
            if places[code] == u32::MAX {
                places[code] = names.len() as u32;
                names.push(self.names[code].clone());
                sizes.push(0);
            }
            sizes[places[code] as usize] += 1;
            places[code]
        };
        let codes: Vec<u32> = rows.iter().map(|&row| place(row)).collect();
        Self { codes: codes.into(), names: names.into(), sizes: sizes.into(), weight: self.weight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_count_equally_or_by_rows() {
        let groups = Groups::from_labels(&["b", "a", "b", "b"], GroupWeight::Group);
        assert_eq!((groups.codes(), groups.sizes()), (&[1, 0, 1, 1][..], &[1, 3][..]));
        let third = 1.0 / 3.0;
        assert_eq!(groups.row_weights(None), [third, 1.0, third, third]);
        assert_eq!(groups.row_weights(Some(&[1.0, 5.0, 2.0, 1.0])), [0.25, 1.0, 0.5, 0.25]);
        assert_eq!(groups.members(), [vec![1], vec![0, 2, 3]]);
        assert!(groups.are_repeated());
        let some = groups.select_rows(&[3, 0, 1]);
        assert_eq!((some.codes(), some.sizes()), (&[0, 0, 1][..], &[2, 1][..]));
        assert_eq!(some.names(), ["b", "a"]);
        assert!(!groups.select_rows(&[1, 2]).are_repeated());
    }

    #[test]
    fn missing_and_constant_groups_are_refused() {
        let of = |values: Vec<f64>| {
            let column = Column::from_values("subject", values).unwrap();
            Groups::from_column(&column, GroupWeight::Group)
        };
        let missing = of(vec![7.0, f64::NAN, 7.0]).unwrap_err().to_string();
        assert!(missing.contains("row 2") && missing.contains("`subject`"), "{missing}");
        let one = of(vec![7.0; 3]).unwrap_err().to_string();
        assert!(one.contains("all rows have the same value of `subject`"), "{one}");
        assert_eq!(of((0..500).map(f64::from).collect()).unwrap().len(), 500);
        assert!("rows".parse::<GroupWeight>().is_ok() && "all".parse::<GroupWeight>().is_err());
    }
}
