//! The header of a `.pgen` file: the location and the type of the record of each variant.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use basrelief::data::PackedGenotypes;
use basrelief::{Error, Result, Warning};
use basrelief_io::Source;

use super::record::{Kind, little_endian, longest};
use crate::metadata::lines::{counted, name_of};
use crate::seek::read_seek;

/// The first two bytes of a `.pgen` file.
const MAGIC: [u8; 2] = [0x6c, 0x1b];

/// The size of the fixed part of the header in bytes.
const START: usize = 12;

/// The number of variants per block. The header contains the start of the first record of each block, and the lengths
/// of its records.
const BLOCK: usize = 1 << 16;

/// The locations of the records of the variants that are read.
#[derive(Debug)]
pub(crate) struct Index {
    /// The size of the file in bytes.
    size: u64,
    people: usize,
    records: Vec<Record>,
    /// The record of each variant that is read.
    kept: Vec<u32>,
}

/// The location and the type of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) start: u64,
    pub(super) length: u64,
    /// The record from which it may differ: the last one before it that is not a list of differences, or itself.
    pub(super) base: u32,
    pub(super) kind: Kind,
}

/// The people and variants that a `.pgen` file must contain.
pub(crate) struct Asked<'a> {
    /// The `.psam` file, and its number of people.
    pub(crate) people: (&'a Path, usize),
    /// The `.pvar` file, and for each of its variants whether it is read, which requires a single ALT allele.
    pub(crate) variants: (&'a Path, &'a [bool]),
}

impl Index {
    /// Reads the header of a file. Warnings report the tracks of its records that are ignored.
    ///
    /// # Errors
    /// The file cannot be read, is not a supported `.pgen` file, has other numbers of people or variants, or is
    /// truncated.
    pub(crate) fn read(source: &Source<'_>, asked: &Asked<'_>) -> Result<(Self, Vec<Warning>)> {
        let mut file = read_seek(source)?;
        let mut start = Vec::new();
        let read = (&mut file).take(START as u64).read_to_end(&mut start);
        read.map_err(|cause| source.read_error(cause))?;
        let control = control(source, &start, asked)?;
        let (people, variants) = (asked.people.1, asked.variants.1.len());
        let header = Header { source, people, variants, control };
        let records = match start[2] {
            mode @ (0x02..=0x04) => header.of_one_width(mode)?,
            _ => header.of_any_width(&mut file)?,
        };
        let index = Self { size: source.size(), people, records, kept: kept(source, asked)? };
        index.check_alleles(source, asked)?;
        let warnings = index.warnings();
        Ok((index, warnings))
    }

    /// The number of people in the file.
    pub(super) fn people(&self) -> usize {
        self.people
    }

    /// The size of the file in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The index of the record of a variant that is read.
    pub(super) fn place(&self, variant: u32) -> u32 {
        self.kept[variant as usize]
    }

    pub(super) fn record(&self, place: u32) -> Record {
        self.records[place as usize]
    }

    /// Refuses records with more alleles than their variants have.
    ///
    /// # Errors
    /// A record has more alleles than its variant.
    fn check_alleles(&self, source: &Source<'_>, asked: &Asked<'_>) -> Result<()> {
        match self.kept.iter().find(|place| self.record(**place).kind.has_alleles()) {
            None => Ok(()),
            Some(place) => Err(source.data(
                &format!(
                    "the record of variant {} has several ALT alleles, but {} has only one",
                    place + 1,
                    name_of(asked.variants.0)
                ),
                TOGETHER,
            )),
        }
    }

    /// Warnings about the tracks of the records that are ignored.
    fn warnings(&self) -> Vec<Warning> {
        let count = |has: fn(Kind) -> bool| {
            self.kept.iter().filter(|place| has(self.record(**place).kind)).count()
        };
        let warning = |code: &'static str, count: usize, one: &str, several: &str, rest: &str| {
            let what = counted(count, one, several);
            (count > 0).then(|| Warning::new(code, format!("{what}, {rest}")))
        };
        let all = [
            warning(
                "phases",
                count(Kind::has_phases),
                "variant has phases",
                "variants have phases",
                "which are ignored",
            ),
            warning(
                "dosages",
                count(Kind::has_dosages),
                "variant has dosages",
                "variants have dosages",
                "which are ignored: hard calls are used, and genotypes without a hard call are missing",
            ),
        ];
        all.into_iter().flatten().collect()
    }
}

/// The help for unsupported formats.
fn to_bed(source: &Source<'_>) -> String {
    let name = name_of(&source.path().with_extension(""));
    format!("make a .bed file with PLINK 2: plink2 --pfile {name} --make-bed --out {name}")
}

