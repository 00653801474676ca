//! The genotypes of a `.pgen` file, read in any order.

use std::io::SeekFrom;
use std::sync::Arc;

use basrelief::data::PackedGenotypes;
use basrelief::{DataError, Error, Result, Run};
use basrelief_io::Source;
use rayon::prelude::*;

use super::index::{Index, Record};
use super::record::{clear_behind, decode, longest, to_bed};
use crate::seek::ReadSeek;

/// The amounts that are read and decoded at a time.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// The number of variants whose records are read before threads decode them.
    batch: usize,
    /// The approximate number of bytes of genotypes that a thread decodes at a time.
    share_bytes: usize,
    /// The minimum number of variants that a thread decodes at a time. Each part also needs the record from which its
    /// first one differs.
    share_variants: usize,
}

/// The default sizes.
const SIZES: Sizes = Sizes { batch: 1 << 14, share_bytes: 1 << 16, share_variants: 16 };

/// The maximum number of bytes between two records that are read instead of skipped.
const GAP: u64 = 1 << 12;

/// A file with the index of its records.
pub(crate) struct Pgen<'r> {
    source: Source<'r>,
    index: Arc<Index>,
    sizes: Sizes,
    run: &'r Run,
}

impl<'r> Pgen<'r> {
    /// Combines an index with its file, which was opened again.
    ///
    /// # Errors
    /// The size of the file has changed.
    pub(crate) fn new(source: Source<'r>, index: &Arc<Index>) -> Result<Self> {
        if source.size() != index.size() {
            let problem =
                format!("it has {} bytes, but had {} before", source.size(), index.size());
            return Err(source.data(&problem, "do not change the file while it is read"));
        }
        let run = source.run();
        Ok(Self { source, index: Arc::clone(index), sizes: SIZES, run })
    }

    /// The file.
    pub(crate) fn source(&self) -> &Source<'r> {
        &self.source
    }

    /// Replaces `out` with the genotypes of some variants, in PLINK 1's code with ALT as A1.
    ///
    /// # Errors
    /// The file can no longer be read, or a record is damaged.
    pub(crate) fn read_variants(
        &self,
        file: &mut dyn ReadSeek,
        variants: &[u32],
        out: &mut [u8],
    ) -> Result<()> {
        let stride = PackedGenotypes::bytes_of(self.index.people()).max(1);
        let Sizes { batch, share_bytes, share_variants } = self.sizes;
        let batches = variants.chunks(batch).zip(out.chunks_mut(batch * stride));
        for (variants, out) in batches {
            let records = self.load(file, variants)?;
            let of_share = (share_bytes / stride).max(share_variants);
            let shares = variants.par_chunks(of_share).zip(out.par_chunks_mut(of_share * stride));
            let decoded: Vec<Result<()>> = self.run.install(|| {
                shares.map(|(variants, out)| self.decode(&records, variants, out)).collect()
            });
            // The first error is reported, independently of the number of threads.
            decoded.into_iter().collect::<Result<()>>()?;
        }
        Ok(())
    }

    /// Reads the records of some variants, and the records from which these differ.
    fn load(&self, file: &mut dyn ReadSeek, variants: &[u32]) -> Result<Loaded> {
        let both = |&variant: &u32| {
            let place = self.index.place(variant);
            [self.index.record(place).base, place]
        };
        let mut places: Vec<u32> = variants.iter().flat_map(both).collect();
        places.sort_unstable();
        places.dedup();
        let mut loaded =
            Loaded { starts: Vec::with_capacity(places.len()), places, bytes: Vec::new() };
        let end = |place: u32| {
            let record = self.index.record(place);
            record.start + self.read_of(record)
        };
        let is_near = |one: &u32, next: &u32| self.index.record(*next).start <= end(*one) + GAP;
        for run in loaded.places.chunk_by(is_near) {
            let (first, held) = (self.index.record(run[0]).start, loaded.bytes.len());
            let length = end(run[run.len() - 1]) - first;
            loaded.bytes.resize(held + length as usize, 0);
            let read = file
                .seek(SeekFrom::Start(first))
                .and_then(|_| file.read_exact(&mut loaded.bytes[held..]));
            read.map_err(|cause| self.source.read_error(cause))?;
            let start = |place: &u32| held + (self.index.record(*place).start - first) as usize;
            loaded.starts.extend(run.iter().map(start));
        }
        Ok(loaded)
    }

    /// The number of bytes of a record that are read; tracks after the main track are not needed.
    fn read_of(&self, record: Record) -> u64 {
        record.length.min(longest(self.index.people()))
    }

    /// Writes the genotypes of some variants to `out`.
    fn decode(&self, records: &Loaded, variants: &[u32], out: &mut [u8]) -> Result<()> {
        let people = self.index.people();
        let stride = PackedGenotypes::bytes_of(people);
        let read = |place: u32, base: &[u8], out: &mut [u8]| {
            let record = self.index.record(place);
            let bytes = records.bytes(place, self.read_of(record) as usize);
            decode(record.kind, bytes, people, base, out).map_err(|problem| -> Error {
                let problem = format!("the record of variant {}: {problem}", place + 1);
                let help = "the file is damaged: download or copy it again";
                self.source.place(DataError::new(problem, help))
            })
        };
        // The base of the last record: most successive records have the same one.
        let (mut base, mut of_base) = (vec![0; stride], None);
        for (&variant, out) in variants.iter().zip(out.chunks_exact_mut(stride.max(1))) {
            let place = self.index.place(variant);
            let record = self.index.record(place);
            if record.kind.has_base() && of_base != Some(record.base) {
                read(record.base, &[], &mut base)?;
                of_base = Some(record.base);
            }
            read(place, &base, out)?;
            out.iter_mut().for_each(|byte| *byte = to_bed(*byte));
            clear_behind(people, out);
        }
        Ok(())
    }
}

