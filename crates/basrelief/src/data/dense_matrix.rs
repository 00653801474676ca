//! Dense matrices, with which the methods that learn maps compute.

use basrelief_kernels::{Reaches, Reaching, add_deviations, level};

use super::{Column, ColumnBuffers, TOGETHER, Table, Values, list};
use crate::error::{Error, Result};

/// Number of parallel sums, so that the compiler can vectorize the additions.
const SIDE: usize = 8;

/// The squared Euclidean distance of two rows, from their differences.
#[inline(always)]
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; SIDE];
    let (left, right) = (a.chunks_exact(SIDE), b.chunks_exact(SIDE));
    let rest = left.remainder().iter().zip(right.remainder());
    let rest: f64 = rest.map(|(a, b)| (a - b) * (a - b)).sum();
    for (a, b) in left.zip(right) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += (a - b) * (a - b);
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// A dense matrix of numbers in row-major order. The inputs of methods have no missing values.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseMatrix {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl DenseMatrix {
    /// Creates a matrix from its numbers, row after row.
    ///
    /// # Panics
    /// `values` does not contain `rows * columns` numbers.
    pub fn new(values: Vec<f64>, rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "rows times columns numbers");
        Self { values, rows, columns }
    }

    /// Creates a matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self::new(vec![0.0; rows * columns], rows, columns)
    }

    /// Creates an identity matrix.
    pub fn identity(size: usize) -> Self {
        let mut identity = Self::zeros(size, size);
        for i in 0..size {
            identity.values[i * size + i] = 1.0;
        }
        identity
    }

    /// Creates a matrix from the features of a table; genotypes are numbers of copies of an allele. `user`
    /// names the method that needs the numbers in messages, for example `lfe`.
    ///
    /// # Errors
    /// Categorical columns, or missing values. The message names the columns and what to do.
    pub fn from_table(table: &Table<'_>, user: &str) -> Result<Self> {
        let (rows, columns) = (table.rows(), table.width());
        let mut values = vec![0.0; rows * columns];
        let (mut categorical, mut with_gaps) = (Vec::new(), Vec::new());
        let mut buffers = ColumnBuffers::default();
        for (start, part) in (0..).step_by(TOGETHER).zip(table.columns().chunks(TOGETHER)) {
            let part: Vec<&Column<'_>> = part.iter().collect();
            let group = buffers.read(&part);
            for (column, copy) in part.iter().zip(&group) {
                if matches!(column.values(), Values::Categorical(_)) {
                    categorical.push(column.name());
                } else if copy.iter().any(|value| value.is_nan()) {
                    with_gaps.push(column.name());
                }
            }
            for (row, line) in values.chunks_mut(columns).enumerate() {
                for (value, copy) in line[start..].iter_mut().zip(&group) {
                    *value = copy[row];
                }
            }
        }
        if !categorical.is_empty() {
            return Err(Error::data(
                format!(
                    "{user} needs numbers, but there are categories in: {}",
                    list(&categorical)
                ),
                "encode them as numbers (a 0/1 column per category) or exclude those columns",
            ));
        }
        if !with_gaps.is_empty() {
            return Err(Error::data(
                format!(
                    "{user} needs complete data, but values are missing (NaN) in: {}",
                    list(&with_gaps)
                ),
                "fill them in (for example with the column's median), or exclude those rows or \
                 columns",
            ));
        }
        Ok(Self { values, rows, columns })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    ///
    /// # Panics
    /// The row does not exist.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// A mutable row.
    ///
    /// # Panics
    /// The row does not exist.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        (0..self.rows).map(|row| self.row(row))
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All numbers, row after row, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Converts the matrix to its numbers, row after row.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// Selects rows, in the order of the list.
    ///
    /// # Panics
    /// A row out of range.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self::new(values, rows.len(), self.columns)
    }

    /// Retains only the first rows.
    pub fn truncate(&mut self, rows: usize) {
        self.rows = self.rows.min(rows);
        self.values.truncate(self.rows * self.columns);
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut turned = Self::zeros(self.columns, self.rows);
        for (i, row) in self.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                turned.values[j * self.rows + i] = value;
            }
        }
        turned
    }

    /// Removes all columns except some, which are listed in ascending order.
    pub(crate) fn keep_columns(&mut self, kept: &[usize]) {
        debug_assert!(kept.is_sorted() && kept.last().is_none_or(|last| *last < self.columns));
        for row in 0..self.rows {
            for (place, &column) in kept.iter().enumerate() {
                self.values[row * kept.len() + place] = self.values[row * self.columns + column];
            }
        }
        self.columns = kept.len();
        self.values.truncate(self.rows * kept.len());
    }

    /// The minimum and the maximum of every column; infinity and negative infinity without rows.
    pub fn extremes(&self) -> (Vec<f64>, Vec<f64>) {
        let mut least = vec![f64::INFINITY; self.columns];
        let mut greatest = vec![f64::NEG_INFINITY; self.columns];
        let mut missing = vec![0; self.columns];
        let reaches =
            &mut Reaches { least: &mut least, greatest: &mut greatest, missing: &mut missing };
        f64::add_reaches(level(), &self.values, self.columns, self.rows, reaches);
        (least, greatest)
    }

    /// The mean of every column; 0 without rows.
    pub fn means(&self) -> Vec<f64> {
        let sums_above = |origin: &[f64]| {
            let mut sums = vec![0.0; self.columns];
            add_deviations(level(), &self.values, origin, &mut sums);
            sums
        };
        let rows = self.rows.max(1) as f64;
        let mut means = sums_above(&vec![0.0; self.columns]);
        means.iter_mut().for_each(|mean| *mean /= rows);
        // A second pass corrects the rounding errors in sums of large numbers.
        let rest = sums_above(&means);
        means.iter_mut().zip(rest).for_each(|(mean, rest)| *mean += rest / rows);
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Column};

    #[test]
    fn a_table_becomes_rows_and_says_what_it_cannot_use() {
        let wide: Vec<f64> = (0..300).map(f64::from).collect();
        let names: Vec<String> = (0..100).map(|column| format!("c{column}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let table = Table::from_row_major(&wide, 3, &names).unwrap();
        let dense = DenseMatrix::from_table(&table, "lfe").unwrap();
        assert_eq!(dense.values(), wide);
        assert_eq!(dense.means()[..2], [100.0, 101.0]);
        assert_eq!(dense.transposed().row(1), [1.0, 101.0, 201.0]);

        let text = Column::categorical("color", Categories::from_texts([Some("red"), None]));
        let gap = Column::from_values("height", vec![1.0, f64::NAN]).unwrap();
        let message = |columns| {
            DenseMatrix::from_table(&Table::new(columns).unwrap(), "lfe").unwrap_err().to_string()
        };
        assert!(
            message(vec![text]).contains("lfe needs numbers, but there are categories in: color")
        );
        assert!(message(vec![gap]).contains("missing (NaN) in: height"), "columns are named");
    }
}