/// The help for files with other numbers of people or variants.
const TOGETHER: &str = "give three complete files that belong together";

/// Returns the byte that specifies the format of the rest of the header.
///
/// # Errors
/// The file is not a supported `.pgen` file, or has other numbers of people or variants.
fn control(source: &Source<'_>, start: &[u8], asked: &Asked<'_>) -> Result<u8> {
    let to_bed = to_bed(source);
    match *start {
        [first, second, mode, ..] if [first, second] == MAGIC => {
            let problem = match mode {
                0x02..=0x04 | 0x10 => None,
                0x00 | 0x01 => Some((
                    "it is a .bed file of PLINK 1, not a .pgen file".to_string(),
                    "rename it to .bed, with .bim and .fam next to it".to_string(),
                )),
                0x11 => Some(("it has extensions (storage mode 0x11)".to_string(), to_bed)),
                0x20 | 0x21 => Some((
                    format!("its header is in a separate file (storage mode {mode:#04x})"),
                    to_bed,
                )),
                _ => Some((format!("its storage mode {mode:#04x} is unknown"), to_bed)),
            };
            if let Some((problem, help)) = problem {
                return Err(source.data(&problem, &help));
            }
        }
        _ => {
            let found: Vec<String> =
                start.iter().take(3).map(|byte| format!("{byte:02x}")).collect();
            return Err(source.data(
                &format!("it does not begin like a .pgen file (6c 1b 10, not {})", found.join(" ")),
                "give a genotype file of PLINK 2",
            ));
        }
    }
    let &[_, _, _, ref counts @ .., control] = start else { return Err(cut_short(source)) };
    if counts.len() != 8 {
        return Err(cut_short(source));
    }
    let (variants, people) = (little_endian(&counts[..4]), little_endian(&counts[4..]));
    let ((psam, wanted_people), (pvar, wanted_variants)) = (asked.people, asked.variants);
    if (variants, people) != (wanted_variants.len() as u64, wanted_people as u64) {
        return Err(source.data(
            &format!(
                "it contains {people} people and {variants} variants, but {} has {wanted_people} people and {} has {} \
                 variants",
                name_of(psam),
                name_of(pvar),
                wanted_variants.len()
            ),
            TOGETHER,
        ));
    }
    Ok(control)
}

fn cut_short(source: &Source<'_>) -> Error {
    source.data("it is truncated in its header", "download or copy the file again")
}

/// Returns the indices of the variants that are read.
///
/// # Errors
/// There are more variants than indices of 32 bits.
fn kept(source: &Source<'_>, asked: &Asked<'_>) -> Result<Vec<u32>> {
    if u32::try_from(asked.variants.1.len()).is_err() {
        return Err(source.data("it has more variants than are supported", "split it"));
    }
    let places = (0..).zip(asked.variants.1);
    Ok(places.filter(|(_, is_kept)| **is_kept).map(|(place, _)| place).collect())
}

/// The content of a header.
struct Header<'a> {
    source: &'a Source<'a>,
    people: usize,
    variants: usize,
    control: u8,
}

