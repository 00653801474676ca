//! Opening files: checks of the path, decompression, and progress in bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use basrelief::error::{Cause, nearest_name};
use basrelief::wording::quoted;
use basrelief::{DataError, Error, Result, Run};
use flate2::bufread::MultiGzDecoder;

use crate::blocked_gzip::{BlockedReader, is_blocked};

/// The path that means standard input.
pub const STANDARD_INPUT: &str = "-";

/// The maximum number of files in a folder that are considered for a suggestion.
const MAX_NAMES: usize = 10_000;

/// The number of bytes read from a pipe after which the memory limit is checked again.
const PIPE_BYTES: u64 = 1 << 24;

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zstandard,
}

/// The byte order mark that some programs write at the start of a UTF-8 text.
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The first bytes of a Zstandard file.
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// An existing, non-empty file, or the content of a pipe.
pub struct Source<'r> {
    path: PathBuf,
    run: &'r Run,
    /// The size of the file on disk in bytes.
    size: u64,
    packing: Packing,
    /// The content of a pipe, which cannot be read twice.
    held: Option<Arc<Vec<u8>>>,
}

impl<'r> Source<'r> {
    /// Opens a file, or standard input if the path is `-`. A pipe is read completely.
    ///
    /// # Errors
    /// The file does not exist, is a folder, is empty, or cannot be read.
    pub fn open(path: &Path, run: &'r Run) -> Result<Self> {
        let fail = |cause: Cause, help: String| Error::File {
            path: path.to_path_buf(),
            action: "open it for reading".to_string(),
            cause,
            help: help.into(),
        };
        if path == Path::new(STANDARD_INPUT) {
            return Self::standard_input(run);
        }
        if path.as_os_str().is_empty() {
            return Err(fail("the name is empty".into(), "give a file name".to_string()));
        }
        let metadata = std::fs::metadata(path).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => fail("there is no such file".into(), hint(path)),
            _ => fail(cause.into(), "check the path and its permissions".to_string()),
        })?;
        if metadata.is_dir() {
            return Err(fail("it is a folder".into(), "give a file inside it".to_string()));
        }
        let mut source = Self {
            path: path.to_path_buf(),
            run,
            size: metadata.len(),
            packing: packing_of_name(path),
            held: None,
        };
        let mut file = File::open(path)
            .map_err(|cause| fail(cause.into(), "check the permissions".to_string()))?;
        if !metadata.is_file() {
            let bytes = source.read_whole(&mut file)?;
            source.size = bytes.len() as u64;
            source.held = Some(Arc::new(bytes));
        }
        source.examined()
    }

    /// Returns the content of standard input, which is read only once per process.
    fn standard_input(run: &'r Run) -> Result<Self> {
        static CONTENT: Mutex<Option<Arc<Vec<u8>>>> = Mutex::new(None);
        let path = PathBuf::from("standard input");
        let mut source = Self { path, run, size: 0, packing: Packing::None, held: None };
        let mut content = CONTENT.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match &*content {
            Some(bytes) => bytes.clone(),
            None => {
                let bytes = source.read_whole(&mut io::stdin().lock())?;
                content.insert(Arc::new(bytes)).clone()
            }
        };
        source.size = bytes.len() as u64;
        source.held = Some(bytes);
        source.examined()
    }

    /// Reads all bytes of a pipe.
    ///
    /// # Errors
    /// The pipe cannot be read, or its content needs more memory than the run may use.
    fn read_whole(&self, pipe: &mut dyn Read) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let read = pipe.take(PIPE_BYTES).read_to_end(&mut bytes);
            if read.map_err(|cause| self.read_error(cause))? == 0 {
                return Ok(bytes);
            }
            self.run.check()?;
            // A growing vector needs twice its size for a moment.
            let what = format!("storing {}", basrelief::wording::clean_path(&self.path));
            let instead = "give a file instead of a pipe";
            self.run.memory().claim(2 * bytes.len() as u64, &what, instead)?;
        }
    }

    /// The same file with another content, which was made of its own.
    pub(crate) fn with_text(&self, text: Vec<u8>) -> Self {
        Self {
            path: self.path.clone(),
            run: self.run,
            size: text.len() as u64,
            packing: Packing::None,
            held: Some(Arc::new(text)),
        }
    }

    /// Refuses an empty file, and detects the compression.
    fn examined(mut self) -> Result<Self> {
        if self.size == 0 {
            return Err(self.data("the file is empty (0 bytes)", EMPTY_HELP));
        }
        if self.packing == Packing::None {
            let mut magic = Vec::new();
            self.raw()?.take(4).read_to_end(&mut magic).map_err(|cause| self.read_error(cause))?;
            if magic.starts_with(&[0x1f, 0x8b]) {
                self.packing = Packing::Gzip;
            } else if magic == ZSTANDARD {
                self.packing = Packing::Zstandard;
            }
        }
        Ok(self)
    }

    /// The path of the file, or the name of the source for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run that reads the file.
    pub fn run(&self) -> &'r Run {
        self.run
    }

    /// The size of the file on disk in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns a reader of the file without decompression.
    fn raw(&self) -> Result<Box<dyn Read + '_>> {
        match &self.held {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => Ok(Box::new(self.file()?)),
        }
    }

    /// Opens the file, for formats that need random access.
    ///
    /// # Errors
    /// The file can no longer be opened.
    pub fn file(&self) -> Result<File> {
        File::open(&self.path).map_err(|cause| self.read_error(cause))
    }

    /// The content in memory, if the source is a pipe.
    pub fn held(&self) -> Option<&[u8]> {
        self.held.as_deref().map(Vec::as_slice)
    }

    /// Returns a reader of the decompressed text without a byte order mark. Its progress is reported as a stage called
    /// `stage`.
    ///
    /// # Errors
    /// The file can no longer be opened, or its start cannot be read.
    pub fn text(&self, stage: Option<&str>) -> Result<Box<dyn Read + '_>> {
        let counted = Counted::new(self.raw()?, self.run, stage, self.size);
        let mut text: Box<dyn Read + '_> = match self.packing {
            Packing::None => Box::new(counted),
            Packing::Gzip => {
                let mut packed = BufReader::with_capacity(1 << 17, counted);
                let start = packed.fill_buf().map_err(|cause| self.read_error(cause))?;
                match is_blocked(start) {
                    true => Box::new(BlockedReader::new(packed, self.run)),
                    false => Box::new(MultiGzDecoder::new(packed)),
                }
            }
            Packing::Zstandard => self.zstandard_reader(counted)?,
        };
        let mut start = Vec::with_capacity(BYTE_ORDER_MARK.len());
        let read = text.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start);
        read.map_err(|cause| self.read_error(cause))?;
        if start == BYTE_ORDER_MARK {
            start.clear();
        }
        Ok(Box::new(Cursor::new(start).chain(text)))
    }

    /// Returns a reader that decompresses Zstandard.
    ///
    /// # Errors
    /// The decoder cannot be created, or this build does not support Zstandard.
    #[cfg(feature = "zstd")]
    fn zstandard_reader<'s>(&self, bytes: impl Read + 's) -> Result<Box<dyn Read + 's>> {
        let decoder = zstd::stream::read::Decoder::new(bytes);
        Ok(Box::new(decoder.map_err(|cause| self.read_error(cause))?))
    }

    #[cfg(not(feature = "zstd"))]
    fn zstandard_reader<'s>(&self, _: impl Read + 's) -> Result<Box<dyn Read + 's>> {
        let problem = "it is compressed with Zstandard, which this build does not support";
        let name = basrelief::wording::clean_path(&self.path);
        Err(self.data(problem, &format!("decompress it: zstd -d {name}")))
    }

    /// Returns the name of the reading stage: `reading FILE`.
    pub fn stage(&self, what: &str) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        format!("reading {what}{}", name.to_string_lossy())
    }

    /// Returns the error for a failed read.
    pub fn read_error(&self, cause: io::Error) -> Error {
        if self.run.check().is_err() {
            return Error::Cancelled;
        }
        let packing = match self.packing {
            Packing::None => {
                let help = "check the disk and the permissions";
                return self.file_error("read it", cause, help);
            }
            Packing::Gzip => "gzip",
            Packing::Zstandard => "Zstandard",
        };
        let help = format!(
            "the file is damaged, truncated or not {packing}: download or compress it again"
        );
        self.file_error("decompress it", cause, &help)
    }

    /// Returns an error about an action on the file.
    pub fn file_error(&self, action: &str, cause: impl Into<Cause>, help: &str) -> Error {
        Error::File {
            path: self.path.clone(),
            action: action.to_string(),
            cause: cause.into(),
            help: help.into(),
        }
    }

    /// Returns a data error about the complete file.
    pub fn data(&self, problem: &str, help: &str) -> Error {
        self.place(DataError::new(problem, help))
    }

    /// Adds the file to a data error.
    pub fn place(&self, error: DataError) -> Error {
        error.in_file(&self.path).into()
    }
}

