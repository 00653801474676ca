//! Threads that outlast a fit: a small one takes less time than starting them.

use std::sync::{Mutex, PoisonError};

use basrelief::{Run, Threads};
use pyo3::prelude::*;

use crate::errors::to_python;

/// Threads that are kept, at most, together; more where the machine has more cores.
const MOST_KEPT: usize = 64;

/// Threads that were started, and the process that they are in: after a fork they are not in the new one.
///
/// Who holds the lock holds the interpreter's, too, so that no fork finds it locked.
static STARTED: Mutex<(u32, Vec<Threads>)> = Mutex::new((0, Vec::new()));

/// A run on that many threads (`None`: one per available core), on idle ones of an earlier run where there are some.
pub(crate) fn run_on(_: Python<'_>, threads: Option<usize>) -> PyResult<Run> {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (owner, kept) = &mut *started;
    let process = std::process::id();
    if *owner != process {
        // Ending threads that are not there would be undefined: what was copied stays as it is.
        std::mem::forget(std::mem::take(kept));
        *owner = process;
    }
    let wanted = threads.unwrap_or_else(Threads::available);
    let idle = kept.iter().find(|own| own.count() == wanted && own.are_idle());
    let threads = match idle {
        Some(threads) => threads.clone(),
        None => {
            let new = Threads::start(threads).map_err(to_python)?;
            let most = MOST_KEPT.max(Threads::available());
            let has_room = |kept: &[Threads]| {
                kept.iter().map(Threads::count).sum::<usize>() + new.count() <= most
            };
            if !has_room(kept) && new.count() <= most {
                kept.retain(|own| !own.are_idle());
            }
            if has_room(kept) {
                kept.push(new.clone());
            }
            new
        }
    };
    Run::on(threads).map_err(to_python)
}
