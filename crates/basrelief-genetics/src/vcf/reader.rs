//! Reads a VCF: the header, then the records in pieces that are parsed by several threads.

use std::collections::HashSet;
use std::path::Path;

use basrelief::data::Locus;
use basrelief::wording::quoted;
use basrelief::{DataError, Error, Result, Warning};
use basrelief_io::Source;
use rayon::prelude::*;

use super::header::{
    CONTIG, FIXED, check_first, check_not_empty, contig, is_first, samples, second_header,
};
use super::record::{self, Record};
use crate::metadata::chromosomes::Genome;
use crate::metadata::lines::{Lines, counted, kept_of};
use crate::metadata::people::{self, Sample};
use crate::metadata::variants::{self, Chromosomes, Variant};
use crate::stored::Stored;

/// The approximate number of bytes of lines that are read before threads parse them.
const PIECE_BYTES: usize = 1 << 22;

/// The maximum number of lines of a piece, because empty lines take few bytes.
const MOST_LINES: usize = 1 << 14;

/// Memory of a declared chromosome in bytes, without its name.
const KEPT_OF_CONTIG: u64 = 100;

/// Whether a file is a VCF, by its name: `.vcf`, `.vcf.gz` or `.vcf.bgz`.
pub fn is_vcf(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    [".vcf", ".vcf.gz", ".vcf.bgz"].iter().any(|ending| name.ends_with(ending))
}

/// A VCF whose header has been read.
pub(crate) struct VcfReader<'s> {
    source: &'s Source<'s>,
    lines: Lines<'s>,
    genome: Genome,
    names: Vec<String>,
    /// The chromosomes that the header declares.
    contigs: HashSet<String>,
    /// The number of bytes of lines read at a time ([`PIECE_BYTES`]).
    piece_bytes: usize,
}

/// The content of the records.
pub(crate) struct VcfRecords {
    /// The variants with at most one allele in ALT.
    pub(crate) variants: Vec<Variant>,
    /// Their genotypes; A1 is ALT.
    pub(crate) genotypes: Stored,
    /// Warnings about excluded records.
    pub(crate) warnings: Vec<Warning>,
}

/// The numbers of records and genotypes that are not used.
#[derive(Default)]
struct LeftOut {
    multi_allelic: usize,
    without_genotypes: usize,
    haploid: usize,
    half: usize,
}

impl<'s> VcfReader<'s> {
    /// Reads the header.
    ///
    /// # Errors
    /// The file cannot be read, is not a VCF, or has no samples.
    pub(crate) fn open(source: &'s Source<'s>, genome: Genome) -> Result<Self> {
        let lines = Lines::open(source, Some(&source.stage("")))?;
        let (names, contigs) = (Vec::new(), HashSet::new());
        let mut reader = Self { source, lines, genome, names, contigs, piece_bytes: PIECE_BYTES };
        let mut line = Vec::new();
        loop {
            line.clear();
            if !reader.lines.next(&mut line)? {
                let problem = "it has no header line (#CHROM POS ID …)";
                return Err(source.data(problem, "give a complete VCF"));
            }
            let text = without_end(&line);
            // Memory is checked before the line is parsed: a line of tabs could name millions of samples.
            reader.lines.keep(kept_of_header(text))?;
            if reader.header_line(text).map_err(|error| reader.located(error))? {
                return Ok(reader);
            }
        }
    }

    /// Parses a line of the header. Returns `true` for the last line, which names the samples.
    ///
    /// # Errors
    /// The line is not a valid header line.
    fn header_line(&mut self, line: &[u8]) -> std::result::Result<bool, DataError> {
        check_not_empty(line)?;
        if self.lines.number() == 1 {
            check_first(line)?;
        } else if is_first(line) {
            return Err(second_header());
        }
        if line.starts_with(b"##") {
            self.contigs.extend(contig(line));
            return Ok(false);
        }
        if !line.starts_with(b"#CHROM") {
            return Err(DataError::new(
                "there is no header line (#CHROM POS ID …) before this line",
                "add the line that names columns and samples",
            ));
        }
        self.names = samples(line)?;
        Ok(true)
    }

