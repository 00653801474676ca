//! The variants of a cohort: the `.bim` and `.map` files, and the names of features.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use basrelief::data::Locus;
use basrelief::wording::{quoted, setting};
use basrelief::{DataError, Result, Run};

use super::lines::{each_line, is_comment, kept_of};
use super::people::count;

/// A variant: a line of the `.bim`, `.pvar`, `.map` or `.tped` file, or of a VCF.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) locus: Locus,
    /// Whether the position is negative, in which case PLINK excludes the variant.
    pub(crate) is_disabled: bool,
    /// The line of the file, counted from 1.
    pub(crate) line: u64,
}

impl Variant {
    /// Creates a variant that is read from another file format.
    pub(crate) fn new(locus: Locus, is_disabled: bool, line: u64) -> Self {
        Self { locus, is_disabled, line }
    }

    /// Creates a variant from the texts of a line: chromosome, ID, centimorgans and position; A1 and A2.
    ///
    /// # Errors
    /// The centimorgans or the position are not a number.
    pub(crate) fn located(
        [chromosome, id, morgans, position]: [&str; 4],
        [counted, other]: [&str; 2],
        chromosomes: &mut Chromosomes,
        line: u64,
    ) -> std::result::Result<Self, DataError> {
        if !morgans.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(wrong("CM", morgans, "a number of centimorgans"));
        }
        let (position, is_disabled) = base_pairs(position)?;
        let locus = Locus {
            chromosome: chromosomes.shared(chromosome),
            position,
            id: id.to_string(),
            counted: counted.to_string(),
            other: other.to_string(),
        };
        Ok(Self { locus, is_disabled, line })
    }
}

/// Reads the variants of a `.bim` file.
///
/// # Errors
/// The file cannot be read; a line does not have six fields; a centimorgan or base-pair position is not a number.
pub(crate) fn read_variants(path: &Path, run: &Run) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    let mut chromosomes = Chromosomes::default();
    each_line(path, run, |line, fields| {
        if is_comment(fields) {
            return check_header(fields).map(|()| 0);
        }
        let &[chromosome, id, morgans, position, counted, other] = fields else {
            return Err(DataError::new(
                format!("{}, but a variant needs six: CHROM ID CM POS A1 A2", count(fields)),
                "complete the line; IDs must not contain spaces",
            )
            .with_value(&fields.join(" ")));
        };
        let place = [chromosome, id, morgans, position];
        variants.push(Variant::located(place, [counted, other], &mut chromosomes, line)?);
        Ok(kept_of(KEPT, fields))
    })?;
    Ok(variants)
}

/// Reads the variants of a `.map` file, which lists no alleles: A1 and A2 are `0`. The first line decides whether the
/// file has a column of centimorgans.
///
/// # Errors
/// The file cannot be read or lists no variants; a line does not have three or four fields, or another number than the
/// first; a centimorgan or base-pair position is not a number.
pub(crate) fn read_map(path: &Path, run: &Run) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    let mut chromosomes = Chromosomes::default();
    let mut first = None;
    each_line(path, run, |line, fields| {
        if is_comment(fields) {
            return Ok(0);
        }
        let &mut (number, width) = first.get_or_insert((line, fields.len()));
        let place = match *fields {
            _ if fields.len() != width => {
                let problem = format!("{}, but line {number} has {width}", count(fields));
                let help = "complete the line; IDs must not contain spaces";
                return Err(DataError::new(problem, help).with_value(&fields.join(" ")));
            }
            [chromosome, id, position] => [chromosome, id, "0", position],
            [chromosome, id, morgans, position] => [chromosome, id, morgans, position],
            _ => {
                let problem = format!(
                    "{}, but a variant needs four: CHROM ID CM POS, or three without CM",
                    count(fields)
                );
                let help = "correct the line; IDs must not contain spaces";
                return Err(DataError::new(problem, help).with_value(&fields.join(" ")));
            }
        };
        variants.push(Variant::located(place, [NO_ALLELE; 2], &mut chromosomes, line)?);
        Ok(kept_of(KEPT, fields))
    })?;
    if variants.is_empty() {
        let help = "write a line with CHROM, ID, CM and POS for every variant";
        return Err(DataError::new("the file lists no variants", help).in_file(path).into());
    }
    Ok(variants)
}

