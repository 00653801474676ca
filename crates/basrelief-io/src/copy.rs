//! Copies columns of a table file with unchanged cells.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use basrelief::data::{ColumnKind, Table};
use basrelief::{Result, Run};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::source::Source;
use crate::write::{AtomicFile, write_failed};
use crate::{Format, ReadOptions, csv, read_table, write_csv_to, write_table};

/// Writes columns of a table file to another file, with all rows and in the order of the file. From CSV to CSV the
/// texts remain unchanged, and from Parquet to Parquet the types. Between other formats, the values are converted. The
/// file appears only when it is complete.
///
/// # Errors
/// The errors of [`read_table`] and [`write_table`].
pub fn copy_columns(
    path: &Path,
    options: &ReadOptions,
    names: &HashSet<&str>,
    output: &Path,
    run: &Run,
) -> Result<()> {
    let name = output.to_string_lossy().to_lowercase();
    let is_text = name.ends_with(".csv") || name.ends_with(".csv.gz");
    let source = Source::open(path, run)?;
    match options.format_of(path)? {
        format @ (Format::Csv | Format::Tsv) if is_text && options.is_plain() => {
            let mut file = AtomicFile::create(output)?;
            let written = if name.ends_with(".gz") {
                let mut encoder = GzEncoder::new(&mut file, Compression::default());
                let copied = csv::copy(&source, format, options, names, &mut encoder)?;
                copied.and_then(|()| encoder.finish().map(drop))
            } else {
                csv::copy(&source, format, options, names, &mut file)?
            };
            written.map_err(|cause| write_failed(output, cause))?;
            file.commit()
        }
        #[cfg(feature = "parquet")]
        Format::Parquet if name.ends_with(".parquet") && options.is_plain() => {
            let mut file = AtomicFile::create(output)?;
            crate::parquet::copy(&source, names, &mut file)?
                .map_err(|cause| write_failed(output, cause))?;
            file.commit()
        }
        _ => write_table(output, &chosen(path, options, names, run)?, run),
    }
}

/// Writes columns as [`copy_columns`] does, as CSV to any writer, for example standard output.
///
/// # Errors
/// The errors of [`copy_columns`]; an error of the writer is a [`basrelief::Error::File`] with the path
/// `standard output`.
pub fn copy_columns_to(
    path: &Path,
    options: &ReadOptions,
    names: &HashSet<&str>,
    mut writer: impl Write,
    run: &Run,
) -> Result<()> {
    let source = Source::open(path, run)?;
    match options.format_of(path)? {
        format @ (Format::Csv | Format::Tsv) if options.is_plain() => {
            let copied: io::Result<()> = csv::copy(&source, format, options, names, &mut writer)?;
            copied.map_err(|cause| write_failed(Path::new("standard output"), cause))
        }
        _ => write_csv_to(writer, &chosen(path, options, names, run)?, None, run),
    }
}

/// Reads the selected columns as values, after the names of the rows if there are any.
fn chosen(
    path: &Path,
    options: &ReadOptions,
    names: &HashSet<&str>,
    run: &Run,
) -> Result<Table<'static>> {
    let table = read_table(path, options, run)?;
    let known: HashSet<&str> = table.annotations.iter().map(|own| own.name.as_str()).collect();
    let wanted: Vec<String> =
        names.iter().filter(|name| known.contains(*name)).map(|name| name.to_string()).collect();
    let mut table = table.with_annotations(wanted.iter().map(String::as_str))?;
    let row_names = table
        .row_names
        .take()
        .map(|column| column.into_feature(Some(ColumnKind::Categorical)))
        .transpose()?;
    let columns = table
        .columns
        .into_iter()
        .filter(|column| names.contains(column.name.as_str()))
        .map(|column| {
            let stated = options.kinds.kind_of(&column.name);
            let stated = stated.filter(|_| !options.exempt.contains(&column.name));
            options.kinds.in_order(column)?.into_feature(stated)
        })
        .collect::<Result<Vec<_>>>()
        .map_err(|error| error.in_file(path))?;
    Table::new(row_names.into_iter().chain(columns).collect())
}
