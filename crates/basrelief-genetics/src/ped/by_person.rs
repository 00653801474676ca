//! `.ped` files: a line per person.

use std::path::Path;

use basrelief::{DataError, Result, Run};
use basrelief_io::Source;

use super::alleles::{Alleles, Groups, Letters, Ploidy};
use super::{Fields, MultiAllelic, TextGenotypes, compound, wrong_count};
use crate::metadata::chromosomes::Genome;
use crate::metadata::lines::{Lines, counted, is_comment, name_of};
use crate::metadata::people::FIELDS;
use crate::metadata::variants::Variant;
use crate::stored::Stored;

/// The approximate memory of the genotypes that wait to be stored variant by variant.
const BLOCK_BYTES: usize = 1 << 26;

/// Memory of the alleles of a variant in bytes, without their names.
const KEPT_OF_VARIANT: usize = size_of::<Alleles>() + size_of::<Letters>();

/// The number of variants after which the cancellation flag is checked again.
const CHECK_VARIANTS: usize = 1 << 10;

/// Reads the genotypes of a `.ped` file. `map` is the file that lists the variants.
///
/// # Errors
/// The file cannot be read, or has changed since its people were read; a line has the wrong number of fields; one of
/// the two alleles of a genotype is missing; a variant has too many alleles; memory and disk are too small for the
/// genotypes; [`basrelief::Error::Cancelled`].
pub(crate) fn read_ped(
    source: &Source<'_>,
    groups: &Groups,
    (map, variants): (&Path, Vec<Variant>),
    genome: Genome,
) -> Result<TextGenotypes> {
    read_in_blocks(source, groups, (map, variants), genome, BLOCK_BYTES)
}

/// Reads the genotypes, of which about `block_bytes` bytes wait to be stored.
///
/// # Errors
/// The errors of [`read_ped`].
fn read_in_blocks(
    source: &Source<'_>,
    groups: &Groups,
    (map, mut variants): (&Path, Vec<Variant>),
    genome: Genome,
    block_bytes: usize,
) -> Result<TextGenotypes> {
    let (run, width) = (source.run(), variants.len());
    let mut block = Block::new(source.path(), groups.people(), width, block_bytes, run)?;
    let mut letters = vec![Letters::default(); width];
    let mut alleles = vec![Alleles::default(); width];
    let mut lines = Lines::open(source, Some(&source.stage("genotypes of ")))?;
    let mut bytes = Vec::new();
    let has_changed = || {
        let problem = "it has another number of people than when it was opened";
        source.data(problem, "do not change the file while it is read")
    };
    let mut person = 0;
    while let Some(text) = lines.next_text(&mut bytes)? {
        let first = text.split_ascii_whitespace().next();
        if first.is_none_or(|first| is_comment(&[first])) {
            continue;
        }
        if person == groups.people() {
            return Err(has_changed());
        }
        let (row, shift) = block.row(person);
        let mut line = Line { person: person as u32, shift, row, kept: 0 };
        line.read(text, &variants, &mut letters, &mut alleles, (source.path(), map))
            .map_err(|error| lines.located(lines.number(), error))?;
        lines.keep(line.kept)?;
        person += 1;
        block.store_if_full(person)?;
    }
    if person != groups.people() {
        return Err(has_changed());
    }
    let mut genotypes = block.finish()?;
    drop((lines, letters));

    let mut several = MultiAllelic::default();
    let stage = format!("choosing the minor alleles of {}", name_of(source.path()));
    run.progress().start(&stage, width as u64);
    for (place, (variant, alleles)) in variants.iter_mut().zip(alleles).enumerate() {
        if place % CHECK_VARIANTS == 0 {
            run.check()?;
        }
        let ploidy = Ploidy::new(&variant.locus.chromosome, genome);
        let oriented = alleles.oriented(genotypes.variant_mut(place), groups, ploidy);
        if !oriented.all.is_empty() {
            several.add(variant, &oriented);
        }
        (variant.locus.counted, variant.locus.other) = (oriented.a1, oriented.a2);
        run.progress().advance(1);
    }
    run.progress().finish();
    Ok(TextGenotypes { variants, genotypes, warning: several.warning(map) })
}

/// The line of a person that is read.
struct Line<'b> {
    person: u32,
    /// The place of the person's bits in the bytes of `row`.
    shift: u32,
    /// A byte per variant, which the person shares with three others.
    row: &'b mut [u8],
    /// The number of bytes retained from the line.
    kept: u64,
}

impl Line<'_> {
    /// Packs the genotypes of the line.
    ///
    /// # Errors
    /// The number of fields is wrong; one of the two alleles of a genotype is missing; a variant has too many alleles.
    fn read(
        &mut self,
        text: &str,
        variants: &[Variant],
        letters: &mut [Letters],
        alleles: &mut [Alleles],
        (ped, map): (&Path, &Path),
    ) -> std::result::Result<(), DataError> {
        let wrong = || wrong_fields(text, variants.len(), (ped, map));
        let mut fields = Fields { rest: text };
        // The person has been read before.
        fields.nth(FIELDS - 1);
        let of_variants = variants.iter().zip(letters).zip(alleles).zip(self.row.iter_mut());
        for (((variant, letters), alleles), byte) in of_variants {
            let found = fields.genotype(self.person, variant, (letters, alleles), wrong)?;
            *byte |= found.0 << self.shift;
            self.kept += found.1;
        }
        match fields.next() {
            None => Ok(()),
            Some(_) => Err(wrong()),
        }
    }
}

