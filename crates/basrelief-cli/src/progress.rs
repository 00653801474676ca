//! Progress on standard error: on a terminal, a bar per stage, shown if the stage takes noticeably long; otherwise,
//! as in the log of a job, a line from time to time.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use basrelief::{Progress, wording};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Stages shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(300);

/// The time between lines if standard error is not a terminal.
const PAUSE: Duration = Duration::from_secs(10);

/// Searches that need less memory do not report it.
const NOTEWORTHY: u64 = 100 << 20;

/// A bar on standard error, or lines if it is not a terminal; `None` if `quiet`.
pub(crate) fn on_stderr(quiet: bool) -> Option<Arc<dyn Progress>> {
    if quiet {
        None
    } else if stderr().is_terminal() {
        Some(Arc::new(Bar(Mutex::new(None))))
    } else {
        Some(Arc::new(Lines::new(PAUSE, |line| eprintln!("{line}"))))
    }
}

/// The bar of the current stage.
#[derive(Debug)]
pub(crate) struct Bar(Mutex<Option<Stage>>);

#[derive(Debug)]
struct Stage {
    bar: ProgressBar,
    since: Instant,
}

/// Locks a mutex, which is poisoned only if a worker panicked while drawing.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bar {
    fn stage(&self) -> MutexGuard<'_, Option<Stage>> {
        locked(&self.0)
    }
}

impl Progress for Bar {
    fn start(&self, stage: &str, total: u64) {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden())
            .with_message(stage.to_string());
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} % {eta:>4}")
        {
            bar.set_style(style);
        }
        *self.stage() = Some(Stage { bar, since: Instant::now() });
    }

    fn advance(&self, units: u64) {
        if let Some(stage) = &*self.stage() {
            if stage.bar.is_hidden() && stage.since.elapsed() > PATIENCE {
                stage.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            stage.bar.inc(units);
        }
    }

    fn memory(&self, bytes: u64) {
        if bytes >= NOTEWORTHY {
            eprintln!("memory: at most {} in addition to the data", HumanBytes(bytes));
        }
    }

    fn file(&self, bytes: u64, folder: &Path) {
        eprintln!(
            "memory: {} are stored in a file in {}",
            HumanBytes(bytes),
            wording::clean_path(folder)
        );
    }

    fn finish(&self) {
        if let Some(stage) = self.stage().take() {
            stage.bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    // Work that was interrupted or failed never calls `finish`.
    fn drop(&mut self) {
        self.finish();
    }
}

/// Lines about the current stage, from time to time.
struct Lines<W> {
    pause: Duration,
    write: W,
    stage: Mutex<Option<LineStage>>,
}

struct LineStage {
    name: String,
    total: u64,
    done: u64,
    last: Instant,
}

impl<W: Fn(&str) + Send + Sync> Lines<W> {
    fn new(pause: Duration, write: W) -> Self {
        Self { pause, write, stage: Mutex::new(None) }
    }
}

impl<W: Fn(&str) + Send + Sync> Progress for Lines<W> {
    fn start(&self, stage: &str, total: u64) {
        let name = stage.to_string();
        *locked(&self.stage) = Some(LineStage { name, total, done: 0, last: Instant::now() });
    }

    fn advance(&self, units: u64) {
        let mut stage = locked(&self.stage);
        let Some(stage) = stage.as_mut() else { return };
        stage.done += units;
        if stage.last.elapsed() < self.pause {
            return;
        }
        stage.last = Instant::now();
        let LineStage { name, total, done, .. } = stage;
        (self.write)(&format!("{name}: {done} of {total}"));
    }

    fn finish(&self) {
        *locked(&self.stage) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a stage of three units.
    fn lines(pause: Duration) -> Vec<String> {
        let written = Mutex::new(Vec::new());
        let progress = Lines::new(pause, |line: &str| locked(&written).push(line.to_string()));
        progress.advance(1);
        progress.start("kernel width", 3);
        (0..2).for_each(|_| progress.advance(1));
        progress.finish();
        progress.advance(1);
        drop(progress);
        written.into_inner().unwrap()
    }

    #[test]
    fn a_line_says_how_far_a_stage_is_once_the_pause_is_over() {
        assert_eq!(lines(Duration::ZERO), ["kernel width: 1 of 3", "kernel width: 2 of 3"]);
        assert!(lines(Duration::from_secs(600)).is_empty());
    }
}
