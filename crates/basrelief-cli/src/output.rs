//! The destination of a result, and its format.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use basrelief::{Error, wording};
use basrelief_io::check_writable;
use basrelief_study::pages::write_file;
use basrelief_study::text::{Format, Look};
use clap::ArgMatches;

use crate::args;
use crate::exit::{Failure, Outcome};
use crate::terminal::look_of_standard_output;

/// The destination of a result, and its format.
#[derive(Debug)]
pub(crate) struct Destination {
    file: Option<PathBuf>,
    format: Format,
}

impl Destination {
    /// From `--output` and `--format`; checks at once that the file can be written. `endings` are the
    /// file endings of the formats; a table has the ending `.txt` or none.
    pub(crate) fn from_args(matches: &ArgMatches, endings: &[&str]) -> basrelief::Result<Self> {
        let file = args::path(matches, "output");
        let ending = file.and_then(Path::extension).map(|ending| ending.to_ascii_lowercase());
        let ending = ending.as_deref().and_then(std::ffi::OsStr::to_str);
        let named = matches.get_one::<String>("format").map(String::as_str);
        let format = match named.or(ending) {
            Some("json") => Format::Json,
            Some("csv") => Format::Csv,
            _ => Format::Table,
        };
        if let Some(file) = file {
            let known = ending.is_none_or(|ending| ending == "txt" || endings.contains(&ending));
            if named.is_none() && !known {
                let list: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
                return Err(Error::File {
                    path: file.to_path_buf(),
                    action: "write a result to it".to_string(),
                    cause: "its ending does not specify a format".into(),
                    help: format!(
                        "the endings are {} and .txt; or specify the format with {}",
                        list.join(", "),
                        wording::setting("format", None)
                    )
                    .into(),
                });
            }
            check_writable(file)?;
        }
        Ok(Self { file: file.map(Path::to_path_buf), format })
    }

    /// The format of the result.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// The file, if the result goes to one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The width of a table, and whether colors are allowed.
    pub(crate) fn look(&self) -> Look {
        if self.file.is_some() {
            return Look::of_file();
        }
        look_of_standard_output()
    }

    /// Writes the result atomically.
    pub(crate) fn write(&self, text: &str) -> Outcome {
        match &self.file {
            Some(file) => Ok(write_file(file, text)?),
            None if self.format == Format::Csv => print_data(text),
            None => print(text),
        }
    }
}

/// Writes data to standard output: unchanged for programs, and without control characters for a terminal.
pub(crate) fn print_data(text: &str) -> Outcome {
    match io::stdout().is_terminal() {
        true => print(&wording::clean_document(text)),
        false => print(text),
    }
}

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Output)
}
