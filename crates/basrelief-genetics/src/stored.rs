//! The genotypes of a file without random access, stored packed as in a `.bed` file.

use std::path::{Path, PathBuf};

use basrelief::data::PackedGenotypes;
use basrelief::wording::room_on_disk;
use basrelief::{Error, Result, Run};
use basrelief_kernels::Mapped;

/// PLINK's code of a missing genotype.
pub(crate) const MISSING: u8 = 0b01;

/// PLINK's codes by the number of copies of A1.
pub(crate) const CODES: [u8; 3] = [0b11, 0b10, 0b00];

/// The size of a segment in bytes, unless a single variant is larger.
const SEGMENT_BYTES: usize = 1 << 24;

/// The genotypes of all people of a file, variant after variant, in PLINK's code.
///
/// They take at most a quarter of the memory; the rest is in unnamed temporary files.
#[derive(Debug)]
pub(crate) struct Stored {
    /// The file that they were read from.
    path: PathBuf,
    stride: usize,
    of_segment: usize,
    segments: Vec<Segment>,
    variants: usize,
}

#[derive(Debug)]
enum Segment {
    Held(Vec<u8>),
    InFile(Mapped<u8>),
}

impl Segment {
    fn bytes(&self) -> &[u8] {
        match self {
            Segment::Held(bytes) => bytes,
            Segment::InFile(bytes) => bytes,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Segment::Held(bytes) => bytes,
            Segment::InFile(bytes) => bytes,
        }
    }
}

impl Stored {
    /// Returns a store without variants.
    pub(crate) fn new(path: &Path, people: usize) -> Self {
        Self::with_segments(path, people, SEGMENT_BYTES)
    }

    /// Returns a store without variants, with segments of about `segment_bytes` bytes.
    fn with_segments(path: &Path, people: usize, segment_bytes: usize) -> Self {
        let stride = PackedGenotypes::bytes_of(people).max(1);
        let of_segment = (segment_bytes / stride).max(1);
        Self { path: path.to_path_buf(), stride, of_segment, segments: Vec::new(), variants: 0 }
    }

    /// Returns a store of `variants` variants whose bytes are all zero.
    ///
    /// # Errors
    /// Memory and disk are too small.
    pub(crate) fn zeroed(path: &Path, people: usize, variants: usize, run: &Run) -> Result<Self> {
        Self::new(path, people).filled(variants, run)
    }

    /// Adds variants whose bytes are all zero until there are `variants` of them. The store has no variants yet.
    fn filled(mut self, variants: usize, run: &Run) -> Result<Self> {
        while self.variants < variants {
            run.check()?;
            let count = self.of_segment.min(variants - self.variants);
            let mut segment = self.segment(run)?;
            if let Segment::Held(bytes) = &mut segment {
                bytes.resize(count * self.stride, 0);
            }
            self.segments.push(segment);
            self.variants += count;
        }
        Ok(self)
    }

    /// The file that the genotypes were read from.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a variant: the codes of four people in a byte, the first in its lowest bits.
    ///
    /// # Errors
    /// Memory and disk are too small.
    ///
    /// # Panics
    /// The number of bytes does not match the number of people.
    pub(crate) fn push(&mut self, packed: &[u8], run: &Run) -> Result<()> {
        assert_eq!(packed.len(), self.stride, "bytes of a variant");
        let place = self.variants % self.of_segment;
        if place == 0 {
            self.segments.push(self.segment(run)?);
        }
        match self.segments.last_mut() {
            Some(Segment::Held(bytes)) => bytes.extend_from_slice(packed),
            Some(Segment::InFile(bytes)) => {
                bytes[place * self.stride..][..self.stride].copy_from_slice(packed);
            }
            None => return Err(Error::Internal("no segment for a variant".to_string())),
        }
        self.variants += 1;
        Ok(())
    }

    /// Creates the next segment, without variants.
    fn segment(&self, run: &Run) -> Result<Segment> {
        let length = self.of_segment * self.stride;
        if run.memory().holds((length * (self.segments.len() + 1)) as u64) {
            return Ok(Segment::Held(Vec::new()));
        }
        let folder = run.memory().folder();
        let made = Mapped::in_file(length, folder).map_err(|cause| Error::File {
            path: folder.to_path_buf(),
            action: "store genotypes there that do not fit in memory".to_string(),
            cause: cause.into(),
            help: room_on_disk(),
        })?;
        Ok(Segment::InFile(made))
    }

    /// The bytes of a variant.
    ///
    /// # Panics
    /// The variant does not exist.
    pub(crate) fn variant(&self, variant: usize) -> &[u8] {
        assert!(variant < self.variants, "variant {variant} of {}", self.variants);
        let segment = self.segments[variant / self.of_segment].bytes();
        &segment[variant % self.of_segment * self.stride..][..self.stride]
    }

    /// The bytes of a variant, to change them.
    ///
    /// # Panics
    /// The variant does not exist.
    pub(crate) fn variant_mut(&mut self, variant: usize) -> &mut [u8] {
        assert!(variant < self.variants, "variant {variant} of {}", self.variants);
        let segment = self.segments[variant / self.of_segment].bytes_mut();
        &mut segment[variant % self.of_segment * self.stride..][..self.stride]
    }
}

#[cfg(test)]
mod tests {
    use basrelief::Memory;

    use super::*;

    /// Tests storage in memory, in files, and across segments.
    #[test]
    fn variants_come_back_as_they_were_put() {
        let folder = tempfile::tempdir().unwrap();
        for memory in [1, 800, 1 << 20] {
            let run = Run::new(Some(1)).unwrap().with_memory(Memory::new(memory, folder.path()));
            let variant = |place: u8| [place, place ^ 0x5a, place.wrapping_mul(7)];
            let mut stored = Stored::with_segments(Path::new("cohort.vcf"), 11, 64);
            for place in 0..200 {
                stored.push(&variant(place), &run).unwrap();
            }
            let in_files =
                stored.segments.iter().filter(|segment| matches!(segment, Segment::InFile(_)));
            assert_eq!(
                in_files.count(),
                match memory {
                    1 => 10,
                    800 => 7,
                    _ => 0,
                }
            );
            for place in 0..200 {
                assert_eq!(stored.variant(place.into()), variant(place));
            }
            // The same, put into variants that exist, the last of them first.
            let empty = Stored::with_segments(Path::new("cohort.ped"), 11, 64);
            let mut stored = empty.filled(200, &run).unwrap();
            assert!((0..200).all(|place| stored.variant(place) == [0; 3]));
            for place in (0..200).rev() {
                stored.variant_mut(place.into()).copy_from_slice(&variant(place));
            }
            for place in 0..200 {
                assert_eq!(stored.variant(place.into()), variant(place));
            }
        }
    }
}
