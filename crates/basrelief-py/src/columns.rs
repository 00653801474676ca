//! Features from Python: an array of numbers as it lies in memory, or one array per column.

use basrelief::data::{
    Categories, Column, ColumnKind, InputMatrix, MISSING_CODE, MatrixElement, RawColumn, RawValues,
    Table,
};
use basrelief::{Error, Result, Run};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cohort::{Chosen, PlinkCohort};
use crate::errors::to_python;
use crate::threads::run_on;

/// All features.
#[derive(FromPyObject)]
pub(crate) enum Features<'py> {
    /// Rows by columns, contiguous in C or Fortran order.
    Double(PyReadonlyArray2<'py, f64>),
    /// The same in single precision.
    Single(PyReadonlyArray2<'py, f32>),
    /// The same of whole numbers in a byte.
    Bytes(PyReadonlyArray2<'py, u8>),
    /// The same with a sign.
    SignedBytes(PyReadonlyArray2<'py, i8>),
    /// Some people and variants of a cohort, by their places.
    Genotypes((Bound<'py, PlinkCohort>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>)),
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
    /// Copies of an allele, 3 is missing.
    Copies(PyReadonlyArray1<'py, u8>),
    /// Codes into the levels, negative is missing.
    Codes(PyReadonlyArray1<'py, i32>, Vec<String>),
}

impl Features<'_> {
    /// The memory behind the arrays, usable without the interpreter.
    pub(crate) fn borrow(&self) -> PyResult<Borrowed<'_>> {
        Ok(match self {
            Features::Double(array) => Borrowed::Double(matrix(array)?),
            Features::Single(array) => Borrowed::Single(matrix(array)?),
            Features::Bytes(array) => Borrowed::Bytes(matrix(array)?),
            Features::SignedBytes(array) => Borrowed::SignedBytes(matrix(array)?),
            Features::Genotypes(chosen) => Borrowed::Genotypes(Chosen::of(chosen)?),
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
                            ColumnInput::Copies(copies) => {
                                BorrowedColumn::Copies(copies.as_slice()?)
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

/// Whether the rows of a two-dimensional array lie side by side, or the columns.
fn by_rows<'py>(array: &impl PyUntypedArrayMethods<'py>) -> PyResult<bool> {
    if !array.is_c_contiguous() && !array.is_fortran_contiguous() {
        return Err(PyValueError::new_err("the array must be C or Fortran contiguous"));
    }
    Ok(array.is_c_contiguous())
}

fn matrix<'a, T: MatrixElement + Element>(
    array: &'a PyReadonlyArray2<'_, T>,
) -> PyResult<InputMatrix<'a, T>> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    InputMatrix::new(array.as_slice()?, rows, columns, by_rows(&**array)?).map_err(to_python)
}

/// [`Features`] without the interpreter.
pub(crate) enum Borrowed<'a> {
    Double(InputMatrix<'a, f64>),
    Single(InputMatrix<'a, f32>),
    Bytes(InputMatrix<'a, u8>),
    SignedBytes(InputMatrix<'a, i8>),
    Genotypes(Chosen<'a>),
    Columns(Vec<BorrowedColumn<'a>>),
}

/// [`ColumnInput`] without the interpreter.
#[derive(Clone, Copy)]
pub(crate) enum BorrowedColumn<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
    Copies(&'a [u8]),
    Codes(&'a [i32], &'a [String]),
}

impl<'a> Borrowed<'a> {
    /// The table of features; `kinds` holds `auto`, `numeric`, `categorical` or `genotype` for
    /// every column. Numbers stay where they are but for those that [`InputMatrix::columns`] copies.
    pub(crate) fn table(&self, names: &[String], kinds: &[String], run: &Run) -> Result<Table<'a>> {
        let kinds = kinds.iter().map(|kind| stated(kind)).collect::<Result<Vec<_>>>()?;
        let columns = match self {
            Borrowed::Double(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::Single(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::Bytes(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::SignedBytes(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::Genotypes(chosen) => chosen.columns(names, &kinds, run)?,
            Borrowed::Columns(columns) => {
                if names.len() != columns.len() || kinds.len() != columns.len() {
                    return Err(Error::Internal(format!(
                        "{} names and {} kinds for {} columns",
                        names.len(),
                        kinds.len(),
                        columns.len()
                    )));
                }
                let mut built = Vec::with_capacity(columns.len());
                for ((column, name), kind) in columns.iter().zip(names).zip(&kinds) {
                    run.check()?;
                    built.push(column.build(name, *kind)?);
                }
                built
            }
        };
        Table::new(columns)
    }
}

impl<'a> BorrowedColumn<'a> {
    fn build(self, name: &str, kind: Option<ColumnKind>) -> Result<Column<'a>> {
        match self {
            BorrowedColumn::Double(values) => Column::from_slice(name, values, kind),
            BorrowedColumn::Single(values) => Column::from_slice(name, values, kind),
            BorrowedColumn::Copies(copies) if kind == Some(ColumnKind::Genotype) => {
                Column::genotype(name, copies.into())
            }
            BorrowedColumn::Copies(copies) => {
                let number = |copies: &u8| match copies {
                    0..=2 => f64::from(*copies),
                    _ => f64::NAN,
                };
                let values = RawValues::Numbers(copies.iter().map(number).collect());
                RawColumn { name: name.to_string(), values, declared: None }.into_feature(kind)
            }
            BorrowedColumn::Codes(codes, levels) => {
                let codes = codes.iter().map(|&code| u32::try_from(code).unwrap_or(MISSING_CODE));
                let values = RawValues::Text(Categories::new(codes.collect(), levels.to_vec())?);
                // By the rules, and with the words, that hold for files.
                RawColumn { name: name.to_string(), values, declared: None }.into_feature(kind)
            }
        }
    }
}

/// The kind stated for a column; `auto` is none.
fn stated(kind: &str) -> Result<Option<ColumnKind>> {
    match kind {
        "auto" => Ok(None),
        "numeric" => Ok(Some(ColumnKind::Numeric)),
        "categorical" => Ok(Some(ColumnKind::Categorical)),
        "genotype" => Ok(Some(ColumnKind::Genotype)),
        other => Err(Error::Internal(format!("there is no kind of column `{other}`"))),
    }
}

/// Index of the column of that name; an unknown name is refused with the nearest one.
#[pyfunction]
pub(crate) fn column_index(names: Vec<String>, name: &str) -> PyResult<usize> {
    let empty = names.into_iter().map(|name| Column::from_values(name, Vec::new()));
    let table = empty.collect::<Result<_>>().and_then(Table::new);
    table.and_then(|table| table.find(name)).map_err(to_python)
}

/// Refuses columns that cannot be read, in the words for whoever reads messages now; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn check_columns(
    py: Python<'_>,
    columns: Features<'_>,
    names: Vec<String>,
    kinds: Vec<String>,
) -> PyResult<()> {
    let run = run_on(py, Some(1))?;
    columns.borrow()?.table(&names, &kinds, &run).map(drop).map_err(to_python)
}
