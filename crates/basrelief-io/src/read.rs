//! Reads a table from a file of any format.

use std::path::Path;

use basrelief::data::RawTable;
use basrelief::wording::setting;
use basrelief::{DataError, Result, Run};

use crate::formats::read_alone;
use crate::options::{Format, ReadOptions};
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::phenotypes;

/// Whether a panic of this thread would be caught and reported as an error about a damaged file. A panic hook need not
/// report it.
pub fn panics_are_caught() -> bool {
    #[cfg(feature = "parquet")]
    let caught = parquet::is_decoding();
    #[cfg(not(feature = "parquet"))]
    let caught = false;
    caught
}

/// Reads a table; the target is one of its columns. The path `-` ([`STANDARD_INPUT`](crate::STANDARD_INPUT)) is
/// standard input, whose format must be specified in `options`.
///
/// With features in rows ([`ReadOptions::transpose`], GCT, series matrices), the names of the samples become
/// [`RawTable::row_names`], and properties of the samples its [annotations](RawTable::annotations), as those in a separate
/// file ([`ReadOptions::phenotypes`]) do.
///
/// The progress of `run` counts the bytes of the file (the compressed bytes of a compressed file). A cancelled run
/// stops within milliseconds.
///
/// # Errors
/// The file cannot be read, is damaged, or is not a rectangular table of numbers and texts; a name in `options` is not
/// a column of the file; a cell does not fit the kind that `options` specifies for its column; the samples of the
/// phenotypes are not those of the table;
/// [`basrelief::Error::Cancelled`] if the run was cancelled.
///
/// ```
/// # fn main() -> basrelief::Result<()> {
/// use basrelief_io::{ReadOptions, read_table};
/// # let folder = std::env::temp_dir().join(format!("basrelief-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("flowers.csv");
/// std::fs::write(&path, "length,color,species\n1.5,red,a\n,blue,b\n").unwrap();
/// let run = basrelief::Run::new(Some(1))?;
/// let table = read_table(&path, &ReadOptions::default(), &run)?;
/// assert_eq!(table.columns.len(), 3);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok(())
/// # }
/// ```
pub fn read_table(path: &Path, options: &ReadOptions, run: &Run) -> Result<RawTable> {
    run.check()?;
    let table = read_with_properties(path, options, run)?;
    if table.columns.is_empty() {
        let error = match options.format_of(path)? {
            Format::SeriesMatrix => DataError::new(
                "the table of the series is empty",
                format!(
                    "the values of sequencing studies are in supplementary files: download one, and name this file with {} \
                     for the characteristics of its samples",
                    setting("pheno", None)
                ),
            ),
            _ => DataError::new(
                "the table has only the names of the samples",
                "give a table with more columns",
            ),
        };
        return Err(error.in_file(path).into());
    }
    Ok(table)
}

/// Reads a table with the properties of its samples; a series matrix may have no features.
fn read_with_properties(path: &Path, options: &ReadOptions, run: &Run) -> Result<RawTable> {
    let Some(file) = &options.phenotypes else { return read_alone(path, options, run) };
    let phenotypes = phenotypes::read(file, options, run)?;
    // Columns of the other file are not columns of this one.
    let names: Vec<&str> = phenotypes.columns.iter().map(|column| column.name.as_str()).collect();
    let is_other = |name: &String| names.contains(&name.as_str());
    let own = ReadOptions {
        phenotypes: None,
        has_row_names: true,
        keep_text: options.keep_text.iter().filter(|name| !is_other(name)).cloned().collect(),
        kinds: options.kinds.clone().without(&names),
        ..options.clone()
    };
    read_alone(path, &own, run)?.annotated_by(phenotypes)
}