/// The error for a line with the wrong number of fields.
fn wrong_fields(text: &str, variants: usize, (ped, map): (&Path, &Path)) -> DataError {
    let found = text.split_ascii_whitespace().count();
    let mut genotypes = text.split_ascii_whitespace().skip(FIELDS);
    if found == FIELDS + variants && genotypes.clone().all(|genotype| genotype.len() == 2) {
        return compound(genotypes.next().unwrap_or_default(), "file", ped);
    }
    let expected = format!(
        "{} are expected: {FIELDS} of the person, and 2 alleles for each of {} of {}",
        FIELDS + 2 * variants,
        counted(variants, "variant", "variants"),
        name_of(map)
    );
    wrong_count(found, &expected)
}

/// The genotypes of the people who have been read. Those of consecutive people are collected in rows of four people,
/// with a byte per variant, before they are stored variant by variant.
struct Block<'r> {
    path: &'r Path,
    people: usize,
    variants: usize,
    rows: usize,
    bytes: Vec<u8>,
    /// The number of rows that have been stored.
    stored: usize,
    /// `None` until the first rows are stored, because files that do not belong together may have very many people and
    /// variants.
    genotypes: Option<Stored>,
    run: &'r Run,
}

impl<'r> Block<'r> {
    /// Returns an empty block of about `block_bytes` bytes.
    ///
    /// # Errors
    /// The block, and the alleles of all variants, need more memory than the run may use.
    fn new(
        path: &'r Path,
        people: usize,
        variants: usize,
        block_bytes: usize,
        run: &'r Run,
    ) -> Result<Self> {
        let rows = (block_bytes / variants.max(1)).clamp(1, people.div_ceil(4).max(1));
        let bytes = rows.saturating_mul(variants);
        let what = format!("reading {}", name_of(path));
        let claimed = bytes.saturating_add(KEPT_OF_VARIANT.saturating_mul(variants));
        run.memory().claim(claimed as u64, &what, "split it by chromosomes")?;
        let bytes = vec![0; bytes];
        Ok(Self { path, people, variants, rows, bytes, stored: 0, genotypes: None, run })
    }

    /// The row of a person, and the place of the person's bits in its bytes.
    fn row(&mut self, person: usize) -> (&mut [u8], u32) {
        let row = person / 4 - self.stored;
        (&mut self.bytes[row * self.variants..][..self.variants], 2 * (person as u32 % 4))
    }

    /// Stores the rows if all of them are complete, given the number of people who have been read.
    ///
    /// # Errors
    /// Memory and disk are too small; [`basrelief::Error::Cancelled`].
    fn store_if_full(&mut self, people: usize) -> Result<()> {
        match people == 4 * (self.stored + self.rows) {
            true => self.store(people),
            false => Ok(()),
        }
    }

    /// Stores the genotypes of the people who have been read.
    ///
    /// # Errors
    /// Memory and disk are too small; [`basrelief::Error::Cancelled`].
    fn store(&mut self, people: usize) -> Result<()> {
        let mut genotypes = match self.genotypes.take() {
            Some(genotypes) => genotypes,
            None => Stored::zeroed(self.path, self.people, self.variants, self.run)?,
        };
        let rows = people.div_ceil(4) - self.stored;
        for variant in 0..self.variants {
            if variant % CHECK_VARIANTS == 0 {
                self.run.check()?;
            }
            let out = &mut genotypes.variant_mut(variant)[self.stored..][..rows];
            for (row, out) in out.iter_mut().enumerate() {
                *out = self.bytes[row * self.variants + variant];
            }
        }
        self.bytes.fill(0);
        self.stored += rows;
        self.genotypes = Some(genotypes);
        Ok(())
    }

    /// Returns the genotypes of all people.
    ///
    /// # Errors
    /// The errors of [`store`](Self::store).
    fn finish(mut self) -> Result<Stored> {
        self.store(self.people)?;
        let missing = || basrelief::Error::Internal("no genotypes are stored".to_string());
        self.genotypes.ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::people::read_ped_people;
    use crate::metadata::variants::read_map;

    /// Blocks of one row and of several, of which the last is full or not.
    #[test]
    fn blocks_are_put_together() {
        const VARIANTS: usize = 7;
        let folder = tempfile::tempdir().unwrap();
        let (path, map) = (folder.path().join("a.ped"), folder.path().join("a.map"));
        let variants = |variant: usize| format!("1 v{variant} 0 1\n");
        std::fs::write(&map, (0..VARIANTS).map(variants).collect::<String>()).unwrap();
        for people in [1, 16, 21] {
            let line = |person: usize| {
                let pairs = ["A A", "A C", "C C", "0 0"];
                let pair = |variant: usize| pairs[(person * (variant + 3) + person / 3) % 4];
                let pairs: Vec<&str> = (0..VARIANTS).map(pair).collect();
                format!("f{person} i{person} 0 0 1 1 {}\n", pairs.join(" "))
            };
            std::fs::write(&path, (0..people).map(line).collect::<String>()).unwrap();
            let run = Run::new(Some(1)).unwrap();
            let source = Source::open(&path, &run).unwrap();
            let groups = Groups::new(&read_ped_people(&source).unwrap());
            let genotypes = |block_bytes: usize| -> Vec<Vec<u8>> {
                let variants = read_map(&map, &run).unwrap();
                let genome = Genome::default();
                let found = read_in_blocks(&source, &groups, (&map, variants), genome, block_bytes);
                let genotypes = found.unwrap().genotypes;
                (0..VARIANTS).map(|variant| genotypes.variant(variant).to_vec()).collect()
            };
            let wanted = genotypes(BLOCK_BYTES);
            for block_bytes in [1, 2 * VARIANTS, 3 * VARIANTS] {
                assert_eq!(genotypes(block_bytes), wanted, "{people} people, {block_bytes} bytes");
            }
        }
    }
}
