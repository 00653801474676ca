//! Selects the requested columns.

use crate::data::{Column, Table, Target};
use crate::error::{Error, Result};
use crate::wording::quoted;

/// Returns the columns at some positions of a table that matches a target.
///
/// # Errors
/// A position that the table does not have, or that occurs twice; a target with another number of rows.
pub(super) fn chosen<'t, 'a>(
    table: &'t Table<'a>,
    features: &[usize],
    target: &Target,
) -> Result<Vec<&'t Column<'a>>> {
    if target.rows() != table.rows() {
        return Err(Error::data(
            format!(
                "the target has {} rows, but the features have {}",
                target.rows(),
                table.rows()
            ),
            "give a target for every row",
        ));
    }
    columns_at(table, features)
}

/// Returns the columns at some positions of a table.
///
/// # Errors
/// A position that the table does not have, or that occurs twice.
pub(super) fn columns_at<'t, 'a>(
    table: &'t Table<'a>,
    features: &[usize],
) -> Result<Vec<&'t Column<'a>>> {
    let mut seen = vec![false; table.width()];
    for &feature in features {
        match seen.get_mut(feature) {
            None => {
                return Err(Error::data(
                    format!(
                        "feature {feature} does not exist in a table of width {}",
                        table.width()
                    ),
                    "features are numbered from 0",
                ));
            }
            Some(seen) if *seen => {
                let name = table.columns()[feature].name();
                return Err(Error::data(
                    format!("feature {feature} ({}) is named twice", quoted(name)),
                    "name every feature once",
                ));
            }
            Some(seen) => *seen = true,
        }
    }
    Ok(features.iter().map(|&feature| &table.columns()[feature]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_asked_for_is_said() {
        let column = |name: &str| Column::from_values(name, vec![1.0, 2.0]).unwrap();
        let table = Table::new(vec![column("a"), column("b")]).unwrap();
        let target = Target::Real(vec![0.0, 1.0]);
        let names = |features: &[usize]| {
            let columns = chosen(&table, features, &target)?;
            Ok::<_, Error>(columns.iter().map(|column| column.name()).collect::<Vec<_>>())
        };
        assert_eq!(names(&[1, 0]).unwrap(), ["b", "a"]);
        assert!(names(&[]).unwrap().is_empty());
        assert!(names(&[2]).unwrap_err().to_string().contains("feature 2 does not exist"));
        assert!(names(&[1, 1]).unwrap_err().to_string().contains("feature 1 (`b`) is named twice"));
        let long = Target::Real(vec![0.0; 3]);
        let error = chosen(&table, &[0], &long).unwrap_err().to_string();
        assert!(error.contains("the target has 3 rows, but the features have 2"), "{error}");
    }
}
