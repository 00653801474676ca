//! Writing files, completely or not at all.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use basrelief::data::{MISSING_CODE, MISSING_GENOTYPE, Table, Target, Values};
use basrelief::error::Cause;
use basrelief::wording::setting;
use basrelief::{DataError, Error, Result, Run};
use flate2::Compression;
use flate2::write::GzEncoder;

pub(crate) fn cannot(path: &Path, action: &str, cause: impl Into<Cause>, help: &str) -> Error {
    Error::File {
        path: path.to_path_buf(),
        action: action.to_string(),
        cause: cause.into(),
        help: help.into(),
    }
}

const OPEN: &str = "open it for writing";
pub(crate) const WRITE: &str = "write it";
pub(crate) const SPACE_HELP: &str = "check the space left on the disk and the permissions";

/// A file that appears under its name only when it is complete.
///
/// The content is written to a temporary file in the same folder. [`commit`](Self::commit) renames it, and dropping it
/// without a commit removes it. An existing file is replaced; its permissions are kept, and a link is followed. Devices
/// and pipes, such as `/dev/stdout`, are written directly.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    writer: Option<BufWriter<File>>,
    temporary: Option<PathBuf>,
}

impl AtomicFile {
    /// Opens the temporary file.
    ///
    /// # Errors
    /// The errors of [`check_writable`].
    pub fn create(path: &Path) -> Result<Self> {
        let existing = examine(path)?;
        let whole = |writer, temporary| Self {
            // Renaming onto a link would replace the link.
            path: fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()),
            writer: Some(BufWriter::with_capacity(1 << 16, writer)),
            temporary,
        };
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = OpenOptions::new()
                .write(true)
                .open(path)
                .map_err(|cause| cannot(path, OPEN, cause, "check the permissions"))?;
            return Ok(whole(file, None));
        }
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let (file, temporary) = create_beside(&target).map_err(|cause| {
            cannot(path, OPEN, cause, "choose a folder that you may write to, with space left")
        })?;
        if let Some(metadata) = existing {
            // A failure is ignored, because some file systems have no permissions.
            let _ = fs::set_permissions(&temporary, metadata.permissions());
        }
        Ok(whole(file, Some(temporary)))
    }

    /// Renames the complete file to its final name.
    ///
    /// # Errors
    /// The last bytes could not be written, or the file could not be renamed. The temporary file is removed.
    pub fn commit(mut self) -> Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer
            .into_inner()
            .map_err(|cause| cannot(&self.path, WRITE, cause.into_error(), SPACE_HELP))?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        file.sync_all().map_err(|cause| cannot(&self.path, WRITE, cause, SPACE_HELP))?;
        fs::rename(temporary, &self.path)
            .map_err(|cause| cannot(&self.path, WRITE, cause, SPACE_HELP))?;
        // The file is closed after the renaming, because its lock marks the temporary file as in use.
        drop(file);
        self.temporary = None;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            // `into_parts` prevents the buffer from being written when it is dropped.
            drop(self.writer.take().map(BufWriter::into_parts));
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Checks that a file can be written, for use before a long computation. Does not change the file. Removes temporary
/// files of killed runs from the folder.
///
/// # Errors
/// [`Error::File`] if the name is empty or is that of a folder, the folder does not exist or is not writable, or the
/// file is write-protected.
pub fn check_writable(path: &Path) -> Result<()> {
    match examine(path)? {
        Some(metadata) if !metadata.is_file() => Ok(()),
        _ => {
            AtomicFile::create(path).map(drop)?;
            remove_abandoned(folder_of(path));
            Ok(())
        }
    }
}

/// Refuses to replace a regular file, unless `replace` is true. Devices and pipes may always be written.
///
/// # Errors
/// [`Error::File`]: the file exists.
pub fn check_replaceable(path: &Path, replace: bool) -> Result<()> {
    if replace || !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    Err(Error::File {
        path: path.to_path_buf(),
        action: "write it".to_string(),
        cause: "the file exists".into(),
        help: format!("name another file, or replace it with {}", setting("force", None)).into(),
    })
}

