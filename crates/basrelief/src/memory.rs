//! The memory limit of a run, and arrays that are stored in a file if they exceed their share of it.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use basrelief_kernels::{Mapped, Plain};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::error::{Error, Result, shorten};
use crate::wording::{Text, room_on_disk};

/// The environment variable that sets the memory limit of a run, like `--memory`.
pub(crate) const VARIABLE: &str = "BASRELIEF_MEMORY";

/// An array that needs more than this fraction (1 / `PARTS`) of the memory limit is stored in a file.
const PARTS: u64 = 4;

/// Bytes that are always granted, because every machine has them.
const GRANTED: u64 = 1 << 29;

/// Bytes that may be used, and held in an array, without querying the system for its memory. The query takes a tenth of
/// a millisecond, a large part of the time of a small fit.
const SMALL: u64 = 1 << 24;

/// The memory limit of a run, and the folder for arrays that are too large for it.
///
/// An array of more than a quarter of the limit is stored in an unnamed file, which the system reads
/// and writes as needed and which is deleted with the array. Results do not depend on the limit.
#[derive(Debug, Clone)]
pub struct Memory {
    /// If it was not specified, it is queried from the system on first use, once for all copies.
    bytes: Arc<OnceLock<u64>>,
    folder: PathBuf,
}

impl Memory {
    /// Sets the limit to a number of bytes. Files are created in the folder, which should be on a disk.
    pub fn new(bytes: u64, folder: impl Into<PathBuf>) -> Self {
        Self { bytes: said(bytes), folder: folder.into() }
    }

    /// Uses the limit in the environment variable `BASRELIEF_MEMORY`; otherwise, the memory that the
    /// system reports as available on first use. Files are created in the folder `TMPDIR`;
    /// otherwise, in `/var/tmp` if it exists, because `/tmp` is often in memory.
    ///
    /// # Errors
    /// The variable does not contain a number of bytes.
    pub fn available() -> Result<Self> {
        let folder = match std::env::var_os("TMPDIR") {
            None if Path::new("/var/tmp").is_dir() => PathBuf::from("/var/tmp"),
            _ => std::env::temp_dir(),
        };
        let given = std::env::var_os(VARIABLE).filter(|text| !text.is_empty());
        let bytes = match given {
            None => Arc::default(),
            Some(text) => said(parse(&text.to_string_lossy()).map_err(|problem| {
                Error::option(
                    VARIABLE,
                    problem,
                    "unset it, or set it to a number of bytes such as 500M or 8G",
                )
            })?),
        };
        Ok(Self { bytes, folder })
    }

    /// Sets the limit from a text: a number of bytes, or a number followed by K, M, G or T (powers
    /// of 1024).
    ///
    /// # Errors
    /// The reason why the text is refused.
    pub fn with_text(self, text: &str) -> std::result::Result<Self, String> {
        parse(text).map(|bytes| Self { bytes: said(bytes), ..self })
    }

    /// The limit in bytes.
    pub fn bytes(&self) -> u64 {
        *self.bytes.get_or_init(available)
    }

    /// Refuses work that needs more memory than the limit, so that it ends with a message instead of
    /// killing the process; half a gigabyte is always granted. `what` names the work that needs
    /// `bytes`, and `instead` is the advice.
    ///
    /// # Errors
    /// The work needs more than [`Memory::bytes`].
    pub fn claim(&self, bytes: u64, what: &str, instead: impl Into<Text>) -> Result<()> {
        if bytes <= GRANTED || self.allows(bytes) {
            return Ok(());
        }
        let gigabytes = |bytes: u64| format!("{:.1} GB", bytes as f64 / 1e9);
        Err(Error::option(
            "memory",
            format!(
                "{what} needs up to {}, but only {} may be used",
                gigabytes(bytes),
                gigabytes(self.bytes())
            ),
            format!("{}, or allow more memory if the machine has it", instead.into().mention()),
        ))
    }

