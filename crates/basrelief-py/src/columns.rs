//! Features from Python: a float array as it lies in memory, or one array per column.

use basrelief::data::{
    Categories, Column, ColumnKind, MISSING_CODE, Numbers, RawColumn, RawValues, Table,
};
use basrelief::{Error, Result};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::to_python;

/// All features.
#[derive(FromPyObject)]
pub(crate) enum Features<'py> {
    /// Rows by columns, contiguous in C or Fortran order.
    Double(PyReadonlyArray2<'py, f64>),
    /// The same in single precision.
    Single(PyReadonlyArray2<'py, f32>),
    /// Column by column.
    Columns(Vec<ColumnInput<'py>>),
}

/// One feature, contiguous.
#[derive(FromPyObject)]
pub(crate) enum ColumnInput<'py> {
    /// Numbers, NaN is missing.
    Double(PyReadonlyArray1<'py, f64>),
    /// The same in single precision.
    Single(PyReadonlyArray1<'py, f32>),
    /// Codes into the levels, negative is missing.
    Codes(PyReadonlyArray1<'py, i32>, Vec<String>),
}

impl Features<'_> {
    /// The memory behind the arrays, usable without the interpreter.
    pub(crate) fn borrow(&self) -> PyResult<Borrowed<'_>> {
        Ok(match self {
            Features::Double(array) => Borrowed::Double(array.as_slice()?, Layout::of(&**array)?),
            Features::Single(array) => Borrowed::Single(array.as_slice()?, Layout::of(&**array)?),
            Features::Columns(columns) => Borrowed::Columns(
                columns
                    .iter()
                    .map(|column| {
                        Ok(match column {
                            ColumnInput::Double(values) => {
                                BorrowedColumn::Double(values.as_slice()?)
                            }
                            ColumnInput::Single(values) => {
                                BorrowedColumn::Single(values.as_slice()?)
                            }
                            ColumnInput::Codes(codes, levels) => {
                                BorrowedColumn::Codes(codes.as_slice()?, levels)
                            }
                        })
                    })
                    .collect::<PyResult<_>>()?,
            ),
        })
    }
}

/// Where the values of a two-dimensional array lie.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    rows: usize,
    columns: usize,
    by_rows: bool,
}

impl Layout {
    fn of<'py>(array: &impl PyUntypedArrayMethods<'py>) -> PyResult<Self> {
        let by_rows = array.is_c_contiguous();
        if !by_rows && !array.is_fortran_contiguous() {
            return Err(PyValueError::new_err("the array must be C or Fortran contiguous"));
        }
        Ok(Self { rows: array.shape()[0], columns: array.shape()[1], by_rows })
    }

    /// First element and step of a column.
    fn column(self, index: usize) -> (usize, usize) {
        if self.by_rows { (index, self.columns) } else { (index * self.rows, 1) }
    }
}

/// [`Features`] without the interpreter.
pub(crate) enum Borrowed<'a> {
    Double(&'a [f64], Layout),
    Single(&'a [f32], Layout),
    Columns(Vec<BorrowedColumn<'a>>),
}

/// [`ColumnInput`] without the interpreter.
#[derive(Clone, Copy)]
pub(crate) enum BorrowedColumn<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
    Codes(&'a [i32], &'a [String]),
}

impl<'a> Borrowed<'a> {
    fn width(&self) -> usize {
        match self {
            Borrowed::Double(_, layout) | Borrowed::Single(_, layout) => layout.columns,
            Borrowed::Columns(columns) => columns.len(),
        }
    }

    fn column(&self, index: usize) -> Input<'a> {
        match self {
            Borrowed::Double(data, layout) => {
                let (start, stride) = layout.column(index);
                Input::Numbers(Numbers::Strided { data, start, stride, len: layout.rows })
            }
            Borrowed::Single(data, layout) => {
                let (start, stride) = layout.column(index);
                Input::Numbers(Numbers::StridedSingle { data, start, stride, len: layout.rows })
            }
            Borrowed::Columns(columns) => match columns[index] {
                BorrowedColumn::Double(data) => {
                    Input::Numbers(Numbers::Strided { data, start: 0, stride: 1, len: data.len() })
                }
                BorrowedColumn::Single(data) => Input::Numbers(Numbers::StridedSingle {
                    data,
                    start: 0,
                    stride: 1,
                    len: data.len(),
                }),
                BorrowedColumn::Codes(codes, levels) => Input::Codes(codes, levels),
            },
        }
    }

    /// The table of features; `kinds` holds `auto`, `numeric`, `categorical` or `genotype` for
    /// every column. Plain numbers stay where they are.
    pub(crate) fn table(&self, names: &[String], kinds: &[String]) -> Result<Table<'a>> {
        if names.len() != self.width() || kinds.len() != self.width() {
            return Err(Error::Internal(format!(
                "{} names and {} kinds for {} columns",
                names.len(),
                kinds.len(),
                self.width()
            )));
        }
        let columns = names
            .iter()
            .zip(kinds)
            .enumerate()
            .map(|(index, (name, kind))| build_column(name, kind, self.column(index)))
            .collect::<Result<_>>()?;
        Table::new(columns)
    }
}

enum Input<'a> {
    Numbers(Numbers<'a>),
    Codes(&'a [i32], &'a [String]),
}

fn build_column<'a>(name: &str, kind: &str, input: Input<'a>) -> Result<Column<'a>> {
    let stated = match kind {
        "auto" => None,
        "numeric" => Some(ColumnKind::Numeric),
        "categorical" => Some(ColumnKind::Categorical),
        "genotype" => Some(ColumnKind::Genotype),
        other => return Err(Error::Internal(format!("there is no kind of column `{other}`"))),
    };
    match (stated, input) {
        (Some(ColumnKind::Numeric), Input::Numbers(values)) => Column::numeric(name, values),
        (None, Input::Numbers(values)) if !may_be_genotypes(&values) => {
            Column::numeric(name, values)
        }
        (_, Input::Numbers(values)) => {
            // Also the numbers that become categories must be finite.
            Column::numeric(name, values.clone())?;
            let mut owned = Vec::with_capacity(values.len());
            values.append_to(&mut owned);
            convert(name, stated, RawValues::Numbers(owned))
        }
        (_, Input::Codes(codes, levels)) => {
            let codes = codes.iter().map(|&code| u32::try_from(code).unwrap_or(MISSING_CODE));
            let values = Categories::new(codes.collect(), levels.to_vec())?;
            convert(name, stated, RawValues::Text(values))
        }
    }
}

/// Whether all known values are 0, 1 or 2; only then can the inference find genotypes.
fn may_be_genotypes(values: &Numbers<'_>) -> bool {
    (0..values.len())
        .map(|row| values.get(row))
        .all(|value| value.is_nan() || value == 0.0 || value == 1.0 || value == 2.0)
}

/// Converts a column by the rules, and with the words, that hold for files.
fn convert(name: &str, kind: Option<ColumnKind>, values: RawValues) -> Result<Column<'static>> {
    RawColumn { name: name.to_string(), values, declared: None }.into_feature(kind)
}

/// Index of the column of that name; an unknown name is refused with the nearest one.
#[pyfunction]
pub(crate) fn column_index(names: Vec<String>, name: &str) -> PyResult<usize> {
    let empty = names.into_iter().map(|name| Column::from_values(name, Vec::new()));
    let table = empty.collect::<Result<_>>().and_then(Table::new);
    table.and_then(|table| table.find(name)).map_err(to_python)
}
