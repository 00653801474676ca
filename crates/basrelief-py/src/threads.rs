//! Threads that are reused by later fits, because starting threads takes longer than a small fit.

use std::sync::{Mutex, PoisonError};

use basrelief::{Run, Threads};
use pyo3::prelude::*;

use crate::errors::to_python;

/// The maximum total number of retained threads; more if the machine has more cores.
const MOST_KEPT: usize = 64;

/// The retained threads, and their process: after a fork, the new process does not have these threads.
///
/// The holder of this lock also holds that of the interpreter, so that no fork occurs while it is locked.
static STARTED: Mutex<(u32, Vec<Threads>)> = Mutex::new((0, Vec::new()));

/// Creates a run on `threads` threads (`None`: one per available core), and reuses idle threads of earlier runs.
pub(crate) fn run_on(_: Python<'_>, threads: Option<usize>) -> PyResult<Run> {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (owner, kept) = &mut *started;
    let process = std::process::id();
    if *owner != process {
        // The threads do not exist in this process, and ending them would be undefined: their copies are leaked.
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
