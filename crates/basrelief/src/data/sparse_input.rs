//! Sparse matrices from compressed rows or columns, and their columns as features.

use std::ops::Range;

use super::sparse::SparseValues;
use super::{Column, ColumnKind, Names, Numbers, RawColumn, RawValues, SparseColumn, SparseMatrix};
use crate::error::{Error, Result};
use crate::run::Run;

/// Compressed rows or columns of a matrix, as SciPy's CSR and CSC arrays store them. Indices may be unsorted, entries
/// may be 0, and entries at the same place are added up.
#[derive(Debug, Clone, Copy)]
pub struct Compressed<'a, I, V> {
    /// Whether lines are rows (CSR); otherwise they are columns (CSC).
    pub by_rows: bool,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The start of every line's entries, and the end of the last one.
    pub starts: &'a [I],
    /// Per entry, its place in its line.
    pub indices: &'a [I],
    /// Per entry, its value.
    pub values: &'a [V],
}

/// A type of indices of sparse matrices.
#[doc(hidden)]
pub trait SparseIndex: Copy + Sync {
    /// The index, unless it is negative.
    fn place(self) -> Option<usize>;
}

macro_rules! index {
    ($($integer:ty)+) => {
        $(impl SparseIndex for $integer {
            fn place(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
        })+
    };
}
index! { i32 i64 u32 usize }

/// A type of values of sparse matrices.
#[doc(hidden)]
pub trait SparseValue: Copy + Sync {
    /// Whether values have single precision.
    const IS_SINGLE: bool = false;

    /// The value as a number; whole numbers above 2^53 are rounded.
    fn number(self) -> f64;
}

impl SparseValue for f32 {
    const IS_SINGLE: bool = true;

    fn number(self) -> f64 {
        self.into()
    }
}

impl SparseValue for i64 {
    fn number(self) -> f64 {
        self as f64
    }
}

impl SparseValue for bool {
    fn number(self) -> f64 {
        f64::from(u8::from(self))
    }
}

macro_rules! value {
    ($($number:ty)+) => {
        $(impl SparseValue for $number {
            fn number(self) -> f64 {
                self.into()
            }
        })+
    };
}
value! { f64 i8 u8 i16 u16 i32 u32 }

/// The error for arrays that do not describe a matrix.
fn invalid(problem: impl Into<String>) -> Error {
    Error::data(
        format!("the sparse matrix is not valid: {}", problem.into()),
        "build it again, for example with scipy.sparse.csr_array(X)",
    )
}

impl<I: SparseIndex, V: SparseValue> Compressed<'_, I, V> {
    /// The entries of a line.
    fn line(&self, line: usize) -> Range<usize> {
        let place = |at: usize| self.starts[at].place().unwrap_or_default();
        place(line)..place(line + 1)
    }

    /// Refuses arrays that do not describe a matrix.
    fn check(&self) -> Result<()> {
        for (count, what) in [(self.rows, "rows"), (self.columns, "columns")] {
            if u32::try_from(count).is_err() {
                return Err(Error::data(
                    format!("{count} {what} exceed the limit of {} {what}", u32::MAX),
                    format!("use fewer {what}"),
                ));
            }
        }
        let (lines, length) =
            if self.by_rows { (self.rows, self.columns) } else { (self.columns, self.rows) };
        if self.starts.len() != lines + 1 || self.values.len() != self.indices.len() {
            return Err(invalid(format!(
                "{} starts, {} indices and {} values for {lines} lines",
                self.starts.len(),
                self.indices.len(),
                self.values.len()
            )));
        }
        let ascending = self.starts.windows(2).all(|pair| {
            matches!((pair[0].place(), pair[1].place()), (Some(start), Some(end)) if start <= end)
        });
        let ends = [self.starts[0].place(), self.starts[lines].place()];
        if !ascending || ends != [Some(0), Some(self.indices.len())] {
            return Err(invalid(
                "the starts of its lines do not ascend from 0 to its number of entries",
            ));
        }
        let is_inside = |index: &I| index.place().is_some_and(|place| place < length);
        match self.indices.iter().position(|index| !is_inside(index)) {
            Some(entry) => {
                Err(invalid(format!("entry {entry} has no place in its line of {length}")))
            }
            None => Ok(()),
        }
    }

    /// Sorts the entries by column and row, adds up entries at the same place, and drops zeros.
    ///
    /// # Errors
    /// Arrays that do not describe a matrix; more than 2^32 - 1 rows or columns; too little memory;
    /// [`Error::Cancelled`].
    pub fn to_matrix(&self, run: &Run) -> Result<SparseMatrix> {
        self.check()?;
        run.check()?;
        let of_value = if V::IS_SINGLE { 4 } else { 8 };
        let bytes = (self.values.len() as u64) * (4 + of_value) + 8 * self.columns as u64;
        run.memory().claim(bytes, "a sparse table", "give fewer rows or columns")?;
        Ok(match V::IS_SINGLE {
            true => {
                let (ends, entry_rows, values) = self.sorted(|value| value as f32);
                SparseMatrix::new(self.rows, ends, entry_rows, SparseValues::Single(values))
            }
            false => {
                let (ends, entry_rows, values) = self.sorted(|value| value);
                SparseMatrix::new(self.rows, ends, entry_rows, SparseValues::Double(values))
            }
        })
    }

    /// The ends, rows and values of the columns, converted.
    fn sorted<T: Copy + Default + PartialEq>(
        &self,
        of: impl Fn(f64) -> T,
    ) -> (Vec<usize>, Vec<u32>, Vec<T>)
    where
        f64: From<T>,
    {
        let place = |entry: usize| self.indices[entry].place().unwrap_or_default();
        let value = |entry: usize| of(self.values[entry].number());
        let mut rows = vec![0; self.values.len()];
        let mut values = vec![T::default(); self.values.len()];
        let mut ends;
        if self.by_rows {
            // The next free place of every column; rows ascend within it.
            ends = vec![0; self.columns + 1];
            (0..self.indices.len()).for_each(|entry| ends[place(entry) + 1] += 1);
            for column in 0..self.columns {
                ends[column + 1] += ends[column];
            }
            for row in 0..self.rows {
                for entry in self.line(row) {
                    let next = &mut ends[place(entry)];
                    (rows[*next], values[*next]) = (row as u32, value(entry));
                    *next += 1;
                }
            }
            ends.truncate(self.columns);
        } else {
            ends = Vec::with_capacity(self.columns);
            let mut line: Vec<(u32, T)> = Vec::new();
            for column in 0..self.columns {
                let entries = self.line(column);
                line.clear();
                line.extend(entries.clone().map(|entry| (place(entry) as u32, value(entry))));
                if !line.is_sorted_by_key(|(row, _)| *row) {
                    // Stable, so that entries at the same place are added up in their order.
                    line.sort_by_key(|(row, _)| *row);
                }
                for (at, (row, value)) in entries.clone().zip(&line) {
                    (rows[at], values[at]) = (*row, *value);
                }
                ends.push(entries.end);
            }
        }
        // Adds up entries at the same place, and closes the gaps of zeros.
        let (mut kept, mut start) = (0, 0);
        for end in &mut ends {
            let mut entry = start;
            while entry < *end {
                let row = rows[entry];
                let mut sum = values[entry];
                entry += 1;
                while entry < *end && rows[entry] == row {
                    sum = of(f64::from(sum) + f64::from(values[entry]));
                    entry += 1;
                }
                if sum != T::default() {
                    (rows[kept], values[kept]) = (row, sum);
                    kept += 1;
                }
            }
            start = std::mem::replace(end, kept);
        }
        rows.truncate(kept);
        values.truncate(kept);
        if kept < self.values.len() {
            rows.shrink_to_fit();
            values.shrink_to_fit();
        }
        (ends, rows, values)
    }
}

