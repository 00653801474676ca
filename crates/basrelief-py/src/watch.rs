//! Long computations while the interpreter stays responsive: signals are handled, and progress is reported.

use std::time::Duration;

use basrelief::{Error, Result, Run, Stage};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors::to_python;

/// The interval at which signals are checked; Ctrl-C must work within a second.
const POLL: Duration = Duration::from_millis(50);

/// Does `work` on another thread with the interpreter released, while this thread checks for
/// signals and calls `progress(stage, done, total)`. An exception in either stops the work.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    run: Run,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Run) -> Result<T> + Send,
) -> PyResult<T> {
    let seen = |stage: Option<&Stage>| {
        Python::attach(|py| {
            py.check_signals()?;
            match (progress, stage) {
                (Some(to), Some(Stage { name, done, total })) => {
                    to.call1(py, (name, *done, *total)).map(drop)
                }
                _ => Ok(()),
            }
        })
    };
    match py.detach(|| run.watched(POLL, seen, work)) {
        // With the message of the library about the interruption.
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
            Err(to_python(Error::Cancelled))
        }
        Err(error) => Err(error),
        Ok(result) => result.map_err(to_python),
    }
}
