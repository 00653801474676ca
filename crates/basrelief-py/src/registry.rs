//! The registries for Python, from which the classes of methods and the lists for users are created.

use basrelief::methods::{MAP_METHODS, METHODS, OptionInfo, PythonText, Task, WRAPPERS};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Lists the methods and their options; see `_native.pyi`.
#[pyfunction(name = "methods")]
pub(crate) fn list_methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for method in METHODS {
        let entry = PyDict::new(py);
        entry.set_item("name", method.name)?;
        entry.set_item("class_name", method.class)?;
        entry.set_item("task", method.task.name())?;
        entry.set_item("missing", method.missing)?;
        entry.set_item("in_parts", method.in_parts())?;
        entry.set_item("sparse", method.in_one_search())?;
        entry.set_item("purpose", method.purpose)?;
        entry.set_item("source", method.source)?;
        entry.set_item("options", list_options(py, method.options)?)?;
        let (least, greatest) = method.range;
        let range = format!(", in [{least}, {greatest}]");
        entry.set_item("docstring", docstring(py, method.python, &range)?)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// Lists the methods that learn a map and their options; see `_native.pyi`.
#[pyfunction(name = "map_methods")]
pub(crate) fn list_map_methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for method in MAP_METHODS {
        let entry = PyDict::new(py);
        entry.set_item("name", method.name)?;
        entry.set_item("class_name", method.class)?;
        entry.set_item("supervised", method.supervised)?;
        entry.set_item("task", method.task().map(Task::name))?;
        entry.set_item("takes_pairs", method.takes_pairs())?;
        entry.set_item("takes_comparisons", method.takes_comparisons())?;
        entry.set_item("takes_chunks", method.takes_chunks())?;
        entry.set_item("in_parts", method.in_parts())?;
        entry.set_item("purpose", method.purpose)?;
        entry.set_item("source", method.source)?;
        entry.set_item("options", list_options(py, &method.all_options())?)?;
        entry.set_item("docstring", docstring(py, method.python, "")?)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// Lists the wrappers and their options; see `_native.pyi`.
#[pyfunction(name = "wrappers")]
pub(crate) fn list_wrappers(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for wrapper in WRAPPERS {
        let entry = PyDict::new(py);
        entry.set_item("name", wrapper.name)?;
        entry.set_item("class_name", wrapper.class)?;
        entry.set_item("in_parts", wrapper.has_rounds())?;
        entry.set_item("purpose", wrapper.purpose)?;
        entry.set_item("source", wrapper.source)?;
        entry.set_item("options", list_options(py, wrapper.options)?)?;
        entry.set_item("docstring", docstring(py, wrapper.python, "")?)?;
        list.append(entry)?;
    }
    Ok(list)
}

fn list_options<'py>(
    py: Python<'py>,
    options: &[&'static OptionInfo],
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for option in options {
        let entry = PyDict::new(py);
        entry.set_item("name", option.name)?;
        entry.set_item("values", option.kind.grammar())?;
        entry.set_item("default", option.default)?;
        entry.set_item("help", option.help)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// Returns the parts of the docstring of a class, with the range of the weights; `None` for methods without
/// a class.
fn docstring<'py>(
    py: Python<'py>,
    text: Option<&PythonText>,
    range: &str,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(text) = text else { return Ok(None) };
    let parts = PyDict::new(py);
    parts.set_item("summary", text.summary)?;
    parts.set_item("description", text.description)?;
    parts.set_item("weights", format!("{range}{}", text.weights))?;
    parts.set_item("reports", text.reports)?;
    parts.set_item("iterations", text.iterations)?;
    parts.set_item("see_also", text.see_also)?;
    parts.set_item("notes", text.notes)?;
    parts.set_item("references", text.references)?;
    parts.set_item("examples", text.examples)?;
    Ok(Some(parts))
}
