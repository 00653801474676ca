//! Text files: lines of bounded length, and the fields of PLINK's files, separated by spaces or tabs.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use basrelief::{DataError, Error, Result, Run};

use basrelief_io::Source;

/// The maximum length of a line in bytes. A file that is not a text file may have no line end at all.
const MOST_BYTES: u64 = 1 << 26;

/// The maximum number of fields in a line.
const MOST_FIELDS: usize = 1 << 22;

/// The number of retained bytes after which the memory limit is checked again.
const STEP: u64 = 1 << 20;

/// The number of lines after which the cancellation flag is checked again.
const CHECK_LINES: u64 = 1 << 12;

/// Reads the lines of a text file one by one.
pub(crate) struct Lines<'s> {
    source: &'s Source<'s>,
    reader: BufReader<Box<dyn Read + 's>>,
    /// The number of the last line, counted from 1.
    number: u64,
    /// The number of bytes that the caller has retained from the lines so far, and the number already claimed from the
    /// memory limit.
    kept: u64,
    allowed: u64,
}

impl<'s> Lines<'s> {
    /// Opens the file; its progress is reported as a stage called `stage`.
    ///
    /// # Errors
    /// The file can no longer be opened.
    pub(crate) fn open(source: &'s Source<'s>, stage: Option<&str>) -> Result<Self> {
        let reader = BufReader::with_capacity(1 << 17, source.text(stage)?);
        Ok(Self { source, reader, number: 0, kept: 0, allowed: 0 })
    }

    /// The number of the last line, counted from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Appends the next line to `bytes`, with its line end. Returns `false` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, or the line is too long.
    pub(crate) fn next(&mut self, bytes: &mut Vec<u8>) -> Result<bool> {
        let read = (&mut self.reader).take(MOST_BYTES).read_until(b'\n', bytes);
        let read = read.map_err(|cause| self.source.read_error(cause))?;
        self.number += u64::from(read > 0);
        if read as u64 == MOST_BYTES && bytes.last() != Some(&b'\n') {
            let problem = format!("the line is longer than {MOST_BYTES} bytes");
            let help = "check that it is the right text file, or correct the line";
            return Err(self.located(self.number, DataError::new(problem, help)));
        }
        Ok(read > 0)
    }

    /// Replaces `bytes` with the next line and returns it as text; `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read or is not a text file, or the line is too long; [`Error::Cancelled`].
    pub(crate) fn next_text<'b>(&mut self, bytes: &'b mut Vec<u8>) -> Result<Option<&'b str>> {
        bytes.clear();
        if !self.next(bytes)? {
            return Ok(None);
        }
        if self.number.is_multiple_of(CHECK_LINES) {
            self.source.run().check()?;
        }
        std::str::from_utf8(bytes).map(Some).map_err(|_| {
            let problem = "the bytes are not valid UTF-8";
            let help = "give a text file, or save it as UTF-8";
            self.located(self.number, DataError::new(problem, help))
        })
    }

    /// Counts the bytes that the caller retains from a line.
    ///
    /// # Errors
    /// All lines together need more memory than the run may use.
    pub(crate) fn keep(&mut self, bytes: u64) -> Result<()> {
        self.kept += bytes;
        if self.kept <= self.allowed {
            return Ok(());
        }
        self.allowed = self.kept + STEP;
        let what = format!("reading {}", name_of(self.source.path()));
        let instead = "check that it is the right file, or split it by chromosomes or people";
        self.source.run().memory().claim(self.allowed, &what, instead)
    }

    /// Adds the file and a line number to an error.
    pub(crate) fn located(&self, line: u64, error: DataError) -> Error {
        self.source.place(error.at_line(line))
    }
}

/// Calls `take` with the number and the fields of each non-empty line. Line numbers start at 1. `take` returns the
/// number of bytes that it retains from the line.
///
/// # Errors
/// The file cannot be read or is not a text file; an error of `take`, with the file and the line added; the retained
/// bytes exceed the memory that the run may use; [`Error::Cancelled`].
pub(crate) fn each_line(
    path: &Path,
    run: &Run,
    mut take: impl FnMut(u64, &[&str]) -> std::result::Result<u64, DataError>,
) -> Result<()> {
    let source = Source::open(path, run)?;
    let mut lines = Lines::open(&source, None)?;
    let mut bytes = Vec::new();
    while let Some(text) = lines.next_text(&mut bytes)? {
        let number = lines.number();
        let fields: Vec<&str> = text.split_ascii_whitespace().take(MOST_FIELDS + 1).collect();
        if fields.len() > MOST_FIELDS {
            let problem = format!("the line has more than {MOST_FIELDS} fields");
            let help = "check that it is the right text file, or break the line";
            return Err(lines.located(number, DataError::new(problem, help)));
        }
        if !fields.is_empty() {
            let kept = take(number, &fields).map_err(|error| lines.located(number, error))?;
            lines.keep(kept)?;
        }
    }
    Ok(())
}

/// Returns the memory in bytes of the texts that are retained from a line, with the tables that are indexed by them.
/// `besides` is the part that does not depend on the length of the texts.
pub(crate) fn kept_of(besides: u64, fields: &[&str]) -> u64 {
    besides + 2 * fields.iter().map(|field| field.len() as u64).sum::<u64>()
}

/// Whether a line is a comment or the header of another kind of file, which PLINK skips.
pub(crate) fn is_comment(fields: &[&str]) -> bool {
    fields[0].starts_with('#')
}

/// Returns the name of a file without its folder, for messages about its content.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    basrelief::wording::clean_path(Path::new(name))
}

/// Returns a count with the singular or plural of a noun.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
