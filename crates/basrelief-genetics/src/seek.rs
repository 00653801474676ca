//! Random access to files of genotypes.

use std::fs::File;
use std::io::{Cursor, Read, Seek};

use basrelief::Result;
use basrelief_io::Source;

/// A source with random access.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// The file from its start.
///
/// # Errors
/// It cannot be opened any more.
pub(crate) fn read_seek<'s>(source: &'s Source<'_>) -> Result<Box<dyn ReadSeek + 's>> {
    Ok(match source.held() {
        Some(bytes) => Box::new(Cursor::new(bytes)),
        None => Box::<File>::new(source.file()?),
    })
}
