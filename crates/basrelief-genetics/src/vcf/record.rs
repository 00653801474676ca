//! A record of a VCF: a variant, and the genotypes of all samples.

use basrelief::DataError;
use basrelief::data::PackedGenotypes;

use super::genotype::Call;
use super::header::{FIXED, check_not_empty, second_header};
use crate::metadata::chromosomes::Genome;
use crate::stored::{CODES, MISSING};

/// The content of a line of a VCF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Record {
    /// A variant with at most one allele in ALT.
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
    /// ALT; `0` if there is none, as in PLINK.
    pub(super) alternative: String,
    /// The genotypes of four samples per byte, in PLINK's code with ALT as A1.
    pub(super) packed: Vec<u8>,
    /// The number of haploid genotypes outside X, Y and MT, which are treated as missing.
    pub(super) haploid: usize,
    /// The number of genotypes with one missing allele, which are treated as missing.
    pub(super) half: usize,
}

impl Record {
    /// Parses a line, which is given without its line end.
    ///
    /// # Errors
    /// The line is empty or a header line; its number of columns differs from that of the header; the position is not a
    /// number; a genotype is invalid. The error reports the column.
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
            let problem = format!("{found} columns, but the header has {columns}");
            let help = "separate columns by tabs, and give every sample a genotype; if it is the last line, the file \
                        may be truncated";
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
            // Genotypes that are not used are not parsed, but their number is checked.
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
        let is_haploid = genome.is_haploid(&chromosome);
        let usual = usual_codes(gt, alternatives);
        let scan = Scan { samples, gt, alternatives, usual, is_haploid };
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

/// Returns a text that must not be empty.
fn name(column: &str, bytes: &[u8]) -> Result<String, DataError> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() => Ok(text.to_string()),
        Ok(_) => Err(DataError::new("the field is empty", "write a dot for an unknown value")
            .in_column(column)),
        Err(_) => {
            let problem = "the bytes are not valid UTF-8";
            Err(DataError::new(problem, "save the file as UTF-8").in_column(column))
        }
    }
}

/// Parses a position.
fn number(bytes: &[u8]) -> Result<u64, DataError> {
    let text = String::from_utf8_lossy(bytes);
    let wrong = |_| {
        let problem = "a whole number of base pairs expected";
        let help = "correct the line, or put its columns in the right order";
        DataError::new(problem, help).in_column("POS").with_value(&text)
    };
    text.parse().map_err(wrong)
}

/// The parameters for parsing the genotypes of a record.
struct Scan<'a> {
    samples: &'a [String],
    /// The index of GT in a sample's column.
    gt: usize,
    alternatives: u32,
    /// See [`usual_codes`].
    usual: [u8; 16],
    /// Whether the chromosome is X, Y or MT, of which some people have only one copy.
    is_haploid: bool,
}

/// No code of a genotype.
const UNUSUAL: u8 = u8::MAX;

/// The codes of common genotypes: GT comes first and has two alleles that are each 0 or 1, or both missing. The place of a
/// code is 4 times the first character plus the second, which are counted from `.`; `/` takes the place between `.` and `0`.
fn usual_codes(gt: usize, alternatives: u32) -> [u8; 16] {
    let mut codes = [UNUSUAL; 16];
    if gt == 0 {
        codes[0] = MISSING;
        codes[4 * 2 + 2] = CODES[0];
        if alternatives > 0 {
            codes[4 * 2 + 3] = CODES[1];
            codes[4 * 3 + 2] = CODES[1];
            codes[4 * 3 + 3] = CODES[2];
        }
    }
    codes
}

/// The genotypes of a record.
#[derive(Default)]
struct Genotypes {
    packed: Vec<u8>,
    haploid: usize,
    half: usize,
}

impl Scan<'_> {
    /// Parses the genotypes of all samples. Returns `None` if the number of columns is not the number of samples.
    ///
    /// # Errors
    /// A genotype is invalid. The error reports the sample.
    fn genotypes(&self, bytes: &[u8]) -> Result<Option<Genotypes>, DataError> {
        let people = self.samples.len();
        let packed = vec![0; PackedGenotypes::bytes_of(people)];
        let mut found = Genotypes { packed, ..Genotypes::default() };
        // The start of the next column; after the end of the line if there is none.
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

    /// Returns the code and the length of a column with a common genotype. Otherwise returns `None`. The genotype is
    /// looked up, because a processor cannot predict branches that depend on it.
    #[inline]
    fn usual(&self, rest: &[u8]) -> Option<(u8, usize)> {
        let &[first, b'/' | b'|', second, end @ (b'\t' | b':'), ..] = rest else { return None };
        let [first, second] = [first, second].map(|allele| usize::from(allele.wrapping_sub(b'.')));
        if (first | second) > 3 {
            return None;
        }
        let code = self.usual[4 * first + second];
        let length = || if end == b'\t' { 3 } else { 4 + to_tab(&rest[4..]) };
        (code != UNUSUAL).then(|| (code, length()))
    }

    /// Returns the code of any column.
    ///
    /// # Errors
    /// The genotype is invalid.
    fn code(&self, column: &[u8], sample: &str, found: &mut Genotypes) -> Result<u8, DataError> {
        // Missing values at the end of a column may be omitted.
        let Some(text) = column.split(|byte| *byte == b':').nth(self.gt) else {
            return Ok(MISSING);
        };
        let call = Call::parse(text, self.alternatives).map_err(|problem| {
            let help = "correct the genotype, or remove the record";
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
            // As in PLINK, one copy counts as two if the chromosome is haploid.
            Call::Haploid(Some(only)) if self.is_haploid => CODES[2 * only as usize],
            Call::Haploid(Some(_)) => {
                found.haploid += 1;
                MISSING
            }
        })
    }
}

/// The number of bytes before the next tab.
fn to_tab(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\t').unwrap_or(bytes.len())
}