/// The name of an allele that no person has, and of an unknown allele, as in PLINK.
pub(crate) const NO_ALLELE: &str = "0";

/// Memory of a variant in bytes, without its texts: the variant, its name, and its entries in lookup tables.
pub(crate) const KEPT: u64 = 600;

/// Refuses the header of a `.pvar` file. Other lines that begin with `#` are skipped.
///
/// # Errors
/// The line is the header of a `.pvar` file.
fn check_header(fields: &[&str]) -> std::result::Result<(), DataError> {
    match fields {
        ["#CHROM", "POS", ..] => Err(DataError::new(
            "this is the header of a .pvar file, whose columns are in another order",
            "rename the file to .pvar, next to a .pgen file, or write it with plink2 --make-bed",
        )),
        _ => Ok(()),
    }
}

/// The names of chromosomes, each stored once.
#[derive(Debug, Default)]
pub(crate) struct Chromosomes(HashSet<Arc<str>>);

impl Chromosomes {
    /// Returns the shared copy of a name.
    pub(crate) fn shared(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// Parses a position. Returns its absolute value, and whether it is negative, in which case PLINK excludes the variant.
///
/// # Errors
/// The text is not a whole number.
pub(crate) fn base_pairs(position: &str) -> std::result::Result<(u64, bool), DataError> {
    match position.parse::<i64>() {
        Ok(number) => Ok((number.unsigned_abs(), number < 0)),
        Err(_) => Err(wrong("POS", position, "a whole number of base pairs")),
    }
}

fn wrong(column: &str, value: &str, what: &str) -> DataError {
    let help = "correct the line, or put its columns in the right order";
    DataError::new(format!("{what} expected"), help).in_column(column).with_value(value)
}

/// Returns the names of the features: the ID of the variant, or `CHROM:POS:A1:A2` if the ID is missing (`.`), is not
/// unique, or equals `taken`.
pub(crate) fn names_of(variants: &[Variant], taken: &[&str]) -> Vec<String> {
    let mut seen: HashMap<&str, bool> = HashMap::with_capacity(variants.len());
    for variant in variants {
        seen.entry(&variant.locus.id).and_modify(|is_shared| *is_shared = true).or_insert(false);
    }
    let name = |Variant { locus, .. }: &Variant| {
        let Locus { chromosome, position, id, counted, other } = locus;
        if id == "." || taken.contains(&id.as_str()) || seen[id.as_str()] {
            format!("{chromosome}:{position}:{counted}:{other}")
        } else {
            id.clone()
        }
    };
    variants.iter().map(name).collect()
}

/// Refuses duplicate names among the selected variants, which are given by their indices in ascending order.
///
/// # Errors
/// Two variants have the same name.
pub(crate) fn check_names(
    names: &[String],
    variants: &[Variant],
    chosen: &[u32],
    path: &Path,
) -> Result<()> {
    let mut lines: HashMap<&str, u64> = HashMap::with_capacity(chosen.len());
    for &place in chosen {
        let (name, line) = (&names[place as usize], variants[place as usize].line);
        if let Some(first) = lines.insert(name, line) {
            let problem = format!("the variant on line {first} is also called {}", quoted(name));
            let help = format!(
                "both have the same position and alleles: keep only one of them, in a VCF with `bcftools norm --rm-dup \
                 exact`, in PLINK files with `plink2 --set-all-var-ids '@:#:$r:$a' --rm-dup force-first`, or list the \
                 name in a file for {}",
                setting("exclude", None)
            );
            return Err(DataError::new(problem, help).in_file(path).at_line(line).into());
        }
    }
    Ok(())
}
