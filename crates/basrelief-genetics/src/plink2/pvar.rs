//! The variants of a PLINK 2 fileset: the `.pvar` file.

use std::path::Path;

use basrelief::data::Locus;
use basrelief::wording::quoted;
use basrelief::{DataError, Result, Run, Warning};

use crate::metadata::lines::{counted, each_line, kept_of};
use crate::metadata::people::count;
use crate::metadata::variants::{Chromosomes, KEPT, Variant, base_pairs};

/// The variants of a `.pvar` file.
pub(crate) struct Pvar {
    /// The variants with at most one allele in ALT, which is A1.
    pub(crate) variants: Vec<Variant>,
    /// For each variant of the file, whether it is in `variants`.
    pub(crate) are_kept: Vec<bool>,
    /// A warning that counts the excluded variants.
    pub(crate) warnings: Vec<Warning>,
}

/// Reads the variants.
///
/// # Errors
/// The file cannot be read; its header has invalid columns; a line has too few fields or no position.
pub(crate) fn read_pvar(path: &Path, run: &Run) -> Result<Pvar> {
    let mut columns: Option<Columns> = None;
    let (mut variants, mut are_kept) = (Vec::new(), Vec::new());
    let mut chromosomes = Chromosomes::default();
    each_line(path, run, |line, fields| {
        if fields[0].starts_with('#') {
            if columns.is_some() {
                let problem = "this line begins with #, but follows the header or variants";
                return Err(DataError::new(problem, "keep one line that begins with #CHROM"));
            }
            if fields[0] == "#CHROM" {
                columns = Some(Columns::of_header(fields)?);
            }
            return Ok(0);
        }
        let columns = match &columns {
            Some(known) => known,
            None => columns.insert(Columns::without_header(fields.len())?),
        };
        let [chromosome, position, id, reference, alternative] = columns.of(fields)?;
        let (position, is_disabled) = base_pairs(position)?;
        let is_kept = !alternative.contains(',');
        are_kept.push(is_kept);
        if is_kept {
            let kept = kept_of(KEPT, &[id, reference, alternative]);
            let chromosome = chromosomes.shared(chromosome);
            let [id, counted, other] = [id, alternative, reference].map(str::to_string);
            let locus = Locus { chromosome, position, id, counted, other };
            variants.push(Variant::new(locus, is_disabled, line));
            return Ok(kept);
        }
        Ok(1)
    })?;
    let left_out = are_kept.len() - variants.len();
    let warning = Warning::new(
        "multi-allelic",
        counted(
            left_out,
            "variant with several alleles in ALT was excluded",
            "variants with several alleles in ALT were excluded",
        ),
    );
    Ok(Pvar {
        variants,
        are_kept,
        warnings: (left_out > 0).then_some(warning).into_iter().collect(),
    })
}

/// The indices of chromosome, position, ID, REF and ALT, and the number of columns that a line needs.
struct Columns {
    places: [usize; 5],
    count: usize,
}

/// The columns that are read.
const READ: [&str; 5] = ["#CHROM", "POS", "ID", "REF", "ALT"];

/// The columns that are allowed and ignored.
const OTHERS: [&str; 4] = ["QUAL", "FILTER", "INFO", "CM"];

impl Columns {
    /// Finds the columns by the names in the header. The columns from FORMAT on are those of a VCF.
    fn of_header(names: &[&str]) -> std::result::Result<Self, DataError> {
        let end = names.iter().position(|name| *name == "FORMAT").unwrap_or(names.len());
        let names = &names[..end];
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                let problem = format!("two columns are called {}", quoted(name));
                return Err(DataError::new(problem, "give every column a unique name"));
            }
            if !READ.contains(name) && !OTHERS.contains(name) {
                let problem = "a .pvar file has no such column";
                let help = format!("valid columns are {} and {}", READ.join(" "), OTHERS.join(" "));
                return Err(DataError::new(problem, help).with_value(name));
            }
        }
        let place = |name: &str| {
            names.iter().position(|other| *other == name).ok_or_else(|| {
                let problem = format!("column {name} is missing");
                let help = format!("write a header with {}", READ.join(" "));
                DataError::new(problem, help).with_value(&names.join(" "))
            })
        };
        let [chromosome, position, id, reference, alternative] = READ.map(place);
        let places = [chromosome?, position?, id?, reference?, alternative?];
        Ok(Self { places, count: names.len() })
    }

    /// Returns the columns of a file without a header, which are those of a `.bim` file, given the fields per line.
    fn without_header(fields: usize) -> std::result::Result<Self, DataError> {
        match fields {
            // CHROM ID POS ALT REF; with more fields, CM precedes POS.
            5 => Ok(Self { places: [0, 2, 1, 4, 3], count: 5 }),
            6.. => Ok(Self { places: [0, 3, 1, 5, 4], count: 6 }),
            _ => {
                let problem = format!(
                    "no header and {fields} fields, but a variant needs five: CHROM ID POS ALT REF"
                );
                let help = format!("add a header line that names the columns: {}", READ.join(" "));
                Err(DataError::new(problem, help))
            }
        }
    }

    /// Returns the fields of a line that are read.
    fn of<'l>(&self, fields: &[&'l str]) -> std::result::Result<[&'l str; 5], DataError> {
        if fields.len() < self.count {
            let problem = format!("{}, but the header has {}", count(fields), self.count);
            let help = "complete the line; IDs and INFO must not contain spaces";
            return Err(DataError::new(problem, help).with_value(&fields.join(" ")));
        }
        Ok(self.places.map(|place| fields[place]))
    }
}
