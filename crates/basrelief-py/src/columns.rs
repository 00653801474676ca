//! Features from Python: an array of numbers in place, or one array per column.

use std::collections::HashSet;

use basrelief::data::{
    Categories, Column, ColumnKind, ColumnRole, Compressed, Covariates, InputMatrix, MISSING_CODE,
    MatrixElement, Names, RawColumn, RawValues, SparseIndex, SparseMatrix, SparseValue, Table,
    Target, Values, as_covariates, name_columns, repeated_rows,
};
use basrelief::{Error, Result, Run, Warning};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cohort::{Chosen, PlinkCohort};
use crate::errors::to_python;
use crate::stated::{Kinds, NameInput};
use crate::threads::run_on;

/// All features.
#[derive(FromPyObject)]
pub(crate) enum Features<'py> {
    /// Rows by columns, contiguous in C or Fortran order, in double precision.
    Double(PyReadonlyArray2<'py, f64>),
    /// Rows by columns in single precision.
    Single(PyReadonlyArray2<'py, f32>),
    /// Rows by columns of unsigned bytes.
    Bytes(PyReadonlyArray2<'py, u8>),
    /// Rows by columns of signed bytes.
    SignedBytes(PyReadonlyArray2<'py, i8>),
    /// Some people and variants of a cohort, by index.
    Genotypes((Bound<'py, PlinkCohort>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>)),
    /// Compressed rows (or columns) of a sparse matrix: whether lines are rows, the shape, the starts of the lines, and the
    /// places and values of the entries.
    Sparse((bool, (usize, usize), IndexInput<'py>, IndexInput<'py>, EntryInput<'py>)),
    /// One entry per column.
    Columns(Vec<ColumnInput<'py>>),
}

/// The indices of a sparse matrix.
#[derive(FromPyObject)]
pub(crate) enum IndexInput<'py> {
    Short(PyReadonlyArray1<'py, i32>),
    Long(PyReadonlyArray1<'py, i64>),
}

/// The values of the entries of a sparse matrix; NaN is missing.
#[derive(FromPyObject)]
pub(crate) enum EntryInput<'py> {
    Double(PyReadonlyArray1<'py, f64>),
    Single(PyReadonlyArray1<'py, f32>),
    Long(PyReadonlyArray1<'py, i64>),
    Byte(PyReadonlyArray1<'py, u8>),
    Truth(PyReadonlyArray1<'py, bool>),
}

/// [`IndexInput`] without the interpreter; starts and places have the same type.
#[derive(Clone, Copy)]
pub(crate) enum BorrowedIndices<'a> {
    Short(&'a [i32], &'a [i32]),
    Long(&'a [i64], &'a [i64]),
}

/// [`EntryInput`] without the interpreter.
#[derive(Clone, Copy)]
pub(crate) enum BorrowedEntries<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
    Long(&'a [i64]),
    Byte(&'a [u8]),
    Truth(&'a [bool]),
}

/// A sparse matrix without the interpreter.
#[derive(Clone, Copy)]
pub(crate) struct BorrowedSparse<'a> {
    by_rows: bool,
    shape: (usize, usize),
    indices: BorrowedIndices<'a>,
    entries: BorrowedEntries<'a>,
}

impl BorrowedSparse<'_> {
    /// Converts it to compressed columns.
    fn matrix(self, run: &Run) -> Result<SparseMatrix> {
        match self.indices {
            BorrowedIndices::Short(starts, places) => self.with_indices(starts, places, run),
            BorrowedIndices::Long(starts, places) => self.with_indices(starts, places, run),
        }
    }

    fn with_indices<I: SparseIndex>(
        self,
        starts: &[I],
        indices: &[I],
        run: &Run,
    ) -> Result<SparseMatrix> {
        match self.entries {
            BorrowedEntries::Double(values) => self.with_values(starts, indices, values, run),
            BorrowedEntries::Single(values) => self.with_values(starts, indices, values, run),
            BorrowedEntries::Long(values) => self.with_values(starts, indices, values, run),
            BorrowedEntries::Byte(values) => self.with_values(starts, indices, values, run),
            BorrowedEntries::Truth(values) => self.with_values(starts, indices, values, run),
        }
    }

    fn with_values<I: SparseIndex, V: SparseValue>(
        self,
        starts: &[I],
        indices: &[I],
        values: &[V],
        run: &Run,
    ) -> Result<SparseMatrix> {
        let (by_rows, (rows, columns)) = (self.by_rows, self.shape);
        Compressed { by_rows, rows, columns, starts, indices, values }.to_matrix(run)
    }
}

/// One feature, as a contiguous array.
#[derive(FromPyObject)]
pub(crate) enum ColumnInput<'py> {
    /// Numbers; NaN is missing.
    Double(PyReadonlyArray1<'py, f64>),
    /// Numbers in single precision; NaN is missing.
    Single(PyReadonlyArray1<'py, f32>),
    /// Copies of an allele; 3 is missing.
    Copies(PyReadonlyArray1<'py, u8>),
    /// Indices into levels, negative if missing; and whether the type of the column declares the levels. Undeclared
    /// levels are raw texts.
    Codes(PyReadonlyArray1<'py, i32>, Vec<String>, bool),
}

impl Features<'_> {
    /// Borrows the memory of the arrays for use without the interpreter.
    pub(crate) fn borrow(&self) -> PyResult<Borrowed<'_>> {
        Ok(match self {
            Features::Double(array) => Borrowed::Double(matrix(array)?),
            Features::Single(array) => Borrowed::Single(matrix(array)?),
            Features::Bytes(array) => Borrowed::Bytes(matrix(array)?),
            Features::SignedBytes(array) => Borrowed::SignedBytes(matrix(array)?),
            Features::Genotypes(chosen) => Borrowed::Genotypes(Chosen::of(chosen)?),
            Features::Sparse((by_rows, shape, starts, places, entries)) => {
                let indices = match (starts, places) {
                    (IndexInput::Short(starts), IndexInput::Short(places)) => {
                        BorrowedIndices::Short(starts.as_slice()?, places.as_slice()?)
                    }
                    (IndexInput::Long(starts), IndexInput::Long(places)) => {
                        BorrowedIndices::Long(starts.as_slice()?, places.as_slice()?)
                    }
                    _ => return Err(PyValueError::new_err("indices of different types")),
                };
                let entries = match entries {
                    EntryInput::Double(values) => BorrowedEntries::Double(values.as_slice()?),
                    EntryInput::Single(values) => BorrowedEntries::Single(values.as_slice()?),
                    EntryInput::Long(values) => BorrowedEntries::Long(values.as_slice()?),
                    EntryInput::Byte(values) => BorrowedEntries::Byte(values.as_slice()?),
                    EntryInput::Truth(values) => BorrowedEntries::Truth(values.as_slice()?),
                };
                let (by_rows, shape) = (*by_rows, *shape);
                Borrowed::Sparse(BorrowedSparse { by_rows, shape, indices, entries })
            }
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
                            ColumnInput::Codes(codes, levels, declares) => {
                                BorrowedColumn::Codes(codes.as_slice()?, levels, *declares)
                            }
                        })
                    })
                    .collect::<PyResult<_>>()?,
            ),
        })
    }
}

/// Whether a two-dimensional array is row-major (C order) rather than column-major (Fortran order).
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
    Sparse(BorrowedSparse<'a>),
    Columns(Vec<BorrowedColumn<'a>>),
}

/// [`ColumnInput`] without the interpreter.
#[derive(Clone, Copy)]
pub(crate) enum BorrowedColumn<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
    Copies(&'a [u8]),
    Codes(&'a [i32], &'a [String], bool),
}

impl<'a> Borrowed<'a> {
    /// Creates the table of covariates, like [`table`](Self::table), but genotypes are not inferred.
    pub(crate) fn covariate_table(
        &self,
        names: &Names,
        kinds: &Kinds,
        run: &Run,
    ) -> Result<Table<'a>> {
        let columns = self.table(names, kinds, run)?.into_columns();
        let stated = names.iter().zip(kinds.iter()).filter(|(_, kind)| kind.is_some());
        let stated: HashSet<&str> = stated.map(|(name, _)| name).collect();
        Table::new(as_covariates(columns, |name| stated.contains(name))?)
    }

    /// Creates the table of features, with the specified kinds. Numbers are not copied, except those that
    /// [`InputMatrix::columns`] copies.
    pub(crate) fn table(&self, names: &Names, stated: &Kinds, run: &Run) -> Result<Table<'a>> {
        // The levels are applied once the numbers are columns.
        let kinds = stated.numeric_for_orders();
        let mut columns = match self {
            Borrowed::Double(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::Single(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::Bytes(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::SignedBytes(matrix) => matrix.columns(names, &kinds, run)?,
            Borrowed::Genotypes(chosen) => chosen.columns(names, &kinds, run)?,
            Borrowed::Sparse(sparse) => sparse.matrix(run)?.into_features(names, &kinds, run)?,
            Borrowed::Columns(columns) => {
                if names.len() != columns.len() || stated.len() != columns.len() {
                    return Err(Error::Internal(format!(
                        "{} names and {} kinds for {} columns",
                        names.len(),
                        stated.len(),
                        columns.len()
                    )));
                }
                let mut built = Vec::with_capacity(columns.len());
                let all = columns.iter().zip(names.iter()).zip(stated.iter());
                for (index, ((column, name), kind)) in all.enumerate() {
                    run.check()?;
                    let column = match stated.order(index) {
                        Some(order) => column.raw(name)?.in_order(order)?.into_feature(None)?,
                        None => column.build(name, kind)?,
                    };
                    built.push(column.with_name_of(names, index));
                }
                return Table::new(built);
            }
        };
        for (index, order) in stated.orders() {
            let (column, mut numbers) = (&mut columns[index], Vec::new());
            column.copy_values(&mut numbers);
            let numbers = RawValues::Numbers(numbers.into());
            *column =
                RawColumn::new(column.name(), numbers, None).in_order(order)?.into_feature(None)?;
        }
        Table::new(columns)
    }

    /// Warns if a feature, a covariate or the families of a cohort suggest repeated measurements.
    pub(crate) fn repeated_rows(
        &self,
        table: &Table<'_>,
        covariates: Option<&Covariates<'_>>,
        target: &Target,
    ) -> Option<Warning> {
        let families = match self {
            Borrowed::Genotypes(chosen) => Some(chosen.families()),
            _ => None,
        };
        let features = table.columns().iter().map(|column| (column, ColumnRole::Feature));
        let covariates = covariates.map_or(&[][..], |covariates| covariates.table().columns());
        let others = covariates.iter().chain(&families).map(|column| (column, ColumnRole::Other));
        repeated_rows(features.chain(others), target)
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
            // With the same rules and messages as for files.
            BorrowedColumn::Copies(_) | BorrowedColumn::Codes(..) => {
                self.raw(name)?.into_feature(kind)
            }
        }
    }

    /// Returns the raw column, as from a file reader; its levels may be declared.
    fn raw(self, name: &str) -> Result<RawColumn> {
        let declares = matches!(self, BorrowedColumn::Codes(_, _, true));
        let declared = declares.then_some(ColumnKind::Categorical);
        Ok(RawColumn::new(name, self.values()?, declared))
    }

    /// Returns the raw values, as from a file reader.
    fn values(self) -> Result<RawValues> {
        let number = |copies: &u8| match copies {
            0..=2 => f64::from(*copies),
            _ => f64::NAN,
        };
        Ok(match self {
            BorrowedColumn::Double(values) => RawValues::Numbers(values.iter().copied().collect()),
            BorrowedColumn::Single(values) => {
                RawValues::Numbers(values.iter().map(|&value| f64::from(value)).collect())
            }
            BorrowedColumn::Copies(copies) => {
                RawValues::Numbers(copies.iter().map(number).collect())
            }
            BorrowedColumn::Codes(codes, levels, _) => RawValues::Text(categories(codes, levels)?),
        })
    }
}

/// Creates categories from indices into levels; negative indices are missing.
pub(crate) fn categories(codes: &[i32], levels: &[String]) -> Result<Categories> {
    let codes = codes.iter().map(|&code| u32::try_from(code).unwrap_or(MISSING_CODE));
    Categories::new(codes.collect(), levels.to_vec())
}

/// Names columns without a name as in files; see `_native.pyi`.
#[pyfunction]
pub(crate) fn column_names(mut names: Vec<String>) -> Vec<String> {
    name_columns(&mut names);
    names
}

/// Finds a column by name; the error for an unknown name suggests the most similar one.
#[pyfunction]
pub(crate) fn column_index(names: Vec<String>, name: &str) -> PyResult<usize> {
    let empty = names.into_iter().map(|name| Column::from_values(name, Vec::new()));
    let table = empty.collect::<Result<_>>().and_then(Table::new);
    table.and_then(|table| table.find(name)).map_err(to_python)
}

/// The kind, the levels and the number of missing values of a column.
type ColumnFacts = (&'static str, Option<Vec<String>>, usize);

/// Reads columns, with messages for the current audience, and describes them; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn check_columns(
    py: Python<'_>,
    columns: Features<'_>,
    names: NameInput,
    kinds: Kinds,
    are_covariates: bool,
) -> PyResult<Vec<ColumnFacts>> {
    let run = run_on(py, Some(1))?;
    let columns = columns.borrow()?;
    let table = match are_covariates {
        true => columns.covariate_table(&names.0, &kinds, &run),
        false => columns.table(&names.0, &kinds, &run),
    };
    let table = table.map_err(to_python)?;
    let facts = |column: &Column<'_>| {
        let levels = match column.values() {
            Values::Categorical(values) => Some(values.levels().to_vec()),
            _ => None,
        };
        (column.kind().name(), levels, column.missing())
    };
    Ok(table.columns().iter().map(facts).collect())
}
