//! The one error type of the workspace: every variant says what is wrong, where, and what to do.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::wording::{self, Library};

/// Result with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong in basrelief.
///
/// The texts inside may hold mentions of options and methods ([`crate::wording`]); a front end shows
/// [`Error::message`], and [`fmt::Display`] is the message for users of the library.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The user's data cannot be used as it is: where it is, what is wrong and what to do.
    Data(Box<DataError>),

    /// An option has a value that it cannot take.
    Option {
        /// The option's name, for example `n_neighbors`: see [`wording::setting`].
        option: String,
        /// What is wrong with the value, naming it.
        problem: String,
        /// What to do.
        help: String,
    },

    /// A file could not be opened, read or written.
    File {
        /// The file.
        path: PathBuf,
        /// What was tried, for example `open it for reading`.
        action: String,
        /// The operating system's or the decoder's reason.
        cause: String,
        /// What to do.
        help: String,
    },

    /// The user interrupted the work (Ctrl-C, or the cancellation flag of a [`crate::Run`]).
    Cancelled,

    /// A fault of basrelief itself.
    Internal(String),
}

/// A problem in the user's data, with as much of its place as is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataError {
    /// The file, when the data came from one.
    pub file: Option<PathBuf>,
    /// Line of the file (1 is the first line, the header included).
    pub line: Option<u64>,
    /// Data row (1 is the first row after the header).
    pub row: Option<u64>,
    /// Column name.
    pub column: Option<String>,
    /// The value found there.
    pub value: Option<String>,
    /// What is wrong, in one clause.
    pub problem: String,
    /// What to do about it, in one clause; may be empty.
    pub help: String,
}

impl DataError {
    /// A problem without a place yet.
    pub fn new(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: help.into(), ..Self::default() }
    }

    /// Adds the file.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        self.file = Some(file.to_path_buf());
        self
    }

    /// Adds the line of the file, counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Adds the data row, counted from 1.
    #[must_use]
    pub fn at_row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    /// Adds the column name.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// Adds the offending value; long values are cut to 60 characters.
    #[must_use]
    pub fn with_value(mut self, value: &str) -> Self {
        self.value = Some(shorten(value, 60));
        self
    }
}

impl DataError {
    /// The message with its mentions as they are ([`crate::wording`]), to be a part of another.
    pub fn marked(&self) -> String {
        let mut place = Vec::new();
        if let Some(file) = &self.file {
            place.push(wording::clean_path(file));
        }
        if let Some(line) = self.line {
            place.push(format!("line {line}"));
        }
        if let Some(row) = self.row {
            place.push(format!("row {row}"));
        }
        if let Some(column) = &self.column {
            place.push(format!("column {}", wording::quoted(column)));
        }
        let mut text = String::new();
        if !place.is_empty() {
            text.push_str(&format!("{}: ", place.join(", ")));
        }
        text.push_str(&self.problem);
        if let Some(value) = &self.value {
            text.push_str(&format!(" (found {})", wording::quoted(value)));
        }
        if !self.help.is_empty() {
            text.push_str(&format!("; {}", self.help));
        }
        text
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&wording::spell(&self.marked(), &Library))
    }
}

impl Error {
    /// The same error of data with another way out before those that it names.
    #[must_use]
    pub(crate) fn or_first(self, way: &str) -> Self {
        match self {
            Error::Data(mut data) => {
                data.help = format!("{way}, or {}", data.help);
                Error::Data(data)
            }
            other => other,
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&wording::spell(&self.marked(), &Library))
    }
}

impl From<DataError> for Error {
    fn from(error: DataError) -> Self {
        Error::Data(Box::new(error))
    }
}

impl Error {
    /// A [`Error::Data`] without a place.
    pub fn data(problem: impl Into<String>, help: impl Into<String>) -> Self {
        DataError::new(problem, help).into()
    }

    /// A [`Error::Option`].
    pub fn option(
        option: impl Into<String>,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Error::Option { option: option.into(), problem: problem.into(), help: help.into() }
    }

    /// The message with its mentions as they are ([`crate::wording`]), to be a part of another.
    pub fn marked(&self) -> String {
        match self {
            Error::Data(error) => error.marked(),
            Error::Option { option, problem, help } => {
                format!("{}: {problem}; {help}", wording::subject(option))
            }
            Error::File { path, action, cause, help } => {
                let (path, cause) = (wording::clean_path(path), wording::clean(cause));
                format!("{path}: cannot {action}: {cause}; {help}")
            }
            Error::Cancelled => {
                wording::either("interrupted; nothing was written", "interrupted", "interrupted")
            }
            Error::Internal(what) => format!(
                "internal fault: {}; please report it with {}",
                wording::clean(what),
                wording::either(
                    "the command that led to it",
                    "the call that led to it",
                    "the call"
                )
            ),
        }
    }

    /// Adds the file to a data error that does not name one yet; other errors pass unchanged.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Self {
        match self {
            Error::Data(data) if data.file.is_none() => Error::Data(Box::new(data.in_file(path))),
            other => other,
        }
    }
}

/// Cuts a text to at most `limit` characters, with an ellipsis and the original length when cut,
/// so that a ten-million-character field does not flood a message.
pub fn shorten(text: &str, limit: usize) -> String {
    let mut characters = text.char_indices();
    match characters.nth(limit) {
        None => text.to_string(),
        Some((cut, _)) => format!("{}… ({} bytes)", &text[..cut], text.len()),
    }
}

/// The candidate nearest to `wanted` in spelling, for "did you mean" messages.
///
/// Returns `None` when nothing is reasonably near.
pub fn nearest_name<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = wanted.to_lowercase();
    candidates
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        .filter(|(score, _)| *score > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_error_names_file_line_column_value_and_what_to_do() {
        let error = DataError::new("not a number", "remove it or declare the column categorical")
            .in_file(Path::new("genes.csv"))
            .at_line(17)
            .in_column("BRCA1")
            .with_value("high");
        assert_eq!(
            error.to_string(),
            "genes.csv, line 17, column `BRCA1`: not a number (found `high`); \
             remove it or declare the column categorical"
        );
    }

    #[test]
    fn long_values_are_cut() {
        let text = "ä".repeat(1000);
        assert_eq!(shorten(&text, 3), "äää… (2000 bytes)");
        assert_eq!(shorten("abc", 3), "abc");
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let names = ["target", "age", "bilirubin"];
        assert_eq!(nearest_name("Taget", names), Some("target"));
        assert_eq!(nearest_name("zzz", names), None);
    }
}
