//! A record of a VCF: a variant, and the genotypes of all samples.

use basrelief::DataError;
use basrelief::data::PackedGenotypes;

use super::genotype::{CODES, Call, MISSING};
use super::header::{FIXED, check_not_empty, second_header};
use crate::metadata::chromosomes::Genome;

/// What a line of a VCF says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Record {
    /// A variant with one allele in ALT, or none.
    Variant(Variant),
    /// A variant with several alleles in ALT.
    MultiAllelic,
    /// A variant without GT.
    WithoutGenotypes,
}

/// A variant with genotypes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) chromosome: String,
    pub(super) position: u64,
    pub(super) id: String,
    pub(super) reference: String,
    /// ALT; `0`, as for PLINK, where there is none.
    pub(super) alternative: String,
    /// Genotypes of four samples a byte, in PLINK's code, A1 being ALT.
    pub(super) packed: Vec<u8>,
    /// Genotypes of one allele where everybody has two, which are missing.
    pub(super) haploid: usize,
    /// Genotypes of which one allele is missing, which are missing.
    pub(super) half: usize,
}

impl Record {
    /// From a line, without its end.
    ///
    /// # Errors
    /// What is wrong, with the column: an empty line or one of a header, another number of columns than the header has, a
    /// position that is no number, or a genotype that is none.
    pub(super) fn parse(
        line: &[u8],
        samples: &[String],
        genome: Genome,
    ) -> Result<Self, DataError> {
        check_not_empty(line)?;
        if line.starts_with(b"#") {
            return Err(second_header());
        }
        let columns = FIXED.len() + samples.len();
        let wrong_count = || {
            let found = line.iter().filter(|byte| **byte == b'\t').count() + 1;
            let problem = format!("{found} columns where the header has {columns}");
            let help = "separate columns by tabs, and give every sample a genotype; if it is the last line, the file \
                        may be cut short";
            DataError::new(problem, help)
        };
        let mut fields = line.splitn(FIXED.len() + 1, |byte| *byte == b'\t');
        let mut fixed: [&[u8]; FIXED.len()] = [b""; FIXED.len()];
        for field in &mut fixed {
            *field = fields.next().ok_or_else(wrong_count)?;
        }
        let genotypes = fields.next().ok_or_else(wrong_count)?;
        let [chromosome, position, id, reference, alternative, .., format] = fixed;
        let gt = format.split(|byte| *byte == b':').position(|key| key == b"GT");
        let (Some(gt), false) = (gt, alternative.contains(&b',')) else {
            // Genotypes that are not taken are not looked at, but they must be there.
            let tabs = genotypes.iter().filter(|byte| **byte == b'\t').count();
            return match (tabs + 1 == samples.len(), gt) {
                (false, _) => Err(wrong_count()),
                (true, Some(_)) => Ok(Record::MultiAllelic),
                (true, None) => Ok(Record::WithoutGenotypes),
            };
        };
        let chromosome = name("CHROM", chromosome)?;
        let (alternative, alternatives) = match alternative {
            b"." => ("0".to_string(), 0),
            _ => (name("ALT", alternative)?, 1),
        };
        let scan = Scan { samples, gt, alternatives, is_haploid: genome.is_haploid(&chromosome) };
        let found = scan.genotypes(genotypes)?.ok_or_else(wrong_count)?;
        Ok(Record::Variant(Variant {
            chromosome,
            position: number(position)?,
            id: name("ID", id)?,
            reference: name("REF", reference)?,
            alternative,
            packed: found.packed,
            haploid: found.haploid,
            half: found.half,
        }))
    }
}

/// A text that must be there.
fn name(column: &str, bytes: &[u8]) -> Result<String, DataError> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() => Ok(text.to_string()),
        Ok(_) => {
            Err(DataError::new("it is empty", "write a dot where it is not known")
                .in_column(column))
        }
        Err(_) => {
            let problem = "bytes that are no text in UTF-8";
            Err(DataError::new(problem, "save the file as UTF-8").in_column(column))
        }
    }
}

