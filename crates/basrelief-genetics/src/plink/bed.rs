//! Genotypes in the layout of a `.bed` file (variant by variant, two bits per person), also from other formats.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use basrelief::data::{Genotypes, PackedGenotypes};
use basrelief::{Error, Result, Run};
use rayon::prelude::*;

use crate::metadata::lines::name_of;
use crate::plink2::Pgen;
use crate::seek::{ReadSeek, read_seek};
use crate::stored::Stored;
use basrelief_io::Source;

/// The first two bytes of a `.bed` file.
pub(super) const MAGIC: [u8; 2] = [0x6c, 0x1b];

/// The third byte: 1 if the genotypes of each variant are contiguous, 0 if those of each person are.
pub(super) const VARIANT_MAJOR: u8 = 1;
const PERSON_MAJOR: u8 = 0;

/// The number of bytes before the genotypes.
const HEADER: usize = 3;

/// The number of bytes read at a time, unless a single variant is larger.
const PIECE_BYTES: usize = 1 << 23;

/// Variants are read in multiples of this number, so that their bits fill whole words.
const PIECE_VARIANTS: usize = u64::BITS as usize;

/// The approximate number of bytes that a thread recodes at a time.
const SHARE: usize = 1 << 16;

/// A `.bed` file whose size matches its people and variants, or another source of the same bytes.
pub(crate) struct Bed<'r> {
    place: Place<'r>,
    people: usize,
    /// The number of bytes read at a time ([`PIECE_BYTES`]).
    piece_bytes: usize,
    run: &'r Run,
}

