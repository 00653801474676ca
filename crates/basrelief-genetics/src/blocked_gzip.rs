//! Blocked gzip (BGZF), which bgzip writes.

use std::io::{Read, Seek, SeekFrom};

use basrelief::Result;
use basrelief_io::Source;

/// The start of a blocked gzip (BGZF) file, and the empty block at its end.
const BGZF_START: [u8; 4] = [0x1f, 0x8b, 8, 4];
const BGZF_MARK: &[u8; 4] = b"BC\x02\x00";
const BGZF_END: [u8; 28] = [
    0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0x1b, 0, 3, 0, 0, 0, 0, 0, 0, 0,
    0, 0,
];

/// Refuses a blocked gzip file that was truncated between two blocks and therefore decompresses without an error.
///
/// # Errors
/// The last block is missing, or the file cannot be read.
pub(crate) fn check_end(source: &Source<'_>) -> Result<()> {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    match source.held() {
        Some(bytes) => {
            start.extend_from_slice(&bytes[..bytes.len().min(BGZF_END.len())]);
            end.extend_from_slice(&bytes[bytes.len().saturating_sub(BGZF_END.len())..]);
        }
        None => {
            let mut file = source.file()?;
            let length = BGZF_END.len() as u64;
            let read = Read::by_ref(&mut file).take(length).read_to_end(&mut start);
            let from = SeekFrom::Start(source.size().saturating_sub(length));
            read.and_then(|_| file.seek(from))
                .and_then(|_| file.take(length).read_to_end(&mut end))
                .map_err(|cause| source.read_error(cause))?;
        }
    }
    let is_blocked = start.starts_with(&BGZF_START) && start.get(12..16) == Some(&BGZF_MARK[..]);
    if is_blocked && end != BGZF_END {
        return Err(source.file_error(
            "decompress it",
            "the empty block at the end of blocked gzip (BGZF) is missing",
            "the file is truncated: download it again, or compress it again with bgzip",
        ));
    }
    Ok(())
}
