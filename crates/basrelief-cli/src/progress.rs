//! Progress on a terminal: a bar per stage, shown once a stage takes noticeably long.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use basrelief::{Progress, wording};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Stages shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(300);

/// Searches that need less memory say nothing of it.
const NOTEWORTHY: u64 = 100 << 20;

/// A bar on standard error, or `None` where there is no terminal or the user wants quiet.
pub(crate) fn on_terminal(quiet: bool) -> Option<Bar> {
    (!quiet && stderr().is_terminal()).then(|| Bar(Mutex::new(None)))
}

/// The bar of the current stage.
#[derive(Debug)]
pub(crate) struct Bar(Mutex<Option<Stage>>);

#[derive(Debug)]
struct Stage {
    bar: ProgressBar,
    since: Instant,
}

impl Bar {
    fn stage(&self) -> std::sync::MutexGuard<'_, Option<Stage>> {
        // A poisoned lock only means that a worker died while drawing.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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
            eprintln!("memory: at most {} beside the data", HumanBytes(bytes));
        }
    }

    fn file(&self, bytes: u64, folder: &Path) {
        eprintln!("memory: {} go to a file in {}", HumanBytes(bytes), wording::clean_path(folder));
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