impl SparseMatrix {
    /// Converts the columns to features. A column without a stated kind is numeric; its values are not copied.
    ///
    /// # Errors
    /// The number of names or kinds differs from that of the columns; an infinite value, or one that does not match a
    /// stated kind (the message names column, row and value); [`Error::Cancelled`].
    pub fn into_features(
        self,
        names: &Names,
        kinds: &[Option<ColumnKind>],
        run: &Run,
    ) -> Result<Vec<Column<'static>>> {
        if names.len() != self.columns() || kinds.len() != self.columns() {
            return Err(Error::Internal(format!(
                "{} names and {} kinds for {} columns",
                names.len(),
                kinds.len(),
                self.columns()
            )));
        }
        let mut columns = Vec::with_capacity(names.len());
        let all = Vec::<SparseColumn>::from(self).into_iter().enumerate();
        for ((index, own), (name, kind)) in all.zip(names.iter().zip(kinds)) {
            if index % 4096 == 0 {
                run.check()?;
            }
            let column = Column::numeric(name, Numbers::Sparse(own))?;
            let column = match kind {
                None | Some(ColumnKind::Numeric) => column,
                Some(_) => {
                    let mut values = Vec::new();
                    column.copy_values(&mut values);
                    let values = RawValues::Numbers(values.into());
                    RawColumn::new(name, values, None).into_feature(*kind)?
                }
            };
            columns.push(column.with_name_of(names, index));
        }
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Extent, Table, Values};

    fn features(matrix: SparseMatrix) -> Vec<Column<'static>> {
        let names: Names = (0..matrix.columns()).map(|at| format!("x{at}")).collect();
        let kinds = vec![None; names.len()];
        matrix.into_features(&names, &kinds, &Run::new(Some(1)).unwrap()).unwrap()
    }

    fn dense(columns: &[Column<'_>]) -> Vec<Vec<f64>> {
        let values = |column: &Column<'_>| {
            let mut values = Vec::new();
            column.copy_values(&mut values);
            assert!(
                (0..column.len()).all(|row| column.value(row).to_bits() == values[row].to_bits())
            );
            values
        };
        columns.iter().map(values).collect()
    }

    #[test]
    fn unsorted_repeated_and_zero_entries_are_read_as_scipy_reads_them() {
        let run = Run::new(Some(1)).unwrap();
        // Row 0: 5 and -5 at column 2, 1 at column 0; row 1: nothing; row 2: 0 at column 1, 2 + 3 at column 0.
        let rows = Compressed {
            by_rows: true,
            rows: 3,
            columns: 3,
            starts: &[0_i64, 3, 3, 6],
            indices: &[2, 2, 0, 1, 0, 0],
            values: &[5.0, -5.0, 1.0, 0.0, 2.0, 3.0],
        };
        let wanted = [vec![1.0, 0.0, 5.0], vec![0.0; 3], vec![0.0; 3]];
        let matrix = rows.to_matrix(&run).unwrap();
        assert_eq!(matrix.entries(), 2);
        assert_eq!(dense(&features(matrix)), wanted);
        let columns = Compressed {
            by_rows: false,
            rows: 3,
            columns: 3,
            starts: &[0_i32, 3, 4, 6],
            indices: &[2, 2, 0, 2, 0, 0],
            values: &[2.0_f32, 3.0, 1.0, 0.0, 5.0, -5.0],
        };
        let found = features(columns.to_matrix(&run).unwrap());
        assert_eq!(dense(&found), wanted);
        let Values::Numeric(numbers) = found[0].values() else { panic!("numbers") };
        assert_eq!(numbers.epsilon(), f64::from(f32::EPSILON));
    }

    #[test]
    fn arrays_that_are_no_matrix_are_refused() {
        let run = Run::new(Some(1)).unwrap();
        let good = Compressed {
            by_rows: true,
            rows: 2,
            columns: 3,
            starts: &[0_i32, 1, 2][..],
            indices: &[0, 2][..],
            values: &[1.0, 2.0][..],
        };
        assert!(good.to_matrix(&run).is_ok());
        for (bad, part) in [
            (Compressed { starts: &[0, 2], ..good }, "2 starts"),
            (Compressed { starts: &[0, 2, 1], ..good }, "do not ascend"),
            (Compressed { starts: &[1, 1, 2], ..good }, "do not ascend"),
            (Compressed { starts: &[0, 1, 3], ..good }, "do not ascend"),
            (Compressed { indices: &[0, 3], ..good }, "entry 1 has no place"),
            (Compressed { indices: &[-1, 2], ..good }, "entry 0 has no place"),
            (Compressed { values: &[1.0], ..good }, "1 values"),
            (Compressed { columns: 1 << 33, ..good }, "8589934592 columns exceed"),
        ] {
            let message = bad.to_matrix(&run).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let infinite =
            Compressed { values: &[1.0, f64::INFINITY][..], ..good }.to_matrix(&run).unwrap();
        let names: Names = ["a", "b", "c"].iter().collect();
        let message = infinite.into_features(&names, &[None; 3], &run).unwrap_err().to_string();
        assert!(message.contains("row 2, column `c`: infinite value"), "{message}");
    }

    #[test]
    fn facts_follow_from_entries_and_zero() {
        let run = Run::new(Some(1)).unwrap();
        let columns = Compressed {
            by_rows: false,
            rows: 3,
            columns: 4,
            starts: &[0_i32, 1, 4, 5, 5],
            indices: &[1, 0, 1, 2, 2],
            values: &[4.0, 2.0, 3.0, 7.0, f64::NAN],
        };
        let columns = features(columns.to_matrix(&run).unwrap());
        let extent = |at: usize| {
            let Extent { least, greatest, complete } = columns[at].extent().unwrap();
            (least, greatest, complete, columns[at].missing())
        };
        assert_eq!(extent(0), (0.0, 4.0, true, 0));
        // No row has 0.
        assert_eq!(extent(1), (2.0, 7.0, true, 0));
        assert_eq!(extent(2), (0.0, 0.0, false, 1));
        assert_eq!(extent(3), (0.0, 0.0, true, 0));
        let table = Table::new(columns).unwrap();
        let selected = table.select_rows(&[2, 0, 0, 1]);
        let found = dense(selected.columns());
        assert_eq!(found[1], [7.0, 2.0, 2.0, 3.0]);
        assert!(found[2][0].is_nan() && found[2][1..] == [0.0; 3]);
        assert!(selected.columns().iter().all(Column::is_sparse));
    }
}
