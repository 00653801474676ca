//! The text filesets of PLINK 1: `.ped` with `.map`, a line per person, and `.tped` with `.tfam`, a line per variant.
//!
//! [`read_ped`] and [`read_tped`] read one line at a time and pack its genotypes. A1, the minor allele, is known when
//! all genotypes of a variant have been read ([`alleles`]).

mod alleles;
mod by_person;
mod by_variant;

use std::path::Path;

use basrelief::wording::quoted;
use basrelief::{DataError, Warning};

pub(crate) use alleles::Groups;
pub(crate) use by_person::read_ped;
pub(crate) use by_variant::read_tped;

use self::alleles::{Alleles, Letters, MOST_ALLELES, Oriented};
use crate::metadata::lines::{counted, name_of};
use crate::metadata::variants::Variant;
use crate::plink::fileset::uncompressed;
use crate::stored::{MISSING, Stored};

/// Whether a file has the genotypes of a text fileset of PLINK with a line per person, by its name: `.ped` or
/// `.ped.gz`.
///
/// # Examples
/// ```
/// use std::path::Path;
///
/// assert!(basrelief_genetics::is_ped(Path::new("cohort.ped.gz")));
/// assert!(!basrelief_genetics::is_ped(Path::new("cohort.tped")));
/// ```
pub fn is_ped(path: &Path) -> bool {
    has_extension(path, "ped")
}

/// Whether a file has the genotypes of a text fileset of PLINK with a line per variant, by its name: `.tped` or
/// `.tped.gz`.
///
/// # Examples
/// ```
/// use std::path::Path;
///
/// assert!(basrelief_genetics::is_tped(Path::new("cohort.tped")));
/// assert!(!basrelief_genetics::is_tped(Path::new("cohort.tfam")));
/// ```
pub fn is_tped(path: &Path) -> bool {
    has_extension(path, "tped")
}

/// Whether a file has an extension, which `.gz` may follow.
fn has_extension(path: &Path, ending: &str) -> bool {
    uncompressed(path).extension().is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// The content of a text fileset, without the people.
pub(crate) struct TextGenotypes {
    /// The variants, in the order of the file.
    pub(crate) variants: Vec<Variant>,
    /// Their genotypes.
    pub(crate) genotypes: Stored,
    /// A warning about variants with more than two alleles.
    pub(crate) warning: Option<Warning>,
}

/// The variants with more than two alleles.
#[derive(Default)]
struct MultiAllelic {
    variants: usize,
    /// The number of genotypes that became missing.
    genotypes: usize,
    /// A description of the first variant.
    first: Option<String>,
}

impl MultiAllelic {
    /// Counts a variant that has more than two alleles.
    fn add(&mut self, variant: &Variant, oriented: &Oriented) {
        let Oriented { all, excluded, .. } = oriented;
        self.variants += 1;
        self.genotypes += excluded;
        self.first.get_or_insert_with(|| {
            let (last, others) = all.split_last().map_or(("", &all[..]), |(last, all)| (last, all));
            let (id, line) = (quoted(&variant.locus.id), variant.line);
            format!("{id} on line {line}, with the alleles {} and {last}", others.join(", "))
        });
    }

    /// Returns a warning if there are such variants. `path` is the file that lists the variants.
    fn warning(self, path: &Path) -> Option<Warning> {
        let first = self.first?;
        let text = format!(
            "{} more than two alleles: {} the two most frequent alleles, as in PLINK; the first variant of {} is {first}",
            counted(self.variants, "variant has", "variants have"),
            counted(
                self.genotypes,
                "genotype was treated as missing because it has others than",
                "genotypes were treated as missing because they have others than"
            ),
            name_of(path)
        );
        Some(Warning::new("multi-allelic", text))
    }
}

/// The fields of a line, which are separated by white space.
struct Fields<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Fields<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.rest.trim_ascii_start();
        let end = rest.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let (field, rest) = rest.split_at(end);
        self.rest = rest.trim_ascii_start();
        (!field.is_empty()).then_some(field)
    }
}

impl Fields<'_> {
    /// Returns the code of a person's genotype of a variant, which is in the next two fields, and the number of bytes
    /// retained from it. The alleles of variants that PLINK excludes because of their position are not read. `wrong` is
    /// the error if fewer than two fields remain.
    ///
    /// # Errors
    /// A field is missing; one of the two alleles is missing; the variant has too many alleles.
    #[inline]
    fn genotype(
        &mut self,
        person: u32,
        variant: &Variant,
        (letters, alleles): (&mut Letters, &mut Alleles),
        wrong: impl FnOnce() -> DataError,
    ) -> Result<(u8, u64), DataError> {
        // The usual case takes a fraction of the time of the general one: known letters, and one white space after each.
        if let &[one, first_end, other, second_end, ..] = self.rest.as_bytes()
            && first_end.is_ascii_whitespace()
            && second_end.is_ascii_whitespace()
            && let Some(code) = letters.code(one, other)
        {
            self.rest = &self.rest[4..];
            return Ok((code, 0));
        }
        let (Some(one), Some(other)) = (self.next(), self.next()) else { return Err(wrong()) };
        if variant.is_disabled {
            return Ok((MISSING, 0));
        }
        alleles.code(letters, person, [one, other]).map_err(|problem| unusable(problem, variant))
    }
}

/// The error for a line with the wrong number of fields. `expected` lists the fields and their number.
fn wrong_count(found: usize, expected: &str) -> DataError {
    let help = "give files that belong together; alleles are separated by spaces or tabs, and a missing genotype is 0 0";
    DataError::new(format!("{found} fields, but {expected}"), help)
}

/// The error for genotypes whose alleles are not separated.
fn compound(genotype: &str, option: &str, file: &Path) -> DataError {
    let name = name_of(&uncompressed(file).with_extension(""));
    let help = format!(
        "separate the two alleles by a space: plink1.9 --{option} {name} --recode{} --out {name}-separate",
        if option == "tfile" { " transpose" } else { "" }
    );
    let problem = "the two alleles of a genotype are one field (compound genotypes), but two fields are needed";
    DataError::new(problem, help).with_value(genotype)
}

/// The error for a genotype of a variant that its alleles make impossible.
fn unusable(problem: alleles::Problem, variant: &Variant) -> DataError {
    let id = &variant.locus.id;
    match problem {
        alleles::Problem::HalfMissing(one, other) => DataError::new(
            format!("only one of the two alleles of variant {} is missing", quoted(id)),
            "write 0 0 if the genotype is missing",
        )
        .with_value(&format!("{one} {other}")),
        alleles::Problem::TooMany(all) => DataError::new(
            format!(
                "the variant {} has more than {MOST_ALLELES} alleles: {}",
                quoted(id),
                all.join(", ")
            ),
            "check that the fields are alleles in the order of the variants, or remove the variant",
        ),
    }
}
