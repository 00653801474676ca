//! Files that the program keeps for itself and reads back: plans, parts, finished cells.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{BufReader, Read, Write};
use std::path::Path;

use basrelief::{Checksum, Error, Result};

use crate::AtomicFile;
use crate::write::{WRITE, cannot, remove_if_abandoned, write_failed};

const NO_FILE: &str = "it is a pipe, a device or a folder, not a file";

/// Reads a file of bytes. Anything but a regular file is refused: a pipe would wait for a writer.
///
/// # Errors
/// The cause, in words.
pub fn read_own_bytes(path: &Path) -> std::result::Result<Vec<u8>, String> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(NO_FILE.to_string()),
        Ok(_) => fs::read(path).map_err(|cause| cause.to_string()),
        Err(cause) => Err(cause.to_string()),
    }
}

/// Reads a file of text; as [`read_own_bytes`].
///
/// # Errors
/// The cause, in words.
pub fn read_own_file(path: &Path) -> std::result::Result<String, String> {
    String::from_utf8(read_own_bytes(path)?).map_err(|_| "it is not UTF-8: it is damaged".into())
}

/// Writes a file whole or not at all; nothing but a regular file is replaced.
///
/// # Errors
/// It cannot be written; a pipe, a device or a folder has its name.
pub fn write_own_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(cannot(path, WRITE, NO_FILE, "remove it and run the command again"));
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|cause| write_failed(path, cause))?;
    file.commit()
}

/// Locks a folder for this process, until the file that is returned is dropped. There is none on systems that
/// lock no folders.
///
/// # Errors
/// Another process holds the lock: the cause, in words.
pub fn lock_folder(path: &Path) -> std::result::Result<Option<File>, &'static str> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => {
            Err("another run of basrelief is using it: wait until that ends")
        }
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Whether a file has the name of a temporary file of this program.
pub fn is_temporary(name: &OsStr) -> bool {
    let numbers =
        name.to_str().and_then(|name| name.strip_prefix(".basrelief-")?.strip_suffix(".tmp"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Removes the temporary files of runs that were killed: those in a folder which no process has open.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        remove_if_abandoned(&entry.path());
    }
}

/// The checksum of a file.
///
/// # Errors
/// It cannot be read.
pub fn checksum_of_file(path: &Path) -> Result<Checksum> {
    let unreadable = |cause: std::io::Error| Error::File {
        path: path.to_path_buf(),
        action: "read it".to_string(),
        cause: cause.to_string(),
        help: "is it still there?".to_string(),
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
        assert_eq!(of_file, Checksum::of(b"abc").to_string());
        assert!(checksum_of_file(&place.path().join("none")).is_err());
    }
}
