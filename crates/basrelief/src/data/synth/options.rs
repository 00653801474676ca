//! Options that several generators share.

use crate::error::{Error, Result};
use crate::methods::options::{OptionInfo, OptionKind, Settings};

/// `rows`: how many rows.
pub(super) static ROWS: OptionInfo = OptionInfo {
    name: "rows",
    flag: "rows",
    kind: OptionKind::Count { least: 2 },
    default: "1000",
    help: "Rows",
};

/// `irrelevant`: columns that have nothing to do with the class.
pub(super) static IRRELEVANT: OptionInfo = OptionInfo {
    name: "irrelevant",
    flag: "irrelevant",
    kind: OptionKind::Count { least: 0 },
    default: "10",
    help: "Columns that have nothing to do with the class",
};

/// `noise`: normal columns appended to a set that has none of its own.
pub(super) static NOISE: OptionInfo = OptionInfo {
    name: "noise",
    flag: "noise",
    kind: OptionKind::Count { least: 0 },
    default: "0",
    help: "Columns of standard normal noise added",
};

/// More values than this (8 GB) are refused rather than tried.
const MOST_VALUES: u64 = 1_000_000_000;

/// The number of rows, when a table of that many rows and `columns` columns is not absurd.
pub(super) fn checked_rows(settings: &Settings, columns: usize) -> Result<usize> {
    let rows = settings.count(&ROWS)?;
    let most = MOST_VALUES / (columns as u64).max(1);
    if rows as u64 > most {
        return Err(Error::option(
            ROWS.name,
            format!("{rows} rows of {columns} columns are more than {MOST_VALUES} values"),
            format!("give at most {most} rows, or fewer columns"),
        ));
    }
    Ok(rows)
}
