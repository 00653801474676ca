//! Covariates: properties of the rows other than features, such as age, sex or the principal components of
//! ancestry.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::weights::RowWeights;
use crate::data::{AdjustedClasses, Column, ColumnKind, Table};
use crate::error::{DataError, Error, Result};

/// Covariates: columns in addition to the features, which are not ranked, and how they are used.
#[derive(Debug, Clone)]
pub struct Covariates<'a> {
    table: Table<'a>,
    caliper: Option<(f64, Arc<Calipers>)>,
    in_distance: bool,
    adjusted: Option<Arc<AdjustedClasses>>,
}

impl<'a> Covariates<'a> {
    /// Creates covariates from a column per covariate, with the same rows as the features. No use is enabled yet.
    ///
    /// # Errors
    /// No column; a missing value (the message names its row and column); a column with only one value.
    pub fn new(table: Table<'a>) -> Result<Self> {
        if table.width() == 0 {
            return Err(Error::data("there are no covariates", "specify at least one"));
        }
        for column in table.columns() {
            let value = |row: usize| column.value(row);
            let refused = |problem: &str, help: &str, row: Option<usize>| -> Result<Self> {
                let error = DataError::new(problem, help).in_column(column.name());
                Err(row.map_or(error.clone(), |row| error.at_row(row as u64 + 1)).into())
            };
            if let Some(row) = (0..column.len()).find(|&row| value(row).is_nan()) {
                let help = "fill it in, or exclude the row or the covariate";
                return refused("the value of a covariate is missing", help, Some(row));
            }
            if (1..column.len()).all(|row| value(row).to_bits() == value(0).to_bits()) {
                return refused("the covariate has only one value", "exclude it", None);
            }
        }
        // Rows may have been excluded, so that the order of levels may have changed.
        let columns = table.into_columns().into_iter().map(Column::in_order_of_appearance);
        Ok(Self {
            table: Table::new(columns.collect())?,
            caliper: None,
            in_distance: false,
            adjusted: None,
        })
    }

    /// Allows only matched rows as neighbors: rows that differ by at most `caliper` standard deviations in every
    /// numeric covariate, and have the same category in every categorical one. A row of weight w counts as w rows in
    /// the standard deviation.
    ///
    /// # Errors
    /// The caliper is not above 0 and finite.
    pub fn with_caliper(self, caliper: f64, weights: Option<&RowWeights>) -> Result<Self> {
        if !(caliper > 0.0 && caliper.is_finite()) {
            let help = "give a number of standard deviations above 0, such as 0.2";
            return Err(Error::option("caliper", format!("found {caliper}"), help));
        }
        let calipers = Arc::new(Calipers::new(&self.table, caliper, weights));
        Ok(Self { caliper: Some((caliper, calipers)), ..self })
    }

    /// As [`with_caliper`](Self::with_caliper), with calipers that were computed from these rows and others.
    pub(crate) fn with_known_calipers(self, caliper: f64, calipers: Calipers) -> Self {
        Self { caliper: Some((caliper, Arc::new(calipers))), ..self }
    }

    /// Includes the covariates in distances, like features.
    #[must_use]
    pub fn in_distance(self) -> Self {
        Self { in_distance: true, ..self }
    }

    /// States that the target is the residuals of two classes, given these covariates.
    pub(crate) fn with_adjusted(self, adjusted: AdjustedClasses) -> Self {
        Self { adjusted: Some(Arc::new(adjusted)), ..self }
    }

    /// The classes whose residuals are the target; `None` if the target is not adjusted, or was a number.
    pub(crate) fn adjusted(&self) -> Option<&Arc<AdjustedClasses>> {
        self.adjusted.as_ref()
    }

    /// A column per covariate.
    pub fn table(&self) -> &Table<'a> {
        &self.table
    }

    /// The caliper, in standard deviations.
    pub fn caliper(&self) -> Option<f64> {
        self.caliper.as_ref().map(|(caliper, _)| *caliper)
    }

    /// Whether distances include the covariates.
    pub fn are_in_distance(&self) -> bool {
        self.in_distance
    }

    /// Whether the covariates affect which rows are neighbors.
    pub fn choose_neighbors(&self) -> bool {
        self.in_distance || self.caliper.is_some()
    }

    /// Selects rows, in the order of the list. The standard deviations remain those of all rows.
    ///
    /// # Panics
    /// A row out of range.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Covariates<'static> {
        let of_rows = |(caliper, calipers): &(f64, Arc<Calipers>)| {
            (*caliper, Arc::new(calipers.select_rows(rows)))
        };
        Covariates {
            table: self.table.select_rows(rows),
            caliper: self.caliper.as_ref().map(of_rows),
            in_distance: self.in_distance,
            adjusted: self.adjusted.as_ref().map(|all| Arc::new(all.select_rows(rows))),
        }
    }

    /// The calipers, which determine matched rows; `None` if all rows may be neighbors.
    pub(crate) fn calipers(&self) -> Option<&Arc<Calipers>> {
        self.caliper.as_ref().map(|(_, calipers)| calipers)
    }
}

