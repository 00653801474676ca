//! The variants of a cohort: the `.bim` file, and the names of features.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use basrelief::data::Locus;
use basrelief::wording::{quoted, setting};
use basrelief::{DataError, Result, Run};

use super::lines::{each_line, is_comment, kept_of};
use super::people::count;

/// A variant: a line of the `.bim` or `.pvar` file, or of a VCF.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) locus: Locus,
    /// Whether PLINK leaves it out: its position is negative.
    pub(crate) is_disabled: bool,
    /// The line of the file, from 1 on.
    pub(crate) line: u64,
}

impl Variant {
    /// A variant of another file, in that line.
    pub(crate) fn new(locus: Locus, is_disabled: bool, line: u64) -> Self {
        Self { locus, is_disabled, line }
    }
}

/// The variants of a `.bim` file.
///
/// # Errors
/// The file cannot be read; a line has not six fields, or something else than numbers where they belong.
pub(crate) fn read_variants(path: &Path, run: &Run) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    let mut chromosomes = Chromosomes::default();
    each_line(path, run, |line, fields| {
        if is_comment(fields) {
            return check_header(fields).map(|()| 0);
        }
        let &[chromosome, id, morgans, position, counted, other] = fields else {
            return Err(DataError::new(
                format!("{} where a variant has six: CHROM ID CM POS A1 A2", count(fields)),
                "complete the line; IDs hold no spaces",
            )
            .with_value(&fields.join(" ")));
        };
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
        variants.push(Variant { locus, is_disabled, line });
        Ok(kept_of(KEPT, fields))
    })?;
    Ok(variants)
}

/// Bytes in memory of a variant besides its texts: itself, its name, and its entries in the tables that find names.
pub(crate) const KEPT: u64 = 600;

/// Refuses a header whose columns are not those of a `.bim` file: lines that begin with `#` are otherwise skipped.
///
/// # Errors
/// It is the header of a `.pvar` file.
fn check_header(fields: &[&str]) -> std::result::Result<(), DataError> {
    match fields {
        ["#CHROM", "POS", ..] => Err(DataError::new(
            "this is the header of a .pvar file, whose columns are in another order",
            "name the file .pvar, beside a .pgen file, or write it with plink2 --make-bed",
        )),
        _ => Ok(()),
    }
}

/// The names of chromosomes, each of which is held once.
#[derive(Debug, Default)]
pub(crate) struct Chromosomes(HashSet<Arc<str>>);

impl Chromosomes {
    /// The name that all variants of a chromosome share.
    pub(crate) fn shared(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// A position, and whether PLINK leaves out its variant: it is negative.
///
/// # Errors
/// It is no whole number.
pub(crate) fn base_pairs(position: &str) -> std::result::Result<(u64, bool), DataError> {
    match position.parse::<i64>() {
        Ok(number) => Ok((number.unsigned_abs(), number < 0)),
        Err(_) => Err(wrong("POS", position, "a whole number of base pairs")),
    }
}

fn wrong(column: &str, value: &str, what: &str) -> DataError {
    let help = "correct the line, or move its columns where they belong";
    DataError::new(format!("{what} expected"), help).in_column(column).with_value(value)
}

/// The features' names: a variant's ID; `CHROM:POS:A1:A2` where it has none (`.`), shares it with another variant, or
/// has one that is `taken`.
pub(crate) fn names_of(variants: &[Variant], taken: &str) -> Vec<String> {
    let mut seen: HashMap<&str, bool> = HashMap::with_capacity(variants.len());
    for variant in variants {
        seen.entry(&variant.locus.id).and_modify(|is_shared| *is_shared = true).or_insert(false);
    }
    let name = |Variant { locus, .. }: &Variant| {
        let Locus { chromosome, position, id, counted, other } = locus;
        if id == "." || id == taken || seen[id.as_str()] {
            format!("{chromosome}:{position}:{counted}:{other}")
        } else {
            id.clone()
        }
    };
    variants.iter().map(name).collect()
}

/// Refuses two variants of one name among those that are chosen, given by their places in ascending order.
///
/// # Errors
/// Two variants have one name.
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
            let problem = format!("the variant of line {first} is called {} too", quoted(name));
            let help = format!(
                "both have the same position and alleles: retain one of them, in a VCF with `bcftools norm --rm-dup \
                 exact`, in files of PLINK with `plink2 --set-all-var-ids '@:#:$r:$a' --rm-dup force-first`, or list \
                 the name in a file for {}",
                setting("exclude", None)
            );
            return Err(DataError::new(problem, help).in_file(path).at_line(line).into());
        }
    }
    Ok(())
}
