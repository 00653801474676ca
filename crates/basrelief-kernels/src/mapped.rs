//! Slices that lie in a file instead of in memory: the system keeps as much of them in memory as
//! there is room for, and reads the rest again where it is needed.

use std::fmt;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use memmap2::MmapMut;

/// What any bytes of its size make a valid value of, as zeros do.
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
plain!(u8, u32, u64, f32, f64, [i16; 2]);

/// Some numbers in a file that nobody else sees and that vanishes with them.
pub struct Scratch<T> {
    /// None where there are no numbers.
    map: Option<MmapMut>,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Plain> Scratch<T> {
    /// `len` numbers, all bits 0, in a file of the folder. Its room on the disk is taken at once, so
    /// that it cannot run out later.
    ///
    /// # Errors
    /// The folder cannot be written to, or its disk has no room.
    pub fn zeroed(len: usize, folder: &Path) -> io::Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        if bytes == 0 {
            return Ok(Self { map: None, len, kind: PhantomData });
        }
        let file = tempfile::tempfile_in(folder)?;
        take_room(&file, bytes as u64)?;
        // SAFETY: the file has no name, or loses it at once, so that no other process changes or
        // shortens it; this process has no other use of it.
        let map = unsafe { MmapMut::map_mut(&file)? };
        assert!(map.len() >= bytes, "the whole file is mapped");
        assert_eq!(map.as_ptr().align_offset(align_of::<T>()), 0, "maps begin at a page");
        Ok(Self { map: Some(map), len, kind: PhantomData })
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

impl<T: Plain> Deref for Scratch<T> {
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

impl<T: Plain> DerefMut for Scratch<T> {
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

impl<T> fmt::Debug for Scratch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_file_are_zero_and_then_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut numbers = Scratch::<f64>::zeroed(5000, folder.path()).unwrap();
        assert!(numbers.iter().all(|&number| number == 0.0));
        numbers.iter_mut().zip(0_u16..).for_each(|(number, index)| *number = f64::from(index));
        assert_eq!((numbers.len(), numbers[0], numbers[4999]), (5000, 0.0, 4999.0));
        let pairs = Scratch::<[i16; 2]>::zeroed(3, folder.path()).unwrap();
        assert_eq!(*pairs, [[0; 2]; 3]);
        // The files have no names that could stay behind.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn there_may_be_no_numbers() {
        let mut none = Scratch::<u64>::zeroed(0, Path::new("no such folder")).unwrap();
        assert!(none.is_empty() && none.iter_mut().next().is_none());
    }

    #[test]
    fn a_folder_or_room_that_is_not_there_is_an_error() {
        assert!(Scratch::<u8>::zeroed(1, Path::new("no such folder")).is_err());
        let folder = tempfile::tempdir().unwrap();
        // Elsewhere the disk would be filled before the system says so.
        #[cfg(target_os = "linux")]
        assert!(Scratch::<u8>::zeroed(1 << 55, folder.path()).is_err());
        assert!(Scratch::<f64>::zeroed(usize::MAX, folder.path()).is_err());
    }

    #[test]
    fn room_is_also_taken_where_the_system_has_no_call_for_it() {
        let file = tempfile::tempfile().unwrap();
        write_zeros(&file, 10_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 10_000);
    }
}
