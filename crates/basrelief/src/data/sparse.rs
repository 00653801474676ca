//! Sparse tables.
//!
//! A sparse table is a [`Table`](super::Table) of ordinary columns whose values lie in one [`SparseMatrix`]
//! (compressed columns: the rows and the values of the entries that are not 0). A column is
//! [`Numbers::Sparse`], and its kind, range and missing values are known from its entries and 0.
//! Every reader of columns can read it, a column at a time, so that nothing else needs to know of it:
//! permutations, resamples, selections, pairs and reports are those of other tables. Two places never
//! make a column dense. Distances are one more packing of the pair engine
//! (`neighbors/sparse_rows.rs`), next to numbers, codes and bit planes, behind the same driver, lists
//! and marks; the plan knows it as a fact. Sums over neighbors are one more way of the margin sums
//! (`margins/sparse_sums.rs`), over the same lists of pairs. Both add up the differences to 0 of each
//! row and correct them by the entries that both rows have. Columns of which more than a quarter is stored are packed
//! and summed as dense columns.

use std::ops::Range;
use std::sync::Arc;

use super::{Column, ColumnKind, Extent, Numbers, RawColumn, RawValues};
use crate::error::{Error, Result};
use crate::run::Run;

/// A matrix of numbers of which most are 0, in compressed columns. NaN is missing.
#[derive(Debug)]
pub struct SparseMatrix {
    rows: usize,
    /// The end of the entries of every column.
    ends: Vec<usize>,
    /// The rows of the entries of a column, ascending.
    entry_rows: Vec<u32>,
    values: SparseValues,
}

/// The values of all entries; none is 0.
#[derive(Debug)]
enum SparseValues {
    Double(Vec<f64>),
    Single(Vec<f32>),
}

impl SparseValues {
    fn get(&self, entry: usize) -> f64 {
        match self {
            Self::Double(values) => values[entry],
            Self::Single(values) => values[entry].into(),
        }
    }
}

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
            return Err(invalid("the starts of its lines do not ascend from 0 to its number of entries"));
        }
        let is_inside = |index: &I| index.place().is_some_and(|place| place < length);
        match self.indices.iter().position(|index| !is_inside(index)) {
            Some(entry) => Err(invalid(format!("entry {entry} has no place in its line of {length}"))),
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
                SparseMatrix { rows: self.rows, ends, entry_rows, values: SparseValues::Single(values) }
            }
            false => {
                let (ends, entry_rows, values) = self.sorted(|value| value);
                SparseMatrix { rows: self.rows, ends, entry_rows, values: SparseValues::Double(values) }
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
    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.ends.len()
    }

    /// Number of entries that are not 0.
    pub fn entries(&self) -> usize {
        self.entry_rows.len()
    }

    fn range(&self, column: usize) -> Range<usize> {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        start..self.ends[column]
    }

    /// Converts the columns to features. A column without a stated kind is numeric; its values are not copied.
    ///
    /// # Errors
    /// The number of names or kinds differs from that of the columns; an infinite value, or one that does not match a
    /// stated kind (the message names column, row and value); [`Error::Cancelled`].
    pub fn into_features(
        self,
        names: &[String],
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
        let matrix = Arc::new(self);
        let mut columns = Vec::with_capacity(names.len());
        for (index, (name, kind)) in names.iter().zip(kinds).enumerate() {
            if index % 4096 == 0 {
                run.check()?;
            }
            let own = SparseColumn { matrix: Arc::clone(&matrix), column: index };
            let column = Column::numeric(name, Numbers::Sparse(own))?;
            columns.push(match kind {
                None | Some(ColumnKind::Numeric) => column,
                Some(_) => {
                    let mut values = Vec::new();
                    column.copy_values(&mut values);
                    let values = RawValues::Numbers(values.into());
                    RawColumn::new(name, values, None).into_feature(*kind)?
                }
            });
        }
        Ok(columns)
    }
}

/// One column of a [`SparseMatrix`].
#[derive(Debug, Clone)]
pub struct SparseColumn {
    matrix: Arc<SparseMatrix>,
    column: usize,
}

impl SparseColumn {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.matrix.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of stored values.
    pub fn stored(&self) -> usize {
        self.matrix.range(self.column).len()
    }

