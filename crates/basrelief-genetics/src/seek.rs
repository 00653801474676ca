//! Random access to genotype files.

use std::fs::File;
use std::io::{Cursor, Read, Seek};

use basrelief::Result;
use basrelief_io::Source;

/// A source with random access.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// Opens the file at its start.
///
/// # Errors
/// The file can no longer be opened.
pub(crate) fn read_seek<'s>(source: &'s Source<'_>) -> Result<Box<dyn ReadSeek + 's>> {
    Ok(match source.held() {
        Some(bytes) => Box::new(Cursor::new(bytes)),
        None => Box::<File>::new(source.file()?),
    })
}