/// Records in memory.
struct Loaded {
    /// The indices of the records, ascending, and the start of each in `bytes`.
    places: Vec<u32>,
    starts: Vec<usize>,
    bytes: Vec<u8>,
}

impl Loaded {
    /// The first bytes of a record.
    ///
    /// # Panics
    /// The record was not read.
    fn bytes(&self, place: u32, length: usize) -> &[u8] {
        let found = self.places.binary_search(&place).expect("the record was read");
        &self.bytes[self.starts[found]..][..length]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Asked;
    use super::*;
    use crate::seek::read_seek;

    const PEOPLE: usize = 5;
    const VARIANTS: u32 = 50;

    /// The number of ALT copies of a person; 3 for a missing genotype.
    fn copies(variant: u32, person: usize) -> u8 {
        // Two of three variants differ in one person from the preceding variant whose index is divisible by three.
        let (base, changed) = (variant - variant % 3, variant as usize % PEOPLE);
        let shift = if base != variant && person == changed { 1 } else { 0 };
        ((base as usize + 2 * person) % 3 + shift) as u8
    }

    fn packed(genotypes: &[u8]) -> Vec<u8> {
        let byte = |four: &[u8]| four.iter().rev().fold(0, |byte, copies| byte << 2 | copies);
        genotypes.chunks(4).map(byte).collect()
    }

    /// A file whose records contain all genotypes (type 0), or one that differs from another record (type 2).
    fn pgen() -> Vec<u8> {
        let is_complete = |variant: u32| variant.is_multiple_of(3);
        let record = |variant: u32| match variant as usize % PEOPLE {
            _ if is_complete(variant) => {
                packed(&(0..PEOPLE).map(|person| copies(variant, person)).collect::<Vec<u8>>())
            }
            changed => vec![1, changed as u8, copies(variant, changed)],
        };
        let types: Vec<u8> =
            (0..VARIANTS).map(|variant| if is_complete(variant) { 0 } else { 2 }).collect();
        let records: Vec<Vec<u8>> = (0..VARIANTS).map(record).collect();
        let start = 20 + types.len().div_ceil(2) + records.len();
        [
            &[0x6c, 0x1b, 0x10][..],
            &VARIANTS.to_le_bytes(),
            &(PEOPLE as u32).to_le_bytes(),
            &[0x40],
            &(start as u64).to_le_bytes(),
            &types.chunks(2).map(|two| two[0] | two[1] << 4).collect::<Vec<u8>>(),
            &records.iter().map(|record| record.len() as u8).collect::<Vec<u8>>(),
            &records.concat(),
        ]
        .concat()
    }

    #[test]
    fn batches_and_shares_are_put_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cohort.pgen");
        std::fs::write(&path, pgen()).unwrap();
        let run = Run::new(Some(2)).unwrap();
        let source = Source::open(&path, &run).unwrap();
        let asked =
            Asked { people: (&path, PEOPLE), variants: (&path, &[true; VARIANTS as usize]) };
        let (index, _) = Index::read(&source, &asked).unwrap();
        let mut pgen = Pgen::new(source, &Arc::new(index)).unwrap();
        // PLINK 1's code of ALT copies, and of a missing genotype.
        let expected = |variant: u32| {
            let code = |person: usize| [3, 2, 0, 1][usize::from(copies(variant, person))];
            packed(&(0..PEOPLE).map(code).collect::<Vec<u8>>())
        };
        let small = Sizes { batch: 16, share_bytes: 1, share_variants: 4 };
        let orders =
            [(0..VARIANTS).collect(), (0..VARIANTS).rev().step_by(2).collect::<Vec<u32>>()];
        for (sizes, variants) in
            [SIZES, small].iter().flat_map(|sizes| orders.iter().map(move |order| (sizes, order)))
        {
            pgen.sizes = *sizes;
            let mut out = vec![0; variants.len() * PackedGenotypes::bytes_of(PEOPLE)];
            let mut file = read_seek(pgen.source()).unwrap();
            pgen.read_variants(&mut *file, variants, &mut out).unwrap();
            let expected: Vec<u8> =
                variants.iter().flat_map(|&variant| expected(variant)).collect();
            assert_eq!(out, expected, "{sizes:?}");
        }
    }
}