    /// The rows of the stored values, ascending.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.matrix.entry_rows[self.matrix.range(self.column)]
    }

    /// The stored values, in the order of their rows. None is 0; NaN is missing.
    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = f64> + Clone {
        self.matrix.range(self.column).map(|entry| self.matrix.values.get(entry))
    }

    /// Replaces `out` by the stored values, and by one 0 for the rows without one, at the place of the first of them.
    pub(crate) fn copy_with_zero(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.values());
        let rows = self.rows();
        if rows.len() < self.len() {
            let first = rows.iter().zip(0..).take_while(|(row, place)| *row == place).count();
            out.insert(first, 0.0);
        }
    }

    /// The value of a row.
    ///
    /// # Panics
    /// `row >= len()`.
    pub(super) fn get(&self, row: usize) -> f64 {
        assert!(row < self.len(), "row {row} of {}", self.len());
        match self.rows().binary_search(&(row as u32)) {
            Ok(place) => self.matrix.values.get(self.matrix.range(self.column).start + place),
            Err(_) => 0.0,
        }
    }

    /// Appends the values of all rows.
    pub(super) fn append_to(&self, out: &mut Vec<f64>) {
        let start = out.len();
        out.resize(start + self.len(), 0.0);
        for (&row, value) in self.rows().iter().zip(self.values()) {
            out[start + row as usize] = value;
        }
    }

    /// The extent of the values.
    pub(super) fn extent(&self) -> Extent {
        let zero = (self.stored() < self.len()).then_some(0.0);
        Extent::of_scattered(self.values().chain(zero))
    }

    /// The machine epsilon of the values.
    pub(super) fn epsilon(&self) -> f64 {
        match self.matrix.values {
            SparseValues::Double(_) => f64::EPSILON,
            SparseValues::Single(_) => f32::EPSILON.into(),
        }
    }

    /// Number of missing values.
    pub(super) fn missing(&self) -> usize {
        self.values().filter(|value| value.is_nan()).count()
    }

    /// The values of the rows of a [selection](RowSelection).
    pub(super) fn select_rows(&self, selection: &RowSelection) -> Self {
        let mut columns = Self::select_from(std::iter::once(self), selection);
        columns.pop().unwrap_or_else(|| self.clone())
    }

    /// The values of some columns in the rows of a selection, in one matrix; values in single precision stay so if all
    /// columns have them.
    pub(super) fn select_from<'c>(
        columns: impl Iterator<Item = &'c Self> + Clone,
        selection: &RowSelection,
    ) -> Vec<Self> {
        let is_single = |own: &Self| matches!(own.matrix.values, SparseValues::Single(_));
        let all_single = columns.clone().all(is_single);
        let (mut singles, mut doubles) = (Vec::new(), Vec::new());
        let (mut ends, mut entry_rows) = (Vec::new(), Vec::new());
        let mut line: Vec<(u32, f64)> = Vec::new();
        for own in columns {
            line.clear();
            for (&row, value) in own.rows().iter().zip(own.values()) {
                let places = selection.places(row);
                line.extend(places.iter().map(|&place| (place, value)));
            }
            line.sort_unstable_by_key(|(place, _)| *place);
            entry_rows.extend(line.iter().map(|(place, _)| *place));
            match all_single {
                true => singles.extend(line.iter().map(|(_, value)| *value as f32)),
                false => doubles.extend(line.iter().map(|(_, value)| *value)),
            }
            ends.push(entry_rows.len());
        }
        let values =
            if all_single { SparseValues::Single(singles) } else { SparseValues::Double(doubles) };
        let count = ends.len();
        let matrix =
            Arc::new(SparseMatrix { rows: selection.selected, ends, entry_rows, values });
        (0..count).map(|column| Self { matrix: Arc::clone(&matrix), column }).collect()
    }
}

impl PartialEq for SparseColumn {
    /// Whether the values of all rows are equal; missing values equal each other.
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (f64, f64)| a == b || a.is_nan() && b.is_nan();
        self.len() == other.len()
            && self.rows() == other.rows()
            && self.values().zip(other.values()).all(same)
    }
}

/// Rows in an order, with repetitions, by the original row.
pub(super) struct RowSelection {
    selected: usize,
    places: crate::csr::CsrGroups<u32>,
}

impl RowSelection {
    /// Selects some of this number of rows.
    pub(super) fn new(rows: usize, selected: &[usize]) -> Self {
        let items = selected.iter().zip(0..).map(|(&row, place)| (row, place));
        Self { selected: selected.len(), places: crate::csr::CsrGroups::new(rows, items) }
    }

    /// The places of a row.
    fn places(&self, row: u32) -> &[u32] {
        self.places.group(row as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Table, Values};

    fn features(matrix: SparseMatrix) -> Vec<Column<'static>> {
        let names: Vec<String> = (0..matrix.columns()).map(|at| format!("x{at}")).collect();
        let kinds = vec![None; names.len()];
        matrix.into_features(&names, &kinds, &Run::new(Some(1)).unwrap()).unwrap()
    }

    fn dense(columns: &[Column<'_>]) -> Vec<Vec<f64>> {
        let values = |column: &Column<'_>| {
            let mut values = Vec::new();
            column.copy_values(&mut values);
            assert!((0..column.len()).all(|row| column.value(row).to_bits() == values[row].to_bits()));
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
        let infinite = Compressed { values: &[1.0, f64::INFINITY][..], ..good }.to_matrix(&run).unwrap();
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
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
