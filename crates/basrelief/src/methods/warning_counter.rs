//! Warnings of many fits, told once.

use serde::{Deserialize, Serialize};

use crate::report::Report;
use crate::warning::Warning;

/// What the fits inside a wrapper warn of, told once and not fit by fit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct WarningCounter {
    fits: usize,
    /// The first warning of every code, and how many fits gave one of that code.
    said: Vec<(Warning, usize)>,
}

impl WarningCounter {
    /// Takes in what one fit reports.
    pub(crate) fn add(&mut self, inner: Report) {
        self.fits += 1;
        for warning in inner.warnings {
            match self.said.iter_mut().find(|(first, _)| first.code() == warning.code()) {
                Some((_, count)) => *count += 1,
                None => self.said.push((warning, 1)),
            }
        }
    }

    /// Passes the warnings on; those that not all fits gave say how many did (`fits` is what a
    /// fit is called: `rounds`).
    pub(crate) fn tell(self, fits: &str, report: &mut Report) {
        for (warning, count) in self.said {
            report.warnings.push(if count == self.fits {
                warning
            } else {
                let message =
                    format!("in {count} of {} {fits}: {}", self.fits, warning.text().mention());
                Warning::new(warning.code().to_string(), message)
            });
        }
    }
}
