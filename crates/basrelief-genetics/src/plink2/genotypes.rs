//! Genotypes of a `.pgen` file, read in any order.

use std::io::SeekFrom;
use std::sync::Arc;

use basrelief::data::PackedGenotypes;
use basrelief::{DataError, Error, Result, Run};
use basrelief_io::Source;
use rayon::prelude::*;

use super::index::{Index, Record};
use super::record::{clear_behind, decode, longest, to_bed};
use crate::seek::ReadSeek;

/// Variants whose records are read before threads share them. Few in tests, whose files are small.
const BATCH: usize = if cfg!(test) { 16 } else { 1 << 14 };

/// Bytes of genotypes that a thread makes at a time, about, and variants at least: each share needs the record that its
/// first one differs from.
const SHARE: usize = 1 << 16;
const SHARE_VARIANTS: usize = if cfg!(test) { 4 } else { 16 };

/// Bytes between two records that are read rather than passed over.
const GAP: u64 = 1 << 12;

/// A file of which it is known where its records are.
pub(crate) struct Pgen<'r> {
    source: Source<'r>,
    index: Arc<Index>,
    run: &'r Run,
}

impl<'r> Pgen<'r> {
    /// The file of an index, looked at again.
    ///
    /// # Errors
    /// It has another size.
    pub(crate) fn new(source: Source<'r>, index: &Arc<Index>) -> Result<Self> {
        if source.size() != index.size() {
            let problem =
                format!("{} bytes, where there were {} before", source.size(), index.size());
            return Err(source.data(&problem, "leave the file as it is while it is read"));
        }
        let run = source.run();
        Ok(Self { source, index: Arc::clone(index), run })
    }

    /// The file.
    pub(crate) fn source(&self) -> &Source<'r> {
        &self.source
    }

    /// Replaces `out` by the genotypes of some variants, in PLINK 1's code, A1 being ALT.
    ///
    /// # Errors
    /// The file cannot be read any more, or a record is damaged.
    pub(crate) fn read_variants(
        &self,
        file: &mut dyn ReadSeek,
        variants: &[u32],
        out: &mut [u8],
    ) -> Result<()> {
        let stride = PackedGenotypes::bytes_of(self.index.people()).max(1);
        let batches = variants.chunks(BATCH).zip(out.chunks_mut(BATCH * stride));
        for (variants, out) in batches {
            let records = self.load(file, variants)?;
            let of_share = (SHARE / stride).max(SHARE_VARIANTS);
            let shares = variants.par_chunks(of_share).zip(out.par_chunks_mut(of_share * stride));
            let decoded: Vec<Result<()>> = self.run.install(|| {
                shares.map(|(variants, out)| self.decode(&records, variants, out)).collect()
            });
            // Of several errors the first is told, for any number of threads.
            decoded.into_iter().collect::<Result<()>>()?;
        }
        Ok(())
    }

    /// Reads the records of some variants, and those that they differ from.
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

    /// How many bytes of a record are read: what lies behind the main track is not.
    fn read_of(&self, record: Record) -> u64 {
        record.length.min(longest(self.index.people()))
    }

    /// Puts the genotypes of some variants to `out`.
    fn decode(&self, records: &Loaded, variants: &[u32], out: &mut [u8]) -> Result<()> {
        let people = self.index.people();
        let stride = PackedGenotypes::bytes_of(people);
        let read = |place: u32, base: &[u8], out: &mut [u8]| {
            let record = self.index.record(place);
            let bytes = records.bytes(place, self.read_of(record) as usize);
            decode(record.kind, bytes, people, base, out).map_err(|problem| -> Error {
                let problem = format!("the record of variant {}: {problem}", place + 1);
                let help = "the file is damaged: fetch or copy it again";
                self.source.place(DataError::new(problem, help))
            })
        };
        // The record that the last one differed from, as most that follow each other differ from one.
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

/// Records that were read.
struct Loaded {
    /// Which they are, ascending, and where each begins in `bytes`.
    places: Vec<u32>,
    starts: Vec<usize>,
    bytes: Vec<u8>,
}

impl Loaded {
    /// The first bytes of a record.
    ///
    /// # Panics
    /// It was not read.
    fn bytes(&self, place: u32, length: usize) -> &[u8] {
        let found = self.places.binary_search(&place).expect("the record was read");
        &self.bytes[self.starts[found]..][..length]
    }
}
