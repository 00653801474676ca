//! The header of a VCF: what it is, and its samples.

use std::collections::HashMap;

use basrelief::DataError;
use basrelief::wording::quoted;

/// The columns before the samples.
pub(super) const FIXED: [&str; 9] =
    ["CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"];

/// How the first line begins.
const FIRST: &str = "##fileformat=VCF";

/// Refuses a file whose first line is not that of a VCF.
///
/// # Errors
/// It is another one.
pub(super) fn check_first(line: &[u8]) -> Result<(), DataError> {
    if is_first(line) {
        return Ok(());
    }
    let problem = format!("it is no VCF, whose first line begins with {FIRST}");
    let help = "name a VCF; of a BCF, `bcftools view` makes one";
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
/// It is one.
pub(super) fn check_not_empty(line: &[u8]) -> Result<(), DataError> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Err(DataError::new(
            "an empty line",
            "remove it: a VCF has no empty lines, not even at its end",
        ));
    }
    Ok(())
}

/// Why a line of a header is refused behind the header.
pub(super) fn second_header() -> DataError {
    DataError::new(
        "a second header begins: the file consists of several VCFs",
        "combine the files with `bcftools concat` or `bcftools merge`, or remove the lines of the second header",
    )
}

/// How a line of the header begins that declares a chromosome.
pub(super) const CONTIG: &[u8] = b"##contig=<";

/// The chromosome that a line of the header declares, `##contig=<ID=…>`.
pub(super) fn contig(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line.strip_prefix(CONTIG)?);
    let id = text.split([',', '>']).find_map(|entry| entry.strip_prefix("ID="))?;
    Some(id.to_string())
}

/// The samples of the line that begins with `#CHROM`.
///
/// # Errors
/// It has other columns, no samples, or one that cannot be told from others by its name.
pub(super) fn samples(line: &[u8]) -> Result<Vec<String>, DataError> {
    let text = std::str::from_utf8(line)
        .map_err(|_| DataError::new("bytes that are no text in UTF-8", "save the file as UTF-8"))?;
    let names: Vec<&str> = text.strip_prefix('#').unwrap_or(text).split('\t').collect();
    let columns = FIXED.len().min(names.len());
    if names[..columns] != FIXED[..columns] || columns + 1 < FIXED.len() {
        let problem = format!("the columns are not #{}, with tabs between them", FIXED.join(" "));
        return Err(DataError::new(problem, "correct the header line").with_value(text));
    }
    if names.len() <= FIXED.len() {
        let problem = "it has no samples, and so no genotypes";
        return Err(DataError::new(problem, "name a VCF with a column for every person"));
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
                "the sample in column {column} has a name that is empty or has spaces, so that other files cannot \
                 name it"
            ));
        }
        if let Some(first) = columns.insert(name, column) {
            return wrong(format!("columns {first} and {column} are both called {}", quoted(name)));
        }
    }
    Ok(samples.iter().map(|name| (*name).to_string()).collect())
}
