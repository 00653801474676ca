//! Long work beside a living interpreter: signals are noticed, progress is reported.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use basrelief::{CancelFlag, Error, Progress, Result, Run};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors::to_python;

/// How often signals are looked at; Ctrl-C shall work within a second.
const POLL: Duration = Duration::from_millis(50);

/// Progress kept where the watching thread can read it: worker threads never wait for Python.
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

/// Does `work` on another thread with the interpreter released, while this thread looks for
/// signals and calls `progress(stage, done, total)`. Whatever these raise stops the work.
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
        // All of it on the run's own threads: changing from and to them for every part of the work
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
                            let lost = "the work ended without result".to_string();
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
        // With a message, which tells that the library's work was interrupted.
        Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
            Err(to_python(Error::Cancelled))
        }
        Some(error) => Err(error),
        None => result.map_err(to_python),
    }
}
