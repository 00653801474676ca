//! The error type of the workspace. Every variant reports what is wrong, where, and what to do.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::wording::{self, Text};

/// Result with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Any error of basrelief.
///
/// [`fmt::Display`] writes the message for users of the library. The texts may mention options and methods, which
/// every front end spells in its own way ([`Error::text`], [`crate::Audience::spell`]).
/// [`source`](std::error::Error::source) returns the error of the operating system or of a decoder, if there is one.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The user's data cannot be used: where the problem is, what is wrong and what to do.
    Data(Box<DataError>),

    /// An option has an invalid value.
    Option {
        /// The option's name, for example `n_neighbors` (see [`wording::setting`]).
        option: Text,
        /// The problem with the value, including the value.
        problem: Text,
        /// The advice.
        help: Text,
    },

    /// A file could not be opened, read or written.
    File {
        /// The file.
        path: PathBuf,
        /// The action that failed, for example `open it for reading`.
        action: String,
        /// The reason, with the error of the operating system or the decoder if that is known.
        cause: Cause,
        /// The advice.
        help: Text,
    },

    /// The user interrupted the work, by Ctrl-C or by the cancellation flag of a [`crate::Run`].
    Cancelled,

    /// A bug in basrelief.
    Internal(String),
}

/// A problem in the user's data, with its location as far as that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataError {
    /// The file, if the data came from one.
    pub file: Option<PathBuf>,
    /// Line of the file (1 is the first line, the header included).
    pub line: Option<u64>,
    /// Data row (1 is the first row after the header).
    pub row: Option<u64>,
    /// Column name.
    pub column: Option<String>,
    /// The value found at that location.
    pub value: Option<String>,
    /// The problem, in one clause.
    pub problem: Text,
    /// The advice, in one clause; may be empty.
    pub help: Text,
}