    /// The folder for arrays that are too large for memory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether this number of bytes is within the limit.
    pub(crate) fn allows(&self, bytes: u64) -> bool {
        self.has(bytes, 1)
    }

    /// Whether an array of this number of bytes is held in memory.
    pub fn holds(&self, bytes: u64) -> bool {
        self.has(bytes, PARTS)
    }

    /// Whether the bytes are at most the limit divided by `parts`.
    fn has(&self, bytes: u64, parts: u64) -> bool {
        let is_known = self.bytes.get().is_some();
        !is_known && bytes <= SMALL || bytes <= self.bytes() / parts
    }

    /// The largest number of bytes of an array that is held in memory.
    pub(crate) fn part(&self) -> u64 {
        self.bytes() / PARTS
    }

    /// Creates a file for `len` numbers, all zero.
    ///
    /// # Errors
    /// The folder does not have enough space for the file.
    pub(crate) fn scratch<T: Plain>(&self, len: usize) -> Result<Mapped<T>> {
        Mapped::in_file(len, &self.folder).map_err(|cause| {
            let bytes = len as u64 * size_of::<T>() as u64;
            Error::File {
                path: self.folder.clone(),
                action: format!("store {bytes} bytes there that do not fit in memory"),
                cause: cause.into(),
                help: room_on_disk(),
            }
        })
    }
}

/// The memory that is available in the system, or in the container; no limit if neither reports it.
/// The limits of a control group are not detected if its processes see the file system of the host.
fn available() -> u64 {
    let wanted = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(wanted);
    if system.total_memory() == 0 {
        return u64::MAX;
    }
    // The group's own figure counts cached file pages as used, although they can be reclaimed.
    let group = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    // Many of the addresses that `ulimit -v` of a shell allows are reserved and never used.
    let addresses = basrelief_kernels::address_space_limit().map_or(u64::MAX, |limit| limit / 2);
    system.available_memory().min(group).min(addresses).max(1)
}

/// A specified number of bytes, for which the system is not queried.
fn said(bytes: u64) -> Arc<OnceLock<u64>> {
    Arc::new(bytes.into())
}

fn parse(text: &str) -> std::result::Result<u64, String> {
    let wrong = || format!("`{}` is not an amount of memory", shorten(text, 40));
    let (number, factor) = match text.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => {
            let power = "KMGT".find(unit.to_ascii_uppercase()).ok_or_else(wrong)?;
            (&text[..at], 1024_f64.powi(power as i32 + 1))
        }
        _ => (text, 1.0),
    };
    match number.parse::<f64>() {
        Ok(number) if number * factor >= 1.0 && number.is_finite() => Ok((number * factor) as u64),
        _ => Err(wrong()),
    }
}

/// Numbers in memory or in a file. A large array in memory is a separate memory map.
#[derive(Debug)]
pub(crate) enum PossiblyMapped<T> {
    Held(Vec<T>),
    Large(Mapped<T>),
    InFile(Mapped<T>),
}

/// How much of an array in memory is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryUse {
    /// All or most of it, so that large pages are best.
    Whole,
    /// Perhaps a small part, so that untouched pages should not be allocated.
    Parts,
}

/// Number of bytes from which an array in memory is a memory map.
const LARGE: u64 = 1 << 20;

impl<T: Plain + Default> PossiblyMapped<T> {
    /// Creates `len` zeros in memory.
    pub(crate) fn in_memory(len: usize, used: MemoryUse) -> Self {
        let is_large = (len as u64).saturating_mul(size_of::<T>() as u64) >= LARGE;
        // If the system refuses a memory map, an ordinary allocation may still succeed.
        match is_large.then(|| Mapped::in_memory(len, used == MemoryUse::Whole)) {
            Some(Ok(mapped)) => PossiblyMapped::Large(mapped),
            _ => PossiblyMapped::Held(vec![T::default(); len]),
        }
    }
}