    /// The people. FID and IID are both the sample's name; everything else is unknown.
    pub(crate) fn people(&self) -> Vec<Sample> {
        let unknown = || "0".to_string();
        let person = |name: &String| Sample {
            family: name.clone(),
            id: name.clone(),
            father: unknown(),
            mother: unknown(),
            sex: unknown(),
            phenotype: "-9".to_string(),
            line: self.lines.number(),
        };
        self.names.iter().map(person).collect()
    }

    /// Reads all records.
    ///
    /// # Errors
    /// The file cannot be read; a record is damaged; no record has genotypes and at most two alleles; memory and disk
    /// are too small for the genotypes; [`Error::Cancelled`].
    pub(crate) fn records(mut self) -> Result<VcfRecords> {
        let run = self.source.run();
        let mut genotypes = Stored::new(self.source.path(), self.names.len());
        let (mut variants, mut left_out) = (Variants::default(), LeftOut::default());
        let mut piece = Piece::default();
        while self.fill(&mut piece)? {
            run.check()?;
            let first = self.lines.number() + 1 - piece.ends.len() as u64;
            let (names, genome) = (&self.names, self.genome);
            let records: Vec<_> = run.install(|| {
                let all = (0..piece.ends.len()).into_par_iter();
                all.map(|place| Record::parse(piece.line(place), names, genome)).collect()
            });
            for (line, record) in (first..).zip(records) {
                match record.map_err(|error| self.lines.located(line, error))? {
                    Record::MultiAllelic => left_out.multi_allelic += 1,
                    Record::WithoutGenotypes => left_out.without_genotypes += 1,
                    Record::Variant(variant) => {
                        left_out.haploid += variant.haploid;
                        left_out.half += variant.half;
                        genotypes.push(&variant.packed, run)?;
                        self.lines.keep(variants.push(variant, line))?;
                    }
                }
            }
        }
        if variants.all.is_empty() {
            let problem = match (left_out.multi_allelic, left_out.without_genotypes) {
                (0, 0) => "there are no records after its header".to_string(),
                (several, none) => format!(
                    "no record has genotypes (GT) and only two alleles: {several} have more alleles, {none} have no GT"
                ),
            };
            return Err(self.source.data(&problem, "give a VCF with genotypes"));
        }
        let mut warnings = left_out.warnings();
        warnings.extend(self.undeclared(&variants.all));
        Ok(VcfRecords { variants: variants.all, genotypes, warnings })
    }

    /// Returns a warning about variants on chromosomes that the header does not declare, if it declares any.
    fn undeclared(&self, variants: &[Variant]) -> Option<Warning> {
        if self.contigs.is_empty() {
            return None;
        }
        let is_declared = |variant: &&Variant| self.contigs.contains(&*variant.locus.chromosome);
        let mut others = variants.iter().filter(|variant| !is_declared(variant));
        let first = others.next()?;
        let text = format!(
            "{} on chromosomes that no ##contig line of the header declares; the first is {}, on line {}",
            counted(1 + others.count(), "variant is", "variants are"),
            quoted(&first.locus.chromosome),
            first.line
        );
        Some(Warning::new("undeclared-chromosomes", text))
    }

    /// Replaces a piece with the next lines. Returns `false` at the end of the file.
    fn fill(&mut self, piece: &mut Piece) -> Result<bool> {
        piece.bytes.clear();
        piece.ends.clear();
        while piece.bytes.len() < self.piece_bytes
            && piece.ends.len() < MOST_LINES
            && self.lines.next(&mut piece.bytes)?
        {
            piece.ends.push(piece.bytes.len());
        }
        Ok(!piece.ends.is_empty())
    }

    /// Adds the number of the last line that was read to an error.
    fn located(&self, error: DataError) -> Error {
        self.lines.located(self.lines.number(), error)
    }
}

/// The memory in bytes that is retained from a header line.
fn kept_of_header(line: &[u8]) -> u64 {
    let length = 2 * line.len() as u64;
    if line.starts_with(b"#CHROM") {
        let samples = line.iter().filter(|byte| **byte == b'\t').count() as u64;
        return people::KEPT * samples.saturating_sub(FIXED.len() as u64) + length;
    }
    if line.starts_with(CONTIG) { KEPT_OF_CONTIG + length } else { 0 }
}