/// Converts the columns of a table to covariates. A genotype column becomes numeric unless its kind was
/// specified, because 0, 1 and 2 may be numbers here, such as a number of children.
///
/// # Errors
/// None if the columns have the same length.
pub fn as_covariates<'a>(
    columns: impl IntoIterator<Item = Column<'a>>,
    is_stated: impl Fn(&str) -> bool,
) -> Result<Vec<Column<'a>>> {
    let of_column = |column: Column<'a>| {
        if column.kind() != ColumnKind::Genotype || is_stated(column.name()) {
            return Ok(column);
        }
        let mut numbers = Vec::new();
        column.copy_values(&mut numbers);
        Column::from_values(column.name(), numbers)
    };
    columns.into_iter().map(of_column).collect()
}

/// Determines which rows are matched: those that are within the caliper in every covariate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calipers {
    /// A column per covariate and a value per row, in units of the largest difference of matched rows.
    columns: Vec<Vec<f64>>,
}

impl Calipers {
    fn new(table: &Table<'_>, caliper: f64, weights: Option<&RowWeights>) -> Self {
        let of_column = |column: &Column<'_>| {
            let values: Vec<f64> = (0..column.len()).map(|row| column.value(row)).collect();
            let unit = match column.kind() {
                // The codes of different categories differ by at least 1.
                ColumnKind::Categorical => 0.5,
                _ => caliper * deviation(&values, weights),
            };
            values.iter().map(|value| value / unit).collect()
        };
        Self { columns: table.columns().iter().map(of_column).collect() }
    }

    /// Selects rows, in the order of the list.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        let of_rows = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect();
        Self { columns: self.columns.iter().map(of_rows).collect() }
    }

    /// A column per covariate and a value per row. Rows that differ by more than 1 in a column are not matched.
    pub(crate) fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// Whether two rows are matched.
    pub(crate) fn are_comparable(&self, i: usize, j: usize) -> bool {
        self.columns.iter().all(|column| (column[i] - column[j]).abs() <= 1.0)
    }
}

/// The sample standard deviation, in which a row of weight w counts as w rows. If the weights sum to less than the number
/// of rows, only their ratios matter.
fn deviation(values: &[f64], weights: Option<&RowWeights>) -> f64 {
    let weight = |row: usize| weights.map_or(1.0, |own| own.values()[row]);
    let sum: f64 = (0..values.len()).map(weight).sum();
    let total = |of: &dyn Fn(f64) -> f64| -> f64 {
        values.iter().enumerate().map(|(row, &value)| weight(row) * of(value)).sum()
    };
    let mean = total(&|value| value) / sum;
    let squares = total(&|value| (value - mean) * (value - mean));
    let rows = values.len() as f64;
    if sum < rows {
        return (squares / sum * (rows / (rows - 1.0))).sqrt();
    }
    (squares / (sum - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categories;

    fn ages(values: &[f64]) -> Result<Covariates<'static>> {
        Covariates::new(Table::new(vec![Column::from_values("age", values.to_vec())?])?)
    }

    #[test]
    fn a_caliper_is_in_standard_deviations() {
        // Their standard deviation is 2.
        let own = ages(&[1.0, 3.0, 5.0, 3.0, 1.0, 5.0, 3.0]).unwrap();
        let deviation = (16.0_f64 / 6.0).sqrt();
        let near = own.clone().with_caliper(2.0 / deviation + 1e-9, None).unwrap();
        let calipers = near.calipers().unwrap();
        assert!(calipers.are_comparable(0, 1) && !calipers.are_comparable(0, 2));
        let some = near.select_rows(&[2, 0, 1]);
        let calipers = some.calipers().unwrap();
        assert!(!calipers.are_comparable(0, 1) && calipers.are_comparable(1, 2));
        let far = own.with_caliper(4.0, None).unwrap();
        assert!(far.calipers().unwrap().are_comparable(0, 2));
    }

    #[test]
    fn categories_are_to_be_equal() {
        let sexes = Categories::from_texts(["f", "m", "f"].map(Some));
        let table = Table::new(vec![Column::categorical("sex", sexes)]).unwrap();
        let own = Covariates::new(table).unwrap().with_caliper(1e6, None).unwrap();
        let calipers = own.calipers().unwrap();
        assert!(calipers.are_comparable(0, 2) && !calipers.are_comparable(0, 1));
    }

    #[test]
    fn what_tells_nothing_or_is_missing_is_refused() {
        let gap = ages(&[1.0, f64::NAN, 2.0]).unwrap_err().to_string();
        assert!(gap.contains("row 2") && gap.contains("`age`"), "{gap}");
        assert!(ages(&[4.0; 3]).unwrap_err().to_string().contains("only one value"));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ages(&[1.0, 2.0]).unwrap().with_caliper(wrong, None).is_err(), "{wrong}");
        }
    }
}