impl Header<'_> {
    /// Whether the header has flags for variants with a provisional REF allele.
    fn has_marks(&self) -> bool {
        self.control >> 6 == 3
    }

    /// Returns the records of a file in which all records have the same type and length.
    ///
    /// # Errors
    /// The file does not have the expected size.
    fn of_one_width(&self, mode: u8) -> Result<Vec<Record>> {
        let genotypes = PackedGenotypes::bytes_of(self.people) as u64;
        let (kind, of_person) = match mode {
            0x02 => (0x00, 0),
            0x03 => (0x40, 2),
            _ => (0xc0, 4),
        };
        let marks = if self.has_marks() { self.variants.div_ceil(8) as u64 } else { 0 };
        let (first, length) = (START as u64 + marks, genotypes + of_person * self.people as u64);
        let wanted = length.saturating_mul(self.variants as u64).saturating_add(first);
        let size = self.source.size();
        if size != wanted {
            return Err(self.source.data(
                &format!(
                    "it has {size} bytes, but {} people and {} variants need {wanted}",
                    self.people, self.variants
                ),
                "download or copy the file again",
            ));
        }
        let record = |variant: u32| Record {
            start: first + length * u64::from(variant),
            length,
            base: variant,
            kind: Kind(kind),
        };
        Ok((0..self.variants as u32).map(record).collect())
    }

    /// Returns the records of a file in which each record has its type and length.
    ///
    /// # Errors
    /// The file cannot be read, is truncated or longer than its records, the format of the header is unknown, or a
    /// record is invalid.
    fn of_any_width(&self, file: &mut (impl Read + Seek)) -> Result<Vec<Record>> {
        if self.control & 0b1000 != 0 {
            let problem = format!("the format of its header ({:#04x}) is unknown", self.control);
            return Err(self.source.data(&problem, &to_bed(self.source)));
        }
        let blocks = self.variants.div_ceil(BLOCK);
        let in_block = |block: usize| BLOCK.min(self.variants - block * BLOCK);
        let starts_end = (START + 8 * blocks) as u64;
        let end =
            starts_end + (0..blocks).map(|block| self.block_bytes(in_block(block))).sum::<u64>();
        // This limits the memory that is allocated below to the size of the file.
        if end > self.source.size() {
            return Err(cut_short(self.source));
        }
        let mut read = |from: u64, length: usize| -> Result<Vec<u8>> {
            let mut bytes = vec![0; length];
            let found = file.seek(SeekFrom::Start(from)).and_then(|_| file.read_exact(&mut bytes));
            found.map_err(|cause| self.source.read_error(cause))?;
            Ok(bytes)
        };
        let starts = read(START as u64, 8 * blocks)?;
        let mut records = Records { header: self, all: Vec::with_capacity(self.variants), end };
        let mut from = starts_end;
        for (block, start) in starts.chunks_exact(8).enumerate() {
            let length = self.block_bytes(in_block(block));
            let bytes = read(from, length as usize)?;
            records.add_block(little_endian(start), &bytes, in_block(block))?;
            from += length;
        }
        let (end, size) = (records.end, self.source.size());
        if end != size {
            return Err(self.source.data(
                &format!("it has {size} bytes, but the records of its variants need {end}"),
                "download or copy the file again",
            ));
        }
        Ok(records.all)
    }

    /// Whether a type takes a byte instead of half a byte.
    fn has_wide_types(&self) -> bool {
        self.control & 0b100 != 0
    }

    /// The number of bytes of the length of a record.
    fn length_bytes(&self) -> usize {
        usize::from(self.control & 0b11) + 1
    }

    /// The number of bytes of the types of `variants` variants.
    fn type_bytes(&self, variants: usize) -> usize {
        if self.has_wide_types() { variants } else { variants.div_ceil(2) }
    }

    /// The number of bytes in the header for a block of `variants` variants: types, lengths, allele counts and flags.
    fn block_bytes(&self, variants: usize) -> u64 {
        let counts = usize::from(self.control >> 4 & 0b11) * variants;
        let marks = if self.has_marks() { variants.div_ceil(8) } else { 0 };
        (self.type_bytes(variants) + self.length_bytes() * variants + counts + marks) as u64
    }
}

/// The records found so far.
struct Records<'h> {
    header: &'h Header<'h>,
    all: Vec<Record>,
    /// The end of the last record.
    end: u64,
}

impl Records<'_> {
    /// Adds the records of a block. `start` is the start of its first record, and `bytes` is its part of the header.
    ///
    /// # Errors
    /// The block overlaps the data before it; a record ends after the end of the file, is longer than its genotypes can
    /// be, or has no record from which it differs.
    fn add_block(&mut self, start: u64, bytes: &[u8], variants: usize) -> Result<()> {
        let header = self.header;
        let source = header.source;
        if start < self.end {
            let problem =
                format!("the block of variant {} overlaps the data before it", self.all.len() + 1);
            return Err(source.data(&problem, DAMAGED));
        }
        let (types, rest) = bytes.split_at(header.type_bytes(variants));
        let width = header.length_bytes();
        let mut base = None;
        self.end = start;
        for (variant, length) in rest.chunks_exact(width).take(variants).enumerate() {
            let kind = Kind(match header.has_wide_types() {
                true => types[variant],
                false => types[variant / 2] >> (4 * (variant % 2)) & 0xf,
            });
            let place = self.all.len() as u32;
            let wrong = |problem: &str| {
                Err(source.data(&format!("the record of variant {} {problem}", place + 1), DAMAGED))
            };
            if !kind.has_base() {
                base = Some(place);
            }
            let Some(base) = base else {
                return wrong("refers to an earlier record, but is the first of its block");
            };
            let length = little_endian(length);
            let record = Record { start: self.end, length, base, kind };
            // Saturating, because the start of a block may be any number.
            self.end = self.end.saturating_add(length);
            if self.end > source.size() {
                return wrong("ends after the end of the file");
            }
            if kind.is_alone() && length > longest(header.people) {
                return wrong("is longer than genotypes can be");
            }
            self.all.push(record);
        }
        Ok(())
    }
}

/// The help for inconsistent files.
const DAMAGED: &str = "the file is damaged or truncated: download or copy it again";
