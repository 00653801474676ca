//! The outputs of a verb: its result and its report page.

use std::ffi::OsString;
use std::path::Path;

use basrelief::Result;
use basrelief::wording::clean_path;
use basrelief_study::text::{Format, Look};
use basrelief_study::{Page, PageOptions};
use clap::ArgMatches;

use crate::exit::{Outcome, say};
use crate::output::Destination;
use crate::report::Report;

/// The result of a verb and its page, with the files that they are written to.
#[derive(Debug)]
pub(crate) struct Outputs {
    destination: Destination,
    report: Option<Report>,
}

impl Outputs {
    /// From the arguments; `endings` are those of [`Destination::from_args`].
    ///
    /// # Errors
    /// The errors of [`Destination::from_args`] and [`Report::from_args`].
    pub(crate) fn from_args(
        matches: &ArgMatches,
        arguments: &[OsString],
        endings: &[&str],
    ) -> Result<Self> {
        let destination = Destination::from_args(matches, endings)?;
        Ok(Self { destination, report: Report::from_args(matches, arguments)? })
    }

    /// The format of the result.
    pub(crate) fn format(&self) -> Format {
        self.destination.format()
    }

    /// The look of a table.
    pub(crate) fn look(&self) -> Look {
        self.destination.look()
    }

    /// Whether the result goes to a file.
    pub(crate) fn is_file(&self) -> bool {
        self.destination.file().is_some()
    }

    /// The page that `make` gives; `None` without `--report`.
    ///
    /// # Errors
    /// The errors of `make`.
    pub(crate) fn page(
        &self,
        make: impl FnOnce(&PageOptions) -> Result<Page>,
    ) -> Result<Option<Page>> {
        self.report.as_ref().map(|report| make(&report.options)).transpose()
    }

    /// Writes the page and then the result.
    ///
    /// # Errors
    /// A file or standard output cannot be written.
    pub(crate) fn write(&self, page: Option<Page>, result: &str) -> Outcome {
        if let (Some(report), Some(page)) = (&self.report, page) {
            report.write(&page)?;
        }
        self.destination.write(result)
    }

    /// Reports the files that were written: that of the result, then `others`, then those of the page.
    pub(crate) fn say_files<'p>(&'p self, others: impl IntoIterator<Item = &'p Path>) {
        say_written(self.destination.file().into_iter().chain(others));
        self.say_pages();
    }

    /// Reports the files of the page that were written.
    pub(crate) fn say_pages(&self) {
        say_written(self.report.iter().flat_map(Report::files));
    }

    /// Opens the page with `--open`.
    ///
    /// # Errors
    /// The errors of [`Report::open`].
    pub(crate) fn open(&self) -> Outcome {
        self.report.as_ref().map_or(Ok(()), Report::open)
    }
}

fn say_written<'p>(files: impl Iterator<Item = &'p Path>) {
    files.for_each(|file| say(&format!("wrote {}", clean_path(file))));
}
