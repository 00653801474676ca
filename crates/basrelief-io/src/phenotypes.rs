//! The table of properties of samples beside the data.

use std::path::Path;

use basrelief::data::RawTable;
use basrelief::{Result, Run};

use crate::formats::read_alone;
use crate::options::{Format, ReadOptions};

/// The names of the first two columns in files of PLINK: the family and the person, who is the sample.
const FAMILY_AND_PERSON: [&[&str]; 2] = [&["FID", "#FID"], &["IID"]];

/// Reads the table, whose first column contains the names of the samples, or the IID of a PLINK file. The kinds that `options` specify for its columns
/// apply to them.
///
/// # Errors
/// The errors of [`read_table`](crate::read_table).
pub(crate) fn read(path: &Path, options: &ReadOptions, run: &Run) -> Result<RawTable> {
    // Files of phenotypes have many endings.
    let format = Format::from_path(path).unwrap_or(Format::Csv);
    let plain = ReadOptions {
        format: Some(format),
        missing: options.missing.clone(),
        has_row_names: true,
        ..ReadOptions::default()
    };
    let first = properties(path, &plain, run)?;
    let all = first.row_names.iter().chain(&first.columns);
    let names: Vec<String> = all.map(|column| column.name.clone()).collect();
    let has = |name: &str| names.iter().any(|own| own == name);
    let others: Vec<&str> = options.kinds.names().filter(|name| !has(name)).collect();
    let of_plink = (0..2).all(|place| {
        names.get(place).is_some_and(|name| FAMILY_AND_PERSON[place].contains(&name.as_str()))
    });
    let mut own = ReadOptions {
        kinds: options.kinds.clone().without(&others),
        keep_text: options.keep_text.iter().filter(|name| has(name)).cloned().collect(),
        exempt: options.exempt.clone(),
        ..plain
    };
    own.kinds.all = None;
    if of_plink {
        own.keep_text.push(names[1].clone());
    }
    let is_plain = own.keep_text.is_empty() && own.kinds.names().next().is_none();
    let mut table = if is_plain { first } else { properties(path, &own, run)? };
    if of_plink {
        table.row_names = Some(table.columns.remove(0));
    }
    Ok(table)
}

/// Reads the properties in the columns of a table, or those of the samples in a GCT file or a series matrix.
fn properties(path: &Path, options: &ReadOptions, run: &Run) -> Result<RawTable> {
    let table = read_alone(path, options, run)?;
    Ok(match options.format {
        Some(Format::Gct | Format::SeriesMatrix) => {
            RawTable { columns: table.annotations, annotations: Vec::new(), ..table }
        }
        _ => table,
    })
}
