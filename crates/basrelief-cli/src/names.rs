//! Arguments that are lists of names.

use basrelief::{Error, Result};
use clap::ArgMatches;

/// The entries of a list argument; empty if the verb does not have it. Entries are separated by commas,
/// and quoted as in CSV if they contain a comma or a quote.
///
/// # Errors
/// The text is not such a list.
pub(crate) fn list(matches: &ArgMatches, name: &str) -> Result<Vec<String>> {
    let texts = matches.try_get_many::<String>(name).ok().flatten();
    let mut entries = Vec::new();
    for text in texts.into_iter().flatten() {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        for record in reader.records() {
            let record = record.map_err(|cause| {
                let name = if name == "keep" { "keep_columns" } else { name };
                Error::option(name, cause.to_string(), "separate names with commas")
            })?;
            entries.extend(record.iter().map(str::to_string));
        }
    }
    Ok(entries)
}