/// Consecutive lines.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    /// The end of each line in `bytes`.
    ends: Vec<usize>,
}

impl Piece {
    /// A line without its end.
    fn line(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        without_end(&self.bytes[start..self.ends[place]])
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Variants with shared chromosome names.
#[derive(Default)]
struct Variants {
    all: Vec<Variant>,
    chromosomes: Chromosomes,
}

impl Variants {
    /// Adds a variant. Returns its memory in bytes.
    fn push(&mut self, variant: record::Variant, line: u64) -> u64 {
        let record::Variant { chromosome, position, id, reference, alternative, .. } = variant;
        let kept = kept_of(variants::KEPT, &[&id, &reference, &alternative]);
        let chromosome = self.chromosomes.shared(&chromosome);
        let locus = Locus { chromosome, position, id, counted: alternative, other: reference };
        self.all.push(Variant::new(locus, false, line));
        kept
    }
}

impl LeftOut {
    fn warnings(&self) -> Vec<Warning> {
        let all = [
            (
                "multi-allelic",
                self.multi_allelic,
                "record with several alleles in ALT was excluded; `bcftools norm --multiallelics -` splits it",
                "records with several alleles in ALT were excluded; `bcftools norm --multiallelics -` splits them",
            ),
            (
                "no-genotypes",
                self.without_genotypes,
                "record without genotypes (GT) was excluded",
                "records without genotypes (GT) were excluded",
            ),
            (
                "haploid-genotypes",
                self.haploid,
                "haploid genotype outside X, Y and MT was treated as missing",
                "haploid genotypes outside X, Y and MT were treated as missing",
            ),
            (
                "half-missing-genotypes",
                self.half,
                "genotype with one missing allele was treated as missing",
                "genotypes with one missing allele were treated as missing",
            ),
        ];
        let warning = |(code, count, one, several): (_, usize, _, _)| {
            (count > 0).then(|| Warning::new(code, counted(count, one, several)))
        };
        all.into_iter().filter_map(warning).collect()
    }
}

#[cfg(test)]
mod tests {
    use basrelief::Run;

    use super::*;

    /// Returns the line and the genotypes of each record of a VCF, read in pieces of about `piece_bytes` bytes.
    fn genotypes(piece_bytes: usize) -> Vec<(u64, Vec<u8>)> {
        let calls = ["0/0", "0/1", "1|1", "./."];
        let record = |at: usize| {
            let calls = [calls[at % 4], calls[at / 4 % 4], calls[at / 16 % 4]].join("\t");
            format!("1\t{}\tv{at}\tA\tG\t.\t.\t.\tGT\t{calls}\n", at + 1)
        };
        let records: String = (0..64).map(record).collect();
        let header = "##fileformat=VCFv4.2\n\
            #CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cohort.vcf");
        std::fs::write(&path, format!("{header}{records}")).unwrap();
        let run = Run::new(Some(2)).unwrap();
        let source = Source::open(&path, &run).unwrap();
        let reader = VcfReader::open(&source, Genome::default()).unwrap();
        let found = VcfReader { piece_bytes, ..reader }.records().unwrap();
        let lines = found.variants.iter().map(|variant| variant.line);
        lines.enumerate().map(|(at, line)| (line, found.genotypes.variant(at).to_vec())).collect()
    }

    #[test]
    fn pieces_are_put_together() {
        let all = genotypes(PIECE_BYTES);
        let of_lines: Vec<u64> = all.iter().map(|(line, _)| *line).collect();
        assert_eq!(of_lines, (3..67).collect::<Vec<u64>>());
        assert_eq!(all.iter().map(|(_, bytes)| bytes).collect::<HashSet<_>>().len(), 64);
        for piece_bytes in [1, 64, 300] {
            assert_eq!(genotypes(piece_bytes), all, "pieces of {piece_bytes} bytes");
        }
    }
}
