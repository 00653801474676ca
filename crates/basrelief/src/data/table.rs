//! Tables of features.

use std::collections::HashMap;

use super::sparse::{RowSelection, SparseColumn};
use super::{Column, ColumnKind, Numbers, Strided};
use crate::error::{DataError, Error, Result, nearest_name};
use crate::wording::quoted;

/// A table of `n` rows and `p` named columns.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    columns: Vec<Column<'a>>,
    rows: usize,
    one_unit: bool,
}

impl<'a> Table<'a> {
    /// Creates a table from columns of the same length with different names.
    ///
    /// # Errors
    /// Columns of different lengths, or two columns with the same name.
    pub fn new(columns: Vec<Column<'a>>) -> Result<Self> {
        let rows = columns.first().map_or(0, Column::len);
        let mut seen: HashMap<&str, usize> = HashMap::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            if column.len() != rows {
                return Err(DataError::new(
                    format!("{} values, but the first column has {rows}", column.len()),
                    "all columns must have the same number of rows",
                )
                .in_column(column.name())
                .into());
            }
            if let Some(first) = seen.insert(column.name(), index) {
                return Err(DataError::new(
                    format!("columns {} and {} have this name", first + 1, index + 1),
                    "rename one of them",
                )
                .in_column(column.name())
                .into());
            }
        }
        Ok(Self { columns, rows, one_unit: false })
    }

    /// Creates a numeric table from named features: vectors (owned) or slices (borrowed); NaN is missing.
    ///
    /// ```
    /// use basrelief::data::Table;
    ///
    /// let table = Table::from_features([("age", vec![41.0, 37.0]), ("height", vec![172.0, f64::NAN])])?;
    /// assert_eq!((table.rows(), table.width()), (2, 2));
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    ///
    /// # Errors
    /// Features of different lengths, an infinite value, or two features with the same name.
    pub fn from_features<N: Into<String>, V: Into<Numbers<'a>>>(
        features: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self> {
        let columns = features.into_iter().map(|(name, values)| Column::numeric(name, values));
        Self::new(columns.collect::<Result<_>>()?)
    }

    /// Creates a numeric table from a borrowed row-major slice of `rows * names.len()` numbers; NaN is missing. Names
    /// can be any type of text: `&["a", "b"]`, or a slice of `String`s.
    ///
    /// # Errors
    /// The slice has another length, a value is infinite, or a name occurs twice.
    pub fn from_row_major<N: AsRef<str>>(
        values: &'a [f64],
        rows: usize,
        names: &[N],
    ) -> Result<Self> {
        let width = names.len();
        if values.len() != rows * width {
            return Err(Error::data(
                format!("{} numbers do not make {rows} rows of {width}", values.len()),
                "give rows x columns numbers",
            ));
        }
        let columns = names
            .iter()
            .enumerate()
            .map(|(start, name)| {
                let values = Strided { data: values, start, stride: width, len: rows };
                Column::numeric(name.as_ref(), values)
            })
            .collect::<Result<_>>()?;
        Self::new(columns)
    }

    /// Declares that all numeric columns have the same unit, like the coordinates of a space. Their
    /// differences are then divided by the largest range of all columns, not by the range of each column.
    /// Only for complete tables.
    #[must_use]
    pub fn in_one_unit(mut self) -> Self {
        self.one_unit = true;
        self
    }

    /// Whether all numeric columns have the same unit.
    pub(crate) fn is_in_one_unit(&self) -> bool {
        self.one_unit
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns (features).
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Whether a column is one of a sparse matrix.
    pub fn has_sparse(&self) -> bool {
        self.columns.iter().any(Column::is_sparse)
    }

    /// The columns.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// Converts the table to its columns.
    pub fn into_columns(self) -> Vec<Column<'a>> {
        self.columns
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name().to_string()).collect()
    }

    /// Number of columns of a kind.
    pub fn count(&self, kind: ColumnKind) -> usize {
        self.columns.iter().filter(|column| column.kind() == kind).count()
    }

    /// The index of the column with a name.
    ///
    /// # Errors
    /// The column does not exist; the message suggests the nearest name.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.columns
            .iter()
            .position(|column| column.name() == name)
            .ok_or_else(|| unknown_column(name, self.columns.iter().map(Column::name)))
    }

    /// Joins the columns of this table and those of another with the same rows.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub(crate) fn joined<'b>(&self, other: &Table<'b>) -> Result<Table<'b>>
    where
        'a: 'b,
    {
        Table::new(self.columns.iter().chain(&other.columns).cloned().collect())
    }

    /// Selects rows, in the order of the list. The result owns its values.
    ///
    /// # Panics
    /// A row out of range.
    pub fn select_rows(&self, rows: &[usize]) -> Table<'static> {
        // Sparse columns become one matrix.
        let sparse = self.columns.iter().filter_map(Column::sparse);
        let mut selected = match self.has_sparse() {
            true => SparseColumn::select_from(sparse, &RowSelection::new(self.rows, rows)),
            false => Vec::new(),
        }
        .into_iter();
        let of_column = |column: &Column<'_>| match column.sparse().and_then(|_| selected.next()) {
            Some(values) => column.with_selected(values),
            None => column.select_rows(rows),
        };
        Table {
            columns: self.columns.iter().map(of_column).collect(),
            rows: rows.len(),
            one_unit: self.one_unit,
        }
    }

    /// As [`select_rows`](Self::select_rows), but the other rows remain part of the range of every numeric column, by which
    /// differences are divided. This is also true for selections from the result.
    ///
    /// # Panics
    /// A row out of range.
    pub fn select_rows_on_scale(&self, rows: &[usize]) -> Table<'static> {
        let mut is_other = vec![true; self.rows];
        rows.iter().for_each(|&row| is_other[row] = false);
        let others: Vec<usize> = (0..self.rows).filter(|&row| is_other[row]).collect();
        let select = |column: &Column<'_>| column.select_rows_on_scale(rows, &others);
        let columns = self.columns.iter().map(select).collect();
        Table { columns, rows: rows.len(), one_unit: self.one_unit }
    }

    /// Selects columns, in the order of the list.
    ///
    /// # Panics
    /// A column out of range.
    #[must_use]
    pub fn select_columns(&self, columns: &[usize]) -> Table<'a> {
        Table {
            columns: columns.iter().map(|&column| self.columns[column].clone()).collect(),
            rows: self.rows,
            one_unit: self.one_unit,
        }
    }
}

