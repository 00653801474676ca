//! `.tped` files: a line per variant.

use std::path::Path;

use basrelief::data::PackedGenotypes;
use basrelief::{DataError, Result};
use basrelief_io::Source;

use super::alleles::{Alleles, Groups, Letters, Ploidy};
use super::{Fields, MultiAllelic, TextGenotypes, compound, wrong_count};
use crate::metadata::chromosomes::Genome;
use crate::metadata::lines::{Lines, counted, kept_of, name_of};
use crate::metadata::variants::{self, Chromosomes, NO_ALLELE, Variant};
use crate::stored::Stored;

/// The number of fields before the alleles: CHROM, ID, CM and POS.
const FIELDS: usize = 4;

/// Reads a `.tped` file. `tfam` is the file that lists the people.
///
/// # Errors
/// The file cannot be read or lists no variants; a line has the wrong number of fields; a centimorgan or base-pair
/// position is not a number; one of the two alleles of a genotype is missing; a variant has too many alleles; memory
/// and disk are too small for the genotypes; [`basrelief::Error::Cancelled`].
pub(crate) fn read_tped(
    source: &Source<'_>,
    groups: &Groups,
    tfam: &Path,
    genome: Genome,
) -> Result<TextGenotypes> {
    let run = source.run();
    let mut genotypes = Stored::new(source.path(), groups.people());
    let (mut variants, mut several) = (Vec::new(), MultiAllelic::default());
    let mut reader = Reader { groups, chromosomes: Chromosomes::default(), codes: Vec::new() };
    let mut lines = Lines::open(source, Some(&source.stage("")))?;
    let (mut bytes, mut packed) = (Vec::new(), Vec::new());
    while let Some(text) = lines.next_text(&mut bytes)? {
        let line = lines.number();
        if text.trim_ascii_start().is_empty() {
            continue;
        }
        let read = reader.variant(text, line, (source.path(), tfam));
        let (mut variant, alleles) = read.map_err(|error| lines.located(line, error))?;
        let codes = PackedGenotypes::from_codes(reader.codes.iter().copied());
        packed.clear();
        packed.extend_from_slice(codes.packed_bytes());
        let ploidy = Ploidy::new(&variant.locus.chromosome, genome);
        let oriented = alleles.oriented(&mut packed, groups, ploidy);
        if !oriented.all.is_empty() {
            several.add(&variant, &oriented);
        }
        let kept = kept_of(variants::KEPT, &[&variant.locus.id, &oriented.a1, &oriented.a2]);
        (variant.locus.counted, variant.locus.other) = (oriented.a1, oriented.a2);
        genotypes.push(&packed, run)?;
        variants.push(variant);
        lines.keep(kept)?;
    }
    if variants.is_empty() {
        let help = "write a line with CHROM, ID, CM, POS and alleles for every variant";
        return Err(source.data("the file lists no variants", help));
    }
    Ok(TextGenotypes { variants, genotypes, warning: several.warning(source.path()) })
}

/// Reads the lines one by one.
struct Reader<'g> {
    groups: &'g Groups,
    chromosomes: Chromosomes,
    /// The codes of the genotypes of the last line.
    codes: Vec<u8>,
}

impl Reader<'_> {
    /// Reads a line. Returns the variant, without A1 and A2, and its alleles.
    ///
    /// # Errors
    /// The errors of [`read_tped`] that concern one line.
    fn variant(
        &mut self,
        text: &str,
        line: u64,
        (tped, tfam): (&Path, &Path),
    ) -> std::result::Result<(Variant, Alleles), DataError> {
        let people = self.groups.people();
        let wrong = || wrong_fields(text, people, (tped, tfam));
        let mut fields = Fields { rest: text };
        let mut place = [""; FIELDS];
        for field in &mut place {
            *field = fields.next().ok_or_else(wrong)?;
        }
        if place[0].starts_with('#') {
            let problem = "a line that begins with #, but a .tped file has no comments";
            return Err(DataError::new(problem, "remove the line").with_value(place[0]));
        }
        let located = Variant::located(place, [NO_ALLELE; 2], &mut self.chromosomes, line);
        // A missing column is the likelier reason for a wrong position.
        let has_all = || text.split_ascii_whitespace().count() == FIELDS + 2 * people;
        let variant = located.map_err(|error| if has_all() { error } else { wrong() })?;
        let (mut letters, mut alleles) = (Letters::default(), Alleles::default());
        self.codes.clear();
        for person in 0..people {
            let own = (&mut letters, &mut alleles);
            let (code, _) = fields.genotype(person as u32, &variant, own, wrong)?;
            self.codes.push(code);
        }
        match fields.next() {
            None => Ok((variant, alleles)),
            Some(_) => Err(wrong()),
        }
    }
}

/// The error for a line with the wrong number of fields.
fn wrong_fields(text: &str, people: usize, (tped, tfam): (&Path, &Path)) -> DataError {
    let found = text.split_ascii_whitespace().count();
    let mut genotypes = text.split_ascii_whitespace().skip(FIELDS);
    if found == FIELDS + people && genotypes.clone().all(|genotype| genotype.len() == 2) {
        return compound(genotypes.next().unwrap_or_default(), "tfile", tped);
    }
    let expected = format!(
        "{} are expected: CHROM ID CM POS, and 2 alleles for each of {} of {}",
        FIELDS + 2 * people,
        counted(people, "person", "people"),
        name_of(tfam)
    );
    wrong_count(found, &expected)
}
