//! Sparse tables.
//!
//! A sparse table is a [`Table`](super::Table) of ordinary columns whose values lie in one [`SparseMatrix`]
//! (compressed columns: the rows and the values of the entries that are not 0). A column is
//! `Numbers::Sparse`, and its kind, range and missing values are known from its entries and 0.
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

use super::Extent;
use crate::csr::CsrGroups;

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
pub(super) enum SparseValues {
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

impl SparseMatrix {
    /// Creates a matrix of this number of rows from the ends of its columns, and the rows and values of its entries. The
    /// caller guarantees that rows ascend in every column, and that no value is 0.
    pub(super) fn new(
        rows: usize,
        ends: Vec<usize>,
        entry_rows: Vec<u32>,
        values: SparseValues,
    ) -> Self {
        Self { rows, ends, entry_rows, values }
    }

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
}

impl From<SparseMatrix> for Vec<SparseColumn> {
    /// All columns.
    fn from(matrix: SparseMatrix) -> Self {
        let (count, matrix) = (matrix.columns(), Arc::new(matrix));
        (0..count).map(|column| SparseColumn { matrix: Arc::clone(&matrix), column }).collect()
    }
}

/// The stored values of a column.
pub(crate) enum StoredValues<'m> {
    Double(&'m [f64]),
    Single(&'m [f32]),
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

    /// The stored values in their precision.
    pub(crate) fn stored_values(&self) -> StoredValues<'_> {
        let range = self.matrix.range(self.column);
        match &self.matrix.values {
            SparseValues::Double(values) => StoredValues::Double(&values[range]),
            SparseValues::Single(values) => StoredValues::Single(&values[range]),
        }
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

    /// The values of all rows.
    pub(super) fn to_vec(&self) -> Vec<f64> {
        let mut values = Vec::new();
        self.append_to(&mut values);
        values
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
        let matrix = Arc::new(SparseMatrix { rows: selection.selected, ends, entry_rows, values });
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
    places: CsrGroups<u32>,
}

impl RowSelection {
    /// Selects some of this number of rows.
    pub(super) fn new(rows: usize, selected: &[usize]) -> Self {
        let items = selected.iter().zip(0..).map(|(&row, place)| (row, place));
        Self { selected: selected.len(), places: CsrGroups::new(rows, items) }
    }

    /// The places of a row.
    fn places(&self, row: u32) -> &[u32] {
        self.places.group(row as usize)
    }
}