/// Returns the metadata of an existing file, or an error if the file cannot be written.
fn examine(path: &Path) -> Result<Option<fs::Metadata>> {
    if path.as_os_str().is_empty() {
        return Err(cannot(path, OPEN, "the name is empty", "give a file name"));
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            Err(cannot(path, OPEN, "it is a folder", "add a file name to it"))
        }
        Ok(metadata) if metadata.is_file() && metadata.permissions().readonly() => {
            Err(cannot(path, OPEN, "the file is write-protected", "choose another name"))
        }
        Ok(metadata) => Ok(Some(metadata)),
        Err(_) => {
            let Some(name) = path.file_name() else {
                return Err(cannot(path, OPEN, "it has no file name", "add a file name to it"));
            };
            let folder = folder_of(path);
            if !folder.is_dir() {
                return Err(cannot(
                    path,
                    OPEN,
                    format!("there is no folder {}", folder.display()),
                    "create the folder, or choose another",
                ));
            }
            if path.to_string_lossy().ends_with(std::path::MAIN_SEPARATOR) {
                return Err(cannot(
                    path,
                    OPEN,
                    format!("there is no folder {}", name.to_string_lossy()),
                    "create the folder and add a file name to it",
                ));
            }
            Ok(None)
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        // The name of the target is not included, because a long name could become too long.
        let name = format!(".basrelief-{}-{number}.tmp", std::process::id());
        let temporary = folder_of(path).join(name);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            // Another process may consider a file without a lock abandoned, and remove it.
            Ok(file) => match file.try_lock() {
                Err(TryLockError::WouldBlock) => {}
                _ if !temporary.exists() => {}
                _ => return Ok((file, temporary)),
            },
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
            Err(cause) => return Err(cause),
        }
    }
}

/// Whether a file name is that of a temporary file of this program.
pub fn is_temporary(name: &OsStr) -> bool {
    let numbers =
        name.to_str().and_then(|name| name.strip_prefix(".basrelief-")?.strip_suffix(".tmp"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Removes the temporary files of killed runs from a folder: those that no process has open.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        remove_if_abandoned(&entry.path());
    }
}

/// Removes a temporary file that no process has open. A file that cannot be locked may be in use.
fn remove_if_abandoned(temporary: &Path) {
    if !fs::symlink_metadata(temporary).is_ok_and(|metadata| metadata.is_file()) {
        return;
    }
    // The lock is kept until the file is removed.
    if let Ok(file) = OpenOptions::new().write(true).open(temporary)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(temporary);
    }
}

/// Checks that [`write_table`] can write a file, for use before a long computation. Does not change the file.
///
/// # Errors
/// The errors of [`check_writable`]; the extension is not `.csv`, `.csv.gz`, `.parquet` or `.npy`, or it is `.parquet`
/// and this build does not support Parquet.
pub fn check_output(path: &Path) -> Result<()> {
    ending(path)?;
    check_writable(path)
}

/// Returns the error for a failed write.
pub(crate) fn write_failed(path: &Path, cause: io::Error) -> Error {
    cannot(path, WRITE, cause, SPACE_HELP)
}

/// The formats of [`write_table`].
enum Ending {
    Csv,
    #[cfg(feature = "parquet")]
    Parquet,
    Npy,
}

fn ending(path: &Path) -> Result<Ending> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    if name.ends_with(".csv") || name.ends_with(".csv.gz") {
        return Ok(Ending::Csv);
    }
    #[cfg(feature = "parquet")]
    if name.ends_with(".parquet") {
        return Ok(Ending::Parquet);
    }
    if name.ends_with(".npy") {
        return Ok(Ending::Npy);
    }
    let known = if cfg!(feature = "parquet") {
        ".csv, .csv.gz, .parquet and .npy"
    } else {
        ".csv, .csv.gz and .npy (this basrelief was built without Parquet)"
    };
    Err(cannot(
        path,
        "write a table to it",
        "its extension does not specify a format",
        &format!("the supported extensions are {known}"),
    ))
}

/// Writes a table in the format of the extension: CSV as [`write_csv`], Parquet (numbers, categories as strings,
/// genotypes as bytes, missing values as null), or a `.npy` matrix of numbers (missing values as NaN). The file
/// appears only when it is complete.
///
/// # Errors
/// The errors of [`check_output`]; a table with categories cannot be written as `.npy`; the run was cancelled.
pub fn write_table(path: &Path, table: &Table<'_>, run: &Run) -> Result<()> {
    let write: fn(&mut AtomicFile, &Table<'_>, &Run) -> Result<io::Result<()>> = match ending(path)?
    {
        Ending::Csv => return write_csv(path, table, None, run),
        #[cfg(feature = "parquet")]
        Ending::Parquet => crate::parquet::write,
        Ending::Npy => crate::npy::write,
    };
    let mut file = AtomicFile::create(path)?;
    write(&mut file, table, run)
        .map_err(|error| error.in_file(path))?
        .map_err(|cause| cannot(path, WRITE, cause, SPACE_HELP))?;
    file.commit()
}

/// Writes a table, and a target as the last column, as CSV with a header, compressed with gzip if the name ends with
/// `.gz`. The file appears only when it is complete.
///
/// Numbers are written such that reading restores the same bits, genotypes as 0, 1 and 2, missing values as empty
/// cells, and categories as their texts. Reading removes white space around texts, and treats texts for which
/// [`basrelief::data::is_missing_text`] is true as missing.
///
/// # Errors
/// The file cannot be written, the target has another number of rows than the table, or the
/// run was cancelled.
pub fn write_csv(
    path: &Path,
    table: &Table<'_>,
    target: Option<(&str, &Target)>,
    run: &Run,
) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let failed = |error: WriteError| match error {
        WriteError::Io(cause) => cannot(path, WRITE, cause, SPACE_HELP),
        WriteError::Other(error) => error,
    };
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        let mut encoder = GzEncoder::new(&mut file, Compression::default());
        write_records(&mut encoder, table, target, run).map_err(failed)?;
        encoder.finish().map_err(|cause| cannot(path, WRITE, cause, SPACE_HELP))?;
    } else {
        write_records(&mut file, table, target, run).map_err(failed)?;
    }
    file.commit()
}

