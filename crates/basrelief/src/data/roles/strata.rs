//! Strata from a column: groups of rows within which a target is permuted.

use std::collections::BTreeSet;

use crate::data::{Classes, Column, ColumnKind, Values};
use crate::error::{DataError, Result};
use crate::wording::{either, setting};

/// Maximum number of distinct values of a numeric column of groups. It must also be at most a tenth of the number of
/// rows, or [`ALWAYS`] if that is larger.
const MOST: usize = 50;
const ALWAYS: usize = 10;

/// Returns the strata that a column defines: rows with the same value form a stratum.
///
/// # Errors
/// A missing value (the error names the row); numbers with too many distinct values for groups.
pub fn strata(column: &Column<'_>) -> Result<Classes> {
    refuse_missing(column)?;
    if column.kind() == ColumnKind::Numeric {
        let different = numbers(column).map(f64::to_bits).collect::<BTreeSet<u64>>().len();
        if different > MOST.min(ALWAYS.max(column.len() / 10)) {
            let name = column.name();
            let say = setting("categorical", Some(name));
            let error = DataError::new(
                format!("{different} distinct numbers are too many for groups of rows"),
                either(
                    format!(
                        "name a column of groups; if these numbers really are groups, use {say}"
                    ),
                    "give a group for every row; if these numbers really are groups, give them as texts",
                    "give a group for every row; if these numbers really are groups, give them as categories",
                ),
            );
            return Err(error.in_column(name).into());
        }
    }
    Ok(Classes::from_labels(&labels(column)))
}

/// Checks that every row has a value.
///
/// # Errors
/// A missing value; the error names the first row.
pub(super) fn refuse_missing(column: &Column<'_>) -> Result<()> {
    match (0..column.len()).find(|&row| column.value(row).is_nan()) {
        None => Ok(()),
        Some(row) => {
            let error =
                DataError::new("the group of a row is missing", "fill it in, or exclude the row");
            Err(error.at_row(row as u64 + 1).in_column(column.name()).into())
        }
    }
}

/// The values as texts; no value is missing.
pub(super) fn labels(column: &Column<'_>) -> Vec<String> {
    match column.values() {
        Values::Categorical(categories) => {
            let level = |&code: &u32| categories.levels()[code as usize].clone();
            categories.codes().iter().map(level).collect()
        }
        _ => numbers(column).map(|number| number.to_string()).collect(),
    }
}

/// The numbers of a column; minus zero equals zero.
fn numbers<'c>(column: &'c Column<'_>) -> impl Iterator<Item = f64> + 'c {
    (0..column.len()).map(|row| column.value(row) + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categories;

    #[test]
    fn groups_are_values() {
        let texts = ["b", "a", "b"].map(Some);
        let found = strata(&Column::categorical("g", Categories::from_texts(texts))).unwrap();
        assert_eq!((found.names(), found.codes()), (&["a".into(), "b".into()][..], &[1, 0, 1][..]));
        let numbers = Column::from_values("g", vec![10.0, -0.0, 0.0, 2.0]).unwrap();
        let found = strata(&numbers).unwrap();
        assert_eq!(found.names(), ["0", "2", "10"]);
        assert_eq!(found.codes(), [2, 0, 0, 1]);
    }

    #[test]
    fn what_is_no_group_is_refused() {
        let of = |values: Vec<f64>| strata(&Column::from_values("g", values).unwrap());
        let gap = of(vec![1.5, f64::NAN, 1.5]).unwrap_err().to_string();
        assert!(gap.contains("row 2") && gap.contains("`g`"), "{gap}");
        let numbers =
            |rows: u32, values: u32| (0..rows).map(move |row| f64::from(row % values) / 2.0);
        assert!(of(numbers(30, 10).collect()).is_ok());
        assert!(of(numbers(30, 11).collect()).unwrap_err().to_string().contains("11 distinct"));
        assert!(of(numbers(400, 40).collect()).is_ok());
        assert!(of(numbers(400, 41).collect()).is_err());
        assert!(of(numbers(1000, 50).collect()).is_ok());
        assert!(of(numbers(1000, 51).collect()).is_err());
        let many: Vec<String> = (0..30).map(|row| row.to_string()).collect();
        let texts = Categories::from_texts(many.iter().map(|text| Some(text.as_str())));
        assert_eq!(strata(&Column::categorical("g", texts)).unwrap().len(), 30);
    }
}