/// A position.
fn number(bytes: &[u8]) -> Result<u64, DataError> {
    let text = String::from_utf8_lossy(bytes);
    let wrong = |_| {
        let problem = "a whole number of base pairs expected";
        let help = "correct the line, or move its columns where they belong";
        DataError::new(problem, help).in_column("POS").with_value(&text)
    };
    text.parse().map_err(wrong)
}

/// How the genotypes of a record are to be read.
struct Scan<'a> {
    samples: &'a [String],
    /// The place of GT in a sample's column.
    gt: usize,
    alternatives: u32,
    /// Whether the chromosome is X, Y or MT, of which some have one copy.
    is_haploid: bool,
}

/// The genotypes of a record.
#[derive(Default)]
struct Genotypes {
    packed: Vec<u8>,
    haploid: usize,
    half: usize,
}

impl Scan<'_> {
    /// The genotypes of all samples; `None` where there are not as many columns.
    ///
    /// # Errors
    /// A genotype that is none, with its sample.
    fn genotypes(&self, bytes: &[u8]) -> Result<Option<Genotypes>, DataError> {
        let people = self.samples.len();
        let packed = vec![0; PackedGenotypes::bytes_of(people)];
        let mut found = Genotypes { packed, ..Genotypes::default() };
        // Where the next column begins: behind the end of the line where there is none.
        let mut start = 0;
        for (person, sample) in self.samples.iter().enumerate() {
            if start > bytes.len() {
                return Ok(None);
            }
            let rest = &bytes[start..];
            let (code, length) = match self.usual(rest) {
                Some(usual) => usual,
                None => {
                    let length = to_tab(rest);
                    (self.code(&rest[..length], sample, &mut found)?, length)
                }
            };
            found.packed[person / 4] |= code << (2 * (person % 4));
            start += length + 1;
        }
        Ok((start == bytes.len() + 1).then_some(found))
    }

    /// The code of a column, and its length, where it begins as most do: GT comes first and is of two alleles that are
    /// both 0 or 1, or both missing.
    #[inline]
    fn usual(&self, rest: &[u8]) -> Option<(u8, usize)> {
        let &[first, b'/' | b'|', second, end @ (b'\t' | b':'), ..] = rest else { return None };
        let code = match (first, second) {
            (b'0', b'0') => CODES[0],
            (b'0', b'1') | (b'1', b'0') if self.alternatives > 0 => CODES[1],
            (b'1', b'1') if self.alternatives > 0 => CODES[2],
            (b'.', b'.') => MISSING,
            _ => return None,
        };
        let length = || if end == b'\t' { 3 } else { 4 + to_tab(&rest[4..]) };
        (self.gt == 0).then(|| (code, length()))
    }

    /// The code of any column.
    ///
    /// # Errors
    /// Its GT is none.
    fn code(&self, column: &[u8], sample: &str, found: &mut Genotypes) -> Result<u8, DataError> {
        // What is missing at the end of a column may be left out.
        let Some(text) = column.split(|byte| *byte == b':').nth(self.gt) else {
            return Ok(MISSING);
        };
        let call = Call::parse(text, self.alternatives).map_err(|problem| {
            let help = "correct the genotype, or leave the record out";
            let text = String::from_utf8_lossy(text);
            DataError::new(problem, help).in_column(sample).with_value(&text)
        })?;
        Ok(match call {
            Call::Diploid(Some(one), Some(other)) => CODES[(one + other) as usize],
            Call::Diploid(None, None) | Call::Haploid(None) => MISSING,
            Call::Diploid(..) => {
                found.half += 1;
                MISSING
            }
            // As PLINK does, one copy counts as two where there is only one.
            Call::Haploid(Some(only)) if self.is_haploid => CODES[2 * only as usize],
            Call::Haploid(Some(_)) => {
                found.haploid += 1;
                MISSING
            }
        })
    }
}

/// The length of what stands before the next tab.
fn to_tab(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\t').unwrap_or(bytes.len())
}
