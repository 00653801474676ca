//! Long computations while the interpreter stays responsive: signals are handled, and progress is reported.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use basrelief::{CancelFlag, Error, Progress, Result, Run};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors::to_python;

/// The interval at which signals are checked; Ctrl-C must work within a second.
const POLL: Duration = Duration::from_millis(50);

/// Progress that the watching thread reads, so that worker threads never wait for Python.
#[derive(Default)]
struct Shared {
    stage: Mutex<String>,
    total: AtomicU64,
    done: AtomicU64,
}

impl Progress for Shared {
    fn start(&self, stage: &str, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage.to_string();
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn finish(&self) {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Shared {
    fn report(&self, py: Python<'_>, to: &Py<PyAny>) -> PyResult<()> {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if stage.is_empty() {
            return Ok(());
        }
        let counts = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        to.call1(py, (stage, counts.0, counts.1)).map(drop)
    }
}

fn panic_message(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Does `work` on another thread with the interpreter released, while this thread checks for
/// signals and calls `progress(stage, done, total)`. An exception in either stops the work.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    run: Run,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Run) -> Result<T> + Send,
) -> PyResult<T> {
    let cancel = CancelFlag::new();
    let shared = Arc::new(Shared::default());
    let run = run.with_cancel(cancel.clone()).with_progress(shared.clone());
    let (result, raised) = py.detach(|| {
        // The complete work runs on the threads of the run: switching to them and back for every part
        // takes longer than a small fit.
        run.beside(
            || work(&run),
            |receive| {
                let mut raised = None;
                loop {
                    match receive.recv_timeout(POLL) {
                        Ok(Ok(result)) => return (result, raised),
                        Ok(Err(panic)) => {
                            return (Err(Error::Internal(panic_message(panic))), raised);
                        }
                        Err(RecvTimeoutError::Disconnected) => {
                            let lost = "the work ended without a result".to_string();
                            return (Err(Error::Internal(lost)), raised);
                        }
                        Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                        Err(RecvTimeoutError::Timeout) => {
                            let seen = Python::attach(|py| {
                                py.check_signals()?;
                                progress.map_or(Ok(()), |to| shared.report(py, to))
                            });
                            if let Err(error) = seen {
                                cancel.cancel();
                                raised = Some(error);
                            }
                        }
                    }
                }
            },
        )
    });
    match raised {
        // With the message of the library about the interruption.
        Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
            Err(to_python(Error::Cancelled))
        }
        Some(error) => Err(error),
        None => result.map_err(to_python),
    }
}
