//! `--report`: writes a report page, and opens it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use basrelief::error::Cause;
use basrelief::{Error, Result};
use basrelief_study::{FileNames, Page, PageFile, PageOptions};
use clap::ArgMatches;

use crate::args;
use crate::exit::Outcome;
use crate::plan_text::quoted;

/// The page that `--report` specifies.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    file: PageFile,
    json: Option<PageFile>,
    open: bool,
    /// The options of the page.
    pub(crate) options: PageOptions,
}

impl Report {
    /// From the arguments; `None` without `--report`. Reports errors that are known before the data are read.
    ///
    /// # Errors
    /// The errors of [`PageFile::new`].
    pub(crate) fn from_args(matches: &ArgMatches, arguments: &[OsString]) -> Result<Option<Self>> {
        let Some(file) = args::path(matches, "report") else { return Ok(None) };
        // Not every verb writes the content of its page as JSON.
        let json = matches.try_get_one::<PathBuf>("report-json").ok().flatten();
        let force = args::replaces(matches)?;
        let own = Self {
            file: PageFile::new(file.to_path_buf(), force)?,
            json: json.map(|json| PageFile::of_json(json.clone(), force)).transpose()?,
            open: matches.get_flag("open"),
            options: PageOptions {
                command: Some(command_line(arguments)),
                with_time: !matches.get_flag("no-time"),
                with_json: json.is_some(),
                files: file_names(arguments),
            },
        };
        Ok(Some(own))
    }

    /// The files that are written.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        [Some(&self.file), self.json.as_ref()].into_iter().flatten().map(PageFile::path)
    }

    /// Writes the page and its numbers as JSON, each atomically.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(&self, page: &Page) -> Result<()> {
        self.file.write(&page.html)?;
        match (&self.json, &page.json) {
            (Some(file), Some(text)) => file.write(text),
            _ => Ok(()),
        }
    }

    /// Opens the page with the default program of the system, if `--open` is given.
    ///
    /// # Errors
    /// The program does not exist, or fails.
    pub(crate) fn open(&self) -> Outcome {
        if !self.open {
            return Ok(());
        }
        let opener = match std::env::consts::OS {
            "macos" => "open",
            "windows" => "explorer",
            _ => "xdg-open",
        };
        let started = Command::new(opener)
            .arg(self.file.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match started {
            // Windows Explorer exits with 1 on success.
            Ok(status) if status.success() || opener == "explorer" => Ok(()),
            Ok(status) => Err(self.cannot_open(opener, status.to_string())),
            Err(cause) => Err(self.cannot_open(opener, cause)),
        }
    }

    fn cannot_open(&self, opener: &str, cause: impl Into<Cause>) -> crate::exit::Failure {
        Error::File {
            path: self.file.path().to_path_buf(),
            action: format!("open it with {opener}"),
            cause: cause.into(),
            help: "the page is written; open it in a browser".into(),
        }
        .into()
    }
}

/// The names of the files of a command.
pub(crate) fn file_names(arguments: &[OsString]) -> FileNames {
    FileNames::new(arguments.iter().skip(1).map(|argument| argument.to_string_lossy()))
}

/// The command, quoted for a shell, with short names of files.
pub(crate) fn command_line(arguments: &[OsString]) -> String {
    let files = file_names(arguments);
    let given = arguments.iter().skip(1).map(|argument| files.word(&argument.to_string_lossy()));
    let words: Vec<String> = std::iter::once("basrelief".to_string()).chain(given).collect();
    quoted(&words)
}