impl DataError {
    /// Creates an error without a location.
    pub fn new(problem: impl Into<Text>, help: impl Into<Text>) -> Self {
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
    /// The message, which every front end spells in its own way.
    pub fn text(&self) -> Text {
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
        text.push_str(self.problem.marked());
        if let Some(value) = &self.value {
            text.push_str(&format!(" (found {})", wording::quoted(value)));
        }
        if !self.help.is_empty() {
            text.push_str(&format!("; {}", self.help.marked()));
        }
        text.into()
    }
}

impl std::error::Error for DataError {}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Error {
    /// Adds another way to solve a problem with the data, before those that the error already lists.
    #[must_use]
    pub(crate) fn or_first(self, way: &str) -> Self {
        match self {
            Error::Data(mut data) => {
                data.help = format!("{way}, or {}", data.help.marked()).into();
                Error::Data(data)
            }
            other => other,
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { cause, .. } => cause.source(),
            _ => None,
        }
    }
}

/// The reason why a file could not be opened, read or written: a text, or the error of the operating system or of a
/// decoder.
///
/// [`From`] creates it from a text or an error.
#[derive(Debug, Clone)]
pub struct Cause(Reason);

#[derive(Debug, Clone)]
enum Reason {
    Words(Text),
    Io(Arc<std::io::Error>),
}

impl Cause {
    /// The error of the operating system or of a decoder, if there is one.
    pub fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Reason::Words(_) => None,
            Reason::Io(error) => Some(&**error),
        }
    }

    /// The reason, which every front end spells in its own way.
    fn text(&self) -> Text {
        match &self.0 {
            Reason::Words(text) => text.clone(),
            Reason::Io(error) => wording::clean(&error.to_string()).as_ref().into(),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl From<std::io::Error> for Cause {
    fn from(error: std::io::Error) -> Self {
        Self(Reason::Io(Arc::new(error)))
    }
}

impl From<String> for Cause {
    fn from(words: String) -> Self {
        words.as_str().into()
    }
}

impl From<&String> for Cause {
    fn from(words: &String) -> Self {
        words.as_str().into()
    }
}

impl From<&str> for Cause {
    fn from(words: &str) -> Self {
        Self(Reason::Words(wording::clean(words).as_ref().into()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl From<DataError> for Error {
    fn from(error: DataError) -> Self {
        Error::Data(Box::new(error))
    }
}

impl Error {
    /// Creates an [`Error::Data`] without a location.
    pub fn data(problem: impl Into<Text>, help: impl Into<Text>) -> Self {
        DataError::new(problem, help).into()
    }

    /// Creates an [`Error::Option`].
    pub fn option(
        option: impl Into<Text>,
        problem: impl Into<Text>,
        help: impl Into<Text>,
    ) -> Self {
        Error::Option { option: option.into(), problem: problem.into(), help: help.into() }
    }

    /// The message, which every front end spells in its own way ([`crate::Audience::spell`]).
    pub fn text(&self) -> Text {
        match self {
            Error::Data(error) => error.text(),
            Error::Option { option, problem, help } => {
                let option = wording::subject(option.marked());
                format!("{option}: {}; {}", problem.marked(), help.marked()).into()
            }
            Error::File { path, action, cause, help } => {
                let (path, cause) = (wording::clean_path(path), cause.text());
                format!("{path}: cannot {action}: {}; {}", cause.marked(), help.marked()).into()
            }
            Error::Cancelled => {
                wording::either("interrupted; nothing was written", "interrupted", "interrupted")
                    .into()
            }
            Error::Internal(what) => format!(
                "internal fault: {}; please report it with {}",
                wording::clean(what),
                wording::either(
                    "the command that led to it",
                    "the call that led to it",
                    "the call"
                )
            )
            .into(),
        }
    }

    /// Adds the file to a data error that does not name one; other errors are returned unchanged.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Self {
        match self {
            Error::Data(data) if data.file.is_none() => Error::Data(Box::new(data.in_file(path))),
            other => other,
        }
    }
}

/// Shortens a text to at most `limit` characters, so that a field of ten million characters does not
/// flood a message. A shortened text ends with an ellipsis and the original length in bytes.
pub fn shorten(text: &str, limit: usize) -> String {
    let mut characters = text.char_indices();
    match characters.nth(limit) {
        None => text.to_string(),
        Some((cut, _)) => format!("{}… ({} bytes)", &text[..cut], text.len()),
    }
}

/// The candidate whose spelling is most similar to `wanted`, for "did you mean" messages.
///
/// Returns `None` if no candidate is similar enough.
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
    use std::error::Error as _;
    use std::io;

    use super::*;
    use crate::wording::{setting, ways};

    #[test]
    fn a_file_error_has_the_error_of_the_system_as_its_source() {
        let file = |cause: Cause| Error::File {
            path: "genes.csv".into(),
            action: "read it".to_string(),
            cause,
            help: "check the disk".into(),
        };
        let error = file(io::Error::new(io::ErrorKind::PermissionDenied, "no entry").into());
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>()).unwrap();
        assert_eq!(source.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(error.to_string(), "genes.csv: cannot read it: no entry; check the disk");
        assert!(file("it is a folder".into()).source().is_none());
    }

    #[test]
    fn a_reader_of_an_error_or_a_warning_sees_no_mark() {
        let text = || {
            let use_seed = format!("use {}", setting("seed", Some("1")));
            let all = [use_seed.as_str(), "stop"];
            format!("first{}{}", wording::LINE_END, ways(&all))
        };
        let option = format!("{} and {}", setting("drop", None), setting("numeric", None));
        let path = PathBuf::from("a\u{fdd0}b");
        let errors = [
            Error::data(text(), text()),
            DataError::new(text(), text()).in_file(&path).in_column(text()).with_value("x").into(),
            Error::option(option, text(), text()),
            Error::option("n_neighbors", text(), text()),
            Error::File {
                path,
                action: "read it".into(),
                cause: text().into(),
                help: text().into(),
            },
            Error::Cancelled,
            Error::Internal(text()),
        ];
        let is_mark = |c: char| ('\u{fdd0}'..='\u{fdef}').contains(&c);
        let mut shown: Vec<String> = Vec::new();
        for error in &errors {
            shown.extend([error.to_string(), format!("{error:?}")]);
            match error {
                Error::Data(data) => shown.extend([&data.problem, &data.help].map(Text::to_string)),
                Error::Option { option, problem, help } => {
                    shown.extend([option, problem, help].map(Text::to_string));
                }
                Error::File { cause, help, .. } => {
                    shown.extend([cause.to_string(), help.to_string()]);
                }
                Error::Cancelled | Error::Internal(_) => {}
            }
        }
        let warning = crate::Warning::new("constant-features", text());
        shown.extend([
            warning.to_string(),
            format!("{warning:?}"),
            format!("{:?}", warning.text()),
        ]);
        for text in shown {
            assert!(!text.contains(is_mark), "{text:?}");
        }
        assert_eq!(warning.to_string(), "first\nuse `seed=1`, or stop");
    }

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
