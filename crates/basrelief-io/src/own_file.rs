//! Files that the program writes for its own use and reads back: plans, parts, finished cells.

use std::fs::{self, File, TryLockError};
use std::io::{BufReader, Read, Write};
use std::path::Path;

use basrelief::{Checksum, Error, Result};

use crate::AtomicFile;
use crate::write::{WRITE, cannot, write_failed};

const NO_FILE: &str = "it is a pipe, a device or a folder, not a file";

/// Reads the bytes of a regular file. Other files are refused, because a pipe would wait for a writer.
///
/// # Errors
/// The file cannot be read; the error is the cause, as text.
pub fn read_own_bytes(path: &Path) -> std::result::Result<Vec<u8>, String> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(NO_FILE.to_string()),
        Ok(_) => fs::read(path).map_err(|cause| cause.to_string()),
        Err(cause) => Err(cause.to_string()),
    }
}

/// Reads the text of a regular file.
///
/// # Errors
/// The errors of [`read_own_bytes`], or the text is not valid UTF-8.
pub fn read_own_file(path: &Path) -> std::result::Result<String, String> {
    String::from_utf8(read_own_bytes(path)?).map_err(|_| "it is not UTF-8: it is damaged".into())
}

/// Writes a file completely or not at all. Only a regular file is replaced.
///
/// # Errors
/// The file cannot be written; a pipe, a device or a folder has its name.
pub fn write_own_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(cannot(path, WRITE, NO_FILE, "remove it and run the command again"));
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|cause| write_failed(path, cause))?;
    file.commit()
}

/// Locks a folder for this process, until the returned file is dropped. Returns `None` on systems that cannot lock
/// folders.
///
/// # Errors
/// Another process has locked the folder; the error is the cause, as text.
pub fn lock_folder(path: &Path) -> std::result::Result<Option<File>, &'static str> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => {
            Err("another run of basrelief is using it: wait until it ends")
        }
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Computes the checksum of a file.
///
/// # Errors
/// The file cannot be read.
pub fn checksum_of_file(path: &Path) -> Result<Checksum> {
    let unreadable = |cause: std::io::Error| Error::File {
        path: path.to_path_buf(),
        action: "read it".to_string(),
        cause: cause.into(),
        help: "check that it still exists".into(),
    };
    let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut checksum = Checksum::default();
    let mut bytes = [0; 1 << 16];
    loop {
        match file.read(&mut bytes).map_err(unreadable)? {
            0 => return Ok(checksum),
            count => checksum.add(&bytes[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_at_a_time_locks_a_folder() {
        let place = tempfile::tempdir().unwrap();
        let first = lock_folder(place.path()).unwrap();
        if first.is_some() {
            let cause = lock_folder(place.path()).unwrap_err();
            assert!(cause.contains("another run of basrelief"), "{cause}");
        }
        drop(first);
        assert!(lock_folder(place.path()).is_ok());
    }

    #[test]
    fn the_checksum_of_a_file_is_that_of_its_bytes() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a");
        fs::write(&path, "abc").unwrap();
        let of_file = checksum_of_file(&path).unwrap().to_string();
        assert_eq!(of_file, Checksum::from_bytes(b"abc").to_string());
        assert!(checksum_of_file(&place.path().join("none")).is_err());
    }
}