/// Names columns without a name `column_N`, where N is the place of the column, from 1.
pub fn name_columns(names: &mut [String]) {
    for (index, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
        *name = format!("column_{}", index + 1);
    }
}

/// Finds names in a list of names and returns their indices, ascending. A range such as `PC1-PC10` includes all
/// names from the first to the last one.
///
/// # Errors
/// A name does not exist; the message suggests the nearest one.
#[expect(
    clippy::result_large_err,
    reason = "an error ends the reading, so that its size does not matter"
)]
pub fn named_places(
    wanted: &[String],
    names: &[&str],
) -> std::result::Result<Vec<usize>, DataError> {
    let place = |name: &str| names.iter().position(|other| *other == name);
    let mut is_wanted = vec![false; names.len()];
    for name in wanted {
        let range = match place(name) {
            Some(place) => Some((place, place)),
            // A name can contain a dash itself.
            None => name.match_indices('-').find_map(|(at, _)| {
                Some((place(&name[..at])?, place(&name[at + 1..])?)).filter(|(a, b)| a <= b)
            }),
        };
        let Some((first, last)) = range else {
            return Err(DataError::new(
                format!("no column is called {}", quoted(name)),
                near_or_all(name, names.iter().copied()),
            ));
        };
        is_wanted[first..=last].fill(true);
    }
    Ok((0..names.len()).filter(|&place| is_wanted[place]).collect())
}

/// Suggests the nearest name, or lists the names.
fn near_or_all<'n>(name: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest_name(name, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let all: Vec<&str> = names.collect();
            let shown = all.iter().take(10).copied().collect::<Vec<_>>().join(", ");
            let more = if all.len() > 10 { ", …" } else { "" };
            format!("the {} columns are {shown}{more}", all.len())
        }
    }
}

/// The error for an unknown column name, which suggests the nearest name.
pub(crate) fn unknown_column<'n>(
    name: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Error {
    let first = names.clone().next();
    let mut help = near_or_all(name, names);
    if let Some(first) = first.filter(|first| first.starts_with('#')) {
        help.push_str(&format!(
            "; the first column is called {}: if the first line is a comment, delete it",
            quoted(first)
        ));
    }
    DataError::new("there is no such column", help).in_column(name).into()
}

impl<'a> Column<'a> {
    /// Creates a numeric column that owns its values.
    ///
    /// # Errors
    /// The errors of [`Column::numeric`].
    pub fn from_values(name: impl Into<String>, values: Vec<f64>) -> Result<Self> {
        Column::numeric(name, Numbers::Contiguous(values.into()))
    }
}