/// Writes a table as [`write_csv`] does, uncompressed to any writer, for example standard output.
///
/// # Errors
/// The errors of [`write_csv`]; an error of the writer is an [`Error::File`] with the path `standard output`.
pub fn write_csv_to(
    writer: impl Write,
    table: &Table<'_>,
    target: Option<(&str, &Target)>,
    run: &Run,
) -> Result<()> {
    write_records(writer, table, target, run).map_err(|error| match error {
        WriteError::Io(cause) => {
            cannot(Path::new("standard output"), WRITE, cause, "check the program that reads it")
        }
        WriteError::Other(error) => error,
    })
}

enum WriteError {
    Io(io::Error),
    Other(Error),
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        WriteError::Other(error)
    }
}

impl From<::csv::Error> for WriteError {
    fn from(error: ::csv::Error) -> Self {
        WriteError::Io(match error.into_kind() {
            ::csv::ErrorKind::Io(cause) => cause,
            other => io::Error::other(format!("{other:?}")),
        })
    }
}

fn write_records(
    writer: impl Write,
    table: &Table<'_>,
    target: Option<(&str, &Target)>,
    run: &Run,
) -> std::result::Result<(), WriteError> {
    let rows = match target {
        Some((name, target)) if table.width() > 0 && target.rows() != table.rows() => {
            let problem = format!("{} target values for {} rows", target.rows(), table.rows());
            let error = DataError::new(problem, "give one value per row").in_column(name);
            return Err(Error::from(error).into());
        }
        Some((_, target)) => target.rows(),
        None => table.rows(),
    };
    let of_target = target.map_or(Ok(Vec::new()), |(name, target)| target.columns(name))?;
    let columns = || table.columns().iter().chain(&of_target);
    let mut out = ::csv::Writer::from_writer(writer);
    for column in columns() {
        out.write_field(column.name())?;
    }
    out.write_record(None::<&[u8]>)?;
    for row in 0..rows {
        if row % 64 == 0 {
            run.check()?;
        }
        for column in columns() {
            match column.values() {
                Values::Numeric(values) => out.write_field(number(values.get(row)))?,
                Values::Categorical(values) => match values.codes()[row] {
                    MISSING_CODE => out.write_field("")?,
                    code => out.write_field(&values.levels()[code as usize])?,
                },
                Values::Genotype(genotypes) => match genotypes.get(row) {
                    MISSING_GENOTYPE => out.write_field("")?,
                    code => out.write_field(code.to_string())?,
                },
            }
        }
        out.write_record(None::<&[u8]>)?;
    }
    out.flush().map_err(WriteError::Io)
}

/// Returns the shortest decimal from which the same bits can be read; empty if the number is missing.
fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        String::new()
    } else if size == 0.0 || (1e-5..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_are_known_by_their_names_alone() {
        for name in [".basrelief-1-0.tmp", ".basrelief-4194304-12.tmp"] {
            assert!(is_temporary(OsStr::new(name)), "{name}");
        }
        for name in [
            ".basrelief--0.tmp",
            ".basrelief-1.tmp",
            ".basrelief-1-a.tmp",
            "basrelief-1-0.tmp",
            ".basrelief-1-0",
        ] {
            assert!(!is_temporary(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn abandoned_files_are_removed_and_those_in_use_are_not() {
        let place = tempfile::tempdir().unwrap();
        let abandoned = place.path().join(".basrelief-1-0.tmp");
        let own = place.path().join("notes.tmp");
        fs::write(&abandoned, "half").unwrap();
        fs::write(&own, "whole").unwrap();
        let mut file = AtomicFile::create(&place.path().join("a.csv")).unwrap();
        file.write_all(b"1\n").unwrap();
        remove_abandoned(place.path());
        assert!(!abandoned.exists() && own.exists());
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(place.path().join("a.csv")).unwrap(), "1\n");
    }
}