impl<T> Default for PossiblyMapped<T> {
    fn default() -> Self {
        PossiblyMapped::Held(Vec::new())
    }
}

impl<T: Plain> Deref for PossiblyMapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            PossiblyMapped::Held(numbers) => numbers,
            PossiblyMapped::Large(numbers) | PossiblyMapped::InFile(numbers) => numbers,
        }
    }
}

impl<T: Plain> DerefMut for PossiblyMapped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            PossiblyMapped::Held(numbers) => numbers,
            PossiblyMapped::Large(numbers) | PossiblyMapped::InFile(numbers) => numbers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    #[test]
    fn what_does_not_fit_is_refused_with_figures() {
        let memory = Memory::new(2_000_000_000, "");
        memory.claim(2_000_000_000, "it", "").unwrap();
        let message =
            memory.claim(3_100_000_000, "the search", "sample rows").unwrap_err().to_string();
        for words in
            ["the search needs up to 3.1 GB, but only 2.0 GB may be used", "; sample rows, or"]
        {
            assert!(message.contains(words), "no `{words}` in {message}");
        }
        // With little memory, arrays are stored in files, but small work is not refused.
        Memory::new(0, "").claim(GRANTED, "it", "").unwrap();
        Memory::new(0, "").claim(GRANTED + 1, "it", "").unwrap_err();
    }

    #[test]
    fn the_system_is_asked_only_for_what_is_large() {
        let unknown = Memory { bytes: Arc::default(), folder: PathBuf::new() };
        let copy = unknown.clone();
        unknown.claim(GRANTED, "it", "").unwrap();
        assert!(unknown.holds(SMALL) && unknown.allows(SMALL));
        assert_eq!(unknown.bytes.get(), None);
        assert!(!unknown.holds(u64::MAX));
        assert_eq!(unknown.bytes.get(), Some(&unknown.bytes()));
        assert_eq!(copy.bytes.get(), unknown.bytes.get());
        // A specified limit applies to small arrays, too.
        assert!(!Memory::new(SMALL, "").holds(SMALL) && Memory::new(SMALL, "").allows(SMALL));
    }

    #[test]
    fn amounts_read_as_people_write_them() {
        for (text, bytes) in
            [("4096", 4096), ("1k", 1024), ("1.5K", 1536), ("8G", 8 << 30), ("2T", 2 << 40)]
        {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "G", "8X", "-1", "0", "0.1", "nan", "8 GB", "inf", "1e400"] {
            assert!(parse(wrong).unwrap_err().contains("is not an amount of memory"), "{wrong}");
        }
    }

    #[test]
    fn what_is_too_large_for_a_quarter_goes_to_a_file() {
        let memory = Memory::new(64, std::env::temp_dir());
        let run = Run::new(Some(1)).unwrap().with_memory(memory);
        assert!(matches!(run.zeros::<u8>(16).unwrap(), PossiblyMapped::Held(_)));
        assert!(matches!(run.zeros::<u8>(0).unwrap(), PossiblyMapped::Held(_)));
        for used in [MemoryUse::Whole, MemoryUse::Parts] {
            let mut large = PossiblyMapped::<u8>::in_memory(LARGE as usize, used);
            assert!(
                matches!(large, PossiblyMapped::Large(_)) && large.iter().all(|&value| value == 0)
            );
            large[5] = 1;
            assert_eq!((large.len(), large[5]), (LARGE as usize, 1));
        }
        let mut room = run.zeros::<u8>(17).unwrap();
        assert!(matches!(room, PossiblyMapped::InFile(_)));
        room[16] = 7;
        assert_eq!(room.iter().map(|&value| u32::from(value)).sum::<u32>(), 7);
        assert!(available() > 0);
    }

    #[test]
    fn a_folder_without_room_is_named() {
        let memory = Memory::new(0, "no such folder");
        let message = memory.scratch::<f64>(2).unwrap_err().to_string();
        assert!(message.contains("no such folder") && message.contains("TMPDIR"), "{message}");
    }
}