/// The help for an empty file.
pub(crate) const EMPTY_HELP: &str = "give a file with a header line and data rows";

fn packing_of_name(path: &Path) -> Packing {
    let is = |ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    match () {
        () if is("gz") => Packing::Gzip,
        () if is("zst") => Packing::Zstandard,
        () => Packing::None,
    }
}

/// Returns the help for a missing file: the most similar name in the same folder.
fn hint(path: &Path) -> String {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("there is no folder {} either: check the path", folder.display());
    };
    let mut names: Vec<String> = entries
        .take(MAX_NAMES)
        .flatten()
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    // Extensions are ignored, because most files share them.
    let stem = |name: &str| Path::new(name).file_stem().map(|s| s.to_string_lossy().into_owned());
    let stems: Vec<String> = names.iter().map(|name| stem(name).unwrap_or_default()).collect();
    let wanted = path.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
    let near = nearest_name(&wanted, stems.iter().map(String::as_str));
    match near.and_then(|near| names.iter().find(|name| stem(name).as_deref() == Some(near))) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None => "check the path".to_string(),
    }
}

/// A reader that reports its progress, and stops when the run is cancelled.
pub(crate) struct Counted<'r, R> {
    inner: R,
    run: &'r Run,
    reported: bool,
}

impl<'r, R> Counted<'r, R> {
    pub(crate) fn new(inner: R, run: &'r Run, stage: Option<&str>, size: u64) -> Self {
        if let Some(stage) = stage {
            run.progress().start(stage, size);
        }
        Self { inner, run, reported: stage.is_some() }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.run.check().is_err() {
            return Err(io::Error::other("interrupted"));
        }
        let count = self.inner.read(buffer)?;
        if self.reported {
            self.run.progress().advance(count as u64);
        }
        Ok(count)
    }
}

/// Skipped bytes are not counted.
impl<R: Seek> Seek for Counted<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

impl<R> Drop for Counted<'_, R> {
    fn drop(&mut self) {
        if self.reported {
            self.run.progress().finish();
        }
    }
}
