//! Slices that are separate memory maps: of a file, of which the system holds as much in memory as
//! fits and reads the rest again on demand; or of memory in large pages.

use std::fmt;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use memmap2::{MmapMut, MmapOptions};

/// Types for which any bytes of their size, such as zeros, are a valid value.
pub trait Plain: Copy + Send + Sync + sealed::Plain + 'static {}

mod sealed {
    pub trait Plain {}
}

macro_rules! plain {
    ($($number:ty),*) => {
        $(
            impl sealed::Plain for $number {}
            impl Plain for $number {}
        )*
    };
}
plain!(u8, i16, u16, u32, u64, f32, f64, [i16; 2], [u32; 2]);

/// Numbers in an unnamed file that is deleted with them, or in a separate map of memory.
pub struct Mapped<T> {
    /// `None` if empty.
    map: Option<MmapMut>,
    len: usize,
    kind: PhantomData<T>,
}

/// Bytes of a large page, where the system has such pages.
const LARGE_PAGE: usize = 2 << 20;

impl<T: Plain> Mapped<T> {
    /// `len` numbers, all bits 0; the system allocates each page of the memory on its first touch.
    ///
    /// The first touch of a small page costs as much as filling it ten times. With `large`, pages
    /// are large where the system provides them: for arrays that are used completely.
    ///
    /// # Errors
    /// The system has no room for them.
    pub fn in_memory(len: usize, large: bool) -> io::Result<Self> {
        let bytes = len
            .checked_mul(size_of::<T>())
            .and_then(|bytes| bytes.checked_next_multiple_of(LARGE_PAGE))
            .ok_or(io::ErrorKind::OutOfMemory)?;
        if bytes == 0 {
            return Ok(Self { map: None, len, kind: PhantomData });
        }
        // Maps of whole large pages begin with one on newer systems. What may never be touched is not
        // counted beforehand.
        let map = MmapOptions::new().len(bytes).no_reserve_swap().map_anon()?;
        // A wish, which the system may refuse.
        #[cfg(target_os = "linux")]
        let _ = map.advise(match large {
            true => memmap2::Advice::HugePage,
            // Not even where the system gives them unasked.
            false => memmap2::Advice::NoHugePage,
        });
        #[cfg(not(target_os = "linux"))]
        let _ = large;
        Ok(Self::of_map(map, len))
    }

    /// `len` numbers, all bits 0, in a file of the folder. Its room on the disk is taken at once, so
    /// that it cannot run out later.
    ///
    /// # Errors
    /// The folder cannot be written to, or its disk has no room.
    pub fn in_file(len: usize, folder: &Path) -> io::Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        if bytes == 0 {
            return Ok(Self { map: None, len, kind: PhantomData });
        }
        let file = tempfile::tempfile_in(folder)?;
        take_room(&file, bytes as u64)?;
        // SAFETY: the file has no name, or loses it at once, so that no other process changes or
        // shortens it; this process has no other use of it.
        let map = unsafe { MmapMut::map_mut(&file)? };
        Ok(Self::of_map(map, len))
    }

    fn of_map(map: MmapMut, len: usize) -> Self {
        assert!(map.len() / size_of::<T>() >= len, "all numbers are mapped");
        assert_eq!(map.as_ptr().align_offset(align_of::<T>()), 0, "maps begin at a page");
        Self { map: Some(map), len, kind: PhantomData }
    }
}

/// Makes the file that long, with all its blocks.
#[cfg(target_os = "linux")]
fn take_room(file: &File, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match rustix::io::retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, bytes)) {
        Ok(()) => Ok(()),
        // A file system without the call.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => write_zeros(file, bytes),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn take_room(file: &File, bytes: u64) -> io::Result<()> {
    write_zeros(file, bytes)
}

fn write_zeros(mut file: &File, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::Read::take(io::repeat(0), bytes), &mut file).map(|_| ())
}

impl<T: Plain> Deref for Mapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.map {
            None => &[],
            // SAFETY: the map holds `len` numbers' bytes and is aligned (checked when it was made),
            // any bytes are a number, and the borrow of the map lasts as long as the slice.
            Some(map) => unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), self.len) },
        }
    }
}

impl<T: Plain> DerefMut for Mapped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.map {
            None => &mut [],
            // SAFETY: as above; the borrow is exclusive.
            Some(map) => unsafe {
                std::slice::from_raw_parts_mut(map.as_mut_ptr().cast(), self.len)
            },
        }
    }
}

impl<T> fmt::Debug for Mapped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_file_are_zero_and_then_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut numbers = Mapped::<f64>::in_file(5000, folder.path()).unwrap();
        assert!(numbers.iter().all(|&number| number == 0.0));
        numbers.iter_mut().zip(0_u16..).for_each(|(number, index)| *number = f64::from(index));
        assert_eq!((numbers.len(), numbers[0], numbers[4999]), (5000, 0.0, 4999.0));
        let pairs = Mapped::<[i16; 2]>::in_file(3, folder.path()).unwrap();
        assert_eq!(*pairs, [[0; 2]; 3]);
        // The files have no names that could stay behind.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn numbers_in_memory_are_zero_and_then_what_was_written() {
        for (len, large) in [(1, true), (5000, false), (3 << 18, true), (3 << 18, false)] {
            let mut numbers = Mapped::<f64>::in_memory(len, large).unwrap();
            assert!(numbers.iter().all(|&number| number == 0.0));
            numbers[len - 1] = 7.0;
            assert_eq!((numbers.len(), numbers[len - 1]), (len, 7.0));
        }
        assert!(Mapped::<f64>::in_memory(usize::MAX, true).is_err());
        assert!(Mapped::<u8>::in_memory(usize::MAX, false).is_err());
    }

    #[test]
    fn there_may_be_no_numbers() {
        assert!(Mapped::<u64>::in_memory(0, true).unwrap().is_empty());
        let mut none = Mapped::<u64>::in_file(0, Path::new("no such folder")).unwrap();
        assert!(none.is_empty() && none.iter_mut().next().is_none());
    }

    #[test]
    fn a_folder_or_room_that_is_not_there_is_an_error() {
        assert!(Mapped::<u8>::in_file(1, Path::new("no such folder")).is_err());
        let folder = tempfile::tempdir().unwrap();
        // On other systems the disk would fill up before an error is reported.
        #[cfg(target_os = "linux")]
        assert!(Mapped::<u8>::in_file(1 << 55, folder.path()).is_err());
        assert!(Mapped::<f64>::in_file(usize::MAX, folder.path()).is_err());
    }

    #[test]
    fn room_is_also_taken_where_the_system_has_no_call_for_it() {
        let file = tempfile::tempfile().unwrap();
        write_zeros(&file, 10_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 10_000);
    }
}
/// Bytes of addresses that this process may have in all (`ulimit -v`), if there is such a limit.
pub fn address_space_limit() -> Option<u64> {
    #[cfg(target_os = "linux")]
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(target_os = "linux"))]
    let limit = None;
    limit
}