/// The source of the bytes.
enum Place<'r> {
    File(Source<'r>),
    Stored(Arc<Stored>),
    Pgen(Pgen<'r>),
}

/// Reads the bytes of variants.
pub(crate) enum Reader<'b> {
    File(&'b Source<'b>, Box<dyn ReadSeek + 'b>),
    Stored(&'b Stored),
    Pgen(&'b Pgen<'b>, Box<dyn ReadSeek + 'b>),
}

impl<'r> Bed<'r> {
    /// Opens the file. `fam` and `bim` are the `.fam` and `.bim` files with their numbers of people and variants.
    ///
    /// # Errors
    /// The file cannot be read, is not a variant-major `.bed` file of PLINK 1, or its size does not match the numbers
    /// of people and variants.
    pub(crate) fn open(
        path: &Path,
        (fam, people): (&Path, usize),
        (bim, variants): (&Path, usize),
        run: &'r Run,
    ) -> Result<Self> {
        let source = Source::open(path, run)?;
        let mut start = Vec::new();
        let read = read_seek(&source)?.take(HEADER as u64).read_to_end(&mut start);
        read.map_err(|cause| source.read_error(cause))?;
        let new = path.with_extension("new");
        match *start {
            [first, second, VARIANT_MAJOR] if [first, second] == MAGIC => {}
            [first, second, PERSON_MAJOR] if [first, second] == MAGIC => {
                return Err(source.data(
                    "the genotypes are stored person by person, as old versions of PLINK wrote them",
                    &format!(
                        "convert the file with PLINK 1.9: plink --bfile {} --make-bed --out {}",
                        name_of(&path.with_extension("")),
                        name_of(&new)
                    ),
                ));
            }
            _ => {
                let found: Vec<String> = start.iter().map(|byte| format!("{byte:02x}")).collect();
                return Err(source.data(
                    &format!("it does not begin like a .bed file of PLINK 1 (6c 1b 01, not {})", found.join(" ")),
                    "give a genotype file; .bed files of genomic intervals have another format, and genotype files \
                     without these bytes are older than PLINK 1",
                ));
            }
        }
        let stride = PackedGenotypes::bytes_of(people) as u64;
        let wanted = stride.saturating_mul(variants as u64).saturating_add(HEADER as u64);
        let size = source.size();
        if size != wanted {
            let held = (size - HEADER as u64).checked_div(stride).unwrap_or_default();
            let more = match size.saturating_sub(HEADER as u64).checked_rem(stride) {
                Some(0) => format!("it contains {held} variants for this number of people"),
                _ if size < wanted => format!("it is truncated in variant {}", held + 1),
                _ => "it does not contain a whole number of variants for this number of people"
                    .to_string(),
            };
            return Err(source.data(
                &format!(
                    "it has {size} bytes, but {people} people in {} and {variants} variants in {} need {wanted}: {more}",
                    name_of(fam),
                    name_of(bim)
                ),
                "give three complete files that belong together",
            ));
        }
        Ok(Self::new(Place::File(source), people, run))
    }

    /// Wraps genotypes that were read from another file.
    pub(crate) fn of_stored(stored: &Arc<Stored>, people: usize, run: &'r Run) -> Self {
        Self::new(Place::Stored(Arc::clone(stored)), people, run)
    }

    /// Wraps genotypes in a `.pgen` file.
    pub(crate) fn of_pgen(pgen: Pgen<'r>, people: usize, run: &'r Run) -> Self {
        Self::new(Place::Pgen(pgen), people, run)
    }

    fn new(place: Place<'r>, people: usize, run: &'r Run) -> Self {
        Self { place, people, piece_bytes: PIECE_BYTES, run }
    }

    /// Returns a reader of the variants.
    ///
    /// # Errors
    /// The file can no longer be opened.
    pub(crate) fn reader(&self) -> Result<Reader<'_>> {
        Ok(match &self.place {
            Place::File(source) => Reader::File(source, read_seek(source)?),
            Place::Stored(stored) => Reader::Stored(stored),
            Place::Pgen(pgen) => Reader::Pgen(pgen, read_seek(pgen.source())?),
        })
    }

    /// Returns the name of the reading stage for the progress display.
    fn stage(&self) -> String {
        match &self.place {
            Place::File(source) => source.stage(""),
            Place::Pgen(pgen) => pgen.source().stage(""),
            Place::Stored(stored) => format!("selecting genotypes of {}", name_of(stored.path())),
        }
    }

    /// Reads the genotypes of some people and variants, given in any order, as packed numbers of copies of A1.
    ///
    /// # Errors
    /// The file can no longer be read; memory and disk are too small for the genotypes; [`Error::Cancelled`].
    pub(crate) fn read(&self, people: &[u32], variants: &[u32]) -> Result<Vec<PackedGenotypes>> {
        let run = self.run;
        let stride = self.stride();
        let length = PackedGenotypes::bytes_of(people.len());
        let are_all = people.iter().copied().eq(0..self.people as u32);
        PackedGenotypes::columns(people.len(), variants.len(), run, |out| {
            self.each_piece(variants, |first, bytes| {
                let out = &mut out[first * length..][..bytes.len() / stride * length];
                run.install(|| {
                    let all = out.par_chunks_mut(length.max(1)).zip(bytes.par_chunks(stride));
                    all.with_min_len(SHARE.div_ceil(stride)).for_each(
                        |(out, bytes)| match are_all {
                            true => recode(bytes, out),
                            false => recode_some(bytes, people, out),
                        },
                    );
                });
            })
        })
    }

    /// The number of bytes per variant.
    pub(crate) fn stride(&self) -> usize {
        PackedGenotypes::bytes_of(self.people).max(1)
    }

    /// Calls `take` with the bytes of some variants as in the file, several variants at a time. The first argument of
    /// `take` is the index in `variants` of the first of them, a multiple of [`PIECE_VARIANTS`].
    ///
    /// # Errors
    /// The file can no longer be read; [`Error::Cancelled`].
    pub(crate) fn each_piece(
        &self,
        variants: &[u32],
        mut take: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        let run = self.run;
        let of_piece = (self.piece_bytes / self.stride()).max(1).next_multiple_of(PIECE_VARIANTS);
        let mut reader = self.reader()?;
        let mut bytes = Vec::new();
        run.progress().start(&self.stage(), (variants.len() * self.stride()) as u64);
        let all = variants.chunks(of_piece).enumerate().try_for_each(|(piece, variants)| {
            run.check()?;
            bytes.resize(variants.len() * self.stride(), 0);
            self.read_variants(&mut reader, variants, &mut bytes)?;
            take(piece * of_piece, &bytes);
            run.progress().advance(bytes.len() as u64);
            Ok(())
        });
        run.progress().finish();
        all
    }

    /// Replaces `bytes` with the bytes of some variants as in the file.
    ///
    /// # Errors
    /// The file can no longer be read.
    pub(crate) fn read_variants(
        &self,
        reader: &mut Reader<'_>,
        variants: &[u32],
        mut bytes: &mut [u8],
    ) -> Result<()> {
        let stride = self.stride();
        let (source, reader) = match reader {
            Reader::File(source, reader) => (source, reader),
            Reader::Pgen(pgen, file) => return pgen.read_variants(file, variants, bytes),
            Reader::Stored(stored) => {
                let all = bytes.chunks_exact_mut(stride).zip(variants);
                all.for_each(|(part, &variant)| {
                    part.copy_from_slice(stored.variant(variant as usize));
                });
                return Ok(());
            }
        };
        // Contiguous variants are read at once.
        for side_by_side in variants.chunk_by(|one, next| one + 1 == *next) {
            let (part, rest) = bytes.split_at_mut(side_by_side.len() * stride);
            bytes = rest;
            let start = HEADER as u64 + u64::from(side_by_side[0]) * stride as u64;
            let read = reader.seek(SeekFrom::Start(start)).and_then(|_| reader.read_exact(part));
            read.map_err(|cause| -> Error { source.read_error(cause) })?;
        }
        Ok(())
    }
}

/// Converts PLINK's codes to numbers of copies of A1: 00 means two, 10 one, 11 none, and 01 missing.
fn recode(bytes: &[u8], out: &mut [u8]) {
    for (out, byte) in out.iter_mut().zip(bytes) {
        *out = recoded(*byte);
    }
}

/// Recodes four genotypes.
#[inline]
fn recoded(byte: u8) -> u8 {
    const LOW: u8 = 0b0101_0101;
    let (high, low) = (byte >> 1 & LOW, byte & LOW);
    (high ^ LOW) << 1 | (high ^ low)
}

/// Replaces `out` with the bytes of a variant as in the file, given the number of copies of A1 of each person.
pub(super) fn written(genotypes: &Genotypes<'_>, out: &mut Vec<u8>) {
    out.clear();
    match genotypes {
        Genotypes::Packed(packed) => out.extend_from_slice(packed.packed_bytes()),
        Genotypes::Bytes(codes) => {
            let packed = PackedGenotypes::from_codes(codes.iter().copied());
            out.extend_from_slice(packed.packed_bytes());
        }
    }
    out.iter_mut().for_each(|byte| *byte = unrecoded(*byte));
    // Bits after the last person are 0.
    let in_last = genotypes.len() % 4;
    if let Some(last) = out.last_mut().filter(|_| in_last > 0) {
        *last &= (1 << (2 * in_last)) - 1;
    }
}

/// Converts four genotypes back to PLINK's codes: the inverse of [`recoded`].
#[inline]
fn unrecoded(byte: u8) -> u8 {
    const LOW: u8 = 0b0101_0101;
    let (high, low) = (byte >> 1 & LOW, byte & LOW);
    (high ^ LOW) << 1 | (high ^ low ^ LOW)
}

/// Converts PLINK's codes of some people to numbers of copies of A1.
fn recode_some(bytes: &[u8], people: &[u32], out: &mut [u8]) {
    for (out, four) in out.iter_mut().zip(people.chunks(4)) {
        let code = |person: u32| bytes[person as usize / 4] >> (2 * (person % 4)) & 0b11;
        let packed =
            four.iter().zip(0..).fold(0, |byte, (&person, at)| byte | code(person) << (2 * at));
        *out = recoded(packed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads in several pieces and on several threads, for all people and for some, and variants in any order.
    #[test]
    fn pieces_are_put_together() {
        let (people, variants) = (21_u32, 200_u32);
        let stride = PackedGenotypes::bytes_of(people as usize);
        let bytes: Vec<u8> =
            (0..stride * variants as usize).map(|at| (at * 151 + at / 7) as u8).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cohort.bed");
        std::fs::write(&path, [&[0x6c, 0x1b, 1], &bytes[..]].concat()).unwrap();
        let run = Run::new(Some(2)).unwrap();
        let mut bed =
            Bed::open(&path, (&path, people as usize), (&path, variants as usize), &run).unwrap();
        bed.piece_bytes = 64;
        let copies = |variant: u32, person: u32| {
            let byte = bytes[variant as usize * stride + person as usize / 4];
            [2, 3, 1, 0][usize::from(byte >> (2 * (person % 4)) & 3)]
        };
        let all_people: Vec<u32> = (0..people).collect();
        let some_people: Vec<u32> = (0..people).filter(|person| person % 3 != 1).collect();
        let all_variants: Vec<u32> = (0..variants).collect();
        let turned: Vec<u32> = (0..variants).rev().filter(|variant| variant % 5 != 2).collect();
        for people in [&all_people, &some_people] {
            for variants in [&all_variants, &turned] {
                let found = bed.read(people, variants).unwrap();
                assert_eq!(found.len(), variants.len());
                for (&variant, found) in variants.iter().zip(found) {
                    let wanted = people.iter().map(|&person| copies(variant, person));
                    assert!(Genotypes::from(found).iter().eq(wanted), "variant {variant}");
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for byte in 0..=u8::MAX {
            assert_eq!(recoded(unrecoded(byte)), byte);
        }
        let codes = [2, 3, 1, 0, 1, 2];
        let packed = PackedGenotypes::from_codes(codes.into_iter());
        for genotypes in [Genotypes::from(codes.to_vec()), Genotypes::from(packed)] {
            let mut out = vec![9; 7];
            written(&genotypes, &mut out);
            assert_eq!(out, [0b11_10_01_00, 0b00_10]);
        }
    }

    #[test]
    fn codes_become_copies_of_the_first_allele() {
        // Four people, the first in the lowest bits: homozygous in A1, missing, heterozygous, homozygous in A2.
        let byte = 0b11_10_01_00;
        assert_eq!(recoded(byte), 0b00_01_11_10);
        let mut out = [0; 2];
        recode_some(&[byte, 0b10], &[0, 1, 3, 4], &mut out[..1]);
        assert_eq!(out[0], 0b01_00_11_10);
        recode(&[byte, byte], &mut out);
        assert_eq!(out, [0b00_01_11_10; 2]);
    }
}
