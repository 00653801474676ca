//! Text files of PLINK: lines of fields with spaces or tabs between them.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use basrelief::{DataError, Error, Result, Run};

use basrelief_io::Source;

/// The longest line that is read: a file that is no text may have no line end at all.
const MOST_BYTES: u64 = 1 << 26;

/// Lines between two looks at the cancellation flag.
const CHECK_LINES: u64 = 1 << 12;

/// Hands the fields of every line that is not empty to `take`, with the number of the line, from 1 on.
///
/// # Errors
/// The file cannot be read or is no text; what `take` refuses, with the file and the line added;
/// [`Error::Cancelled`].
pub(crate) fn each_line(
    path: &Path,
    run: &Run,
    mut take: impl FnMut(u64, &[&str]) -> std::result::Result<(), DataError>,
) -> Result<()> {
    let source = Source::open(path, run)?;
    let mut reader = BufReader::with_capacity(1 << 17, source.text(None)?);
    let mut bytes = Vec::new();
    for number in 1.. {
        if number % CHECK_LINES == 0 {
            run.check()?;
        }
        bytes.clear();
        let read = (&mut reader).take(MOST_BYTES).read_until(b'\n', &mut bytes);
        if read.map_err(|cause| source.read_error(cause))? == 0 {
            break;
        }
        let located = |error: DataError| -> Error { source.place(error.at_line(number)) };
        if bytes.len() as u64 == MOST_BYTES {
            let problem = "the line does not end: the file is no text of PLINK";
            return Err(located(DataError::new(problem, "name the text file that belongs here")));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            let problem = "bytes that are no text in UTF-8";
            located(DataError::new(problem, "name a text file, or save it as UTF-8"))
        })?;
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        if !fields.is_empty() {
            take(number, &fields).map_err(located)?;
        }
    }
    Ok(())
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
