//! The encoding of columns as numbers, in the form that Python stores with a map.

use basrelief::data::{Differences, EncodedColumn, Encoding};
use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::matrix;
use crate::columns::Features;
use crate::errors::told;
use crate::stated::{Kinds, NameInput};
use crate::threads::run_on;
use crate::watch;

/// The name of a column, its categories if it is categorical, the number of missing values in the fit, and
/// the code of a missing value; for an ordinal column also the levels in ascending order.
#[derive(Clone, FromPyObject, IntoPyObject)]
pub(crate) enum ColumnParts {
    Ordinal((String, Option<Vec<String>>, usize, Vec<f64>, Vec<String>)),
    Other((String, Option<Vec<String>>, usize, Vec<f64>)),
}

/// The name of the rule by which differences add up, and the columns.
pub(crate) type EncodingParts = (String, Vec<ColumnParts>);

/// Returns the parts, or `None` if all columns are numeric and complete.
pub(crate) fn parts(encoding: &Encoding) -> Option<EncodingParts> {
    if encoding.is_plain() {
        return None;
    }
    let column = |column: &EncodedColumn| {
        let (name, missing) = (column.name().to_string(), column.missing());
        let fill = column.fill().to_vec();
        match column.order() {
            Some(order) => ColumnParts::Ordinal((name, None, missing, fill, order.to_vec())),
            None => {
                let levels = column.levels().map(<[String]>::to_vec);
                ColumnParts::Other((name, levels, missing, fill))
            }
        }
    };
    let columns = encoding.columns().iter().map(column).collect();
    Some((encoding.differences().name().to_string(), columns))
}

/// Creates an encoding from its parts, which must be consistent.
pub(crate) fn read((differences, columns): EncodingParts) -> PyResult<Encoding> {
    let wrong = || PyValueError::new_err("the parts of the encoding are inconsistent");
    let differences = Differences::from_name(&differences).ok_or_else(wrong)?;
    let column = |parts| match parts {
        ColumnParts::Ordinal((name, _, missing, fill, order)) => {
            EncodedColumn::ordinal(name, order, missing, fill)
        }
        ColumnParts::Other((name, levels, missing, fill)) => {
            EncodedColumn::new(name, levels, missing, fill)
        }
    };
    let columns: Option<Vec<EncodedColumn>> = columns.into_iter().map(column).collect();
    Ok(Encoding::new(differences, columns.ok_or_else(wrong)?))
}

/// Returns the names of the encoded columns; see `_native.pyi`.
#[pyfunction]
pub(crate) fn encoded_names(encoding: EncodingParts) -> PyResult<Vec<String>> {
    Ok(read(encoding)?.part_names())
}

/// Encodes rows as numbers; see `_native.pyi`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]
pub(crate) fn encode_rows<'py>(
    py: Python<'py>,
    encoding: EncodingParts,
    features: Features<'py>,
    names: NameInput,
    kinds: Kinds,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<String>)> {
    let encoding = read(encoding)?;
    let run = run_on(py, threads)?;
    let values = features.borrow()?;
    let (rows, warnings) = watch::interruptible(py, run, None, |run| {
        encoding.encode(&values.table(&names.0, &kinds, run)?)
    })?;
    Ok((matrix(py, &rows)?, warnings.iter().map(told).collect()))
}
