//! The variants of a cohort: the `.bim` file, and the names of features.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use basrelief::data::Locus;
use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run};

use super::lines::each_line;
use super::people::count;

/// A variant: a line of the `.bim` or `.pvar` file, or of a VCF.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) locus: Locus,
    /// Whether PLINK leaves it out: its position is negative.
    pub(super) is_disabled: bool,
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
pub(super) fn read_variants(path: &Path, run: &Run) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    let mut chromosomes = Chromosomes::default();
    each_line(path, run, |line, fields| {
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
        Ok(())
    })?;
    Ok(variants)
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
///
/// # Errors
/// Two variants still have one name.
pub(super) fn names_of(variants: &[Variant], path: &Path, taken: &str) -> Result<Vec<String>> {
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
    let names: Vec<String> = variants.iter().map(name).collect();
    let mut lines: HashMap<&str, u64> = HashMap::with_capacity(names.len());
    for (name, variant) in names.iter().zip(variants) {
        if let Some(first) = lines.insert(name, variant.line) {
            let problem = format!("the variant of line {first} is called {} too", quoted(name));
            let help = "give every variant an ID of its own, as plink2 --set-all-var-ids does";
            return Err(DataError::new(problem, help).in_file(path).at_line(variant.line).into());
        }
    }
    Ok(names)
}
