//! The header of a VCF: the file format, and the samples.

use std::collections::HashMap;

use basrelief::DataError;
use basrelief::wording::quoted;

/// The columns before the samples.
pub(super) const FIXED: [&str; 9] =
    ["CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"];

/// The start of the first line.
const FIRST: &str = "##fileformat=VCF";

/// Refuses a file whose first line is not that of a VCF.
///
/// # Errors
/// The first line is not that of a VCF.
pub(super) fn check_first(line: &[u8]) -> Result<(), DataError> {
    if is_first(line) {
        return Ok(());
    }
    let problem = format!("this is not a VCF: its first line does not begin with {FIRST}");
    let help = "give a VCF; `bcftools view` converts a BCF to a VCF";
    let start: String = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
    Err(DataError::new(problem, help).with_value(&start))
}

/// Whether a line is the first of a VCF.
pub(super) fn is_first(line: &[u8]) -> bool {
    line.starts_with(FIRST.as_bytes())
}

/// Refuses an empty line.
///
/// # Errors
/// The line is empty.
pub(super) fn check_not_empty(line: &[u8]) -> Result<(), DataError> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Err(DataError::new(
            "an empty line",
            "remove it: a VCF has no empty lines, not even at its end",
        ));
    }
    Ok(())
}

/// The error for a header line after the header.
pub(super) fn second_header() -> DataError {
    DataError::new(
        "a second header begins: the file consists of several VCFs",
        "combine the files with `bcftools concat` or `bcftools merge`, or remove the lines of the second header",
    )
}

/// The start of a header line that declares a chromosome.
pub(super) const CONTIG: &[u8] = b"##contig=<";

/// Returns the chromosome that a header line declares: `##contig=<ID=…>`.
pub(super) fn contig(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line.strip_prefix(CONTIG)?);
    let id = text.split([',', '>']).find_map(|entry| entry.strip_prefix("ID="))?;
    Some(id.to_string())
}

/// Returns the samples in the line that begins with `#CHROM`.
///
/// # Errors
/// The line has other columns, no samples, or a sample name that is empty, contains spaces or is not unique.
pub(super) fn samples(line: &[u8]) -> Result<Vec<String>, DataError> {
    let text = std::str::from_utf8(line)
        .map_err(|_| DataError::new("the bytes are not valid UTF-8", "save the file as UTF-8"))?;
    let names: Vec<&str> = text.strip_prefix('#').unwrap_or(text).split('\t').collect();
    let columns = FIXED.len().min(names.len());
    if names[..columns] != FIXED[..columns] || columns + 1 < FIXED.len() {
        let problem = format!("the columns are not #{}, separated by tabs", FIXED.join(" "));
        return Err(DataError::new(problem, "correct the header line").with_value(text));
    }
    if names.len() <= FIXED.len() {
        let problem = "it has no samples and therefore no genotypes";
        return Err(DataError::new(problem, "give a VCF with one column per person"));
    }
    let samples = &names[FIXED.len()..];
    let mut columns: HashMap<&str, usize> = HashMap::with_capacity(samples.len());
    for (column, name) in (FIXED.len() + 1..).zip(samples) {
        let wrong = |problem: String| {
            let help = "rename the samples, as `bcftools reheader --samples` does";
            Err(DataError::new(problem, help).with_value(name))
        };
        if name.is_empty() || name.contains(char::is_whitespace) {
            return wrong(format!(
                "the name of the sample in column {column} is empty or contains spaces, so other files cannot refer \
                 to it"
            ));
        }
        if let Some(first) = columns.insert(name, column) {
            return wrong(format!("columns {first} and {column} are both called {}", quoted(name)));
        }
    }
    Ok(samples.iter().map(|name| (*name).to_string()).collect())
}
