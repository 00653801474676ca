//! Table files for Python: columns as arrays or lists of texts.

use std::path::PathBuf;

use basrelief::Warning;
use basrelief::data::{RawColumn, RawValues};
use basrelief_io::{Format, ReadOptions, read_table};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::told;
use crate::threads::run_on;
use crate::watch;

/// Reads a table; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (path, *, transpose=false, pheno=None, sheet=None, na_values=vec![], delimiter=None))]
pub(crate) fn read_samples<'py>(
    py: Python<'py>,
    path: PathBuf,
    transpose: bool,
    pheno: Option<PathBuf>,
    sheet: Option<String>,
    na_values: Vec<String>,
    delimiter: Option<char>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = ReadOptions {
        // Text files have many endings.
        format: Some(Format::from_path(&path).unwrap_or(Format::Csv)),
        delimiter: delimiter.map(|delimiter| u8::try_from(delimiter).unwrap_or(b'"')),
        missing: na_values,
        transpose,
        phenotypes: pheno,
        sheet,
        ..ReadOptions::default()
    };
    let run = run_on(py, Some(1))?;
    let table = watch::interruptible(py, run, None, |run| read_table(&path, &options, run))?;
    let all = PyDict::new(py);
    all.set_item("features", columns(py, &table.columns)?)?;
    all.set_item("annotations", columns(py, &table.annotations)?)?;
    let names = table.row_names.iter().map(|names| values(py, names)).next().transpose()?;
    all.set_item("names", names)?;
    let of = |is_requested: bool| -> Vec<String> {
        let own = |warning: &&Warning| warning.is_requested() == is_requested;
        table.warnings.iter().filter(own).map(told).collect()
    };
    all.set_item("warnings", of(false))?;
    all.set_item("notes", of(true))?;
    Ok(all)
}

fn columns<'py>(py: Python<'py>, columns: &[RawColumn]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for column in columns {
        all.set_item(&column.name, values(py, column)?)?;
    }
    Ok(all)
}

/// The values of a column: an array of numbers with NaN for missing ones, or a list of texts with None.
fn values<'py>(py: Python<'py>, column: &RawColumn) -> PyResult<Bound<'py, PyAny>> {
    match &column.values {
        RawValues::Numbers(numbers) => {
            Ok(numbers.iter().collect::<Vec<f64>>().into_pyarray(py).into_any())
        }
        RawValues::Text(categories) => {
            let text = |&code: &u32| categories.levels().get(code as usize).map(String::as_str);
            categories.codes().iter().map(text).collect::<Vec<_>>().into_pyobject(py)
        }
    }
}
