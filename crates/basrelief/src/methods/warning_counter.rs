//! Warnings of many fits, reported once.

use serde::{Deserialize, Serialize};

use crate::report::Report;
use crate::warning::Warning;

/// Collects the warnings of the fits inside a wrapper, to report each once and not per fit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct WarningCounter {
    fits: usize,
    /// The first warning of every code, and the number of fits with a warning of that code.
    said: Vec<(Warning, usize)>,
}

impl WarningCounter {
    /// Adds the warnings of one fit.
    pub(crate) fn add(&mut self, inner: Report) {
        self.fits += 1;
        for warning in inner.warnings {
            match self.said.iter_mut().find(|(first, _)| first.code() == warning.code()) {
                Some((_, count)) => *count += 1,
                None => self.said.push((warning, 1)),
            }
        }
    }

    /// Reports the warnings. One that not all fits gave states how many did; `fits` is the plural
    /// for a fit, such as `rounds`.
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
