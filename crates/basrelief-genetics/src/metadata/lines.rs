//! Text files: lines of bounded length, and the fields of PLINK's files, with spaces or tabs between them.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use basrelief::{DataError, Error, Result, Run};

use basrelief_io::Source;

/// The longest line that is read: a file that is not a text may have no line end at all.
const MOST_BYTES: u64 = 1 << 26;

/// The most fields of a line.
const MOST_FIELDS: usize = 1 << 22;

/// Bytes that are kept between two looks at the memory.
const STEP: u64 = 1 << 20;

/// Lines between two looks at the cancellation flag.
const CHECK_LINES: u64 = 1 << 12;

/// Reads the lines of a text one after the other.
pub(crate) struct Lines<'s> {
    source: &'s Source<'s>,
    reader: BufReader<Box<dyn Read + 's>>,
    /// The number of the last line, from 1 on.
    number: u64,
    /// Bytes in memory that the caller keeps of the lines so far, and up to how many there is known to be room.
    kept: u64,
    allowed: u64,
}

impl<'s> Lines<'s> {
    /// Opens the text; its progress is reported as a stage of that name.
    ///
    /// # Errors
    /// The file cannot be opened any more.
    pub(crate) fn open(source: &'s Source<'s>, stage: Option<&str>) -> Result<Self> {
        let reader = BufReader::with_capacity(1 << 17, source.text(stage)?);
        Ok(Self { source, reader, number: 0, kept: 0, allowed: 0 })
    }

    /// The number of the last line, from 1 on.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Appends the next line with its end; `false` where there is none.
    ///
    /// # Errors
    /// The file cannot be read, or the line is too long.
    pub(crate) fn next(&mut self, bytes: &mut Vec<u8>) -> Result<bool> {
        let read = (&mut self.reader).take(MOST_BYTES).read_until(b'\n', bytes);
        let read = read.map_err(|cause| self.source.read_error(cause))?;
        self.number += u64::from(read > 0);
        if read as u64 == MOST_BYTES && bytes.last() != Some(&b'\n') {
            let problem = format!("the line is longer than {MOST_BYTES} bytes");
            let help = "name the text file that belongs here, or correct the line";
            return Err(self.located(self.number, DataError::new(problem, help)));
        }
        Ok(read > 0)
    }

    /// Counts bytes in memory that the caller keeps of a line.
    ///
    /// # Errors
    /// All lines together take more memory than the run may use.
    pub(crate) fn keep(&mut self, bytes: u64) -> Result<()> {
        self.kept += bytes;
        if self.kept <= self.allowed {
            return Ok(());
        }
        self.allowed = self.kept + STEP;
        let what = format!("reading {}", name_of(self.source.path()));
        let instead = "check that it is the right file, split it by chromosomes or people";
        self.source.run().memory().claim(self.allowed, &what, instead)
    }

    /// Adds the file and a line to an error.
    pub(crate) fn located(&self, line: u64, error: DataError) -> Error {
        self.source.place(error.at_line(line))
    }
}

/// Hands the fields of every line that is not empty to `take`, with the number of the line, from 1 on. `take` returns
/// how many bytes in memory it keeps of the line.
///
/// # Errors
/// The file cannot be read or is not a text; what `take` refuses, with the file and the line added; what `take` keeps
/// needs more memory than the run may use; [`Error::Cancelled`].
pub(crate) fn each_line(
    path: &Path,
    run: &Run,
    mut take: impl FnMut(u64, &[&str]) -> std::result::Result<u64, DataError>,
) -> Result<()> {
    let source = Source::open(path, run)?;
    let mut lines = Lines::open(&source, None)?;
    let mut bytes = Vec::new();
    while lines.next(&mut bytes)? {
        let number = lines.number();
        if number % CHECK_LINES == 0 {
            run.check()?;
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            let problem = "bytes that are not text in UTF-8";
            lines.located(number, DataError::new(problem, "name a text file, or save it as UTF-8"))
        })?;
        let fields: Vec<&str> = text.split_ascii_whitespace().take(MOST_FIELDS + 1).collect();
        if fields.len() > MOST_FIELDS {
            let problem = format!("the line has more than {MOST_FIELDS} fields");
            let help = "name the text file that belongs here, or break the line";
            return Err(lines.located(number, DataError::new(problem, help)));
        }
        if !fields.is_empty() {
            let kept = take(number, &fields).map_err(|error| lines.located(number, error))?;
            lines.keep(kept)?;
        }
        bytes.clear();
    }
    Ok(())
}

/// Bytes in memory of a line of which several short texts are kept, and what is looked up by them: so many besides the
/// text itself.
pub(crate) fn kept_of(besides: u64, fields: &[&str]) -> u64 {
    besides + 2 * fields.iter().map(|field| field.len() as u64).sum::<u64>()
}

/// Whether a line is a comment, or the header of another kind of file, as PLINK skips them.
pub(crate) fn is_comment(fields: &[&str]) -> bool {
    fields[0].starts_with('#')
}

/// A file's name, for messages about what it holds.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    basrelief::wording::clean_path(Path::new(name))
}

/// A number, and what there is one or several of.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
